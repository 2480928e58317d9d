// SPDX-License-Identifier: BSD-3-Clause
// From a case to the discrete problem, and what is wrong with it.
#pragma once

#include "engine/case/case.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/discretization/gauges.hpp"
#include "engine/solvers/hydro_fem/discretization/initial_run.hpp"
#include "engine/solvers/hydro_fem/stepping/march.hpp"

namespace conoid::hydro_fem {

struct Problem {
  Setup setup;
  MarchOptions march;
  std::vector<std::string> material_names;
  struct Tracer {
    std::string name;
    Vec3 position{};
  };
  std::vector<Tracer> tracers;
  std::vector<Gauge> gauges;
  std::shared_ptr<const InitialRun> initial;  ///< of another run; null without
  struct Line {                               ///< values along a straight line in space, at the end of the run
    std::string name;
    Vec3 from{}, to{};
    int points = 2;
  };
  std::vector<Line> lines;
  bool exact_sedov = false;
  bool uniform = false;      ///< one region of one density and pressure
  int blast_dimension = 2;   ///< of the exact solution: 1 planar, 2 cylindrical, 3 spherical
  double gamma = 1.4;        ///< of the exact solution
  double blast_energy = 0;   ///< of the whole blast, unfolded over the planes of symmetry through its centre
  double energy_factor = 1;  ///< energies of the case per energy of the discrete problem: 2π of a turn, 4π of a sphere
  bool stop_outside_table = false;
  std::string energy_unit = "J";        ///< per length or area in fewer than three dimensions
  bool is_grid = true;                  ///< of equal zones; otherwise a mesh
  std::array<Index, 3> zones{1, 1, 1};  ///< of a grid, along each axis
  std::string zones_text;
  Vec3 lower{}, upper{};
};

/// Everything that the schema cannot say (`mesh`: of the case, null without one); empty when the case can be run.
[[nodiscard]] std::vector<Diagnostic> check_problem(const Case& input, const Mesh* mesh);
/// The problem of a checked case; throws Failure on the first thing that is wrong.
[[nodiscard]] Problem make_problem(const Case& input, const Mesh* mesh);
/// Memory that each of so many ranks takes, from the sizes alone.
[[nodiscard]] Bytes problem_memory(const Case& input, const Mesh* mesh, int ranks);
/// More ranks than this are without zones for certain: kernels take so many zones (lanes) of a material at once.
[[nodiscard]] int most_ranks(const Case& input, const Mesh* mesh, int lanes);

/// What a device would hold of it, and why it cannot compute it (as device_objection() of the set-up), from the case alone.
[[nodiscard]] DeviceNeeds problem_device_needs(const Case& input, const Mesh* mesh);
[[nodiscard]] std::string problem_device_objection(const Case& input);

}  // namespace conoid::hydro_fem
