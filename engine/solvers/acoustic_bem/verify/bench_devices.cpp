// SPDX-License-Identifier: BSD-3-Clause
// The summation on CUDA devices beside the bandwidth of their memory.
//
// Bound: non-zero values alone, read once at the rate at which the device copies within its memory (read and write together):
// 2 n_g flops a value. Assembly and march are compared with the processors of the same machine.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/solvers/acoustic_bem/cuda/device_blocks.hpp"
#include "engine/solvers/acoustic_bem/cuda/device_summation.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/verify/bench.hpp"
#include "engine/solvers/acoustic_bem/verify/bench_slices.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {
namespace {

double copy_rate(const Device& device) {
  const std::size_t bytes = std::min<std::size_t>(std::size_t{2} << 30, device.free_memory() / 4);
  auto a = device.allocate<unsigned char>(bytes, "source"), b = device.allocate<unsigned char>(bytes, "target");
  Stream stream = device.stream();
  const Event begin = device.event(), end = device.event();
  double best = 0;
  stream.zero(a);
  for (int k = 0; k < 12; ++k) {
    stream.record(begin);
    stream.on_device(b, 0, a, 0, bytes);
    stream.record(end);
    stream.synchronize();
    best = std::max(best, 2.0 * static_cast<double>(bytes) / end.seconds_since(begin));
  }
  return best;
}

double host_rate(const Device& device) {
  const std::size_t bytes = std::size_t{256} << 20;
  auto a = device.allocate<unsigned char>(bytes, "target");
  auto host = device.pinned<unsigned char>(bytes);
  std::fill_n(host.data(), bytes, static_cast<unsigned char>(1));
  Stream stream = device.stream();
  const Event begin = device.event(), end = device.event();
  double best = 0;
  for (int k = 0; k < 5; ++k) {
    stream.record(begin);
    stream.to_device(a, host.span());
    stream.record(end);
    stream.synchronize();
    best = std::max(best, static_cast<double>(bytes) / end.seconds_since(begin));
  }
  return best;
}

template <class Real>
double ragged_rate(const Device& device, const Slices<Real>& slices, int steps, int repeats, int threads) {
  std::vector<History<Real>> runs;
  runs.push_back(made_history(slices, steps));
  DeviceSummation<Real> sum(device, slices, steps, device.free_memory() / 10 * 9, CpuWorker(threads));
  std::vector<double> out(static_cast<std::size_t>(steps * slices.rows()));
  double best = 1e30;
  for (int k = 0; k < repeats; ++k) {
    sum.run(CpuWorker(threads), {0, slices.count()}, runs, 0, out);
    best = std::min(best, sum.kernel_seconds());
  }
  return 2.0 * steps * static_cast<double>(slices.nonzeros()) / best;
}

/// Bytes of slabs a second that pass from the host through a device whose budget holds only some of them, while what came before
/// is summed.
template <class Real>
double passing_rate(const Device& device, const Slices<Real>& slices, Bytes budget, int threads) {
  std::vector<History<Real>> runs;
  runs.push_back(made_history(slices, 8));
  DeviceSummation<Real> sum(device, slices, 8, budget, CpuWorker(threads));
  std::vector<double> out(static_cast<std::size_t>(8 * slices.rows()));
  double best = 0;
  for (int k = 0; k < 5; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    sum.run(CpuWorker(threads), {0, slices.count()}, runs, 0, out);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (k > 0) best = std::max(best, static_cast<double>(sum.streamed()) / took);  // the first run lays the slabs out
  }
  return best;
}

template <class Real>
double block_rate(const Device& device, const Slices<Real>& slices, BlockKind kind, int width, int height) {
  DeviceBlocks<Real> blocks(device, slices, kind, 8, width, height);
  blocks.set_past(made_history(slices, 8));
  std::vector<double> out(static_cast<std::size_t>(8 * slices.rows()));
  double best = 1e30;
  for (int k = 0; k < 6; ++k) best = std::min(best, blocks.run(out));
  return 16.0 * static_cast<double>(slices.nonzeros()) / best;
}

template <class Real>
void rows_of(const Device& device, const TestRun& run, const BenchSink& row, double copy, double host,
             const char* precision) {
  const std::string name = fmt::format("device, {}:{}", device.info().backend, device.info().index);
  const auto rate = [&](std::string what, int steps, double flops, double floor) {
    const double bound = copy / sizeof(Real) * 2 * steps;
    row({std::move(what), flops / 1e9, "Gflop/s", flops / bound, floor * bound / 1e9, "copy bandwidth", "bandwidth"});
  };
  const std::string ragged = fmt::format("{}: ragged blocks, {}, ", name, precision),
                    passing = name + ": the same, n_g 8, memory for 1/";
  if (run.may_want(ragged + "n_g ") || run.may_want(passing)) {
    run.doing(fmt::format("{}: summation, {}", name, precision));
    const Index count = run.quick ? 2000 : 8000;
    const Slices<Real> slices = made_slices<Real>(6400, count, 341, 6, 13);
    for (int g : run.quick ? std::vector<int>{8} : std::vector<int>{1, 2, 4, 8, 16, 32}) {
      const std::string beginning = fmt::format("{}n_g {}, ", ragged, g);
      if (!run.may_want(beginning)) continue;
      const double flops = ragged_rate(device, slices, g, 8, run.threads);
      rate(fmt::format("{}{} of values in {:.1f} us", beginning,
                       format_bytes(static_cast<Bytes>(slices.nonzeros()) * sizeof(Real)),
                       2e6 * g * static_cast<double>(slices.nonzeros()) / flops),
           g, flops, g == 8 ? 0.8 : 0);
    }
    const auto values = static_cast<Bytes>(slices.nonzeros()) * sizeof(Real);
    for (const Bytes part : {2, 4}) {
      if (!run.may_want(passing)) break;
      const double passed = passing_rate(device, slices, values / part, run.threads);
      row({fmt::format("{}{} of them: slabs that pass through", passing, part), passed / 1e9, "GB/s", passed / host, 0,
           "pinned copy", "bus"});
    }
  }
  // As a run has them: rows and slices of spheres along a Hilbert curve.
  for (const int divisions : run.quick ? std::vector<int>{12} : std::vector<int>{12, 20, 28}) {
    const Index unknowns = 10 * Index{divisions} * divisions + 2;
    const auto beginning = [&](int g) { return fmt::format("{}n_g {}, sphere of N = {}, ", ragged, g, unknowns); };
    if (!run.may_want(beginning(8)) && !run.may_want(beginning(16))) continue;
    RowTeam team(run.workers());
    const Surface surface = unit_sphere(divisions);
    run.doing(fmt::format("{}: assembly of a sphere, N = {}, {}", name, surface.unknowns, precision));
    const Matrices<Real> m = assemble_all<Real>(surface, form_for(surface, FormName::NC), {}, team);
    for (int g : {8, 16}) {
      if (!run.may_want(beginning(g))) continue;
      const double flops = ragged_rate(device, m.slices, g, 8, run.threads);
      rate(fmt::format("{}{} of values in {:.1f} us", beginning(g),
                       format_bytes(static_cast<Bytes>(m.slices.nonzeros()) * sizeof(Real)),
                       2e6 * g * static_cast<double>(m.slices.nonzeros()) / flops),
           g, flops, g == 8 && divisions >= 20 ? 0.8 : 0);
    }
  }
  for (int bc : run.quick ? std::vector<int>{16} : std::vector<int>{16, 32, 64, 128}) {
    if (!run.may_want(name + ": Contiguous-Blocking, ") && !run.may_want(name + ": Full-Blocking, ") &&
        !run.may_want(ragged + "rows of "))
      break;
    run.doing(fmt::format("{}: blocks of {} columns, {}", name, bc, precision));
    const Slices<Real> slices = made_slices<Real>(6400, 420, 756, bc, bc);
    rate(fmt::format("{}: Contiguous-Blocking, {}, b_c {}, n_g 8, 420 slices x 6400 rows", name, precision, bc), 8,
         block_rate(device, slices, BlockKind::contiguous, bc, 0), 0);
    rate(fmt::format("{}rows of {}, n_g 8, the same", ragged, bc), 8, ragged_rate(device, slices, 8, 6, run.threads),
         0);
    const Slices<Real> aligned = aligned_slices<Real>(6400, 420, bc, 128);
    for (int br : run.quick ? std::vector<int>{128} : std::vector<int>{32, 64, 128})
      rate(fmt::format("{}: Full-Blocking, {}, b_c {}, b_r {}, n_g 8, 420 slices x 6400 rows", name, precision, bc, br),
           8, block_rate(device, aligned, BlockKind::full, bc, br), 0);
  }
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Assembly, and the march of two excitations on a sphere of as many unknowns as the airplane of the gallery has: on the device alone, on
/// the processors, and how they compare.
void runs_of(const NamedDevice& named, const TestRun& run, const BenchSink& row) {
  const std::string name = "device, " + named.name;
  const std::array begins{": assembly, ", ": march, ", ": summation of a march", ": radiation and solution"};
  if (std::none_of(begins.begin(), begins.end(), [&](const char* what) { return run.may_want(name + what); })) return;
  const Surface surface = unit_sphere(run.quick ? 8 : 18);
  const Form form = form_for(surface, FormName::NC);
  const auto device_alone = [&] {
    return std::vector<WorkerSpec>{{.name = named.name, .threads = std::max(1, run.threads), .device = named.name}};
  };
  RowWorkers on_processors(std::max(1, run.threads));
  RowWorkers on_device = on_processors;
  on_device.workers = device_alone();
  on_device.tally = run.tally;
  RowTeam processors(on_processors), device(on_device);
  run.doing(fmt::format("{}: assembly, N = {}", name, surface.unknowns));
  Matrices<float> here, there;
  // The first time the device opens its module.
  const Surface small = unit_sphere(4);
  (void)assemble_all<float>(small, form_for(small, FormName::NC), {}, device);
  const double by_processors = seconds_of([&] { here = assemble_all<float>(surface, form, {}, processors); }),
               by_device = seconds_of([&] { there = assemble_all<float>(surface, form, {}, device); });
  row({fmt::format("{}: assembly, NC, N = {}, with the extents, over {} threads ({:.2f} s)", name, surface.unknowns,
                   run.threads, by_processors),
       by_device, "s", by_processors / by_device, 0, "processors", "arithmetic in double precision"});
  const auto marched = [&](Matrices<float> m, Team& team, int groups) {
    March<float> march(std::move(m), {.steps = 8, .runs = 2});
    const auto light = [](Index n, Index, std::span<double> l) {
      std::fill(l.begin(), l.end(), std::exp(-0.01 * static_cast<double>((n - 40) * (n - 40))));
    };
    march.advance(team, light);  // slabs are laid out
    const MarchTimes before = march.times();
    const double took = seconds_of([&] {
      for (int g = 1; g < groups; ++g) march.advance(team, light);
    });
    MarchTimes each = march.times();
    const double count = groups - 1;
    each.summation = (each.summation - before.summation) / count;
    each.solution =
        (each.solution + each.radiation + each.on_device - before.solution - before.radiation - before.on_device) /
        count;
    each.illumination = took / count;
    return each;
  };
  run.doing(fmt::format("{}: march, N = {}", name, surface.unknowns));
  const MarchTimes slow = marched(std::move(here), processors, run.quick ? 4 : 20),
                   fast = marched(std::move(there), device, run.quick ? 6 : 150);
  const auto compared = [&](const char* what, double of_device, double of_processors, const char* by) {
    row({fmt::format("{}: {}, 8 steps, 2 excitations, N = {}, single", name, what, surface.unknowns), 1e6 * of_device,
         "us", of_processors / of_device, 0, fmt::format("{} threads", run.threads), by});
  };
  compared("march", fast.illumination, slow.illumination, "bandwidth and latency");
  compared("summation of a march with its copies", fast.summation, slow.summation, "bandwidth and latency");
  compared("radiation and solution with their copies", fast.solution, slow.solution, "barriers of the grid");
}

/// Gflop/s of an M2070 (Bramas et al. 2015): of Table 2 by b_c (16 to 128) and b_r (32, 64, 128), of Table 3 by b_c.
struct PublishedOnDevice {
  std::array<std::array<double, 3>, 4> full;
  std::array<double, 4> contiguous;
};
constexpr PublishedOnDevice device_single{{{{53, 124, 138}, {64, 176, 196}, {105, 230, 244}, {139, 270, 280}}},
                                          {146, 203, 251, 285}};
constexpr PublishedOnDevice device_double{{{{39, 68, 73}, {51, 95, 100}, {67, 128, 128}, {68, 136, 141}}},
                                          {82, 113, 139, 158}};

template <class Real>
void paper_blocks(const Device& device, const TestRun& run, const BenchSink& row, const char* precision,
                  const PublishedOnDevice& published) {
  const std::string name = fmt::format("{}:{}", device.info().backend, device.info().index);
  const auto tabled = [&](std::string what, double flops, double theirs) {
    row({std::move(what), flops / 1e9, "Gflop/s", flops / 1e9 / theirs, 0, "the source's", device.info().name, theirs});
  };
  for (std::size_t c = 0; c < (run.quick ? 1 : 4); ++c) {
    const int bc = 16 << c;
    run.doing(fmt::format("{}: blocks of {} columns, {}", name, bc, precision));
    for (std::size_t r = run.quick ? 2 : 0; r < 3; ++r) {
      const int br = 32 << r;
      tabled(fmt::format("Table 2: Full-Blocking on {}, {}, b_c {}, b_r {}, 420 slices x 6400 rows", name, precision,
                         bc, br),
             block_rate(device, aligned_slices<Real>(6400, 420, bc, 128), BlockKind::full, bc, br),
             published.full[c][r]);
    }
    tabled(fmt::format("Table 3: Contiguous-Blocking on {}, {}, b_c {}, 420 slices x 6400 rows", name, precision, bc),
           block_rate(device, made_slices<Real>(6400, 420, 756, bc, bc), BlockKind::contiguous, bc, 0),
           published.contiguous[c]);
  }
}

}  // namespace

void paper_blocks_on_devices(const TestRun& run, const BenchSink& row) {
  for (const NamedDevice& named : devices_of(run)) {
    const auto device = open_device(run, named.name);
    paper_blocks<float>(device, run, row, "single", device_single);
    if (!run.quick) paper_blocks<double>(device, run, row, "double", device_double);
  }
}

void bench_devices(const TestRun& run, const BenchSink& row) {
  if (!run.may_want("device, ")) return;
  for (const NamedDevice& named : devices_of(run)) {
    const std::string name = "device, " + named.name;
    const auto device = open_device(run, named.name);
    const double copy = copy_rate(device);
    row({fmt::format("{}: {}, copy within its memory, read + write", name, named.info.name), copy / 1e9, "GB/s",
         named.info.bandwidth > 0 ? copy / named.info.bandwidth : 0, 0, "data sheet", "bandwidth"});
    const double host = host_rate(device);
    row({fmt::format("{}: copy from pinned host memory", name), host / 1e9, "GB/s", 0, 0, "", "bus"});
    rows_of<float>(device, run, row, copy, host, "single");
    if (!run.quick) rows_of<double>(device, run, row, copy, host, "double");
    runs_of(named, run, row);
  }
}

}  // namespace conoid::acoustic_bem
