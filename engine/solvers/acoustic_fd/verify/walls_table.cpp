// SPDX-License-Identifier: BSD-3-Clause
// Walls of a given impedance, rigid and soft bodies.
#include "engine/mesh/generators.hpp"
#include "engine/numerics/spherical_bessel.hpp"
#include "engine/solvers/acoustic_fd/discretization/attenuation.hpp"
#include "engine/solvers/acoustic_fd/discretization/cut_walls.hpp"
#include "engine/solvers/acoustic_fd/discretization/exact.hpp"
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"
#include "engine/solvers/acoustic_fd/discretization/mesh_solid.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/verify/physics_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"
#include "engine/solvers/verify_rows.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

using Complex = std::complex<double>;
constexpr Complex unit_i{0, 1};

/// Σ p(t_k) e^{−s t_k} of levels 1 … of a trace.
Complex transform(const std::vector<double>& trace, double dt, Complex s) {
  Complex sum = 0;
  for (std::size_t k = 0; k < trace.size(); ++k) sum += trace[k] * std::exp(-s * (static_cast<double>(k + 1) * dt));
  return sum;
}

/// What the steps make of e^{st}: they see the rate (2/dt) sinh(s dt/2).
Complex stepped(Complex s, double dt) {
  return 2 / dt * std::sinh(0.5 * s * dt);
}

/// The mode cos(mπz/H) of a duct with rigid walls comes to the wall at x_max: a plane wave at an angle. Of three runs, with the wall, with a
/// rigid one and with none, R = (with − none)/(rigid − none) at the complex frequency s, where everything late is damped. `quality`: Q of the
/// fluid, 0: it keeps all.
double impedance_error(int order, double zeta, int mode, double nodes_a_wave, double angle, double quality,
                       const RowWorkers& workers) {
  const Index nz = mode == 0 ? 17 : 41;
  const double height = static_cast<double>(nz - 1), turn = mode * std::numbers::pi / height;
  const double k = mode == 0 ? 2 * std::numbers::pi / nodes_a_wave : turn / std::sin(angle);
  Problem fluid;
  if (quality > 0) {
    const double highest = 2.5 * k / (2 * std::numbers::pi);
    fluid.relaxations = constant_quality(quality, highest / 40, highest, 3);
    fluid.stiffening = stiffening(fluid.relaxations, highest / 2.5);
  }
  fluid.velocity = constant_velocity(fluid.stiffening);
  fluid.speed = {fluid.stiffening, fluid.stiffening};
  const auto trace = [&](FaceKind kind, Index longer) {
    Problem p = fluid;
    p.grid.points = {260 + longer, 1, nz};
    p.order = order;
    p.double_precision = true;
    for (Face& face : p.faces) face.kind = FaceKind::rigid;
    p.faces[1].kind = kind;
    p.faces[1].zeta = zeta;
    p.faces[1].speed = 1;
    p.dt = 0.4;
    for (Index z = 0; z < nz; ++z) {
      const double end = z == 0 || z == nz - 1 ? 0.5 : 1;  // mirrors double what lies on them
      p.sources.push_back({{200, 0, static_cast<double>(z)},
                           std::make_shared<Ricker>(k / (2 * std::numbers::pi), 1.2 * 2 * std::numbers::pi / k,
                                                    end * std::cos(turn * static_cast<double>(z)))});
    }
    p.receivers = {{"R", {225, 0, 0}}};
    return std::pair{recorded_levels(p, static_cast<Index>(380 / p.dt), workers)[0], p.dt};
  };
  const auto [with, dt] = trace(FaceKind::impedance, 0);
  const auto rigid = trace(FaceKind::rigid, 0).first, none = trace(FaceKind::rigid, 300).first;
  // Along the normal the fluid takes what the wall takes, ζ times the wave number of that over ω/c.
  const Complex s{0.02, k}, rate = stepped(s, dt),
                            slowness = std::sqrt(relaxed(fluid.relaxations, rate)) / fluid.stiffening,
                            normal = std::sqrt(slowness * slowness * rate * rate + turn * turn) / rate;
  const Complex exact = (zeta * normal - 1.0) / (zeta * normal + 1.0), free = transform(none, dt, s);
  return std::abs((transform(with, dt, s) - free) / (transform(rigid, dt, s) - free) - exact);
}

