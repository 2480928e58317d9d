// SPDX-License-Identifier: BSD-3-Clause
// Where things of a field scene are in the picture: camera, overlay, rays under the cursor.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <vtkCamera.h>
#include <vtkMatrix4x4.h>

#include "engine/core/vec3.hpp"
#include "engine/run/derived_frame.hpp"
#include "render/scene/field_scene_impl.hpp"
#include "render/scene/ticks.hpp"
#include "render/scene/vtk_helpers.hpp"

namespace conoid {

namespace {

constexpr double triad_room = 88;  // from the corner of the picture to the letters' ends

// All lengths of a picture in the unit of the largest.
std::string extent_text(double length, double largest) {
  const TickSet unit = tidy_ticks(0, largest, 3, "m");
  return fmt::format("{:.3g} {}", length / unit.scale, unit.unit);
}

}  // namespace

Vec3 FieldScene::Impl::to_display(const Vec3& world) const {
  const double aspect = static_cast<double>(width) / height;
  auto* matrix = camera.camera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1);
  const double in[4] = {world[0], world[1], world[2], 1};
  double out[4];
  matrix->MultiplyPoint(in, out);
  const double w = std::abs(out[3]) > 1e-300 ? out[3] : 1e-300;
  return {(out[0] / w + 1) / 2 * width, (out[1] / w + 1) / 2 * height, out[3]};
}

std::array<double, 4> FieldScene::Impl::box_in_picture() const {
  const Bounds& b = camera.bounds();
  std::array<double, 4> out{INFINITY, INFINITY, -INFINITY, -INFINITY};
  for (unsigned corner = 0; corner < 8; ++corner) {
    const Vec3 p = to_display({b[corner & 1U], b[2 + (corner >> 1U & 1U)], b[4 + (corner >> 2U & 1U)]});
    out = {std::min(out[0], p[0]), std::min(out[1], p[1]), std::max(out[2], p[0]), std::max(out[3], p[1])};
  }
  return out;
}

