// SPDX-License-Identifier: BSD-3-Clause
// Test problems.
#include "engine/solvers/elastic_bem/verify/scenes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/verify/examples.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

TestBody::TestBody(Mesh mesh, SurfaceOptions options, std::vector<std::pair<std::string, std::array<bool, 3>>> groups,
                   Medium medium, Accuracy accuracy, Team& team, double compression)
    : mesh_(std::move(mesh)), medium_(medium), accuracy_(accuracy), team_(team) {
  std::vector<int> of(static_cast<std::size_t>(mesh_.cell_count()), 0);
  std::vector<Condition> conditions{{"free", {false, false, false}}};
  for (const auto& [name, given] : groups) {
    const MeshGroup* g = mesh_.group(name);
    verify(g != nullptr, "test body: a group is missing");
    for (Index c : g->cells) of[static_cast<std::size_t>(c)] = static_cast<int>(conditions.size());
    conditions.push_back({name, given});
  }
  if (const MeshGroup* g = mesh_.group("enclosing"))
    for (Index c : g->cells) of[static_cast<std::size_t>(c)] = -1;
  options.condition = [&of](Index c) { return of[static_cast<std::size_t>(c)]; };
  options_ = options;
  options_.condition = nullptr;
  auto surface = make_surface(mesh_, options);
  surface_ = std::make_unique<Surface>(std::move(surface).value());
  system_ = BoundarySystem::make(*surface_, std::move(conditions)).value();
  diagonal_ = static_diagonal(team_, *surface_, accuracy_, medium_.nu, accuracy_.fixed8, {}, compression);
}

void TestBody::part(const std::vector<int>& axes) {
  if (const Status status = system_->set_symmetry(axes); !status) throw Failure(status.error());
}

std::vector<BoundaryValues> TestBody::solve(double omega, const std::vector<LoadValues>& cases, SolveOptions options) {
  return solve_in<double>(omega, cases, options);
}
std::vector<BoundaryValues> TestBody::solve_in_single(double omega, const std::vector<LoadValues>& cases) {
  return solve_in<float>(omega, cases, {});
}

template <class Real>
std::vector<BoundaryValues> TestBody::solve_in(double omega, const std::vector<LoadValues>& cases,
                                               SolveOptions options) {
  const Harmonic h(medium_, omega);
  options.accuracy = accuracy_;
  const FarRules<Real> rules(*surface_, accuracy_, std::abs(h.kS), false, team_.threads());
  NoProgress quiet;
  facts = {};
  std::string why;
  if (!accuracy_.fixed8) ground_ = FarGround::make(*surface_, options_, medium_, omega, 0, team_.threads(), why);
  far_ = ground_ ? std::make_unique<FarField>(*ground_, *surface_, accuracy_, h, team_, false) : nullptr;
  return system_->solve<Real>(team_, h, rules, diagonal_.blocks, cases, options, facts, quiet, {}, &memory_, far_.get())
      .value();
}

std::vector<Complex3> TestBody::inside(double omega, const std::vector<Vec3>& points, const BoundaryValues& values) {
  const Harmonic h(medium_, omega);
  const FarRules<double> rules(*surface_, accuracy_, std::abs(h.kS), false, team_.threads());
  auto u = displacements_at(team_, *surface_, rules, accuracy_, h, points, std::span(&values, 1), {}, false,
                            far_ ? std::span<const double>() : surface_->window)
               .front();
  if (far_) {
    const auto more =
        far_->beyond_at(team_, points, {far_->forces(values.traction, values.displacement)}, false).front();
    for (std::size_t k = 0; k < u.size(); ++k)
      for (std::size_t d = 0; d < 3; ++d) u[k][d] += more[k][d];
  }
  return u;
}

TestBody cavity(int divisions, int order, double nu, double target, Team& team) {
  CubeSphereOptions o;
  o.divisions = divisions;
  o.order = std::max(order, 1);
  SurfaceOptions s;
  s.constant = order == 0;
  Medium m;
  m.nu = nu;
  return TestBody(cube_sphere(o).value(), s, {}, m, {target, false}, team);
}

double cavity_pressure_error(TestBody& body, double ks, Chief chief, Method method) {
  LoadValues load;
  for (const Vec3& n : body.surface().traction_normal) load.traction.push_back({-n[0], -n[1], -n[2]});
  SolveOptions options;
  options.chief = chief;
  options.method = method;
  const auto v = body.solve(ks, {load}, options);
  const Complex exact = cavity_under_pressure(Harmonic(body.medium(), ks), 1, 1, 1);
  double worst = 0;
  for (std::size_t n = 0; n < body.surface().nodes.size(); ++n) {
    const Vec3 e = unit(body.surface().nodes[n]);
    Complex ur = 0;
    for (std::size_t d = 0; d < 3; ++d) ur += v[0].displacement[n][d] * e[d];
    worst = std::max(worst, std::abs(ur - exact) / std::abs(exact));
  }
  return worst;
}

