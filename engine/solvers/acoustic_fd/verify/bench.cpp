// SPDX-License-Identifier: BSD-3-Clause
// Rates of the march against the memory bandwidth measured in the same run.
#include "engine/solvers/acoustic_fd/kernels/patch.hpp"
#include "engine/solvers/acoustic_fd/stepping/planes_phase.hpp"
#include "engine/solvers/acoustic_fd/verify/bench_rows.hpp"
#include "engine/solvers/acoustic_fd/verify/timed_march.hpp"
#include "engine/solvers/acoustic_fd/verify/verify.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

/// Of a step of a stepwise march with three solids: levels and medium, and each memory read and written.
constexpr double attenuated_bytes = 16 + 3 * 8;

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
    // memory is slower or faster the second says more. Of 16 threads 3 and 1.
    const bool many = threads >= 8;
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
          gigacells(tiled.best()), "Gcells/s", over_best(tiled.best()),
          threads != 2 ? 0.0
          : order == 2 ? 8.0
                       : 4.0,
          roof, order == 2 ? "second and last cache" : "last cache and memory"});
    const double times = tiled.over(roofs);
    sink({fmt::format("the same over the limit of a stepwise march, order {}, in turns", order), times, "times", times,
          many         ? (order == 2 ? 3.0 : 1.0)
          : order == 2 ? 2.3
                       : 1.2,
          "that limit a moment before", "as above"});
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

/// Marches whose nodes keep three memories beside their levels, under a roof of their own: these are read and written, too.
void attenuation_rows(const TestRun& run, const BenchSink& sink) {
  Index n = run.quick ? 256 : 384;
  while (n > 96 && static_cast<Bytes>(24 * n * n * n) > run.free_memory / 4) n -= 32;
  const int threads = std::max(1, run.threads);
  run.doing("memory bandwidth");
  MemoryRoof memory(n * n * n, threads);
  const double roof = memory.measure(0.3) * 16 / attenuated_bytes;
  for (const int order : {2, 8}) {
    const std::string row = fmt::format("attenuation, order {}: ", order);
    if (!run.may_want(row)) continue;
    double plain = 0;
    for (const bool lossy : {false, true}) {
      run.doing(row + (lossy ? "constant Q" : "without"));
      std::string used;
      const double rate = march_rate(order, {n, n, n}, WorkerSpec{"cpu", threads, 1}, run.quick ? 0.5 : 2, "auto",
                                     Edges::sponge, used, 0, {false, false, false, lossy});
      if (!lossy) plain = rate;
      sink({row + (lossy ? fmt::format("constant Q by three solids, {}^3 ({})", n, used)
                         : fmt::format("none, {}^3 ({})", n, used)),
            rate / 1e9, "Gcells/s", lossy ? rate / roof : 1, 0,
            lossy ? fmt::format("{:g} B a cell of a stepwise march, {:.2f} Gcells/s; {:.2f} of none", attenuated_bytes,
                                roof / 1e9, rate / plain)
                  : "itself",
            lossy ? "bandwidth, caches" : "caches"});
    }
  }
}

/// Updates a second of so many threads that compute patches of their own, all of whose rows stay in their second caches: what no tiling of so many
/// threads can exceed, as it counts neither memory nor the last cache, only cores, their threads and their clock.
double kernel_rate(int order, int threads, double budget) {
  const int s = order / 2;
  constexpr Index nx = 8, ny = 16, nz = 128;
  const Layout at(0, nx, ny, nz, s);
  Stencil stencil = stencil_of_order(order);
  const RowWeights<float> weights = row_weights<float>(stencil, {1, 1, 1});
  const PatchFunction<float> update =
      patch_kernels<float>("auto", this_machine())->order[s - 1]->update[0][static_cast<int>(Cells::plain)];
  std::vector<double> rates(static_cast<std::size_t>(threads), 0.0);
  Team team(std::vector{WorkerSpec{"cpu", threads, 1}});
  PlanesPhase phase("kernel", {0, threads}, 0, [&](Index n) {
    Block<float> level[2]{Block<float>(at.count), Block<float>(at.count)}, medium(at.count);
    std::fill_n(level[0].data(), at.count, 1e-3F);
    std::fill_n(level[1].data(), at.count, 1e-3F);
    std::fill_n(medium.data(), at.count, 0.1F);
    Patch<float> patch;
    patch.stride_x = patch.a_stride_x = at.stride_x;
    patch.stride_y = patch.a_stride_y = at.stride_y;
    patch.a = medium.data() + at.origin;
    patch.nx = nx;
    patch.ny = ny;
    patch.z1 = patch.core1 = nz;
    patch.weights = &weights;
    Index updates = 0;
    const auto begin = Clock::now();
    double seconds = 0;
    do {
      for (int k = 0; k < 64; ++k) {
        patch.u = level[k & 1].data() + at.origin;
        patch.o = level[1 - (k & 1)].data() + at.origin;
        update(patch);
      }
      updates += 64 * nx * ny * nz;
      seconds = seconds_since(begin);
    } while (seconds < budget);
    rates[static_cast<std::size_t>(n)] = static_cast<double>(updates) / seconds;
  });
  team.run(phase);
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

/// Tiled marches by 1, 2, 4 … threads, each with the tiling that it finds best. Of 32 whole cores five eighths are asked for.
void scaling_rows(const TestRun& run, const BenchSink& sink) {
  if (run.quick || run.threads < 2) return;
  Index n = 384;
  while (n > 96 && static_cast<Bytes>(12 * n * n * n) > run.free_memory / 4) n -= 32;
  for (const int order : {2, 8}) {
    double one = 0, one_kernel = 0;
    for (int threads = 1;; threads = std::min(2 * threads, run.threads)) {
      const std::string who = fmt::format("{} thread{}", threads, threads > 1 ? "s" : ""),
                        kernel_row = fmt::format("scaling, order {}, kernel in the second cache: {}", order, who),
                        row = fmt::format("scaling, order {}, {}^3: {}", order, n, who);
      const auto wanted = [&](const std::string& name) { return threads == 1 || run.may_want(name); };
      double kernel = 0;
      if (wanted(kernel_row)) {
        run.doing(kernel_row);
        kernel = kernel_rate(order, threads, 0.3);
        if (threads == 1) one_kernel = kernel;
        sink({kernel_row, kernel / 1e9, "Gcells/s", kernel / one_kernel, 0, "one thread", "cores, clock"});
      }
      if (wanted(row)) {
        run.doing(row);
        std::string used;
        const double rate = march_rate(order, {n, n, n}, WorkerSpec{"cpu", threads, 1}, 2, "auto", Edges::sponge, used);
        if (threads == 1) one = rate;
        sink({row, rate / 1e9, "Gcells/s", rate / one, threads > 1 ? 0.625 * threads * one / 1e9 : 0, "one thread",
              used});
        if (threads == run.threads && used.starts_with("diamond") && used.find('/') == std::string::npos) {
          std::string same;
          const double waiting =
              march_rate(order, {n, n, n}, WorkerSpec{"cpu", threads, 1}, 2, used + "/99999", Edges::sponge, same);
          sink({row + ", each row of diamonds after the one before", waiting / 1e9, "Gcells/s", waiting / rate, 0,
                "rows that follow each other", "threads that wait"});
        }
      }
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
  if (may_want({"attenuation, "})) attenuation_rows(run, sink);
  bench_devices(run, sink);
  return {};
}

}  // namespace conoid::acoustic_fd
