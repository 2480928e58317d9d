// SPDX-License-Identifier: BSD-3-Clause
// Speed of devices: one application by each form, near blocks aside, and by all processors of the run for a share of S that takes them about
// as long, scaled to the whole; the paper's loops; several devices together; what passes between host and device.
#include "engine/linalg/device_solve.hpp"
#include "engine/solvers/maxwell_fem/cuda/device_radiation.hpp"
#include "engine/solvers/maxwell_fem/verify/bench_parts.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/device.hpp"
#include "engine/team/machine_rates.hpp"
#include "engine/team/team.hpp"

#include <array>
#include <cmath>
#include <vector>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

std::unique_ptr<TwoSpheres> two_spheres(int divisions) {
  SphereScene s;
  s.ka = 3;
  s.divisions = divisions;
  s.layers = 1;
  s.curved = false;
  s.order = 1;
  s.on_body = true;
  auto out = std::make_unique<TwoSpheres>();
  out->mesh = *sphere_mesh(s);
  out->domain = *make_domain(out->mesh, sphere_roles(s));
  return out;
}

double pairs(const TwoSpheres& s) {
  return static_cast<double>(s.domain.outer.size()) * static_cast<double>(s.domain.currents.size());
}

namespace {

/// The paper's loops on a device, and all devices of the run together against the first, near blocks aside.
void device_loop_rows(const TestRun& run, const NamedDevice& one, const BenchSink& row) {
  const auto small = two_spheres(run.quick ? 1 : 2);
  const Radiation radiation(small->domain, 1, 1, 0);
  Team team({{one.name, 1, 1, one.name, 0}});
  const Index all = small->domain.outer.faces();
  for (const Index rhs : run.quick ? std::vector<Index>{1, 10} : std::vector<Index>{1, 10, 100, 1000}) {
    const std::vector<Complex> f(static_cast<std::size_t>(4 * small->domain.currents.size() * rhs), Complex(0.3, 0.5));
    std::vector<Complex> psi(static_cast<std::size_t>(2 * small->domain.outer.size() * rhs));
    const auto seconds = [&](RadiationLoop loop, Index faces) {
      return shortest_by_clock(2,
                               [&] {
                                 radiation.apply(team, f, rhs, psi, loop, {0, faces});
                               }) *
             static_cast<double>(all) / static_cast<double>(faces);
    };
    const auto label = [&](const char* loop) {
      return fmt::format("device: {}, {}, numSp {} numS {}, RHS {}", one.name, loop, small->domain.currents.faces(),
                         all, rhs);
    };
    if (!run.may_want(label("ours")) && !run.may_want(label("cuda_S")) && !run.may_want(label("cuda_rhs"))) continue;
    run.doing(label("ours"));
    const double ours = seconds(RadiationLoop::device, all);
    row({label("ours"), ours, "s", 0, 0, "", "instruction rate"});
    run.doing(label("cuda_S"));
    const double outer = seconds(RadiationLoop::cuda_outer, all);
    row({label("cuda_S"), outer, "s", outer / ours, 0, "ours", "memory"});
    // A kernel a pair of points: on some elements of S, scaled to all.
    run.doing(label("cuda_rhs"));
    const double columns = seconds(RadiationLoop::cuda_rhs, std::min<Index>(all, 4));
    row({label("cuda_rhs") + ", scaled from 4 elements", columns, "s", columns / ours, 0, "ours", "launches"});
  }
}

void several_devices_rows(const TestRun& run, const std::vector<NamedDevice>& devices, const BenchSink& row) {
  const auto together = [](std::size_t count) { return fmt::format("device: {} together", count); };
  bool wanted = false;
  for (std::size_t count = 1; count <= devices.size(); ++count) wanted = wanted || run.may_want(together(count));
  if (!wanted) return;
  const auto s = two_spheres(run.quick ? 1 : 20);
  const Radiation radiation(s->domain, 1, 1, 0);
  const Index rhs = run.quick ? 20 : 256;
  const std::vector<Complex> f(static_cast<std::size_t>(4 * s->domain.currents.size() * rhs), Complex(0.3, 0.5));
  std::vector<Complex> psi(static_cast<std::size_t>(2 * s->domain.outer.size() * rhs));
  double one = 0;
  for (std::size_t count = 1; count <= devices.size(); ++count) {
    const std::string label = fmt::format("{}, {} right-hand sides, {} x {} faces", together(count), rhs,
                                          s->domain.currents.faces(), s->domain.outer.faces());
    run.doing(label);
    // As parse_workers() has them: devices alone share all threads.
    const int threads = std::max(1, run.threads / static_cast<int>(count));
    std::vector<WorkerSpec> workers;
    for (std::size_t d = 0; d < count; ++d) workers.push_back({devices[d].name, threads, 1, devices[d].name, 0});
    Team team(workers);
    // The first passes balance.
    const double t =
        shortest_by_clock(run.quick ? 2 : 5, [&] { radiation.apply(team, f, rhs, psi, RadiationLoop::device); });
    if (count == 1) one = t;
    row({label, t, "s", one / t, count == 2 && !run.quick ? 1.8 : 0, "one device", "matrix units"});
  }
}

/// What an application's currents and data take by themselves, out of memory that is not page-locked and by DevicePassage: what is hidden behind
/// products is the difference of "whole application" and these.
void copy_rows(const Device& device, std::span<const Complex> f, std::span<Complex> psi, const std::string& label,
               const BenchSink& row) {
  const auto there = device.allocate<Complex>(f.size(), "currents on S'"),
             data = device.allocate<Complex>(psi.size(), "data on S");
  Stream stream = device.stream();
  stream.zero(data);
  stream.synchronize();
  const double plain = shortest_by_clock(2, [&] {
    stream.to_device(there, f);
    stream.to_host(psi, data);
    stream.synchronize();
  });
  row({label + ": copies out of memory that is not page-locked", plain, "s", 0, 0, "", "the driver's copies"});
  for (const int threads : {1, 4, 16}) {
    DevicePassage passage(device, CpuWorker(threads));
    const double t = shortest_by_clock(2, [&] {
      passage.up(there, 0, f);
      passage.down(psi, static_cast<Index>(psi.size()) / 2, data, 0, static_cast<Index>(psi.size()) / 2, 2);
    });
    row({label + fmt::format(": copies through pages that are locked, {} threads", threads), t, "s", plain / t, 0,
         "copies by the driver", "memory of the host, bus"});
  }
}

}  // namespace

