// SPDX-License-Identifier: BSD-3-Clause
// What is seen inside of volume meshes: planes through their cells, and iso-surfaces.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <utility>

#include <vtkActor.h>
#include <vtkAppendPolyData.h>
#include <vtkCellData.h>
#include <vtkCellDataToPointData.h>
#include <vtkCleanPolyData.h>
#include <vtkCompositeDataIterator.h>
#include <vtkCompositeDataSet.h>
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

#include "render/scene/iso_levels.hpp"
#include "render/scene/mesh_part.hpp"
#include "render/scene/triangle_hit.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

/// What a filter that works in several threads leaves in pieces. VTK 9.1 does so with planes through unstructured grids, VTK 9.3 does not.
vtkSmartPointer<vtkPolyData> in_one(vtkDataObject* data) {
  if (auto* whole = vtkPolyData::SafeDownCast(data)) return whole;
  vtkNew<vtkAppendPolyData> all;
  all->AddInputData(vtkNew<vtkPolyData>());
  if (auto* pieces = vtkCompositeDataSet::SafeDownCast(data)) {
    const auto each = vtkSmartPointer<vtkCompositeDataIterator>::Take(pieces->NewIterator());
    for (each->InitTraversal(); !each->IsDoneWithTraversal(); each->GoToNextItem())
      if (auto* piece = vtkPolyData::SafeDownCast(each->GetCurrentDataObject())) all->AddInputData(piece);
  }
  all->Update();
  return all->GetOutput();
}

/// Fields that jump from cell to cell have a point of each cell in one place: surfaces of one value are without gaps where these have one value,
/// their mean.
void join_values(vtkUnstructuredGrid& grid) {
  auto* values = vtkFloatArray::SafeDownCast(grid.GetPointData()->GetScalars());
  if (values == nullptr) return;
  struct Place {
    std::array<double, 3> at;
    bool operator==(const Place& other) const { return at == other.at; }
  };
  const auto hash = [](const Place& place) {
    std::size_t h = 0;
    for (const double x : place.at) h = h * 1099511628211U + std::hash<double>()(x);
    return h;
  };
  std::unordered_map<Place, std::pair<double, int>, decltype(hash)> means(16, hash);
  const vtkIdType n = grid.GetNumberOfPoints();
  means.reserve(static_cast<std::size_t>(n));
  Place place{};
  for (vtkIdType i = 0; i < n; ++i) {
    grid.GetPoint(i, place.at.data());
    auto& [sum, count] = means[place];
    sum += static_cast<double>(values->GetValue(i));
    ++count;
  }
  if (means.size() == static_cast<std::size_t>(n)) return;
  for (vtkIdType i = 0; i < n; ++i) {
    grid.GetPoint(i, place.at.data());
    const auto& [sum, count] = means.at(place);
    values->SetValue(i, static_cast<float>(sum / count));
  }
}

}  // namespace

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
  const bool cuts = shows_cuts(view);
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
    const vtkSmartPointer<vtkPolyData> cut = in_one(cutter->GetOutputDataObject(0));
    vtkNew<vtkPolyDataMapper> mapper;
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
  if (association_ == Association::point) join_values(*grid);
  vtkNew<vtkContourFilter> contours;
  contours->SetInputData(grid);
  contours->ComputeNormalsOff();
  int count = 0;
  for (const double level : iso_levels(view, coloring.low, coloring.high)) contours->SetValue(count++, level);
  // One point where surfaces of neighbours meet, so that they are shaded as one.
  vtkNew<vtkCleanPolyData> joined;
  joined->SetInputConnection(contours->GetOutputPort());
  vtkNew<vtkPolyDataNormals> smooth;
  smooth->SetInputConnection(joined->GetOutputPort());
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
