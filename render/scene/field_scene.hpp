// SPDX-License-Identifier: BSD-3-Clause
// A field on grids and meshes, with colour bar, time, outline and orientation: what the workbench looks at.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/run_reader.hpp"
#include "render/scene/field_view.hpp"
#include "render/scene/theme.hpp"
#include "render/window/camera_controller.hpp"
#include "render/window/scene.hpp"

namespace conoid {

enum class MarkerKind : std::uint8_t { source, receiver, wave, boundary };
/// A place in the picture; a `boundary` is the middle of a side with a condition, which stays where it is. A plane wave has none: its arrow stands beside the field, on the side that it comes from.
struct Marker {
  Vec3 position{};
  MarkerKind kind = MarkerKind::receiver;
  std::string label;
  /// In which a wave runs, of any length above 0; along which a source points, 0 where it points nowhere.
  Vec3 direction{};
  /// Along which it oscillates: bars across its arrow.
  std::vector<Vec3> polarisations{};
  std::string key{};  ///< where the case has it, for whoever placed it; what has none is not dragged
  int colour = 0;     ///< of a boundary: which of the theme's further colours
};

/// What lies under the cursor.
struct Probe {
  Vec3 position{};
  std::string part;
  double value = 0;                                  ///< the coloured number, interpolated
  std::string what;                                  ///< "Pressure 3.2 mPa"; without a field the part
  std::string where;                                 ///< "(1.2, 0, 3.4) m"; on a far field "θ = 45°, φ = 90°"
  std::string text;                                  ///< "Pressure 3.2 mPa at (1.2, 0, 3.4) m"
  std::optional<std::array<double, 2>> direction{};  ///< θ and φ on a far field around a body, degrees
};

struct ProfilePoint {
  double distance = 0;  ///< from the start, metres
  double value = 0;     ///< NaN outside
};

struct FieldChoice {
  std::string part;
  FieldInfo info;
};

class FieldScene final : public Scene {
 public:
  FieldScene();
  ~FieldScene() override;

  /// Shows a frame. Geometry is rebuilt only where it changed (other shared arrays, other grid). The status names
  /// what could not be shown; the rest is shown nevertheless.
  Status set_frame(std::shared_ptr<const Frame> frame);
  [[nodiscard]] std::shared_ptr<const Frame> frame() const;
  /// Also returns what cannot be done (no such field, map, component); the former picture then stays.
  Status set_view(FieldView view);
  [[nodiscard]] const FieldView& view() const;
  /// Parts and fields of the frame.
  [[nodiscard]] std::vector<FieldChoice> choices() const;
  /// The range shown now, and starting it afresh from the present frame.
  [[nodiscard]] std::pair<double, double> range() const;
  void reset_range();
  /// The range of the field shown now over all frames (range_over_frames): it is taken for as long as this field is shown and the
  /// range is not fixed.
  void set_known_range(std::pair<double, double> range);

  void set_markers(std::vector<Marker> markers);
  [[nodiscard]] const std::vector<Marker>& markers() const;
  [[nodiscard]] CameraController& camera();
  [[nodiscard]] const CameraController& camera() const;
  /// Standard view and fit; flat fields are seen face on when the view is `iso`.
  void look(StandardView view);
  void fit();

  /// Device pixels from the top left corner of the picture last laid out.
  [[nodiscard]] std::optional<Probe> pick(double x, double y) const;
  /// The point of the ray under the cursor on a plane z = height (for placing receivers where there is nothing to hit).
  [[nodiscard]] std::optional<Vec3> pick_plane(double x, double y, int axis, double at) const;
  /// The marker under the cursor: the nearest within some pixels, of a wave its arrow.
  [[nodiscard]] std::optional<std::size_t> marker_at(double x, double y) const;
  /// What stands below the title, as last laid out: the moment, and whether the volume is kept coarser than it was computed.
  [[nodiscard]] std::string caption() const;
  /// Points of the volume that is shown, of all of which the frame keeps every so-manieth only (see caption()); 0: it is whole, or nobody says.
  [[nodiscard]] double points_of_whole() const;
  /// The annotation whose text or place is under the cursor.
  [[nodiscard]] std::optional<std::size_t> annotation_at(double x, double y) const;
  /// Those of the view alone: nothing else of the picture is made anew.
  void set_annotations(std::vector<Annotation> annotations);
  /// Where a marker is while the cursor drags it: in the plane through it that faces the eye; of a wave a place on the ball around the
  /// middle of the field, which its arrow points away from.
  [[nodiscard]] std::optional<Vec3> dragged_to(const Marker& marker, double x, double y) const;
  /// The direction of a wave that comes from a place: towards the middle of the field.
  [[nodiscard]] Vec3 direction_of_wave_from(const Vec3& place) const;
  /// The coloured quantity along a line through a part (grid: trilinear; volume mesh: the cell's own shape functions).
  [[nodiscard]] Result<std::vector<ProfilePoint>> profile(const std::string& part, const Vec3& from, const Vec3& to,
                                                          int samples) const;

  /// The same of the frame at hand, to be done later on any thread; the scene may show another one or be gone by then.
  using ProfileJob = std::function<Result<std::vector<ProfilePoint>>()>;
  [[nodiscard]] Result<ProfileJob> profile_job(const std::string& part, const Vec3& from, const Vec3& to,
                                               int samples) const;

  /// The ends of the part that carries the field where it is a line, as of a run in one dimension; none otherwise.
  [[nodiscard]] std::optional<std::array<Vec3, 2>> line_ends() const;
  /// Cells of a mesh that a profile through the part looks through, each time anew; 0 of grids.
  [[nodiscard]] std::size_t cells_of_profile(const std::string& part) const;

  /// A scene of its own with the same frame, view, markers, theme, range and camera: for pictures of another size while
  /// this one is on the screen.
  [[nodiscard]] std::shared_ptr<FieldScene> copy() const;
  /// A line drawn over the field (a profile being drawn); no points: none.
  void set_line(std::vector<Vec3> points);

  /// While a mouse button turns or shifts the view of a picture that takes long to draw, large meshes are drawn with fewer
  /// triangles; when it is let go the whole picture comes back. Always, never, or (the default) by the time drawing takes.
  enum class Detail { by_time, whole, coarse };
  void set_detail(Detail detail);
  /// Triangles of meshes in the picture now.
  [[nodiscard]] std::size_t triangles_drawn() const;

  void attach(vtkRenderWindow& window) override;
  void detach(vtkRenderWindow& window) override;
  void layout(int width, int height, double pixel_ratio) override;
  void drawn(double seconds) override;
  bool handle(const InputEvent& event) override;
  void set_theme(const Theme& theme) override;
  void set_transparent(bool transparent) override;

 private:
  void less_detail();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace conoid
