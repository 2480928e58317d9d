// SPDX-License-Identifier: BSD-3-Clause
// Frames made of frames: fields by formulas, planes across a field, what lies within limits, the difference of two runs, and a
// far field as a surface around the body. Pure: a frame goes in, another comes out; geometry that stays is shared. Any thread.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/frame.hpp"

namespace conoid {

/// A scalar field of others of the same part: their names are variables (v_x, v_y, v_z and v, the length, of vectors; p_re, p_im and p,
/// the magnitude, of complex ones), and so are x, y, z (metres, cells: their middles) and t (s, Hz or 1). All in the units of the fields.
struct FormulaField {
  std::string name;
  std::string unit = "1";
  std::string formula;
  bool operator==(const FormulaField&) const = default;
};
/// "NAME[UNIT] = FORMULA", the unit may be left out.
[[nodiscard]] Result<FormulaField> parse_formula(std::string_view text);

/// A plane by a normal (any length above zero) and a point, metres.
struct ObliquePlane {
  Vec3 normal{0, 0, 1};
  Vec3 point{};
  bool operator==(const ObliquePlane&) const = default;
};
/// "NX,NY,NZ;X,Y,Z", the point with or without units; "NX,NY,NZ" alone goes through the origin.
[[nodiscard]] Result<ObliquePlane> parse_plane(std::string_view text);

struct SphereTable;

struct FrameRecipe {
  std::vector<FormulaField> formulas;
  std::vector<ObliquePlane> planes;
  /// Cells all of whose values lie within; of vectors and complex fields their lengths count.
  std::optional<std::pair<double, double>> within{};
  std::string part, field;                      ///< that planes and limits take; empty: every part, its first field
  std::shared_ptr<const SphereTable> sphere{};  ///< a far field to be seen around the body
  std::string sphere_column{};
  [[nodiscard]] bool empty() const { return formulas.empty() && planes.empty() && !within && !sphere; }
  bool operator==(const FrameRecipe&) const = default;
};

/// Between the name of a part and the number of a plane through it.
inline constexpr const char* plane_mark = ", plane ";
/// The frame with what the recipe adds. Formulas become fields; each plane a part "volume, plane 1", … of squares where the field has
/// values (trilinear on grids, shape functions in cells); with limits a part is replaced by its cells within them (of a grid:
/// hexahedra, at most `most_cells`). An error names the formula, or says that a plane misses everything.
[[nodiscard]] Result<std::shared_ptr<const Frame>> derive(std::shared_ptr<const Frame> frame,
                                                          const FrameRecipe& recipe);
inline constexpr Index most_cells = 4'000'000;

/// frame − less of every field that both have, on the geometry of `frame` (where the geometries differ the other is probed there; not a
/// number where it does not reach). Names, units and parts stay; a magnitude becomes a signed value.
[[nodiscard]] Result<std::shared_ptr<const Frame>> difference_of(const Frame& frame, const Frame& less);

/// A far field over θ (from z) and φ (from x, about z): columns "theta" and "phi" in degrees, the others its values.
struct SphereTable {
  std::vector<double> theta, phi;           ///< degrees, ascending; all combinations are there
  std::vector<Column> columns;              ///< of values
  std::vector<std::vector<double>> values;  ///< a column each, φ fastest
};
/// From rows in any order. An error where directions are missing.
[[nodiscard]] Result<SphereTable> sphere_of(const std::vector<Column>& columns,
                                            const std::vector<std::vector<double>>& rows);
/// Columns are labelled by the table's title and themselves, so that a colour bar says what is seen ("Directivity, 110 Hz").
void label_columns(SphereTable& table, const std::string& title);
inline constexpr const char* balloon_part = "far field";
inline constexpr const char* balloon_field = "far_field";
/// The frame with the far field around its parts: the distance from the middle of their box grows with the value, from 0 at `decibels`
/// below the peak (of values in dB; of others from zero) to 1.5 times the box's diagonal at the peak. Empty `column`: the first.
[[nodiscard]] Result<std::shared_ptr<const Frame>> with_balloon(const Frame& frame, const SphereTable& table,
                                                                const std::string& column = {}, double decibels = 50);
/// From where the far field of with_balloon goes out: the middle of the box of all other meshes.
[[nodiscard]] Vec3 balloon_centre(const Frame& frame);
/// θ (from z) and φ (from x, 0 to 360) of a place seen from there, degrees; (0, 0) in the centre itself.
[[nodiscard]] std::array<double, 2> direction_from(const Vec3& centre, const Vec3& place);
/// The curve of a plane through the z axis (phi of the first half; angles go round from 0 to 360°) for charts beside the balloon:
/// θ, then 360° − θ on the other side. Empty where the table has no such φ.
[[nodiscard]] std::vector<std::pair<double, double>> cut_of(const SphereTable& table, std::size_t column, double phi);

}  // namespace conoid
