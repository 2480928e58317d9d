// SPDX-License-Identifier: BSD-3-Clause
// Test problems of ground that ends, foundations under waves, bodies that nothing holds, media that keep their volume.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/repair.hpp"
#include "engine/solvers/elastic_bem/discretization/regions.hpp"
#include "engine/solvers/elastic_bem/solving/beam.hpp"
#include "engine/solvers/elastic_bem/verify/examples.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

/// Motion of the massless body on condition 1 under an SH wave along x.
std::vector<Complex> under_wave(TestBody& body, double omega, bool half_space) {
  Foundation f;
  f.condition = 1;
  WaveSetting w;
  w.kind = WaveKind::sh;
  w.direction = {1, 0, half_space ? 1e-5 : 0};
  w.half_space = half_space;
  const auto field = IncidentField::make(w, Harmonic(body.medium(), omega)).value();
  const Surface& s = body.surface();
  std::vector<LoadValues> cases = unit_motions(body.system(), f);
  LoadValues wave;
  wave.displacement.resize(s.nodes.size());
  wave.traction.resize(s.traction_node.size());
  for (std::size_t t = 0; t < s.traction_node.size(); ++t)
    if (s.traction_condition[t] == 1) {
      const auto n = static_cast<std::size_t>(s.traction_node[t]);
      const auto u = field.displacement(s.nodes[n]);
      for (std::size_t d = 0; d < 3; ++d) wave.displacement[n][d] = -u[d];
    }
  cases.push_back(wave);
  const auto v = body.solve(omega, cases);
  const auto k = impedance(s, {f}, std::span(v.data(), 6));
  return motions({f}, k, omega, held_forces(s, {f}, v[6], &field), std::vector<Complex>(6));
}

/// Disc whose inner part is pushed down to a hemisphere, and the ground around it.
TestBody hemisphere(double extent, double nu, bool fine, Team& team) {
  GroundDisc d;
  d.extent = extent;
  d.around = d.inside = fine ? 3 : 2;
  d.inside_growth = 1;
  d.outside_growth = 1.6;
  d.first_outside = 0.5;
  Mesh mesh = ground_disc(d).value();
  std::vector<double>& x = mesh.mutable_points();
  for (std::size_t k = 0; k + 2 < x.size(); k += 3) {
    const double r = std::hypot(x[k], x[k + 1]);
    if (r > 1 + 1e-9) continue;
    const double angle = 0.5 * std::numbers::pi * std::min(1.0, r), out = r > 1e-12 ? std::sin(angle) / r : 0;
    x[k] *= out;
    x[k + 1] *= out;
    x[k + 2] = r > 1 - 1e-9 ? 0 : -std::cos(angle);
  }
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.window = 0.8;
  Medium m;
  m.nu = nu;
  return TestBody(std::move(mesh), s, {{"foundation", {true, true, true}}}, m, {1e-5, false}, team);
}

}  // namespace

WaveMotion sphere_under_wave(double a0, Team& team) {
  CubeSphereOptions o;
  o.divisions = 3;
  o.order = 2;
  o.group = "body";
  TestBody body(cube_sphere(o).value(), {}, {{"body", {true, true, true}}}, {}, {1e-6, false}, team);
  const auto d = under_wave(body, a0, false);
  return {std::abs(d[1]), std::abs(d[5])};
}

std::vector<WaveMotion> hemisphere_under_wave(const std::vector<double>& a0, bool fine, Team& team) {
  TestBody body = hemisphere(fine ? 8 : 5, 0.25, fine, team);
  std::vector<WaveMotion> out;
  for (double w : a0) {
    const auto d = under_wave(body, w, true);
    out.push_back({std::abs(d[1]), std::abs(d[5])});
  }
  return out;
}

