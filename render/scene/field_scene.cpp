// SPDX-License-Identifier: BSD-3-Clause
// Keeps parts, colours and overlay in step with frame and view.
#include "render/scene/field_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkContextActor.h>
#include <vtkContextScene.h>
#include <vtkLight.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkActor.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include "render/scene/arrows.hpp"
#include "render/scene/color_map.hpp"
#include "render/scene/image_part.hpp"
#include "render/scene/mesh_part.hpp"
#include "render/scene/overlay.hpp"
#include "render/scene/ticks.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

constexpr int map_entries = 1024;
constexpr double slow = 0.02;  // seconds a picture; above, turning it by the mouse would lag

std::string list_of(const std::vector<FieldChoice>& choices) {
  std::string list;
  for (const auto& c : choices)
    list += (list.empty() ? "" : ", ") + c.info.name + (c.part.empty() ? "" : " (" + c.part + ")");
  return list.empty() ? "none" : list;
}

// All lengths of a picture in the unit of the largest.
std::string extent_text(double length, double largest) {
  const TickSet unit = tidy_ticks(0, largest, 3, "m");
  return fmt::format("{:.3g} {}", length / unit.scale, unit.unit);
}

bool same_bounds(const Bounds& a, const Bounds& b) {
  for (std::size_t i = 0; i < 6; ++i)
    if (std::abs(a[i] - b[i]) > 1e-9 * (std::abs(a[i]) + std::abs(b[i]))) return false;
  return true;
}

}  // namespace

struct FieldScene::Impl {
  struct Entry {
    std::string name;
    std::unique_ptr<ScenePart> part;
    std::unique_ptr<ArrowActors> arrows;  // made when first wanted
  };

  std::shared_ptr<const Frame> frame;
  FieldView view;
  Theme theme = light_theme();
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkRenderer> over;
  vtkNew<vtkContextActor> context;
  vtkNew<OverlayItem> overlay;
  vtkNew<vtkPolyData> outline;
  vtkNew<vtkActor> outline_actor;
  vtkNew<vtkPolyData> line;
  vtkNew<vtkActor> line_actor;
  std::vector<Entry> parts;  // in the frame's order
  std::vector<Marker> markers;
  CameraController camera;
  Coloring coloring;
  std::string map_name;  // the map in coloring.table
  std::pair<double, double> range{0, 1};
  std::string range_of;  // what the kept range belongs to
  std::string bar_label;
  std::string bar_unit;
  Bounds bounds{-1, 1, -1, 1, -1, 1};
  bool has_bounds = false;
  bool colored = false;
  bool grid_shown = false;  // among the parts that are shown
  StandardView standard = StandardView::iso;
  double pixel_ratio = 1;
  int width = 640;
  int height = 480;
  bool attached = false;
  Detail detail = Detail::by_time;
  bool coarse = false;
  double whole_seconds = 0;  // that the last whole picture took

  void set_coarse(bool on) {
    coarse = on;
    for (const Entry& entry : parts)
      if (entry.part) entry.part->set_coarse(on);
  }

  const Field* find(const FramePart& part, const std::string& name) const {
    for (const Field& f : part.fields)
      if (f.info.name == name) return &f;
    return nullptr;
  }
  std::string field_name() const {
    if (!view.field.empty() || !frame) return view.field;
    for (const FramePart& p : frame->parts)
      if (!p.fields.empty() && (view.part.empty() || view.part == p.name)) return p.fields.front().info.name;
    return {};
  }
  /// The axis along which everything shown has no extent, or −1: a plane grid or a plane mesh.
  int flat_axis() const {
    double largest = 0;
    for (std::size_t d = 0; d < 3; ++d) largest = std::max(largest, bounds[2 * d + 1] - bounds[2 * d]);
    for (std::size_t d = 0; d < 3; ++d)
      if (bounds[2 * d + 1] - bounds[2 * d] < 1e-9 * largest) return static_cast<int>(d);
    return -1;
  }
  void apply_look();
  Status update();
  Status update_range(const std::vector<std::pair<Entry*, const Field*>>& fields);
  void update_outline();
  void place_overlay();
  Ray ray_at(double x, double y) const;
  Vec3 to_display(const Vec3& world) const;
};

