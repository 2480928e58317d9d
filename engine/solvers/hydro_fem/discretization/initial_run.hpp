// SPDX-License-Identifier: BSD-3-Clause
// The frame of another run of hydro-fem as a start: flow along a line or a radius, carried into two or three dimensions, or in a plane,
// carried into three.
#pragma once

#include "engine/core/error.hpp"
#include "engine/io/frame.hpp"
#include "engine/mesh/cell_locator.hpp"
#include "engine/solvers/hydro_fem/discretization/zones_of_mesh.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace conoid::hydro_fem {

/// A frame of a run in one dimension: values at points along it, straight lines between the two of each cell; cells meet in jumps. Or of one
/// in two: values at the corners of quadrilaterals, bilinear between. Immutable; may be read from any thread.
class InitialRun {
 public:
  /// What is at a place of the new case.
  struct Values {
    double density = 0, energy = 0;  ///< kg/m³, J/kg
    Vec3 velocity{};                 ///< m/s
    double pressure = 0;             ///< Pa, of the run's materials; no number where the frame has none
  };
  /// Amounts of the whole frame: of a sphere, of a length of a cylinder's axis, or of an area.
  struct Amounts {
    double mass = 0, energy = 0;  ///< internal and kinetic
  };

  /// `run`: a run folder. `frame`: as choose_frames() reads it, one frame. `dim` and `turns` are those of the new case, `centre` is where
  /// the run's x = 0 is put. Errors (invalid_input, file) say what the folder is or which coordinates fit.
  [[nodiscard]] static Result<std::shared_ptr<const InitialRun>> read(const std::filesystem::path& run,
                                                                      const std::string& frame, int dim, int turns,
                                                                      const Vec3& centre);

  /// The same of a frame in memory, whose flow is turned as `run_turns` says.
  [[nodiscard]] static Result<std::shared_ptr<const InitialRun>> of(const Frame& frame, int run_turns, int dim,
                                                                    int turns, const Vec3& centre);

  /// None where the run has no material.
  [[nodiscard]] std::optional<Values> at(const Vec3& place) const;
  [[nodiscard]] const Amounts& amounts() const { return amounts_; }
  [[nodiscard]] double reach() const { return cells_.empty() ? 0 : cells_.back().end; }
  [[nodiscard]] int turns() const { return turns_; }
  [[nodiscard]] int dim() const { return plane_ ? 2 : 1; }
  /// Of a run in two dimensions: corners of the box around its material, from where its origin is put.
  [[nodiscard]] std::pair<Vec3, Vec3> box() const;
  [[nodiscard]] const Vec3& centre() const { return centre_; }
  [[nodiscard]] double time() const { return time_; }

 private:
  struct Cell {
    double begin, end;  // m
    // Energy is that per volume: in the middle of a blast it is even, where density falls to nothing and the specific one grows.
    double density[2], energy[2], velocity[2], pressure[2];
  };
  /// A frame in two dimensions; its arrays are its own, and the locator's.
  struct Plane {
    MeshGeometry mesh;
    CellArrays cells;
    std::vector<double> density, energy, pressure;  ///< energy per volume
    std::vector<Vec3> velocity;
    std::unique_ptr<CellLocator> locator;
  };
  [[nodiscard]] Status take(const Frame& frame);
  [[nodiscard]] Status take_line(const Plane& all);
  [[nodiscard]] Status take_plane(std::shared_ptr<Plane> all);
  [[nodiscard]] std::optional<Values> in_plane(const Vec3& from) const;
  int turns_ = 0;  // of the run
  int target_dim_ = 1;
  Vec3 centre_{};
  double time_ = 0;
  std::vector<Cell> cells_;             // ascending
  std::shared_ptr<const Plane> plane_;  // of a run in two dimensions, instead
  Amounts amounts_;
};

class Operator;
struct Setup;

/// What of the run's amounts the start of an operator has where the run has material, unfolded over the planes of symmetry through its
/// centre and per area or length as the run counts; none where the zones (between `lower` and `upper`) end before its material does.
[[nodiscard]] std::optional<InitialRun::Amounts> amounts_at_start(const Operator& op, const InitialRun& run,
                                                                  const Vec3& lower, const Vec3& upper);
/// How far the pressures that the materials of the regions have in the states of that run are from the run's own: the integral of the
/// difference over that of the pressure, where the run has material. None where its frame has no pressures. Collective.
[[nodiscard]] std::optional<double> pressure_off_at_start(const Operator& op, const Setup& setup,
                                                          const InitialRun& run);

}  // namespace conoid::hydro_fem
