// SPDX-License-Identifier: BSD-3-Clause
// Distances of dipoles from what is around them.
#include "engine/solvers/maxwell_fem/case_dipoles.hpp"

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/cell_locator.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/solving/probe.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

/// Distances from a surface in lengths of the triangles there. Elements of order 2 on a conducting sphere of ka = 1 with edges of 15 mm leave
/// of the directivity of a dipole along the surface, whose image nearly cancels it, 0.01 dB on average and 0.1 dB at most at a distance of one
/// edge, 0.2 and 1.3 at half of it; of one across the surface 0.002 and 0.03, 0.01 and 0.3.
constexpr double told_distance = 1, refused_distance = 0.5;
/// Triangles as long as was advised are short enough.
constexpr double round_off = 1e-6;
/// Of the body's size, within which a dipole lies on the surface.
constexpr double on_surface = 1e-6;
/// Wavelengths from the body from which on the far field has too many lobes to be summed over.
constexpr double most_waves = 100;

/// What is next to a place.
struct Neighbour {
  double distance = HUGE_VAL;  ///< from the nearest surface, m
  double edge = 0;             ///< longest of its triangle, as it will be cut, m
  bool inside = false;         ///< of a conductor
  int material = 0;            ///< > 0: inside of it
};

/// Triangles (their corners) on which fields are not smooth.
struct Surfaces {
  std::vector<double> points;
  std::vector<Index> connectivity, offsets{0};
  std::vector<std::uint8_t> types;

  void add(const Mesh& mesh, std::span<const Index> corners) {
    for (const Index c : corners) {
      connectivity.push_back(static_cast<Index>(points.size() / 3));
      const Vec3 x = mesh.point(c);
      points.insert(points.end(), x.begin(), x.end());
    }
    offsets.push_back(static_cast<Index>(connectivity.size()));
    types.push_back(static_cast<std::uint8_t>(corners.size() == 3 ? CellShape::triangle3 : CellShape::quad4));
  }
  [[nodiscard]] Vec3 point(Index n) const {
    return {points[static_cast<std::size_t>(3 * n)], points[static_cast<std::size_t>(3 * n + 1)],
            points[static_cast<std::size_t>(3 * n + 2)]};
  }
  [[nodiscard]] double longest(Index cell) const {
    double out = 0;
    for (Index a = offsets[cell]; a < offsets[cell + 1]; ++a)
      for (Index b = a + 1; b < offsets[cell + 1]; ++b)
        out = std::max(out, distance(point(connectivity[a]), point(connectivity[b])));
    return out;
  }
};

Surfaces surfaces_of_domain(const Domain& domain) {
  Surfaces out;
  const Space& space = domain.space;
  const auto add_patch = [&](const Patch& p) {
    for (Index f = 0; f < p.faces(); ++f) out.add(space.mesh(), p.corners(space, f));
  };
  add_patch(domain.conductor);
  add_patch(domain.magnetic);
  for (const ImpedancePatch& i : domain.impedances) add_patch(i.patch);
  for (Index f = 0; f < space.face_count(); ++f) {
    const Space::Sides& s = space.sides(f);
    if (s.tet[1] < 0 || space.tets()[s.tet[0]].region == space.tets()[s.tet[1]].region) continue;
    const Tet& t = space.tets()[s.tet[0]];
    const auto [i, j, k] = local_faces[s.local[0]];
    out.add(space.mesh(), std::array<Index, 3>{t.points[i], t.points[j], t.points[k]});
  }
  return out;
}

std::vector<Index> faces_of(const Mesh& skin) {
  std::vector<Index> out;
  for (Index c = 0; c < skin.cell_count(); ++c)
    if (dimension_of(skin.shapes()[static_cast<std::size_t>(c)]) == 2) out.push_back(c);
  return out;
}

Surfaces surfaces_of_skin(const Mesh& skin, const std::vector<Index>& faces) {
  Surfaces out;
  for (const Index c : faces)
    out.add(skin, std::span(skin.nodes(c))
                      .first(static_cast<std::size_t>(corners_of(skin.shapes()[static_cast<std::size_t>(c)]))));
  return out;
}