/// A source on a wall of impedance ζ at z = 0, heard on the normal. Of (∂_z − ∂_t/(ζc)) p, which is zero on the wall, follows with the wave G of the source
/// in open space p(z, t) = −2 ∫ ∂_z G(z + u, t − u/(ζc)) du over u > 0.
double source_on_wall_error(double zeta, const RowWorkers& workers) {
  Problem p = open_space({61, 61, 45});
  p.double_precision = true;
  p.faces[4].kind = FaceKind::impedance;
  p.faces[4].zeta = zeta;
  p.dt = 0.4;
  const double wave = 20;
  const auto signal = std::make_shared<Ricker>(1 / wave, 1.5 * wave, 1);
  p.sources.push_back({{30, 30, 0}, signal});
  p.receivers = {{"R", {30, 30, 20}}};
  const auto steps = static_cast<Index>(8 * wave / p.dt);
  const std::vector<double> got = recorded_levels(p, steps, workers)[0];
  std::vector<double> sent;
  for (Index k = 1; k <= steps; ++k) sent.push_back(signal->at(static_cast<double>(k) * p.dt));
  const Complex s{0.02, 2 * std::numbers::pi / wave}, rate = stepped(s, p.dt);
  const auto slope = [&](double u) {
    const double r = 20 + u;
    return 2.0 * (rate + 1 / r) * std::exp(-rate * (r + u / zeta)) / (4 * std::numbers::pi * r);
  };
  const double end = 600, du = 0.01;
  Complex exact = 0.5 * slope(0);
  for (Index i = 1; i < static_cast<Index>(end / du); ++i) exact += slope(static_cast<double>(i) * du);
  exact *= du;
  return std::abs(transform(got, p.dt, s) / transform(sent, p.dt, s) - exact) / std::abs(exact);
}

void impedance_rows(const TestRun& run, const VerifySink& sink) {
  if (!run.may_want("impedance")) return;
  // What the softened link leaves, 0.11 (kh)² of the incident wave at most, and the steps' (ω dt)²/8 of zeta: kh = 2 pi/20.
  for (const double zeta : {0.2, 1.0, 3.0, 10.0}) {
    run.doing("impedance tube");
    sink({fmt::format("impedance tube, zeta {:g}, 20 nodes a wave, order 8: error of R", zeta),
          impedance_error(8, zeta, 0, 20, 0, 0, run.workers(1)), "1", 0.015, false,
          "R = (zeta cos - 1)/(zeta cos + 1)"});
  }
  for (const double degrees : {30.0, 60.0}) {
    run.doing("impedance wall, oblique");
    sink({fmt::format("impedance wall, zeta 2, {:g} degrees, order 8: error of R", degrees),
          impedance_error(8, 2, degrees < 45 ? 2 : 3, 0, degrees * std::numbers::pi / 180, 0, run.workers(1)), "1",
          0.02, false, "R = (zeta cos - 1)/(zeta cos + 1)"});
  }
  const VerifyRows rows{run, sink};
  run.doing("impedance tube, Q");
  rows.at_most("impedance tube, zeta 1, fluid of Q 10, 20 nodes a wave, order 8: error of R",
               impedance_error(8, 1, 0, 20, 0, 10, run.workers(1)), 0.015, "R = (zeta kc/w - 1)/(zeta kc/w + 1)");
  for (const double zeta : {0.5, 2.0}) {
    run.doing("source on an impedance wall");
    rows.at_most(
        fmt::format("impedance wall, zeta {:g}, source on it, 20 nodes a wave, order 8: error on the normal", zeta),
        source_on_wall_error(zeta, run.workers(1)), 0.015, "half-space over a locally reacting wall");
  }
}

