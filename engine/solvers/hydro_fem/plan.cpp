// SPDX-License-Identifier: BSD-3-Clause
// What a case will take, from its sizes alone: memory, ranks, a device's share.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/solvers/hydro_fem/discretization/index.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"

namespace conoid::hydro_fem {
namespace {

bool grid_of_cubes(const Geometry& g) {
  if (!g.is_grid() || g.graded()) return false;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (int d = 0; d < g.dim; ++d) {
    least = std::min(least, g.step(d));
    most = std::max(most, g.step(d));
  }
  return most - least <= 1e-10 * most;
}

}  // namespace

RankMemory problem_memory(const Problem& problem, int ranks) {
  const double k = problem.setup.k, dim = problem.geometry.dim;
  const double points = std::pow(2 * k, dim);
  const double zone_nodes = std::pow(k + 1, dim), nodes = std::pow(k, dim), energies = nodes;
  // Of each zone, on every rank: its corners, region, batch and rank, who has its nodes.
  const double places = std::pow(2, dim) + dim + (problem.geometry.is_grid() ? 0 : dim * std::pow(3, dim));
  const double everywhere = places + 4 + 0.2 * nodes;
  // The same before a rank knows which are its own: the numbers of nodes and what meets at them, their places.
  const double numbering = places + 4 + 2 * zone_nodes + (dim + 1) * nodes;
  // On the leading one a frame: a place (three numbers) and seven values in single precision at each zone's nodes, and its cells.
  const double frame = 6.5 * zone_nodes + (std::pow(2, dim) + 1.125) * nodes;
  // Of a rank's own zones: masses, S, J0^-1 and, unless they are cubes, their widths (dim² a point) and the preconditioner's hefts (a
  // node); node terms; their nodes, thrice, and places at the start; inverse energy blocks; states, rates and the vectors of the velocity
  // solve.
  const double matrices = grid_of_cubes(problem.geometry) ? 2 : 3;
  const double states = problem.march.integrator == Integrator::rk4 ? 4 : 3;
  const double own = points * (1 + matrices * dim * dim + (problem.setup.burn.points.empty() ? 0 : 2)) +
                     zone_nodes * (dim + 3 + (matrices > 2 ? 1 : 0)) + energies * (energies + states + 1) +
                     nodes * (dim * (2 * states + 4) + 2) +
                     (problem.setup.corner_matrices ? dim * zone_nodes * energies : 0);
  const auto bytes = [zones = problem.geometry.count().zones](double numbers) {
    return static_cast<Bytes>(8 * zones * numbers);
  };
  return {bytes(own / std::max(1, ranks)), bytes(everywhere), bytes(frame), bytes(numbering)};
}

int most_ranks(const Problem& problem, int lanes) {
  // A group of zones of one material is computed together; of several the last group of each may be incomplete.
  const double regions = static_cast<double>(std::max<std::size_t>(1, problem.extents.size()));
  const double zones = problem.geometry.count().zones;
  return static_cast<int>(std::min({zones, std::ceil(zones / lanes) + regions - 1, 1e9}));
}

double count_nodes(const Problem& problem) {
  const Geometry& g = problem.geometry;
  const int k = problem.setup.k;
  if (!g.is_grid()) return g.count().zones * std::pow(k, g.dim);
  double nodes = 1;
  for (int d = 0; d < g.dim; ++d) nodes *= static_cast<double>(g.counts[u(d)]) * k + 1;
  return nodes;
}

DeviceNeeds problem_device_needs(const Problem& problem) {
  const Setup& s = problem.setup;
  DeviceNeeds out;
  out.zones = problem.geometry.count().zones;
  out.dim = problem.geometry.dim;
  out.k = s.k;
  out.nodes = count_nodes(problem);
  out.turns = s.turns;
  out.viscosity = s.viscosity;
  out.rk4 = problem.march.integrator == Integrator::rk4;
  out.cubes = grid_of_cubes(problem.geometry);
  out.burns = !s.burn.points.empty();
  out.burning_on = regions_burning_on(s);
  out.driven_walls = static_cast<int>(
      std::count_if(s.boundaries.begin(), s.boundaries.end(), [](const BoundaryCondition& b) { return b.driven(); }));
  return out;
}

}  // namespace conoid::hydro_fem
