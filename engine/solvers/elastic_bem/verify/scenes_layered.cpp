// SPDX-License-Identifier: BSD-3-Clause
// Layered ground without a mesh: its compliance, its surface under forces, foundations on it.
#include <algorithm>
#include <cmath>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/layered_system.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

namespace {

/// Cells of these groups, in the order of their conditions; everything else is geometry only.
struct Footprints {
  Mesh mesh;
  Surface surface;
  std::optional<BoundarySystem> system;

  Footprints(Mesh m, const std::vector<std::string>& groups, Contact contact) : mesh(std::move(m)) {
    std::vector<int> of(static_cast<std::size_t>(mesh.cell_count()), -1);
    std::array<bool, 3> given{true, true, true};
    if (contact == Contact::smooth) given = {false, false, true};
    if (contact == Contact::tangential) given = {true, true, false};
    std::vector<Condition> conditions{{"free", {}}};
    for (const std::string& name : groups) {
      for (const Index c : mesh.group(name)->cells)
        of[static_cast<std::size_t>(c)] = static_cast<int>(conditions.size());
      conditions.push_back({name, given});
    }
    SurfaceOptions options;
    options.domain = Domain::ground;
    options.close = false;
    options.condition = [&of](Index c) { return of[static_cast<std::size_t>(c)]; };
    options.seam = options.condition;
    surface = make_surface(mesh, options).value();
    system = BoundarySystem::make(surface, std::move(conditions)).value();
  }
  [[nodiscard]] std::vector<Complex> impedance_on(const LayeredSurface& ground, const std::vector<Foundation>& list,
                                                  Team& team) const {
    std::vector<LoadValues> cases;
    for (const Foundation& f : list)
      for (LoadValues& v : unit_motions(*system, f)) cases.push_back(std::move(v));
    SolveFacts facts;
    NoProgress quiet;
    const auto solved = solve_layered(*system, ground, {0, 0, -1}, cases, {}, team.threads(), facts, quiet).value();
    return impedance(surface, list, solved);
  }
};

double farthest(const SurfaceResponse& a, const SurfaceResponse& b) {
  return std::max({std::abs(a.v - b.v), std::abs(a.u - b.u), std::abs(a.a - b.a), std::abs(a.b - b.b)});
}

}  // namespace

std::vector<Complex> disc_on_profile(const SoilProfile& profile, double omega, Contact contact, int around,
                                     Team& team) {
  GroundDisc d;
  d.extent = 1;
  d.around = around;
  d.inside = around + 1;
  d.inside_growth = 0.4;
  const Footprints feet(ground_disc(d).value(), {"foundation"}, contact);
  Foundation f;
  f.condition = 1;
  f.contact = contact;
  std::vector<Complex> k = feet.impedance_on(LayeredSurface(profile, omega, 2.2, team.threads()), {f}, team);
  for (Complex& v : k) v /= profile.top().mu;
  return k;
}

double foundations_on_profile_asymmetry(const SoilProfile& profile, double omega, Team& team) {
  GroundRectangle g;
  g.low = {-3, -3};
  g.high = {5, 3};
  g.element = 0.15;
  g.growth = 3;
  g.patches = {{"left", {-1, -1}, {1, 1}, 2}, {"right", {2, 0}, {3.2, 0.8}, 2}};
  const Footprints feet(ground_rectangle(g).value(), {"left", "right"}, Contact::welded);
  std::vector<Foundation> list(2);
  list[0].condition = 1;
  list[1].condition = 2;
  list[1].reference = {2.6, 0.4, 0};
  const std::vector<Complex> k = feet.impedance_on(LayeredSurface(profile, omega, 8, team.threads()), list, team);
  double largest = 0, apart = 0;
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j) {
      largest = std::max(largest, std::abs(k[12 * i + j]));
      apart = std::max(apart, std::abs(k[12 * i + j] - k[12 * j + i]));
    }
  return apart / largest;
}

std::array<double, 2> layered_response_error(double beta, double omega) {
  Medium m;
  m.nu = 0.3;
  m.beta = beta;
  SoilProfile profile;
  profile.layers = {{m, 0.4}, {m, 1.5}};
  profile.half_space = m;
  const LayeredSurface table(profile, omega, 50, 1);
  std::array<double, 2> out{};
  for (const double r : {1e-4, 0.01, 0.1, 0.5, 1.0, 2.5, 6.0, 15.0, 49.9}) {
    // At rest those of J. Boussinesq and V. Cerruti.
    const SurfaceResponse want = omega > 0 ? surface_response(m.nu, Harmonic(m, omega).kS * r)
                                           : SurfaceResponse{1 - m.nu, -(1 - 2 * m.nu) / 2, 1 - m.nu / 2, m.nu / 2};
    out[0] = std::max(out[0], farthest(layered_response(table.compliance(), r), want));
    out[1] = std::max(out[1], farthest(table.at(r), want));
  }
  return out;
}

double layered_column_compliance_error() {
  Medium top, below;
  top.nu = 0.3;
  top.beta = 0.03;
  below.mu = 5;
  below.nu = 0.2;
  below.rho = 1.3;
  below.beta = 0.01;
  const double h = 1.7, omega = 1.9;
  const Harmonic a(top, omega), b(below, omega);
  constexpr Complex i1(0, 1);
  double worst = 0;
  for (const bool rock : {true, false}) {
    SoilProfile profile;
    profile.layers = {{top, 0.6}, {top, h - 0.6}};
    if (!rock) profile.half_space = below;
    const LayeredCompliance f(profile, omega);
    // Waves straight down: Z = i M k of a medium, and through a layer Z_1 (Z_2 + Z_1 tanh ikh)/(Z_1 + Z_2 tanh ikh).
    const auto column = [&](Complex m1, Complex k1, Complex m2, Complex k2) {
      const Complex z1 = i1 * m1 * k1, z2 = i1 * m2 * k2, t = std::tanh(i1 * k1 * h);
      return rock ? t / z1 : (z1 + z2 * t) / (z1 * (z2 + z1 * t));
    };
    const double k = 1e-6;
    const SurfaceCompliance got = f.at(k);
    const Complex scale = a.mu * k, zz = scale * column(a.lambda + 2.0 * a.mu, a.kP, b.lambda + 2.0 * b.mu, b.kP),
                  rr = scale * column(a.mu, a.kS, b.mu, b.kS);
    worst = std::max({worst, std::abs(got.zz / zz - 1.0), std::abs(got.rr / rr - 1.0), std::abs(got.tt / rr - 1.0)});
    // Love waves: β = √(k² − k_S²) instead.
    for (const Complex q : {Complex(0.7, 0.2), Complex(2.5, 0), Complex(40, 0)}) {
      const auto beta = [&](const Harmonic& x) { return std::sqrt(q * q - x.kS * x.kS); };
      const Complex z1 = a.mu * beta(a), z2 = b.mu * beta(b), t = std::tanh(beta(a) * h);
      const Complex want = a.mu * q * (rock ? t / z1 : (z1 + z2 * t) / (z1 * (z2 + z1 * t)));
      worst = std::max(worst, std::abs(f.at(q).tt / want - 1.0));
    }
  }
  return worst;
}

}  // namespace conoid::elastic_bem
