// SPDX-License-Identifier: BSD-3-Clause
// Arrows are built here as flat-shaded cones on shafts: one mesh, one actor, no filter to update.
#include "render/scene/arrows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkGenericCell.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkStaticCellLocator.h>
#include <vtkUnstructuredGrid.h>

#include "engine/core/vec3.hpp"
#include "engine/run/run_reader.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {
namespace {

using vec::cross;
using vec::norm;

/// a + s b
Vec3 moved(const Vec3& a, const Vec3& b, double s) {
  return vec::axpy(s, b, a);
}

Index entries_of(const FramePart& part, Association association) {
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    Index n = 1;
    for (const Index p : grid->points) n *= association == Association::point ? p : std::max<Index>(p - 1, 1);
    return n;
  }
  const auto& mesh = std::get<MeshGeometry>(part.geometry);
  if (!mesh.points || !mesh.types) return 0;
  return static_cast<Index>(association == Association::point ? mesh.points->size() / 3 : mesh.types->size());
}

/// The three components at one moment.
Result<std::array<std::vector<float>, 3>> components_of(const FramePart& part, const Field& field,
                                                        ValueSelection value) {
  value.part = ComplexPart::instant;
  std::array<std::vector<float>, 3> out;
  for (int k = 0; k < 3; ++k) {
    value.component = k;
    auto one = select_values(field, entries_of(part, field.info.association), value);
    if (!one) return one.error();
    out[static_cast<std::size_t>(k)] = std::move(one).value();
  }
  return out;
}

Vec3 place_of(const FramePart& part, Association association, Index i) {
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    std::array<Index, 3> n = grid->points;
    const bool cells = association == Association::cell;
    if (cells)
      for (Index& p : n) p = std::max<Index>(p - 1, 1);
    const std::array<Index, 3> at = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
    Vec3 p{};
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = grid->origin[k] +
             grid->spacing[k] * (static_cast<double>(at[k]) + (cells && grid->points[k] > 1 ? 0.5 : 0.0));
    return p;
  }
  const auto& mesh = std::get<MeshGeometry>(part.geometry);
  const auto point = [&](Index k) {
    const auto j = 3 * static_cast<std::size_t>(k);
    return Vec3{(*mesh.points)[j], (*mesh.points)[j + 1], (*mesh.points)[j + 2]};
  };
  if (association == Association::point) return point(i);
  const Index begin = (*mesh.offsets)[static_cast<std::size_t>(i)];
  const Index end = (*mesh.offsets)[static_cast<std::size_t>(i) + 1];
  Vec3 mean{};
  for (Index k = begin; k < end; ++k)
    mean = moved(mean, point((*mesh.connectivity)[static_cast<std::size_t>(k)]),
                 1.0 / static_cast<double>(std::max<Index>(end - begin, 1)));
  return mean;
}

}  // namespace

