// SPDX-License-Identifier: BSD-3-Clause
// Frames: the field in the volume, currents on the body, the field on planes, all complex.
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/solving/probe.hpp"
#include "engine/solvers/mesh_frame.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr std::array<Vec3, 10> reference_nodes{{{0, 0, 0},
                                                {1, 0, 0},
                                                {0, 1, 0},
                                                {0, 0, 1},
                                                {0.5, 0, 0},
                                                {0, 0.5, 0},
                                                {0, 0, 0.5},
                                                {0.5, 0.5, 0},
                                                {0.5, 0, 0.5},
                                                {0, 0.5, 0.5}}};

/// Barycentric coordinates: of points that rounding puts outside of both their elements; and of points of an element with curved faces that
/// lie outside of the straight one between its corners (an edge of 60 degrees of a circle bulges by 0.13 of itself).
constexpr double rounding = 1e-9, most_bent = 0.5;

/// Nodes of a plane, first and last along each axis.
struct NodeBox {
  std::array<Index, 3> from{}, to{};
};

/// Those around a tetrahedron; none where the plane does not pass it. The curved edge from a over m to b lies among 2m − a/2 − b/2 and its ends.
std::optional<NodeBox> nodes_in_box(const Space& space, Index tet, const PlaneSetting& plane) {
  constexpr std::array<std::array<int, 2>, 6> edges{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
  const Tet& t = space.tets()[tet];
  const Mesh& mesh = space.mesh();
  Vec3 low = mesh.point(t.points[0]), high = low;
  const auto reaches = [&](const Vec3& x) {
    for (int d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], x[d]);
      high[d] = std::max(high[d], x[d]);
    }
  };
  for (int c = 1; c < 4; ++c) reaches(mesh.point(t.points[c]));
  for (int e = 0; t.curved && e < 6; ++e)
    reaches(sub(scale(2, mesh.point(t.points[4 + e])),
                scale(0.5, add(mesh.point(t.points[edges[e][0]]), mesh.point(t.points[edges[e][1]])))));
  NodeBox out;
  for (int d = 0; d < 3; ++d) {
    if (plane.points[d] == 1) {
      if (plane.origin[d] < low[d] || plane.origin[d] > high[d]) return {};
      continue;
    }
    out.from[d] =
        std::max<Index>(0, static_cast<Index>(std::ceil((low[d] - plane.origin[d]) / plane.spacing[d] - 1e-9)));
    out.to[d] = std::min<Index>(plane.points[d] - 1,
                                static_cast<Index>(std::floor((high[d] - plane.origin[d]) / plane.spacing[d] + 1e-9)));
  }
  return out;
}

/// As if the tetrahedron were straight.
Vec3 straight_reference(const Space& space, Index tet, const Vec3& x) {
  const Mesh& mesh = space.mesh();
  const auto& points = space.tets()[tet].points;
  const Vec3 origin = mesh.point(points[0]), away = sub(x, origin), a = sub(mesh.point(points[1]), origin),
             b = sub(mesh.point(points[2]), origin), c = sub(mesh.point(points[3]), origin);
  return scale(1 / triple(a, b, c), {triple(away, b, c), triple(a, away, c), triple(a, b, away)});
}

/// The whole field of a column among the elements, whichever form its unknowns are of.
class WholeField {
 public:
  WholeField(const Domain& domain, FieldForm form, const Incident& wave, std::span<const Complex> inside,
             std::span<const Complex> beyond)
      : domain_(&domain), form_(form), wave_(&wave), inside_(inside), beyond_(beyond) {}

  /// Whether the unknowns of an element are those of the scattered field.
  [[nodiscard]] bool is_scattered(Index tet) const {
    return form_ == FieldForm::scattered || (form_ == FieldForm::mixed && domain_->outside[tet]);
  }
  [[nodiscard]] std::span<const Complex> unknowns(Index tet) const {
    return form_ == FieldForm::mixed && domain_->outside[tet] ? beyond_ : inside_;
  }
  [[nodiscard]] std::array<Complex, 3> electric(const Spot& at, const Vec3& x) const {
    auto e = field_at(domain_->space, at, unknowns(at.tet)).electric;
    if (!is_scattered(at.tet)) return e;
    const auto incident = wave_->electric(x);
    for (int d = 0; d < 3; ++d) e[d] += incident[d];
    return e;
  }

