// SPDX-License-Identifier: BSD-3-Clause
// Volume rendering of grids: VTK casts rays through them, on the graphics processor where there is one.
#include <algorithm>
#include <cmath>

#include <vtkColorTransferFunction.h>
#include <vtkFloatArray.h>
#include <vtkGPUVolumeRayCastMapper.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include "render/scene/image_part.hpp"

namespace conoid {

namespace {

/// More values are thinned evenly: a texture of a quarter of a gigabyte.
constexpr double most_voxels = 1 << 26, most_along_axis = 2048;

/// The value that holds back no light: what signed values swing about, else the lower end.
double empty_value(const Coloring& coloring) {
  return !coloring.log && coloring.low < 0 && coloring.high > 0 ? 0 : coloring.low;
}

double longest_side(const ImageGeometry& grid) {
  double out = 0;
  for (std::size_t i = 0; i < 3; ++i) out = std::max(out, grid.spacing[i] * static_cast<double>(grid.points[i] - 1));
  return out;
}

/// Every `stride`-th value along each axis, with `empty` where there is none.
vtkSmartPointer<vtkFloatArray> thinned_values(const std::vector<float>& values, const std::array<Index, 3>& n,
                                              const std::array<Index, 3>& kept, Index stride, double empty) {
  auto out = vtkSmartPointer<vtkFloatArray>::New();
  out->SetNumberOfValues(kept[0] * kept[1] * kept[2]);
  float* to = out->GetPointer(0);
  for (Index z = 0; z < kept[2]; ++z)
    for (Index y = 0; y < kept[1]; ++y)
      for (Index x = 0; x < kept[0]; ++x) {
        const float value = values[static_cast<std::size_t>(stride * (x + n[0] * (y + n[1] * z)))];
        *to++ = std::isfinite(value) ? value : static_cast<float>(empty);
      }
  return out;
}

void set_light(vtkVolumeProperty& property, const Coloring& coloring, double most) {
  vtkNew<vtkColorTransferFunction> colours;
  vtkNew<vtkPiecewiseFunction> opacity;
  const double empty = coloring.place(empty_value(coloring));
  const double reach = std::max(empty, 1 - empty);
  const auto last = static_cast<double>(coloring.table.size() - 1);
  constexpr double byte = 255;
  std::vector<double> of_colours;  // value, red, green, blue
  std::vector<double> of_opacity;  // value, opacity
  for (std::size_t i = 0; i < coloring.table.size(); ++i) {
    const double t = static_cast<double>(i) / last;
    const double value = coloring.log ? coloring.low * std::pow(coloring.high / coloring.low, t)
                                      : coloring.low + t * (coloring.high - coloring.low);
    const auto& c = coloring.table[i];
    of_colours.insert(of_colours.end(), {value, c[0] / byte, c[1] / byte, c[2] / byte});
    of_opacity.insert(of_opacity.end(), {value, most * std::abs(t - empty) / reach});
  }
  const auto count = static_cast<int>(coloring.table.size());
  colours->FillFromDataPointer(count, of_colours.data());
  opacity->FillFromDataPointer(count, of_opacity.data());
  property.SetColor(colours);
  property.SetScalarOpacity(opacity);
}

}  // namespace

void ImagePart::update_volume(const FieldView& view, const Coloring& coloring) {
  const std::array<Index, 3> n = size();
  const bool visible = view.volume > 0 && n[0] > 1 && n[1] > 1 && n[2] > 1 && !values().empty() &&
                       coloring.table.size() > 1 && coloring.low < coloring.high;
  if (!visible) {
    if (volume_) renderer_.RemoveVolume(volume_->actor);
    volume_.reset();
    return;
  }
  if (!volume_) {
    volume_ = std::make_unique<Volume>();
    volume_->actor = vtkSmartPointer<vtkVolume>::New();
    volume_->mapper = vtkSmartPointer<vtkGPUVolumeRayCastMapper>::New();  // by OpenGL, as all else is drawn
    volume_->mapper->SetBlendModeToComposite();
    volume_->mapper->AutoAdjustSampleDistancesOff();
    volume_->actor->SetMapper(volume_->mapper);
    volume_->actor->GetProperty()->SetInterpolationTypeToLinear();
    volume_->actor->GetProperty()->ShadeOff();
    volume_->actor->PickableOff();
    renderer_.AddVolume(volume_->actor);
  }
  const double empty = empty_value(coloring);
  const bool same = volume_->values == values_ && volume_->association == association_ &&
                    volume_->grid.points == grid_.points && volume_->grid.origin == grid_.origin &&
                    volume_->grid.spacing == grid_.spacing && volume_->empty == empty;
  const double longest = longest_side(grid_);
  if (!same) {
    const double all = static_cast<double>(n[0]) * static_cast<double>(n[1]) * static_cast<double>(n[2]);
    const auto largest = static_cast<double>(std::max({n[0], n[1], n[2]}));
    const auto stride =
        static_cast<Index>(std::ceil(std::max({1.0, std::cbrt(all / most_voxels), largest / most_along_axis})));
    std::array<Index, 3> kept{};
    vtkNew<vtkImageData> image;
    double origin[3];
    double spacing[3];
    for (std::size_t i = 0; i < 3; ++i) {
      kept[i] = std::max<Index>((n[i] - 1) / stride + 1, 1);
      spacing[i] = grid_.spacing[i] * static_cast<double>(stride);
      origin[i] = grid_.origin[i] + (association_ == Association::cell ? grid_.spacing[i] / 2 : 0);
    }
    image->SetDimensions(static_cast<int>(kept[0]), static_cast<int>(kept[1]), static_cast<int>(kept[2]));
    image->SetOrigin(origin);
    image->SetSpacing(spacing);
    image->GetPointData()->SetScalars(thinned_values(values(), n, kept, stride, empty));
    volume_->mapper->SetInputData(image);
    volume_->cell = std::min({spacing[0], spacing[1], spacing[2]});
    volume_->values = values_;
    volume_->association = association_;
    volume_->grid = grid_;
    volume_->empty = empty;
  }
  vtkVolumeProperty* property = volume_->actor->GetProperty();
  set_light(*property, coloring, view.volume);
  constexpr double unit = 1.0 / 40;
  property->SetScalarOpacityUnitDistance(unit * longest);
  set_volume_steps();
}

void ImagePart::set_volume_steps() {
  if (!volume_) return;
  // While the view moves every fourth ray, with longer steps. In grids of few points steps of half a cell would be seen as layers.
  constexpr double fine = 0.5, rough = 2, rays = 4, least_steps = 200, least_rough_steps = 50;
  const double longest = longest_side(grid_);
  const double step = coarse_ ? std::min(rough * volume_->cell, longest / least_rough_steps)
                              : std::min(fine * volume_->cell, longest / least_steps);
  volume_->mapper->SetSampleDistance(static_cast<float>(step));
  volume_->mapper->SetImageSampleDistance(static_cast<float>(coarse_ ? rays : 1));
}

void ImagePart::set_coarse(bool coarse, std::size_t most) {
  coarse_ = coarse;
  coarse_most_ = most;
  set_volume_steps();
  choose_iso();
}

}  // namespace conoid
