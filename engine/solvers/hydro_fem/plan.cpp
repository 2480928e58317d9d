// SPDX-License-Identifier: BSD-3-Clause
// What a case will take, from its sizes alone: memory, ranks, a device's share.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/solvers/hydro_fem/discretization/geometry.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"

namespace conoid::hydro_fem {
namespace {

bool grid_of_cubes(const Values& grid) {
  const auto lower = grid["lower"].numbers(), upper = grid["upper"].numbers();
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const double grading : grid["grading"].numbers())
    if (grading != 1) return false;
  for (std::size_t d = 0; d < std::min({lower.size(), upper.size(), grid["zones"].size()}); ++d) {
    const double step = (upper[d] - lower[d]) / static_cast<double>(grid["zones"].at(d).integer());
    least = std::min(least, step);
    most = std::max(most, step);
  }
  return most - least <= 1e-10 * most;
}

}  // namespace

Bytes problem_memory(const Case& input, const Mesh* mesh, int ranks) {
  const ZoneCount count = count_case_zones(input, mesh);
  const double k = static_cast<double>(input["parameters"]["order"].integer());
  const double dim = count.dim;
  const double points = std::pow(2 * k, dim);
  const double nodes = std::pow(k + 1, dim);
  const double energies = std::pow(k, dim);
  // Of each zone: mass, and density for what is shown; maps; some 14 nodal vectors.
  const double everywhere = points * 2 + nodes * 4 + energies * 6 + 14 * dim * std::pow(k, dim);
  // Of a rank's own zones: S, J0^-1 and, unless they are cubes, their widths (dim² a point) and the preconditioner's hefts (a node); node
  // terms; inverse energy blocks.
  const double matrices = mesh == nullptr && grid_of_cubes(input["grid"]) ? 2 : 3;
  const double own = points * (matrices * dim * dim + (input["excitation"]["detonation"].size() > 0 ? 2 : 0)) +
                     nodes * (dim + (matrices > 2 ? 1 : 0)) + energies * energies +
                     (input["parameters"]["corner_force"].text() == "matrices" ? dim * nodes * energies : 0);
  return static_cast<Bytes>(8 * count.zones * (everywhere + own / std::max(1, ranks)));
}

int most_ranks(const Case& input, const Mesh* mesh, int lanes) {
  // A group of zones of one material is computed together; of several the last group of each may be incomplete.
  const double regions = static_cast<double>(std::max<std::size_t>(1, input["regions"].size()));
  const double zones = count_case_zones(input, mesh).zones;
  return static_cast<int>(std::min({zones, std::ceil(zones / lanes) + regions - 1, 1e9}));
}

DeviceNeeds problem_device_needs(const Case& input, const Mesh* mesh) {
  const ZoneCount count = count_case_zones(input, mesh);
  DeviceNeeds out;
  out.zones = count.zones;
  out.dim = count.dim;
  out.k = static_cast<int>(input["parameters"]["order"].integer());
  out.nodes = count.zones * std::pow(out.k, out.dim);  // of a mesh, without those on its boundary
  if (mesh == nullptr) {
    out.nodes = 1;
    const Values zones = input["grid"]["zones"];
    for (std::size_t d = 0; d < zones.size(); ++d) out.nodes *= static_cast<double>(zones.at(d).integer()) * out.k + 1;
  }
  out.turns = turns_of(input[mesh == nullptr ? "grid" : "mesh"]["coordinates"].text());
  out.viscosity = input["parameters"]["viscosity"].boolean();
  out.rk4 = input["parameters"]["integrator"].text() == "rk4";
  out.cubes = mesh == nullptr && grid_of_cubes(input["grid"]);
  out.burns = input["excitation"]["detonation"].size() > 0;
  for (const std::string& name : input["boundaries"].keys()) {
    const Values side = input["boundaries"][name];
    if (side["kind"].text() == "piston" && (side.has("speed_formula") || side.has("speed_file"))) ++out.driven_walls;
  }
  return out;
}

std::string problem_device_objection(const Case& input) {
  if (input["parameters"]["corner_force"].text() == "matrices") return device_refuses_matrices;
  if (input["excitation"]["sources"].size() > 0) return device_refuses_power;
  return {};
}

}  // namespace conoid::hydro_fem