Neighbour beside_sphere(const Problem& s, const Vec3& x) {
  const SphereSetting& p = *s.sphere;
  const double outer = p.radius + p.coat, r = norm(x);
  Neighbour out;
  out.distance = std::abs(r - outer);
  // Triangles of an icosahedron, or of a cube.
  out.edge = (p.core_material > 0 ? 1.6 : 1.2) * outer / p.divisions;
  if (r < outer) {
    out.material = r > p.radius ? p.coat_material : p.core_material;
    out.inside = out.material == 0;
  }
  return out;
}

}  // namespace

void check_dipoles(const CaseReader& reader, const Problem& s, const Mesh* skin) {
  if (!s.radiates()) return;
  Surfaces surfaces;
  std::vector<Index> faces;  // of the skin
  int parts = 1;
  double size = 0;
  if (s.sphere) {
    size = s.sphere->radius + s.sphere->coat;
  } else if (skin != nullptr) {
    faces = faces_of(*skin);
    surfaces = surfaces_of_skin(*skin, faces);
    size = s.mesh.body.size;
    parts = layout_around(s, s.mesh.body).parts;
  } else if (s.mesh.domain) {
    surfaces = surfaces_of_domain(*s.mesh.domain);
    size = s.mesh.radius;
  } else {
    return;
  }
  std::optional<CellLocator> locator;
  if (!surfaces.types.empty())
    locator.emplace(CellArrays{surfaces.points, surfaces.connectivity, surfaces.offsets, surfaces.types}, 2);
  const double wave = light_speed / s.frequencies.back();
  const Values dipoles = reader.input["excitation"]["dipoles"];
  for (std::size_t n = 0; n < s.dipoles.size(); ++n) {
    const Vec3& x = s.dipoles[n].at;
    const Values at = dipoles.at(n)["position"];
    Neighbour beside;
    if (s.sphere) beside = beside_sphere(s, x);
    if (locator)
      if (const CellSpot spot = locator->find(x, HUGE_VAL); spot.cell >= 0) {
        beside.distance = spot.distance;
        beside.edge = surfaces.longest(spot.cell) / parts;
      }
    if (skin != nullptr && std::abs(winding_number(*skin, faces, x)) > 0.5) {
      beside.material = s.body_material;
      beside.inside = beside.material == 0;
    }
    if (s.mesh.domain && skin == nullptr) {
      const Domain& domain = *s.mesh.domain;
      if (const Spot spot = spot_of(domain.space, x); spot.tet >= 0)
        beside.material = domain.space.tets()[spot.tet].region;
      else
        beside.inside = winds_around(domain.space, domain.outer, x);
    }
    const std::string which = fmt::format("dipole {}", n + 1);
    if (beside.distance <= on_surface * size)
      reader.fail(at, which + " lies on a surface",
                  "Put it into the vacuum beside it: on a conductor an electric dipole along the surface radiates "
                  "nothing, and one across it as much as close above.");
    else if (beside.material > 0)
      reader.fail(at, fmt::format("{} lies inside of '{}'", which, s.material_names[beside.material]),
                  "Dipoles are in vacuum: move it out, or cut a cavity of vacuum into the body around it.");
    else if (beside.inside)
      reader.fail(at, which + " lies inside of the body, where no fields are", "Move it into the vacuum around it.");
    else if (beside.distance > most_waves * wave)
      reader.fail(at, fmt::format("{} is {:.0f} wavelengths away from the body", which, beside.distance / wave),
                  fmt::format("Stay within {:g}: from farther away a plane wave says the same.", most_waves));
    else if (beside.distance < refused_distance * beside.edge)
      reader.fail(at,
                  fmt::format("{} is {} away from a surface whose triangles there are {} long", which,
                              format_quantity(beside.distance, "m"), format_quantity(beside.edge, "m")),
                  fmt::format("Its field changes within its distance: refine the surface there to {}, or move it away.",
                              format_quantity(beside.distance / told_distance, "m", 3)));
    else if (beside.distance < told_distance * beside.edge * (1 - round_off))
      reader.warn(
          at,
          fmt::format("{} is {} away from a surface whose triangles there are {} long: directivities may be off "
                      "by some tenths of a decibel",
                      which, format_quantity(beside.distance, "m"), format_quantity(beside.edge, "m")),
          fmt::format("Refine the surface there to {}.", format_quantity(beside.distance / told_distance, "m", 3)));
  }
}

}  // namespace conoid::maxwell_fem
