// SPDX-License-Identifier: BSD-3-Clause
// New values are gathered into VTK arrays that stay; only another mesh builds anew.
#include "render/scene/mesh_part.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkFloatArray.h>
#include <vtkLookupTable.h>
#include <vtkPlane.h>
#include <vtkPlaneCollection.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTypeInt64Array.h>
#include <vtkUnstructuredGrid.h>

#include "engine/mesh/cell_locator.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "render/scene/triangle_hit.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

constexpr std::size_t coarse_from = 40000;  // triangles: more take a processor that draws them longer than 30 ms
constexpr int fewest_boxes = 32, most_boxes = 256;  // along the longest side, of what is drawn while the view moves
constexpr double band_half_width = 0.03;            // of a line, against its length
constexpr std::ptrdiff_t most_refined = 40000;      // curved cells

using V = std::array<float, 3>;
V minus(const V& a, const V& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
V cross(const V& a, const V& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
float dot(const V& a, const V& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
V unit(const V& a) {
  const float n = std::sqrt(dot(a, a));
  return n > 0 ? V{a[0] / n, a[1] / n, a[2] / n} : V{0, 0, 1};
}

// Area-weighted normal of each triangle.
std::vector<V> triangle_normals(const std::vector<std::int32_t>& triangles, const float* xyz) {
  std::vector<V> out(triangles.size() / 3);
  const auto p = [&](std::int32_t node) {
    const float* at = xyz + 3 * static_cast<std::size_t>(node);
    return V{at[0], at[1], at[2]};
  };
  for (std::size_t t = 0; t < out.size(); ++t) {
    const V a = p(triangles[3 * t]);
    out[t] = cross(minus(p(triangles[3 * t + 1]), a), minus(p(triangles[3 * t + 2]), a));
  }
  return out;
}

// A node where faces meet at more than 40° becomes several, so that shading is smooth on curved skins and sharp at
// creases. Edges keep the first of them: the place is the same.
void split_creases(SurfaceMesh& skin, const std::vector<double>& points) {
  std::vector<float> xyz(3 * skin.nodes.size());
  for (std::size_t i = 0; i < skin.nodes.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) xyz[3 * i + k] = static_cast<float>(skin.value(i, points.data(), 3, k));
  const auto normals = triangle_normals(skin.triangles, xyz.data());
  const float limit = std::cos(40.0F * 3.14159265F / 180);
  struct Copy {
    V mean{};
    std::int32_t node = -1;
    std::int32_t next = -1;
  };
  std::vector<Copy> copies(skin.nodes.size());
  for (std::size_t i = 0; i < copies.size(); ++i) copies[i].node = static_cast<std::int32_t>(i);
  for (std::size_t t = 0; t < normals.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k) {
      std::int32_t& corner = skin.triangles[3 * t + k];
      auto c = static_cast<std::size_t>(corner);
      for (;;) {
        Copy& copy = copies[c];
        const bool fresh = dot(copy.mean, copy.mean) == 0;
        if (fresh || dot(unit(copy.mean), unit(normals[t])) >= limit) {
          for (std::size_t d = 0; d < 3; ++d) copy.mean[d] += normals[t][d];
          corner = copy.node;
          break;
        }
        if (copy.next < 0) {
          const auto number = static_cast<std::int32_t>(skin.nodes.size());
          skin.nodes.push_back(skin.nodes[c]);
          copies[c].next = number;
          copies.push_back({normals[t], number, -1});
          corner = number;
          break;
        }
        c = static_cast<std::size_t>(copy.next);
      }
    }
}

}  // namespace

MeshPart::MeshPart(vtkRenderer& renderer) : ScenePart(renderer) {
  points_ = vtkSmartPointer<vtkPoints>::New();
  points_->SetDataTypeToFloat();
  normals_ = vtkSmartPointer<vtkFloatArray>::New();
  normals_->SetNumberOfComponents(3);
  normals_->SetName("normals");
  point_scalars_ = vtkSmartPointer<vtkFloatArray>::New();
  point_scalars_->SetName("values");
  cell_scalars_ = vtkSmartPointer<vtkFloatArray>::New();
  cell_scalars_->SetName("values");
  coarse_scalars_ = vtkSmartPointer<vtkFloatArray>::New();
  coarse_scalars_->SetName("values");
  coarse_surface_ = vtkSmartPointer<vtkPolyData>::New();
  coarse_points_ = vtkSmartPointer<vtkPoints>::New();
  coarse_points_->SetDataTypeToFloat();
  coarse_normals_ = vtkSmartPointer<vtkFloatArray>::New();
  coarse_normals_->SetNumberOfComponents(3);
  coarse_point_scalars_ = vtkSmartPointer<vtkFloatArray>::New();
  coarse_point_scalars_->SetName("values");
  surface_ = vtkSmartPointer<vtkPolyData>::New();
  wires_ = vtkSmartPointer<vtkPolyData>::New();
  surface_mapper_ = vtkSmartPointer<vtkPolyDataMapper>::New();
  surface_mapper_->SetInputData(surface_);
  surface_mapper_->InterpolateScalarsBeforeMappingOn();
  surface_mapper_->SetResolveCoincidentTopologyToPolygonOffset();
  surface_actor_ = vtkSmartPointer<vtkActor>::New();
  surface_actor_->SetMapper(surface_mapper_);
  wires_mapper_ = vtkSmartPointer<vtkPolyDataMapper>::New();
  wires_mapper_->SetInputData(wires_);
  wires_mapper_->ScalarVisibilityOff();
  // Before the faces that they bound, or these cut them into dashes.
  wires_mapper_->SetResolveCoincidentTopologyToPolygonOffset();
  wires_mapper_->SetRelativeCoincidentTopologyLineOffsetParameters(-1, -40);
  wires_actor_ = vtkSmartPointer<vtkActor>::New();
  wires_actor_->SetMapper(wires_mapper_);
  wires_actor_->GetProperty()->LightingOff();
  renderer_.AddActor(surface_actor_);
  renderer_.AddActor(wires_actor_);
  for (auto& actor : cut_actors_) {
    actor = vtkSmartPointer<vtkActor>::New();
    actor->VisibilityOff();
    actor->GetProperty()->LightingOff();
    renderer_.AddActor(actor);
  }
  iso_actor_ = vtkSmartPointer<vtkActor>::New();
  iso_actor_->VisibilityOff();
  renderer_.AddActor(iso_actor_);
}

MeshPart::~MeshPart() {
  renderer_.RemoveActor(surface_actor_);
  renderer_.RemoveActor(wires_actor_);
  for (auto& actor : cut_actors_) renderer_.RemoveActor(actor);
  renderer_.RemoveActor(iso_actor_);
}

Status MeshPart::set_geometry(const FramePart& part) {
  const auto& mesh = std::get<MeshGeometry>(part.geometry);
  const bool same_cells = mesh.connectivity == mesh_.connectivity && mesh.offsets == mesh_.offsets &&
                          mesh.types == mesh_.types && mesh.points && mesh_.points &&
                          mesh.points->size() == mesh_.points->size();
  if (same_cells && mesh.points == mesh_.points) return {};
  for (const double x : mesh.points ? *mesh.points : std::vector<double>{})
    if (!std::isfinite(x))
      return make_error(ErrorCode::file, "part \"" + part.name + "\" has a point whose coordinates are not numbers");
  if (!same_cells) {
    // Curved faces are drawn finer, as long as there are not so many that their own points are fine enough.
    const auto is_curved = [](std::uint8_t type) { return type >= 21 && type <= 29; };
    const auto curved = mesh.types ? std::count_if(mesh.types->begin(), mesh.types->end(), is_curved) : 0;
    auto skin = make_surface(mesh, curved > 0 && curved < most_refined ? 2 : 1);
    if (!skin) return skin.error();
    skin_ = std::move(skin).value();
    if (skin_.across.empty()) split_creases(skin_, *mesh.points);
  }
  // A cut is a map: its colours are those of the bar, whatever way it looks. So is a line.
  surface_actor_->GetProperty()->SetLighting(part.name.find(plane_mark) == std::string::npos && skin_.across.empty());
  mesh_ = mesh;
  grid_ = nullptr;
  points_changed_ = true;
  bounds_ = {0, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < skin_.nodes.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      const double x = skin_.value(i, mesh_.points->data(), 3, k);
      bounds_[2 * k] = i == 0 ? x : std::min(bounds_[2 * k], x);
      bounds_[2 * k + 1] = i == 0 ? x : std::max(bounds_[2 * k + 1], x);
    }
  diagonal_ = std::hypot(bounds_[1] - bounds_[0], bounds_[3] - bounds_[2], bounds_[5] - bounds_[4]);
  if (!same_cells) {
    build_polydata();
    find_extremes();
  }
  return {};
}

void MeshPart::find_extremes() {
  // The farthest of at most 20000 skin nodes in 200 directions spread evenly (Fibonacci sphere).
  extremes_.clear();
  const std::size_t stride = skin_.nodes.size() / 20000 + 1;
  for (int i = 0; i < 200; ++i) {
    const double z = 1 - (2 * i + 1) / 200.0;
    const double r = std::sqrt(1 - z * z);
    const double angle = i * 2.399963229728653;
    const Vec3 direction = {r * std::cos(angle), r * std::sin(angle), z};
    double best = -std::numeric_limits<double>::max();
    Vec3 farthest{};
    for (std::size_t k = 0; k < skin_.nodes.size(); k += stride) {
      const Vec3 p = {skin_.value(k, mesh_.points->data(), 3, 0), skin_.value(k, mesh_.points->data(), 3, 1),
                      skin_.value(k, mesh_.points->data(), 3, 2)};
      const double along = direction[0] * p[0] + direction[1] * p[1] + direction[2] * p[2];
      if (along > best) best = along, farthest = {p[0], p[1], p[2]};
    }
    if (!skin_.nodes.empty()) extremes_.push_back(farthest);
  }
}

std::size_t MeshPart::band_axis() const {
  // Upright where the line leaves that free, as it is looked at from the side.
  const auto extent = [&](std::size_t k) { return bounds_[2 * k + 1] - bounds_[2 * k]; };
  return extent(2) <= extent(0) || extent(2) <= extent(1) ? 2 : 0;
}

Index MeshPart::entries(Association association) const {
  if (!mesh_.points || !mesh_.types) return 0;
  return static_cast<Index>(association == Association::point ? mesh_.points->size() / 3 : mesh_.types->size());
}

void MeshPart::set_values(std::shared_ptr<const std::vector<float>> values, Association association) {
  values_ = std::move(values);
  association_ = association;
  values_changed_ = true;
}

void MeshPart::build_polydata() {
  const auto triangles = static_cast<vtkIdType>(skin_.triangles.size() / 3);
  const auto fill = [&](const std::vector<std::int32_t>& nodes, vtkIdType each, vtkCellArray* cells) {
    vtkNew<vtkTypeInt64Array> c;
    vtkNew<vtkTypeInt64Array> o;
    const auto count = static_cast<vtkIdType>(nodes.size());
    c->SetNumberOfValues(count);
    for (vtkIdType i = 0; i < count; ++i) c->SetValue(i, nodes[static_cast<std::size_t>(i)]);
    o->SetNumberOfValues(count / each + 1);
    for (vtkIdType i = 0; i <= count / each; ++i) o->SetValue(i, i * each);
    cells->SetData(o, c);
  };
  vtkNew<vtkCellArray> polys;
  fill(skin_.triangles, 3, polys);
  vtkNew<vtkCellArray> lines;
  fill(skin_.edges, 2, lines);
  const auto nodes = static_cast<vtkIdType>(skin_.nodes.size());
  points_->SetNumberOfPoints(nodes);
  normals_->SetNumberOfTuples(nodes);
  point_scalars_->SetNumberOfValues(nodes);
  cell_scalars_->SetNumberOfValues(triangles);
  surface_->Initialize();
  surface_->SetPoints(points_);
  surface_->SetPolys(polys);
  surface_->GetPointData()->SetNormals(normals_);
  coarse_source_.clear();
  wires_->Initialize();
  wires_->SetPoints(points_);
  wires_->SetLines(lines);
  values_changed_ = true;
}

void MeshPart::build_coarse(int boxes) {
  // Points in one box of a lattice become the first of them (Rossignac and Borrel 1993).
  coarse_boxes_ = boxes;
  const std::size_t nodes = skin_.nodes.size();
  const double longest = std::max({bounds_[1] - bounds_[0], bounds_[3] - bounds_[2], bounds_[5] - bounds_[4], 1e-300});
  const double box = longest / boxes;
  std::unordered_map<std::uint64_t, std::int32_t> first;
  first.reserve(static_cast<std::size_t>(6 * boxes * boxes));
  std::vector<std::int32_t> stands_for(nodes);
  const auto* xyz = static_cast<const float*>(points_->GetVoidPointer(0));
  coarse_nodes_.clear();
  for (std::size_t i = 0; i < nodes; ++i) {
    std::uint64_t key = 0;
    for (std::size_t k = 0; k < 3; ++k)
      key = key << 21U | static_cast<std::uint64_t>(
                             std::clamp((static_cast<double>(xyz[3 * i + k]) - bounds_[2 * k]) / box, 0.0, 2e6));
    const auto [at, is_new] = first.try_emplace(key, static_cast<std::int32_t>(coarse_nodes_.size()));
    if (is_new) coarse_nodes_.push_back(i);
    stands_for[i] = at->second;
  }
  struct Kept {
    std::array<std::int32_t, 3> sorted, corner;
    std::size_t source;
  };
  std::vector<Kept> kept;
  for (std::size_t t = 0; t < skin_.triangle_cell.size(); ++t) {
    std::array<std::int32_t, 3> corner{};
    for (std::size_t k = 0; k < 3; ++k) corner[k] = stands_for[static_cast<std::size_t>(skin_.triangles[3 * t + k])];
    if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0]) continue;
    auto sorted = corner;
    std::sort(sorted.begin(), sorted.end());
    kept.push_back({sorted, corner, t});
  }
  std::stable_sort(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.sorted < b.sorted; });
  kept.erase(std::unique(kept.begin(), kept.end(), [](const Kept& a, const Kept& b) { return a.sorted == b.sorted; }),
             kept.end());
  vtkNew<vtkCellArray> polys;
  coarse_source_.clear();
  for (const Kept& one : kept) {
    polys->InsertNextCell({one.corner[0], one.corner[1], one.corner[2]});
    coarse_source_.push_back(one.source);
  }
  const auto count = static_cast<vtkIdType>(coarse_nodes_.size());
  coarse_points_->SetNumberOfPoints(count);
  coarse_normals_->SetNumberOfTuples(count);
  coarse_point_scalars_->SetNumberOfValues(count);
  coarse_surface_->Initialize();
  coarse_surface_->SetPoints(coarse_points_);
  coarse_surface_->SetPolys(polys);
  coarse_surface_->GetPointData()->SetNormals(coarse_normals_);
  coarse_scalars_->SetNumberOfValues(static_cast<vtkIdType>(kept.size()));
  place_coarse_points();
  values_changed_ = true;
}

