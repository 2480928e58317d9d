// SPDX-License-Identifier: BSD-3-Clause
// Camera arithmetic on vtkCamera.
#include "render/window/camera_controller.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <vtkCamera.h>

#include "engine/core/vec3.hpp"

namespace conoid {

namespace {

using vec::cross;
using vec::dot;
using vec::sub;

/// a + s b
Vec3 shifted(const Vec3& a, const Vec3& b, double s) {
  return vec::axpy(s, b, a);
}
Vec3 get(const double* p) {
  return {p[0], p[1], p[2]};
}

constexpr std::array<std::pair<std::string_view, StandardView>, 7> names = {{{"iso", StandardView::iso},
                                                                             {"+x", StandardView::plus_x},
                                                                             {"-x", StandardView::minus_x},
                                                                             {"+y", StandardView::plus_y},
                                                                             {"-y", StandardView::minus_y},
                                                                             {"+z", StandardView::plus_z},
                                                                             {"-z", StandardView::minus_z}}};

}  // namespace

Result<StandardView> parse_view(std::string_view name) {
  for (const auto& [known, view] : names)
    if (known == name) return view;
  return make_error(ErrorCode::command_line, "there is no view \"" + std::string(name) + "\"",
                    "Views: iso, +x, -x, +y, -y, +z, -z.");
}

std::vector<std::string> view_names() {
  std::vector<std::string> out;
  for (const auto& entry : names) out.emplace_back(entry.first);
  return out;
}

CameraController::CameraController() : camera_(vtkSmartPointer<vtkCamera>::New()) {
  camera_->SetViewAngle(26);
  look(StandardView::iso);
}

CameraController::~CameraController() = default;

vtkCamera* CameraController::camera() const {
  return camera_;
}

void CameraController::set_bounds(const Bounds& bounds) {
  for (std::size_t i = 0; i < 6; i += 2)
    if (!(std::isfinite(bounds[i]) && std::isfinite(bounds[i + 1]) && bounds[i] <= bounds[i + 1])) return;
  bounds_ = bounds;
}

void CameraController::set_viewport(int width, int height, const std::array<double, 4>& margins) {
  width_ = std::max(width, 1);
  height_ = std::max(height, 1);
  margins_ = margins;
}

void CameraController::look(StandardView view) {
  Vec3 from{};
  Vec3 up{0, 0, 1};
  switch (view) {
    case StandardView::iso: from = vec::unit({1.0, -1.35, 0.86}); break;
    case StandardView::plus_x: from = {1, 0, 0}; break;
    case StandardView::minus_x: from = {-1, 0, 0}; break;
    case StandardView::plus_y: from = {0, 1, 0}; break;
    case StandardView::minus_y: from = {0, -1, 0}; break;
    case StandardView::plus_z: from = {0, 0, 1}, up = {0, 1, 0}; break;
    case StandardView::minus_z: from = {0, 0, -1}, up = {0, 1, 0}; break;
  }
  const Vec3 centre = {(bounds_[0] + bounds_[1]) / 2, (bounds_[2] + bounds_[3]) / 2, (bounds_[4] + bounds_[5]) / 2};
  const Vec3 eye = shifted(centre, from, 10);
  camera_->SetFocalPoint(centre[0], centre[1], centre[2]);
  camera_->SetPosition(eye[0], eye[1], eye[2]);
  camera_->SetViewUp(up[0], up[1], up[2]);
  fit();
}

CameraController::Basis CameraController::basis() const {
  const Vec3 back = vec::unit(sub(get(camera_->GetPosition()), get(camera_->GetFocalPoint())));
  Vec3 right = cross(get(camera_->GetViewUp()), back);
  if (dot(right, right) < 1e-12) right = cross({0, 1, 0}, back);
  if (dot(right, right) < 1e-12) right = {1, 0, 0};
  right = vec::unit(right);
  return {right, cross(back, right), back};
}

void CameraController::fit() {
  const Basis b = basis();
  const Vec3 centre = {(bounds_[0] + bounds_[1]) / 2, (bounds_[2] + bounds_[3]) / 2, (bounds_[4] + bounds_[5]) / 2};
  std::vector<Vec3> corners = extremes_;  // in camera axes about the centre
  if (corners.empty())
    for (std::size_t i = 0; i < 8; ++i)
      corners.push_back({bounds_[i & 1U], bounds_[2 + ((i >> 1) & 1U)], bounds_[4 + ((i >> 2) & 1U)]});
  double radius = 0;
  for (Vec3& corner : corners) {
    const Vec3 d = sub(corner, centre);
    corner = {dot(d, b.right), dot(d, b.up), dot(d, b.back)};
    radius = std::max(radius, std::sqrt(dot(d, d)));
  }
  if (!(radius > 0)) radius = 1;
  // The free rectangle in units where the half height of the picture is 1.
  const double aspect = static_cast<double>(width_) / height_;
  double left = -aspect + 2 * margins_[0] / height_;
  double right = aspect - 2 * margins_[1] / height_;
  double bottom = -1 + 2 * margins_[2] / height_;
  double top = 1 - 2 * margins_[3] / height_;
  if (right - left < 0.2 * aspect) left = -aspect, right = aspect;
  if (top - bottom < 0.2) bottom = -1, top = 1;
  const bool parallel = camera_->GetParallelProjection() != 0;
  const double tangent = std::tan(camera_->GetViewAngle() * 3.14159265358979323846 / 360);
  // Shift and distance are found together: centre the projected box in the free rectangle, scale, again. The steps
  // contract by about radius/distance, so a dozen reach a fraction of a pixel.
  double distance = 4 * radius;
  double scale = radius;  // half height of the picture in metres at the centre (parallel)
  double shift_x = 0;
  double shift_y = 0;
  for (int step = 0; step < 24; ++step) {
    double x0 = std::numeric_limits<double>::max();
    double x1 = -x0;
    double y0 = x0;
    double y1 = -x0;
    for (const Vec3& c : corners) {
      const double half = parallel ? scale : std::max(distance - c[2], 1e-3 * radius) * tangent;
      const double x = (c[0] + shift_x) / half;
      const double y = (c[1] + shift_y) / half;
      x0 = std::min(x0, x), x1 = std::max(x1, x), y0 = std::min(y0, y), y1 = std::max(y1, y);
    }
    const double half = parallel ? scale : distance * tangent;
    const double ratio = std::max((x1 - x0) / (right - left), (y1 - y0) / (top - bottom));
    shift_x += ((left + right) / 2 - (x0 + x1) / 2) * half;
    shift_y += ((bottom + top) / 2 - (y0 + y1) / 2) * half;
    if (ratio > 0) {
      distance = std::max(distance * ratio, 1.05 * radius);
      scale *= ratio;
    }
  }
  const Vec3 focal = shifted(shifted(centre, b.right, -shift_x), b.up, -shift_y);
  const Vec3 eye = shifted(focal, b.back, distance);
  camera_->SetFocalPoint(focal[0], focal[1], focal[2]);
  camera_->SetPosition(eye[0], eye[1], eye[2]);
  camera_->SetParallelScale(scale);
  update_clipping();
}

double CameraController::world_per_pixel() const {
  if (camera_->GetParallelProjection() != 0) return 2 * camera_->GetParallelScale() / height_;
  return 2 * camera_->GetDistance() * std::tan(camera_->GetViewAngle() * 3.14159265358979323846 / 360) / height_;
}

void CameraController::orbit(double dx, double dy) {
  untouched_ = false;
  const double per_pixel = 180.0 / std::max(200, std::min(width_, height_));
  const Vec3 centre = {(bounds_[0] + bounds_[1]) / 2, (bounds_[2] + bounds_[3]) / 2, (bounds_[4] + bounds_[5]) / 2};
  const double azimuth = -dx * per_pixel * 3.14159265358979323846 / 180;
  double elevation = dy * per_pixel * 3.14159265358979323846 / 180;
  Basis b = basis();
  // z stays up: after a look along ±z the heading is taken from the picture's up direction.
  const double polar = std::acos(std::clamp(b.back[2], -1.0, 1.0));
  elevation = std::clamp(polar - elevation, 0.002, 3.1395) - polar;
  const auto turn_z = [&](const Vec3& p) {
    const double c = std::cos(azimuth);
    const double s = std::sin(azimuth);
    return Vec3{c * p[0] - s * p[1], s * p[0] + c * p[1], p[2]};
  };
  Vec3 level = cross({0, 0, 1}, b.back);
  if (dot(level, level) < 1e-10) level = b.right;
  level = vec::unit(level);
  const auto tilt = [&](const Vec3& p) {  // Rodrigues about the level axis
    const double c = std::cos(elevation);
    const double s = std::sin(elevation);
    const Vec3 k = cross(level, p);
    const double along = dot(level, p) * (1 - c);
    return Vec3{p[0] * c + k[0] * s + level[0] * along, p[1] * c + k[1] * s + level[1] * along,
                p[2] * c + k[2] * s + level[2] * along};
  };
  const auto moved = [&](const Vec3& p) { return shifted(centre, turn_z(tilt(sub(p, centre))), 1); };
  const Vec3 eye = moved(get(camera_->GetPosition()));
  const Vec3 focal = moved(get(camera_->GetFocalPoint()));
  camera_->SetPosition(eye[0], eye[1], eye[2]);
  camera_->SetFocalPoint(focal[0], focal[1], focal[2]);
  camera_->SetViewUp(0, 0, 1);
  update_clipping();
}

void CameraController::pan(double dx, double dy) {
  untouched_ = false;
  const Basis b = basis();
  const double unit_length = world_per_pixel();
  const auto moved = [&](const double* p) {
    return shifted(shifted(get(p), b.right, -dx * unit_length), b.up, dy * unit_length);
  };
  const Vec3 eye = moved(camera_->GetPosition());
  const Vec3 focal = moved(camera_->GetFocalPoint());
  camera_->SetPosition(eye[0], eye[1], eye[2]);
  camera_->SetFocalPoint(focal[0], focal[1], focal[2]);
  update_clipping();
}

void CameraController::zoom(double factor) {
  if (!(factor > 0) || !std::isfinite(factor)) return;
  untouched_ = false;
  const double size = std::max({bounds_[1] - bounds_[0], bounds_[3] - bounds_[2], bounds_[5] - bounds_[4], 1e-12});
  const double now = camera_->GetParallelProjection() != 0 ? camera_->GetParallelScale() : camera_->GetDistance();
  const double next = std::clamp(now / factor, 1e-4 * size, 1e3 * size);
  camera_->SetParallelScale(next);
  if (camera_->GetParallelProjection() == 0) {
    const Vec3 focal = get(camera_->GetFocalPoint());
    const Vec3 eye = shifted(focal, basis().back, next);
    camera_->SetPosition(eye[0], eye[1], eye[2]);
  }
  update_clipping();
}

void CameraController::zoom_at(double factor, double x, double y) {
  const double before = world_per_pixel();
  zoom(factor);
  const double kept = before / world_per_pixel();
  const double dx = x - width_ / 2.0;
  const double dy = y - height_ / 2.0;
  pan(dx * (1 - kept), dy * (1 - kept));
}

void CameraController::set_parallel(bool parallel) {
  camera_->SetParallelProjection(parallel ? 1 : 0);
}

bool CameraController::handle(const InputEvent& event) {
  switch (event.kind) {
    case InputKind::press:
      held_ = event.button;
      shift_ = event.shift;
      last_x_ = event.x;
      last_y_ = event.y;
      return false;
    case InputKind::release: held_ = MouseButton::none; return false;
    case InputKind::move: {
      const double dx = event.x - last_x_;
      const double dy = event.y - last_y_;
      last_x_ = event.x;
      last_y_ = event.y;
      if (held_ == MouseButton::none || (dx == 0 && dy == 0)) return false;
      if (held_ == MouseButton::left && !shift_)
        orbit(dx, dy);
      else if (held_ == MouseButton::right)
        zoom(std::exp(-dy / 150.0));
      else
        pan(dx, dy);
      return true;
    }
    case InputKind::wheel: zoom_at(std::pow(1.15, event.wheel), event.x, event.y); return true;
    case InputKind::double_click:
      fit();
      untouched_ = true;
      return true;
    case InputKind::leave: return false;
  }
  return false;
}

void CameraController::update_clipping() {
  const Vec3 eye = get(camera_->GetPosition());
  const Basis b = basis();
  double nearest = std::numeric_limits<double>::max();
  double farthest = -nearest;
  for (std::size_t i = 0; i < 8; ++i) {
    const Vec3 corner = {bounds_[i & 1U], bounds_[2 + ((i >> 1) & 1U)], bounds_[4 + ((i >> 2) & 1U)]};
    const double depth = -dot(sub(corner, eye), b.back);
    nearest = std::min(nearest, depth);
    farthest = std::max(farthest, depth);
  }
  // Arrows, markers and borders stand out of the bounds, most of all out of a plane, whose own depth is nothing.
  const double diagonal =
      std::sqrt(dot(sub({bounds_[1], bounds_[3], bounds_[5]}, {bounds_[0], bounds_[2], bounds_[4]}),
                    sub({bounds_[1], bounds_[3], bounds_[5]}, {bounds_[0], bounds_[2], bounds_[4]})));
  const double span = std::max({farthest - nearest, diagonal, 1e-6 * std::max(std::abs(farthest), 1e-12)});
  farthest += 0.1 * span;
  nearest -= 0.1 * span;
  if (camera_->GetParallelProjection() == 0) {
    farthest = std::max(farthest, 1e-6 * span);
    nearest = std::max(nearest, 1e-3 * farthest);
  }
  camera_->SetClippingRange(nearest, farthest);
}

std::array<double, 11> CameraController::placement() const {
  std::array<double, 11> out{};
  camera_->GetPosition(out.data());
  camera_->GetFocalPoint(out.data() + 3);
  camera_->GetViewUp(out.data() + 6);
  out[9] = camera_->GetParallelScale();
  out[10] = camera_->GetParallelProjection();
  return out;
}

void CameraController::place(const std::array<double, 11>& p) {
  camera_->SetPosition(p.data());
  camera_->SetFocalPoint(p.data() + 3);
  camera_->SetViewUp(p.data() + 6);
  camera_->SetParallelScale(p[9]);
  camera_->SetParallelProjection(p[10] != 0);
  untouched_ = false;
}

void CameraController::copy_from(const CameraController& other) {
  camera_->SetFocalPoint(other.camera_->GetFocalPoint());
  camera_->SetPosition(other.camera_->GetPosition());
  camera_->SetViewUp(other.camera_->GetViewUp());
  camera_->SetParallelScale(other.camera_->GetParallelScale());
  camera_->SetParallelProjection(other.camera_->GetParallelProjection());
  untouched_ = other.untouched_;
  update_clipping();
}

}  // namespace conoid
