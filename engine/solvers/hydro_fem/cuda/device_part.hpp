// SPDX-License-Identifier: BSD-3-Clause
// Which zones and nodes lie on a device: all, those of one rank, or an interval of several devices' zones, in numbers of their own.
#pragma once

#include "engine/solvers/hydro_fem/stepping/operator.hpp"

#include <span>
#include <vector>

namespace conoid::hydro_fem {

/// Numbers in it are the device's own unless said otherwise. Terms of zones lie [zone][node of it]; behind them come those of other
/// parts' zones at nodes of this part: of other ranks in the order in which the operator's halo brings them, of other devices side by side.
struct DevicePart {
  std::vector<Index> zones;     ///< the operator's numbers
  std::vector<Index> nodes;     ///< the operator's numbers; a rank's own come first
  Index own = 0;                ///< of the nodes, so many count in sums
  std::vector<int> map;         ///< [zone][node of it]
  std::vector<int> meet_begin;  ///< [node + 1] into `place`
  std::vector<int> place;       ///< of terms that meet at a node
  std::vector<int>
      sent;  ///< places of terms that go to other parts, in the order in which they are sent; below 0: no term
  Index received = 0;   ///< how many come
  bool shared = false;  ///< of several parts

  /// Of another device of this process. What goes there and what comes from it begins with room for two numbers.
  struct Side {
    int part = 0;
    Interval to;    ///< in `sent`
    Interval from;  ///< of those that come
  };
  std::vector<Side> sides;  ///< all other devices; none between ranks

  /// Numbers here of the operator's zones and nodes; -1: elsewhere.
  [[nodiscard]] Index zone_here(Index zone) const { return zone_of_[static_cast<std::size_t>(zone)] - 1; }
  [[nodiscard]] Index node_here(Index node) const { return node_of_[static_cast<std::size_t>(node)] - 1; }

  /// Of this rank's part of an operator that several ranks share, else of all of it.
  explicit DevicePart(const Operator& op);
  /// One part: the above. More, of an operator that ranks do not share: intervals of its zones, as even as can be, none of them empty (parts ≤
  /// zones). A node counts in the sums of the first part that has it.
  [[nodiscard]] static std::vector<DevicePart> among(const Operator& op, int parts);
  /// In `sent`, and of what comes, in front of what a side gives: so many places hold two numbers.
  [[nodiscard]] static Index lead(int dim) { return dim == 1 ? 2 : 1; }

  /// Values at the operator's nodes (component by component) or zones (`each` values of a zone), of this part.
  [[nodiscard]] std::vector<double> at_nodes(std::span<const double> field) const;
  [[nodiscard]] std::vector<double> at_zones(std::span<const double> values, Index each) const;
  /// The other way round; what lies elsewhere is left alone.
  void spread_nodes(std::span<const double> mine, PagedVector& field) const;
  void spread_zones(std::span<const double> mine, Index each, PagedVector& values) const;

 private:
  DevicePart() = default;
  /// Numbers of zones, nodes and the map, from lists of the operator's numbers.
  void number(const Space& space);
  [[nodiscard]] int place_of(const Space& space, Index meeting) const;
  /// What meets at its nodes; terms that come from elsewhere have slots ([meeting], of those that come, + 1).
  void meet(const Space& space, const Paged<int>& slot);

  Paged<int> zone_of_, node_of_;  // number + 1: what lies elsewhere takes no memory
};

}  // namespace conoid::hydro_fem