void MeshPart::place_coarse_points() {
  const auto* xyz = static_cast<const float*>(points_->GetVoidPointer(0));
  const float* normal = normals_->GetPointer(0);
  auto* to = static_cast<float*>(coarse_points_->GetVoidPointer(0));
  float* turned = coarse_normals_->GetPointer(0);
  for (std::size_t i = 0; i < coarse_nodes_.size(); ++i) {
    std::copy_n(xyz + 3 * coarse_nodes_[i], 3, to + 3 * i);
    std::copy_n(normal + 3 * coarse_nodes_[i], 3, turned + 3 * i);
  }
  coarse_points_->Modified();
  coarse_normals_->Modified();
  coarse_surface_->Modified();
}

void MeshPart::set_coarse(bool coarse, std::size_t most) {
  if (skin_.triangle_cell.size() < coarse_from) coarse = false;
  if (coarse) {
    // A closed surface leaves some 8.5 triangles for the square of the boxes along its longest side.
    const double wanted = std::sqrt(static_cast<double>(most) / 8.5);
    const int boxes = std::clamp(static_cast<int>(wanted), fewest_boxes, most_boxes);
    const bool other = std::abs(boxes - coarse_boxes_) * 8 > coarse_boxes_;
    if (coarse_source_.empty() || other)
      build_coarse(boxes);
    else if (coarse_)
      return;
  } else if (!coarse_) {
    return;
  }
  coarse_ = coarse;
  choose_detail();
}

