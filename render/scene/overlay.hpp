// SPDX-License-Identifier: BSD-3-Clause
// What is drawn over a field in picture coordinates: colour bar, caption, orientation, lengths, markers.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <vtkContextItem.h>
#include <vtkSmartPointer.h>

#include "render/scene/scene_part.hpp"
#include "render/scene/ticks.hpp"

namespace conoid {

/// A text or mark at a place in device pixels from the bottom left.
struct OverlayMark {
  double x = 0;
  double y = 0;
  MarkerKind kind = MarkerKind::receiver;
  std::string label;
};
struct OverlayLabel {
  double x = 0;
  double y = 0;
  std::string text;
};

struct OverlayContent {
  Theme theme;
  double ratio = 1;  ///< device pixels for one logical pixel
  int width = 1;
  int height = 1;
  std::string title;
  std::string moment;  ///< "t = 1.2 ms"
  bool bar = false;
  Coloring coloring;
  TickSet ticks;
  std::string bar_title;
  bool triad = true;
  std::array<std::array<double, 3>, 3> axes{};  ///< x, y, z in camera axes (right, up, towards the eye)
  std::vector<OverlayLabel> lengths;
  std::vector<OverlayMark> marks;
};

class OverlayItem : public vtkContextItem {
 public:
  static OverlayItem* New();
  vtkTypeMacro(OverlayItem, vtkContextItem)

  OverlayContent content;
  bool Paint(vtkContext2D* painter) override;

  /// Device pixels that the colour bar and its labels need at the right.
  [[nodiscard]] double bar_margin() const;

 protected:
  OverlayItem() = default;
  ~OverlayItem() override = default;

 private:
  void paint_bar(vtkContext2D& painter);
  void paint_caption(vtkContext2D& painter);
  void paint_triad(vtkContext2D& painter);
  void paint_marks(vtkContext2D& painter);
};

}  // namespace conoid
