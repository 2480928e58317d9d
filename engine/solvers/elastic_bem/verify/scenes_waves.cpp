// SPDX-License-Identifier: BSD-3-Clause
// Test problems with shear waves, stresses, moving loads, several foundations, near points.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/problem.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

std::vector<Stress> TestBody::stresses(double omega, const std::vector<Vec3>& points, const BoundaryValues& values) {
  return stresses_at(team_, *surface_, accuracy_, Harmonic(medium_, omega), points, std::span(&values, 1)).front();
}

double cavity_shear_error(TestBody& body, WaveKind kind, double ks) {
  const double omega = ks * body.medium().shear_speed();
  const Harmonic h(body.medium(), omega);
  WaveSetting w;
  w.kind = kind;
  w.direction = {0.48, 0.36, 0.8};
  const auto field = IncidentField::make(w, h).value();
  const Surface& s = body.surface();
  LoadValues load;
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    auto q = field.traction(s.nodes[static_cast<std::size_t>(s.traction_node[t])], s.traction_normal[t]);
    for (Complex& c : q) c = -c;
    load.traction.push_back(q);
  }
  const auto v = body.solve(omega, {load});
  // The series' axes: polarisation, direction.
  const auto at_origin = field.displacement({0, 0, 0});
  const Vec3 ex = unit({at_origin[0].real(), at_origin[1].real(), at_origin[2].real()}), ez = unit(w.direction),
             ey = cross(ez, ex);
  const CavitySWave exact(h, 1);
  double defect = 0, size = 0;
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    const Vec3& x = s.nodes[n];
    const auto want = exact.displacement({dot(x, ex), dot(x, ey), dot(x, ez)});
    const auto in = field.displacement(x);
    for (std::size_t d = 0; d < 3; ++d) {
      const Complex u = want[0] * ex[d] + want[1] * ey[d] + want[2] * ez[d];
      defect += std::norm(v[0].displacement[n][d] + in[d] - u);
      size += std::norm(u);
    }
  }
  return std::sqrt(defect / size);
}

namespace {

/// Largest difference of six stresses to the exact ones around a cavity of radius 1 under pressure 1, over the largest.
double stress_difference(const Stress& found, const Harmonic& h, const Vec3& x) {
  constexpr std::array<std::array<std::size_t, 2>, 6> order{{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}}};
  const auto [radial, around] = cavity_stress(h, 1, 1, norm(x));
  const Vec3 e = unit(x);
  double worst = 0;
  for (std::size_t c = 0; c < 6; ++c) {
    const auto [i, j] = order[c];
    const Complex want = (radial - around) * (e[i] * e[j]) + (i == j ? around : Complex(0));
    worst = std::max(worst, std::abs(found[c] - want) / std::max(std::abs(radial), std::abs(around)));
  }
  return worst;
}

}  // namespace

double cavity_wall_stress_error(TestBody& body, double ks) {
  LoadValues load;
  for (const Vec3& n : body.surface().traction_normal) load.traction.push_back({-n[0], -n[1], -n[2]});
  const double omega = ks * body.medium().shear_speed();
  const auto v = body.solve(omega, {load});
  const Harmonic h(body.medium(), omega);
  double worst = 0;
  for (const Element& e : body.surface().elements) {
    const Vec3 x = e.at(0.5, 0.5).x;
    worst = std::max(worst, stress_difference(stress_on(e, 0.5, 0.5, h, v[0]), h, scale(1 / norm(x), x)));
  }
  return worst;
}

double cavity_stress_error(TestBody& body, double ks) {
  LoadValues load;
  for (const Vec3& n : body.surface().traction_normal) load.traction.push_back({-n[0], -n[1], -n[2]});
  const double omega = ks * body.medium().shear_speed();
  const auto v = body.solve(omega, {load});
  std::vector<Vec3> points;
  for (double r : {1.3, 2.0, 4.0})
    for (const Vec3& e : {Vec3{0.6, 0, 0.8}, Vec3{-0.48, 0.64, 0.6}, Vec3{0, -1, 0}}) points.push_back(scale(r, e));
  const auto found = body.stresses(omega, points, v[0]);
  double worst = 0;
  for (std::size_t k = 0; k < points.size(); ++k)
    worst = std::max(worst, stress_difference(found[k], Harmonic(body.medium(), omega), points[k]));
  return worst;
}

