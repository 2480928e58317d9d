// SPDX-License-Identifier: BSD-3-Clause
// A vector field of one frame part as arrows spread evenly, and as lines along the flow.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include <vtkSmartPointer.h>

#include "render/scene/field_scene.hpp"
#include "render/scene/scene_part.hpp"

class vtkActor;
class vtkPolyData;

namespace conoid {

/// A place and the vector there.
struct Arrow {
  Vec3 at{};
  Vec3 vector{};
};

/// About `count` places of a part, at nodes or cells of the part itself, one for each box of an even lattice; at most
/// 4·count. The vectors are those of the moment of `value` (Re(v e^{jωt}) where the field is complex).
[[nodiscard]] Result<std::vector<Arrow>> spread_arrows(const FramePart& part, const Field& field,
                                                       const ValueSelection& value, int count);

/// The vector at a place, or nothing outside.
using VectorAt = std::function<std::optional<Vec3>(const Vec3&)>;

/// A line through `start` along the field, both ways, by the classical Runge-Kutta method with steps of `step` metres of
/// arc; ends outside, where the field is below `least`, and after `most` steps each way.
[[nodiscard]] std::vector<Vec3> flow_line(const VectorAt& field, const Vec3& start, double step, double least,
                                          int most);

/// The interpolating function of a part: trilinear on grids, the cells' own shape functions on volume meshes and plane
/// meshes. `part` must outlive it. Empty when the part has neither.
[[nodiscard]] VectorAt vector_field(const FramePart& part, const Field& field, const ValueSelection& value);

/// Draws both for one part.
class ArrowActors {
 public:
  explicit ArrowActors(vtkRenderer& renderer);
  ArrowActors(const ArrowActors&) = delete;
  ArrowActors& operator=(const ArrowActors&) = delete;
  ~ArrowActors();

  /// Null field: nothing is drawn. `size` is the longest extent of what is shown.
  void update(const FramePart& part, const Field* field, const FieldView& view, const Theme& theme, double size,
              double pixel_ratio);

  /// The arrow under a ray, and how far along it. None among lines.
  struct Met {
    double distance = 0;
    Arrow arrow;
  };
  [[nodiscard]] std::optional<Met> hit(const Ray& ray) const;
  /// Metres by which an arrow reaches before and behind its place: what lies in a plane is drawn before it.
  [[nodiscard]] double reach() const { return longest_ / 2; }

 private:
  vtkRenderer& renderer_;
  std::vector<Arrow> drawn_;
  double longest_ = 0;  ///< metres, of the arrow of the largest vector
  double largest_ = 0;  ///< vector
  vtkSmartPointer<vtkPolyData> arrows_;
  vtkSmartPointer<vtkPolyData> lines_;
  vtkSmartPointer<vtkActor> arrow_actor_;
  vtkSmartPointer<vtkActor> line_actor_;
};

}  // namespace conoid
