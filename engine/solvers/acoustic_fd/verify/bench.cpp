// SPDX-License-Identifier: BSD-3-Clause
// Rates of the march against the memory bandwidth measured in the same run.
#include "engine/solvers/acoustic_fd/layers.hpp"
#include "engine/solvers/acoustic_fd/march.hpp"
#include "engine/solvers/acoustic_fd/storage.hpp"
#include "engine/solvers/acoustic_fd/verify/verify.hpp"
#include "engine/team/device.hpp"

#include <algorithm>
#include <chrono>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Best of several passes of o = u + u − o + a: the traffic of a step without its stencil. Cells per second.
double memory_limit(Index cells, int threads, double budget) {
  // A line apart modulo a page: arrays of 512³, a power of two apart, get in each other's way (24 instead of 42 GB/s on a Zen 4).
  constexpr Index line = 16;
  const Block<float> u(cells), o(cells + line), a(cells + 2 * line);
  float *us = u.data(), *os = o.data() + line, *as = a.data() + 2 * line;
  const CpuWorker worker(threads);
  const Index grain = std::max<Index>(1, cells / (8 * threads));
  const auto pass = [](Interval some, const float* __restrict level, const float* __restrict medium, float* __restrict older) {
    for (Index i = some.begin; i < some.end; ++i) older[i] = (level[i] + level[i]) - older[i] + medium[i];
  };
  worker.for_each({0, cells}, grain, [&](Interval some, int) {
    std::fill(us + some.begin, us + some.end, 1.0F);
    std::fill(os + some.begin, os + some.end, 1.0F);
    std::fill(as + some.begin, as + some.end, 0.0F);
  });
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    worker.for_each({0, cells}, grain, [&](Interval some, int) { pass(some, us, as, os); });
    best = std::max(best, static_cast<double>(cells) / seconds_since(start));
  } while (seconds_since(begin) < budget);
  return best;
}

enum class Edges { closed, sponge, matched };

/// Cells per second of a march of whole bands, boundaries, source and receivers on. Best band within the budget.
double march_rate(int order, bool varying, const std::array<Index, 3>& points, const WorkerSpec& worker, double budget, const std::string& tiling, Edges edges,
                  std::string& used, Bytes device_memory = 0) {
  Problem p;
  p.device_memory = device_memory;
  p.grid.points = points;
  p.order = order;
  p.speed = {1500, 1500};
  p.velocity = varying ? layered_velocity(0, 1, 0, {{0, 1500, 0}}) : constant_velocity(1500);
  for (auto& face : p.faces) {
    face.kind = edges == Edges::closed ? FaceKind::rigid : edges == Edges::sponge ? FaceKind::sponge : FaceKind::matched;
    face.width = edges == Edges::matched ? safe_matched_width(order) : 20;
  }
  if (edges != Edges::closed) p.faces[4].kind = FaceKind::free_surface;
  p.dt = safe_step * largest_time_step(stencil_of_order(order), p.grid.spacing, 1500);
  const double c = static_cast<double>(points[1]) / 2;
  if (edges != Edges::closed) {
    p.sources.push_back({{c + 0.3, c, c - 0.2}, std::make_shared<Ricker>(0.02 / p.dt, 0, 1)});
    for (int i = 0; i < 100; ++i) p.receivers.push_back({"R", {c, 0.2 * c + 0.01 * i * c, c + 0.4}});
  }
  p.tiling = tiling;
  const auto cluster = single_rank();
  Team team({worker});
  const auto march = make_march(p, this_machine(), *cluster);
  march->start(team, *cluster);
  const Index band = tiling.starts_with("stepwise") && worker.device.empty() ? 1 : march->band();
  double best = 0;
  std::string shape;
  auto begin = Clock::now();
  do {
    const std::string before = march->tiling();
    const auto start = Clock::now();
    March::Recorder recorder;
    march->advance(team, *cluster, band, p.receivers.empty() ? nullptr : &recorder);
    const double rate = static_cast<double>(p.grid.cells() * band) / seconds_since(start);
    if (tiling == "auto" && march->tiling() != shape) {  // still choosing
      shape = march->tiling();
      begin = Clock::now();
    }
    if (march->tiling() == before) best = std::max(best, rate);
  } while (seconds_since(begin) < budget);
  used = march->tiling();
  return best;
}

