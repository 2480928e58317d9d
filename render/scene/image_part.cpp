// SPDX-License-Identifier: BSD-3-Clause
// Cut planes are painted on the processor: values are interpolated first and coloured then, so that no colour appears
// that the map does not hold, and a plane costs one textured quad to draw.
#include "render/scene/image_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkFlyingEdges3D.h>
#include <vtkImageData.h>
#include <vtkLookupTable.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTexture.h>
#include <vtkUnsignedCharArray.h>
#include <vtkVolume.h>

#include "render/scene/iso_levels.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

constexpr Index largest_texture = 4096;

std::size_t at(int axis) {
  return static_cast<std::size_t>(axis);
}

}  // namespace

ImagePart::ImagePart(vtkRenderer& renderer) : ScenePart(renderer) {
  for (Plane& plane : planes_) {
    plane.pixels = vtkSmartPointer<vtkImageData>::New();
    plane.texture = vtkSmartPointer<vtkTexture>::New();
    plane.texture->SetInputData(plane.pixels);
    plane.texture->SetColorModeToDirectScalars();
    plane.texture->RepeatOff();
    plane.texture->EdgeClampOn();
    plane.quad = vtkSmartPointer<vtkPolyData>::New();
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(plane.quad);
    // Before faces of meshes in the same plane: the ground below a map of it.
    mapper->SetResolveCoincidentTopologyToPolygonOffset();
    mapper->SetRelativeCoincidentTopologyPolygonOffsetParameters(-2, -400);
    plane.actor = vtkSmartPointer<vtkActor>::New();
    plane.actor->SetMapper(mapper);
    plane.actor->SetTexture(plane.texture);
    plane.actor->GetProperty()->LightingOff();
    plane.actor->VisibilityOff();
    plane.border = vtkSmartPointer<vtkPolyData>::New();
    vtkNew<vtkPolyDataMapper> border_mapper;
    border_mapper->SetInputData(plane.border);
    border_mapper->SetResolveCoincidentTopologyToPolygonOffset();
    border_mapper->SetRelativeCoincidentTopologyLineOffsetParameters(-2, -500);
    plane.frame = vtkSmartPointer<vtkActor>::New();
    plane.frame->SetMapper(border_mapper);
    plane.frame->GetProperty()->LightingOff();
    plane.frame->VisibilityOff();
    renderer_.AddActor(plane.actor);
    renderer_.AddActor(plane.frame);
  }
  iso_actor_ = vtkSmartPointer<vtkActor>::New();
  iso_actor_->VisibilityOff();
  renderer_.AddActor(iso_actor_);
}

ImagePart::~ImagePart() {
  for (Plane& plane : planes_) {
    renderer_.RemoveActor(plane.actor);
    renderer_.RemoveActor(plane.frame);
  }
  renderer_.RemoveActor(iso_actor_);
  if (volume_) renderer_.RemoveVolume(volume_->actor);
}

Status ImagePart::set_geometry(const FramePart& part) {
  const auto& grid = std::get<ImageGeometry>(part.geometry);
  double product = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    product *= static_cast<double>(grid.points[i]);
    if (grid.points[i] < 1 || !std::isfinite(grid.origin[i]) || !(grid.spacing[i] > 0) ||
        !std::isfinite(grid.spacing[i]) || product > 1e12)
      return make_error(ErrorCode::file, "the grid of part \"" + part.name + "\" has no sound size or spacing");
  }
  if (grid.points != grid_.points || grid.origin != grid_.origin || grid.spacing != grid_.spacing)
    for (Plane& plane : planes_) plane.painted = false;
  grid_ = grid;
  return {};
}

Bounds ImagePart::bounds() const {
  Bounds b{};
  for (std::size_t i = 0; i < 3; ++i) {
    b[2 * i] = grid_.origin[i];
    b[2 * i + 1] = grid_.origin[i] + grid_.spacing[i] * static_cast<double>(grid_.points[i] - 1);
  }
  return b;
}

Index ImagePart::entries(Association association) const {
  Index n = 1;
  for (const Index p : grid_.points) n *= association == Association::point ? p : std::max<Index>(p - 1, 1);
  return n;
}

