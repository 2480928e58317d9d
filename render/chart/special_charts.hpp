// SPDX-License-Identifier: BSD-3-Clause
// Charts that VTK does not have: polar diagrams and the balance of workers over passes.
#pragma once

#include <vector>

#include "render/chart/chart_frame.hpp"
#include "render/window/image.hpp"

class vtkContext2D;

namespace conoid {

/// Angles in degrees from the right, counter-clockwise; the radius axis runs upwards from the centre.
void paint_polar(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec);

/// Above: shares of the workers' time a pass, stacked to 100 %: computing (a worker's colour), copying, waiting. Below:
/// the interval of items that each worker holds, and, where there are any and there is room, the bytes that
/// passed through windows and the memory taken of devices. Passes narrower than two pixels are averaged.
void paint_balance(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec);

/// What of a gather is seen: times, and traces counted from 0.5 above the first one.
struct GatherView {
  Box plot;
  double x_low = 0, x_high = 1;
  double y_low = 0.5, y_high = 1.5;
};

/// Colours and wiggles within `view.plot`, and at its right the scale of the colours. Every swing has the width of its trace where
/// it reaches gather_scale(); what is positive is filled.
void paint_gather(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec, const GatherView& view);
/// While one lives, pictures that are painted on this thread are kept, in their order: VTK's writer of SVG names them, and leaves them out.
class DrawnPictures {
 public:
  DrawnPictures();
  ~DrawnPictures();
  DrawnPictures(const DrawnPictures&) = delete;
  DrawnPictures& operator=(const DrawnPictures&) = delete;
  std::vector<Image> images;
};

/// Levels as colours within `view.plot` (frequencies upwards), and at its right their scale, from the highest down to
/// `limits.decibels` below it. A pixel has the highest level of what it covers; times without a whole window stay empty.
void paint_spectrogram(vtkContext2D& painter, const ChartFrame& frame, const ChartSpec& spec, const GatherView& view);
/// Whether a chart has a scale of colours.
[[nodiscard]] bool has_colour_scale(const ChartSpec& spec);
/// The room that the scale of the colours takes at the right, in device pixels.
[[nodiscard]] double colour_scale_room(const ChartFrame& frame, const ChartSpec& spec);

}  // namespace conoid
