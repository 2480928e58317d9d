// SPDX-License-Identifier: BSD-3-Clause
// Rates of the march against the memory bandwidth measured in the same run.
#include "engine/solvers/acoustic_fd/verify/timed_march.hpp"
#include "engine/solvers/acoustic_fd/verify/verify.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/team/device.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// Marches whose bands take turns, so that a neighbour on the machine, who can halve the rates for a while, is there for all of them.
struct Contender {
  std::unique_ptr<TimedMarch> march;
  std::vector<double> rates{};
  [[nodiscard]] double best() const { return *std::max_element(rates.begin(), rates.end()); }
  /// Median of the ratios to `others` of the same rounds.
  [[nodiscard]] double over(const std::vector<double>& others) const {
    std::vector<double> ratios(rates.size());
    for (std::size_t i = 0; i < rates.size(); ++i) ratios[i] = rates[i] / others[i];
    std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
    return ratios[ratios.size() / 2];
  }
};

/// What users switch on beside the same with sponges, equal spacings and one density, of which it may cost an eighth.
void switched_rows(const TestRun& run, const BenchSink& sink) {
  const auto found = devices_of(run);
  if (found.empty()) return;  // no device, no rows
  const auto& [worker_name, info] = found.front();
  const auto device = open_device(run, worker_name);
  // What a device holds with room to spare: 24 B a node of it, 16 B of the host.
  const Bytes nodes = Bytes{1} << 30;
  if (device.free_memory() < 28 * nodes || run.free_memory < 28 * nodes) return;
  const std::string name = info.name;
  const WorkerSpec worker{worker_name, std::max(1, run.threads), 1, worker_name, 0};
  const std::array<Index, 3> points{1024, 1024, 1024};
  const double budget = run.quick ? 1 : 3;
  struct Turn {
    const char* what;
    Edges edges;
    Switched on;
  };
  for (const int order : {2, 4, 6, 8}) {
    double sponges = 0;
    for (const Turn& turn : {Turn{"sponges", Edges::sponge, {}}, Turn{"matched layers", Edges::matched, {}},
                             Turn{"unequal spacings, sponges", Edges::sponge, {false, true}},
                             Turn{"density, sponges", Edges::sponge, {true, false}},
                             Turn{"unequal spacings and density, matched layers", Edges::matched, {true, true}}}) {
      const std::string row = fmt::format("panels, order {}: {}", order, turn.what);
      const bool first = sponges == 0;
      if (!run.may_want(row) && !first) continue;
      run.doing(fmt::format("{} on {}", row, name));
      std::string used;
      const double rate = march_rate(order, points, worker, budget, "auto", turn.edges, used, 0, turn.on);
      if (first) sponges = rate;
      sink({row, rate / 1e9, "Gcells/s", rate / sponges, first ? 0 : 0.88 * sponges / 1e9,
            "sponges, equal spacings, one density", used});
    }
  }
}

/// Devices of one host that share the rows of a grid which one of them holds.
void shared_rows(const TestRun& run, const BenchSink& sink) {
  const auto found = devices_of(run);
  const Bytes nodes = Bytes{1} << 30;
  if (found.size() < 2 || found.front().info.free_memory < 24 * nodes || run.free_memory < 24 * nodes) return;
  for (const int order : {2, 4, 6, 8})
    for (const Edges edges : {Edges::sponge, Edges::matched}) {
      const std::string row =
          fmt::format("devices, order {}: {}", order, edges == Edges::matched ? "matched layers, " : "");
      if (!run.may_want(row)) continue;
      double one = 0;
      for (std::size_t count = 1; count <= found.size(); count *= 2) {
        run.doing(fmt::format("{}{} of {}", row, count, found.front().info.name));
        std::vector<WorkerSpec> workers;
        for (std::size_t d = 0; d < count; ++d) {
          const std::string& device = found[d].name;
          workers.push_back({device, std::max(1, run.threads / static_cast<int>(count)), 1, device, 0});
        }
        TimedMarch march(order, {1024, 1024, 1024}, std::move(workers), "auto", edges);
        const double rate = march.best(run.quick ? 1 : 3);
        if (count == 1) one = rate;
        sink({fmt::format("{}{}", row, count), rate / 1e9, "Gcells/s", rate / one,
              count > 1 ? 0.9 * static_cast<double>(count) * one / 1e9 : 0, "one", march.tiling()});
      }
    }
}

