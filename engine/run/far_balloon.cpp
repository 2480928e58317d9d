// SPDX-License-Identifier: BSD-3-Clause
// Differences of frames, and far fields as surfaces.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "engine/core/vec3.hpp"
#include "engine/run/derived_frame.hpp"
#include "engine/run/frame_places.hpp"
#include "engine/run/frame_probe.hpp"

namespace conoid {

namespace {

constexpr double degree = 3.14159265358979323846 / 180;
constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// Of all meshes but a far field; the unit cube where there is none.
std::pair<Vec3, Vec3> box_of_bodies(const Frame& frame) {
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const FramePart& part : frame.parts)
    if (const auto* mesh = std::get_if<MeshGeometry>(&part.geometry); mesh && mesh->points && part.name != balloon_part)
      for (std::size_t i = 0; i < mesh->points->size(); ++i) {
        low[i % 3] = std::min(low[i % 3], (*mesh->points)[i]);
        high[i % 3] = std::max(high[i % 3], (*mesh->points)[i]);
      }
  if (!(low[0] <= high[0])) low = {-0.5, -0.5, -0.5}, high = {0.5, 0.5, 0.5};
  return {low, high};
}

Result<Field> field_difference(const FramePart& a, const Field& of_a, const FramePart& b, const Field& of_b,
                               bool same) {
  const std::size_t width = static_cast<std::size_t>(of_a.info.components) * (of_a.info.is_complex ? 2 : 1);
  std::vector<float> out(of_a.values->size(), missing);
  if (same && of_b.info.association == of_a.info.association && of_b.values->size() == out.size()) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<float>(static_cast<double>((*of_a.values)[i]) - static_cast<double>((*of_b.values)[i]));
  } else {
    const auto probe = PartProbe::make(b);
    if (!probe) return probe.error();
    const std::vector<Vec3> places = places_of(a, of_a.info.association);
    std::vector<double> there;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto spot = probe->find(places[i], probe->usual_reach(), of_b.info.association);
      if (!spot) continue;
      blend(*spot, of_b, there);
      for (std::size_t k = 0; k < width; ++k)
        out[i * width + k] = static_cast<float>(static_cast<double>((*of_a.values)[i * width + k]) - there[k]);
    }
  }
  FieldInfo info = of_a.info;
  if (info.kind == FieldKind::magnitude) info.kind = FieldKind::signed_value;
  return make_field(info, std::move(out));
}

}  // namespace

Result<std::shared_ptr<const Frame>> difference_of(const Frame& frame, const Frame& less) {
  auto out = std::make_shared<Frame>(frame);
  out->parts.clear();
  for (const FramePart& a : frame.parts) {
    const auto b =
        std::find_if(less.parts.begin(), less.parts.end(), [&](const FramePart& part) { return part.name == a.name; });
    if (b == less.parts.end()) continue;
    const bool same = same_geometry(a.geometry, b->geometry);
    FramePart made{a.name, a.geometry, {}};
    for (const Field& field : a.fields) {
      const auto other = std::find_if(b->fields.begin(), b->fields.end(), [&](const Field& f) {
        return f.info.name == field.info.name && f.info.components == field.info.components &&
               f.info.is_complex == field.info.is_complex;
      });
      if (other == b->fields.end() || !check_field(a, field) || !check_field(*b, *other)) continue;
      auto apart = field_difference(a, field, *b, *other, same);
      if (!apart) return apart.error();
      made.fields.push_back(std::move(apart).value());
    }
    if (!made.fields.empty()) out->parts.push_back(std::move(made));
  }
  if (out->parts.empty())
    return make_error(ErrorCode::command_line, "the two runs have no field in common",
                      "`conoid render RUN --list` shows the fields of each.");
  return std::shared_ptr<const Frame>(std::move(out));
}

void label_columns(SphereTable& table, const std::string& title) {
  for (Column& column : table.columns)
    column.label = title + ", " + (column.label.empty() ? column.name : column.label);
}

Result<SphereTable> sphere_of(const std::vector<Column>& columns, const std::vector<std::vector<double>>& rows) {
  const auto position = [&](const char* name) {
    return static_cast<std::size_t>(
        std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; }) -
        columns.begin());
  };
  const std::size_t theta = position("theta"), phi = position("phi");
  if (theta >= columns.size() || phi >= columns.size() || columns.size() < 3)
    return make_error(ErrorCode::command_line, "the table has no columns \"theta\" and \"phi\" with values beside them",
                      "A far field over both angles is needed.");
  std::map<double, std::size_t> thetas, phis;
  const auto key = [](double angle) { return std::round(angle * 1e6) / 1e6; };
  for (const auto& row : rows)
    if (row.size() >= columns.size()) thetas[key(row[theta])], phis[key(row[phi])];
  SphereTable out;
  for (auto& [angle, place] : thetas) place = out.theta.size(), out.theta.push_back(angle);
  for (auto& [angle, place] : phis) place = out.phi.size(), out.phi.push_back(angle);
  const std::size_t count = out.theta.size() * out.phi.size();
  if (out.theta.size() < 2 || out.phi.size() < 3 || rows.size() < count)
    return make_error(ErrorCode::command_line,
                      fmt::format("the table has {} directions; {} angles theta and {} phi need {}", rows.size(),
                                  out.theta.size(), out.phi.size(), count),
                      "Ask for a far field over both angles.");
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (c == theta || c == phi) continue;
    out.columns.push_back(columns[c]);
    out.values.emplace_back(count, std::numeric_limits<double>::quiet_NaN());
    for (const auto& row : rows)
      if (row.size() >= columns.size())
        out.values.back()[thetas[key(row[theta])] * out.phi.size() + phis[key(row[phi])]] = row[c];
  }
  return out;
}

