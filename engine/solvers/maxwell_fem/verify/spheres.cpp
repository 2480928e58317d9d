// SPDX-License-Identifier: BSD-3-Clause
// Spheres from mesh to cross section.
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"

#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/mesh/shells.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/maxwell_fem/solving/next_order.hpp"
#include "engine/solvers/row_team.hpp"

#include <cmath>

namespace conoid::maxwell_fem {

Result<Mesh> sphere_mesh(const SphereScene& s) {
  ShellsOptions o;
  o.radius = s.ka;  // k = 1
  o.hollow = !s.core && !s.shell;
  o.surface = s.shell.has_value();
  o.divisions = s.divisions;
  o.curved = s.curved;
  double r = s.ka;
  if (s.kb > s.ka) {
    r = s.kb;
    o.shells.push_back({r, s.coat_layers, "coat"});
  }
  o.shells.push_back({r + 2 * pi * s.distance, s.layers, "vacuum"});
  const int off = s.kb > s.ka ? s.coat_layers : 0;
  o.currents_level = off + (s.on_body || s.layers < 2 ? 0 : s.layers / 2);
  auto mesh = spherical_shells(o);
  if (!mesh || !s.half) return mesh;
  std::vector<Index> below;
  std::erase_if(mesh->add_group("body", 2).cells, [&](Index c) {
    double height = 0;
    for (const Index n : mesh->nodes(c)) height += mesh->point(n)[2];
    if (height < 0) below.push_back(c);
    return height < 0;
  });
  mesh->add_group("below", 2).cells = std::move(below);
  return mesh;
}

DomainOptions sphere_roles(const SphereScene& s) {
  DomainOptions d;
  d.order = s.order;
  d.boundaries["outer"] = {BoundaryKind::outer, 0};
  if (s.shell)
    d.boundaries["body"] = {BoundaryKind::impedance, vacuum_impedance * *s.shell};
  else if (!s.core)
    d.boundaries["body"] = s.eta ? Boundary{BoundaryKind::impedance, vacuum_impedance * *s.eta}
                                 : Boundary{s.magnetic ? BoundaryKind::pmc : BoundaryKind::pec, 0};
  if (s.half) d.boundaries["below"] = {BoundaryKind::impedance, vacuum_impedance * *s.half};
  if (s.core || s.shell || s.kb > s.ka || !(s.on_body || s.layers < 2))
    d.boundaries["currents"] = {BoundaryKind::currents, 0};
  d.layers_off = 0;
  if (s.core) d.regions["core"] = 1;
  if (s.kb > s.ka) d.regions["coat"] = 2;
  return d;
}

SphereSeries exact_series(const SphereScene& s) {
  const auto e = [](const Medium& m) { return m.epsilon[0]; };
  const auto u = [](const Medium& m) { return m.mu[0]; };
  if (s.kb > s.ka)
    return s.core ? coated_sphere(s.ka, s.kb, e(*s.core), u(*s.core), e(s.coat), u(s.coat), s.terms)
                  : coated_conductor(s.ka, s.kb, e(s.coat), u(s.coat), s.terms);
  if (s.core) return homogeneous_sphere(s.ka, e(*s.core), u(*s.core), s.terms);
  if (s.shell) return resistive_shell(s.ka, *s.shell);
  if (s.eta) return impedance_sphere(s.ka, *s.eta, s.terms);
  SphereSeries out = conducting_sphere(s.ka, s.terms);
  if (s.magnetic) std::swap(out.a, out.b);  // duality
  return out;
}

namespace {

/// What a sphere's case comes down to.
struct Prepared {
  const Mesh& mesh;
  DomainOptions roles;
  std::vector<Medium> media;
  double k = 1, outer = 1;
  FieldForm form = FieldForm::total;
  DirectMethod direct = DirectMethod::automatic;
  TruncationOptions truncation;
  SphereSeries exact;
  bool bar = false;
};

Result<SphereOutcome> run_prepared(const Prepared& scene, const RowWorkers& workers) {
  const double k = scene.k, outer = scene.outer;
  auto domain = make_domain(scene.mesh, scene.roles);
  if (!domain) return domain.error();
  System system(*domain, scene.media, k, scene.form, workers.threads());
  DirectOptions direct;
  direct.method = scene.direct;
  if (Status s = system.factor(direct); !s) return s.error();
  const Radiation radiation(*domain, k, workers.threads());
  RowTeam team(workers);
  Truncation truncation(system, radiation, for_workers(scene.truncation, workers));
  const PlaneWave wave{{0, 0, 1}, {1, 0, 0}, k};
  std::vector<Incident> waves{wave};
  if (scene.bar)  // seen from elsewhere too
    for (const Direction& from : {Direction{0.4, 0.3}, {1.2, 1.1}, {2.0, 0.6}}) {
      waves.push_back(wave_from(from, false, k));
      waves.push_back(wave_from(from, true, k));
    }
  if (Status s = truncation.start(team, waves); !s) return s.error();
  while (!truncation.finished())
    if (Status s = truncation.step(team); !s) return s.error();
  SphereOutcome out;
  out.tets = static_cast<Index>(domain->space.tets().size());
  out.unknowns = domain->free_unknowns;
  out.iterations = truncation.iterations();
  out.converged = truncation.converged();
  out.diverged = truncation.diverged();
  out.ratio = truncation.last_ratio();
  out.edge = domain->volume_edge * k / (2 * pi);
  std::vector<Complex> u, f;
  if (Status s = truncation.fields(truncation.psi(), 0, 1, u, f); !s) return s.error();

  const SphereSeries& exact = scene.exact;
  std::vector<Direction> cut;
  for (int degrees = 0; degrees <= 180; degrees += 2) {
    cut.push_back({degrees * pi / 180, 0});
    cut.push_back({degrees * pi / 180, pi / 2});
  }
  const auto far = far_field(*domain, k, f, 1, cut, workers.threads());
  double difference = 0, size = 0;
  for (std::size_t d = 0; d < cut.size(); ++d) {
    const double cosine = std::cos(cut[d].theta);
    const Complex jk{0, k};
    const Complex wanted = d % 2 == 0 ? exact.s2(cosine) / jk : -exact.s1(cosine) / jk;
    const Complex got = d % 2 == 0 ? far[d].theta : far[d].phi;
    difference += std::norm(got - wanted);
    size += std::norm(wanted);
    out.mean_db += std::abs(20 * std::log10(std::abs(got) / std::abs(wanted))) / static_cast<double>(cut.size());
  }
  out.relative = std::sqrt(difference / size);
  out.back_db = std::abs(20 * std::log10(std::abs(far[cut.size() - 2].theta) * k / std::abs(exact.s2(-1))));
  if (scene.bar) {
    NextOrder next(system, workers.threads());
    std::vector<Complex> fields, currents;
    const auto count = static_cast<Index>(waves.size());
    if (Status s = truncation.fields(truncation.psi(), 0, count, fields, currents); !s) return s.error();
    next.add(fields, truncation.psi(), count);
    const auto changes = next.changes();
    if (!changes) return changes.error();
    // Along E of the wave, which is −θ̂ back.
    const Complex got = -far[cut.size() - 2].theta, wanted = -exact.s2(-1) / Complex(0, k);
    out.back = {std::abs(got - wanted), std::abs(got + (*changes)[0] - wanted)};
    out.off = std::sqrt(difference / static_cast<double>(cut.size()));
    out.change_back = std::abs((*changes)[0]);
    out.change = change_elsewhere(*changes, count, std::array<Complex, 1>{1.0});
  }
  const double disc = pi * outer * outer;
  out.extinction = extinction(far[0], cut[0], wave) / disc;
  const SphereRule rule = sphere_rule(k * outer);
  const auto everywhere = far_field(*domain, k, f, 1, rule.directions, workers.threads());
  for (std::size_t d = 0; d < rule.weights.size(); ++d)
    out.scattering += rule.weights[d] * (std::norm(everywhere[d].theta) + std::norm(everywhere[d].phi)) / disc;
  out.exact_extinction = exact.extinction();
  out.exact_scattering = exact.scattering();
  return out;
}

}  // namespace

TruncationOptions for_workers(TruncationOptions options, const RowWorkers& workers) {
  if (options.loop == RadiationLoop::automatic && workers.devices_may_share()) options.loop = RadiationLoop::device;
  return options;
}

Result<SphereOutcome> run_sphere(const SphereScene& scene, const RowWorkers& workers) {
  auto mesh = sphere_mesh(scene);
  if (!mesh) return mesh.error();
  return run_prepared({*mesh,
                       sphere_roles(scene),
                       {Medium{}, scene.core.value_or(Medium{}), scene.coat},
                       1,
                       std::max(scene.ka, scene.kb),
                       scene.form,
                       scene.direct,
                       scene.truncation,
                       exact_series(scene),
                       scene.bar},
                      workers);
}

Result<SphereOutcome> run_as_case(const Problem& asked, std::size_t frequency, std::shared_ptr<const Mesh> surface,
                                  double radius, const SphereSeries& exact, const RowWorkers& workers) {
  Problem whole = asked;
  if (Status s = look_at_mesh(whole, surface); !s) return s.error();
  for (const Band& band : bands_of(whole)) {
    if (frequency < band.first || frequency > band.last) continue;
    Problem part = in_band(whole, band);
    auto mesh = mesh_to_solve(part, surface, {});
    if (!mesh) return mesh.error();
    const double f = asked.frequencies[frequency];
    return run_prepared({**mesh, part.domain, part.media(f), 2 * pi * f / light_speed, radius, FieldForm::total,
                         DirectMethod::automatic, asked.truncation, exact, false},
                        workers);
  }
  return make_error(ErrorCode::internal, "no band holds this frequency");
}

}  // namespace conoid::maxwell_fem
