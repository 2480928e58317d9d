// SPDX-License-Identifier: BSD-3-Clause
// Moving the camera: orbit about the z axis, pan, zoom, standard views and a tight fit. Free of any window system.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <vtkSmartPointer.h>

#include "engine/run/run_reader.hpp"
#include "render/window/input.hpp"

class vtkCamera;

namespace conoid {

enum class StandardView { iso, plus_x, minus_x, plus_y, minus_y, plus_z, minus_z };

/// "iso", "+x", "-z", …; the error lists them.
[[nodiscard]] Result<StandardView> parse_view(std::string_view name);
[[nodiscard]] std::vector<std::string> view_names();

using Bounds = std::array<double, 6>;  ///< xmin xmax ymin ymax zmin zmax, metres

/// Left drag orbits, middle drag (or shift + left) pans, right drag and wheel zoom, double click fits.
class CameraController {
 public:
  CameraController();
  CameraController(const CameraController&) = delete;
  CameraController& operator=(const CameraController&) = delete;
  ~CameraController();

  [[nodiscard]] vtkCamera* camera() const;
  /// What "fit" means and where clipping planes go; does not move the camera.
  void set_bounds(const Bounds& bounds);
  [[nodiscard]] const Bounds& bounds() const { return bounds_; }
  /// Points that fit() must keep in the picture instead of the corners of the bounds (empty: the corners again): a round
  /// body then fills the picture as well as a box does.
  void set_extremes(std::vector<Vec3> points) { extremes_ = std::move(points); }
  /// Size in device pixels and the margins kept free by fit() (left, right, bottom, top), as for a colour bar.
  void set_viewport(int width, int height, const std::array<double, 4>& margins);

  /// `plus_x` looks from +x towards the origin; z up (for ±z: y up).
  void look(StandardView view);
  /// Moves along the present direction so that the bounds just fill the picture within its margins.
  void fit();
  void orbit(double dx, double dy);  ///< device pixels of a drag
  void pan(double dx, double dy);
  void zoom(double factor);                         ///< > 1 comes closer
  void zoom_at(double factor, double x, double y);  ///< keeps the point under the cursor in place
  void set_parallel(bool parallel);
  [[nodiscard]] bool handle(const InputEvent& event);
  /// Near and far planes from the bounds; call before rendering.
  void update_clipping();
  /// True until look, orbit, pan or zoom was called by a person: a resize then fits again.
  [[nodiscard]] bool untouched() const { return untouched_; }
  void set_untouched() { untouched_ = true; }
  /// Takes over the other's position: linked views.
  void copy_from(const CameraController& other);
  /// Where it stands, for keeping: position, point looked at, up (each x y z), height of the picture in metres, 1 if parallel.
  [[nodiscard]] std::array<double, 11> placement() const;
  void place(const std::array<double, 11>& placement);

 private:
  struct Basis {
    Vec3 right, up, back;
  };
  [[nodiscard]] Basis basis() const;
  [[nodiscard]] double world_per_pixel() const;

  vtkSmartPointer<vtkCamera> camera_;
  Bounds bounds_{-1, 1, -1, 1, -1, 1};
  int width_ = 640;
  int height_ = 480;
  std::array<double, 4> margins_{};
  std::vector<Vec3> extremes_;
  bool untouched_ = true;
  MouseButton held_ = MouseButton::none;
  bool shift_ = false;
  double last_x_ = 0;
  double last_y_ = 0;
};

}  // namespace conoid
