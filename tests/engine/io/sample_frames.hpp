// SPDX-License-Identifier: BSD-3-Clause
// Random frames for the tests of results files, and their exact comparison.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/io/frame.hpp"

namespace conoid::samples {

class Sampler {
 public:
  explicit Sampler(unsigned seed) : random_(seed) {
    auto size = [&](Index least, Index most) { return std::uniform_int_distribution<Index>(least, most)(random_); };
    image_points_ = {size(2, 13), size(2, 11), size(1, 9)};
    plane_points_ = {size(2, 17), 1, size(2, 15)};
    side_points_ = {1, size(2, 9), size(2, 9)};
    line_points_ = {1, 1, 1};
    line_points_[static_cast<std::size_t>(size(0, 2))] = size(1, 40);
    fixed_ = mesh(size(3, 12), size(3, 12), 0);
    moving_ = mesh(size(3, 12), size(3, 12), 0);
  }

  std::vector<float> values(Index n) {
    std::uniform_real_distribution<float> uniform(-2, 2);
    std::vector<float> out(static_cast<std::size_t>(n));
    for (float& v : out) v = uniform(random_);
    return out;
  }

  static Index tuples(const ImageGeometry& g, Association association) {
    Index n = 1;
    for (const Index p : g.points) n *= association == Association::point ? p : std::max<Index>(p - 1, 1);
    return n;
  }

  void add_fields(FramePart& part, Index points, Index cells) {
    part.fields.push_back(make_field(
        {"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"}, values(points)));
    part.fields.push_back(make_field(
        {"velocity", "m/s", FieldKind::magnitude, Association::point, 3, false, "Velocity"}, values(3 * points)));
    part.fields.push_back(
        make_field({"density", "kg/m^3", FieldKind::magnitude, Association::cell, 1, false, "ρ"}, values(cells)));
    part.fields.push_back(
        make_field({"e_field", "V/m", FieldKind::phase, Association::point, 3, true, ""}, values(6 * points)));
  }

  FramePart image_part(std::string name, std::array<Index, 3> points) {
    FramePart part{std::move(name), ImageGeometry{points, {0.5, -1, 2}, {0.1, 0.2, 0.3}}, {}};
    const auto& g = std::get<ImageGeometry>(part.geometry);
    add_fields(part, tuples(g, Association::point), tuples(g, Association::cell));
    return part;
  }

  // A sheet of quads, shifted by `shift`.
  static MeshGeometry mesh(Index nx, Index ny, double shift) {
    auto points = std::make_shared<std::vector<double>>();
    auto connectivity = std::make_shared<std::vector<Index>>();
    auto offsets = std::make_shared<std::vector<Index>>(1, 0);
    auto types = std::make_shared<std::vector<std::uint8_t>>();
    for (Index j = 0; j < ny; ++j)
      for (Index i = 0; i < nx; ++i)
        points->insert(points->end(), {static_cast<double>(i) + shift, static_cast<double>(j), shift * shift});
    for (Index j = 0; j + 1 < ny; ++j)
      for (Index i = 0; i + 1 < nx; ++i) {
        const Index n = j * nx + i;
        if ((i + j) % 3 == 0) {
          connectivity->insert(connectivity->end(), {n, n + 1, n + nx + 1, n + nx});
          types->push_back(9);
        } else if ((i + j) % 3 == 1) {
          connectivity->insert(connectivity->end(), {n, n + 1, n + nx});
          types->push_back(5);
        } else {
          connectivity->insert(connectivity->end(), {n + 1, n + nx + 1, n + nx});
          types->push_back(5);
        }
        offsets->push_back(static_cast<Index>(connectivity->size()));
      }
    return {points, connectivity, offsets, types};
  }

  FramePart mesh_part(std::string name, const MeshGeometry& g) {
    FramePart part{std::move(name), g, {}};
    add_fields(part, static_cast<Index>(g.points->size() / 3), static_cast<Index>(g.types->size()));
    return part;
  }

  static Frame header(std::uint64_t number) {
    Frame frame;
    frame.number = number;
    frame.step = static_cast<Index>(number) * 10;
    frame.value = 0.125 * static_cast<double>(number);
    return frame;
  }

