// SPDX-License-Identifier: BSD-3-Clause
// Implicit steps of any solver whose rows reach a few unknowns to either side: A x = b by preconditioned conjugate gradients, on
// processors and devices of a team and on ranks, with vectors that pass between disk, host and device.
//
//     const auto layout = BandLayout::of<Equation>(unknowns, offer.place, memory, choose_team(offer, {}, 0));
//     layout.add_to(estimate, "vectors of the iterations");                           // foreseen …
//     BandSystem<Equation> system(layout, equation, "my-solver/step", cluster, folder);
//     const ConjugateEnd end = system.solve(team, x, b, 1e-30, longest);               // … and taken
//
// Every sum is one over blocks in their order, and the preconditioner solves each block by itself: x has the same bits for any ranks,
// workers, threads, windows and emulated devices. The Equation is that of linalg/band_passes.hpp.
#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/cluster/halo.hpp"
#include "engine/linalg/band_passes.hpp"
#include "engine/linalg/part_gradients.hpp"
#include "engine/solvers/part_windows.hpp"
#include "engine/team/offer.hpp"
#include "engine/team/team.hpp"

namespace conoid {

/// Blocks of unknowns, of all ranks and of this one, and the windows of whole blocks in which the five vectors of its iterations lie.
class BandLayout {
 public:
  /// `budget`: bytes of the host for windows.
  template <class Equation>
  [[nodiscard]] static BandLayout of(Index unknowns, const RankPlace& place, Bytes budget, const ChosenTeam& team) {
    return {unknowns, Equation::block, Equation::reach, place, budget, team};
  }
  [[nodiscard]] Interval own_of(Index rank, Index ranks) const;  ///< unknowns
  [[nodiscard]] Interval of_window(Index window) const;          ///< the first unknown of this rank is 0
  /// Memory of host and devices, disk, and what passes between them.
  void add_to(Estimate& estimate, std::string_view what) const;

  Index unknowns, block, reach;
  Index all_blocks;
  Interval blocks, own;  ///< of this rank
  std::size_t devices;   ///< that take part
  WindowPlan windows;

 private:
  BandLayout(Index all, Index of_block, Index to_side, const RankPlace& place, Bytes budget, const ChosenTeam& team);
};

/// What does not depend on the equation: windows, sums of blocks, and the ends of windows, which parts and ranks read of each other.
class BandParts {
 public:
  BandParts(const BandLayout& given, Communicator& ranks, const std::filesystem::path& folder);
  /// Values of p before and behind a window, once they have been exchanged.
  [[nodiscard]] const double* before(Index window) const { return ends.data() + 2 * layout.reach * window; }
  [[nodiscard]] const double* behind(Index window) const { return before(window) + 3 * layout.reach; }
  /// Between ranks, by one part for all.
  void exchange();

  BandLayout layout;
  Communicator& cluster;
  std::unique_ptr<PartWindows> windows;  ///< null: no block is this rank's
  PartSums sums;
  std::vector<double> ends;  ///< of p: `reach` of the rank before, 2 × `reach` a window, `reach` of the rank behind
  BesideWindows<double> sums_at, ends_at;

 private:
  Halo halo_;  ///< its items are unknowns
};

/// Items are windows; each rank has an interval of them, and of it each worker of its team. To be called on all ranks alike.
template <class Equation>
class BandSystem final : public Section {
 public:
  /// `kernel`: pass_over_blocks<Equation> by its name; empty: processors alone.
  BandSystem(const BandLayout& layout, const Equation& equation, std::string kernel, Communicator& cluster,
             const std::filesystem::path& folder)
      : equation_(equation), kernel_(std::move(kernel)), parts_(layout, cluster, folder) {}

  /// `x`: all unknowns, a first guess that becomes the solution, on every rank; `right`: b, at least this rank's part of it. `share`,
  /// `longest` as in conjugate_gradients().
  [[nodiscard]] ConjugateEnd solve(Team& team, std::span<double> x, std::span<const double> right, double share,
                                   Index longest) {
    x_ = x, right_ = right, share_ = share, longest_ = longest;
    std::fill(parts_.ends.begin(), parts_.ends.end(), 0.0);
    rooms_.resize(team.workers().size());
    team.run(*this);
    if (parts_.windows) team.add_streamed(parts_.windows->take_streamed());
    const Interval own = parts_.layout.own;
    const auto all = parts_.cluster.all_gather_values<double>(x.subspan(at(own.begin), at(own.size())));
    std::copy(all.begin(), all.end(), x.begin());
    return end_;
  }

 private:
  /// Of a worker that is a device: first guess or solution, and right-hand side, of one window.
  struct Room {
    DeviceBuffer<double> values, right;
  };
  [[nodiscard]] static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] std::string_view name() const override { return "conjugate gradients"; }
  [[nodiscard]] Index items() const override { return parts_.layout.windows.cut.windows(); }
  [[nodiscard]] Bytes bytes(Interval windows) const override { return parts_.layout.windows.bytes(windows); }
  [[nodiscard]] bool runs_on_devices() const override { return !kernel_.empty(); }

