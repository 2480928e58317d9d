// SPDX-License-Identifier: BSD-3-Clause
// Quadrature on faces.
#include "engine/solvers/maxwell_fem/discretization/patch.hpp"

#include "engine/core/vec3.hpp"

#include <algorithm>
#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

const std::array<FaceRule, face_points>& face_rule() {
  constexpr double a = 0.445948490915965, b = 0.108103018168070, wa = 0.223381589678011 / 2;
  constexpr double c = 0.091576213509771, d = 0.816847572980459, wc = 0.109951743655322 / 2;
  static constexpr std::array<FaceRule, face_points> rule{
      {{a, a, wa}, {b, a, wa}, {a, b, wa}, {c, c, wc}, {d, c, wc}, {c, d, wc}}};
  return rule;
}

namespace {

constexpr std::array<Vec3, 4> corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

Vec3 along(const Map& m, const Vec3& reference) {
  return add(add(scale(reference[0], m.columns[0]), scale(reference[1], m.columns[1])),
             scale(reference[2], m.columns[2]));
}

}  // namespace

Vec3 reference_on_face(int local, double u, double v) {
  const auto [i, j, k] = local_faces[local];
  return add(corner[i], add(scale(u, sub(corner[j], corner[i])), scale(v, sub(corner[k], corner[i]))));
}

Patch::Patch(const Space& space, std::vector<PatchFace> faces) : faces_(std::move(faces)) {
  points_.reserve(faces_.size() * face_points);
  for (Index f = 0; f < this->faces(); ++f) {
    for (const FaceRule& q : face_rule()) points_.push_back(at(space, f, q.u, q.v));
    const auto c = corners(space, f);
    double d = 0;
    for (int k = 0; k < 3; ++k) d = std::max(d, distance(space.mesh().point(c[k]), space.mesh().point(c[(k + 1) % 3])));
    diameters_.push_back(d);
  }
}

double Patch::area() const {
  double sum = 0;
  for (Index p = 0; p < size(); ++p) sum += weight(p);
  return sum;
}

FacePoint Patch::at(const Space& space, Index face, double u, double v) const {
  const PatchFace& f = faces_[face];
  const auto [i, j, k] = local_faces[f.local];
  const Map m = space.map(f.tet, reference_on_face(f.local, u, v));
  FacePoint p{};
  p.x = m.x;
  p.x_u = along(m, sub(corner[j], corner[i]));
  p.x_v = along(m, sub(corner[k], corner[i]));
  const Vec3 n = cross(p.x_u, p.x_v);
  p.jacobian = norm(n);
  // The way from the opposite corner leaves the tetrahedron through this face.
  const Vec3 out = along(m, sub(corner[i], corner[opposite_corner[f.local]]));
  const double sign = (dot(n, out) > 0) != f.inward ? 1 : -1;
  p.normal = scale(sign / p.jacobian, n);
  p.t1 = unit(p.x_u);
  p.t2 = cross(p.normal, p.t1);
  return p;
}

FaceTraces Patch::traces(const Space& space, Index face, bool only_tangential) const {
  const PatchFace& f = faces_[face];
  const int order = space.order();
  const auto all = space.unknowns_of_tet(f.tet);
  FaceTraces out{};
  FaceUnknowns on_face = face_unknowns(order, f.local);
  std::array<int, most_unknowns> local{};
  out.count = only_tangential ? on_face.count : unknowns_of(order);
  for (int k = 0; k < out.count; ++k) {
    local[k] = only_tangential ? on_face.local[k] : k;
    out.unknowns[k] = all[local[k]];
  }
  for (int q = 0; q < face_points; ++q) {
    const FaceRule& r = face_rule()[q];
    const Vec3 at = reference_on_face(f.local, r.u, r.v);
    const BasisValues b = nedelec(order, at);
    const Map m = space.map(f.tet, at);
    const FacePoint& p = points_[face * face_points + q];
    for (int k = 0; k < out.count; ++k) {
      const Vec3 value = m.covariant(b.value[local[k]]), curl = m.curl(b.curl[local[k]]);
      out.value[k][q] = {dot(value, p.t1), dot(value, p.t2)};
      out.curl[k][q] = {dot(curl, p.t1), dot(curl, p.t2)};
    }
  }
  return out;
}

FaceTraces Patch::traces_at(const Space& space, Index face, double u, double v, const FacePoint& at) const {
  const PatchFace& f = faces_[face];
  const auto all = space.unknowns_of_tet(f.tet);
  const FaceUnknowns on_face = face_unknowns(space.order(), f.local);
  const Vec3 reference = reference_on_face(f.local, u, v);
  const BasisValues b = nedelec(space.order(), reference);
  const Map m = space.map(f.tet, reference);
  FaceTraces out{};
  out.count = on_face.count;
  for (int k = 0; k < out.count; ++k) {
    const int local = on_face.local[k];
    out.unknowns[k] = all[local];
    const Vec3 value = m.covariant(b.value[local]), curl = m.curl(b.curl[local]);
    out.value[k][0] = {dot(value, at.t1), dot(value, at.t2)};
    out.curl[k][0] = {dot(curl, at.t1), dot(curl, at.t2)};
  }
  return out;
}

std::array<Index, 3> Patch::corners(const Space& space, Index face) const {
  const PatchFace& f = faces_[face];
  const auto& t = space.tets()[f.tet];
  const auto [i, j, k] = local_faces[f.local];
  return {t.points[i], t.points[j], t.points[k]};
}

}  // namespace conoid::maxwell_fem
