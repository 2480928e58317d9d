// SPDX-License-Identifier: BSD-3-Clause
// One implicit step: a section of conjugate gradients over windows, a halo of one point to each side, sums in the order of blocks.
#include "implicit.hpp"

#include <algorithm>
#include <span>

#include "engine/cluster/rank_share.hpp"
#include "engine/team/team.hpp"

namespace conoid::heat_rod {
namespace {

std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

/// Points of an interval of blocks, the first inner point being 1.
Interval points_of(Interval blocks, Index inner) {
  return {1 + std::min(inner, blocks.begin * block_points), 1 + std::min(inner, blocks.end * block_points)};
}

}  // namespace

Layout::Layout(Index cells, const RankPlace& place, Bytes budget, const ChosenTeam& team)
    : inner(cells - 1), all_blocks((inner + block_points - 1) / block_points),
      blocks(rank_share(all_blocks, place.rank, place.ranks)),
      windows(plan_windows(blocks.size(), 5 * block_points * sizeof(double), budget, team)) {}

Interval Layout::points(Index window) const {
  const Interval held = windows.cut.planes_of(window);
  const Index all = points_of(blocks, inner).size();
  return {std::min(all, held.begin * block_points), std::min(all, held.end * block_points)};
}

Bytes Layout::beside() const {
  return BesideWindows<double>::bytes(windows.cut.per_window * block_points + blocks.size() +
                                      2 * windows.cut.windows());
}

Implicit::Implicit(const Layout& layout, double fourier, Communicator& cluster, const std::filesystem::path& folder)
    : layout_(layout), mine_(points_of(layout.blocks, layout.inner)), cluster_(cluster),
      sums_(layout.all_blocks, layout.blocks), ends_(u(2 * layout.windows.cut.windows() + 2)),
      sums_at_(sums_.own(), "sums of blocks"), ends_at_({&ends_[1], ends_.size() - 2}, "ends of windows") {
  if (items() > 0)
    windows_ = PartWindows::create(layout.windows.cut.sizes(),
                                   {"vectors", folder, layout.windows.host, layout.windows.device});
  std::vector<Interval> parts;
  for (int rank = 0; rank < cluster.size(); ++rank)
    parts.push_back(points_of(rank_share(layout.all_blocks, rank, cluster.size()), layout.inner));
  // What this rank reads of others: the point before its first and the one behind its last, unless they are the ends of the rod.
  std::vector<Index> wanted;
  if (!mine_.empty() && mine_.begin > 1) wanted.push_back(mine_.begin - 1);
  if (!mine_.empty() && mine_.end <= layout.inner) wanted.push_back(mine_.end);
  halo_ = Halo::of_partition(cluster, parts, wanted);
  common_.fourier = fourier;
  common_.pivots[0] = 1 + 2 * fourier;
  for (int i = 1; i < block_points; ++i)
    common_.pivots[i] = 1 + 2 * fourier - fourier * fourier / common_.pivots[i - 1];
}

WindowArguments Implicit::arguments(const Part& part, const Lease& lease, Pass pass, double factor) {
  const Interval mine = layout_.points(lease.window());
  WindowArguments a = common_;
  a.pass = pass;
  a.points = static_cast<int>(mine.size());
  a.factor = factor;
  double* const x = reinterpret_cast<double*>(const_cast<std::byte*>(lease.bytes().data()));
  a.x = x, a.r = x + mine.size(), a.z = x + 2 * mine.size(), a.p = x + 3 * mine.size(), a.q = x + 4 * mine.size();
  a.values = u_ + mine.begin;
  a.sums = sums_at_.at(part, layout_.windows.cut.planes_of(lease.window()).begin);
  a.ends = ends_at_.at(part, 2 * lease.window());
  a.before = pass == Pass::start ? a.values[-1] : ends_[u(2 * lease.window())];
  a.behind = pass == Pass::start ? a.values[a.points] : ends_[u(2 * lease.window() + 3)];
  return a;
}

void Implicit::pass(Part& part, Pass pass, double factor) {
  if (part.items().empty()) return;
  const bool starts = pass == Pass::start, collects = pass == Pass::collect;
  const Interval windows = part.items(), blocks{layout_.windows.cut.planes_of(windows.begin).begin,
                                                layout_.windows.cut.planes_of(windows.end - 1).end};
  Stream* const stream = windows_->stream(part);
  DeviceBuffer<double>& there = values_[u(part.worker())];
  Kernel<WindowArguments> kernel;
  if (stream) kernel = part.device()->device().kernel<WindowArguments>("heat-rod/pass");
  if (stream && there.size() == 0)
    there = part.device()->device().allocate<double>(u(layout_.windows.cut.per_window * block_points),
                                                     "values of a window");
  const Access access = starts ? Access::write : collects ? Access::read : Access::update;
  windows_->visit(part, access, [&](const Lease& lease) {
    WindowArguments a = arguments(part, lease, pass, factor);
    const Index count = layout_.windows.cut.planes_of(lease.window()).size();
    if (!stream) {
      part.host().for_each({0, count}, 64, [&](Interval some, int) {
        for (Index b = some.begin; b < some.end; ++b) run_block(a, static_cast<int>(b));
      });
      return;
    }
    const std::span<double> values(a.values, u(a.points));
    a.values = there.data();
    if (starts) stream->to_device(there, values);
    stream->launch(kernel, {.grid = {static_cast<unsigned>((count + 63) / 64), 1, 1}, .block = {64, 1, 1}}, a);
    if (collects) stream->to_host(values, there);
  });
  if (pass != Pass::direction && !collects) sums_at_.bring(part, stream, blocks);
  if (pass == Pass::direction || starts) ends_at_.bring(part, stream, {2 * windows.begin, 2 * windows.end});
}

void Implicit::exchange() {
  halo_.start_values(1, [&](Index point, int) { return point == mine_.begin ? ends_[1] : ends_[ends_.size() - 2]; });
  halo_.finish_values(
      1, [&](Index point, int, double value) { (point < mine_.begin ? ends_.front() : ends_.back()) = value; });
}

void Implicit::body(Part& part) {
  if (!part.items().empty()) windows_->take(part, PartWindows::Contents::dropped);
  const ConjugateEnd end = conjugate_gradients(
      part, cluster_, sums_, [&](GradientPass p, double factor) { pass(part, static_cast<Pass>(p), factor); },
      [&] { exchange(); }, 1e-30, 10 * layout_.inner + 100);
  pass(part, Pass::collect, 0);
  part.meet([&] { iterations_ = end.converged ? end.iterations : -1; });
}

Index Implicit::step(Team& team, std::vector<double>& values) {
  u_ = values.data() + mine_.begin;
  std::fill(ends_.begin(), ends_.end(), 0.0);
  values_.resize(team.workers().size());
  team.run(*this);
  if (windows_) team.add_streamed(windows_->take_streamed());
  // All ranks keep the whole rod: frames, tables and the next first guess read it anywhere.
  const auto all =
      cluster_.all_gather_values<double>(std::span<const double>(values).subspan(u(mine_.begin), u(mine_.size())));
  std::copy(all.begin(), all.end(), values.begin() + 1);
  return iterations_;
}

}  // namespace conoid::heat_rod
