// SPDX-License-Identifier: BSD-3-Clause
// The figures of results of A. Perepelkina and V. Levchenko, "DiamondTorre algorithm for high-performance wave modeling" (2015), Figs. 9 to 12:
// what the source says of them in words, its bounds, and the rates of this machine's processors and devices.
//
// Its text gives few of the values that it plots: "over 50 billions cells per second" at most (Fig. 11, N_O = 2, DTS = 6, N_t = 96), and that the rate at
// DTS = 1 is the same at orders 2 to 8 (Fig. 12, Maxwell). Those are the published numbers here. As there: one speed, two levels in single
// precision, closed faces, no points. A tower of processors has the width D = 2 s DTS, s = N_O/2; devices have DTS 3 to 5 at order 2. Above that
// a tile of 2 s² DTS² cells and both their levels, in the registers of one thread, leave DTS 2 at order 4 and 1 at orders 6 and 8 (README), where panels
// move fewer bytes.
#include "engine/solvers/acoustic_fd/verify/timed_march.hpp"
#include "engine/solvers/acoustic_fd/verify/verify.hpp"
#include "engine/team/device.hpp"

#include <algorithm>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr Switched one_speed{false, false, true};
constexpr double largest_published = 50;  ///< Gcells/s

/// The source's (5): updates a value moved, of a row of towers.
double locality(Index dts, Index steps) {
  const auto d = static_cast<double>(dts), n = static_cast<double>(steps) / (2 * d);
  return d * n / (n * (4 - 1 / d) + 2 - 2 / d + 1 / (d * d));
}
constexpr double stepwise_locality = 1.0 / 3;

class Figures {
 public:
  Figures(const TestRun& run, const BenchSink& row)
      : run_(run), row_(row), threads_(std::max(1, run.threads)), budget_(run.quick ? 0.3 : 2), side_(side_of(run)) {
    if (const auto device = Device::open("cuda");
        device && device->free_memory() > Bytes{20} << 30 && run.free_memory > Bytes{20} << 30) {
      device_name_ = device->info().name;
      device_bandwidth_ = device->info().bandwidth;
    }
  }

  /// Rates under the roof of the bandwidth at the locality of each algorithm.
  void figure_10() {
    if (!run_.may_want("Fig. 10")) return;
    constexpr Index steps = 100;
    run_.doing("memory bandwidth");
    MemoryRoof memory(side_ * side_ * side_, threads_);
    const double values = 4 * memory.measure(budget_);  // a second: a pass moves four of a cell
    const auto point = [&](const std::string& name, const Rate& rate, double place, double values_a_second) {
      const double roof = values_a_second * place;
      emit(name, rate.cells / 1e9, roof > 0 ? rate.cells / roof : 0,
           fmt::format("{:.3g} Gcells/s at a locality of {:.3f}", roof / 1e9, place), rate.used, 0);
    };
    point(fmt::format("Fig. 10: stepwise, {}", processors(threads_)), of_processors(2, "stepwise 64", threads_),
          stepwise_locality, values);
    for (Index dts = 1; dts <= 6; ++dts)
      point(fmt::format("Fig. 10: DTS {}, {}", dts, processors(threads_)),
            of_processors(2, tower(2, dts, steps), threads_), locality(dts, steps), values);
    if (device_name_.empty()) return;
    point(fmt::format("Fig. 10: stepwise, {}", device_name_), of_device(2, "stepwise 8"), stepwise_locality,
          device_bandwidth_ / 4);
    for (Index dts = 3; dts <= 5; ++dts)
      point(fmt::format("Fig. 10: DTS {}, {}", dts, device_name_), of_device(2, tower(2, dts, 8 * dts)),
            locality(dts, 8 * dts), device_bandwidth_ / 4);
    for (const Index height : {8, 16})
      point(fmt::format("Fig. 10: DTS 4, N_t {}, {}", height, device_name_), of_device(2, tower(2, 4, height)),
            locality(4, height), device_bandwidth_ / 4);
  }

  /// The calculation window of section 3: what is left of the rate where half of what the field takes has room on the device.
  void figure_9() {
    if (!run_.may_want("Fig. 9") || device_name_.empty()) return;
    const Index n = run_.quick ? 512 : 640;
    const std::array<Index, 3> points{4 * n, n, n};
    for (const int order : {2, 8}) {
      const Rate whole = of_device(order, "auto", points),
                 half = of_device(order, "auto", points, static_cast<Bytes>(4 * 4 * n * n * n));
      emit(fmt::format("Fig. 9: window, half of the memory, N_O {}, {}", order, device_name_), half.cells / 1e9,
           half.cells / whole.cells, "all of the memory", half.used, 0);
    }
  }