std::array<Index, 3> ImagePart::size() const {
  std::array<Index, 3> n = grid_.points;
  if (association_ == Association::cell)
    for (Index& p : n) p = std::max<Index>(p - 1, 1);
  return n;
}

void ImagePart::set_values(std::shared_ptr<const std::vector<float>> values, Association association) {
  if (values != values_ || association != association_)
    for (Plane& plane : planes_) plane.painted = false;
  values_ = std::move(values);
  association_ = association;
}

bool ImagePart::plane_exists(int axis, const FieldView& view) const {
  for (int i = 0; i < 3; ++i)
    if (i != axis && grid_.points[at(i)] < 2) return false;
  return grid_.points[at(axis)] == 1 || view.cuts[at(axis)].visible;
}

Index ImagePart::plane_index(int axis, const FieldView& view) const {
  const Index n = size()[at(axis)];
  const double f = std::clamp(view.cuts[at(axis)].position, 0.0, 1.0);
  return association_ == Association::point ? static_cast<Index>(std::llround(f * static_cast<double>(n - 1)))
                                            : std::min<Index>(static_cast<Index>(f * static_cast<double>(n)), n - 1);
}

double ImagePart::plane_at(int axis, const FieldView& view) const {
  const double offset = association_ == Association::cell && grid_.points[at(axis)] > 1 ? 0.5 : 0.0;
  return grid_.origin[at(axis)] + grid_.spacing[at(axis)] * (static_cast<double>(plane_index(axis, view)) + offset);
}

bool ImagePart::is_painted(int axis, const FieldView& view, const Coloring& coloring) const {
  const Plane& plane = planes_[at(axis)];
  const Coloring& with = plane.coloring;
  return plane.painted && plane.index == plane_index(axis, view) && with.low == coloring.low &&
         with.high == coloring.high && with.log == coloring.log &&
         (!plane.with_missing || with.missing == coloring.missing) && with.table == coloring.table;
}