/// A run as a case makes it, on a device; in core, then with so little memory that planes are streamed from the host.
void device_rows(const TestRun& run, const BenchSink& sink) {
  const auto device = Device::open("cuda");
  if (!device) return;  // no device, no rows
  // Long along x, as grids are that do not fit: what a device takes turns with is planes, and it needs many of them.
  const Index n = run.quick ? 512 : 768;
  const std::array<Index, 3> points{4 * n, n, n};
  const std::string name = device->info().name;
  const WorkerSpec worker{"cuda:0", std::max(1, run.threads), 1, "cuda:0", 0};
  const double budget = run.quick ? 1 : 3;
  std::string used;
  // What a device holds with room to spare: 20 B a node of it, 12 B of the host.
  const Bytes nodes = Bytes{1} << 30;
  if (device->free_memory() > 24 * nodes && this_machine().memory > 24 * nodes)
    for (const int order : {2, 4, 6, 8}) {
      run.doing(fmt::format("order {} on {}", order, name));
      const double rate = march_rate(order, true, {1024, 1024, 1024}, worker, budget, "auto", Edges::sponge, used);
      sink({fmt::format("run on {}, order {}, varying c, 1024³, sponges, source, 100 receivers", used, order), rate / 1e9, "Gcells/s",
            rate * 16 / 4.3e12, order == 2 ? 900.0 : order == 8 ? 350.0 : 220.0, "16 B a cell at 4.3 TB/s", "instructions, second cache"});
    }
  for (const int order : {2, 4, 8}) {
    run.doing(fmt::format("order {} on {}", order, name));
    const double rate = march_rate(order, true, points, worker, budget, "auto", Edges::sponge, used);
    sink({fmt::format("run on {}, order {}, varying c, {} x {}², sponges, source, 100 receivers", used, order, 4 * n, n), rate / 1e9, "Gcells/s",
          rate * 16 / 4.3e12, 220, "16 B a cell at 4.3 TB/s", "instructions, second cache"});
    const double single = march_rate(order, true, points, worker, budget, "stepwise 8", Edges::sponge, used);
    sink({fmt::format("the same step by step, order {}", order), single / 1e9, "Gcells/s", single * 16 / 4.3e12, 220,
          "16 B a cell at 4.3 TB/s", "bandwidth"});
    const Bytes whole = static_cast<Bytes>(12 * 4 * n * n * n);
    for (const int share : {2, 3}) {  // nine tenths are promised for half of the memory; less of it leaves shorter pieces
      run.doing(fmt::format("streaming, order {} on {}", order, name));
      const double streamed = march_rate(order, true, points, worker, budget, "auto", Edges::sponge, used, whole / static_cast<Bytes>(share));
      sink({fmt::format("order {} with {} of the memory ({})", order, share == 2 ? "half" : "a third", used), streamed / 1e9, "Gcells/s",
            streamed / rate, share == 2 ? 0.9 * rate / 1e9 : 0, "the run in core", "planes computed twice"});
    }
  }
}

}  // namespace

Status bench_table(const TestRun& run, const BenchSink& sink) {
  const Machine machine = this_machine();
  // Three arrays must not fit in the last cache, nor take more than a quarter of what is free.
  Index n = run.quick ? 384 : 512;
  while (n > 96 && static_cast<Bytes>(12 * n * n * n) > machine.free_memory / 3) n -= 32;
  const int threads = std::max(1, run.threads);
  const double budget = run.quick ? 1 : 4;
  run.doing("memory bandwidth");
  const WorkerSpec processors{"cpu", threads, 1};
  // A neighbour on the machine can halve it for a while, as it can the rates: the best of several moments counts, of both.
  double limit = 0;
  std::string roof;
  const auto gigacells = [](double rate) { return rate / 1e9; };
  const auto measure_memory = [&] {
    limit = std::max(limit, memory_limit(n * n * n, threads, budget / 2));
    roof = fmt::format("memory limit of a stepwise march, {:.2f} Gcells/s", gigacells(limit));
  };
  measure_memory();
  std::string used;
  for (const int order : {2, 8}) {
    run.doing(fmt::format("stepwise, order {}", order));
    const double step = march_rate(order, true, {n, n, n}, processors, budget, order == 2 ? "stepwise 64" : "stepwise 32", Edges::sponge, used);
    // The promise: two cores with about 54 GB/s reach 8 and 4 Gcells/s, that is 2.3 and 1.2 times the limit of a stepwise march. Where
    // memory is slower or faster the second says more.
    run.doing(fmt::format("tiled, order {}", order));
    const double tiled = march_rate(order, true, {n, n, n}, processors, budget, "auto", Edges::sponge, used);
    run.doing("memory bandwidth");
    measure_memory();
    sink({fmt::format("memory, 16 B a cell in place, best until after order {}", order), limit * 16 / 1e9, "GB/s", 1, 0, "itself", "bandwidth"});
    sink({fmt::format("stepwise, order {}, varying c, {}^3", order, n), gigacells(step), "Gcells/s", step / limit, 0, roof,
          order == 2 ? "bandwidth" : "bandwidth, loads"});
    sink({fmt::format("tiled, order {}, varying c, {}^3, sponges, source, 100 receivers ({})", order, n, used), gigacells(tiled),
          "Gcells/s", tiled / limit, order == 2 ? 8.0 : 4.0, roof, order == 2 ? "second and last cache" : "last cache and memory"});
    sink({fmt::format("the same over the limit of a stepwise march, order {}", order), tiled / limit, "times", tiled / limit,
          order == 2 ? 2.3 : 1.2, roof, "as above"});
    if (run.quick) continue;
    run.doing(fmt::format("without layers, order {}", order));
    const std::string chosen = used;
    const double bare = march_rate(order, true, {n, n, n}, processors, budget, chosen, Edges::closed, used);
    sink({fmt::format("tiled, order {}, rigid box, no points", order), gigacells(bare), "Gcells/s", bare / limit, 0, roof, "as above"});
    // Layers, sources and receivers may cost a tenth.
    sink({fmt::format("tiled, order {}, sponges, source, 100 receivers, against the rigid box", order), gigacells(tiled), "Gcells/s",
          tiled / bare, gigacells(0.9 * bare), "the rigid box", "rows of the layers"});
    run.doing(fmt::format("matched layers, order {}", order));
    const double matched = march_rate(order, true, {n, n, n}, processors, budget, chosen, Edges::matched, used);
    sink({fmt::format("tiled, order {}, matched layers of {} nodes, source, receivers", order, safe_matched_width(order)),
          gigacells(matched), "Gcells/s", matched / bare, gigacells(0.9 * bare), "the rigid box", "memory of the layers"});
    run.doing(fmt::format("towers, order {}", order));
    const double tower = march_rate(order, true, {n, n, n}, processors, budget, order == 2 ? "tower 16x32" : "tower 32x16", Edges::sponge, used);
    sink({fmt::format("DiamondTorre, order {}, sponges, source, receivers ({})", order, used), gigacells(tower), "Gcells/s",
          tower / limit, 0, roof, "as above"});
  }
  device_rows(run, sink);
  return {};
}

}  // namespace conoid::acoustic_fd