void FieldScene::Impl::make_room_for_triad(const std::array<double, 4>& margins) {
  // Seen along an axis a body fills its box, and the corner with it; from elsewhere the corner is free.
  if (!view.triad || camera.camera()->GetParallelProjection() == 0) return;
  const double corner = triad_room * pixel_ratio;
  const auto box = box_in_picture();
  if (box[0] >= corner || box[1] >= corner) return;
  // At the left of the picture or below it, whichever leaves more of it.
  const auto with = [&](std::size_t side) {
    std::array<double, 4> wider = margins;
    wider[side] = std::max(wider[side], corner);
    camera.set_viewport(width, height, wider);
    camera.fit();
    const auto now = box_in_picture();
    return now[2] - now[0];
  };
  const double beside = with(0), below = with(2);
  if (beside > below) static_cast<void>(with(0));
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

/// How many points of the grid one of the volume stands for: planes through it, which are kept whole, say it. 1: it is whole, or nobody says.
FieldScene::Impl::Thinning FieldScene::Impl::thinning() const {
  Thinning out;
  if (!frame) return out;
  const std::string name = field_name();
  for (const FramePart& part : frame->parts) {
    const auto* volume = std::get_if<ImageGeometry>(&part.geometry);
    if (volume == nullptr || !is_chosen(part.name) || find(part, name) == nullptr) continue;
    if (std::any_of(volume->points.begin(), volume->points.end(), [](Index n) { return n < 2; })) continue;
    double most = 1;
    for (const FramePart& other : frame->parts) {
      const auto* plane = std::get_if<ImageGeometry>(&other.geometry);
      if (plane == nullptr || find(other, name) == nullptr) continue;
      const auto flat = std::count_if(plane->points.begin(), plane->points.end(), [](Index n) { return n == 1; });
      for (std::size_t k = 0; k < 3 && flat == 1; ++k)
        if (plane->points[k] > 1) most = std::max(most, volume->spacing[k] / plane->spacing[k]);
    }
    const long stride = std::lround(most);
    if (stride <= out.stride) continue;
    out = {stride, 1};
    for (const Index n : volume->points) out.whole *= static_cast<double>(n * stride);
  }
  return out;
}

void FieldScene::Impl::place_overlay() {
  OverlayContent& c = overlay->content;
  c.theme = theme;
  c.ground = !transparent;
  c.ratio = pixel_ratio;
  c.width = width;
  c.height = height;
  c.title = view.caption ? view.title : std::string();
  c.moment.clear();
  if (view.caption && frame) {
    switch (frame->axis) {
      case FrameAxis::time: c.moment = "t = " + readable(frame->value, "s"); break;
      case FrameAxis::frequency: c.moment = "f = " + readable(frame->value, "Hz"); break;
      case FrameAxis::iteration: c.moment = fmt::format("{} {:g}", view.iteration_word, frame->value); break;
    }
    if (frame->axis == FrameAxis::frequency && view.value.part == ComplexPart::instant && view.value.angle != 0)
      c.moment += fmt::format("   {} {:.0f}°", view.phase_word, view.value.angle * 180 / 3.14159265358979323846);
  }
  const long stride = view.caption ? thinning().stride : 1;
  c.remark = stride > 1 ? fmt::format(fmt::runtime(view.thinned_words), stride) : std::string();
  c.bar = view.color_bar && colored;
  c.coloring = coloring;
  const int most = std::clamp(static_cast<int>(std::min(280 * pixel_ratio, 0.6 * height) / (26 * pixel_ratio)), 3, 11);
  c.ticks = coloring.log ? log_ticks(std::log10(coloring.low), std::log10(coloring.high), most, bar_unit)
                         : tidy_ticks(coloring.low, coloring.high, most, bar_unit);
  c.bar_title = axis_title(bar_label, c.ticks.unit);
  c.triad = view.triad;
}

namespace {

std::string where_text(const Vec3& p) {
  return fmt::format("({:.4g}, {:.4g}, {:.4g}) m", p[0], p[1], p[2]);
}

}  // namespace

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
    if (hit->place) probe.position = *hit->place;
    probe.part = entry.name;
    probe.value = hit->value;
    probe.where = where_text(probe.position);
    if (entry.name == balloon_part && s.frame) {
      probe.direction = direction_from(balloon_centre(*s.frame), probe.position);
      probe.where = fmt::format("θ = {:.1f}°, φ = {:.1f}°", (*probe.direction)[0], (*probe.direction)[1]);
    }
    probe.what = s.colored && !entry.part->values().empty()
                     ? fmt::format("{} {}", s.bar_label, readable(probe.value, s.bar_unit))
                     : entry.name;
    best = std::move(probe);
  }
  for (std::size_t i = 0; i < s.parts.size() && s.frame; ++i) {
    const auto& arrows = s.parts[i].arrows;
    const auto met = arrows ? arrows->hit(ray) : std::nullopt;
    if (!met || met->distance - arrows->reach() >= distance) continue;
    const Field* field = s.find(s.frame->parts[i], s.view.arrow_field);
    if (field == nullptr) continue;
    distance = met->distance - arrows->reach();
    best = s.probe_of(met->arrow, *field, s.parts[i].name);
  }
  if (best) best->text = fmt::format("{} at {}", best->what, best->where);
  return best;
}

Probe FieldScene::Impl::probe_of(const Arrow& arrow, const Field& field, const std::string& part) const {
  Probe out;
  out.position = arrow.at;
  out.part = part;
  out.value = vec::norm(arrow.vector);
  const std::string& unit = field.info.unit;
  out.what = fmt::format("{} {} ({}, {}, {})", field.info.label.empty() ? field.info.name : field.info.label,
                         readable(out.value, unit), readable(arrow.vector[0], unit), readable(arrow.vector[1], unit),
                         readable(arrow.vector[2], unit));
  out.where = where_text(arrow.at);
  return out;
}

std::array<Vec3, 2> FieldScene::Impl::ends_of_wave(const Vec3& direction) const {
  const Vec3 middle = middle_of_field();
  const Vec3 along = vec::unit(direction);
  double leaves = std::numeric_limits<double>::max(), largest = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const double side = bounds[2 * k + 1] - bounds[2 * k];
    largest = std::max(largest, side);
    if (std::abs(along[k]) > 1e-9) leaves = std::min(leaves, 0.5 * side / std::abs(along[k]));
  }
  // Just outside of the box, so that it hides nothing.
  constexpr double gap = 0.06, length = 0.24;
  return {vec::axpy(-(leaves + (gap + length) * largest), along, middle),
          vec::axpy(-(leaves + gap * largest), along, middle)};
}

std::array<Vec3, 2> FieldScene::Impl::ends_of_source(const Marker& marker) const {
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) largest = std::max(largest, bounds[2 * k + 1] - bounds[2 * k]);
  const Vec3 half = vec::scale(0.08 * largest, vec::unit(marker.direction));
  return {vec::sub(marker.position, half), vec::add(marker.position, half)};
}

Vec3 FieldScene::Impl::forward() const {
  double position[3], focal[3];
  camera.camera()->GetPosition(position);
  camera.camera()->GetFocalPoint(focal);
  return vec::unit(Vec3{focal[0] - position[0], focal[1] - position[1], focal[2] - position[2]});
}

