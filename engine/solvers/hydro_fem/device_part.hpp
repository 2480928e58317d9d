// SPDX-License-Identifier: BSD-3-Clause
// Which zones and nodes lie on a device: all, or those of one rank, in numbers of their own.
#pragma once

#include "engine/solvers/hydro_fem/operator.hpp"

#include <span>
#include <vector>

namespace conoid::hydro_fem {

/// Numbers in it are the device's own unless said otherwise. Terms of zones lie [zone][node of it]; behind them come those of other
/// ranks' zones at nodes of this part, in the order in which the operator's halo brings them.
struct DevicePart {
  std::vector<Index> zones;     ///< the operator's numbers
  std::vector<Index> zone_of;   ///< of the operator's zones: number here, -1 elsewhere
  std::vector<Index> nodes;     ///< the operator's numbers; a rank's own come first
  Index own = 0;                ///< of the nodes, so many count in sums
  std::vector<Index> node_of;   ///< as zone_of
  std::vector<int> map;         ///< [zone][node of it]
  std::vector<int> meet_begin;  ///< [node + 1] into `place`
  std::vector<int> place;       ///< of terms that meet at a node
  std::vector<int> sent;        ///< places of terms that go to other ranks, in the halo's order
  Index received = 0;           ///< how many come

  /// Of this rank's part of an operator that several ranks share, else of all of it.
  explicit DevicePart(const Operator& op);

  /// Values at the operator's nodes (component by component) or zones (`each` values of a zone), of this part.
  [[nodiscard]] std::vector<double> at_nodes(const std::vector<double>& field) const;
  [[nodiscard]] std::vector<double> at_zones(const std::vector<double>& values, Index each) const;
  /// The other way round; what lies elsewhere is left alone.
  void spread_nodes(std::span<const double> mine, std::vector<double>& field) const;
  void spread_zones(std::span<const double> mine, Index each, std::vector<double>& values) const;
};

}  // namespace conoid::hydro_fem