double cavity_wave_error(TestBody& body, double kp) {
  const double omega = kp * body.medium().pressure_speed();
  const Harmonic h(body.medium(), omega);
  const auto field = IncidentField::make({}, h).value();
  const Surface& s = body.surface();
  LoadValues load;
  for (std::size_t t = 0; t < s.traction_node.size(); ++t) {
    auto q = field.traction(s.nodes[static_cast<std::size_t>(s.traction_node[t])], s.traction_normal[t]);
    for (Complex& c : q) c = -c;
    load.traction.push_back(q);
  }
  const auto v = body.solve(omega, {load});
  const CavityPWave exact(h, 1);
  double defect = 0, size = 0;
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    const Vec3 e = unit(s.nodes[n]);
    const double rho = std::hypot(e[0], e[1]);
    const Vec3 et = rho > 1e-12 ? Vec3{e[2] * e[0] / rho, e[2] * e[1] / rho, -rho} : Vec3{1, 0, 0};
    const auto want = exact.displacement(1, std::acos(std::clamp(e[2], -1.0, 1.0)));
    const auto in = field.displacement(s.nodes[n]);
    for (std::size_t d = 0; d < 3; ++d) {
      const Complex w = want[0] * e[d] + want[1] * et[d];
      defect += std::norm(v[0].displacement[n][d] + in[d] - w);
      size += std::norm(w);
    }
  }
  return std::sqrt(defect / size);
}

double column_error(bool rollers, double nu, double beta, double frequency, double length, int along, int order,
                    bool constant, Team& team) {
  BoxSurfaceOptions o;
  o.high = {1, 1, length};
  const int across = std::max(1, static_cast<int>(std::lround(along / length)));
  o.divisions = {across, across, along};
  o.quads = true;
  o.order = order;
  SurfaceOptions s;
  s.domain = Domain::inside;
  s.constant = constant;
  Medium m;
  m.nu = nu;
  m.beta = beta;
  std::vector<std::pair<std::string, std::array<bool, 3>>> groups{{"zmin", {true, true, true}},
                                                                  {"zmax", {false, false, false}}};
  if (rollers) {
    groups[0].second = {false, false, true};
    for (const char* x : {"xmin", "xmax"}) groups.push_back({x, {true, false, false}});
    for (const char* y : {"ymin", "ymax"}) groups.push_back({y, {false, true, false}});
    groups[0].second = {false, false, true};
  }
  TestBody body(box_surface(o).value(), s, groups, m, {1e-6, false}, team);
  LoadValues load;
  const Surface& surface = body.surface();
  load.traction.resize(surface.traction_node.size());
  for (std::size_t t = 0; t < load.traction.size(); ++t)
    if (surface.traction_condition[t] == 2) load.traction[t] = {0, 0, 1};
  const auto v = body.solve(frequency, {load});
  // M = E for free sides (ν = 0: E = 2μ), λ + 2μ between rollers.
  const Complex soft(1, 2 * beta), modulus = (rollers ? 2 * (1 - nu) / (1 - 2 * nu) : 2 * (1 + nu)) * soft;
  const Complex exact = column_end(modulus, 1, frequency, length) * length / modulus;
  double worst = 0;
  for (std::size_t t = 0; t < load.traction.size(); ++t)
    if (surface.traction_condition[t] == 2) {
      const Complex u = v[0].displacement[static_cast<std::size_t>(surface.traction_node[t])][2];
      worst = std::max(worst, std::abs(u - exact) / std::abs(exact));
    }
  return worst;
}

TestBody disc(const DiscSetting& setting, Team& team) {
  GroundDisc d;
  d.extent = setting.extent;
  d.around = setting.fine ? 3 : 5;
  d.inside = setting.fine ? 4 : 3;
  d.inside_growth = setting.fine ? 0.4 : 0.8;
  d.outside_growth = setting.fine ? 1.5 : 1.25;
  d.order = setting.fine ? 2 : 1;
  d.rock = setting.rock;
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.constant = !setting.fine;
  s.window = 0.8;
  Medium m;
  m.nu = setting.nu;
  m.beta = setting.beta;
  std::array<bool, 3> given{true, true, true};
  if (setting.contact == Contact::smooth) given = {false, false, true};
  if (setting.contact == Contact::tangential) given = {true, true, false};
  std::vector<std::pair<std::string, std::array<bool, 3>>> groups{{"foundation", given}};
  if (d.rock > 0) groups.push_back({"rock", {true, true, true}});
  return TestBody(ground_disc(d).value(), s, groups, m, {1e-5, false}, team);
}

std::vector<Complex> foundation_impedance(TestBody& body, Contact contact, double omega) {
  Foundation f;
  f.condition = 1;
  f.contact = contact;
  const auto v = body.solve(omega, unit_motions(body.system(), f));
  return impedance(body.surface(), {f}, v);
}

double example_240_error(Team& team, bool single) {
  PlateOptions p;
  p.body_above = true;
  p.enclosing = true;
  p.depth = 2.5;
  SurfaceOptions s;
  s.domain = Domain::ground;
  s.constant = true;
  s.down = {0, 0, 1};
  Medium m;
  m.nu = 0.3;
  TestBody body(plate(p).value(), s, {}, m, {1e-5, true}, team);
  LoadValues load;
  for (const Vec3& x : body.surface().nodes)
    load.traction.push_back(std::abs(x[0]) < 1 && std::abs(x[1]) < 1 ? Complex3{0, 0, 1} : Complex3{});
  const auto v = single ? body.solve_in_single(1, {load}) : body.solve(1, {load});
  std::vector<Vec3> points;
  for (const auto& r : example_240) points.push_back({r[0], r[1], r[2]});
  const auto u = body.inside(1, points, v[0]);
  double worst = 0;
  for (std::size_t k = 0; k < points.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d)
      worst = std::max(worst, std::abs(u[k][d] - Complex(example_240[k][3 + 2 * d], example_240[k][4 + 2 * d])));
  return worst;
}

}  // namespace conoid::elastic_bem