/// Rows of energy of a grid on a device, beside what reading both levels and the medium once takes.
void energy_rows_of_devices(const TestRun& run, const BenchSink& sink) {
  const auto found = devices_of(run);
  const Bytes nodes = Bytes{1} << 30;
  if (found.empty() || found.front().info.free_memory < 24 * nodes || run.free_memory < 24 * nodes) return;
  const auto& [worker_name, info] = found.front();
  for (const int order : {2, 4, 8, 12}) {
    const std::string row = fmt::format("energies, order {}", order);
    if (!run.may_want(row)) continue;
    run.doing(fmt::format("{} on {}", row, info.name));
    TimedMarch march(order, {1024, 1024, 1024}, {{worker_name, std::max(1, run.threads), 1, worker_name, 0}}, "auto",
                     Edges::sponge);
    (void)march.best(0);
    const double rate = march.energies(run.quick ? 0.5 : 2), limit = 3.5e12 / 12;
    sink({row, rate / 1e9, "Gcells/s", rate / limit, 0.7 * limit / 1e9, "12 B a cell at 3.5 TB/s", "bandwidth"});
  }
}

/// A run as a case makes it, on a device; in core, then with so little memory that planes are streamed from the host.
void device_rows(const TestRun& run, const BenchSink& sink) {
  const auto found = devices_of(run);
  if (found.empty()) return;  // no device, no rows
  const auto& [worker_name, info] = found.front();
  const auto device = open_device(run, worker_name);
  // Long along x, as grids are that do not fit: what a device takes turns with is planes, and it needs many of them.
  const Index n = run.quick ? 512 : 768;
  const std::array<Index, 3> points{4 * n, n, n};
  const std::string name = info.name;
  const WorkerSpec worker{worker_name, std::max(1, run.threads), 1, worker_name, 0};
  const double budget = run.quick ? 1 : 3;
  std::string used;
  // What a device holds with room to spare: 20 B a node of it, 12 B of the host.
  const Bytes nodes = Bytes{1} << 30;
  if (device.free_memory() > 24 * nodes && run.free_memory > 24 * nodes)
    for (const int order : {2, 4, 6, 8}) {
      run.doing(fmt::format("order {} on {}", order, name));
      const double rate = march_rate(order, {1024, 1024, 1024}, worker, budget, "auto", Edges::sponge, used);
      sink({fmt::format("run on {}, order {}, varying c, 1024³, sponges, source, 100 receivers", used, order),
            rate / 1e9, "Gcells/s", rate * 16 / 4.3e12,
            order == 2   ? 900.0
            : order == 8 ? 350.0
                         : 220.0,
            "16 B a cell at 4.3 TB/s", "instructions, second cache"});
      // What a face is without a word; 0.88 of the rate with sponges is asked for.
      run.doing(fmt::format("matched layers, order {} on {}", order, name));
      const double matched = march_rate(order, {1024, 1024, 1024}, worker, budget, "auto", Edges::matched, used);
      sink({fmt::format("run on {}, order {}, varying c, 1024³, matched layers of {} nodes, source, 100 receivers",
                        used, order, safe_matched_width(order)),
            matched / 1e9, "Gcells/s", matched / rate, 0.88 * rate / 1e9, "the same with sponges",
            "cells beside the layers step by step"});
      const double single = march_rate(order, {1024, 1024, 1024}, worker, budget, "stepwise 8", Edges::matched, used);
      sink({fmt::format("run on {}, order {}, matched layers, step by step", used, order), single / 1e9, "Gcells/s",
            single * 16 / 4.3e12, 0, "16 B a cell at 4.3 TB/s", "bandwidth"});
    }
  for (const int order : {2, 4, 8}) {
    run.doing(fmt::format("order {} on {}", order, name));
    const double rate = march_rate(order, points, worker, budget, "auto", Edges::sponge, used);
    sink(
        {fmt::format("run on {}, order {}, varying c, {} x {}², sponges, source, 100 receivers", used, order, 4 * n, n),
         rate / 1e9, "Gcells/s", rate * 16 / 4.3e12, 220, "16 B a cell at 4.3 TB/s", "instructions, second cache"});
    const double single = march_rate(order, points, worker, budget, "stepwise 8", Edges::sponge, used);
    sink({fmt::format("the same step by step, order {}", order), single / 1e9, "Gcells/s", single * 16 / 4.3e12, 220,
          "16 B a cell at 4.3 TB/s", "bandwidth"});
    const Bytes whole = static_cast<Bytes>(12 * 4 * n * n * n);
    for (const int share :
         {2, 3}) {  // nine tenths are promised for half of the memory; less of it leaves shorter pieces
      run.doing(fmt::format("streaming, order {} on {}", order, name));
      const double streamed =
          march_rate(order, points, worker, budget, "auto", Edges::sponge, used, whole / static_cast<Bytes>(share));
      sink({fmt::format("order {} with {} of the memory ({})", order, share == 2 ? "half" : "a third", used),
            streamed / 1e9, "Gcells/s", streamed / rate, share == 2 ? 0.9 * rate / 1e9 : 0, "the run in core",
            "planes computed twice"});
    }
  }
}

