// SPDX-License-Identifier: BSD-3-Clause
// Backward Euler for the rod: (1 + 2F) u_i − F (u_{i−1} + u_{i+1}) = u_i of the step before, by preconditioned conjugate gradients.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "cuda/blocks.hpp"
#include "engine/cluster/block_sums.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/cluster/halo.hpp"
#include "engine/solvers/part_windows.hpp"
#include "engine/team/offer.hpp"
#include "engine/team/section.hpp"

namespace conoid {
class Team;
}

namespace conoid::heat_rod {

/// Where the five vectors of the iterations lie: in windows of whole blocks, those of this rank.
struct Layout {
  Layout(Index cells, const RankPlace& place, Bytes host, const ChosenTeam& team);
  [[nodiscard]] Index count() const { return (blocks.size() + blocks_a_window - 1) / blocks_a_window; }
  [[nodiscard]] Interval points(Index window) const;  ///< the first inner point of this rank is 0
  [[nodiscard]] Bytes bytes(Interval windows) const;
  [[nodiscard]] std::vector<Bytes> sizes() const;
  [[nodiscard]] Bytes on_device() const;  ///< of each, with what a device has beside windows
  Index inner, all_blocks;                ///< points between the ends, and blocks, of all ranks
  Interval blocks;
  Index blocks_a_window = 1;
  Bytes host = 0, device = 0;  ///< that windows take, at most, of the host and of each device
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
  struct OnDevice;
  struct Passes;
  [[nodiscard]] std::string_view name() const override { return "conjugate gradients"; }
  [[nodiscard]] Index items() const override { return layout_.count(); }
  [[nodiscard]] Bytes bytes(Interval windows) const override { return windows.empty() ? 0 : layout_.bytes(windows); }
  [[nodiscard]] bool runs_on_devices() const override { return true; }
  void body(Part& part) override;
  void pass(Part& part, Pass pass, double factor);
  [[nodiscard]] WindowArguments arguments(const Lease& lease, Pass pass, double factor);

  Layout layout_;
  Communicator& cluster_;
  std::unique_ptr<PartWindows> windows_;  ///< null: no block is this rank's
  Halo halo_;                             ///< its items are points
  BlockSums sums_;
  double* u_ = nullptr;                             ///< the first inner point of this rank, in a step
  std::vector<double> ends_;                        ///< of p, two a window, between those of the ranks beside
  WindowArguments common_{};                        ///< what is the same in all passes
  std::vector<std::shared_ptr<OnDevice>> devices_;  ///< one a worker; null: processors
  double total_ = 0;
  Index iterations_ = 0;
};

}  // namespace conoid::heat_rod