Vec3 FieldScene::Impl::middle_of_field() const {
  return {(bounds[0] + bounds[1]) / 2, (bounds[2] + bounds[3]) / 2, (bounds[4] + bounds[5]) / 2};
}

std::optional<OverlayArrow> FieldScene::Impl::arrow_of(const Marker& marker) const {
  if (!(vec::norm(marker.direction) > 0)) return std::nullopt;
  const auto [tail, tip] = marker.kind == MarkerKind::wave ? ends_of_wave(marker.direction) : ends_of_source(marker);
  const Vec3 from = to_display(tail), to = to_display(tip);
  if (!(from[2] > 0) || !(to[2] > 0)) return std::nullopt;
  OverlayArrow out;
  out.from = {from[0], from[1]};
  out.to = {to[0], to[1]};
  out.label = marker.label;
  const double shortest = 10 * pixel_ratio;
  if (std::hypot(to[0] - from[0], to[1] - from[1]) < shortest)
    out.towards = vec::dot(marker.direction, forward()) < 0 ? 1 : -1;
  const double half = 0.3 * vec::distance(tail, tip);
  for (const Vec3& polarisation : marker.polarisations) {
    if (!(vec::norm(polarisation) > 0)) continue;
    const Vec3 across = vec::scale(half, vec::unit(polarisation));
    const Vec3 a = to_display(vec::sub(tail, across)), b = to_display(vec::add(tail, across));
    out.bars.push_back({a[0], a[1], b[0], b[1]});
  }
  return out;
}

std::optional<std::size_t> FieldScene::marker_at(double x, double y) const {
  const Impl& s = *impl_;
  const double reach = 9 * s.pixel_ratio, up = s.height - y;
  std::optional<std::size_t> best;
  double nearest = reach;
  for (std::size_t i = 0; i < s.markers.size(); ++i) {
    const Marker& marker = s.markers[i];
    double apart = std::numeric_limits<double>::max();
    if (marker.kind == MarkerKind::wave) {
      if (const auto arrow = s.arrow_of(marker)) {
        const auto [x0, y0] = arrow->from;
        const double dx = arrow->to[0] - x0, dy = arrow->to[1] - y0, square = dx * dx + dy * dy;
        const double t = square > 0 ? std::clamp(((x - x0) * dx + (up - y0) * dy) / square, 0.0, 1.0) : 0;
        apart = std::hypot(x - x0 - t * dx, up - y0 - t * dy);
      }
    } else if (const Vec3 p = s.to_display(marker.position); p[2] > 0) {
      apart = std::hypot(x - p[0], up - p[1]);
    }
    if (apart >= nearest) continue;
    nearest = apart;
    best = i;
  }
  return best;
}

std::string FieldScene::caption() const {
  const OverlayContent& c = impl_->overlay->content;
  return c.moment + (c.moment.empty() || c.remark.empty() ? "" : "   ") + c.remark;
}

double FieldScene::points_of_whole() const {
  return impl_->thinning().whole;
}

std::optional<std::size_t> FieldScene::annotation_at(double x, double y) const {
  const Impl& s = *impl_;
  const auto& notes = s.overlay->content.notes;
  const double up = s.height - y, reach = 8 * s.pixel_ratio;
  for (std::size_t i = notes.size(); i-- > 0;) {
    const OverlayBox& box = notes[i].box;
    const bool on_text = x >= box.left && x <= box.right && up >= box.bottom && up <= box.top;
    if (on_text || std::hypot(x - notes[i].x, up - notes[i].y) <= reach) return s.noted[i];
  }
  return std::nullopt;
}

void FieldScene::set_annotations(std::vector<Annotation> annotations) {
  impl_->view.annotations = std::move(annotations);
  changed();
}

std::optional<Vec3> FieldScene::dragged_to(const Marker& marker, double x, double y) const {
  const Ray ray = impl_->ray_at(x, y);
  if (marker.kind == MarkerKind::wave) {
    const Vec3 middle = impl_->middle_of_field();
    const double radius = vec::distance(impl_->ends_of_wave(marker.direction)[0], middle);
    const Vec3 to = vec::sub(middle, ray.origin), along = vec::unit(ray.direction);
    const double ahead = vec::dot(to, along), square = radius * radius - vec::dot(to, to) + ahead * ahead;
    // Beside the ball its rim; else the side of it on which the arrow is.
    const double half = std::sqrt(std::max(0.0, square));
    const bool behind = vec::dot(marker.direction, along) < 0;
    const Vec3 place = vec::axpy(ahead + (behind ? half : -half), along, ray.origin);
    return vec::axpy(radius, vec::unit(vec::sub(place, middle)), middle);
  }
  const Vec3 forward = impl_->forward();
  const double slope = vec::dot(ray.direction, forward);
  if (std::abs(slope) < 1e-9) return std::nullopt;
  const double t = vec::dot(vec::sub(marker.position, ray.origin), forward) / slope;
  return t > 0 ? std::optional(vec::axpy(t, ray.direction, ray.origin)) : std::nullopt;
}