Result<std::vector<Arrow>> spread_arrows(const FramePart& part, const Field& field, const ValueSelection& value,
                                         int count) {
  if (field.info.components != 3)
    return make_error(ErrorCode::command_line, "field \"" + field.info.name + "\" is no vector field");
  auto components = components_of(part, field, value);
  if (!components) return components.error();
  const Index n = static_cast<Index>((*components)[0].size());
  std::vector<Arrow> out;
  if (n == 0 || count < 1) return out;
  Vec3 low{}, high{};
  // Far more entries than arrows: a stride that hits no regular pattern is enough to find the box and the places.
  const Index stride = std::max<Index>(1, n / std::max<Index>(200000, 40 * static_cast<Index>(count))) | 1;
  for (Index i = 0; i < n; i += stride) {
    const Vec3 p = place_of(part, field.info.association, i);
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = i == 0 ? p[k] : std::min(low[k], p[k]);
      high[k] = i == 0 ? p[k] : std::max(high[k], p[k]);
    }
  }
  double volume = 1;
  int extents = 0;
  const double longest = std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
  for (std::size_t k = 0; k < 3; ++k)
    if (high[k] - low[k] > 1e-6 * longest) volume *= high[k] - low[k], ++extents;
  if (extents == 0) return out;
  const double box = std::pow(volume / count, 1.0 / extents);
  struct Best {
    double distance = std::numeric_limits<double>::max();
    Arrow arrow;
  };
  std::map<std::array<int, 3>, Best> boxes;
  for (Index i = 0; i < n; i += stride) {
    const Vec3 p = place_of(part, field.info.association, i);
    std::array<int, 3> key{};
    double distance = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double f = (p[k] - low[k]) / box;
      key[k] = static_cast<int>(std::min(f, 1e6));
      distance = std::max(distance, std::abs(f - key[k] - 0.5));
    }
    Best& best = boxes[key];
    if (distance >= best.distance) continue;
    const auto at = static_cast<std::size_t>(i);
    const Vec3 v{(*components)[0][at], (*components)[1][at], (*components)[2][at]};
    if (std::isfinite(norm(v))) best = {distance, {p, v}};
    if (boxes.size() > 4 * static_cast<std::size_t>(count)) break;
  }
  for (const auto& [key, best] : boxes)
    if (best.distance < std::numeric_limits<double>::max()) out.push_back(best.arrow);
  return out;
}

std::vector<Vec3> flow_line(const VectorAt& field, const Vec3& start, double step, double least, int most) {
  const auto direction = [&](const Vec3& p, double sign) -> std::optional<Vec3> {
    const auto v = field(p);
    if (!v) return std::nullopt;
    const double n = norm(*v);
    if (!(n > least)) return std::nullopt;
    return vec::scale(sign / n, *v);
  };
  std::vector<Vec3> line;
  for (const double sign : {-1.0, 1.0}) {
    std::vector<Vec3> half;
    Vec3 p = start;
    for (int i = 0; i < most; ++i) {
      const auto k1 = direction(p, sign);
      if (!k1) break;
      const auto k2 = direction(moved(p, *k1, step / 2), sign);
      if (!k2) break;
      const auto k3 = direction(moved(p, *k2, step / 2), sign);
      if (!k3) break;
      const auto k4 = direction(moved(p, *k3, step), sign);
      if (!k4) break;
      for (std::size_t d = 0; d < 3; ++d) p[d] += step / 6 * ((*k1)[d] + 2 * (*k2)[d] + 2 * (*k3)[d] + (*k4)[d]);
      half.push_back(p);
    }
    if (sign < 0) {
      line.assign(half.rbegin(), half.rend());
      line.push_back(start);
    } else {
      line.insert(line.end(), half.begin(), half.end());
    }
  }
  return line;
}

