// SPDX-License-Identifier: BSD-3-Clause
// What a field scene holds; shared by the files that implement it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <vtkActor.h>
#include <vtkContextActor.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkRenderer.h>

#include "render/scene/arrows.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/overlay.hpp"
#include "render/scene/scene_part.hpp"

namespace conoid {

struct FieldScene::Impl {
  struct Entry {
    std::string name;
    std::unique_ptr<ScenePart> part;
    std::unique_ptr<ArrowActors> arrows;  // made when first wanted
  };

  std::shared_ptr<const Frame> given;  // as it came
  std::shared_ptr<const Frame> frame;  // what the recipe of the view made of it
  FieldView view;
  Theme theme = light_theme();
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkRenderer> over;
  vtkNew<vtkContextActor> context;
  vtkNew<OverlayItem> overlay;
  vtkNew<vtkPolyData> outline;
  vtkNew<vtkActor> outline_actor;
  vtkNew<vtkPolyData> line;
  vtkNew<vtkActor> line_actor;
  std::vector<Entry> parts;  // in the frame's order
  std::vector<Marker> markers;
  std::vector<std::size_t> noted;  // which annotations are in the picture
  CameraController camera;
  Coloring coloring;
  std::string map_name;  // the map in coloring.table
  std::pair<double, double> range{0, 1};
  std::string range_of;                            // what the kept range belongs to
  std::string asked_of;                            // what is shown now, in the same words
  std::optional<std::pair<double, double>> known;  // of frames that are not drawn, see set_known_range
  std::string known_of;
  /// The range of values that were looked through last: another theme or title is no reason to do it again.
  struct Ranged {
    std::shared_ptr<const std::vector<float>> values;
    std::string key;
    double percent = 0;
    bool all_zero = false;
    std::pair<double, double> range;
  };
  std::vector<Ranged> ranged;
  std::string bar_label;
  std::string bar_unit;
  Bounds bounds{-1, 1, -1, 1, -1, 1};
  std::vector<Vec3> shape;  // outermost points of what is shown; none: the corners of its box
  bool has_bounds = false;
  bool colored = false;
  bool grid_shown = false;  // among the parts that are shown
  StandardView standard = StandardView::iso;
  double pixel_ratio = 1;
  int width = 640;
  int height = 480;
  bool attached = false;
  bool transparent = false;
  Detail detail = Detail::by_time;
  bool coarse = false;
  double whole_seconds = 0;            // that the last whole picture took
  double coarse_seconds = 0;           // shortest of the pictures with less detail; 0: none yet
  int coarse_pictures = 0;             // since there is less detail
  std::size_t coarse_triangles = 0;    // in them
  std::size_t most_triangles = 35000;  // to be drawn while the view moves

  void set_coarse(bool on) {
    coarse = on;
    coarse_pictures = 0;
    for (const Entry& entry : parts)
      if (entry.part) entry.part->set_coarse(on, most_triangles);
  }

  /// Whether a part is the chosen one, or a plane through it.
  [[nodiscard]] bool is_chosen(const std::string& part) const {
    return view.part.empty() || view.part == part || part.starts_with(view.part + plane_mark);
  }
  const Field* find(const FramePart& part, const std::string& name) const {
    for (const Field& f : part.fields)
      if (f.info.name == name) return &f;
    return nullptr;
  }
  std::string field_name() const {
    if (!view.field.empty() || !frame) return view.field;
    for (const FramePart& p : frame->parts)
      if (!p.fields.empty() && (view.part.empty() || view.part == p.name)) return p.fields.front().info.name;
    return {};
  }
  /// The axis along which everything shown has no extent, or −1: a plane grid or a plane mesh.
  int flat_axis() const {
    double largest = 0;
    for (std::size_t d = 0; d < 3; ++d) largest = std::max(largest, bounds[2 * d + 1] - bounds[2 * d]);
    for (std::size_t d = 0; d < 3; ++d)
      if (bounds[2 * d + 1] - bounds[2 * d] < 1e-9 * largest) return static_cast<int>(d);
    return -1;
  }
  /// What a view makes of the frame at hand.
  [[nodiscard]] Result<std::shared_ptr<const Frame>> made(const FieldView& view) const;
  void apply_look();
  void apply_background();
  void spread_map();
  Status update();
  Status update_range(const std::vector<std::pair<Entry*, const Field*>>& fields);
  void update_outline();
  void fit_to_markers();
  void place_overlay();
  struct Thinning {
    long stride = 1;
    double whole = 0;  ///< points of all; 0: nothing is left out
  };
  [[nodiscard]] Thinning thinning() const;
  Ray ray_at(double x, double y) const;
  /// Of an arrow: length and components of its vector, at its place.
  [[nodiscard]] Probe probe_of(const Arrow& arrow, const Field& field, const std::string& part) const;
  Vec3 to_display(const Vec3& world) const;
  /// Of the box around what is shown: left, bottom, right, top, device pixels.
  [[nodiscard]] std::array<double, 4> box_in_picture() const;
  /// Fits again where the picture would lie below the directions of the axes in its corner.
  void make_room_for_triad(const std::array<double, 4>& margins);
  /// Of the box about what is drawn, as it is seen.
  [[nodiscard]] std::vector<OverlayLabel> lengths_of_box() const;
  Vec3 forward() const;  ///< away from the eye
  Vec3 middle_of_field() const;
  /// Where the arrow of a wave begins and ends.
  std::array<Vec3, 2> ends_of_wave(const Vec3& direction) const;
  /// A sixth of the field long, through the source's place.
  std::array<Vec3, 2> ends_of_source(const Marker& marker) const;
  std::optional<OverlayArrow> arrow_of(const Marker& marker) const;
};

}  // namespace conoid
