// SPDX-License-Identifier: BSD-3-Clause
// Layered ground without a mesh: its compliance, its surface under forces, foundations on it.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_depths.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"
#include "engine/solvers/elastic_bem/solving/layered_system.hpp"
#include "engine/solvers/elastic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

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
  const SoilProfile profile = half_space_in_layers(m);
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

namespace {
/// A layer and what may lie below it.
std::array<Medium, 2> column_media() {
  Medium top, below;
  top.nu = 0.3;
  top.beta = 0.03;
  below.mu = 5;
  below.nu = 0.2;
  below.rho = 1.3;
  below.beta = 0.01;
  return {top, below};
}
}  // namespace

double layered_column_compliance_error() {
  const auto [top, below] = column_media();
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

std::array<double, 2> buried_response_error(double beta, double omega) {
  Medium m;
  m.mu = 2;
  m.nu = 0.3;
  m.beta = beta;
  const SoilProfile profile = half_space_in_layers(m);
  const Harmonic h(m, omega);
  const double height = path_height(LayeredCompliance(profile, omega), 1);
  const Vec3 down{0, 0, -1};
  std::array<double, 2> out{};
  for (const auto& [depth, load] : {std::pair{0.0, 0.3},
                                    {0.2, 0.9},
                                    {0.9, 0.2},
                                    {0.4, 1.9},
                                    {2.5, 0.1},
                                    {3.0, 4.0},
                                    {0.7, 0.7},
                                    {1.9, 1.9},
                                    {0.0, 2.2},
                                    {0.90001, 0.9}}) {
    const double nearest = depth == load ? 0.01 : 0;
    const LayeredDepths table(profile, omega, height, depth, load, nearest, 40, 1);
    for (const double r : {0.001, 0.01, 0.3, 1.1, 4.0, 12.0, 39.9}) {
      if (r < nearest) continue;
      const Vec3 e{0.6, 0.8, 0}, x{r * e[0], r * e[1], -depth};
      const DepthResponse f = depth_response(table.compliance(), height, r);
      for (const Vec3& force : {Vec3{0, 0, -1}, Vec3{1, 0.3, 0}}) {
        const auto want = IncidentField::buried_force({0, 0, -load}, force, {0, 0, 1}, 0, h).displacement(x);
        const auto got = table.displacement({x[0], x[1], 0}, down, force);
        const double along = dot(e, force), F = dot(down, force);
        double size = 0, apart = 0, tabled = 0;
        for (std::size_t i = 0; i < 3; ++i) {
          const double part = force[i] - F * down[i];
          const Complex own = (F * (f[0] * down[i] + f[1] * e[i]) + f[3] * part + f[4] * (2 * e[i] * along - part) -
                               f[2] * along * down[i]) /
                              (2 * std::numbers::pi * h.mu);
          size = std::max(size, std::abs(want[i]));
          apart = std::max(apart, std::abs(own - want[i]));
          tabled = std::max(tabled, std::abs(got[i] - want[i]));
        }
        out[0] = std::max(out[0], apart / size);
        out[1] = std::max(out[1], tabled / size);
      }
    }
  }
  return out;
}

double buried_asymmetry(double omega) {
  Medium soft, stiff, below;
  soft.mu = 0.4;
  soft.nu = 0.45;
  soft.beta = 0.03;
  stiff.mu = 3;
  stiff.nu = 0.2;
  stiff.rho = 1.2;
  below.mu = 20;
  below.rho = 1.5;
  double worst = 0;
  for (const bool rock : {false, true}) {
    SoilProfile profile;
    profile.layers = {{Medium{}, 0.5}, {soft, 1}, {stiff, 0.3}};
    if (!rock) profile.half_space = below;
    const double height = path_height(LayeredCompliance(profile, omega), 1);
    for (const auto& [a, b] :
         {std::pair{0.0, 0.2}, {0.0, 1.0}, {0.3, 1.2}, {0.5, 1.5}, {0.1, 1.7}, {0.4, 0.45}, {1.49, 1.6}})
      for (const double r : {0.05, 0.6, 2.0, 9.0}) {
        const DepthResponse one = depth_response(BuriedCompliance(profile, omega, a, b), height, r),
                            two = depth_response(BuriedCompliance(profile, omega, b, a), height, r);
        double size = 0, apart = 0;
        for (const auto& [i, j] : {std::pair{0, 0}, {1, 2}, {2, 1}, {3, 3}, {4, 4}}) {
          size = std::max(size, std::abs(one[static_cast<std::size_t>(i)]));
          apart = std::max(apart, std::abs(one[static_cast<std::size_t>(i)] - two[static_cast<std::size_t>(j)]));
        }
        worst = std::max(worst, apart / size);
      }
  }
  return worst;
}

double buried_column_error() {
  const auto [top, below] = column_media();
  const double h = 1.7, omega = 1.9, k = 1e-6;
  const Harmonic a(top, omega), b(below, omega);
  constexpr Complex i1(0, 1);
  double worst = 0;
  for (const bool rock : {true, false}) {
    SoilProfile profile;
    profile.layers = {{top, 0.6}, {top, h - 0.6}};
    if (!rock) profile.half_space = below;
    for (const auto& pair : {std::pair{0.0, 0.5}, {0.3, 0.9}, {0.9, 0.3}, {1.2, 1.2}, {1.7, 0.0}, {2.9, 0.7}}) {
      const double depth = pair.first, load = pair.second;
      if (rock && depth >= h) continue;
      const DepthCompliance got = BuriedCompliance(profile, omega, depth, load).at(k);
      // In the layer u ~ cos kz above the load, cos k(h − z) + z_2/(M k) sin k(h − z) below it (rock: sin k(h − z)).
      const auto column = [&](Complex m1, Complex k1, Complex m2, Complex k2) {
        const Complex z2 = i1 * m2 * k2;
        const auto up = [&](double z) { return std::cos(k1 * z); };
        const auto under = [&](double z) {
          return rock ? std::sin(k1 * (h - z)) : std::cos(k1 * (h - z)) + z2 / (m1 * k1) * std::sin(k1 * (h - z));
        };
        const auto slope = [&](double z) {
          return rock ? -k1 * std::cos(k1 * (h - z)) : k1 * std::sin(k1 * (h - z)) - z2 / m1 * std::cos(k1 * (h - z));
        };
        const Complex there = 1.0 / (-m1 * slope(load) / under(load) - m1 * k1 * std::tan(k1 * load));
        if (depth <= load) return there * up(depth) / up(load);
        return depth <= h ? there * under(depth) / under(load)
                          : there * under(h) / under(load) * std::exp(-i1 * k2 * (depth - h));
      };
      const Complex scale = a.mu * k, zz = scale * column(a.lambda + 2.0 * a.mu, a.kP, b.lambda + 2.0 * b.mu, b.kP),
                    rr = scale * column(a.mu, a.kS, b.mu, b.kS);
      worst = std::max({worst, std::abs(got.zz / zz - 1.0), std::abs(got.rr / rr - 1.0), std::abs(got.tt / rr - 1.0)});
    }
  }
  return worst;
}

double buried_cutoff_error() {
  Medium soil;
  soil.nu = 0.3;
  SoilProfile profile;
  profile.layers = {{soil, 1}};
  double worst = 0;
  for (const double omega : {0.5, 1.4})  // waves run from π c_S/2h on
    for (const auto& [depth, load] : {std::pair{0.0, 0.5}, {0.2, 0.8}, {0.5, 0.5}})
      for (const double r : {0.1, 0.5, 1.5}) {
        const DepthResponse f = depth_response(BuriedCompliance(profile, omega, depth, load),
                                               path_height(LayeredCompliance(profile, omega), 1), r);
        double in = 0, out_of = 0;
        for (const Complex v : f) {
          in = std::max(in, std::abs(v.real()));
          out_of = std::max(out_of, std::abs(v.imag()));
        }
        worst = std::max(worst, out_of / in);
      }
  return worst;
}

std::array<double, 2> crossed_modes_error() {
  const auto medium = [](double shear_speed, double nu, double rho, double beta) {
    Medium m;
    m.mu = rho * shear_speed * shear_speed;
    m.nu = nu;
    m.rho = rho;
    m.beta = beta;
    return m;
  };
  SoilProfile profile;
  profile.layers = {{medium(150, 0.35, 1800, 0.04), 4}, {medium(220, 0.489, 1950, 0.03), 6}};
  profile.half_space = medium(500, 0.3, 2100, 0.01);
  const double omega = 20 * std::numbers::pi;
  const LayeredSurface surface(profile, omega, 30, 1);
  const double low = 0.02 * surface.compliance().highest_wave_number();
  std::array<double, 2> out{};
  for (const double depth : {0.0, 7.0})
    for (const double load : {0.0, 12.0}) {
      const BuriedCompliance f(profile, omega, depth, load);
      const LayeredDepths table(profile, omega, surface.height(), depth, load, 1, 29, 1);
      for (const double r : {1.5, 5.0, 9.0, 13.0, 18.0, 25.0}) {
        const DepthResponse want = depth_response(f, low, r), got = table.at(r);
        double size = 0, apart = 0;
        for (std::size_t c = 0; c < 5; ++c) {
          size = std::max(size, std::abs(want[c]));
          apart = std::max(apart, std::abs(got[c] - want[c]));
        }
        out[0] = std::max(out[0], apart / size);
        if (depth > 0 || load > 0) continue;
        const SurfaceResponse s = surface.at(r);
        const Complex own[4] = {s.v, s.u, s.a, s.b}, other[4] = {want[0], want[1], want[3], want[4]};
        for (std::size_t c = 0; c < 4; ++c) out[1] = std::max(out[1], std::abs(own[c] / r - other[c]) / size);
      }
    }
  return out;
}

}  // namespace conoid::elastic_bem
