// SPDX-License-Identifier: BSD-3-Clause
// A mesh as its skin, its edges, and cuts and iso-surfaces through its volume cells.
#pragma once

#include <memory>
#include <vector>

#include <vtkSmartPointer.h>

#include "render/scene/scene_part.hpp"
#include "render/scene/surface_mesh.hpp"

class vtkActor;
class vtkFloatArray;
class vtkPoints;
class vtkPolyData;
class vtkPolyDataMapper;
class vtkUnstructuredGrid;

namespace conoid {

class MeshPart final : public ScenePart {
 public:
  explicit MeshPart(vtkRenderer& renderer);
  ~MeshPart() override;

  Status set_geometry(const FramePart& part) override;
  [[nodiscard]] bool accepts(const Geometry& geometry) const override {
    return std::holds_alternative<MeshGeometry>(geometry);
  }
  [[nodiscard]] Bounds bounds() const override { return bounds_; }
  [[nodiscard]] std::vector<Vec3> extremes() const override { return extremes_; }
  [[nodiscard]] Index entries(Association association) const override;
  void set_values(std::shared_ptr<const std::vector<float>> values, Association association) override;
  void update(const FieldView& view, const Theme& theme, const Coloring& coloring, const Field* warp,
              double pixel_ratio) override;
  void set_coarse(bool coarse, std::size_t most) override;
  void seen_from(const Vec3& eye) override;
  [[nodiscard]] std::size_t triangles_drawn() const override;
  [[nodiscard]] bool is_line() const override { return !skin_.across.empty(); }
  [[nodiscard]] bool wants_outline(const FieldView& view) const override { return shows_iso(view) || shows_cuts(view); }
  [[nodiscard]] std::size_t cells_to_search() const override { return mesh_.types ? mesh_.types->size() : 0; }
  [[nodiscard]] std::optional<Hit> hit(const Ray& ray, const FieldView& view) const override;
  [[nodiscard]] Sampler sampler() const override;

 private:
  void build_polydata();
  void build_coarse(int boxes);
  void choose_detail();
  void find_extremes();
  void place_coarse_points();
  /// The direction in which a band reaches to both sides of its lines.
  [[nodiscard]] std::size_t band_axis() const;
  void place_points(const FieldView& view, const Field* warp);
  void gather_values();
  /// Values of cells become values of nodes: means over the triangles that meet there, by their area, on one side of a crease.
  void average_at_nodes();
  [[nodiscard]] bool shows_nodes() const { return association_ == Association::point || smooth_; }
  [[nodiscard]] bool shows_iso(const FieldView& view) const {
    return !(view.iso.empty() && view.iso_values.empty()) && skin_.has_volume_cells && !values().empty();
  }
  [[nodiscard]] bool shows_cuts(const FieldView& view) const {
    return view.mesh_cuts && skin_.has_volume_cells && !values().empty();
  }
  void update_cuts(const FieldView& view, const Theme& theme, const Coloring& coloring);
  void update_iso(const FieldView& view, const Theme& theme, const Coloring& coloring);
  /// On the planes and iso-surfaces that are seen instead of the skin.
  [[nodiscard]] std::optional<Hit> hit_inside(const Ray& ray) const;
  [[nodiscard]] vtkSmartPointer<vtkUnstructuredGrid> volume_grid() const;

  MeshGeometry mesh_;
  SurfaceMesh skin_;
  Bounds bounds_{};
  std::vector<Vec3> extremes_;
  Association association_ = Association::point;
  int coarse_boxes_ = 0;                    ///< along the longest side, of the coarse triangles made last
  std::vector<std::size_t> coarse_source_;  ///< the triangle of the skin behind each coarse one; empty: not made
  bool coarse_ = false;
  bool wires_wanted_ = false;
  bool values_changed_ = true;
  bool smooth_ = false;  ///< what is shown of cells is their mean at nodes
  bool points_changed_ = true;
  bool warped_ = false;
  bool outward_ = false;      ///< of triangles as they are placed: who looks from outside sees none from behind
  bool hides_backs_ = false;  ///< and nothing lets anybody look in
  double diagonal_ = 1;

  vtkSmartPointer<vtkPoints> points_;
  vtkSmartPointer<vtkFloatArray> normals_;
  vtkSmartPointer<vtkFloatArray> point_scalars_;
  vtkSmartPointer<vtkFloatArray> cell_scalars_;
  vtkSmartPointer<vtkFloatArray> coarse_scalars_;  ///< of cells
  vtkSmartPointer<vtkPolyData> surface_;
  std::vector<std::size_t> coarse_nodes_;  ///< the node of the skin behind each coarse point
  vtkSmartPointer<vtkPoints> coarse_points_;
  vtkSmartPointer<vtkFloatArray> coarse_normals_;
  vtkSmartPointer<vtkFloatArray> coarse_point_scalars_;
  vtkSmartPointer<vtkPolyData> coarse_surface_;  ///< fewer triangles, over points of their own
  vtkSmartPointer<vtkPolyData> wires_;
  vtkSmartPointer<vtkPolyDataMapper> surface_mapper_;
  vtkSmartPointer<vtkPolyDataMapper> wires_mapper_;
  vtkSmartPointer<vtkActor> surface_actor_;
  vtkSmartPointer<vtkActor> wires_actor_;
  std::array<vtkSmartPointer<vtkActor>, 3> cut_actors_;
  vtkSmartPointer<vtkActor> iso_actor_;
  mutable vtkSmartPointer<vtkUnstructuredGrid> grid_;
};

}  // namespace conoid
