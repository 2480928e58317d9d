// SPDX-License-Identifier: BSD-3-Clause
// A chart as a scene: curves (VTK's charts), polar diagrams and the balance of workers, in the same viewports as fields.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "render/chart/chart_spec.hpp"
#include "render/window/scene.hpp"

class vtkRenderer;

namespace conoid {

/// The values of all curves at one abscissa.
struct ChartReading {
  double x = 0;
  struct Value {
    std::string label;
    double y = 0;  ///< NaN where the curve has no value
  };
  std::vector<Value> values;
  std::string text;  ///< "t = 1.2 ms   north 3.1 mPa   south 2.8 mPa"
};

/// What of a chart a person can change where it stands.
struct ChartPlace {
  enum class Part { none, plot, title, x_axis, y_axis, curve };
  Part part = Part::none;
  std::string curve;  ///< its label
};

/// Wheel zooms along x (with control along y), left drag pans, double click shows everything, moving shows a crosshair, a
/// click on an entry of the legend hides its curve and shows it again.
class ChartScene final : public Scene {
 public:
  ChartScene();
  ~ChartScene() override;

  /// New data; a zoomed view stays as it is when title and kind stay the same.
  void set_chart(ChartSpec spec);
  [[nodiscard]] const ChartSpec& chart() const;
  [[nodiscard]] const Theme& theme() const;
  void set_legend(bool visible);
  /// Whether the title is drawn: beside a tab of the same name it only takes room.
  void set_title(bool visible);
  /// Curves that are left out of the plot; their entries in the legend stay, faint. A click on an entry changes it.
  void set_hidden(std::set<std::string> labels);
  [[nodiscard]] const std::set<std::string>& hidden() const;
  void set_crosshair(bool visible);
  /// The visible range of data.
  struct View {
    double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  };
  [[nodiscard]] View view() const;
  void set_view(const View& view);
  [[nodiscard]] bool is_zoomed() const;
  void show_all();
  /// A line across the plot at a value of the abscissa: the moment of the picture beside it.
  void set_mark(std::optional<double> x);
  /// Where a pointer over another chart of the same abscissa stands; the curves are read here as well.
  void set_linked_pointer(std::optional<double> x);
  /// The abscissa under the pointer, snapped to a sample; empty where it is not over the plot.
  [[nodiscard]] std::optional<double> pointer() const;
  std::function<void()> pointer_moved;                 ///< may be empty
  std::function<void(const ChartPlace&)> edit_wanted;  ///< a double click on title, axis or an entry of the legend
  /// Device pixels from the top left.
  [[nodiscard]] ChartPlace place_at(double x, double y) const;
  /// The curves at the abscissa under a place (device pixels from the top left); empty outside or on other kinds.
  [[nodiscard]] std::optional<ChartReading> read(double x, double y) const;
  [[nodiscard]] vtkRenderer* renderer() const;

  void attach(vtkRenderWindow& window) override;
  void detach(vtkRenderWindow& window) override;
  void layout(int width, int height, double pixel_ratio) override;
  bool handle(const InputEvent& event) override;
  void set_theme(const Theme& theme) override;
  void set_transparent(bool transparent) override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace conoid
