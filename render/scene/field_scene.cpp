// SPDX-License-Identifier: BSD-3-Clause
// The face of a field scene; its upkeep is in field_scene_update.cpp, its geometry in field_scene_layout.cpp.
#include "render/scene/field_scene.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <vtkCellArray.h>
#include <vtkContextScene.h>
#include <vtkLight.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>

#include "render/scene/color_map.hpp"
#include "render/scene/field_scene_impl.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

constexpr double slow = 0.02;  // seconds a picture; above, turning it by the mouse would lag
constexpr double goal =
    0.018;  // seconds a picture with less detail: 55 a second, so that 30 are left where the window works too
constexpr std::size_t fewest_triangles = 9000;

std::string list_of(const std::vector<FieldChoice>& choices) {
  std::string list;
  for (const auto& c : choices)
    list += (list.empty() ? "" : ", ") + c.info.name + (c.part.empty() ? "" : " (" + c.part + ")");
  return list.empty() ? "none" : list;
}

}  // namespace

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
  impl_->given = std::move(frame);
  auto made = impl_->made(impl_->view);
  impl_->frame = made ? made.value() : impl_->given;
  const Status status = impl_->update();
  changed();
  return made ? status : made.error();
}

std::shared_ptr<const Frame> FieldScene::frame() const {
  return impl_->given;
}

Result<std::shared_ptr<const Frame>> FieldScene::Impl::made(const FieldView& seen) const {
  if (!given || seen.recipe.empty()) return given;
  FrameRecipe recipe = seen.recipe;
  recipe.part = seen.part;
  recipe.field = seen.field;
  if (recipe.field.empty() || recipe.field == balloon_field) {
    recipe.part.clear();
    recipe.field.clear();
    for (const FramePart& part : given->parts)
      if (recipe.field.empty() && !part.fields.empty()) recipe.field = part.fields.front().info.name;
  }
  return derive(given, recipe);
}

Status FieldScene::set_view(FieldView view) {
  std::shared_ptr<const Frame> next = impl_->frame;
  if (impl_->given) {
    const bool other = !(view.recipe == impl_->view.recipe) ||
                       (!view.recipe.empty() && (view.field != impl_->view.field || view.part != impl_->view.part));
    if (other) {
      auto made = impl_->made(view);
      if (!made) return made.error();
      next = std::move(made).value();
    }
    std::swap(impl_->frame, next);  // its choices are asked for; the former one comes back after an error
    const auto all = choices();
    const bool part_known = view.part.empty() || std::any_of(impl_->frame->parts.begin(), impl_->frame->parts.end(),
                                                             [&](const FramePart& p) { return p.name == view.part; });
    if (!part_known) {
      std::string list;
      for (const FramePart& p : impl_->frame->parts) list += (list.empty() ? "" : ", ") + p.name;
      impl_->frame = next;
      return make_error(ErrorCode::command_line, "there is no part \"" + view.part + "\"", "Parts: " + list + ".");
    }
    const auto carries = [&](const FieldChoice& c) {
      return c.info.name == view.field && (view.part.empty() || c.part == view.part);
    };
    if (!view.field.empty() && std::none_of(all.begin(), all.end(), carries)) {
      impl_->frame = next;
      return make_error(ErrorCode::command_line, "there is no field \"" + view.field + "\"",
                        "Fields: " + list_of(all) + ".");
    }
    for (const auto& c : all)
      if (carries(c) && view.value.component >= c.info.components) {
        impl_->frame = next;
        return make_error(ErrorCode::command_line,
                          fmt::format("field \"{}\" has {} component{}, number {} was asked for", c.info.name,
                                      c.info.components, c.info.components == 1 ? "" : "s", view.value.component));
      }
  }
  if (!view.color_map.empty())
    if (auto map = find_color_map(view.color_map); !map) return map.error();
  impl_->view = std::move(view);
  const Status status = impl_->update();
  changed();
  return status;
}

const FieldView& FieldScene::view() const {
  return impl_->view;
}

std::vector<FieldChoice> FieldScene::choices() const {
  std::vector<FieldChoice> out;
  if (impl_->frame)
    for (const FramePart& part : impl_->frame->parts)
      for (const Field& field : part.fields) out.push_back({part.name, field.info});
  return out;
}

std::pair<double, double> FieldScene::range() const {
  return impl_->range;
}

void FieldScene::set_known_range(std::pair<double, double> range) {
  impl_->known = range;
  impl_->known_of = impl_->asked_of;
  (void)impl_->update();
  changed();
}

void FieldScene::reset_range() {
  impl_->range_of.clear();
  impl_->known.reset();
  (void)impl_->update();
  changed();
}

void FieldScene::set_markers(std::vector<Marker> markers) {
  impl_->markers = std::move(markers);
  if (impl_->has_bounds) impl_->fit_to_markers();
  changed();
}

