// SPDX-License-Identifier: BSD-3-Clause
// Dipoles beside spheres.
#include "engine/solvers/maxwell_fem/verify/dipoles.hpp"

#include "engine/core/vec3.hpp"
#include "engine/numerics/gauss_legendre.hpp"
#include "engine/numerics/spherical_bessel.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/output_parts.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/maxwell_fem/solving/probe.hpp"
#include "engine/solvers/row_team.hpp"

#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr Complex imaginary{0, 1};

/// h_n^(2)(x) from order 0 on.
std::vector<Complex> outgoing(double x, int most) {
  const SphericalBessel b = spherical_bessel(x, most);
  std::vector<Complex> out;
  for (int n = 0; n <= most; ++n) out.emplace_back(b.j[n], -b.y[n]);
  return out;
}

double square(const FarAmplitude& f) {
  return std::norm(f.theta) + std::norm(f.phi);
}

}  // namespace

Complex RadialDipole::far(double theta) const {
  const int most = static_cast<int>(series.a.size());
  const std::vector<Complex> h = outgoing(place, most);
  Complex sum = 0, turn = 1;
  for (int n = 1; n <= most; ++n) {
    turn *= imaginary;
    const double slope = std::abs(std::cos(theta)) < 1 ? legendre(n, std::cos(theta)).second : 0;
    sum += turn * (2.0 * n + 1) * (h[n].real() - series.a[n - 1] * h[n]) * std::sin(theta) * slope;
  }
  return vacuum_impedance / (4 * pi * place) * sum;
}

double RadialDipole::radiated() const {
  const int most = static_cast<int>(series.a.size());
  const std::vector<Complex> h = outgoing(place, most);
  double sum = 0;
  for (int n = 1; n <= most; ++n)
    sum += (2.0 * n + 1) * 2 * n * (n + 1) * std::norm(h[n].real() - series.a[n - 1] * h[n]);
  return pi * vacuum_impedance / std::pow(4 * pi * place, 2) * sum;
}

double RadialDipole::given() const {
  const int most = static_cast<int>(series.a.size());
  const std::vector<Complex> h = outgoing(place, most);
  Complex sum = 0;
  for (int n = 1; n <= most; ++n) sum += (2.0 * n + 1) * n * (n + 1.0) * series.a[n - 1] * h[n] * h[n];
  return vacuum_impedance / (12 * pi) - 0.5 * vacuum_impedance / (4 * pi * place * place) * sum.real();
}

namespace {

/// A scene with its dipoles, from which columns are solved by either form.
struct DipoleScene {
  const SphereScene& scene;
  const std::vector<Dipole>& dipoles;
  const Domain& domain;
  const RowWorkers& workers;
  static constexpr double k = 1;

  struct Column {
    std::vector<Complex> u, f;
    Complex reaction = 0;  ///< of dipoles of conjugate moments with the scattered field
  };

  [[nodiscard]] Result<std::vector<Column>> solve(FieldForm form, const std::vector<Incident>& waves) const {
    const int threads = workers.threads();
    System system(domain, {Medium{}, scene.core.value_or(Medium{}), scene.coat}, k, form, threads);
    if (Status s = system.factor({}); !s) return s.error();
    const Radiation radiation(domain, k, threads);
    RowTeam team(workers);
    Truncation truncation(system, radiation, for_workers(scene.truncation, workers));
    if (Status s = truncation.start(team, waves); !s) return s.error();
    while (!truncation.finished())
      if (Status s = truncation.step(team); !s) return s.error();
    std::vector<Column> out(waves.size());
    for (std::size_t c = 0; c < waves.size(); ++c) {
      if (Status s = truncation.fields(truncation.psi(), static_cast<Index>(c), 1, out[c].u, out[c].f); !s)
        return s.error();
      if (waves[c].dipoles.empty()) continue;
      const auto reaction = system.reaction(conjugate(waves[c].dipoles, k), waves[c], out[c].u);
      if (!reaction) return reaction.error();
      out[c].reaction = *reaction;
    }
    return out;
  }

  /// Of dipoles and sphere.
  [[nodiscard]] std::vector<FarAmplitude> far(const Column& column, const std::vector<Direction>& directions) const {
    auto out = far_field(domain, k, column.f, 1, directions, workers.threads());
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const FarAmplitude own = far_field(dipoles, k, directions[d]);
      out[d].theta += own.theta;
      out[d].phi += own.phi;
    }
    return out;
  }