double cavity_close_stress_error(TestBody& body, double ks, double away) {
  LoadValues load;
  for (const Vec3& n : body.surface().traction_normal) load.traction.push_back({-n[0], -n[1], -n[2]});
  const double omega = ks * body.medium().shear_speed();
  const auto v = body.solve(omega, {load});
  std::vector<Vec3> points;
  for (std::size_t e = 0; e < body.surface().elements.size(); e += 7) {
    const Element& element = body.surface().elements[e];
    for (const auto& [r, s] : {std::pair{0.37, 0.45}, {0.0, 0.45}, {0.0, 0.0}}) {
      const Vec3 x = element.at(r, s).x;
      points.push_back(scale(1 + away * element.size / norm(x), x));
    }
  }
  const auto found = body.stresses(omega, points, v[0]);
  double worst = 0;
  for (std::size_t k = 0; k < points.size(); ++k)
    worst = std::max(worst, stress_difference(found[k], Harmonic(body.medium(), omega), points[k]));
  return worst;
}

namespace {

Medium damped_ground() {
  Medium m;
  m.nu = 0.3;
  m.beta = 0.05;
  return m;
}

SurfaceOptions open_ground() {
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.window = 0.8;
  return s;
}

}  // namespace

double moving_load_error(Team& team) {
  GroundRectangle g;
  g.low = {-9, -7};
  g.high = {9, 7};
  g.element = 1;
  g.growth = 1.3;
  g.largest = 2;
  g.patches = {{"strip", {-3, -0.5}, {3, 0.5}, 1}};
  TestBody ground(ground_rectangle(g).value(), open_ground(), {{"strip", {false, false, false}}}, damped_ground(),
                  {1e-5, false}, team);
  const double omega = 1, speed = 0.6;
  LoadValues load;
  load.traction = moving_traction(ground.surface(), 1, {0, 0, -1}, {speed, 0, 0}, omega);
  const auto v = ground.solve(omega, {load});
  const Harmonic h(ground.medium(), omega);
  double worst = 0, largest = 0;
  for (const Vec3& wanted : {Vec3{0, 1.5, 0}, Vec3{1.5, -2, 0}, Vec3{-2.5, 2, 0}, Vec3{4.5, 0.5, 0}}) {
    const auto node = static_cast<std::size_t>(nearest_node(ground.surface(), wanted));
    const Vec3& at = ground.surface().nodes[node];
    Complex exact = 0;
    for (int piece = 0; piece < 6; ++piece)
      for (const GaussPoint& a : gauss_points(4))
        for (const GaussPoint& b : gauss_points(4)) {
          const double x = -3 + piece + a.x, y = b.x - 0.5;
          exact += a.w * b.w * std::polar(1 / speed, -omega * x / speed) *
                   half_space_surface(h, std::hypot(at[0] - x, at[1] - y));
        }
    largest = std::max(largest, std::abs(exact));
    worst = std::max(worst, std::abs(-v[0].displacement[node][2] - exact));
  }
  return worst / largest;
}