void MeshPart::choose_detail() {
  gather_values();
  surface_mapper_->SetInputData(coarse_ ? coarse_surface_ : surface_);
  wires_actor_->SetVisibility(wires_wanted_ && !coarse_);
}

std::size_t MeshPart::triangles_drawn() const {
  if (surface_actor_->GetVisibility() == 0) return 0;
  return coarse_ ? coarse_source_.size() : skin_.triangle_cell.size();
}

void MeshPart::seen_from(const Vec3& eye) {
  // A driver without a graphics card shades whatever it draws, hidden or not: more than a third of what a solid body costs.
  bool outside = false;
  for (std::size_t k = 0; k < 3; ++k) outside = outside || eye[k] < bounds_[2 * k] || eye[k] > bounds_[2 * k + 1];
  surface_actor_->GetProperty()->SetBackfaceCulling(hides_backs_ && outside && !coarse_);
}

void MeshPart::place_points(const FieldView& view, const Field* warp) {
  const bool warps = warp != nullptr && warp->info.association == Association::point;
  if (!points_changed_ && !warps && !warped_) return;
  auto* xyz = static_cast<float*>(points_->GetVoidPointer(0));
  for (std::size_t i = 0; i < skin_.nodes.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) xyz[3 * i + k] = static_cast<float>(skin_.value(i, mesh_.points->data(), 3, k));
  for (std::size_t i = 0; i < skin_.across.size(); ++i)
    xyz[3 * i + band_axis()] += static_cast<float>(band_half_width * diagonal_ * skin_.across[i]);
  float* normal = normals_->GetPointer(0);
  const auto compute_normals = [&] {
    std::fill(normal, normal + 3 * skin_.nodes.size(), 0.0F);
    const auto each = triangle_normals(skin_.triangles, xyz);
    for (std::size_t t = 0; t < each.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t d = 0; d < 3; ++d)
          normal[3 * static_cast<std::size_t>(skin_.triangles[3 * t + k]) + d] += each[t][d];
    for (std::size_t i = 0; i < skin_.nodes.size(); ++i) {
      const V n = unit({normal[3 * i], normal[3 * i + 1], normal[3 * i + 2]});
      std::copy(n.begin(), n.end(), normal + 3 * i);
    }
  };
  compute_normals();
  outward_ = skin_.has_volume_cells && !warps && is_outward(skin_, mesh_, xyz);
  if (warps) {
    ValueSelection now = view.value;
    now.part = ComplexPart::instant;
    std::array<std::vector<float>, 3> moves;
    const bool vector = warp->info.components == 3;
    bool sound = true;
    for (int k = 0; k < (vector ? 3 : 1); ++k) {
      now.component = k;
      auto values = select_values(*warp, entries(Association::point), now);
      sound = sound && values.ok();
      if (values) moves[static_cast<std::size_t>(k)] = std::move(values).value();
    }
    if (sound) {
      double largest = 0;
      for (std::size_t node = 0; node < skin_.nodes.size(); ++node) {
        double square = 0;
        for (const auto& m : moves)
          if (!m.empty()) square += std::pow(static_cast<double>(skin_.value(node, m.data(), 1, 0)), 2);
        if (std::isfinite(square)) largest = std::max(largest, std::sqrt(square));
      }
      const double automatic = largest > 0 ? 0.05 * diagonal_ / largest : 0;
      const auto scale = static_cast<float>(view.warp_scale != 0 ? view.warp_scale : automatic);
      const std::vector<float> along(normal, normal + 3 * skin_.nodes.size());
      for (std::size_t i = 0; i < skin_.nodes.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) {
          const float move =
              vector ? skin_.value(i, moves[k].data(), 1, 0) : skin_.value(i, moves[0].data(), 1, 0) * along[3 * i + k];
          if (std::isfinite(move)) xyz[3 * i + k] += scale * move;
        }
      compute_normals();
    }
  }
  warped_ = warps;
  points_changed_ = false;
  points_->Modified();
  normals_->Modified();
  surface_->Modified();
  if (!coarse_source_.empty()) place_coarse_points();
  wires_->Modified();
}

