// SPDX-License-Identifier: BSD-3-Clause
// Forces in the medium.
#include <algorithm>
#include <cmath>

#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

namespace {

/// The scattered field of a free surface: its tractions are those of the incident one, taken back.
LoadValues scattered_by(const Surface& s, const IncidentField& field) {
  LoadValues out;
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    auto q = field.traction(s.nodes[static_cast<std::size_t>(s.traction_node[t])], s.traction_normal[t]);
    for (Complex& c : q) c = -c;
    out.traction.push_back(q);
  }
  return out;
}

Medium soil() {
  Medium out;
  out.nu = 0.3;
  out.beta = 0.05;
  return out;
}

struct Elements {
  double size, growth, largest;
};

/// A square of half a side `half`, held or free, in the middle of ground that ends at `reach`.
TestBody square_on_ground(double half, double reach, const Elements& elements, bool held, Team& team) {
  GroundRectangle g;
  g.low = {-reach, -reach};
  g.high = {reach, reach};
  g.element = elements.size;
  g.growth = elements.growth;
  g.largest = elements.largest;
  g.patches = {{"square", {-half, -half}, {half, half}, 1}};
  SurfaceOptions options;
  options.domain = Domain::ground;
  options.window = 0.8;
  return TestBody(ground_rectangle(g).value(), options, {{"square", {held, held, held}}}, soil(), {1e-5, false}, team);
}

/// By Hankel integrals: u_z at depth 1 below (0.5, 0.5) under an even unit pressure on a square of side 2, μ = ρ = ω = 1, damping 5 %.
constexpr Complex mean_of_square(0.0920447824, -0.375981071);

}  // namespace

double point_force_asymmetry(Team& team) {
  BoxSurfaceOptions o;
  o.low = {-1, -0.7, 0};
  o.high = {1, 0.7, 1.5};
  o.divisions = {6, 4, 5};
  o.order = 2;
  SurfaceOptions options;
  options.domain = Domain::inside;
  Medium medium;
  medium.nu = 0.3;
  medium.beta = 0.03;
  TestBody body(box_surface(o).value(), options, {}, medium, {1e-6, false}, team);
  const double omega = 1.3;
  const Harmonic h(medium, omega);
  const Vec3 places[2] = {{-0.4, 0.1, 0.6}, {0.45, -0.15, 0.95}};
  std::vector<LoadValues> loads;
  std::vector<IncidentField> fields;
  for (const Vec3& at : places)
    for (std::size_t j = 0; j < 3; ++j) {
      Vec3 force{};
      force[j] = 1;
      fields.push_back(IncidentField::point_force(at, force, h));
      loads.push_back(scattered_by(body.surface(), fields.back()));
    }
  const auto values = body.solve(omega, loads);
  Complex there[3][3], back[3][3];  // component, force
  for (std::size_t c = 0; c < 6; ++c) {
    const Vec3& at = places[c < 3 ? 1 : 0];
    const Complex3 scattered = body.inside(omega, {at}, values[c]).front();
    const auto incident = fields[c].displacement(at);
    for (std::size_t i = 0; i < 3; ++i) (c < 3 ? there : back)[i][c % 3] = scattered[i] + incident[i];
  }
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      worst = std::max(worst, std::abs(there[i][j] - back[j][i]));
      largest = std::max(largest, std::abs(there[i][j]));
    }
  return worst / largest;
}

double buried_force_error(Team& team) {
  // A square of side 2 with elements of 0.5, ground to 12; the force below (0.5, 0.5), half a side deep.
  TestBody body = square_on_ground(1, 12, {0.5, 1.15, 1.6}, false, team);
  const Harmonic h(soil(), 1);
  const IncidentField field = IncidentField::point_force({0.5, 0.5, -1}, {0, 0, -1}, h);
  const BoundaryValues values = body.solve(1, {scattered_by(body.surface(), field)}).front();
  Complex mean = 0;
  PointSet set;
  for (const Element& e : body.surface().elements) {
    if (e.condition != 1) continue;
    set.clear();
    product_rule(e, 4, 4, set);
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      Complex u = field.displacement({set.x[q], set.y[q], set.z[q]})[2];
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        u += set.shape[q][a] * values.displacement[static_cast<std::size_t>(e.node[a])][2];
      mean += -set.w[q] * u;  // down
    }
  }
  return std::abs(mean - mean_of_square) / std::abs(mean_of_square);
}

double half_space_force_error() {
  const IncidentField field =
      IncidentField::buried_force({0.5, 0.5, -1}, {0, 0, -1}, {0, 0, 1}, 0, Harmonic(soil(), 1));
  Complex mean = 0;
  const auto points = gauss_points(12);
  for (const GaussPoint& x : points)
    for (const GaussPoint& y : points) mean += -4 * x.w * y.w * field.displacement({2 * x.x - 1, 2 * y.x - 1, 0})[2];
  return std::abs(mean - mean_of_square) / std::abs(mean_of_square);
}

double held_square_reach_error(Team& team) {
  // A held square, 4 wide, on ground to 6 and to 20, with a force 1.5 below a point beside it: what the ground exerts on the square.
  std::array<Complex3, 2> on{};
  for (std::size_t k = 0; k < 2; ++k) {
    TestBody body = square_on_ground(2, k == 0 ? 6 : 20, {0.8, 1.25, 2.4}, true, team);
    const double omega = 0.5;
    const IncidentField field =
        IncidentField::buried_force({3, 0.5, -1.5}, {0.4, 0.2, -1}, {0, 0, 1}, 0, Harmonic(soil(), omega));
    LoadValues held;
    const Surface& s = body.surface();
    held.displacement.resize(s.nodes.size());
    for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
      if (s.traction_condition[t] != 1) continue;
      const auto n = static_cast<std::size_t>(s.traction_node[t]);
      const auto u = field.displacement(s.nodes[n]);
      for (std::size_t d = 0; d < 3; ++d) held.displacement[n][d] = -u[d];
    }
    const auto all = resultant(s, 1, {0, 0, 0}, body.solve(omega, {held}).front());
    for (std::size_t d = 0; d < 3; ++d) on[k][d] = all[d];
  }
  double off = 0, size = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    off += std::norm(on[0][d] - on[1][d]);
    size += std::norm(on[1][d]);
  }
  return std::sqrt(off / size);
}

}  // namespace conoid::elastic_bem