void ImagePart::paint(int axis, const FieldView& view, const Coloring& coloring) {
  Plane& plane = planes_[at(axis)];
  plane.painted = true;
  plane.with_missing = false;
  plane.index = plane_index(axis, view);
  plane.coloring = coloring;
  const int u = axis == 0 ? 1 : 0;
  const int v = axis == 2 ? 1 : 2;
  const auto n = size();
  const std::array<Index, 3> stride = {1, n[0], n[0] * n[1]};
  const Index nu = n[at(u)];
  const Index nv = n[at(v)];
  const float* base = values().data() + plane_index(axis, view) * stride[at(axis)];
  const Index su = stride[at(u)];
  const Index sv = stride[at(v)];
  const bool points = association_ == Association::point;
  // Coarse planes are refined to about 512 pixels; planes above the texture limit are thinned.
  const Index refine = points ? std::clamp<Index>(512 / std::max(nu, nv), 1, 16) : 1;
  const Index thin = std::max<Index>(1, (std::max(nu, nv) + largest_texture - 1) / largest_texture);
  const Index width = points && refine > 1 ? (nu - 1) * refine + 1 : (nu - 1) / thin + 1;
  const Index height = points && refine > 1 ? (nv - 1) * refine + 1 : (nv - 1) / thin + 1;
  int extent[3] = {0, 0, 0};
  plane.pixels->GetDimensions(extent);
  if (extent[0] != width || extent[1] != height) {
    plane.pixels->SetDimensions(static_cast<int>(width), static_cast<int>(height), 1);
    plane.pixels->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  }
  auto* out = static_cast<std::uint8_t*>(plane.pixels->GetScalarPointer());
  const std::array<std::uint8_t, 4> missing = {static_cast<std::uint8_t>(255 * coloring.missing[0]),
                                               static_cast<std::uint8_t>(255 * coloring.missing[1]),
                                               static_cast<std::uint8_t>(255 * coloring.missing[2]), 255};
  const auto put = [&](float value) {
    const auto* color = coloring.color(value);
    if (color == nullptr) plane.with_missing = true;
    const auto& c = color != nullptr ? *color : missing;
    *out++ = c[0];
    *out++ = c[1];
    *out++ = c[2];
  };
  if (refine > 1) {
    std::vector<float> row(static_cast<std::size_t>(nu));
    for (Index j = 0; j < height; ++j) {
      const Index j0 = std::min(j / refine, nv - 1);
      const Index j1 = std::min(j0 + 1, nv - 1);
      const float fj = static_cast<float>(j - j0 * refine) / static_cast<float>(refine);
      for (Index i = 0; i < nu; ++i) {
        const float a = base[i * su + j0 * sv];
        row[static_cast<std::size_t>(i)] = fj > 0 ? a + fj * (base[i * su + j1 * sv] - a) : a;
      }
      for (Index i = 0; i + 1 < nu; ++i) {
        const float a = row[static_cast<std::size_t>(i)];
        const float d = (row[static_cast<std::size_t>(i + 1)] - a) / static_cast<float>(refine);
        for (Index k = 0; k < refine; ++k) put(a + d * static_cast<float>(k));
      }
      put(row.back());
    }
  } else {
    for (Index j = 0; j < height; ++j)
      for (Index i = 0; i < width; ++i) put(base[i * thin * su + j * thin * sv]);
  }
  plane.pixels->Modified();
  plane.texture->SetInterpolate(points ? 1 : 0);

  const Bounds b = bounds();
  const double where = plane_at(axis, view);
  vtkNew<vtkPoints> corners;
  vtkNew<vtkFloatArray> texture;
  texture->SetNumberOfComponents(2);
  const double half_u = points ? 0.5 / static_cast<double>(width) : 0;
  const double half_v = points ? 0.5 / static_cast<double>(height) : 0;
  for (int k = 0; k < 4; ++k) {
    const bool far_u = k == 1 || k == 2;
    const bool far_v = k >= 2;
    double p[3];
    p[axis] = where;
    p[u] = b[2 * at(u) + (far_u ? 1U : 0U)];
    p[v] = b[2 * at(v) + (far_v ? 1U : 0U)];
    corners->InsertNextPoint(p);
    texture->InsertNextTuple2(far_u ? 1 - half_u : half_u, far_v ? 1 - half_v : half_v);
  }
  vtkNew<vtkCellArray> quad;
  quad->InsertNextCell({0, 1, 2, 3});
  plane.quad->SetPoints(corners);
  plane.quad->GetPointData()->SetTCoords(texture);
  plane.quad->SetPolys(quad);
  vtkNew<vtkCellArray> border;
  border->InsertNextCell({0, 1, 2, 3, 0});
  plane.border->SetPoints(corners);
  plane.border->SetLines(border);
}

void ImagePart::update(const FieldView& view, const Theme& theme, const Coloring& coloring, const Field* /*warp*/,
                       double pixel_ratio) {
  for (int axis = 0; axis < 3; ++axis) {
    Plane& plane = planes_[at(axis)];
    const bool visible = !values().empty() && plane_exists(axis, view);
    plane.actor->SetVisibility(visible);
    plane.frame->SetVisibility(visible);
    if (!visible) continue;
    if (!is_painted(axis, view, coloring)) paint(axis, view, coloring);
    set_color(*plane.frame->GetProperty(), mix(theme.muted, theme.background, 0.6));
    plane.frame->GetProperty()->SetLineWidth(static_cast<float>(pixel_ratio));
  }
  update_iso(view, theme, coloring);
  update_volume(view, coloring);
}

