// SPDX-License-Identifier: BSD-3-Clause
// Thin wrappers around vtkContext2D.
#include "render/scene/painting.hpp"

#include <algorithm>
#include <cmath>

#include <vtkBrush.h>
#include <vtkContext2D.h>
#include <vtkPen.h>
#include <vtkStdString.h>
#include <vtkTextProperty.h>

#include "engine/core/decimal_comma.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {
unsigned char byte(double v) {
  return static_cast<unsigned char>(std::lround(255 * std::clamp(v, 0.0, 1.0)));
}
}  // namespace

void use_brush(vtkContext2D& painter, const Rgb& color, double opacity) {
  painter.GetBrush()->SetColor(byte(color[0]), byte(color[1]), byte(color[2]), byte(opacity));
}

void use_pen(vtkContext2D& painter, const Rgb& color, double width, double opacity) {
  painter.GetPen()->SetLineType(vtkPen::SOLID_LINE);
  painter.GetPen()->SetColor(byte(color[0]), byte(color[1]), byte(color[2]), byte(opacity));
  painter.GetPen()->SetWidth(static_cast<float>(width));
}

void no_pen(vtkContext2D& painter) {
  painter.GetPen()->SetLineType(vtkPen::NO_PEN);
}

std::string in_figures(const Theme& theme, const std::string& text) {
  return theme.decimal_comma ? with_decimal_comma(text) : text;
}

void draw_text(vtkContext2D& painter, const Theme& theme, const Rgb& color, double pixels, bool bold, Align align,
               Raise raise, double x, double y, const std::string& text, double angle) {
  if (text.empty()) return;
  vtkTextProperty* property = painter.GetTextProp();
  set_text(*property, theme, color, pixels, bold);
  property->SetJustification(align == Align::left    ? VTK_TEXT_LEFT
                             : align == Align::right ? VTK_TEXT_RIGHT
                                                     : VTK_TEXT_CENTERED);
  property->SetVerticalJustification(raise == Raise::bottom ? VTK_TEXT_BOTTOM
                                     : raise == Raise::top  ? VTK_TEXT_TOP
                                                            : VTK_TEXT_CENTERED);
  property->SetOrientation(angle);
  painter.DrawString(static_cast<float>(std::round(x)), static_cast<float>(std::round(y)), in_figures(theme, text));
}

void draw_line(vtkContext2D& painter, double x0, double y0, double x1, double y1) {
  painter.DrawLine(static_cast<float>(x0), static_cast<float>(y0), static_cast<float>(x1), static_cast<float>(y1));
}

void draw_rect(vtkContext2D& painter, double x, double y, double width, double height) {
  painter.DrawRect(static_cast<float>(x), static_cast<float>(y), static_cast<float>(width), static_cast<float>(height));
}

}  // namespace conoid