void FieldScene::Impl::apply_look() {
  const int axis = flat_axis();
  if (standard == StandardView::iso && axis >= 0) {
    camera.set_parallel(true);
    camera.look(axis == 0 ? StandardView::plus_x : (axis == 1 ? StandardView::minus_y : StandardView::plus_z));
  } else {
    camera.set_parallel(standard != StandardView::iso);
    camera.look(standard);
  }
  camera.set_untouched();
}

Status FieldScene::Impl::update_range(const std::vector<std::pair<Entry*, const Field*>>& fields) {
  const FieldInfo& info = fields.front().second->info;
  const FieldKind kind = kind_of(info, view.value);
  const std::string wanted = !view.color_map.empty()               ? view.color_map
                             : kind == FieldKind::signed_value      ? theme.signed_map
                             : kind == FieldKind::phase             ? theme.phase_map
                                                                    : theme.magnitude_map;
  if (wanted != map_name) {
    auto map = find_color_map(wanted);
    if (!map) return map.error();
    coloring.table = map->table(map_entries);
    map_name = wanted;
  }
  const std::string key = fmt::format("{}|{}|{}|{}", info.name, view.value.component, static_cast<int>(view.value.part),
                                      static_cast<int>(kind));
  if (view.fixed_range) {
    if (!(std::isfinite(view.low) && std::isfinite(view.high) && view.low < view.high))
      return make_error(ErrorCode::command_line, fmt::format("the range {} to {} is empty", view.low, view.high),
                        "Give a lower end below the upper end.");
    range = {view.low, view.high};
    range_of.clear();
  } else {
    std::pair<double, double> now{0, 0};
    bool first = true;
    bool all_zero = true;
    for (const auto& [entry, field] : fields) {
      const auto& values = entry->part->values();
      all_zero = all_zero && std::all_of(values.begin(), values.end(), [](float v) { return v == 0; });
      // An animated complex field keeps the range of its magnitude through the whole period.
      std::pair<double, double> r;
      if (field->info.is_complex && view.value.part == ComplexPart::instant) {
        ValueSelection whole = view.value;
        whole.part = ComplexPart::magnitude;
        auto magnitudes = select_values(*field, entry->part->entries(field->info.association), whole);
        if (!magnitudes) return magnitudes.error();
        r = robust_range(*magnitudes, FieldKind::magnitude, view.percent);
        const double end = std::max(std::abs(r.first), std::abs(r.second));
        r = kind == FieldKind::signed_value ? std::pair{-end, end} : std::pair{0.0, end};
      } else {
        r = robust_range(values, kind, view.percent);
      }
      now = first ? r : std::pair{std::min(now.first, r.first), std::max(now.second, r.second)};
      first = false;
    }
    if (view.keep_range && range_of == key) {
      // A field that is still zero says nothing about the range to come.
      if (!all_zero) now = {std::min(now.first, range.first), std::max(now.second, range.second)};
      else now = range;
    }
    range = now;
    range_of = all_zero ? std::string() : key;
  }
  coloring.low = range.first;
  coloring.high = range.second;
  coloring.missing = theme.surface;
  bar_label = label_of(info, view.value);
  bar_unit = unit_of(info, view.value);
  return {};
}

