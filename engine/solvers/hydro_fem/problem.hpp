// SPDX-License-Identifier: BSD-3-Clause
// From a case to the discrete problem, and what is wrong with it.
#pragma once

#include "engine/case/case.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/hydro_fem/cuda/device_backend.hpp"
#include "engine/solvers/hydro_fem/discretization/gauges.hpp"
#include "engine/solvers/hydro_fem/discretization/geometry.hpp"
#include "engine/solvers/hydro_fem/discretization/initial_run.hpp"
#include "engine/solvers/hydro_fem/stepping/march.hpp"
#include "engine/solvers/reading.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace conoid::hydro_fem {

/// A case as it was read; without its zones, of which a grid may have many, until make_zones().
struct Problem {
  Setup setup;
  MarchOptions march;
  Geometry geometry;
  std::vector<Extent> extents;  ///< of the regions
  bool stiff = false;           ///< a material's speed of sound hardly depends on its state
  bool own_courant = false;     ///< the case gives the Courant number
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
  /// How often the tables over time get a row: every so many steps, or seconds; zeros: as usual.
  struct Rows {
    Index every = 0;
    double interval = 0;
  };
  Rows rows;
  bool exact_sedov = false;
  bool uniform = false;      ///< one region of one density and pressure
  int blast_dimension = 2;   ///< of the exact solution: 1 planar, 2 cylindrical, 3 spherical
  double gamma = 1.4;        ///< of the exact solution
  double blast_energy = 0;   ///< of the whole blast, unfolded over the planes of symmetry through its centre
  double energy_factor = 1;  ///< energies of the case per energy of the discrete problem: 2π of a turn, 4π of a sphere
  bool stop_outside_table = false;
  std::string energy_unit = "J";  ///< per length or area in fewer than three dimensions

  [[nodiscard]] bool is_grid() const {
    return geometry.is_grid() && !geometry.graded();
  }  ///< of equal zones; otherwise a mesh
  void make_zones() { setup.mesh = geometry.zones(extents); }
};

/// The problem of a case (`mesh`: its own, null without one), and everything wrong with it that the schema cannot say. Of `before`, a problem
/// on the same mesh, zones are taken over.
[[nodiscard]] Reading<Problem> read_problem(const Case& input, const Mesh* mesh, Problem* before);
/// Whether it names files beside its mesh: a table, another run.
[[nodiscard]] bool names_files(const Case& input);
/// The same flow with other zones of its grid (none given: as many) and another order, without its zones; none where the border of a region
/// falls inside a zone. What is only compared with exact solutions stays that of `problem`.
[[nodiscard]] std::optional<Problem> at_resolution(const Problem& problem, const std::vector<Index>& zones, int order);

/// Memory that each of so many ranks takes, from the sizes alone.
struct RankMemory {
  Bytes own = 0;        ///< of its zones and nodes
  Bytes all_zones = 0;  ///< of all zones, on every rank
  Bytes frame = 0;      ///< on the leading rank, while a frame is made
  Bytes numbering = 0;  ///< of all zones, on every rank before there is anything else, given back then
  [[nodiscard]] Bytes most() const { return std::max(own + all_zones + frame, numbering); }
};
[[nodiscard]] RankMemory problem_memory(const Problem& problem, int ranks);
/// More ranks than this are without zones for certain: kernels take so many zones (lanes) of a material at once.
[[nodiscard]] int most_ranks(const Problem& problem, int lanes);
/// What a device would hold of it.
[[nodiscard]] DeviceNeeds problem_device_needs(const Problem& problem);
/// Velocity nodes; of a mesh, without those on its boundary.
[[nodiscard]] double count_nodes(const Problem& problem);

}  // namespace conoid::hydro_fem