/// Hankel's function of the second kind and its derivative.
Complex hankel(int m, double x) {
  return {std::cyl_bessel_j(m, x), -std::cyl_neumann(m, x)};
}
template <class F>
auto slope_of(F&& f, int m, double x) {
  return m == 0 ? -f(1, x) : f(m - 1, x) - static_cast<double>(m) / x * f(m, x);
}

/// Of a line source at the distance `from`, its wave scattered by a cylinder of radius a, at (r, φ).
Complex cylinder_wave(bool rigid, double k, double a, double from, double r, double angle) {
  const auto bessel = [](int n, double x) { return std::cyl_bessel_j(n, x); };
  Complex sum = 0;
  for (int m = 0; m < 40; ++m) {
    const Complex ratio = rigid ? Complex(slope_of(bessel, m, k * a)) / slope_of(hankel, m, k * a)
                                : Complex(bessel(m, k * a)) / hankel(m, k * a);
    const Complex term = (m == 0 ? 1.0 : 2.0) * ratio * hankel(m, k * from) * hankel(m, k * r) * std::cos(m * angle);
    sum += term;
    if (m > 4 && std::abs(term) < 1e-12 * std::abs(sum)) break;
  }
  return unit_i / 4.0 * sum;
}

/// Half of the plane with a cylinder on its mirror z = 0; the scattered wave of one frequency at several angles.
double cylinder_error(bool rigid, double radius, double k, const RowWorkers& workers) {
  Problem p;
  const Index n = 201, half = 101;
  p.grid.points = {n, 1, half};
  p.order = 8;
  p.double_precision = true;
  p.velocity = constant_velocity(1);
  p.speed = {1, 1};
  for (Face& face : p.faces) {
    face.kind = FaceKind::matched;
    face.width = 14;
  }
  for (const std::size_t mirror : {2U, 3U, 4U}) p.faces[mirror].kind = FaceKind::rigid;
  p.dt = 0.4;
  const double middle = 100, from = 70;
  p.sources.push_back(
      {{middle - from, 0, 0}, std::make_shared<Ricker>(k / (2 * std::numbers::pi), 1.5 * 2 * std::numbers::pi / k, 1)});
  std::vector<double> angles;
  for (int i = 0; i <= 8; ++i) {
    // On nodes; the angle is that of the line from the middle, the source lies at π.
    const double about = std::numbers::pi * i / 8, x = std::round(50 * std::cos(about)),
                 z = std::round(50 * std::sin(about));
    angles.push_back(std::atan2(z, x));
    p.receivers.push_back({"R", {middle + x, 0, z}});
  }
  const auto steps = static_cast<Index>(700 / p.dt);
  const Traces free = recorded_levels(p, steps, workers);
  auto obstacles = std::make_shared<Obstacles>(p.grid);
  Index count = 0;
  for (Index x = 0; x < n; ++x)
    for (Index z = 0; z < half; ++z)
      if (std::hypot(static_cast<double>(x) - middle, static_cast<double>(z)) <= radius) {
        obstacles->set(x, 0, z, rigid ? Solid::rigid : Solid::soft);
        count += z == 0 ? 1 : 2;
      }
  p.obstacles = obstacles;
  const Traces got = recorded_levels(p, steps, workers);
  std::vector<double> sent;
  for (Index step = 1; step <= steps; ++step)
    sent.push_back(2 * p.sources[0].signal->at(static_cast<double>(step) * p.dt));
  const Complex s{0, k};
  const double rate = stepped(s, p.dt).imag(), area = std::sqrt(static_cast<double>(count) / std::numbers::pi);
  double error = 0, size = 0;
  for (std::size_t r = 0; r < angles.size(); ++r) {
    const double distance = std::hypot(p.receivers[r].position[0] - middle, p.receivers[r].position[2]);
    const Complex exact = cylinder_wave(rigid, rate, area, from, distance, std::numbers::pi - angles[r]);
    std::vector<double> scattered = got[r];
    for (std::size_t i = 0; i < scattered.size(); ++i) scattered[i] -= free[r][i];
    error += std::norm(transform(scattered, p.dt, s) / transform(sent, p.dt, s) - exact);
    size += std::norm(exact);
  }
  return std::sqrt(error / size);
}