Status FieldScene::Impl::update() {
  if (!frame) return {};
  Status trouble;
  const auto remember = [&trouble](const Status& status) {
    if (!status && trouble) trouble = status;
  };
  // Parts stay as long as name and kind stay.
  std::vector<Entry> kept;
  for (const FramePart& part : frame->parts) {
    const auto found = std::find_if(parts.begin(), parts.end(), [&](const Entry& e) {
      return e.part && e.name == part.name && e.part->accepts(part.geometry);
    });
    std::unique_ptr<ScenePart> scene_part;
    std::unique_ptr<ArrowActors> arrows;
    if (found != parts.end()) {
      scene_part = std::move(found->part);
      arrows = std::move(found->arrows);
    }
    if (!scene_part && std::holds_alternative<ImageGeometry>(part.geometry))
      scene_part = std::make_unique<ImagePart>(*renderer);
    else if (!scene_part)
      scene_part = std::make_unique<MeshPart>(*renderer);
    if (auto status = scene_part->set_geometry(part); !status) {
      remember(status);
      scene_part = nullptr;
    }
    kept.push_back({part.name, std::move(scene_part), std::move(arrows)});
  }
  parts = std::move(kept);

  const std::string name = field_name();
  std::vector<std::pair<Entry*, const Field*>> fields;
  bool first = true;
  bool boxes = false;
  grid_shown = false;
  std::vector<Vec3> extremes;
  Bounds all{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Entry& entry = parts[i];
    if (!entry.part) continue;
    const FramePart& part = frame->parts[i];
    const Field* field = view.part.empty() || view.part == part.name ? find(part, name) : nullptr;
    std::vector<float> values;
    if (field != nullptr) {
      auto selected = select_values(*field, entry.part->entries(field->info.association), view.value);
      if (selected) {
        values = std::move(selected).value();
      } else {
        remember(selected.error());
        field = nullptr;
      }
    }
    entry.part->set_values(std::move(values), field != nullptr ? field->info.association : Association::point);
    if (field != nullptr) fields.emplace_back(&entry, field);
    const bool shown = field != nullptr || (view.context && !entry.part->accepts(ImageGeometry{}));
    if (!shown) continue;
    grid_shown = grid_shown || entry.part->accepts(ImageGeometry{});
    const Bounds b = entry.part->bounds();
    const auto points = entry.part->extremes();
    boxes = boxes || points.empty();
    extremes.insert(extremes.end(), points.begin(), points.end());
    for (std::size_t k = 0; k < 3; ++k) {
      all[2 * k] = first ? b[2 * k] : std::min(all[2 * k], b[2 * k]);
      all[2 * k + 1] = first ? b[2 * k + 1] : std::max(all[2 * k + 1], b[2 * k + 1]);
    }
    first = false;
  }
  colored = !fields.empty();
  if (colored) remember(update_range(fields));
  if (coloring.table.empty()) colored = false;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].part) {
      const Field* warp = view.warp_field.empty() ? nullptr : find(frame->parts[i], view.warp_field);
      if (!colored) parts[i].part->set_values({}, Association::point);
      parts[i].part->update(view, theme, coloring, warp, pixel_ratio);
      const Field* vectors = view.arrow_field.empty() ? nullptr : find(frame->parts[i], view.arrow_field);
      if (vectors != nullptr && !parts[i].arrows) parts[i].arrows = std::make_unique<ArrowActors>(*renderer);
      const double size = std::max({all[1] - all[0], all[3] - all[2], all[5] - all[4]});
      if (parts[i].arrows) parts[i].arrows->update(frame->parts[i], vectors, view, theme, size, pixel_ratio);
    }
  if (!first) {
    const bool new_bounds = !has_bounds || !same_bounds(bounds, all);
    bounds = all;
    camera.set_bounds(all);
    camera.set_extremes(boxes ? std::vector<Vec3>{} : std::move(extremes));
    if (!has_bounds || (new_bounds && camera.untouched())) apply_look();
    has_bounds = true;
  }
  update_outline();
  return trouble;
}