void MeshPart::gather_values() {
  if (!values_changed_) return;
  values_changed_ = false;
  for (auto* data : {surface_.Get(), coarse_surface_.Get()}) {
    data->GetPointData()->SetScalars(nullptr);
    data->GetCellData()->SetScalars(nullptr);
  }
  if (values().empty()) return;
  if (shows_nodes()) {
    float* out = point_scalars_->GetPointer(0);
    if (smooth_)
      average_at_nodes();
    else
      for (std::size_t i = 0; i < skin_.nodes.size(); ++i) out[i] = skin_.value(i, values().data(), 1, 0);
    point_scalars_->Modified();
    surface_->GetPointData()->SetScalars(point_scalars_);
    if (!coarse_source_.empty()) {
      for (std::size_t i = 0; i < coarse_nodes_.size(); ++i)
        coarse_point_scalars_->SetValue(static_cast<vtkIdType>(i), out[coarse_nodes_[i]]);
      coarse_point_scalars_->Modified();
      coarse_surface_->GetPointData()->SetScalars(coarse_point_scalars_);
    }
  } else {
    float* out = cell_scalars_->GetPointer(0);
    for (std::size_t i = 0; i < skin_.triangle_cell.size(); ++i)
      out[i] = values()[static_cast<std::size_t>(skin_.triangle_cell[i])];
    cell_scalars_->Modified();
    surface_->GetCellData()->SetScalars(cell_scalars_);
    for (std::size_t i = 0; i < coarse_source_.size(); ++i)
      coarse_scalars_->SetValue(static_cast<vtkIdType>(i), out[coarse_source_[i]]);
    coarse_scalars_->Modified();
    if (!coarse_source_.empty()) coarse_surface_->GetCellData()->SetScalars(coarse_scalars_);
  }
}

