// SPDX-License-Identifier: BSD-3-Clause
// What a person may choose about a picture of a field; data alone, without anything that draws.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/derived_frame.hpp"
#include "render/scene/field_values.hpp"

namespace conoid {

/// A plane across a grid or a volume mesh, at a fraction 0 … 1 of the bounds along its axis.
struct CutPlane {
  bool visible = true;
  double position = 0.5;
};

/// Removes what lies on the side the normal points to; `position` as for cuts, along the normal.
struct ClipPlane {
  Vec3 normal{0, -1, 0};
  double position = 0.5;
};

/// A text of somebody's own at a place of the scene.
struct Annotation {
  std::string text;
  Vec3 place{};  ///< metres
  [[nodiscard]] bool operator==(const Annotation&) const = default;
};

/// Everything a person may choose about a field picture. Defaults give a good picture of any frame.
struct FieldView {
  std::string part;   ///< empty: every part that carries the field
  std::string field;  ///< empty: the first field of the frame
  ValueSelection value;
  std::string color_map;  ///< empty: the theme's map for the kind of field
  bool map_reversed = false;
  bool map_log = false;        ///< colours by the logarithm; of values above zero only
  bool map_symmetric = false;  ///< the range reaches as far below zero as above
  int map_steps = 0;           ///< so many bands of one colour; 0: smooth
  FrameRecipe recipe;          ///< what is made of the frame before it is shown; its part and field are those above
  bool fixed_range = false;    ///< low … high below instead of the robust range
  double low = 0;
  double high = 1;
  double percent = 99.8;         ///< percentile of the robust range
  bool keep_range = true;        ///< the robust range only grows from frame to frame, so colours do not flicker
  std::array<CutPlane, 3> cuts;  ///< planes normal to x, y, z through 3-D grids
  bool mesh_cuts = false;        ///< the same planes through volume meshes, whose skin is then not drawn
  /// Iso-surfaces of 3-D grids and volume meshes: at these fractions of the range's larger end (−1 … 1), and at these values in the unit of
  /// what is shown.
  std::vector<double> iso;
  std::vector<double> iso_values{};
  /// Grids with three extents by volume rendering in the colours of their values, between 0 (none) and 1: what of the light a fortieth of the grid's longest
  /// side holds back where the value lies at the end of the range; less in between, nothing at zero of signed values and at the lower end of others.
  double volume = 0;
  bool edges = false;             ///< sides of mesh cells
  bool smooth = true;             ///< values of the cells of surfaces are averaged at their nodes, but not over creases
  double opacity = 1;             ///< of mesh surfaces and iso-surfaces
  std::optional<ClipPlane> clip;  ///< of mesh surfaces
  std::string warp_field;         ///< moves mesh points by this point field (vector, or scalar along the normal)
  double warp_scale = 0;          ///< metres a unit of the field; 0: largest move = 5 % of the size
  std::string arrow_field;        ///< a vector field drawn as arrows; empty: none
  int arrows = 400;               ///< about how many
  bool streamlines = false;       ///< lines along the field instead of arrows
  bool context = true;            ///< meshes without the field are drawn plain
  bool outline = true;
  bool color_bar = true;
  bool caption = true;  ///< title and time
  bool triad = true;
  bool extents = true;  ///< lengths along the outline
  std::vector<Annotation> annotations{};
  std::string iteration_word = "iteration", phase_word = "phase";  ///< in the caption
  std::string thinned_words =
      "1 of {} grid points along each axis";  ///< likewise, of a volume that is kept coarser than its planes
  std::string title;                          ///< empty: none
  std::string label;                          ///< of the colour bar; empty: the field's own, with its component
};

}  // namespace conoid