 private:
  const Domain* domain_;
  FieldForm form_;
  const Incident* wave_;
  std::span<const Complex> inside_, beyond_;  ///< of the mixed form: outside of S'
};

const Patch& shown_patch(const Domain& d) {
  return d.conductor.faces() > 0 ? d.conductor : d.currents;
}

/// The cell that shows each face of a patch. A sheet is one cell, though both its sides are faces: what it carries is the sum of their currents.
std::vector<Index> shown_cells(const Space& space, const Patch& patch) {
  std::vector<Index> out;
  std::map<Index, Index> known;
  for (Index f = 0; f < patch.faces(); ++f) {
    const PatchFace& at = patch.face(f);
    out.push_back(known.try_emplace(space.face_of(at.tet, at.local), static_cast<Index>(known.size())).first->second);
  }
  return out;
}

}  // namespace

Result<PlanePoints> locate(const Domain& domain, const PlaneSetting& plane, const Stopped& stopped) {
  const Space& space = domain.space;
  PlanePoints points;
  points.x = plane.positions();
  points.tet.assign(points.x.size(), -1);
  points.reference.resize(points.x.size());
  std::vector<double> outside(points.x.size(), rounding);
  for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
    if (stopped_at(stopped, t)) return stop_error();
    const std::optional<NodeBox> box = nodes_in_box(space, t, plane);
    if (!box) continue;
    for (Index z = box->from[2]; z <= box->to[2]; ++z)
      for (Index y = box->from[1]; y <= box->to[1]; ++y)
        for (Index x = box->from[0]; x <= box->to[0]; ++x) {
          const Index n = x + plane.points[0] * (y + plane.points[1] * z);
          if (outside[n] <= 0) continue;
          Vec3 r = straight_reference(space, t, points.x[n]);
          if (space.tets()[t].curved) {
            if (outside_by(r) > most_bent) continue;
            r = reference_of(space, t, points.x[n], r);
          }
          if (const double by = outside_by(r); by < outside[n]) {
            outside[n] = by;
            points.tet[n] = t;
            points.reference[n] = r;
          }
        }
  }
  // Points between two looks: a hundred thousand faces or so.
  const Index some = std::max<Index>(1, 100000 / std::max<Index>(1, domain.outer.faces()));
  for (std::size_t n = 0; n < points.x.size(); ++n) {
    if (stopped_at(stopped, static_cast<Index>(n), some)) return stop_error();
    if (points.tet[n] < 0 && winds_around(space, domain.outer, points.x[n])) points.tet[n] = -2;
  }
  return points;
}

Status MaxwellFem::prepare_view(const std::stop_token& stop) {
  volume_ = mesh_geometry(*mesh_, 3);
  const Patch& patch = shown_patch(domain_);
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  cell_of_face_ = shown_cells(domain_.space, patch);
  for (Index f = 0; f < patch.faces(); ++f) {
    if (cell_of_face_[f] + 1 < static_cast<Index>(offsets->size())) continue;  // the other side of a sheet
    auto c = patch.corners(domain_.space, f);
    const Vec3 a = mesh_->point(c[0]), n = cross(sub(mesh_->point(c[1]), a), sub(mesh_->point(c[2]), a));
    const bool outwards =
        (dot(n, patch.point(f * face_points).normal) > 0) == (&patch == &domain_.currents);  // out of the body
    if (!outwards) std::swap(c[1], c[2]);
    connectivity->insert(connectivity->end(), c.begin(), c.end());
    offsets->push_back(static_cast<Index>(connectivity->size()));
  }
  surface_.points = volume_.points;
  surface_.connectivity = connectivity;
  surface_.offsets = offsets;
  surface_.types =
      std::make_shared<std::vector<std::uint8_t>>(offsets->size() - 1, static_cast<std::uint8_t>(CellShape::triangle3));
  electric_.assign(static_cast<std::size_t>(6 * mesh_->point_count()), 0);
  surface_current_.assign(6 * (offsets->size() - 1), 0);

  plane_fields_.clear();
  plane_points_.clear();
  shown_step_ = -1;
  for (const PlaneSetting& plane : problem_.planes) {
    auto points = locate(domain_, plane, [&stop] { return stop.stop_requested(); });
    if (!points) return points.error();
    plane_fields_.emplace_back(6 * points->x.size(), 0.0F);
    plane_points_.push_back(std::move(*points));
  }
  return {};
}

