// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/device_part.hpp"

#include "engine/cluster/halo.hpp"
#include "engine/solvers/hydro_fem/index.hpp"

#include <algorithm>

namespace conoid::hydro_fem {

DevicePart::DevicePart(const Operator& op) {
  const Space& s = op.space();
  const auto share = op.share();
  const auto add_nodes = [&](Interval some) {
    for (Index n = some.begin; n < some.end; ++n) nodes.push_back(n);
  };
  const auto mine = [&](Index zone) { return !share || share->rank_of_zone[u(zone)] == share->cluster->rank(); };
  for (Index z = 0; z < s.zones; ++z)
    if (mine(z)) zones.push_back(z);
  add_nodes(share ? share->nodes : Interval{0, s.nodes});
  own = static_cast<Index>(nodes.size());
  if (share)
    for (const Interval& some : share->others) add_nodes(some);
  zone_of.assign(u(s.zones), -1);
  node_of.assign(u(s.nodes), -1);
  for (std::size_t i = 0; i < zones.size(); ++i) zone_of[u(zones[i])] = static_cast<Index>(i);
  for (std::size_t i = 0; i < nodes.size(); ++i) node_of[u(nodes[i])] = static_cast<Index>(i);
  for (const Index z : zones)
    for (int i = 0; i < s.zone_nodes; ++i) map.push_back(static_cast<int>(node_of[u(s.map[u(z * s.zone_nodes + i)])]));

  const auto place_of = [&](Index meeting) {
    const Index at = s.meet[u(meeting)];
    return zone_of[u(at / s.zone_nodes)] * s.zone_nodes + at % s.zone_nodes;
  };
  std::vector<Index> slot;  // of terms that come from elsewhere
  if (share) {
    slot.assign(s.meet.size(), -1);
    for (const Halo::Side& side : share->halo->sides()) {
      for (const Index meeting : side.to) sent.push_back(static_cast<int>(place_of(meeting)));
      for (const Index meeting : side.from)
        slot[u(meeting)] = static_cast<Index>(zones.size()) * s.zone_nodes + received++;
    }
  }
  meet_begin.push_back(0);
  for (const Index n : nodes) {
    for (Index m = s.meet_begin[u(n)]; m < s.meet_begin[u(n + 1)]; ++m)
      place.push_back(static_cast<int>(mine(s.meet[u(m)] / s.zone_nodes) ? place_of(m) : slot[u(m)]));
    meet_begin.push_back(static_cast<int>(place.size()));
  }
}

std::vector<double> DevicePart::at_nodes(const std::vector<double>& field) const {
  std::vector<double> out;
  out.reserve(field.size() / node_of.size() * nodes.size());
  for (std::size_t first = 0; first < field.size(); first += node_of.size())
    for (const Index n : nodes) out.push_back(field[first + u(n)]);
  return out;
}

std::vector<double> DevicePart::at_zones(const std::vector<double>& values, Index each) const {
  std::vector<double> out;
  out.reserve(u(each) * zones.size());
  for (const Index z : zones) out.insert(out.end(), values.begin() + z * each, values.begin() + (z + 1) * each);
  return out;
}

void DevicePart::spread_nodes(std::span<const double> mine, std::vector<double>& field) const {
  auto from = mine.begin();
  for (std::size_t first = 0; first < field.size(); first += node_of.size())
    for (const Index n : nodes) field[first + u(n)] = *from++;
}

void DevicePart::spread_zones(std::span<const double> mine, Index each, std::vector<double>& values) const {
  auto from = mine.begin();
  for (const Index z : zones) {
    std::copy_n(from, each, values.begin() + z * each);
    from += each;
  }
}

}  // namespace conoid::hydro_fem
