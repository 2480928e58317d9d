// SPDX-License-Identifier: BSD-3-Clause
// Pens, brushes and text of VTK's 2-D context in our terms.
#pragma once

#include <string>

#include "render/scene/theme.hpp"

class vtkContext2D;

namespace conoid {

enum class Align { left, centre, right };
enum class Raise { bottom, middle, top };

void use_brush(vtkContext2D& painter, const Rgb& color, double opacity = 1);
void use_pen(vtkContext2D& painter, const Rgb& color, double width, double opacity = 1);
void no_pen(vtkContext2D& painter);
/// A text as pictures have it: with a decimal comma where the theme asks for one.
[[nodiscard]] std::string in_figures(const Theme& theme, const std::string& text);
/// `angle` in degrees.
void draw_text(vtkContext2D& painter, const Theme& theme, const Rgb& color, double pixels, bool bold, Align align,
               Raise raise, double x, double y, const std::string& text, double angle = 0);
void draw_line(vtkContext2D& painter, double x0, double y0, double x1, double y1);
void draw_rect(vtkContext2D& painter, double x, double y, double width, double height);

}  // namespace conoid