VectorAt vector_field(const FramePart& part, const Field& field, const ValueSelection& value) {
  if (field.info.components != 3) return {};
  auto found = components_of(part, field, value);
  if (!found) return {};
  auto components = std::make_shared<const std::array<std::vector<float>, 3>>(std::move(found).value());
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    if (field.info.association != Association::point) return {};
    return [grid = *grid, components](const Vec3& p) -> std::optional<Vec3> {
      const GridBlend blend = blend_at(grid, Association::point, p);
      if (blend.count == 0) return std::nullopt;
      Vec3 sum{};
      for (std::size_t i = 0; i < static_cast<std::size_t>(blend.count); ++i)
        for (std::size_t k = 0; k < 3; ++k)
          sum[k] +=
              blend.weights[i] * static_cast<double>((*components)[k][static_cast<std::size_t>(blend.entries[i])]);
      return sum;
    };
  }
  const auto& mesh = std::get<MeshGeometry>(part.geometry);
  if (!mesh.points || !mesh.connectivity || !mesh.offsets || !mesh.types) return {};
  const auto grid = unstructured_grid(mesh);
  struct Finder {
    vtkSmartPointer<vtkUnstructuredGrid> grid;
    vtkNew<vtkStaticCellLocator> locator;
    vtkNew<vtkGenericCell> cell;
    std::vector<double> weights = std::vector<double>(64);
    double tolerance = 0;
  };
  auto finder = std::make_shared<Finder>();
  finder->grid = grid;
  finder->locator->SetDataSet(grid);
  finder->locator->BuildLocator();
  const double size = grid->GetLength();
  finder->tolerance = 1e-8 * size * size;
  const bool points = field.info.association == Association::point;
  return [finder, components, points](const Vec3& p) -> std::optional<Vec3> {
    double x[3] = {p[0], p[1], p[2]};
    double local[3];
    const vtkIdType cell = finder->locator->FindCell(x, finder->tolerance, finder->cell, local, finder->weights.data());
    if (cell < 0) return std::nullopt;
    Vec3 sum{};
    for (std::size_t d = 0; d < 3; ++d) {
      if (!points) {
        sum[d] = static_cast<double>((*components)[d][static_cast<std::size_t>(cell)]);
        continue;
      }
      for (vtkIdType k = 0; k < finder->cell->GetNumberOfPoints(); ++k)
        sum[d] += finder->weights[static_cast<std::size_t>(k)] *
                  static_cast<double>(
                      (*components)[d][static_cast<std::size_t>(finder->cell->GetPointId(static_cast<int>(k)))]);
    }
    return sum;
  };
}

ArrowActors::ArrowActors(vtkRenderer& renderer) : renderer_(renderer) {
  const auto make = [&](vtkSmartPointer<vtkPolyData>& data, vtkSmartPointer<vtkActor>& actor) {
    data = vtkSmartPointer<vtkPolyData>::New();
    vtkNew<vtkPolyDataMapper> mapper;
    mapper->SetInputData(data);
    mapper->ScalarVisibilityOff();
    // In front of the plane they lie in, whose own offset would hide them.
    mapper->SetResolveCoincidentTopologyToPolygonOffset();
    mapper->SetRelativeCoincidentTopologyPolygonOffsetParameters(-2, -66000);
    mapper->SetRelativeCoincidentTopologyLineOffsetParameters(-2, -66000);
    actor = vtkSmartPointer<vtkActor>::New();
    actor->SetMapper(mapper);
    actor->VisibilityOff();
    renderer_.AddActor(actor);
  };
  make(arrows_, arrow_actor_);
  make(lines_, line_actor_);
  line_actor_->GetProperty()->LightingOff();
}

ArrowActors::~ArrowActors() {
  renderer_.RemoveActor(arrow_actor_);
  renderer_.RemoveActor(line_actor_);
}