const std::vector<Marker>& FieldScene::markers() const {
  return impl_->markers;
}

CameraController& FieldScene::camera() {
  return impl_->camera;
}
const CameraController& FieldScene::camera() const {
  return impl_->camera;
}

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
  (void)out->set_frame(impl_->given);
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

Result<FieldScene::ProfileJob> FieldScene::profile_job(const std::string& part, const Vec3& from, const Vec3& to,
                                                       int samples) const {
  if (samples < 2 || samples > 1000000)
    return make_error(ErrorCode::command_line, "a profile takes 2 to 1000000 points");
  for (const Impl::Entry& entry : impl_->parts) {
    if (!entry.part || (!part.empty() && entry.name != part) || entry.part->values().empty()) continue;
    return ProfileJob([from, to, samples, sampler = entry.part->sampler()]() -> Result<std::vector<ProfilePoint>> {
      const double length = std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
      std::vector<Vec3> points(static_cast<std::size_t>(samples));
      for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
          points[i][k] = from[k] + (to[k] - from[k]) * static_cast<double>(i) / (samples - 1);
      const auto values = sampler(points);
      if (!values) return values.error();
      std::vector<ProfilePoint> out(points.size());
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = {length * static_cast<double>(i) / (samples - 1), (*values)[i]};
      return out;
    });
  }
  return make_error(ErrorCode::command_line, "no part carries the field shown" +
                                                 (part.empty() ? std::string() : " under the name \"" + part + "\""));
}

Result<std::vector<ProfilePoint>> FieldScene::profile(const std::string& part, const Vec3& from, const Vec3& to,
                                                      int samples) const {
  const auto job = profile_job(part, from, to, samples);
  if (!job) return job.error();
  return (*job)();
}

std::optional<std::array<Vec3, 2>> FieldScene::line_ends() const {
  for (const Impl::Entry& entry : impl_->parts) {
    if (!entry.part || entry.part->values().empty()) continue;
    if (!entry.part->is_line()) return std::nullopt;
    const Bounds b = entry.part->bounds();
    return std::array{Vec3{b[0], b[2], b[4]}, Vec3{b[1], b[3], b[5]}};
  }
  return std::nullopt;
}

std::size_t FieldScene::cells_of_profile(const std::string& part) const {
  for (const Impl::Entry& entry : impl_->parts)
    if (entry.part && (part.empty() || entry.name == part) && !entry.part->values().empty())
      return entry.part->cells_to_search();
  return 0;
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

bool FieldScene::handle(const InputEvent& event) {
  Impl& s = *impl_;
  const bool moved = s.camera.handle(event);
  if (s.detail != Detail::by_time) return moved;
  if (moved && event.kind == InputKind::move && !s.coarse && s.whole_seconds > slow) less_detail();
  if (event.kind == InputKind::release && s.coarse) {
    s.set_coarse(false);
    return true;
  }
  return moved;
}

void FieldScene::set_detail(Detail detail) {
  impl_->detail = detail;
  if (detail == Detail::coarse)
    less_detail();
  else
    impl_->set_coarse(false);
  changed();
}

void FieldScene::less_detail() {
  // As many triangles as this machine draws in the time: by what the pictures with less detail took, else by the whole one.
  Impl& s = *impl_;
  const bool known = s.coarse_seconds > 0 && s.coarse_triangles > 0;
  const double seconds = known ? s.coarse_seconds : s.whole_seconds;
  const std::size_t drawn = known ? s.coarse_triangles : triangles_drawn();
  if (seconds > 0) {
    // Part of the time does not depend on the triangles: towards the goal in steps, not in one.
    const double factor = std::clamp(goal / seconds, known ? 0.4 : 0.01, 2.0);
    if (!known || factor < 0.9 || factor > 1.3)
      s.most_triangles = std::max(static_cast<std::size_t>(factor * static_cast<double>(drawn)), fewest_triangles);
  }
  s.coarse_seconds = 0;
  s.set_coarse(true);
  s.coarse_triangles = triangles_drawn();
}

void FieldScene::drawn(double seconds) {
  Impl& s = *impl_;
  if (!s.coarse) {
    s.whole_seconds = seconds;
  } else if (s.coarse_pictures++ > 0) {
    // The first one brings new triangles to the renderer. The shortest counts: others wait for the rest of the machine.
    s.coarse_seconds = s.coarse_seconds > 0 ? std::min(s.coarse_seconds, seconds) : seconds;
  }
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
  set_color(*s.line_actor->GetProperty(), theme.accent);
  s.apply_background();
  (void)s.update();
  changed();
}

void FieldScene::set_transparent(bool transparent) {
  impl_->transparent = transparent;
  impl_->apply_background();
  changed();
}

void FieldScene::Impl::apply_background() {
  set_background(*renderer, theme.background, transparent);
}

}  // namespace conoid