void MeshPart::average_at_nodes() {
  const std::size_t nodes = skin_.nodes.size();
  const auto normals = triangle_normals(skin_.triangles, static_cast<const float*>(points_->GetVoidPointer(0)));
  std::vector<double> sum(nodes), weight(nodes);
  for (std::size_t t = 0; t < skin_.triangle_cell.size(); ++t) {
    const double value = static_cast<double>(values()[static_cast<std::size_t>(skin_.triangle_cell[t])]);
    if (!std::isfinite(value)) continue;
    const double area = static_cast<double>(std::sqrt(dot(normals[t], normals[t])));
    for (std::size_t k = 0; k < 3; ++k) {
      const auto node = static_cast<std::size_t>(skin_.triangles[3 * t + k]);
      sum[node] += area * value;
      weight[node] += area;
    }
  }
  float* out = point_scalars_->GetPointer(0);
  for (std::size_t i = 0; i < nodes; ++i)
    out[i] = weight[i] > 0 ? static_cast<float>(sum[i] / weight[i]) : std::numeric_limits<float>::quiet_NaN();
}

void MeshPart::update(const FieldView& view, const Theme& theme, const Coloring& coloring, const Field* warp,
                      double pixel_ratio) {
  const bool colored = !values().empty();
  const bool cuts = shows_cuts(view);
  place_points(view, warp);
  const bool smooth = view.smooth && association_ == Association::cell && !skin_.has_volume_cells;
  if (std::exchange(smooth_, smooth) != smooth) values_changed_ = true;
  gather_values();
  const bool inside = cuts || shows_iso(view);
  surface_actor_->SetVisibility(!skin_.triangles.empty() && !inside && (colored || view.context));
  surface_mapper_->SetScalarVisibility(colored ? 1 : 0);
  if (colored) {
    surface_mapper_->SetLookupTable(lookup_table(coloring));
    surface_mapper_->SetScalarRange(coloring.low, coloring.high);
    if (shows_nodes())
      surface_mapper_->SetScalarModeToUsePointData();
    else
      surface_mapper_->SetScalarModeToUseCellData();
  }
  set_surface_look(*surface_actor_->GetProperty(), theme);
  surface_actor_->GetProperty()->SetOpacity(std::clamp(view.opacity, 0.0, 1.0));
  hides_backs_ = outward_ && !view.clip && view.opacity >= 1;
  const bool only_lines = skin_.triangles.empty();
  wires_wanted_ = (view.edges || only_lines) && !skin_.edges.empty();
  // Opaque lines in a mixed colour: blending them would need sorting.
  const Rgb faint = mix(theme.muted, theme.background, 0.25);
  const Rgb sides = mix(theme.dark ? theme.background : theme.text, theme.surface, 0.6);
  set_color(*wires_actor_->GetProperty(), only_lines ? theme.text : (cuts ? faint : sides));
  wires_actor_->GetProperty()->SetLineWidth(static_cast<float>(pixel_ratio));
  for (auto* mapper : {surface_mapper_.Get(), wires_mapper_.Get()}) {
    mapper->RemoveAllClippingPlanes();
    if (!view.clip) continue;
    Vec3 n = view.clip->normal;
    const double length = std::hypot(n[0], n[1], n[2]);
    if (!(length > 0)) continue;
    double low = 0;
    double high = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      n[k] /= length;
      low += std::min(n[k] * bounds_[2 * k], n[k] * bounds_[2 * k + 1]);
      high += std::max(n[k] * bounds_[2 * k], n[k] * bounds_[2 * k + 1]);
    }
    const double at = low + view.clip->position * (high - low);
    vtkNew<vtkPlane> plane;
    plane->SetOrigin(n[0] * at, n[1] * at, n[2] * at);
    plane->SetNormal(-n[0], -n[1], -n[2]);  // VTK keeps the side of the normal
    mapper->AddClippingPlane(plane);
  }
  update_cuts(view, theme, coloring);
  update_iso(view, theme, coloring);
  // A frame on another mesh while the view moves.
  if (coarse_ && coarse_source_.empty()) coarse_ = false;
  choose_detail();
}

