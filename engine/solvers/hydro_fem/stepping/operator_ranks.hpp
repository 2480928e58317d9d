// SPDX-License-Identifier: BSD-3-Clause
// What one of several ranks knows of the others: whose zones and nodes are whose, and what is exchanged.
#pragma once

#include "engine/cluster/halo.hpp"
#include "engine/solvers/hydro_fem/stepping/operator.hpp"

#include <vector>

namespace conoid::hydro_fem {

struct Operator::Ranks {
  Communicator* cluster = nullptr;
  std::vector<Interval> nodes;     ///< of each rank: what it adds to sums over nodes, and gives to gather()
  std::vector<int> rank_of_zone;   ///< of all zones
  std::vector<char> held;          ///< of all nodes: this rank's own and those of its zones
  std::vector<Interval> of_nodes;  ///< pieces of a field at nodes (all its components) that this rank holds
  std::vector<Interval> of_zones;  ///< of energies, likewise
  mutable Halo halo;               ///< its items are numbers in Space::meet
  std::vector<Index> loaded;       ///< nodes of sides under pressure
  mutable std::vector<double> at_loaded;
  mutable PagedVector positions;
  double own_step = 0, step = 0;  ///< that the last update allows, of this rank's zones and of all
};

}  // namespace conoid::hydro_fem