Result<std::shared_ptr<const Frame>> with_balloon(const Frame& frame, const SphereTable& table,
                                                  const std::string& column, double decibels) {
  std::size_t c = 0;
  if (!column.empty()) {
    while (c < table.columns.size() && table.columns[c].name != column) ++c;
    std::string names;
    for (const Column& one : table.columns) names += (names.empty() ? "" : ", ") + one.name;
    if (c == table.columns.size())
      return make_error(ErrorCode::command_line, fmt::format("the far field has no column \"{}\"", column),
                        "It has " + names + ".");
  }
  const auto [low, high] = box_of_bodies(frame);
  const double size = 1.5 * std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  const std::vector<double>& values = table.values[c];
  double peak = -std::numeric_limits<double>::infinity();
  for (const double v : values)
    if (std::isfinite(v)) peak = std::max(peak, v);
  if (!std::isfinite(peak)) return make_error(ErrorCode::file, "the far field holds no number");
  const bool logarithmic = table.columns[c].unit.starts_with("dB");
  const auto share = [&](double v) {
    if (!std::isfinite(v)) return 0.0;
    if (logarithmic) return std::clamp((v - peak) / decibels + 1, 0.0, 1.0);
    return peak > 0 ? std::clamp(v / peak, 0.0, 1.0) : 0.0;
  };
  auto points = std::make_shared<std::vector<double>>();
  std::vector<float> shown;
  const std::size_t around = table.phi.size();
  for (std::size_t j = 0; j < table.theta.size(); ++j)
    for (std::size_t i = 0; i < around; ++i) {
      const double v = values[j * around + i], r = size * share(v);
      const double theta = table.theta[j] * degree, phi = table.phi[i] * degree;
      const Vec3 to{std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi), std::cos(theta)};
      for (std::size_t d = 0; d < 3; ++d) points->push_back((low[d] + high[d]) / 2 + r * to[d]);
      // What lies below the floor is seen as the floor: the colour bar ends there.
      shown.push_back(static_cast<float>(logarithmic ? std::max(v, peak - decibels) : v));
    }
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  const double step = table.phi[1] - table.phi[0];
  const bool closed = std::abs(table.phi.front() + 360 - table.phi.back() - step) < 0.01 * step;
  constexpr std::uint8_t triangle = 5;
  const auto add = [&](Index a, Index b, Index d) {
    connectivity->insert(connectivity->end(), {a, b, d});
    offsets->push_back(static_cast<Index>(connectivity->size()));
    types->push_back(triangle);
  };
  for (std::size_t j = 0; j + 1 < table.theta.size(); ++j)
    for (std::size_t i = 0; i < (closed ? around : around - 1); ++i) {
      const std::size_t next = (i + 1) % around;
      const auto at = [&](std::size_t row, std::size_t k) { return static_cast<Index>(row * around + k); };
      // At the poles one of the two triangles has no area.
      if (table.theta[j + 1] < 180 - 1e-6) add(at(j, i), at(j + 1, i), at(j + 1, next));
      if (table.theta[j] > 1e-6) add(at(j, i), at(j + 1, next), at(j, next));
    }
  FieldInfo info;
  info.name = balloon_field;
  info.unit = table.columns[c].unit;
  info.label = table.columns[c].label.empty() ? table.columns[c].name : table.columns[c].label;
  info.kind = FieldKind::magnitude;
  auto out = std::make_shared<Frame>(frame);
  std::erase_if(out->parts, [](const FramePart& part) { return part.name == balloon_part; });
  out->parts.push_back(
      {balloon_part, MeshGeometry{points, connectivity, offsets, types}, {make_field(info, std::move(shown))}});
  return std::shared_ptr<const Frame>(std::move(out));
}

Vec3 balloon_centre(const Frame& frame) {
  const auto [low, high] = box_of_bodies(frame);
  return {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2};
}

std::array<double, 2> direction_from(const Vec3& centre, const Vec3& place) {
  const Vec3 to = vec::sub(place, centre);
  const double theta = std::atan2(std::hypot(to[0], to[1]), to[2]) / degree, phi = std::atan2(to[1], to[0]) / degree;
  return {theta, phi < 0 ? phi + 360 : phi};
}

std::vector<std::pair<double, double>> cut_of(const SphereTable& table, std::size_t column, double phi) {
  const auto find = [&](double angle) {
    const double wanted = std::fmod(angle + 720, 360);
    for (std::size_t i = 0; i < table.phi.size(); ++i)
      if (std::abs(table.phi[i] - wanted) < 1e-4) return i;
    return table.phi.size();
  };
  std::vector<std::pair<double, double>> out;
  const std::size_t here = find(phi), there = find(phi + 180), around = table.phi.size();
  if (here == around || column >= table.values.size()) return out;
  for (std::size_t j = 0; j < table.theta.size(); ++j)
    out.emplace_back(table.theta[j], table.values[column][j * around + here]);
  if (there == around) return out;
  for (std::size_t j = table.theta.size(); j-- > 0;)
    if (const double angle = 360 - table.theta[j]; angle > out.back().first + 1e-9)
      out.emplace_back(angle, table.values[column][j * around + there]);
  return out;
}

}  // namespace conoid