  Frame image_frame(std::uint64_t number, std::array<Index, 3> points) {
    Frame frame = header(number);
    frame.parts.push_back(image_part("volume", points));
    return frame;
  }

  Frame mesh_frame(std::uint64_t number, Index nx, Index ny, bool share) {
    Frame frame = header(number);
    if (!share || !sheet_.points || static_cast<Index>(sheet_.points->size()) != 3 * nx * ny) sheet_ = mesh(nx, ny, 0);
    frame.parts.push_back(mesh_part("surface", sheet_));
    return frame;
  }

  // Every kind of part; the mesh "changing" has another topology from frame 4 on, as after a refinement.
  std::shared_ptr<const Frame> frame(std::uint64_t number) {
    Frame frame = header(number);
    frame.parts.push_back(image_part("volume", image_points_));
    frame.parts.push_back(image_part("plane xz", plane_points_));
    frame.parts.push_back(image_part("side", side_points_));
    frame.parts.push_back(image_part("line", line_points_));
    frame.parts.push_back(mesh_part("surface", fixed_));
    auto moved = std::make_shared<std::vector<double>>(*moving_.points);
    for (double& x : *moved) x += 0.01 * static_cast<double>(number);
    moving_.points = moved;
    frame.parts.push_back(mesh_part("moving", moving_));
    const Index n = number < 4 ? 4 : 7;
    frame.parts.push_back(mesh_part("changing", mesh(n, n + 1, 0)));
    return std::make_shared<const Frame>(std::move(frame));
  }

 private:
  std::mt19937 random_;
  std::array<Index, 3> image_points_{}, plane_points_{}, side_points_{}, line_points_{};
  MeshGeometry fixed_, moving_, sheet_;
};

template <class T>
bool same(const std::shared_ptr<const std::vector<T>>& a, const std::shared_ptr<const std::vector<T>>& b) {
  return a && b && a->size() == b->size() && std::memcmp(a->data(), b->data(), a->size() * sizeof(T)) == 0;
}

inline const Field* find(const FramePart& part, const Field& like) {
  for (const auto& f : part.fields)
    if (f.info.name == like.info.name && f.info.association == like.info.association) return &f;
  return nullptr;
}

/// Empty when the frames are the same bit by bit (order of parts and fields aside), else what differs.
inline std::string difference(const Frame& a, const Frame& b) {
  if (a.number != b.number || a.step != b.step || a.value != b.value || a.axis != b.axis) return "heads";
  if (a.parts.size() != b.parts.size()) return "number of parts";
  for (const auto& part : a.parts) {
    const FramePart* other = nullptr;
    for (const auto& p : b.parts)
      if (p.name == part.name) other = &p;
    if (!other || other->geometry.index() != part.geometry.index()) return part.name + ": missing";
    if (const auto* g = std::get_if<ImageGeometry>(&part.geometry)) {
      const auto& h = std::get<ImageGeometry>(other->geometry);
      if (g->points != h.points || g->origin != h.origin || g->spacing != h.spacing) return part.name + ": grid";
    } else {
      const auto& m = std::get<MeshGeometry>(part.geometry);
      const auto& h = std::get<MeshGeometry>(other->geometry);
      if (!same(m.points, h.points)) return part.name + ": points";
      if (!same(m.connectivity, h.connectivity) || !same(m.offsets, h.offsets) || !same(m.types, h.types))
        return part.name + ": cells";
    }
    if (part.fields.size() != other->fields.size()) return part.name + ": number of fields";
    for (const auto& f : part.fields) {
      const Field* g = find(*other, f);
      if (!g) return part.name + ": no field " + f.info.name;
      if (g->info.unit != f.info.unit || g->info.kind != f.info.kind || g->info.components != f.info.components ||
          g->info.is_complex != f.info.is_complex || g->info.label != f.info.label)
        return part.name + ": info of " + f.info.name;
      if (!same(f.values, g->values)) return part.name + ": values of " + f.info.name;
    }
  }
  return {};
}

}  // namespace conoid::samples