void FieldScene::Impl::update_outline() {
  const Bounds& b = bounds;
  vtkNew<vtkPoints> points;
  for (unsigned i = 0; i < 8; ++i)
    points->InsertNextPoint(b[i & 1U], b[2 + ((i >> 1) & 1U)], b[4 + ((i >> 2) & 1U)]);
  vtkNew<vtkCellArray> lines;
  for (vtkIdType i = 0; i < 8; ++i)
    for (const vtkIdType bit : {1, 2, 4})
      if ((i & bit) == 0) lines->InsertNextCell({i, i | bit});
  outline->SetPoints(points);
  outline->SetLines(lines);
  // Around a mesh that fills its own box a frame only distracts: it belongs to grids.
  outline_actor->SetVisibility(view.outline && has_bounds && grid_shown);
  set_color(*outline_actor->GetProperty(), mix(theme.muted, theme.background, 0.6));
  outline_actor->GetProperty()->SetLineWidth(static_cast<float>(pixel_ratio));
}

Vec3 FieldScene::Impl::to_display(const Vec3& world) const {
  const double aspect = static_cast<double>(width) / height;
  auto* matrix = camera.camera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1);
  const double in[4] = {world[0], world[1], world[2], 1};
  double out[4];
  matrix->MultiplyPoint(in, out);
  const double w = std::abs(out[3]) > 1e-300 ? out[3] : 1e-300;
  return {(out[0] / w + 1) / 2 * width, (out[1] / w + 1) / 2 * height, out[3]};
}

