// SPDX-License-Identifier: BSD-3-Clause
// Blocks for ranks, windows of them, and what stands at their ends.
#include "engine/solvers/band_system.hpp"

#include <algorithm>

#include "engine/cluster/rank_share.hpp"

namespace conoid {
namespace {

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

BandLayout::BandLayout(Index all, Index of_block, Index to_side, const RankPlace& place, Bytes budget,
                       const ChosenTeam& team)
    : unknowns(all), block(of_block), reach(to_side), all_blocks((unknowns + block - 1) / block),
      blocks(rank_share(all_blocks, place.rank, place.ranks)), own(own_of(place.rank, place.ranks)),
      devices(team.devices().size()),
      windows(plan_windows(blocks.size(), static_cast<Bytes>(5 * block) * sizeof(double), budget, team)) {}

Interval BandLayout::own_of(Index rank, Index ranks) const {
  const Interval some = rank_share(all_blocks, rank, ranks);
  return {std::min(unknowns, some.begin * block), std::min(unknowns, some.end * block)};
}

Interval BandLayout::of_window(Index window) const {
  const Interval held = windows.cut.planes_of(window);
  return {std::min(own.size(), held.begin * block), std::min(own.size(), held.end * block)};
}

void BandLayout::add_to(Estimate& estimate, std::string_view what) const {
  windows.add_to(estimate, what, devices);
  if (estimate.device_memory > 0)
    estimate.device_memory += BesideWindows<double>::bytes(2 * windows.cut.per_window * block + blocks.size() +
                                                           2 * reach * windows.cut.windows());
}

BandParts::BandParts(const BandLayout& given, Communicator& ranks, const std::filesystem::path& folder)
    : layout(given), cluster(ranks), sums(given.all_blocks, given.blocks),
      ends(at(2 * given.reach * (given.windows.cut.windows() + 1))), sums_at(sums.own(), "sums of blocks"),
      ends_at({&ends[at(given.reach)], at(2 * given.reach * given.windows.cut.windows())}, "ends of windows") {
  if (layout.windows.cut.windows() > 0)
    windows = PartWindows::create(layout.windows.cut.sizes(),
                                  {"vectors", folder, layout.windows.host, layout.windows.device});
  std::vector<Interval> parts;
  parts.reserve(static_cast<std::size_t>(cluster.size()));
  for (int rank = 0; rank < cluster.size(); ++rank) parts.push_back(layout.own_of(rank, cluster.size()));
  // What this rank reads of others: `reach` unknowns before its first and behind its last, as far as there are any.
  std::vector<Index> wanted;
  const Interval own = layout.own;
  if (!own.empty()) {
    for (Index i = std::max<Index>(0, own.begin - layout.reach); i < own.begin; ++i) wanted.push_back(i);
    for (Index i = own.end; i < std::min(layout.unknowns, own.end + layout.reach); ++i) wanted.push_back(i);
  }
  halo_ = Halo::of_partition(cluster, parts, wanted);
}

void BandParts::exchange() {
  // Of this rank's unknowns the first stand in the first window's ends, the last in the last one's.
  const Interval own = layout.own;
  const Index reach = layout.reach, all = static_cast<Index>(ends.size());
  const auto place = [&](Index i) {
    if (i < own.begin) return reach + i - own.begin;          // of the rank before
    if (i >= own.end) return all - reach + i - own.end;       // of the rank behind
    if (i < own.begin + reach) return reach + i - own.begin;  // the first
    return all - 2 * reach + i - (own.end - reach);           // the last
  };
  halo_.start_values(1, [&](Index i, int) { return ends[at(place(i))]; });
  halo_.finish_values(1, [&](Index i, int, double value) { ends[at(place(i))] = value; });
}

}  // namespace conoid