namespace {

struct Pair {
  std::unique_ptr<TestBody> body;
  std::array<Foundation, 2> foundations;
  std::vector<BoundaryValues> motions;
  std::vector<Complex> impedance;
};

constexpr double away = 6;

/// Two squares of half-width 1 and their twelve unit motions. Much ground around both: with less, what the missing ground
/// would carry between them shows.
Pair two_squares(Contact contact, double omega, Team& team) {
  GroundRectangle g;
  g.low = {-15, -14};
  g.high = {15 + away, 14};
  g.element = 0.7;
  g.growth = 1.5;
  g.largest = 4;
  g.patches = {{"left", {-1, -1}, {1, 1}, 1.5}, {"right", {away - 1, -1}, {away + 1, 1}, 1.5}};
  const bool along = contact == Contact::welded;
  const std::array<bool, 3> held{along, along, true};
  Pair out;
  out.body = std::make_unique<TestBody>(
      ground_rectangle(g).value(), open_ground(),
      std::vector<std::pair<std::string, std::array<bool, 3>>>{{"left", held}, {"right", held}}, damped_ground(),
      Accuracy{1e-5, false}, team);
  std::vector<LoadValues> cases;
  for (std::size_t f = 0; f < 2; ++f) {
    out.foundations[f].condition = static_cast<int>(f) + 1;
    out.foundations[f].contact = contact;
    out.foundations[f].reference = {away * static_cast<double>(f), 0, 0};
    for (LoadValues& v : unit_motions(out.body->system(), out.foundations[f])) cases.push_back(std::move(v));
  }
  out.motions = out.body->solve(omega, cases);
  out.impedance = impedance(out.body->surface(), {out.foundations[0], out.foundations[1]}, out.motions);
  return out;
}

/// Motion of the right one under a vertical force on the left one, both without friction, against point forces on ground
/// without end.
///
/// By reciprocity a plate that is free of force moves by the mean of the incoming field, weighted by its own pressure p under a
/// unit force: c = ∬ p(x) p(y) G(x − y), and what the two do to each other besides falls as (b/d)^5. Expanded about the centres,
/// c is G(d), then the second moments of p times second derivatives of G; odd moments vanish. So p may be replaced by a pressure
/// that is even over a square as wide as has the second moment of p (which is taken from the solution: an even pressure over the
/// plates themselves is off by 8 % here). Fourth moments lie between the square of the second and b² times the second; with
/// ∂⁴G/G ≈ k_R⁴ + 24/d⁴ they change c by less than 0.3 % at k_S b = 0.5, d = 6 b.
double through_ground_error(Team& team) {
  constexpr double omega = 0.5;
  const Pair pair = two_squares(Contact::smooth, omega, team);
  const std::vector<Complex> c = inverse_where_stiff(pair.impedance, 12);
  const Surface& surface = pair.body->surface();
  Complex force = 0, moment = 0;
  PointSet set;
  for (Index k = 0; k < surface.active; ++k) {
    const Element& e = surface.elements[static_cast<std::size_t>(k)];
    if (e.condition != 1) continue;
    set.clear();
    product_rule(e, 4, 4, set);
    for (std::size_t q = 0; q < set.w.size(); ++q)
      for (std::size_t a = 0; a < static_cast<std::size_t>(e.nodes); ++a)
        for (std::size_t j = 0; j < 12; ++j) {
          const Complex p = set.w[q] * set.shape[q][a] * c[12 * j + 2] *
                            pair.motions[j].traction[static_cast<std::size_t>(e.traction[a])][2];
          force += p;
          moment += 0.5 * (set.x[q] * set.x[q] + set.y[q] * set.y[q]) * p;
        }
  }
  const double half = std::sqrt(3 * (moment / force).real());  // an even pressure has half²/3
  const Harmonic h(pair.body->medium(), omega);
  Complex mean = 0;
  for (const GaussPoint& a : gauss_points(3))
    for (const GaussPoint& b : gauss_points(3))
      for (const GaussPoint& p : gauss_points(3))
        for (const GaussPoint& q : gauss_points(3))
          mean += a.w * b.w * p.w * q.w *
                  half_space_surface(h, std::hypot(away + 2 * half * (p.x - a.x), 2 * half * (q.x - b.x)));
  return std::abs(c[12 * 2 + 8] - mean) / std::abs(mean);
}

}  // namespace

TwoFoundations two_foundations(Team& team) {
  const std::vector<Complex> k = two_squares(Contact::welded, 0.15, team).impedance;
  TwoFoundations out;
  double largest = 0;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      largest = std::max(largest, std::abs(k[12 * i + j]));
      out.asymmetry = std::max(out.asymmetry, std::abs(k[12 * i + j] - k[12 * j + i]));
    }
  out.asymmetry /= largest;
  out.unlike = std::abs(k[12 * 2 + 2] - k[12 * 8 + 8]) / std::abs(k[12 * 2 + 2]);
  out.through = through_ground_error(team);
  return out;
}

double near_rule_error(double height, double target) {
  Element e;
  e.shape = CellShape::quad4;
  e.x[0] = {0, 0, 0};
  e.x[1] = {1, 0, 0};
  e.x[2] = {1, 1, 0};
  e.x[3] = {0, 1, 0};
  const Vec3 point{0.3, 0.2, height};
  PointSet set;
  near_rule(e, point, target, 0, set);
  double sum = 0;
  for (std::size_t q = 0; q < set.w.size(); ++q) {
    const Vec3 d = sub(point, {set.x[q], set.y[q], set.z[q]});
    sum += dot(d, {set.nx[q], set.ny[q], set.nz[q]}) / std::pow(norm(d), 3);
  }
  double exact = 0;
  for (double x : {point[0], 1 - point[0]})
    for (double y : {point[1], 1 - point[1]})
      exact += std::atan2(x * y, height * std::sqrt(x * x + y * y + height * height));
  return std::abs(sum / exact - 1);
}

}  // namespace conoid::elastic_bem