/// j_n or the spherical Hankel function of the second kind, and their slopes.
Complex spherical(bool outgoing, int n, double x) {
  const SphericalBessel at = spherical_bessel(x, n);
  return {at.j.back(), outgoing ? -at.y.back() : 0.0};
}
Complex spherical_slope(bool outgoing, int n, double x) {
  return n == 0 ? -spherical(outgoing, 1, x) : spherical(outgoing, n - 1, x) - (n + 1) / x * spherical(outgoing, n, x);
}
Complex sphere_ratio(bool rigid, int n, double ka) {
  return rigid ? spherical_slope(false, n, ka) / spherical_slope(true, n, ka)
               : spherical(false, n, ka) / spherical(true, n, ka);
}

/// Of a point source at the distance `from`, its wave scattered by a sphere back to `to` on the same axis.
Complex sphere_echo(bool rigid, double k, double a, double from, double to) {
  Complex sum = 0;
  for (int n = 0; n < 30; ++n)
    sum += (2.0 * n + 1) * sphere_ratio(rigid, n, k * a) * spherical(true, n, k * from) * spherical(true, n, k * to);
  return unit_i * k / (4 * std::numbers::pi) * sum;
}
/// 10 lg of the backscattering cross-section of a sphere of radius a: f = (1/k) Σ (−1)^n (2n+1) ratio.
double target_strength(bool rigid, double k, double a) {
  Complex sum = 0;
  for (int n = 0; n < 30; ++n) sum += (n % 2 == 0 ? 1.0 : -1.0) * (2.0 * n + 1) * sphere_ratio(rigid, n, k * a);
  return 20 * std::log10(std::abs(sum) / k);
}

enum class Body { voxels, meshed, smooth };

/// The echo of a point source near a sphere of `radius` nodes, over that of the series. Of voxels the radius is that of their volume. A quarter of space
/// between two mirrors.
Complex sphere_ratio(bool rigid, double radius, const RowWorkers& workers, Body kind) {
  const double k = 2 * std::numbers::pi * 38000 * 0.01 / 1477.4 / radius;
  const Index far = kind == Body::smooth ? static_cast<Index>(radius) + 8 : 0;  // from layers that see what is near
  const auto side = static_cast<Index>(2 * radius) + 12 + far, across = static_cast<Index>(5 * radius) + 12 + far;
  Problem p = open_space({side + across, side, side});
  for (const std::size_t mirror : {2U, 4U}) p.faces[mirror].kind = FaceKind::rigid;
  p.dt = 0.4;
  const auto middle = static_cast<double>(across);
  const double from = std::round(4 * radius), to = std::round(3 * radius);
  p.sources.push_back(
      {{middle - from, 0, 0}, std::make_shared<Ricker>(k / (2 * std::numbers::pi), 1.5 * 2 * std::numbers::pi / k, 1)});
  p.receivers = {{"R", {middle - to, 0, 0}}};
  const auto steps = static_cast<Index>((3 * 2 * std::numbers::pi / k + 20 * radius) / p.dt);
  const std::vector<double> free = recorded_levels(p, steps, workers)[0];
  auto obstacles = std::make_shared<Obstacles>(p.grid);
  std::shared_ptr<const MeshSolid> body;
  if (kind == Body::meshed)
    body = MeshSolid::of(icosphere({.radius = radius, .divisions = 64, .centre = {middle, 0, 0}}).value()).value();
  std::vector<unsigned char> inside(static_cast<std::size_t>(side));
  double count = 0;
  for (Index x = 0; x < p.grid.points[0]; ++x)
    for (Index y = 0; y < side; ++y) {
      if (body) body->row(static_cast<double>(x), static_cast<double>(y), 0, 1, inside);
      for (Index z = 0; z < side; ++z) {
        if (!body)
          inside[static_cast<std::size_t>(z)] =
              std::hypot(static_cast<double>(x) - middle, static_cast<double>(y), static_cast<double>(z)) <= radius;
        if (inside[static_cast<std::size_t>(z)] != 0) {
          obstacles->set(x, y, z, rigid ? Solid::rigid : Solid::soft);
          count += (y == 0 ? 1 : 2) * (z == 0 ? 1 : 2);
        }
      }
    }
  if (kind == Body::smooth) {
    const auto classes = [=] {
      return [=](const Vec3& x) {
        return std::hypot(x[0] - middle, x[1], x[2]) > radius ? Solid::none : rigid ? Solid::rigid : Solid::soft;
      };
    };
    obstacles->set_cuts(std::make_shared<CutWalls>(p, classes, *obstacles));
  }
  p.obstacles = obstacles;
  std::vector<double> got = recorded_levels(p, steps, workers)[0], sent;
  for (std::size_t i = 0; i < got.size(); ++i) {
    got[i] -= free[i];
    sent.push_back(4 * p.sources[0].signal->at(static_cast<double>(i + 1) * p.dt));
  }
  const Complex s{0, k};
  const double rate = stepped(s, p.dt).imag(),
               a = kind == Body::smooth ? radius : std::cbrt(0.75 * count / std::numbers::pi);
  return transform(got, p.dt, s) / transform(sent, p.dt, s) / sphere_echo(rigid, rate, a, from, to);
}
constexpr double jech_ka = 2 * std::numbers::pi * 38000 * 0.01 / 1477.4;
/// Target strength of a sphere of 1 cm at 38 kHz in water of 1477.4 m/s: the exact one times what the grid makes of the echo.
double sphere_strength(bool rigid, double radius, const RowWorkers& workers, Body kind = Body::voxels) {
  return target_strength(rigid, jech_ka / 0.01, 0.01) +
         20 * std::log10(std::abs(sphere_ratio(rigid, radius, workers, kind)));
}