void processor_rows(const TestRun& run, const BenchSink& sink) {
  // Four times three arrays must not fit in the last cache, but in half of the memory that is free.
  Index n = run.quick ? 384 : 512;
  while (n > 96 && static_cast<Bytes>(12 * n * n * n) > run.free_memory / (run.quick ? 3 : 8)) n -= 32;
  const int threads = std::max(1, run.threads);
  const double budget = run.quick ? 1 : 4;
  const WorkerSpec processors{"cpu", threads, 1};
  run.doing("memory bandwidth");
  MemoryRoof memory(n * n * n, threads);
  const auto gigacells = [](double rate) { return rate / 1e9; };
  for (const int order : {2, 8}) {
    run.doing(fmt::format("stepwise, order {}", order));
    std::string used;
    const double step = march_rate(order, {n, n, n}, processors, budget, order == 2 ? "stepwise 64" : "stepwise 32",
                                   Edges::sponge, used);
    // The promise: two cores with about 54 GB/s reach 8 and 4 Gcells/s, that is 2.3 and 1.2 times the limit of a stepwise march. Where
    // memory is slower or faster the second says more.
    run.doing(fmt::format("tiled, order {}", order));
    Contender tiled{std::make_unique<TimedMarch>(order, std::array<Index, 3>{n, n, n}, std::vector{processors}, "auto",
                                                 Edges::sponge)},
        closed, matched;
    (void)tiled.march->best(0);  // chooses
    const std::string chosen = tiled.march->tiling();
    std::vector<Contender*> all{&tiled};
    if (!run.quick) {
      closed.march = std::make_unique<TimedMarch>(order, std::array<Index, 3>{n, n, n}, std::vector{processors}, chosen,
                                                  Edges::closed);
      matched.march = std::make_unique<TimedMarch>(order, std::array<Index, 3>{n, n, n}, std::vector{processors},
                                                   chosen, Edges::matched);
      all.insert(all.end(), {&closed, &matched});
      for (Contender* one : all) (void)one->march->band();
    }
    std::vector<double> roofs;
    const auto begin = Clock::now();
    do {
      roofs.push_back(memory.measure(0));
      for (Contender* one : all) one->rates.push_back(one->march->band());
    } while (roofs.size() < (run.quick ? 3 : 5) || seconds_since(begin) < budget * static_cast<double>(all.size()));
    const std::string roof =
        fmt::format("memory limit of a stepwise march, {:.2f} Gcells/s at best", gigacells(memory.best()));
    const auto over_best = [&](double rate) { return rate / memory.best(); };
    sink({fmt::format("memory, 16 B a cell in place, best until after order {}", order), memory.best() * 16 / 1e9,
          "GB/s", 1, 0, "itself", "bandwidth"});
    sink({fmt::format("stepwise, order {}, varying c, {}^3", order, n), gigacells(step), "Gcells/s", over_best(step), 0,
          roof, order == 2 ? "bandwidth" : "bandwidth, loads"});
    sink({fmt::format("tiled, order {}, varying c, {}^3, sponges, source, 100 receivers ({})", order, n, chosen),
          gigacells(tiled.best()), "Gcells/s", over_best(tiled.best()), order == 2 ? 8.0 : 4.0, roof,
          order == 2 ? "second and last cache" : "last cache and memory"});
    const double times = tiled.over(roofs);
    sink({fmt::format("the same over the limit of a stepwise march, order {}, in turns", order), times, "times", times,
          order == 2 ? 2.3 : 1.2, "that limit a moment before", "as above"});
    if (run.quick) continue;
    sink({fmt::format("tiled, order {}, rigid box, no points", order), gigacells(closed.best()), "Gcells/s",
          over_best(closed.best()), 0, roof, "as above"});
    // Layers, sources and receivers may cost a tenth.
    const double sponges = tiled.over(closed.rates), layers = matched.over(closed.rates);
    sink({fmt::format("tiled, order {}, sponges, source, 100 receivers, over the rigid box, in turns", order), sponges,
          "times", sponges, 0.9, "the rigid box", "rows of the layers"});
    sink({fmt::format("tiled, order {}, matched layers of {} nodes, source, receivers", order,
                      safe_matched_width(order)),
          gigacells(matched.best()), "Gcells/s", over_best(matched.best()), 0, roof, "memory of the layers"});
    sink({fmt::format("the same over the rigid box, order {}, in turns", order), layers, "times", layers, 0.9,
          "the rigid box", "memory of the layers"});
    run.doing(fmt::format("towers, order {}", order));
    const double tower = march_rate(order, {n, n, n}, processors, budget, order == 2 ? "tower 16x32" : "tower 32x16",
                                    Edges::sponge, used);
    sink({fmt::format("DiamondTorre, order {}, sponges, source, receivers ({})", order, used), gigacells(tower),
          "Gcells/s", over_best(tower), 0, roof, "as above"});
  }
}