namespace {

/// Level ground with a round hole of radius 1: base and wall are the group "foundation". `rows`: cells down the wall.
Mesh ground_with_hole(double depth, int around, int rows, double extent, double growth = 1.5) {
  GroundDisc pit;  // base, and rings that become the wall
  pit.extent = 2;
  pit.around = around;
  pit.inside = 3;
  pit.inside_growth = 0.5;
  pit.outside_growth = 1;
  pit.first_outside = 1.0 / rows;
  Mesh mesh = ground_disc(pit).value();
  std::vector<double>& x = mesh.mutable_points();
  for (std::size_t k = 0; k + 2 < x.size(); k += 3) {
    const double r = std::hypot(x[k], x[k + 1]);
    x[k + 2] = r < 1 + 1e-9 ? -depth : depth * (r - 2);
    if (r < 1 + 1e-9) continue;
    x[k] /= r;
    x[k + 1] /= r;
  }
  GroundDisc ring = pit;
  ring.first_outside = 0.25;
  ring.extent = extent;
  ring.outside_growth = growth;
  const Mesh ground = ground_disc(ring).value();
  const Index wall = mesh.cell_count();
  append(mesh, ground.extract(std::span<const Index>(ground.group("ground")->cells)));
  MeshGroup& body = mesh.add_group("foundation", 2);
  body.cells.resize(static_cast<std::size_t>(wall));
  std::iota(body.cells.begin(), body.cells.end(), Index{0});
  RepairOptions repair;
  repair.merge = RepairOptions::Merge::all;
  repair.orient = RepairOptions::Orient::keep;
  return repaired(mesh, repair).value();
}

}  // namespace

std::vector<Complex> embedded_cylinder(Team& team) {
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.window = 0.8;
  TestBody scene(ground_with_hole(1, 3, 4, 6), s, {{"foundation", {true, true, true}}}, {}, {1e-5, false}, team);
  Foundation f;
  f.condition = 1;
  f.reference = {0, 0, -1};
  return impedance(scene.surface(), {f}, scene.solve(0.01, unit_motions(scene.system(), f)));
}

std::vector<Complex> pile_stiffness(const PileSetting& setting, Team& team) {
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.window = 0.8;
  Medium soil;
  soil.nu = 0.4;
  soil.beta = setting.beta;
  const double length = setting.length;
  // At rest what is far away matters; of waves the mesh has four quadratic elements and more to one, to one and a half depths.
  const bool waves = setting.omega * length > 1;
  TestBody scene(ground_with_hole(length, 2, static_cast<int>(length), (waves ? 1.5 : 3) * length, waves ? 1.25 : 1.5),
                 s, {{"foundation", {true, true, true}}}, soil, {1e-5, false}, team);
  Foundation f;
  f.condition = 1;
  Beam& b = f.beam.emplace();
  b.along = {0, 0, -1};
  b.length = length;
  b.elements = static_cast<int>(length);
  const double young = setting.stiffness * 2 * (1 + soil.nu), pi = std::numbers::pi;
  b.axial = young * pi;
  b.bending = young * pi / 4;
  b.twisting = b.bending / 1.2;
  b.mass = setting.density * pi;
  b.turning = 0.25 * b.mass;
  b.spin = 0.5 * b.mass;
  const auto none = [](std::size_t) { return BoundaryValues(); };
  const auto solved = scene.solve(setting.omega, unit_motions(scene.system(), f));
  return answers_of_heads(scene.surface(), {f}, solved, setting.omega, none).value().impedance;
}

double embedded_stiffness(double extent, Team& team) {
  TestBody body = hemisphere(extent, 1.0 / 3, false, team);
  return foundation_impedance(body, Contact::welded, 1e-3)[0].real();
}

double free_sphere_error(double omega, Team& team) {
  CubeSphereOptions o;
  o.divisions = 3;
  o.order = 2;
  SurfaceOptions s;
  s.domain = Domain::inside;
  TestBody body(cube_sphere(o).value(), s, {}, {}, {1e-6, false}, team);
  LoadValues load;
  for (const Vec3& n : body.surface().traction_normal) load.traction.push_back({-n[0], -n[1], -n[2]});
  const auto v = body.solve(omega, {load});
  const double bulk = 2.0 * 1.25 / (3 * 0.5),
               exact = -1 / (3 * bulk);  // μ = 1, ν = 0.25; inertia changes it by (k_P a)²/15 or so
  double worst = 0;
  for (std::size_t n = 0; n < body.surface().nodes.size(); ++n)
    for (std::size_t d = 0; d < 3; ++d)
      worst = std::max(worst, std::abs(v[0].displacement[n][d] - exact * body.surface().nodes[n][d]));
  return worst / std::abs(exact);
}