  void body(Part& part) override {
    if (!part.items().empty()) parts_.windows->take(part, PartWindows::Contents::dropped);
    const ConjugateEnd end = conjugate_gradients(
        part, parts_.cluster, parts_.sums, [&](GradientPass one, double factor) { pass(part, one, factor); },
        [&] { parts_.exchange(); }, share_, longest_);
    pass(part, GradientPass::collect, 0);
    part.meet([&] { end_ = end; });
  }

  void pass(Part& part, GradientPass pass, double factor) {
    if (part.items().empty()) return;
    const bool starts = pass == GradientPass::start, collects = pass == GradientPass::collect;
    Stream* const stream = parts_.windows->stream(part);
    Kernel<BandWindow<Equation>> kernel;
    if (stream) kernel = part.device()->device().template kernel<BandWindow<Equation>>(kernel_);
    const Access access = starts ? Access::write : collects ? Access::read : Access::update;
    parts_.windows->visit(part, access, [&](const Lease& lease) {
      BandWindow<Equation> a = window_of(part, lease, pass, factor);
      const auto blocks = static_cast<Index>((a.count + Equation::block - 1) / Equation::block);
      if (stream)
        launch(part, *stream, kernel, a, blocks);
      else
        part.host().for_each({0, blocks}, 64, [&](Interval some, int) {
          for (Index b = some.begin; b < some.end; ++b) run_block(a, static_cast<int>(b));
        });
    });
    const Interval windows = part.items();
    const SlabLayout& cut = parts_.layout.windows.cut;
    if (pass != GradientPass::direction && !collects)
      parts_.sums_at.bring(part, stream, {cut.planes_of(windows.begin).begin, cut.planes_of(windows.end - 1).end});
    const Index ends = 2 * Equation::reach;
    if (pass == GradientPass::direction || starts)
      parts_.ends_at.bring(part, stream, {ends * windows.begin, ends * windows.end});
  }

  void launch(const Part& part, Stream& stream, const Kernel<BandWindow<Equation>>& kernel, BandWindow<Equation> a,
              Index blocks) {
    const Device& device = part.device()->device();
    Room& room = rooms_[at(part.worker())];
    const std::size_t most = at(parts_.layout.windows.cut.per_window) * Equation::block, count = at(a.count);
    if (room.values.size() == 0) room.values = device.template allocate<double>(most, "values of a window");
    if (room.right.size() == 0) room.right = device.template allocate<double>(most, "right-hand side of a window");
    const std::span<double> values(a.values, count);
    if (a.pass == GradientPass::start) {
      stream.to_device(room.values, values);
      stream.to_device(room.right, {a.right, count});
    }
    a.values = room.values.data(), a.right = room.right.data();
    stream.launch(kernel, {.grid = {static_cast<unsigned>((blocks + 63) / 64), 1, 1}, .block = {64, 1, 1}}, a);
    if (a.pass == GradientPass::collect) stream.to_host(values, room.values);
  }

  [[nodiscard]] BandWindow<Equation> window_of(const Part& part, const Lease& lease, GradientPass pass, double factor) {
    const Interval mine = parts_.layout.of_window(lease.window());
    const Index first = parts_.layout.own.begin + mine.begin, count = mine.size();
    const Index block = parts_.layout.windows.cut.planes_of(lease.window()).begin;
    auto* const v = reinterpret_cast<double*>(const_cast<std::byte*>(lease.bytes().data()));
    BandWindow<Equation> a{.equation = equation_,
                           .pass = pass,
                           .count = static_cast<int>(count),
                           .factor = factor,
                           .before = {},
                           .behind = {},
                           .x = v,
                           .r = v + count,
                           .z = v + 2 * count,
                           .p = v + 3 * count,
                           .q = v + 4 * count,
                           .values = &x_[at(first)],
                           .right = &right_[at(first)],
                           .sums = parts_.sums_at.at(part, block),
                           .ends = parts_.ends_at.at(part, 2 * Equation::reach * lease.window())};
    const auto guess = [&](Index i) { return i < 0 || i >= parts_.layout.unknowns ? 0 : x_[at(i)]; };
    for (int k = 0; k < Equation::reach; ++k) {
      const bool starts = pass == GradientPass::start;
      a.before[k] = starts ? guess(first - Equation::reach + k) : parts_.before(lease.window())[k];
      a.behind[k] = starts ? guess(first + count + k) : parts_.behind(lease.window())[k];
    }
    return a;
  }

  Equation equation_;
  std::string kernel_;
  BandParts parts_;
  std::vector<Room> rooms_;  ///< one a worker
  std::span<double> x_;      ///< in a solution
  std::span<const double> right_;
  double share_ = 0;
  Index longest_ = 0;
  ConjugateEnd end_;
};

}  // namespace conoid
