// SPDX-License-Identifier: BSD-3-Clause
// Small bridges from our types to VTK's.
#pragma once

#include <string_view>

#include <vtkSmartPointer.h>

#include "render/scene/scene_part.hpp"
#include "render/scene/theme.hpp"

class vtkLookupTable;
class vtkProperty;
class vtkRenderer;
class vtkTextProperty;
class vtkUnstructuredGrid;

namespace conoid {

/// What lies behind everything. A transparent picture holds no colour where nothing is, or it would mix into the edges of
/// what is drawn.
void set_background(vtkRenderer& renderer, const Rgb& color, bool transparent);
void set_color(vtkProperty& property, const Rgb& color);
/// Shading that lets colours be read: much ambient light, hardly any gloss.
void set_surface_look(vtkProperty& property, const Theme& theme);
[[nodiscard]] vtkSmartPointer<vtkLookupTable> lookup_table(const Coloring& coloring);
/// The cells of a mesh as VTK's grid, copied. The mesh must have passed check_geometry().
[[nodiscard]] vtkSmartPointer<vtkUnstructuredGrid> unstructured_grid(const MeshGeometry& mesh);
/// Font, size in device pixels and colour.
void set_text(vtkTextProperty& property, const Theme& theme, const Rgb& color, double pixels, bool bold = false);
/// Width and height of a line of text in device pixels.
[[nodiscard]] std::array<double, 2> text_size(const Theme& theme, std::string_view text, double pixels,
                                              bool bold = false);

}  // namespace conoid
