// SPDX-License-Identifier: BSD-3-Clause
// Lists of a halo and the messages behind it.
#include "engine/cluster/halo.hpp"

#include <algorithm>
#include <utility>

namespace conoid {

Halo::Halo(Communicator& cluster, std::vector<Side> sides) : cluster_(&cluster), sides_(std::move(sides)) {
  std::erase_if(sides_, [](const Side& s) { return s.to.empty() && s.from.empty(); });
  std::sort(sides_.begin(), sides_.end(), [](const Side& a, const Side& b) { return a.rank < b.rank; });
  sent_.resize(sides_.size());
  received_.resize(sides_.size());
}

Halo Halo::of_partition(Communicator& cluster, std::span<const Interval> parts, std::span<const Index> wanted) {
  const auto ranks = static_cast<std::size_t>(cluster.size());
  verify(parts.size() == ranks, "a part for every rank");
  verify(std::is_sorted(wanted.begin(), wanted.end()), "wanted items ascend");
  std::vector<Side> sides(ranks);
  for (std::size_t r = 0; r < ranks; ++r) sides[r].rank = static_cast<int>(r);
  // Everybody says how many items it wants, then which; each looks for its own.
  const Index mine = static_cast<Index>(wanted.size());
  const std::vector<Index> counts = cluster.all_gather_values<Index>(std::span(&mine, 1)),
                           all = cluster.all_gather_values<Index>(wanted);
  const auto me = static_cast<std::size_t>(cluster.rank());
  auto at = all.begin();
  for (std::size_t r = 0; r < ranks; ++r)
    for (const auto end = at + counts[r]; at != end; ++at)
      if (r != me && *at >= parts[me].begin && *at < parts[me].end) sides[r].to.push_back(*at);
  std::size_t found = 0;
  for (const Index item : wanted)
    for (std::size_t r = 0; r < ranks; ++r)
      if (item >= parts[r].begin && item < parts[r].end) {
        verify(r != me, "a rank wants items of others only");
        sides[r].from.push_back(item);
        ++found;
      }
  verify(found == wanted.size(), "every wanted item belongs to a rank");
  return {cluster, std::move(sides)};
}

void Halo::send() {
  if (sides_.empty()) return;
  out_.clear();
  in_.clear();
  for (std::size_t s = 0; s < sides_.size(); ++s) {
    if (!sent_[s].empty()) out_.push_back({sides_[s].rank, sent_[s]});
    if (!received_[s].empty()) in_.push_back({sides_[s].rank, received_[s]});
  }
  cluster_->start_exchange(out_, in_);
}

void Halo::wait() {
  if (!sides_.empty()) cluster_->finish_exchange();
}

}  // namespace conoid