  /// F against the exact series: its error, the largest directivity, what is radiated.
  void compare(const Column& column, DipoleOutcome& out) const {
    double reach = extent(domain).radius, nearest = HUGE_VAL;
    for (const Dipole& d : dipoles) {
      reach = std::max(reach, norm(d.at));
      nearest = std::min(nearest, norm(d.at));
    }
    SphereScene finer = scene;
    finer.terms = terms_near(std::max(scene.ka, scene.kb), nearest);
    const SphereSeries exact = exact_series(finer);
    std::vector<Direction> cut;
    for (int degrees = 0; degrees <= 180; degrees += 5)
      for (const double phi : {0.0, pi / 2, 0.3}) cut.push_back({degrees * pi / 180, phi});
    const auto got = far(column, cut);
    double difference = 0, size = 0, wanted_largest = 0;
    for (std::size_t d = 0; d < cut.size(); ++d) {
      const FarAmplitude wanted = exact_far(exact, dipoles, k, cut[d]);
      difference += std::norm(got[d].theta - wanted.theta) + std::norm(got[d].phi - wanted.phi);
      size += square(wanted);
      out.largest = std::max(out.largest, square(got[d]));
      wanted_largest = std::max(wanted_largest, square(wanted));
    }
    out.off = std::sqrt(difference / size);
    const SphereRule rule = sphere_rule(k * reach);
    const auto everywhere = far(column, rule.directions);
    for (std::size_t d = 0; d < rule.weights.size(); ++d) {
      out.radiated += rule.weights[d] * square(everywhere[d]) / (2 * vacuum_impedance);
      out.wanted += rule.weights[d] * square(exact_far(exact, dipoles, k, rule.directions[d])) / (2 * vacuum_impedance);
    }
    out.directivity_db = std::abs(decibel(out.largest / out.radiated) - decibel(wanted_largest / out.wanted));
  }

  /// F towards some directions against what the dipoles do in the fields of plane waves from there.
  [[nodiscard]] Status try_reciprocity(const Column& column, DipoleOutcome& out) const {
    const std::vector<Direction> from{{0.7, 0.2}, {2.1, 1.9}};
    std::vector<Incident> waves;
    for (const Direction& d : from)
      for (const bool horizontal : {false, true}) waves.emplace_back(wave_from(d, horizontal, k));
    auto lit = solve(FieldForm::total, waves);
    if (!lit) return lit.error();
    const auto towards = far(column, from);
    for (std::size_t w = 0; w < waves.size(); ++w) {
      Complex reaction = 0;
      for (const Dipole& d : dipoles) {
        FieldAtPoint at = scattered_at(domain, k, d.at, (*lit)[w].u, (*lit)[w].f, workers.threads());
        if (spot_of(domain.space, d.at).tet < 0) {  // among the elements it is the whole field
          const auto electric = waves[w].electric(d.at), curl = waves[w].curl(d.at);
          for (int c = 0; c < 3; ++c) {
            at.electric[c] += electric[c];
            at.curl[c] += curl[c];
          }
        }
        reaction += d.reaction(at.electric, at.curl);
      }
      const Complex felt = -imaginary * k * vacuum_impedance / (4 * pi) * reaction;
      out.reciprocity =
          std::max(out.reciprocity, std::abs(felt - towards[w / 2].along(w % 2 == 1)) / std::sqrt(out.largest));
    }
    return {};
  }
};

}  // namespace

Result<DipoleOutcome> run_dipoles(const SphereScene& scene, std::vector<Dipole> dipoles, const RowWorkers& workers) {
  auto mesh = sphere_mesh(scene);
  if (!mesh) return mesh.error();
  auto domain = make_domain(*mesh, sphere_roles(scene));
  if (!domain) return domain.error();
  const DipoleScene all{scene, dipoles, *domain, workers};
  auto solved = all.solve(FieldForm::scattered, {Incident(dipoles, DipoleScene::k)});
  if (!solved) return solved.error();
  const DipoleScene::Column& column = (*solved)[0];
  DipoleOutcome out;
  out.tets = static_cast<Index>(domain->space.tets().size());
  all.compare(column, out);
  out.given = power_alone(dipoles, DipoleScene::k) - 0.5 * column.reaction.real();
  if (Status s = all.try_reciprocity(column, out); !s) return s.error();
  return out;
}

}  // namespace conoid::maxwell_fem
