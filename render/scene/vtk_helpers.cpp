// SPDX-License-Identifier: BSD-3-Clause
// Properties, lookup tables and text measured without a window.
#include "render/scene/vtk_helpers.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <vtkCellArray.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTextProperty.h>
#include <vtkTextRenderer.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnsignedCharArray.h>
#include <vtkUnstructuredGrid.h>

namespace conoid {

void set_background(vtkRenderer& renderer, const Rgb& color, bool transparent) {
  const Rgb drawn = transparent ? Rgb{0, 0, 0} : color;
  renderer.SetBackground(drawn[0], drawn[1], drawn[2]);
  renderer.SetBackgroundAlpha(transparent ? 0 : 1);
}

void set_color(vtkProperty& property, const Rgb& color) {
  property.SetColor(color[0], color[1], color[2]);
}

void set_surface_look(vtkProperty& property, const Theme& theme) {
  set_color(property, theme.surface);
  property.SetAmbient(0.38);
  property.SetDiffuse(0.68);
  property.SetSpecular(0.08);
  property.SetSpecularPower(24);
}

vtkSmartPointer<vtkLookupTable> lookup_table(const Coloring& coloring) {
  auto table = vtkSmartPointer<vtkLookupTable>::New();
  table->SetNumberOfTableValues(static_cast<vtkIdType>(coloring.table.size()));
  for (std::size_t i = 0; i < coloring.table.size(); ++i) {
    const auto& c = coloring.table[i];
    table->SetTableValue(static_cast<vtkIdType>(i), c[0] / 255.0, c[1] / 255.0, c[2] / 255.0, 1);
  }
  table->SetNanColor(coloring.missing[0], coloring.missing[1], coloring.missing[2], 1);
  table->SetTableRange(coloring.low, coloring.high);
  if (coloring.log) table->SetScaleToLog10();
  return table;
}

void set_text(vtkTextProperty& property, const Theme& theme, const Rgb& color, double pixels, bool bold) {
  const std::string& file = bold ? theme.font_bold_file : theme.font_file;
  if (!file.empty()) {
    property.SetFontFamily(VTK_FONT_FILE);
    property.SetFontFile(file.c_str());
    property.SetBold(0);
  } else {
    property.SetFontFamilyToArial();
    property.SetBold(bold ? 1 : 0);
  }
  property.SetFontSize(std::max(1, static_cast<int>(std::lround(pixels))));
  property.SetColor(color[0], color[1], color[2]);
  property.SetOpacity(1);
  property.SetItalic(0);
  property.SetShadow(0);
}

std::array<double, 2> text_size(const Theme& theme, std::string_view text, double pixels, bool bold) {
  if (text.empty()) return {0, 0};
  vtkNew<vtkTextProperty> property;
  set_text(*property, theme, theme.text, pixels, bold);
  int box[4] = {0, 0, 0, 0};
  vtkTextRenderer* renderer = vtkTextRenderer::GetInstance();
  // 72 dots an inch: a point is a pixel, as everywhere in these pictures.
  if (renderer == nullptr || !renderer->GetBoundingBox(property, std::string(text), box, 72))
    return {0.55 * pixels * static_cast<double>(text.size()), pixels};
  return {static_cast<double>(box[1] - box[0] + 1), static_cast<double>(box[3] - box[2] + 1)};
}

vtkSmartPointer<vtkUnstructuredGrid> unstructured_grid(const MeshGeometry& mesh) {
  auto grid = vtkSmartPointer<vtkUnstructuredGrid>::New();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  points->SetNumberOfPoints(static_cast<vtkIdType>(mesh.points->size() / 3));
  std::copy(mesh.points->begin(), mesh.points->end(), static_cast<double*>(points->GetVoidPointer(0)));
  vtkNew<vtkTypeInt64Array> connectivity;
  connectivity->SetNumberOfValues(static_cast<vtkIdType>(mesh.connectivity->size()));
  std::copy(mesh.connectivity->begin(), mesh.connectivity->end(), connectivity->GetPointer(0));
  vtkNew<vtkTypeInt64Array> offsets;
  offsets->SetNumberOfValues(static_cast<vtkIdType>(mesh.offsets->size()));
  std::copy(mesh.offsets->begin(), mesh.offsets->end(), offsets->GetPointer(0));
  vtkNew<vtkUnsignedCharArray> types;
  types->SetNumberOfValues(static_cast<vtkIdType>(mesh.types->size()));
  std::copy(mesh.types->begin(), mesh.types->end(), types->GetPointer(0));
  vtkNew<vtkCellArray> cells;
  cells->SetData(offsets, connectivity);
  grid->SetPoints(points);
  grid->SetCells(types, cells);
  return grid;
}

}  // namespace conoid
