// SPDX-License-Identifier: BSD-3-Clause
// Marches and passes over memory that are timed: what `conoid bench acoustic-fd` and its tables of the source share.
#pragma once

#include "engine/solvers/acoustic_fd/discretization/attenuation.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/solvers/acoustic_fd/stepping/storage.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace conoid::acoustic_fd {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Passes of o = u + u − o + a: the traffic of a step without its stencil.
class MemoryRoof {
 public:
  MemoryRoof(Index cells, int threads)
      : cells_(cells), grain_(std::max<Index>(1, cells / (8 * threads))), worker_(threads), u_(cells), o_(cells + line),
        a_(cells + 2 * line) {
    each_part([](Interval some, float* u, float* o, float* a) {
      std::fill(u + some.begin, u + some.end, 1.0F);
      std::fill(o + some.begin, o + some.end, 1.0F);
      std::fill(a + some.begin, a + some.end, 0.0F);
    });
  }
  /// Cells per second, best of some passes; at least two.
  double measure(double budget) {
    double best = 0;
    int passes = 0;
    const auto begin = Clock::now();
    do {
      const auto start = Clock::now();
      each_part([](Interval some, const float* __restrict u, float* __restrict o, const float* __restrict a) {
        for (Index i = some.begin; i < some.end; ++i) o[i] = (u[i] + u[i]) - o[i] + a[i];
      });
      best = std::max(best, static_cast<double>(cells_) / seconds_since(start));
    } while (++passes < 2 || seconds_since(begin) < budget);
    best_ = std::max(best_, best);
    return best;
  }
  [[nodiscard]] double best() const { return best_; }

 private:
  // A line apart modulo a page: arrays of 512³, a power of two apart, get in each other's way (24 instead of 42 GB/s on a Zen 4).
  static constexpr Index line = 16;
  template <class Call>
  void each_part(Call&& call) {
    worker_.for_each({0, cells_}, grain_,
                     [&](Interval some, int) { call(some, u_.data(), o_.data() + line, a_.data() + 2 * line); });
  }
  Index cells_, grain_;
  CpuWorker worker_;
  Block<float> u_, o_, a_;
  double best_ = 0;
};

enum class Edges { closed, sponge, matched };
/// What a user may switch on beside faces.
struct Switched {
  bool density = false;   ///< it varies along z
  bool unequal = false;   ///< so do the spacings
  bool constant = false;  ///< one speed for all nodes, told as one
  bool lossy = false;     ///< constant Q by three solids
};

/// A march of whole bands, boundaries, source and receivers on.
class TimedMarch {
 public:
  TimedMarch(int order, const std::array<Index, 3>& points, std::vector<WorkerSpec> workers, const std::string& tiling,
             Edges edges, Bytes device_memory = 0, Switched on = {})
      : cluster_(single_rank()), team_(workers) {
    Problem& p = problem_;
    p.device_memory = device_memory;
    p.grid.points = points;
    p.order = order;
    p.speed = {1500, 1500};
    p.velocity = on.constant ? constant_velocity(1500) : layered_velocity(0, 1, 0, {{0, 1500, 0}});
    const double deep = static_cast<double>(points[2]);
    if (on.unequal) p.grid.spacing = {1, 1.1, 0.9};
    if (on.density) p.density = layered_velocity(0, 1, 0, {{0, 1000, 0.2}, {0.4 * deep, 1900, 0.3}});
    for (auto& face : p.faces) {
      face.kind = edges == Edges::closed   ? FaceKind::rigid
                  : edges == Edges::sponge ? FaceKind::sponge
                                           : FaceKind::matched;
      face.width = edges == Edges::matched ? safe_matched_width(order) : 20;
    }
    if (edges != Edges::closed) p.faces[4].kind = FaceKind::free_surface;
    p.dt = safe_step * largest_time_step(stencil_of_order(order), p.grid.spacing, 1500);
    if (on.lossy) p.relaxations = constant_quality(50, 0.0005 / p.dt, 0.02 / p.dt, 3);
    const double c = static_cast<double>(points[1]) / 2, z = c * p.grid.spacing[2];
    if (edges != Edges::closed) {
      p.sources.push_back({{c + 0.3, c, z - 0.2}, std::make_shared<Ricker>(0.02 / p.dt, 0, 1)});
      for (int i = 0; i < 100; ++i) p.receivers.push_back({"R", {c, 0.2 * c + 0.01 * i * c, z + 0.4}});
    }
    p.tiling = tiling;
    march_ = make_march(p, this_machine(), *cluster_);
    march_->start(team_, *cluster_);
    band_ = tiling.starts_with("stepwise") && workers.front().device.empty() ? 1 : march_->band();
  }
  /// Cells per second of one band.
  double band() {
    const auto start = Clock::now();
    March::Recorder recorder;
    march_->advance(team_, *cluster_, band_, problem_.receivers.empty() ? nullptr : &recorder);
    return static_cast<double>(problem_.grid.cells() * band_) / seconds_since(start);
  }
  [[nodiscard]] std::string tiling() const { return march_->tiling(); }
  /// Cells per second of a row of energies, best of three or more.
  double energies(double budget) {
    double best = 0;
    int rows = 0;
    const auto begin = Clock::now();
    do {
      const auto start = Clock::now();
      (void)march_->energy(team_, *cluster_);
      best = std::max(best, static_cast<double>(problem_.grid.cells()) / seconds_since(start));
    } while (++rows < 3 || seconds_since(begin) < budget);
    return best;
  }
  /// The best band within the budget, which begins anew while a tiling is still being chosen.
  double best(double budget) {
    double best = 0;
    std::string shape;
    auto begin = Clock::now();
    do {
      const std::string before = tiling();
      const double rate = band();
      if (problem_.tiling == "auto" && tiling() != shape) {
        shape = tiling();
        begin = Clock::now();
      }
      if (tiling() == before) best = std::max(best, rate);
    } while (seconds_since(begin) < budget);
    return best;
  }

 private:
  Problem problem_;
  std::unique_ptr<Communicator> cluster_;
  Team team_;
  std::unique_ptr<March> march_;
  Index band_ = 1;
};

/// Cells per second; `used`: the tiling that the march took.
inline double march_rate(int order, const std::array<Index, 3>& points, const WorkerSpec& worker, double budget,
                         const std::string& tiling, Edges edges, std::string& used, Bytes device_memory = 0,
                         Switched on = {}) {
  TimedMarch march(order, points, {worker}, tiling, edges, device_memory, on);
  const double best = march.best(budget);
  used = march.tiling();
  return best;
}

}  // namespace conoid::acoustic_fd