  /// Strong scaling.
  void figure_11() {
    if (!run_.may_want("Fig. 11")) return;
    double one = 0;
    for (int threads = 1;; threads = std::min(2 * threads, threads_)) {
      const Rate rate = of_processors(2, tower(2, 6, 96), threads);
      if (threads == 1) one = rate.cells;
      emit(fmt::format("Fig. 11: DTS 6, {}", processors(threads)), rate.cells / 1e9, rate.cells / (one * threads),
           "as many times one thread", rate.used, threads == threads_ ? largest_published : 0);
      if (threads >= threads_) break;
    }
    if (device_name_.empty()) return;
    for (const char* tiling : {"tower 8x32", "auto"}) {
      const Rate rate = of_device(2, tiling);
      emit(fmt::format("Fig. 11: {}, {}", tiling == std::string("auto") ? "panels" : "DTS 4", device_name_),
           rate.cells / 1e9, rate.cells / 1e9 / largest_published, "the source's largest", rate.used,
           largest_published);
    }
  }

  /// Orders and DTS.
  void figure_12() {
    if (!run_.may_want("Fig. 12")) return;
    double first = 0;
    for (const auto& [order, dts] :
         {std::pair{2, 1}, {4, 1}, {6, 1}, {8, 1}, {2, 2}, {2, 4}, {2, 6}, {4, 2}, {4, 3}, {6, 2}, {8, 2}}) {
      const Rate rate = of_processors(order, tower(order, dts, 96), threads_);
      if (first == 0) first = rate.cells;
      const std::string name = fmt::format("Fig. 12: N_O/DTS {}/{}", order, dts);
      emit(fmt::format("{}, {}", name, processors(threads_)), rate.cells / 1e9, rate.cells / first, "2/1", rate.used,
           0);
      if (dts != 1 || order == 2) continue;
      // On Maxwell "the calculation rate is constant".
      BenchRow row{name + " over 2/1", rate.cells / first, "1", rate.cells / first, 0, "the source's", rate.used};
      row.published = 1;
      row_(std::move(row));
    }
    if (device_name_.empty()) return;
    for (const int order : {2, 4, 6, 8}) {
      const Rate rate = of_device(order, "auto");
      emit(fmt::format("Fig. 12: N_O {}, panels, {}", order, device_name_), rate.cells / 1e9, 0, "", rate.used, 0);
    }
  }

 private:
  struct Rate {
    double cells = 0;  ///< a second
    std::string used;
  };
  /// Of the grid for processors: two levels must not fit in the last cache, but well in memory.
  static Index side_of(const TestRun& run) {
    Index side = run.quick ? 192 : 512;
    while (side > 96 && static_cast<Bytes>(12 * side * side * side) > run.free_memory / 4) side -= 32;
    return side;
  }
  static std::string processors(int threads) { return fmt::format("{} thread{}", threads, threads > 1 ? "s" : ""); }
  static std::string tower(int order, Index dts, Index steps) { return fmt::format("tower {}x{}", order * dts, steps); }
  void emit(std::string name, double gigacells, double ratio, std::string against, std::string used, double published) {
    BenchRow row{std::move(name), gigacells, "Gcells/s", ratio, 0, std::move(against), std::move(used)};
    row.published = published;
    row_(std::move(row));
  }
  Rate of_processors(int order, const std::string& tiling, int threads) {
    run_.doing(fmt::format("order {}, {}, {} threads", order, tiling, threads));
    Rate rate;
    rate.cells = march_rate(order, {side_, side_, side_}, WorkerSpec{"cpu", threads, 1}, budget_, tiling, Edges::closed,
                            rate.used, 0, one_speed);
    return rate;
  }
  Rate of_device(int order, const std::string& tiling, const std::array<Index, 3>& points = {1024, 1024, 1024},
                 Bytes memory = 0) {
    run_.doing(fmt::format("order {}, {} on {}", order, tiling, device_name_));
    Rate rate;
    rate.cells = march_rate(order, points, WorkerSpec{"cuda:0", threads_, 1, "cuda:0", 0}, budget_, tiling,
                            Edges::closed, rate.used, memory, one_speed);
    return rate;
  }

  const TestRun& run_;
  const BenchSink& row_;
  int threads_;
  double budget_;
  Index side_;
  std::string device_name_;
  double device_bandwidth_ = 0;  ///< by its data sheet
};

}  // namespace

Status paper_table(const TestRun& run, const BenchSink& row) {
  try {
    Figures figures(run, row);
    figures.figure_9();
    figures.figure_10();
    figures.figure_11();
    figures.figure_12();
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

}  // namespace conoid::acoustic_fd