std::optional<Hit> MeshPart::hit(const Ray& ray, const FieldView& view) const {
  if (surface_actor_->GetVisibility() == 0) return hit_inside(ray);
  std::optional<Hit> best;
  const auto* xyz = static_cast<const float*>(points_->GetVoidPointer(0));
  const auto point = [&](std::int32_t node) {
    const float* p = xyz + 3 * static_cast<std::size_t>(node);
    return Vec3{p[0], p[1], p[2]};
  };
  auto* planes = surface_mapper_->GetClippingPlanes();
  for (std::size_t t = 0; t < skin_.triangle_cell.size(); ++t) {
    const auto met = meet_triangle(ray, point(skin_.triangles[3 * t]), point(skin_.triangles[3 * t + 1]),
                                   point(skin_.triangles[3 * t + 2]));
    if (!met || (best && met->distance >= best->distance)) continue;
    const auto [distance, u, v] = *met;
    if (view.clip && planes != nullptr && planes->GetNumberOfItems() > 0) {
      double at[3];
      for (std::size_t k = 0; k < 3; ++k) at[k] = ray.origin[k] + distance * ray.direction[k];
      if (planes->GetItem(0)->EvaluateFunction(at) < 0) continue;
    }
    double value = std::numeric_limits<double>::quiet_NaN();
    if (!values().empty()) {
      // What is seen is what is read: of smooth values those between the nodes.
      const auto node_value = [&](std::size_t k) {
        const auto node = static_cast<std::size_t>(skin_.triangles[3 * t + k]);
        return static_cast<double>(smooth_ ? point_scalars_->GetValue(static_cast<vtkIdType>(node))
                                           : skin_.value(node, values().data(), 1, 0));
      };
      value = shows_nodes() ? (1 - u - v) * node_value(0) + u * node_value(1) + v * node_value(2)
                            : static_cast<double>(values()[static_cast<std::size_t>(skin_.triangle_cell[t])]);
    }
    best = Hit{distance, value, {}};
    if (!skin_.across.empty()) {
      // What is meant lies on the line, not on the band that shows it.
      Vec3 at{};
      for (std::size_t k = 0; k < 3; ++k) {
        at[k] = ray.origin[k] + distance * ray.direction[k];
        if (k == band_axis()) at[k] = std::clamp(at[k], bounds_[2 * k], bounds_[2 * k + 1]);
      }
      best->place = at;
    }
  }
  return best;
}