Status MaxwellFem::show(const Incident& wave, std::span<const Complex> u, std::span<const Complex> f,
                        RunContext& context) {
  const Space& space = domain_.space;
  std::vector<std::vector<Complex>> near;  // scattered field at the points of each plane outside of S
  for (const PlanePoints& points : plane_points_) {
    std::vector<Vec3> outside;
    for (std::size_t n = 0; n < points.x.size(); ++n)
      if (points.tet[n] == -1) outside.push_back(points.x[n]);
    near.push_back(near_field(domain_, k(), f, outside, context.team.threads(), context.stop));
  }
  std::vector<Complex> beyond;
  if (system_->form() == FieldForm::mixed) {
    beyond.assign(u.begin(), u.end());
    if (Status s = system_->take_incident_off(wave, beyond); !s) return s;
  }
  if (context.stop.stop_requested()) return stop_error();
  const WholeField whole(domain_, system_->form(), wave, u, beyond);
  struct AtNode {
    std::array<Complex, 3> sum{};
    int elements = 0, scattered = 0;
  };
  std::vector<AtNode> nodes(static_cast<std::size_t>(mesh_->point_count()));
  for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t)
    for (int n = 0; n < 10; ++n) {
      const Index p = space.tets()[t].points[n];
      if (p < 0) break;
      const auto e = field_at(space, {t, reference_nodes[n]}, whole.unknowns(t)).electric;
      for (int d = 0; d < 3; ++d) nodes[p].sum[d] += e[d];
      ++nodes[p].elements;
      if (whole.is_scattered(t)) ++nodes[p].scattered;
    }
  for (std::size_t p = 0; p < nodes.size(); ++p) {
    AtNode& node = nodes[p];
    if (node.scattered > 0) {
      const auto incident = wave.electric(mesh_->point(static_cast<Index>(p)));
      for (int d = 0; d < 3; ++d) node.sum[d] += incident[d] * static_cast<double>(node.scattered);
    }
    for (int d = 0; d < 3; ++d) {
      const Complex e = node.elements > 0 ? node.sum[d] / static_cast<double>(node.elements) : Complex(0);
      electric_[6 * p + 2 * d] = static_cast<float>(e.real());
      electric_[6 * p + 2 * d + 1] = static_cast<float>(e.imag());
    }
  }
  // K = n×H = j/(kη) n×∇×E, n out of the body.
  const Patch& patch = shown_patch(domain_);
  const double sign = &patch == &domain_.currents ? 1 : -1;
  std::fill(surface_current_.begin(), surface_current_.end(), 0.0F);
  for (Index face = 0; face < patch.faces(); ++face) {
    const FaceTraces traces = patch.traces(space, face, false);
    const Index tet = patch.face(face).tet;
    const std::span<const Complex> unknowns = whole.unknowns(tet);
    std::array<Complex, 3> mean{};
    for (int q = 0; q < face_points; ++q) {
      const FacePoint& at = patch.point(face * face_points + q);
      Complex one = 0, two = 0;
      for (int a = 0; a < traces.count; ++a) {
        one += traces.curl[a][q][0] * unknowns[traces.unknowns[a]];
        two += traces.curl[a][q][1] * unknowns[traces.unknowns[a]];
      }
      if (whole.is_scattered(tet)) {
        const auto c = wave.curl(at.x);
        one += at.t1[0] * c[0] + at.t1[1] * c[1] + at.t1[2] * c[2];
        two += at.t2[0] * c[0] + at.t2[1] * c[1] + at.t2[2] * c[2];
      }
      for (int d = 0; d < 3; ++d) mean[d] += sign * 2 * face_rule()[q].weight * (-two * at.t1[d] + one * at.t2[d]);
    }
    for (int d = 0; d < 3; ++d) {
      const Complex current = Complex(0, 1) / (k() * vacuum_impedance) * mean[d];
      surface_current_[6 * cell_of_face_[face] + 2 * d] += static_cast<float>(current.real());
      surface_current_[6 * cell_of_face_[face] + 2 * d + 1] += static_cast<float>(current.imag());
    }
  }
  for (std::size_t p = 0; p < plane_points_.size(); ++p) {
    const PlanePoints& points = plane_points_[p];
    std::size_t next = 0;
    for (std::size_t n = 0; n < points.x.size(); ++n) {
      std::array<Complex, 3> e{};
      if (points.tet[n] >= 0) e = whole.electric({points.tet[n], points.reference[n]}, points.x[n]);
      if (points.tet[n] == -1) {
        e = wave.electric(points.x[n]);
        for (int d = 0; d < 3; ++d) e[d] += near[p][3 * next + d];
        ++next;
      }
      for (int d = 0; d < 3; ++d) {
        plane_fields_[p][6 * n + 2 * d] = static_cast<float>(e[d].real());
        plane_fields_[p][6 * n + 2 * d + 1] = static_cast<float>(e[d].imag());
      }
    }
  }
  return {};
}

