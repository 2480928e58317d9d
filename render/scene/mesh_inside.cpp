// SPDX-License-Identifier: BSD-3-Clause
// What is seen inside of volume meshes: planes through their cells, and iso-surfaces.
#include <algorithm>
#include <cmath>

#include <vtkActor.h>
#include <vtkCellData.h>
#include <vtkCellDataToPointData.h>
#include <vtkContourFilter.h>
#include <vtkFloatArray.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkPlane.h>
#include <vtkPlaneCutter.h>
#include <vtkPointData.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkPolyDataNormals.h>
#include <vtkProperty.h>
#include <vtkUnstructuredGrid.h>

#include "render/scene/mesh_part.hpp"
#include "render/scene/triangle_hit.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

vtkSmartPointer<vtkUnstructuredGrid> MeshPart::volume_grid() const {
  if (grid_ == nullptr) grid_ = unstructured_grid(mesh_);
  vtkNew<vtkFloatArray> scalars;
  scalars->SetName("values");
  scalars->SetNumberOfValues(static_cast<vtkIdType>(values().size()));
  std::copy(values().begin(), values().end(), scalars->GetPointer(0));
  grid_->GetPointData()->SetScalars(association_ == Association::point ? scalars.Get() : nullptr);
  grid_->GetCellData()->SetScalars(association_ == Association::cell ? scalars.Get() : nullptr);
  return grid_;
}

void MeshPart::update_cuts(const FieldView& view, const Theme& theme, const Coloring& coloring) {
  const bool cuts = view.mesh_cuts && skin_.has_volume_cells && !values().empty();
  vtkSmartPointer<vtkUnstructuredGrid> grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool visible = cuts && view.cuts[axis].visible;
    cut_actors_[axis]->SetVisibility(visible);
    if (!visible) continue;
    if (grid == nullptr) grid = volume_grid();
    vtkNew<vtkPlane> plane;
    double origin[3] = {0, 0, 0};
    double normal[3] = {0, 0, 0};
    // Never exactly on an outer face, where the cut of a cell is undefined.
    const double f = std::clamp(view.cuts[axis].position, 1e-4, 1 - 1e-4);
    origin[axis] = bounds_[2 * axis] + f * (bounds_[2 * axis + 1] - bounds_[2 * axis]);
    normal[axis] = 1;
    plane->SetOrigin(origin);
    plane->SetNormal(normal);
    vtkNew<vtkPlaneCutter> cutter;
    cutter->SetPlane(plane);
    cutter->SetInputData(grid);
    cutter->ComputeNormalsOff();
    cutter->Update();
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputDataObject(cutter->GetOutputDataObject(0));
    auto* cut = vtkPolyData::SafeDownCast(cutter->GetOutputDataObject(0));
    if (cut == nullptr) {
      cut_actors_[axis]->VisibilityOff();
      continue;
    }
    mapper->SetInputData(cut);
    mapper->SetLookupTable(lookup_table(coloring));
    mapper->SetScalarRange(coloring.low, coloring.high);
    mapper->InterpolateScalarsBeforeMappingOn();
    if (association_ == Association::point)
      mapper->SetScalarModeToUsePointData();
    else
      mapper->SetScalarModeToUseCellData();
    cut_actors_[axis]->SetMapper(mapper);
    set_color(*cut_actors_[axis]->GetProperty(), theme.surface);
  }
}

void MeshPart::update_iso(const FieldView& view, const Theme& theme, const Coloring& coloring) {
  iso_actor_->SetVisibility(shows_iso(view));
  if (!shows_iso(view)) return;
  vtkSmartPointer<vtkUnstructuredGrid> grid = volume_grid();
  vtkNew<vtkCellDataToPointData> averaged;
  if (association_ == Association::cell) {
    // Steps from cell to cell have no surface between them: means at their common nodes have.
    averaged->SetInputData(grid);
    averaged->Update();
    grid = vtkUnstructuredGrid::SafeDownCast(averaged->GetOutput());
  }
  vtkNew<vtkContourFilter> contours;
  contours->SetInputData(grid);
  contours->ComputeNormalsOff();
  const double end = std::max(std::abs(coloring.low), std::abs(coloring.high));
  int count = 0;
  for (const double fraction : view.iso) contours->SetValue(count++, fraction * end);
  vtkNew<vtkPolyDataNormals> smooth;
  smooth->SetInputConnection(contours->GetOutputPort());
  smooth->SplittingOff();
  smooth->Update();
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(smooth->GetOutput());
  mapper->SetLookupTable(lookup_table(coloring));
  mapper->SetScalarRange(coloring.low, coloring.high);
  mapper->SetScalarModeToUsePointData();
  mapper->InterpolateScalarsBeforeMappingOn();
  iso_actor_->SetMapper(mapper);
  set_surface_look(*iso_actor_->GetProperty(), theme);
  iso_actor_->GetProperty()->SetOpacity(view.opacity);
}

std::optional<Hit> MeshPart::hit_inside(const Ray& ray) const {
  std::optional<Hit> best;
  const auto try_actor = [&](vtkActor& actor) {
    if (actor.GetVisibility() == 0) return;
    auto* mapper = vtkPolyDataMapper::SafeDownCast(actor.GetMapper());
    if (mapper == nullptr || mapper->GetInput() == nullptr) return;
    if (const auto met = meet_surface(ray, *mapper->GetInput()); met && (!best || met->distance < best->distance))
      best = met;
  };
  for (const auto& actor : cut_actors_) try_actor(*actor);
  try_actor(*iso_actor_);
  return best;
}

}  // namespace conoid
