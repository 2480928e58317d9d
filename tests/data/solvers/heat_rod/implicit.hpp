// SPDX-License-Identifier: BSD-3-Clause
// Backward Euler for the rod: (1 + 2F) u_i − F (u_{i−1} + u_{i+1}) = u_i of the step before, by preconditioned conjugate gradients.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "cuda/blocks.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/cluster/halo.hpp"
#include "engine/linalg/part_gradients.hpp"
#include "engine/solvers/part_windows.hpp"
#include "engine/team/offer.hpp"

namespace conoid {
class Team;
}

namespace conoid::heat_rod {

/// Blocks of points, of all ranks and of this one, and the windows of whole blocks in which the five vectors of its iterations lie.
struct Layout {
  Layout(Index cells, const RankPlace& place, Bytes host, const ChosenTeam& team);
  [[nodiscard]] Interval points(Index window) const;  ///< the first inner point of this rank is 0
  [[nodiscard]] Bytes beside() const;                 ///< of each device, beside windows
  Index inner, all_blocks;                            ///< points between the ends, and blocks, of all ranks
  Interval blocks;
  WindowPlan windows;
};

/// Items are windows; each rank has an interval of them, and of it each worker of its team. Every sum is one over blocks of 64 points, and
/// the preconditioner solves each block by itself: a step has the same bits for any ranks, workers, threads, windows and emulated
/// devices. To be called on all ranks alike.
class Implicit final : public Section {
 public:
  Implicit(const Layout& layout, double fourier, Communicator& cluster, const std::filesystem::path& folder);
  /// u: all points of the rod, the two ends among them; the new step on every rank. Returns the iterations, −1 if they do not end.
  [[nodiscard]] Index step(Team& team, std::vector<double>& u);

 private:
  [[nodiscard]] std::string_view name() const override { return "conjugate gradients"; }
  [[nodiscard]] Index items() const override { return layout_.windows.cut.windows(); }
  [[nodiscard]] Bytes bytes(Interval windows) const override { return layout_.windows.bytes(windows); }
  [[nodiscard]] bool runs_on_devices() const override { return true; }
  void body(Part& part) override;
  void pass(Part& part, Pass pass, double factor);
  void exchange();
  [[nodiscard]] WindowArguments arguments(const Part& part, const Lease& lease, Pass pass, double factor);

  Layout layout_;
  Interval mine_;  ///< points of this rank, the first inner one of the rod being 1
  Communicator& cluster_;
  std::unique_ptr<PartWindows> windows_;  ///< null: no block is this rank's
  Halo halo_;                             ///< its items are points
  PartSums sums_;
  std::vector<double> ends_;  ///< of p, two a window, between those of the ranks beside
  BesideWindows<double> sums_at_, ends_at_;
  double* u_ = nullptr;                       ///< the first inner point of this rank, in a step
  WindowArguments common_{};                  ///< what is the same in all passes
  std::vector<DeviceBuffer<double>> values_;  ///< of a window, of each worker that is a device
  Index iterations_ = 0;
};

}  // namespace conoid::heat_rod