void ImagePart::update_iso(const FieldView& view, const Theme& theme, const Coloring& coloring) {
  const bool solid = grid_.points[0] > 1 && grid_.points[1] > 1 && grid_.points[2] > 1;
  std::vector<double> levels = iso_levels(view, coloring.low, coloring.high);
  const bool visible = solid && !levels.empty() && !values().empty() && association_ == Association::point;
  iso_actor_->SetVisibility(visible);
  if (!visible) return;
  // Another theme or title is no reason to look for them again.
  const ImageGeometry& of = iso_grid_;
  if (!iso_whole_ || iso_of_ != shared() || levels != iso_levels_ || of.points != grid_.points ||
      of.origin != grid_.origin || of.spacing != grid_.spacing) {
    iso_of_ = shared();
    iso_grid_ = grid_;
    iso_levels_ = std::move(levels);
    iso_whole_ = iso_surface(1);
    iso_coarse_ = nullptr;
  }
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetLookupTable(lookup_table(coloring));
  mapper->SetScalarRange(coloring.low, coloring.high);
  mapper->InterpolateScalarsBeforeMappingOn();
  iso_actor_->SetMapper(mapper);
  choose_iso();
  set_surface_look(*iso_actor_->GetProperty(), theme);
  iso_actor_->GetProperty()->SetOpacity(view.opacity);
}

vtkSmartPointer<vtkPolyData> ImagePart::iso_surface(Index stride) const {
  vtkNew<vtkImageData> image;
  std::array<Index, 3> n = grid_.points;
  Vec3 spacing = grid_.spacing;
  vtkNew<vtkFloatArray> scalars;
  if (stride > 1) {
    for (std::size_t k = 0; k < 3; ++k) {
      n[k] = (n[k] - 1) / stride + 1;
      spacing[k] *= static_cast<double>(stride);
    }
    scalars->SetNumberOfValues(n[0] * n[1] * n[2]);
    float* to = scalars->GetPointer(0);
    for (Index z = 0; z < n[2]; ++z)
      for (Index y = 0; y < n[1]; ++y)
        for (Index x = 0; x < n[0]; ++x)
          *to++ = values()[static_cast<std::size_t>(stride * (x + grid_.points[0] * (y + grid_.points[1] * z)))];
  } else {
    scalars->SetArray(const_cast<float*>(values().data()), static_cast<vtkIdType>(values().size()),
                      1);  // borrowed for the filter's run
  }
  image->SetDimensions(static_cast<int>(n[0]), static_cast<int>(n[1]), static_cast<int>(n[2]));
  image->SetOrigin(grid_.origin.data());
  image->SetSpacing(spacing.data());
  image->GetPointData()->SetScalars(scalars);
  vtkNew<vtkFlyingEdges3D> filter;
  filter->SetInputData(image);
  filter->ComputeNormalsOn();
  filter->ComputeScalarsOn();
  for (std::size_t i = 0; i < iso_levels_.size(); ++i) filter->SetValue(static_cast<int>(i), iso_levels_[i]);
  filter->Update();
  return filter->GetOutput();
}

/// The surfaces, or while the view moves, those through every so-manieth point, which have about as many triangles as are to be drawn.
void ImagePart::choose_iso() {
  auto* mapper = vtkPolyDataMapper::SafeDownCast(iso_actor_->GetMapper());
  if (mapper == nullptr || !iso_whole_ || iso_actor_->GetVisibility() == 0) return;
  Index stride = 1;
  if (coarse_) {
    const double times = static_cast<double>(iso_whole_->GetNumberOfPolys()) /
                         static_cast<double>(std::max<std::size_t>(coarse_most_, 1));
    const Index most = std::max<Index>(1, std::min({grid_.points[0], grid_.points[1], grid_.points[2]}) / 8);
    stride = std::clamp<Index>(static_cast<Index>(std::ceil(std::sqrt(std::max(times, 1.0)))), 1, most);
  }
  if (stride > 1 && (!iso_coarse_ || stride != iso_stride_)) {
    iso_coarse_ = iso_surface(stride);
    iso_stride_ = stride;
  }
  mapper->SetInputData(stride > 1 ? iso_coarse_ : iso_whole_);
}

std::size_t ImagePart::triangles_drawn() const {
  auto* mapper = vtkPolyDataMapper::SafeDownCast(iso_actor_->GetMapper());
  if (mapper == nullptr || iso_actor_->GetVisibility() == 0 || mapper->GetInput() == nullptr) return 0;
  return static_cast<std::size_t>(mapper->GetInput()->GetNumberOfPolys());
}