namespace {

Result<std::vector<double>> values_in_mesh(const MeshGeometry& mesh, Association association,
                                           const std::vector<float>& values, double diagonal,
                                           const std::vector<Vec3>& points) {
  const CellArrays arrays{*mesh.points, *mesh.connectivity, *mesh.offsets, *mesh.types};
  const CellLocator locator(arrays);
  int flat = 0;
  for (std::size_t k = 0; k < 3; ++k) flat += locator.high()[k] - locator.low()[k] <= 1e-12 * diagonal;
  if (locator.dimension() + flat < 3)
    return make_error(ErrorCode::command_line, "a line through a surface mesh meets no volume cells",
                      "Choose a grid, a volume mesh or a plane one.");
  std::vector<double> out;
  out.reserve(points.size());
  for (const Vec3& p : points) {
    const CellSpot spot = locator.find(p, 1e-6 * diagonal);
    if (spot.cell < 0) {
      out.push_back(std::numeric_limits<double>::quiet_NaN());
    } else if (association == Association::cell) {
      out.push_back(static_cast<double>(values[static_cast<std::size_t>(spot.cell)]));
    } else {
      const ShapeValues shape = shape_values(arrays.shape(spot.cell), spot.reference);
      const auto nodes = arrays.nodes(spot.cell);
      double sum = 0;
      for (std::size_t k = 0; k < nodes.size(); ++k)
        if (std::abs(shape.n[k]) > 1e-14)
          sum += shape.n[k] * static_cast<double>(values[static_cast<std::size_t>(nodes[k])]);
      out.push_back(sum);
    }
  }
  return out;
}

}  // namespace

ScenePart::Sampler MeshPart::sampler() const {
  return [mesh = mesh_, association = association_, values = shared(),
          diagonal = diagonal_](const std::vector<Vec3>& points) -> Result<std::vector<double>> {
    if (!values || values->empty())
      return make_error(ErrorCode::command_line, "this part does not carry the field shown");
    return values_in_mesh(mesh, association, *values, diagonal, points);
  };
}

}  // namespace conoid