void device_rows(const TestRun& run, const BenchSink& row) {
  if (!run.may_want("device: ")) return;
  const std::vector<NamedDevice> devices = devices_of(run);
  several_devices_rows(run, devices, row);
  for (const NamedDevice& one : devices) {
    device_loop_rows(run, one, row);
    const std::string& name = one.name;
    const DeviceInfo& info = one.info;
    run.doing("device: " + name);
    if (!run.may_want(fmt::format("device: {}", name))) continue;
    const auto device = open_device(run, name);
    const double peak = device_rates(name).flops_double, gemm = dense::product_rate(device);
    row({fmt::format("device: {} ({}), multiply-adds, double", name, info.name), peak / 1e9, "Gflop/s", 1, 0, "",
         "instruction rate"});
    row({fmt::format("device: {}, complex matrix product of its library", name), gemm / 1e9, "Gflop/s",
         peak > 0 ? gemm / peak : 0, 0, "multiply-add rate", "matrix units"});
    const auto label_of = [&](int divisions, const std::string& form, Index rhs) {
      return fmt::format("device: {}, {}, {} right-hand sides, {} x {} faces", name, form, rhs,
                         20 * divisions * divisions, 20 * divisions * divisions);
    };
    constexpr std::array<Index, 7> counts{1, 4, 8, 16, 32, 64, 256};
    for (const int divisions : run.quick ? std::vector<int>{8} : std::vector<int>{8, 20, 40}) {
      const auto wants = [&](Index rhs) {
        return std::ranges::any_of(std::array{"fused", "panels", "currents and data", "the same by processors"},
                                   [&](const char* form) { return run.may_want(label_of(divisions, form, rhs)); });
      };
      if (std::ranges::none_of(counts, wants)) continue;
      const auto s = two_spheres(divisions);
      const PointArrays to = point_arrays(s->domain.outer), from = point_arrays(s->domain.currents);
      std::vector<double> scale;
      for (Index p = 0; p < s->domain.outer.size(); ++p) scale.push_back(std::sqrt(s->domain.outer.weight(p) / 2));
      const std::vector<Index> no_near(scale.size() + 1, 0);
      const int threads = std::max(1, run.threads);
      DeviceRadiation radiation(device, {to, from, scale, no_near, {}, 1}, CpuWorker(threads));
      const Radiation by_processors(s->domain, 1, 1, 0);
      Team team({{"cpu", threads, 1}});
      for (const Index rhs : counts) {
        if (!wants(rhs)) continue;
        std::vector<Complex> f(static_cast<std::size_t>(4 * s->domain.currents.size() * rhs), Complex(0.3, 0.5)),
            psi(static_cast<std::size_t>(2 * s->domain.outer.size() * rhs));
        const auto label = [&](const std::string& form) { return label_of(divisions, form, rhs); };
        if (rhs == 256 && run.may_want(label("currents and data")))
          copy_rows(device, f, psi, label("currents and data"), row);
        double best_device = 0;
        for (const DeviceForm form : {DeviceForm::fused, DeviceForm::products}) {
          const bool fused = form == DeviceForm::fused;
          const std::string what = label(fused ? "fused" : "panels");
          if ((fused && rhs > 64) || !run.may_want(what)) continue;
          run.doing(what);
          DeviceRadiationFacts best;
          for (int k = 0; k < 2; ++k) {
            const auto facts = radiation.apply(f, rhs, psi, {0, s->domain.outer.size()}, form,
                                               [&](Bytes) { return device.free_memory() / 10 * 8; });
            if (!facts.fits || facts.products == fused) break;
            if (best.seconds <= 0 || facts.seconds < best.seconds) best = facts;
          }
          if (best.seconds <= 0) continue;
          if (best_device <= 0 || best.seconds < best_device) best_device = best.seconds;
          // Fused kernels take coefficients anew for each eight columns at most.
          const double anew = fused ? std::ceil(static_cast<double>(rhs) / 8) : 1,
                       flops = pairs(*s) * (anew * device_pair_flops + device_column_flops * static_cast<double>(rhs)),
                       products = pairs(*s) * device_column_flops * static_cast<double>(rhs),
                       rate = (fused ? flops : products) / best.kernel_seconds, peer = fused || gemm <= 0 ? peak : gemm;
          row({what + ": whole application", best.seconds, "s", 0, 0, "", ""});
          row({what + (fused ? ": kernels" : ": products, panels made beside them"), rate / 1e9, "Gflop/s",
               peer > 0 ? rate / peer : 0, 0, peer == peak ? "multiply-add rate" : "its library's product", ""});
        }
        // A share of S: enough faces for every thread.
        const Index faces = std::min(s->domain.outer.faces(), std::max<Index>(320, 64 * threads) * (rhs < 16 ? 8 : 1));
        const std::string what = label("the same by processors");
        if (!run.may_want(what)) continue;
        run.doing(what);
        const auto begin = std::chrono::steady_clock::now();
        by_processors.apply(team, f, rhs, psi, RadiationLoop::automatic, {0, faces});
        const double gone = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() *
                            static_cast<double>(s->domain.outer.faces()) / static_cast<double>(faces);
        row({what + fmt::format(", {} threads", threads), gone, "s", best_device > 0 ? gone / best_device : 0, 0,
             "faster form of the device", "instruction rate"});
      }
    }
  }
}

}  // namespace conoid::maxwell_fem