std::optional<Hit> ImagePart::hit(const Ray& ray, const FieldView& view) const {
  if (values().empty()) return std::nullopt;
  const Bounds b = bounds();
  std::optional<Hit> best;
  for (int axis = 0; axis < 3; ++axis) {
    if (!plane_exists(axis, view) || std::abs(ray.direction[at(axis)]) < 1e-14) continue;
    const double t = (plane_at(axis, view) - ray.origin[at(axis)]) / ray.direction[at(axis)];
    if (!(t > 0) || (best && t >= best->distance)) continue;
    Vec3 p{};
    bool inside = true;
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] = ray.origin[k] + t * ray.direction[k];
      if (k != at(axis)) inside = inside && p[k] >= b[2 * k] && p[k] <= b[2 * k + 1];
    }
    if (inside) best = Hit{t, interpolate(p)};
  }
  const auto iso = iso_actor_->GetVisibility() != 0 ? hit_iso(ray) : std::nullopt;
  return iso && (!best || iso->distance < best->distance) ? iso : best;
}

/// The surfaces themselves may have millions of triangles: the field along the ray tells as well where it takes one of their values.
std::optional<Hit> ImagePart::hit_iso(const Ray& ray) const {
  const Bounds b = bounds();
  double begin = 0, end = std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < 3; ++k) {
    if (std::abs(ray.direction[k]) < 1e-14) {
      if (ray.origin[k] < b[2 * k] || ray.origin[k] > b[2 * k + 1]) return std::nullopt;
      continue;
    }
    const double t0 = (b[2 * k] - ray.origin[k]) / ray.direction[k],
                 t1 = (b[2 * k + 1] - ray.origin[k]) / ray.direction[k];
    begin = std::max(begin, std::min(t0, t1));
    end = std::min(end, std::max(t0, t1));
  }
  if (!(begin < end)) return std::nullopt;
  const auto value_at = [&](double t) {
    Vec3 p{};
    for (std::size_t k = 0; k < 3; ++k) p[k] = std::clamp(ray.origin[k] + t * ray.direction[k], b[2 * k], b[2 * k + 1]);
    return interpolate(p);
  };
  const double finest = std::min({grid_.spacing[0], grid_.spacing[1], grid_.spacing[2]});
  const auto steps = static_cast<int>(std::clamp(2 * (end - begin) / finest, 1.0, 20000.0));
  double before = value_at(begin);
  for (int i = 1; i <= steps; ++i) {
    const double from = begin + (end - begin) * (i - 1) / steps, to = begin + (end - begin) * i / steps;
    const double now = value_at(to);
    std::optional<Hit> nearest;
    for (const double level : iso_levels_) {
      if (!((before - level) * (now - level) <= 0)) continue;  // also where either is no number
      double low = from, high = to;
      for (int half = 0; half < 40; ++half) {
        const double middle = 0.5 * (low + high);
        ((before - level) * (value_at(middle) - level) <= 0 ? high : low) = middle;
      }
      if (!nearest || low < nearest->distance) nearest = Hit{low, level, {}};
    }
    if (nearest) return nearest;
    before = now;
  }
  return std::nullopt;
}

namespace {

double value_between(const ImageGeometry& grid, Association association, const std::vector<float>& values,
                     const Vec3& point) {
  const GridBlend blend = blend_at(grid, association, point);
  if (blend.count == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(blend.count); ++i)
    sum += blend.weights[i] * static_cast<double>(values[static_cast<std::size_t>(blend.entries[i])]);
  return sum;
}

}  // namespace

double ImagePart::interpolate(const Vec3& point) const {
  return value_between(grid_, association_, values(), point);
}

ScenePart::Sampler ImagePart::sampler() const {
  return [grid = grid_, association = association_,
          values = shared()](const std::vector<Vec3>& points) -> Result<std::vector<double>> {
    if (!values || values->empty())
      return make_error(ErrorCode::command_line, "this part does not carry the field shown");
    std::vector<double> out;
    out.reserve(points.size());
    for (const Vec3& p : points) out.push_back(value_between(grid, association, *values, p));
    return out;
  };
}

}  // namespace conoid