/// A line source between a free surface and a soft slope of voxels, which meet at π/8 (the ideal wedge, with a steeper angle): traces against the sum over its sixteen
/// images around the apex. Until echoes of the box's end arrive.
double wedge_error(double nodes, const RowWorkers& workers, bool rigid = false, bool smooth = false) {
  constexpr int turns = 8;
  constexpr double angle = std::numbers::pi / turns;
  const double unit = nodes / 12;
  Problem p = open_space({std::lround(430 * unit), 1, std::lround(180 * unit)});
  p.faces[2].kind = p.faces[3].kind = FaceKind::rigid;
  p.faces[5].kind = FaceKind::free_surface;
  p.dt = 0.4;
  const double apex = 18.37 * unit, top = p.grid.upper(2);
  auto slope = std::make_shared<Obstacles>(p.grid);
  for (Index x = 0; x < p.grid.points[0]; ++x)
    for (Index z = 0; z < p.grid.points[2]; ++z)
      if (top - static_cast<double>(z) > (static_cast<double>(x) - apex) * std::tan(angle))
        slope->set(x, 0, z, rigid ? Solid::rigid : Solid::soft);
  static_cast<void>(slope->extend_through_layers(p.faces, p.order / 2));
  if (smooth) {
    const auto classes = [=] {
      return [=](const Vec3& x) {
        return top - x[2] <= (x[0] - apex) * std::tan(angle) ? Solid::none : rigid ? Solid::rigid : Solid::soft;
      };
    };
    slope->set_cuts(std::make_shared<CutWalls>(p, classes, *slope));
  }
  p.obstacles = slope;
  struct Place {
    double r, below;
  };
  const auto at = [&](const Place& place) {  // on a node, as near to a wall points should be
    return Vec3{std::round(apex + place.r * std::cos(place.below)), 0,
                std::round(top - place.r * std::sin(place.below))};
  };
  const auto polar = [&](const Vec3& x) {
    return Place{std::hypot(x[0] - apex, top - x[2]), std::atan2(top - x[2], x[0] - apex)};
  };
  const auto signal = std::make_shared<Ricker>(1 / nodes, 1.5 * nodes, 1);
  p.sources.push_back({at({120 * unit, 0.45 * angle}), signal});
  for (const Place& place :
       {Place{80 * unit, 0.6 * angle}, Place{150 * unit, 0.3 * angle}, Place{100 * unit, 0.7 * angle}})
    p.receivers.push_back({"R", at(place)});
  const auto steps = static_cast<Index>((3 * nodes + 400 * unit) / p.dt);
  const Traces got = traces_of_run(p, steps, signal->highest_frequency(), workers);
  const Place source = polar(p.sources[0].position);
  double worst = 0;
  // Images at 2kα ± β: each reflection at the free surface turns the sign, at a rigid slope none does.
  const auto sign = [&](int k, int side) { return rigid ? (k % 2 == 0 ? side : -side) : side; };
  for (std::size_t r = 0; r < got.size(); ++r) {
    const Place heard = polar(p.receivers[r].position);
    std::vector<double> exact(got[r].size(), 0.0);
    for (int k = 0; k < turns; ++k)
      for (const int side : {1, -1}) {
        const double between = 2 * k * angle + side * source.below - heard.below,
                     way = std::sqrt(source.r * source.r + heard.r * heard.r -
                                     2 * source.r * heard.r * std::cos(between));
        for (std::size_t i = 0; i < exact.size(); ++i)
          exact[i] += sign(k, side) * line_source(*signal, way, static_cast<double>(i) * p.dt);
      }
    worst = std::max(worst, acoustic_fd::relative_error(got[r], exact));
  }
  return worst;
}