void ArrowActors::update(const FramePart& part, const Field* field, const FieldView& view, const Theme& theme,
                         double size, double pixel_ratio) {
  arrow_actor_->VisibilityOff();
  line_actor_->VisibilityOff();
  drawn_.clear();
  if (field == nullptr || field->info.components != 3 || !(size > 0)) return;
  const auto spread =
      spread_arrows(part, *field, view.value, view.streamlines ? std::max(12, view.arrows / 16) : view.arrows);
  if (!spread || spread->empty()) return;
  double largest = 0;
  for (const Arrow& arrow : *spread) largest = std::max(largest, norm(arrow.vector));
  if (!(largest > 0)) return;
  const double longest = 1.6 * size / std::pow(static_cast<double>(spread->size()), 0.5);
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> cells;
  if (view.streamlines) {
    const VectorAt at = vector_field(part, *field, view.value);
    if (!at) return;
    for (const Arrow& arrow : *spread) {
      const auto line = flow_line(at, arrow.at, 0.004 * size, 1e-3 * largest, 250);
      if (line.size() < 3) continue;
      cells->InsertNextCell(static_cast<int>(line.size()));
      for (const Vec3& p : line) cells->InsertCellPoint(points->InsertNextPoint(p.data()));
    }
    lines_->Initialize();
    lines_->SetPoints(points);
    lines_->SetLines(cells);
    lines_->Modified();
    set_color(*line_actor_->GetProperty(), theme.text);
    line_actor_->GetProperty()->SetLineWidth(static_cast<float>(1.2 * pixel_ratio));
    line_actor_->VisibilityOn();
    return;
  }
  constexpr int sides = 6;
  longest_ = longest;
  largest_ = largest;
  for (const Arrow& arrow : *spread) {
    const double n = norm(arrow.vector);
    if (n < 0.02 * largest) continue;
    drawn_.push_back(arrow);
    const Vec3 along = vec::scale(1 / n, arrow.vector);
    const double length = longest * n / largest;
    Vec3 u = cross(along, std::abs(along[2]) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0});
    u = vec::unit(u);
    const Vec3 v = cross(along, u);
    const auto ring = [&](double at, double radius) {
      const vtkIdType first = points->GetNumberOfPoints();
      for (int i = 0; i < sides; ++i) {
        const double a = 2 * 3.14159265358979323846 * i / sides;
        Vec3 p = moved(arrow.at, along, at);
        p = moved(moved(p, u, radius * std::cos(a)), v, radius * std::sin(a));
        points->InsertNextPoint(p.data());
      }
      return first;
    };
    // Centred on its place, so that the eye reads the field there.
    const double head = std::min(0.36 * length, 0.3 * longest);
    const vtkIdType tail = ring(-length / 2, 0.02 * longest);
    const vtkIdType neck = ring(length / 2 - head, 0.02 * longest);
    const vtkIdType rim =
        ring(length / 2 - head, 0.07 * longest * std::min(1.0, length / (0.5 * longest)) + 0.02 * longest);
    const Vec3 end = moved(arrow.at, along, length / 2);
    const vtkIdType tip = points->InsertNextPoint(end.data());
    for (vtkIdType i = 0; i < sides; ++i) {
      const vtkIdType next = (i + 1) % sides;
      cells->InsertNextCell({tail + i, tail + next, neck + next, neck + i});
      cells->InsertNextCell({neck + i, neck + next, rim + next, rim + i});
      cells->InsertNextCell({rim + i, rim + next, tip});
    }
  }
  arrows_->Initialize();
  arrows_->SetPoints(points);
  arrows_->SetPolys(cells);
  arrows_->Modified();
  set_surface_look(*arrow_actor_->GetProperty(), theme);
  set_color(*arrow_actor_->GetProperty(), theme.text);
  arrow_actor_->GetProperty()->SetInterpolationToFlat();
  arrow_actor_->VisibilityOn();
}

std::optional<ArrowActors::Met> ArrowActors::hit(const Ray& ray) const {
  // As wide as its head: a shaft is too thin to be pointed at.
  const double wide = 0.09 * longest_;
  const Vec3 d = vec::unit(ray.direction);
  std::optional<Met> best;
  for (const Arrow& arrow : drawn_) {
    const double n = norm(arrow.vector);
    const Vec3 along = vec::scale(1 / n, arrow.vector);
    const double half = 0.5 * longest_ * n / largest_;
    // The points of two lines that are nearest to each other, that on the arrow kept within its ends.
    const Vec3 w = vec::sub(arrow.at, ray.origin);
    const double c = vec::dot(along, d), sine = 1 - c * c;
    double s = sine > 1e-12 ? (c * vec::dot(w, d) - vec::dot(w, along)) / sine : 0;
    s = std::clamp(s, -half, half);
    const Vec3 on_arrow = moved(arrow.at, along, s);
    const double t = vec::dot(vec::sub(on_arrow, ray.origin), d);
    if (!(t > 0) || vec::distance(moved(ray.origin, d, t), on_arrow) > wide) continue;
    if (!best || t < best->distance) best = Met{t, arrow};
  }
  if (best) best->distance /= norm(ray.direction);
  return best;
}

}  // namespace conoid
