// SPDX-License-Identifier: BSD-3-Clause
// Rates of the stepwise march against the memory bandwidth measured in the same run.
#include "engine/solvers/acoustic_fd/march.hpp"
#include "engine/solvers/acoustic_fd/storage.hpp"
#include "engine/solvers/acoustic_fd/verify/verify.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Best of several passes of o = u + u − o (+ a): the traffic of a step without its stencil. Cells per second.
double memory_limit(bool varying, Index cells, int threads, double budget) {
  Block<float> u(cells), o(cells), a(varying ? cells : 1);
  const CpuWorker worker(threads);
  const Index grain = std::max<Index>(1, cells / (8 * threads));
  const auto pass = [&](Interval some) {
    const float* __restrict us = u.data();
    const float* __restrict as = a.data();
    float* __restrict os = o.data();
    if (varying)
      for (Index i = some.begin; i < some.end; ++i) os[i] = (us[i] + us[i]) - os[i] + as[i];
    else
      for (Index i = some.begin; i < some.end; ++i) os[i] = (us[i] + us[i]) - os[i];
  };
  worker.for_each({0, cells}, grain, [&](Interval some, int) {
    std::fill(u.data() + some.begin, u.data() + some.end, 1.0F);
    std::fill(o.data() + some.begin, o.data() + some.end, 1.0F);
    if (varying) std::fill(a.data() + some.begin, a.data() + some.end, 0.0F);
  });
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    worker.for_each({0, cells}, grain, [&](Interval some, int) { pass(some); });
    best = std::max(best, static_cast<double>(cells) / seconds_since(start));
  } while (seconds_since(begin) < budget);
  return best;
}

double step_rate(int order, bool varying, Index n, int threads, double budget) {
  Problem p;
  p.grid.points = {n, n, n};
  p.order = order;
  p.speed = {1500, 1500};
  p.velocity = varying ? layered_velocity(0, 1, 0, {{0, 1500, 0}}) : constant_velocity(1500);
  for (auto& face : p.faces) face = Face{FaceKind::sponge, 20, 30};
  p.dt = 0.9 * largest_time_step(stencil_of_order(order), p.grid.spacing, 1500);
  const double c = static_cast<double>(n) / 2;
  p.sources.push_back({{c + 0.3, c, c - 0.2}, std::make_shared<Ricker>(0.02 / p.dt, 0, 1)});
  p.receivers = {{"R", {c, c + 10.4, c}}};
  const auto cluster = single_rank();
  Team team({WorkerSpec{"cpu", threads, 1}});
  const auto march = make_march(p, this_machine(), *cluster);
  march->start(team, *cluster);
  march->step(team, *cluster);
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    march->step(team, *cluster);
    best = std::max(best, static_cast<double>(p.grid.cells()) / seconds_since(start));
  } while (seconds_since(begin) < budget);
  return best;
}

}  // namespace

Status bench_table(const TestRun& run, const BenchSink& sink) {
  const Machine machine = this_machine();
  // Three arrays must not fit in the last cache, nor take more than a quarter of what is free.
  Index n = run.quick ? 384 : 512;
  while (n > 96 && static_cast<Bytes>(12 * n * n * n) > machine.free_memory / 4) n -= 32;
  const int threads = std::max(1, run.threads);
  const double budget = run.quick ? 2 : 8;
  for (const bool varying : {true, false}) {
    run.doing("memory bandwidth");
    const double limit = memory_limit(varying, n * n * n, threads, 0.5 * budget);
    const int bytes = varying ? 16 : 12;
    const char* medium = varying ? "varying" : "constant";
    sink({fmt::format("memory, {} B a cell in place", bytes), limit * bytes / 1e9, "GB/s", 1, 0, "itself",
          "bandwidth"});
    for (const int order : {2, 8}) {
      run.doing(fmt::format("stepwise, order {}, {} c", order, medium));
      const double rate = step_rate(order, varying, n, threads, budget);
      // Floors as fractions of the roof that a mature stepwise code reaches: nearly all of it at order 2, half at order 8,
      // where loads limit: the same cells a second whether c varies or not, so a lower share of the higher roof.
      const double share = order == 2 ? 0.6 : varying ? 0.45 : 0.35;
      sink({fmt::format("stepwise, order {}, {} c, {}^3", order, medium, n), rate / 1e9, "Gcells/s",
            rate / limit, share * limit / 1e9, fmt::format("memory limit {:.2f} Gcells/s", limit / 1e9),
            order == 2 ? "bandwidth" : "bandwidth, loads along z"});
    }
  }
  run.doing("order 8 in the cache");
  const double cached = step_rate(8, true, 48, 1, 0.2 * budget);
  sink({"stepwise, order 8, varying c, 48^3 on one thread", cached / 1e9, "Gcells/s", 0, 0, "",
        "issue and sponge rows"});
  return {};
}

}  // namespace conoid::acoustic_fd