double thrown_sphere_error(double omega, Team& team) {
  CubeSphereOptions o;
  o.divisions = 3;
  o.order = 2;
  SurfaceOptions s;
  s.domain = Domain::inside;
  TestBody body(cube_sphere(o).value(), s, {}, {}, {1e-6, false}, team);
  LoadValues load;
  load.traction.assign(body.surface().traction_node.size(), {0, 0, 1});
  const auto v = body.solve(omega, {load});
  const double exact = -3 / (omega * omega);  // 4π over the mass 4π/3
  double worst = 0;
  for (const Complex3& u : v[0].displacement)
    worst = std::max({worst, std::abs(u[0]), std::abs(u[1]), std::abs(u[2] - exact)});
  return worst / std::abs(exact);
}

double surface_response_error() {
  double worst = 0;
  for (const auto& row : half_space_point) {
    const Complex z = row[2] * std::sqrt(1.0 / Complex(1, 2 * row[1]));
    // The table holds u_z μ/(P k_S) of real μ and k_S.
    const SurfaceResponse r = surface_response(row[0], z);
    const Complex got = r.v / (2 * std::numbers::pi * row[2] * Complex(1, 2 * row[1])), want(row[3], row[4]);
    worst = std::max(worst, std::abs(got - want) / std::abs(want));
  }
  return worst;
}

double surface_table_error() {
  Medium m;
  m.nu = 1.0 / 3;
  double worst = 0;
  for (double farthest : {0.0, 1e-4, 0.17, 0.5, 3.0}) {
    const Harmonic h(m, 1);
    const SurfaceLoads table(m.nu, h.kS, farthest);
    // Fewer values than its polynomial takes would be read past their end.
    if (!(table.farthest() > 0.99)) return 1;
    for (double z : {1e-3 * farthest + 1e-6, 0.5 * farthest + 1e-6, farthest + 1e-6}) {
      const double r = z / std::abs(h.kS);
      const Complex got = table.displacement(h, {r, 0, 0}, {0, 0, -1})[2][2] * 2.0 * std::numbers::pi * h.mu * r,
                    want = surface_response(m.nu, z).v;
      worst = std::max(worst, std::abs(got - want) / std::abs(want));
    }
  }
  return std::isfinite(worst) ? worst : 1;
}

std::vector<double> far_receivers_error(double omega, Team& team) {
  GroundDisc d;
  d.extent = 5;
  d.around = 3;
  d.inside = 2;
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.window = 0.8;
  Medium m;
  m.nu = 1.0 / 3;
  m.beta = 0.02;
  TestBody ground(ground_disc(d).value(), s, {{"foundation", {false, false, false}}}, m, {1e-5, false}, team);
  LoadValues load;
  for (int c : ground.surface().traction_condition) load.traction.push_back(c == 1 ? Complex3{0, 0, -1} : Complex3{});
  const auto v = ground.solve(omega, {load});
  const Harmonic h(m, omega);
  const auto exact = [&](const Vec3& x) {
    Complex sum = 0;
    for (const GaussPoint& g : gauss_points(6))
      for (int k = 0; k < 16; ++k) {
        const double angle = 2 * std::numbers::pi * (k + 0.5) / 16;
        sum += g.w * g.x * 2 * std::numbers::pi / 16 *
               half_space_surface(h, std::hypot(x[0] - g.x * std::cos(angle), x[1] - g.x * std::sin(angle)));
      }
    return sum;
  };
  std::vector<double> out;
  double worst = 0;
  for (double r : {2.5, 3.5, 4.3, 4.7}) {
    const auto n = static_cast<std::size_t>(nearest_node(ground.surface(), {r * 0.8, r * 0.6, 0}));
    const Complex want = exact(ground.surface().nodes[n]);
    worst = std::max(worst, std::abs(-v[0].displacement[n][2] - want) / std::abs(want));
  }
  out.push_back(worst);
  worst = 0;
  for (double r : {5.5, 8.0, 20.0}) {
    const Vec3 x{r * 0.8, r * 0.6, 0};
    const Complex want = exact(x);
    const Complex got = -ground.far()->displacement(ground.far()->forces(v[0].traction, v[0].displacement), x)[2];
    worst = std::max(worst, std::abs(got - want) / std::abs(want));
  }
  out.push_back(worst);
  return out;
}

}  // namespace conoid::elastic_bem