/// Tiled marches by 1, 2, 4 … threads, each with the tiling that it finds best. Of 32 whole cores five eighths are asked for.
void scaling_rows(const TestRun& run, const BenchSink& sink) {
  if (run.quick || run.threads < 2) return;
  Index n = 512;
  while (n > 96 && static_cast<Bytes>(12 * n * n * n) > run.free_memory / 4) n -= 32;
  for (const int order : {2, 8}) {
    double one = 0;
    for (int threads = 1;; threads = std::min(2 * threads, run.threads)) {
      const std::string row =
          fmt::format("scaling, order {}, {}^3: {} thread{}", order, n, threads, threads > 1 ? "s" : "");
      if (!run.may_want(row) && threads > 1) break;
      run.doing(row);
      std::string used;
      const double rate = march_rate(order, {n, n, n}, WorkerSpec{"cpu", threads, 1}, 2, "auto", Edges::sponge, used);
      if (threads == 1) one = rate;
      sink(
          {row, rate / 1e9, "Gcells/s", rate / one, threads > 1 ? 0.625 * threads * one / 1e9 : 0, "one thread", used});
      if (threads == run.threads) break;
    }
  }
}

}  // namespace

Status bench_table(const TestRun& run, const BenchSink& sink) {
  const auto may_want = [&](std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) { return run.may_want(one); });
  };
  if (may_want({"memory, ", "stepwise, ", "tiled, ", "the same over ", "DiamondTorre, "})) processor_rows(run, sink);
  if (may_want({"scaling, "})) scaling_rows(run, sink);
  if (may_want({"run on ", "the same step by step", "order "})) device_rows(run, sink);
  if (may_want({"panels, "})) switched_rows(run, sink);
  if (may_want({"devices, "})) shared_rows(run, sink);
  if (may_want({"energies, "})) energy_rows_of_devices(run, sink);
  return {};
}

}  // namespace conoid::acoustic_fd