std::vector<std::vector<std::complex<float>>> MaxwellFem::shown_fields() const {
  std::vector<const std::vector<float>*> from{&surface_current_};
  for (const auto& plane : plane_fields_) from.push_back(&plane);
  if (problem_.volume) from.push_back(&electric_);
  std::vector<std::vector<std::complex<float>>> out;
  for (const auto* field : from) {
    auto& list = out.emplace_back();
    for (std::size_t i = 0; i + 1 < field->size(); i += 2) list.emplace_back((*field)[i], (*field)[i + 1]);
  }
  return out;
}

void MaxwellFem::show_fields(const std::vector<std::vector<std::complex<float>>>& fields) {
  std::vector<std::vector<float>*> to{&surface_current_};
  for (auto& plane : plane_fields_) to.push_back(&plane);
  if (problem_.volume) to.push_back(&electric_);
  for (std::size_t n = 0; n < to.size() && n < fields.size(); ++n) {
    to[n]->clear();
    for (const auto& v : fields[n]) to[n]->insert(to[n]->end(), {v.real(), v.imag()});
  }
}

std::vector<CatalogEntry> MaxwellFem::catalog() const {
  const FieldInfo electric{"electric_field", "V/m", FieldKind::signed_value, Association::point, 3, true,
                           "Electric field"};
  std::vector<CatalogEntry> out{{"surface",
                                 {"surface_current", "A/m", FieldKind::signed_value, Association::cell, 3, true,
                                  domain_.conductor.faces() > 0 ? "Surface current" : "Equivalent current on S'"}}};
  for (const PlaneSetting& p : problem_.planes) out.push_back({p.name, electric});
  if (problem_.volume) out.push_back({"volume", electric});
  return out;
}

void MaxwellFem::fill(FrameBuilder& builder) const {
  if (shown_step_ < 0) return;  // nothing to show yet: no frame of zeros
  if (problem_.frequencies.size() > 1)
    builder.at(shown_step_, shown_, FrameAxis::frequency);
  else
    builder.at(shown_step_, static_cast<double>(shown_step_), FrameAxis::iteration);
  const auto entries = catalog();
  if (builder.wants_part("surface")) {
    FramePart& part = builder.part("surface", surface_);
    if (builder.wants("surface_current")) part.fields.push_back(make_field(entries[0].field, surface_current_));
  }
  for (std::size_t p = 0; p < problem_.planes.size(); ++p) {
    const PlaneSetting& plane = problem_.planes[p];
    if (!builder.wants_part(plane.name)) continue;
    FramePart& part = builder.part(plane.name, ImageGeometry{plane.points, plane.origin, plane.spacing});
    if (builder.wants("electric_field")) part.fields.push_back(make_field(entries[1 + p].field, plane_fields_[p]));
  }
  if (problem_.volume && builder.wants_part("volume")) {
    FramePart& part = builder.part("volume", volume_);
    if (builder.wants("electric_field")) part.fields.push_back(make_field(entries.back().field, electric_));
  }
}

}  // namespace conoid::maxwell_fem