Vec3 FieldScene::direction_of_wave_from(const Vec3& place) const {
  return vec::unit(vec::sub(impl_->middle_of_field(), place));
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

std::vector<OverlayLabel> FieldScene::Impl::lengths_of_box() const {
  std::vector<OverlayLabel> lengths;
  // One length an axis, at the lowest visible silhouette edge, outside of the box as seen.
  Vec3 centre = {(bounds[0] + bounds[1]) / 2, (bounds[2] + bounds[3]) / 2, (bounds[4] + bounds[5]) / 2};
  const Vec3 middle = to_display(centre);
  const double largest = std::max({bounds[1] - bounds[0], bounds[3] - bounds[2], bounds[5] - bounds[4]});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double length = bounds[2 * axis + 1] - bounds[2 * axis];
    if (!(length > 0)) continue;
    const std::size_t u = (axis + 1) % 3;
    const std::size_t v = (axis + 2) % 3;
    double best = -std::numeric_limits<double>::max();
    OverlayLabel label;
    for (unsigned corner = 0; corner < 4; ++corner) {
      Vec3 p{};
      p[axis] = centre[axis];
      p[u] = bounds[2 * u + (corner & 1U)];
      p[v] = bounds[2 * v + (corner >> 1U)];
      Vec3 from = p;
      Vec3 to = p;
      from[axis] = bounds[2 * axis];
      to[axis] = bounds[2 * axis + 1];
      const Vec3 a = to_display(from);
      const Vec3 b = to_display(to);
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
      if (out < 0.02 * height || score <= best) continue;
      best = score;
      label.text = extent_text(length, largest);
      const auto size = text_size(theme, label.text, 11 * pixel_ratio);
      const double gap = 5 * pixel_ratio + std::abs(nx) * size[0] / 2 + std::abs(ny) * size[1] / 2;
      label.x = mx + nx * gap;
      label.y = my + ny * gap;
    }
    if (!label.text.empty()) lengths.push_back(label);
  }
  return lengths;
}

void FieldScene::layout(int width, int height, double pixel_ratio) {
  Impl& s = *impl_;
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
  const std::array<double, 4> margins = {edge + (s.view.triad ? 16 * pixel_ratio : 0), bar > 0 ? bar + edge : edge,
                                         edge, edge + (caption ? c.title.empty() ? 10 : 24 : 0) * pixel_ratio};
  s.camera.set_viewport(s.width, s.height, margins);
  (void)resized;
  if (s.camera.untouched() && s.has_bounds) {
    s.camera.fit();
    s.make_room_for_triad(margins);
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
  for (const auto& entry : s.parts)
    if (entry.part) entry.part->seen_from({position[0], position[1], position[2]});
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
  if (s.view.extents && s.has_bounds && s.outline_actor->GetVisibility() != 0) c.lengths = s.lengths_of_box();
  std::vector<OverlayMark> marks;
  c.arrows.clear();
  for (const Marker& marker : s.markers) {
    if (marker.kind == MarkerKind::wave) {
      if (auto arrow = s.arrow_of(marker)) c.arrows.push_back(std::move(*arrow));
      continue;
    }
    if (auto arrow = s.arrow_of(marker)) {
      arrow->label.clear();  // the mark has it
      c.arrows.push_back(std::move(*arrow));
    }
    const Vec3 p = s.to_display(marker.position);
    if (p[2] > 0) marks.push_back({p[0], p[1], marker.kind, marker.label, MarkSide::right, marker.colour});
  }
  s.overlay->set_marks(std::move(marks));
  std::vector<OverlayNote> notes;
  s.noted.clear();
  for (std::size_t i = 0; i < s.view.annotations.size(); ++i) {
    const Vec3 p = s.to_display(s.view.annotations[i].place);
    if (!(p[2] > 0) || p[0] < 0 || p[0] > s.width || p[1] < 0 || p[1] > s.height) continue;
    notes.push_back({p[0], p[1], s.view.annotations[i].text});
    s.noted.push_back(i);
  }
  s.overlay->set_notes(std::move(notes));
  s.overlay->Modified();
}

}  // namespace conoid
