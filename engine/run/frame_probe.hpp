// SPDX-License-Identifier: BSD-3-Clause
// Numbers out of frames: the value of a field at a point, and its integral, mean and ends over cells.
//
// Between the points of a mesh values follow the shape functions of its cells (orders 1 and 2), on a grid they are trilinear; the value of
// a cell field is that of the cell. Lengths in metres, values in the unit of the field. Any thread may call.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/frame.hpp"
#include "engine/io/results.hpp"
#include "engine/mesh/cell_locator.hpp"
#include "engine/mesh/mesh.hpp"

namespace conoid {

/// Which numbers of a field are told.
struct ProbeChoice {
  enum class Vector : std::uint8_t { all, x, y, z, length };
  enum class Wave : std::uint8_t { both, real, imaginary, magnitude, phase };
  Vector vector = Vector::all;  ///< of a field with three components; the length of a wave is sqrt(Σ|v_i|²)
  Wave wave = Wave::both;       ///< of a complex field: Re and Im, or one number; phases in radians
};
/// An error where the field has no such numbers: "y" of a scalar, the phase of a real field, Re and Im of a length.
[[nodiscard]] Status check_choice(const FieldInfo& info, const ProbeChoice& choice);
/// "pressure[Pa]"; "velocity_x", "velocity_y", …; "displacement_x_re", …
[[nodiscard]] std::vector<Column> choice_columns(const FieldInfo& info, const ProbeChoice& choice);
/// The numbers of one entry: `entry` has components × (2 if complex) values. They are appended to `out`.
void append_chosen(std::span<const double> entry, const FieldInfo& info, const ProbeChoice& choice,
                   std::vector<double>& out);

/// Where a point lies in a part: Σ weight · value of entry.
struct PartSpot {
  int count = 0;
  std::array<Index, 27> entries{};
  std::array<double, 27> weights{};
  double distance = 0;  ///< metres from the point to the part; 0 inside
  double size = 0;      ///< of the cell: the diagonal of its box, metres
};

/// Finds points in one part of a frame. Keeps what the geometry needs; fields come with each call.
class PartProbe {
 public:
  /// A damaged mesh, or one without a cell that has shape functions, is an error.
  [[nodiscard]] static Result<PartProbe> make(const FramePart& part);
  /// Whether this part has the same geometry, so that the probe holds for it as well.
  [[nodiscard]] bool fits(const FramePart& part) const;

  /// True for what fills its space: a grid, solids, a mesh in one plane or along one line of the axes. Else it is a surface (or a curve), whose
  /// nearest place counts.
  [[nodiscard]] bool is_region() const { return region_; }
  [[nodiscard]] int dimension() const { return dimension_; }  ///< of what is_region() speaks of: 1, 2, 3
  [[nodiscard]] const Vec3& low() const { return low_; }
  [[nodiscard]] const Vec3& high() const { return high_; }
  /// As far from the part as a point may lie where nobody says: 1e-6 of its diagonal, on surfaces 1 % (facets cut corners).
  [[nodiscard]] double usual_reach() const;
  [[nodiscard]] std::optional<PartSpot> find(const Vec3& point, double within, Association association) const;

 private:
  PartProbe() = default;
  Geometry geometry_;
  std::shared_ptr<const CellLocator> locator_;  ///< of a mesh
  CellArrays arrays_;
  bool region_ = true;
  int dimension_ = 3;
  Vec3 low_{}, high_{};
};

/// The components of a field at a spot: components × (2 if complex) numbers. Not a number where one that counts is none.
void blend(const PartSpot& spot, const Field& field, std::vector<double>& entry);
/// Whether the field has as many values as its part's geometry needs.
[[nodiscard]] Status check_field(const FramePart& part, const Field& field);

/// Cells to sum over, over the points of a part.
struct CellSet {
  int dimension = 0;
  std::vector<Index> connectivity;
  std::vector<Index> offsets{0};
  std::vector<std::uint8_t> types;
  std::vector<Index> behind;          ///< the part's cell that has the value of a cell field
  Index of_points = 0, of_cells = 0;  ///< counts of the part for which it was made
};
/// All cells of the highest dimension.
[[nodiscard]] CellSet all_cells(const MeshGeometry& mesh);
/// The part's cells, or outer faces, that lie on the cells of a group of the mesh: those whose middle is within 3 % of their size of a cell of
/// the group, no other cell nearer, and which look the same way. `part` is of the run's first frame: meshes move later.
[[nodiscard]] Result<CellSet> cells_of_group(const FramePart& part, const Mesh& mesh, const MeshGroup& group);

struct FieldSums {
  int dimension = 0;
  double measure = 0;  ///< m, m², m³
  Index cells = 0;     ///< or points, of a grid
  Index missing = 0;   ///< cells (points of a grid) that were left out because a value is not a number
  std::vector<double> integral, mean, low,
      high;  ///< one a column of choice_columns(); ends are those of the values kept, not between them
};
/// The body whose section a frame shows: points stand for circles around a line (turns 1, each weighs 2 π r) or spheres around a point (turns 2,
/// 4 π r²), r the coordinate along `axis`. Turns 0: what is seen is the body.
struct Revolution {
  int axis = 1;
  int turns = 0;
};

/// Gauss's rule on mesh cells, exact for a field of the cell's order on straight cells; on grids the trapezoidal rule. What is chosen of the field is
/// taken at each point of the rule, then summed. `cells` null: all cells of the highest dimension, all points of a grid. With turns measure
/// and integral are those of the body, the dimension is its.
[[nodiscard]] Result<FieldSums> sum_over(const FramePart& part, const Field& field, const ProbeChoice& choice,
                                         const CellSet* cells = nullptr, Revolution body = {});

/// "Pa*m^2" of "Pa" and 2, "kg" of "kg/m^3" and 3.
[[nodiscard]] std::string unit_of_integral(const std::string& unit, int dimension);

}  // namespace conoid