void wedge_rows(const TestRun& run, const VerifySink& sink) {
  for (const double nodes : {12.0, 24.0}) {
    const std::string name = fmt::format("wedge of pi/8, soft slope of voxels, waves of {:g} nodes", nodes);
    if (!run.may_want(name) || (run.quick && nodes > 12)) continue;
    run.doing(name);
    // Stairs of one node: a wall that is a quarter of it away turns the phase of an echo by 2 k h/4 = pi/nodes.
    sink({name + ": error of traces", wedge_error(nodes, run.workers()), "1", std::numbers::pi / nodes, false,
          "sum over images, Buckingham & Tolstoy 1990"});
  }
}

/// A quantity by a formula of the place.
class Formula final : public Velocity {
 public:
  Formula(std::function<double(const Vec3&)> of, SpeedRange range) : of_(std::move(of)), range_(range) {}
  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = of_({x, y, z0 + static_cast<double>(k) * dz});
  }
  [[nodiscard]] SpeedRange range(const Vec3&, const Vec3&) const override { return range_; }

 private:
  std::function<double(const Vec3&)> of_;
  SpeedRange range_;
};

/// The second mode along a rigid box of `length` nodes that stands askew in the grid, with smooth walls, and whose fluid grows denser along it, ρ = e^{βs}, by e from end to end:
/// p = e^{βs/2} (cos κs − β/(2κ) sin κs) cos ωt, κ = 2π/L, ω² = c² (κ² + β²/4). Error of traces over a period and a half.
double askew_box_error(double length, const RowWorkers& workers) {
  constexpr double angle = 0.4;
  const double width = 0.6 * length, beta = 1 / length, kappa = 2 * std::numbers::pi / length,
               omega = std::hypot(kappa, 0.5 * beta);
  Problem p = open_space({std::lround(1.3 * length), 1, std::lround(1.1 * length)});
  for (Face& face : p.faces) face.kind = FaceKind::rigid;
  const double x0 = 0.5 * p.grid.upper(0) + 0.13, z0 = 0.5 * p.grid.upper(2) - 0.21;
  const auto along = [=](const Vec3& x) {
    return (x[0] - x0) * std::cos(angle) + (x[2] - z0) * std::sin(angle) + 0.5 * length;
  };
  const auto across = [=](const Vec3& x) { return (x[2] - z0) * std::cos(angle) - (x[0] - x0) * std::sin(angle); };
  const auto mode = [=](const Vec3& x) {
    const double at = along(x);
    return std::exp(0.5 * beta * at) * (std::cos(kappa * at) - 0.5 * beta / kappa * std::sin(kappa * at));
  };
  // Beyond the box it goes on as at its ends, so that the range is not wider than in it.
  p.density = std::make_shared<Formula>(
      [=](const Vec3& x) { return std::exp(beta * std::clamp(along(x), -0.1 * length, 1.1 * length)); },
      SpeedRange{std::exp(-0.1), std::exp(1.1)});
  p.dt = 0.8 * density_step_share(stencil_of_order(p.order), p.grid.stencil_spacing(), std::exp(-0.1), std::exp(1.1)) *
         largest_time_step(stencil_of_order(p.order), p.grid.stencil_spacing(), 1);
  p.double_precision = true;
  p.initial.kind = Initial::Kind::file;
  p.initial.samples = std::make_shared<Formula>(mode, SpeedRange{-2, 2});
  const auto class_at = [=](const Vec3& x) {
    return std::abs(along(x) - 0.5 * length) < 0.5 * length && std::abs(across(x)) < 0.5 * width ? Solid::none
                                                                                                 : Solid::rigid;
  };
  auto box = std::make_shared<Obstacles>(p.grid);
  for (Index x = 0; x < p.grid.points[0]; ++x)
    for (Index z = 0; z < p.grid.points[2]; ++z)
      box->set(x, 0, z, class_at({static_cast<double>(x), 0, static_cast<double>(z)}));
  box->set_cuts(std::make_shared<CutWalls>(
      p, [=] { return std::function<Solid(const Vec3&)>(class_at); }, *box));
  p.obstacles = box;
  for (const double s : {0.15, 0.5, 0.8})
    p.receivers.push_back({"R",
                           {std::round(x0 + (s - 0.5) * length * std::cos(angle)), 0,
                            std::round(z0 + (s - 0.5) * length * std::sin(angle))}});
  const double rate = 2 / p.dt * std::asin(0.5 * omega * p.dt);  // as the march has it
  const Traces got = recorded_levels(p, static_cast<Index>(3 * std::numbers::pi / omega / p.dt), workers);
  double worst = 0;
  for (std::size_t r = 0; r < got.size(); ++r) {
    std::vector<double> exact;
    for (std::size_t k = 0; k < got[r].size(); ++k)
      exact.push_back(mode(p.receivers[r].position) * std::cos(rate * static_cast<double>(k + 1) * p.dt));
    worst = std::max(worst, acoustic_fd::relative_error(got[r], exact));
  }
  return worst;
}

