// SPDX-License-Identifier: BSD-3-Clause
// A uniform grid as cut planes (textures coloured here), iso-surfaces and volume rendering.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <vtkSmartPointer.h>

#include "render/scene/scene_part.hpp"

class vtkActor;
class vtkImageData;
class vtkPolyData;
class vtkTexture;
class vtkGPUVolumeRayCastMapper;
class vtkVolume;

namespace conoid {

class ImagePart final : public ScenePart {
 public:
  explicit ImagePart(vtkRenderer& renderer);
  ~ImagePart() override;

  Status set_geometry(const FramePart& part) override;
  [[nodiscard]] bool accepts(const Geometry& geometry) const override {
    return std::holds_alternative<ImageGeometry>(geometry);
  }
  [[nodiscard]] Bounds bounds() const override;
  [[nodiscard]] Index entries(Association association) const override;
  void set_values(std::shared_ptr<const std::vector<float>> values, Association association) override;
  void update(const FieldView& view, const Theme& theme, const Coloring& coloring, const Field* warp,
              double pixel_ratio) override;
  void set_coarse(bool coarse, std::size_t most) override;
  [[nodiscard]] std::size_t triangles_drawn() const override;
  [[nodiscard]] std::optional<Hit> hit(const Ray& ray, const FieldView& view) const override;
  [[nodiscard]] Sampler sampler() const override;

 private:
  struct Plane {
    vtkSmartPointer<vtkActor> actor;
    vtkSmartPointer<vtkActor> frame;
    vtkSmartPointer<vtkTexture> texture;
    vtkSmartPointer<vtkImageData> pixels;
    vtkSmartPointer<vtkPolyData> quad;
    vtkSmartPointer<vtkPolyData> border;
    bool painted = false;       ///< of the values and the grid at hand, as the rest says
    bool with_missing = false;  ///< somewhere
    Index index = 0;
    Coloring coloring;
  };
  [[nodiscard]] bool plane_exists(int axis, const FieldView& view) const;
  [[nodiscard]] Index plane_index(int axis, const FieldView& view) const;
  [[nodiscard]] double plane_at(int axis, const FieldView& view) const;
  [[nodiscard]] std::array<Index, 3> size() const;  // entries along each axis by association
  /// Whether its picture is what paint() would make: another title or theme is no reason to colour a plane anew.
  [[nodiscard]] bool is_painted(int axis, const FieldView& view, const Coloring& coloring) const;
  void paint(int axis, const FieldView& view, const Coloring& coloring);
  void update_iso(const FieldView& view, const Theme& theme, const Coloring& coloring);
  [[nodiscard]] vtkSmartPointer<vtkPolyData> iso_surface(Index stride) const;
  void choose_iso();
  void update_volume(const FieldView& view, const Coloring& coloring);
  void set_volume_steps();
  [[nodiscard]] double interpolate(const Vec3& point) const;
  [[nodiscard]] std::optional<Hit> hit_iso(const Ray& ray) const;

  ImageGeometry grid_;
  Association association_ = Association::point;
  std::array<Plane, 3> planes_;
  vtkSmartPointer<vtkActor> iso_actor_;
  std::vector<double> iso_levels_;                    ///< of the surfaces that it shows
  std::shared_ptr<const std::vector<float>> iso_of_;  ///< the values that they were found in
  ImageGeometry iso_grid_;                            ///< and where these lay
  vtkSmartPointer<vtkPolyData> iso_whole_, iso_coarse_;
  Index iso_stride_ = 1;  ///< of the coarse ones
  /// Made when first wanted; follows what it was made of.
  struct Volume {
    vtkSmartPointer<vtkVolume> actor;
    vtkSmartPointer<vtkGPUVolumeRayCastMapper> mapper;
    double cell = 1;                                   ///< shortest side of one
    std::shared_ptr<const std::vector<float>> values;  ///< that it shows, or a copy was made of
    Association association = Association::point;
    ImageGeometry grid;
    double empty = 0;  ///< the value that missing ones were given
  };
  std::unique_ptr<Volume> volume_;
  bool coarse_ = false;
  std::size_t coarse_most_ = 0;  ///< triangles, while it is coarse
};

}  // namespace conoid