Ray FieldScene::Impl::ray_at(double x, double y) const {
  vtkCamera* c = camera.camera();
  double position[3];
  double focal[3];
  double up[3];
  c->GetPosition(position);
  c->GetFocalPoint(focal);
  c->GetViewUp(up);
  Vec3 forward = {focal[0] - position[0], focal[1] - position[1], focal[2] - position[2]};
  const auto normalise = [](Vec3 v) {
    const double n = std::hypot(v[0], v[1], v[2]);
    return n > 0 ? Vec3{v[0] / n, v[1] / n, v[2] / n} : v;
  };
  const auto cross = [](const Vec3& a, const Vec3& b) {
    return Vec3{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  forward = normalise(forward);
  const Vec3 right = normalise(cross(forward, {up[0], up[1], up[2]}));
  const Vec3 above = cross(right, forward);
  const double ndc_x = (2 * x / width - 1) * width / height;
  const double ndc_y = 1 - 2 * y / height;
  Ray ray;
  if (c->GetParallelProjection() != 0) {
    const double s = c->GetParallelScale();
    ray.direction = forward;
    // From well in front of everything, so that distances are positive.
    const double back = 10 * (c->GetDistance() + s);
    for (std::size_t k = 0; k < 3; ++k)
      ray.origin[k] = position[k] + s * (ndc_x * right[k] + ndc_y * above[k]) - back * forward[k];
  } else {
    const double t = std::tan(c->GetViewAngle() * 3.14159265358979323846 / 360);
    ray.origin = {position[0], position[1], position[2]};
    for (std::size_t k = 0; k < 3; ++k) ray.direction[k] = forward[k] + t * (ndc_x * right[k] + ndc_y * above[k]);
    ray.direction = normalise(ray.direction);
  }
  return ray;
}

void FieldScene::Impl::place_overlay() {
  OverlayContent& c = overlay->content;
  c.theme = theme;
  c.ratio = pixel_ratio;
  c.width = width;
  c.height = height;
  c.title = view.caption ? view.title : std::string();
  c.moment.clear();
  if (view.caption && frame) {
    switch (frame->axis) {
      case FrameAxis::time: c.moment = "t = " + readable(frame->value, "s"); break;
      case FrameAxis::frequency: c.moment = "f = " + readable(frame->value, "Hz"); break;
      case FrameAxis::iteration: c.moment = fmt::format("iteration {:g}", frame->value); break;
    }
    if (frame->axis == FrameAxis::frequency && view.value.part == ComplexPart::instant && view.value.angle != 0)
      c.moment += fmt::format("   phase {:.0f}°", view.value.angle * 180 / 3.14159265358979323846);
  }
  c.bar = view.color_bar && colored;
  c.coloring = coloring;
  const int most = std::clamp(static_cast<int>(std::min(280 * pixel_ratio, 0.6 * height) / (26 * pixel_ratio)), 3, 11);
  c.ticks = tidy_ticks(coloring.low, coloring.high, most, bar_unit);
  c.bar_title = axis_title(bar_label, c.ticks.unit);
  c.triad = view.triad;
}

FieldScene::FieldScene() : impl_(std::make_unique<Impl>()) {
  Impl& s = *impl_;
  s.renderer->SetActiveCamera(s.camera.camera());
  s.renderer->SetLayer(0);
  s.renderer->SetAutomaticLightCreation(false);
  s.renderer->SetBackingStore(false);
  s.renderer->SetBackgroundAlpha(1);
  // A key light from the upper left and a weak fill from the right, both moving with the eye.
  const auto add_light = [&](double x, double y, double z, double strength) {
    vtkNew<vtkLight> light;
    light->SetLightTypeToCameraLight();
    light->SetPosition(x, y, z);
    light->SetFocalPoint(0, 0, 0);
    light->SetIntensity(strength);
    s.renderer->AddLight(light);
  };
  add_light(-0.45, 0.65, 1, 0.85);
  add_light(0.8, 0.1, 0.6, 0.28);
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(s.outline);
  s.outline_actor->SetMapper(mapper);
  s.outline_actor->GetProperty()->LightingOff();
  s.outline_actor->VisibilityOff();
  s.renderer->AddActor(s.outline_actor);
  vtkNew<vtkPolyDataMapper> line_mapper;
  line_mapper->SetInputData(s.line);
  s.line_actor->SetMapper(line_mapper);
  s.line_actor->GetProperty()->LightingOff();
  s.line_actor->VisibilityOff();
  // Drawn in front of what it lies upon.
  line_mapper->SetResolveCoincidentTopologyToPolygonOffset();
  line_mapper->SetRelativeCoincidentTopologyLineOffsetParameters(0, -66000);
  s.renderer->AddActor(s.line_actor);
  s.over->SetLayer(1);
  s.over->SetInteractive(0);
  s.context->GetScene()->AddItem(s.overlay);
  s.over->AddActor(s.context);
  set_theme(s.theme);
}

FieldScene::~FieldScene() {
  impl_->parts.clear();  // they take their actors out of the renderer
}

Status FieldScene::set_frame(std::shared_ptr<const Frame> frame) {
  impl_->frame = std::move(frame);
  const Status status = impl_->update();
  changed();
  return status;
}

std::shared_ptr<const Frame> FieldScene::frame() const { return impl_->frame; }

Status FieldScene::set_view(FieldView view) {
  if (impl_->frame) {
    const auto all = choices();
    const bool part_known = view.part.empty() || std::any_of(impl_->frame->parts.begin(), impl_->frame->parts.end(),
                                                             [&](const FramePart& p) { return p.name == view.part; });
    if (!part_known) {
      std::string list;
      for (const FramePart& p : impl_->frame->parts) list += (list.empty() ? "" : ", ") + p.name;
      return make_error(ErrorCode::command_line, "there is no part \"" + view.part + "\"", "Parts: " + list + ".");
    }
    const auto carries = [&](const FieldChoice& c) {
      return c.info.name == view.field && (view.part.empty() || c.part == view.part);
    };
    if (!view.field.empty() && std::none_of(all.begin(), all.end(), carries))
      return make_error(ErrorCode::command_line, "there is no field \"" + view.field + "\"", "Fields: " + list_of(all) + ".");
    for (const auto& c : all)
      if (carries(c) && view.value.component >= c.info.components)
        return make_error(ErrorCode::command_line,
                          fmt::format("field \"{}\" has {} component{}, number {} was asked for", c.info.name,
                                      c.info.components, c.info.components == 1 ? "" : "s", view.value.component));
  }
  if (!view.color_map.empty())
    if (auto map = find_color_map(view.color_map); !map) return map.error();
  impl_->view = std::move(view);
  const Status status = impl_->update();
  changed();
  return status;
}

const FieldView& FieldScene::view() const { return impl_->view; }

std::vector<FieldChoice> FieldScene::choices() const {
  std::vector<FieldChoice> out;
  if (impl_->frame)
    for (const FramePart& part : impl_->frame->parts)
      for (const Field& field : part.fields) out.push_back({part.name, field.info});
  return out;
}

std::pair<double, double> FieldScene::range() const { return impl_->range; }

void FieldScene::reset_range() {
  impl_->range_of.clear();
  (void)impl_->update();
  changed();
}

void FieldScene::set_markers(std::vector<Marker> markers) {
  impl_->markers = std::move(markers);
  changed();
}

const std::vector<Marker>& FieldScene::markers() const { return impl_->markers; }

CameraController& FieldScene::camera() { return impl_->camera; }
const CameraController& FieldScene::camera() const { return impl_->camera; }

std::shared_ptr<FieldScene> FieldScene::copy() const {
  auto out = std::make_shared<FieldScene>();
  out->set_theme(impl_->theme);
  FieldView view = impl_->view;
  if (impl_->colored) {
    // The range may have grown over earlier frames, which the copy has not seen.
    view.fixed_range = true;
    view.low = impl_->range.first;
    view.high = impl_->range.second;
  }
  out->impl_->view = std::move(view);
  (void)out->set_frame(impl_->frame);
  out->set_markers(impl_->markers);
  out->impl_->standard = impl_->standard;
  out->camera().copy_from(impl_->camera);
  return out;
}

void FieldScene::set_line(std::vector<Vec3> points) {
  vtkNew<vtkPoints> places;
  vtkNew<vtkCellArray> lines;
  if (points.size() >= 2) {
    lines->InsertNextCell(static_cast<int>(points.size()));
    for (const Vec3& p : points) lines->InsertCellPoint(places->InsertNextPoint(p.data()));
  }
  impl_->line->SetPoints(places);
  impl_->line->SetLines(lines);
  impl_->line_actor->SetVisibility(points.size() >= 2);
  set_color(*impl_->line_actor->GetProperty(), impl_->theme.accent);
  impl_->line_actor->GetProperty()->SetLineWidth(static_cast<float>(2 * impl_->pixel_ratio));
  changed();
}

void FieldScene::look(StandardView view) {
  impl_->standard = view;
  impl_->apply_look();
  changed();
}

void FieldScene::fit() {
  impl_->camera.fit();
  impl_->camera.set_untouched();
  changed();
}

std::optional<Probe> FieldScene::pick(double x, double y) const {
  const Impl& s = *impl_;
  const Ray ray = s.ray_at(x, y);
  std::optional<Probe> best;
  double distance = std::numeric_limits<double>::max();
  for (const Impl::Entry& entry : s.parts) {
    if (!entry.part) continue;
    const auto hit = entry.part->hit(ray, s.view);
    if (!hit || hit->distance >= distance) continue;
    distance = hit->distance;
    Probe probe;
    for (std::size_t k = 0; k < 3; ++k) probe.position[k] = ray.origin[k] + hit->distance * ray.direction[k];
    probe.part = entry.name;
    probe.value = hit->value;
    const std::string where =
        fmt::format("({:.4g}, {:.4g}, {:.4g}) m", probe.position[0], probe.position[1], probe.position[2]);
    probe.text = s.colored && !entry.part->values().empty()
                     ? fmt::format("{} {} at {}", s.bar_label, readable(probe.value, s.bar_unit), where)
                     : fmt::format("{} at {}", entry.name, where);
    best = std::move(probe);
  }
  return best;
}

std::optional<Vec3> FieldScene::pick_plane(double x, double y, int axis, double at) const {
  if (axis < 0 || axis > 2) return std::nullopt;
  const Ray ray = impl_->ray_at(x, y);
  const auto k = static_cast<std::size_t>(axis);
  if (std::abs(ray.direction[k]) < 1e-12) return std::nullopt;
  const double t = (at - ray.origin[k]) / ray.direction[k];
  if (!(t > 0)) return std::nullopt;
  return Vec3{ray.origin[0] + t * ray.direction[0], ray.origin[1] + t * ray.direction[1],
              ray.origin[2] + t * ray.direction[2]};
}

Result<std::vector<ProfilePoint>> FieldScene::profile(const std::string& part, const Vec3& from, const Vec3& to,
                                                      int samples) const {
  if (samples < 2 || samples > 1000000)
    return make_error(ErrorCode::command_line, "a profile takes 2 to 1000000 points");
  for (const Impl::Entry& entry : impl_->parts) {
    if (!entry.part || (!part.empty() && entry.name != part) || entry.part->values().empty()) continue;
    const double length = std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
    std::vector<Vec3> points(static_cast<std::size_t>(samples));
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k)
        points[i][k] = from[k] + (to[k] - from[k]) * static_cast<double>(i) / (samples - 1);
    auto values = entry.part->sample(points);
    if (!values) return values.error();
    std::vector<ProfilePoint> out(points.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = {length * static_cast<double>(i) / (samples - 1), (*values)[i]};
    return out;
  }
  return make_error(ErrorCode::command_line, "no part carries the field shown" +
                                                 (part.empty() ? std::string() : " under the name \"" + part + "\""));
}

void FieldScene::attach(vtkRenderWindow& window) {
  window.SetNumberOfLayers(2);
  window.AddRenderer(impl_->renderer);
  window.AddRenderer(impl_->over);
  impl_->attached = true;
}

void FieldScene::detach(vtkRenderWindow& window) {
  window.RemoveRenderer(impl_->renderer);
  window.RemoveRenderer(impl_->over);
  impl_->attached = false;
}

void FieldScene::layout(int width, int height, double pixel_ratio) {
  Impl& s = *impl_;
  if (!s.coarse) s.whole_seconds = s.renderer->GetLastRenderTimeInSeconds();
  const bool resized = width != s.width || height != s.height;
  const bool rescaled = std::abs(pixel_ratio - s.pixel_ratio) > 1e-9;
  s.width = std::max(width, 1);
  s.height = std::max(height, 1);
  s.pixel_ratio = pixel_ratio;
  if (rescaled) (void)s.update();
  s.place_overlay();
  OverlayContent& c = s.overlay->content;
  const double edge = 28 * pixel_ratio;
  const double bar = s.overlay->bar_margin();
  const bool caption = !c.title.empty() || !c.moment.empty();
  const std::array<double, 4> margins = {edge + (s.view.triad ? 16 * pixel_ratio : 0), bar > 0 ? bar + edge : edge, edge,
                                         caption && !c.title.empty() ? edge + 24 * pixel_ratio : edge};
  s.camera.set_viewport(s.width, s.height, margins);
  (void)resized;
  if (s.camera.untouched() && s.has_bounds) {
    s.camera.fit();
    s.camera.set_untouched();
  }
  s.camera.update_clipping();

  // Everything below depends on the final camera.
  double position[3];
  double focal[3];
  double up[3];
  s.camera.camera()->GetPosition(position);
  s.camera.camera()->GetFocalPoint(focal);
  s.camera.camera()->GetViewUp(up);
  const auto unit = [](Vec3 v) {
    const double n = std::hypot(v[0], v[1], v[2]);
    return n > 0 ? Vec3{v[0] / n, v[1] / n, v[2] / n} : v;
  };
  const auto cross = [](const Vec3& a, const Vec3& b) {
    return Vec3{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const Vec3 back = unit({position[0] - focal[0], position[1] - focal[1], position[2] - focal[2]});
  const Vec3 right = unit(cross({up[0], up[1], up[2]}, back));
  const Vec3 above = cross(back, right);
  for (std::size_t k = 0; k < 3; ++k) c.axes[k] = {right[k], above[k], back[k]};

  c.lengths.clear();
  if (s.view.extents && s.has_bounds && s.outline_actor->GetVisibility() != 0) {
    // One length an axis, at the lowest visible silhouette edge, outside of the box as seen.
    Vec3 centre = {(s.bounds[0] + s.bounds[1]) / 2, (s.bounds[2] + s.bounds[3]) / 2, (s.bounds[4] + s.bounds[5]) / 2};
    const Vec3 middle = s.to_display(centre);
    const double largest = std::max({s.bounds[1] - s.bounds[0], s.bounds[3] - s.bounds[2], s.bounds[5] - s.bounds[4]});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double length = s.bounds[2 * axis + 1] - s.bounds[2 * axis];
      if (!(length > 0)) continue;
      const std::size_t u = (axis + 1) % 3;
      const std::size_t v = (axis + 2) % 3;
      double best = -std::numeric_limits<double>::max();
      OverlayLabel label;
      for (unsigned corner = 0; corner < 4; ++corner) {
        Vec3 p{};
        p[axis] = centre[axis];
        p[u] = s.bounds[2 * u + (corner & 1U)];
        p[v] = s.bounds[2 * v + (corner >> 1U)];
        Vec3 from = p;
        Vec3 to = p;
        from[axis] = s.bounds[2 * axis];
        to[axis] = s.bounds[2 * axis + 1];
        const Vec3 a = s.to_display(from);
        const Vec3 b = s.to_display(to);
        const double dx = b[0] - a[0];
        const double dy = b[1] - a[1];
        const double n = std::hypot(dx, dy);
        if (n < 40 * pixel_ratio || a[2] <= 0 || b[2] <= 0) continue;
        double nx = -dy / n;
        double ny = dx / n;
        const double mx = (a[0] + b[0]) / 2;
        const double my = (a[1] + b[1]) / 2;
        double out = nx * (mx - middle[0]) + ny * (my - middle[1]);
        if (out < 0) nx = -nx, ny = -ny, out = -out;
        // Farthest out is a silhouette edge; of two, the lower, then the left one.
        const double score = out - 0.6 * (my - middle[1]) - 0.3 * (mx - middle[0]);
        if (out < 0.02 * s.height || score <= best) continue;
        best = score;
        label.text = extent_text(length, largest);
        const auto size = text_size(s.theme, label.text, 11 * pixel_ratio);
        const double gap = 5 * pixel_ratio + std::abs(nx) * size[0] / 2 + std::abs(ny) * size[1] / 2;
        label.x = mx + nx * gap;
        label.y = my + ny * gap;
      }
      if (!label.text.empty()) c.lengths.push_back(label);
    }
  }
  c.marks.clear();
  for (const Marker& marker : s.markers) {
    const Vec3 p = s.to_display(marker.position);
    if (p[2] > 0) c.marks.push_back({p[0], p[1], marker.kind, marker.label});
  }
  s.overlay->Modified();
}

bool FieldScene::handle(const InputEvent& event) {
  Impl& s = *impl_;
  const bool moved = s.camera.handle(event);
  if (s.detail != Detail::by_time) return moved;
  if (moved && event.kind == InputKind::move && !s.coarse && s.whole_seconds > slow) s.set_coarse(true);
  if (event.kind == InputKind::release && s.coarse) {
    s.set_coarse(false);
    return true;
  }
  return moved;
}

void FieldScene::set_detail(Detail detail) {
  impl_->detail = detail;
  impl_->set_coarse(detail == Detail::coarse);
  changed();
}

std::size_t FieldScene::triangles_drawn() const {
  std::size_t count = 0;
  for (const Impl::Entry& entry : impl_->parts)
    if (entry.part) count += entry.part->triangles_drawn();
  return count;
}

void FieldScene::set_theme(const Theme& theme) {
  Impl& s = *impl_;
  s.theme = theme;
  s.renderer->SetBackground(theme.background[0], theme.background[1], theme.background[2]);
  (void)s.update();
  changed();
}

void FieldScene::set_transparent(bool transparent) {
  impl_->renderer->SetBackgroundAlpha(transparent ? 0 : 1);
  changed();
}

}  // namespace conoid