void askew_box_rows(const TestRun& run, const VerifySink& sink) {
  const std::string box = "rigid box askew, smooth walls, density by e from end to end";
  if (!run.may_want(box)) return;
  run.doing(box);
  const double coarse = askew_box_error(40.3, run.workers(1)), fine = askew_box_error(161.2, run.workers(1));
  // A twentieth of a node by which each of the two walls across the mode may seem displaced, over three half-waves: 3 pi/40 a node.
  sink({box + ", 40 nodes long: error of its mode", coarse, "1", 2 * 0.05 * 3 * std::numbers::pi / 40.3, false,
        "exact mode, p'' - b p' + k^2 p = 0"});
  // From one grid to the next walls lie elsewhere between the nodes: over four times the nodes 1.76 with one density.
  sink({box + ": observed order", 0.5 * std::log2(coarse / fine), "1", 1.75, true,
        "cut cells, Purvis & Burkhalter 1979"});
}

/// Smooth walls are of second order: half of (kh)² turns a plain wave by as much a node; a quarter is asked for, and four times less with twice the nodes.
void smooth_rows(const TestRun& run, const VerifySink& sink) {
  const auto allowed = [](double kh) { return 0.25 * kh * kh; };
  const auto order_row = [&](const std::string& name, double coarse, double fine) {
    sink({name + ": observed order", std::log2(coarse / fine), "1", 1.9, true, "cut cells, Purvis & Burkhalter 1979"});
  };
  for (const bool rigid : {true, false}) {
    const std::string kind = rigid ? "rigid" : "soft", sphere = kind + " sphere, smooth walls, 1 cm, 38 kHz",
                      wedge = fmt::format("wedge of pi/8, {} slope with smooth walls", kind);
    double before = 0;
    for (const double radius : {8.3, 16.6}) {
      if (!run.may_want(sphere) || (run.quick && radius > 10)) continue;
      run.doing(sphere);
      const Complex ratio = sphere_ratio(rigid, radius, run.workers(), Body::smooth);
      const double error = std::abs(ratio - 1.0), jech = rigid ? -49.09 : -45.00;
      sink({fmt::format("{}, radius {:g} nodes: error of the echo", sphere, radius), error, "1",
            allowed(jech_ka / radius), false, "series of spherical functions"});
      if (before > 0) {
        if (rigid)
          order_row(sphere, before, error);  // a soft one is as good as the layers' echoes, 10^-3, from the coarser on
        // Two digits are printed.
        sink({fmt::format("{}, radius {:g} nodes: target strength off {:.2f} dB", sphere, radius, jech),
              std::abs(target_strength(rigid, jech_ka / 0.01, 0.01) + 20 * std::log10(std::abs(ratio)) - jech), "1",
              0.005 + 8.7 * allowed(jech_ka / radius), false, "Jech et al. 2015"});
      }
      before = error;
    }
    before = 0;
    for (const double nodes : {12.0, 24.0}) {
      if (!run.may_want(wedge) || (run.quick && nodes > 12)) continue;
      run.doing(wedge);
      const double error = wedge_error(nodes, run.workers(), rigid, true);
      sink({fmt::format("{}, waves of {:g} nodes: error of traces", wedge, nodes), error, "1",
            allowed(2 * std::numbers::pi / nodes), false, "sum over images, Buckingham & Tolstoy 1990"});
      if (before > 0) order_row(wedge, before, error);
      before = error;
    }
  }
}

}  // namespace

