// SPDX-License-Identifier: BSD-3-Clause
#include "engine/solvers/hydro_fem/cuda/device_part.hpp"

#include "engine/cluster/halo.hpp"
#include "engine/solvers/hydro_fem/discretization/index.hpp"

#include <algorithm>

namespace conoid::hydro_fem {

DevicePart::DevicePart(const Operator& op) {
  const Space& s = op.space();
  const auto share = op.share();
  const auto add_nodes = [&](Interval some) {
    for (Index n = some.begin; n < some.end; ++n) nodes.push_back(n);
  };
  for (Index z = 0; z < s.zones; ++z)
    if (!share || share->rank_of_zone[u(z)] == share->cluster->rank()) zones.push_back(z);
  add_nodes(share ? share->nodes : Interval{0, s.nodes});
  own = static_cast<Index>(nodes.size());
  if (share)
    for (const Interval& some : share->others) add_nodes(some);
  number(s);
  Paged<int> slot;  // of terms that come from elsewhere
  if (share) {
    shared = true;
    slot.resize(s.meet.size());
    for (const Halo::Side& side : share->halo->sides()) {
      for (const Index meeting : side.to) sent.push_back(place_of(s, meeting));
      for (const Index meeting : side.from) slot[u(meeting)] = static_cast<int>(++received);
    }
  }
  meet(s, slot);
}

std::vector<DevicePart> DevicePart::among(const Operator& op, int parts) {
  const Space& s = op.space();
  std::vector<DevicePart> out;
  if (parts == 1) {
    out.emplace_back(op);
    return out;
  }
  verify(parts > 1 && parts <= s.zones && !op.share(), "every device gets zones, of an operator of one rank");
  const auto first_zone = [&](int part) { return s.zones * part / parts; };
  std::vector<int> part_of_zone(u(s.zones));
  for (int part = 0; part < parts; ++part) {
    out.push_back(DevicePart());
    out.back().shared = true;
    for (Index z = first_zone(part); z < first_zone(part + 1); ++z) {
      part_of_zone[u(z)] = part;
      out.back().zones.push_back(z);
    }
  }
  const auto part_at = [&](Index meeting) { return part_of_zone[u(s.meet[u(meeting)] / s.zone_nodes)]; };
  std::vector<std::vector<Index>> others(u(parts));         // nodes that a part holds beside its own
  std::vector<std::vector<Index>> given(u(parts * parts));  // meetings from a part for another
  std::vector<int> holders;
  for (Index node = 0; node < s.nodes; ++node) {
    const Interval meetings{s.meet_begin[u(node)], s.meet_begin[u(node + 1)]};
    holders.clear();
    for (Index m = meetings.begin; m < meetings.end; ++m) holders.push_back(part_at(m));
    std::sort(holders.begin(), holders.end());
    holders.erase(std::unique(holders.begin(), holders.end()), holders.end());
    out[u(holders.front())].nodes.push_back(node);
    for (std::size_t h = 1; h < holders.size(); ++h) others[u(holders[h])].push_back(node);
    if (holders.size() == 1) continue;
    for (Index m = meetings.begin; m < meetings.end; ++m)
      for (const int to : holders)
        if (const int from = part_at(m); to != from) given[u(from * parts + to)].push_back(m);
  }
  for (int part = 0; part < parts; ++part) {
    DevicePart& mine = out[u(part)];
    mine.own = static_cast<Index>(mine.nodes.size());
    mine.nodes.insert(mine.nodes.end(), others[u(part)].begin(), others[u(part)].end());
    mine.number(s);
    Paged<int> slot;
    slot.resize(s.meet.size());
    for (int other = 0; other < parts; ++other) {
      if (other == part) continue;
      Side side{other, {static_cast<Index>(mine.sent.size()), 0}, {mine.received, 0}};
      mine.sent.insert(mine.sent.end(), u(lead(s.dim)), -1);
      for (const Index m : given[u(part * parts + other)]) mine.sent.push_back(mine.place_of(s, m));
      mine.received += lead(s.dim);
      for (const Index m : given[u(other * parts + part)]) slot[u(m)] = static_cast<int>(++mine.received);
      side.to.end = static_cast<Index>(mine.sent.size());
      side.from.end = mine.received;
      mine.sides.push_back(side);
    }
    mine.meet(s, slot);
  }
  return out;
}

void DevicePart::number(const Space& s) {
  zone_of_.resize(u(s.zones));
  node_of_.resize(u(s.nodes));
  for (std::size_t i = 0; i < zones.size(); ++i) zone_of_[u(zones[i])] = static_cast<int>(i + 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) node_of_[u(nodes[i])] = static_cast<int>(i + 1);
  for (const Index z : zones)
    for (int i = 0; i < s.zone_nodes; ++i) map.push_back(static_cast<int>(node_here(s.map[u(z * s.zone_nodes + i)])));
}

int DevicePart::place_of(const Space& s, Index meeting) const {
  const Index at = s.meet[u(meeting)];
  return static_cast<int>(zone_here(at / s.zone_nodes) * s.zone_nodes + at % s.zone_nodes);
}

void DevicePart::meet(const Space& s, const Paged<int>& slot) {
  const Index behind = static_cast<Index>(zones.size()) * s.zone_nodes;
  meet_begin.push_back(0);
  for (const Index n : nodes) {
    for (Index m = s.meet_begin[u(n)]; m < s.meet_begin[u(n + 1)]; ++m)
      place.push_back(zone_here(s.meet[u(m)] / s.zone_nodes) >= 0 ? place_of(s, m)
                                                                  : static_cast<int>(behind + slot[u(m)] - 1));
    meet_begin.push_back(static_cast<int>(place.size()));
  }
}

std::vector<double> DevicePart::at_nodes(std::span<const double> field) const {
  std::vector<double> out;
  out.reserve(field.size() / node_of_.size() * nodes.size());
  for (std::size_t first = 0; first < field.size(); first += node_of_.size())
    for (const Index n : nodes) out.push_back(field[first + u(n)]);
  return out;
}

std::vector<double> DevicePart::at_zones(std::span<const double> values, Index each) const {
  std::vector<double> out;
  out.reserve(u(each) * zones.size());
  for (const Index z : zones) out.insert(out.end(), values.begin() + z * each, values.begin() + (z + 1) * each);
  return out;
}

void DevicePart::spread_nodes(std::span<const double> mine, PagedVector& field) const {
  auto from = mine.begin();
  for (std::size_t first = 0; first < field.size(); first += node_of_.size())
    for (const Index n : nodes) field[first + u(n)] = *from++;
}

void DevicePart::spread_zones(std::span<const double> mine, Index each, PagedVector& values) const {
  auto from = mine.begin();
  for (const Index z : zones) {
    std::copy_n(from, each, values.begin() + z * each);
    from += each;
  }
}

}  // namespace conoid::hydro_fem