void walls_table(const TestRun& run, const VerifySink& sink) {
  impedance_rows(run, sink);
  wedge_rows(run, sink);
  smooth_rows(run, sink);
  askew_box_rows(run, sink);
  for (const bool rigid : {true, false}) {
    const char* const kind = rigid ? "rigid" : "soft";
    if (run.may_want(fmt::format("{} cylinder", kind))) {
      run.doing(fmt::format("{} cylinder", kind));
      // The radius is that of the voxels' area; a step of the boundary is a twentieth of the radius.
      sink({fmt::format("{} cylinder of voxels, radius 20 nodes, ka = 2: error of the scattered wave", kind),
            cylinder_error(rigid, 20.3, 0.1, run.workers(1)), "1", 0.05, false, "series of Hankel functions"});
    }
    if (run.may_want(fmt::format("{} sphere", kind))) {
      run.doing(fmt::format("{} sphere", kind));
      const double exact = rigid ? -49.09 : -45.00, radius = run.quick ? 10 : 16;
      // A first-order effect of the stairs: half a decibel over ten steps in the radius.
      sink({fmt::format("{} sphere of voxels, 1 cm, 38 kHz, radius {:g} nodes: target strength off {:.2f} dB", kind,
                        radius, exact),
            std::abs(sphere_strength(rigid, radius + 0.3, run.workers()) - exact), "1", 5 / radius, false,
            "Jech et al. 2015, series of spherical functions"});
    }
    if (rigid && run.may_want("rigid sphere of triangles")) {
      run.doing("rigid sphere of triangles");
      // Its 82,000 triangles lie 5e-5 of the radius below the sphere, and no node that near to it: the voxels are the same.
      sink({"rigid sphere of triangles, 1 cm, 38 kHz, radius 10 nodes: target strength off that of the sphere's voxels",
            std::abs(sphere_strength(true, 10.3, run.workers(), Body::meshed) -
                     sphere_strength(true, 10.3, run.workers())),
            "1", 1e-12, false, "the same voxels"});
    }
  }
}

}  // namespace conoid::acoustic_fd
