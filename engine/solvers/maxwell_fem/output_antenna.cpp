// SPDX-License-Identifier: BSD-3-Clause
// What dipoles radiate with a body: far fields of both, directivity and gain, powers that are found in three ways.
//
// With F the sum of the dipoles' own far field and of the scattered one, U = |F|²/2η is the power a solid angle, D = 4π U/P with P = ∫ U
// the directivity, and 4π U/P_in the gain, P_in = −½ Re ∫ (E·J* + H·M*) what the dipoles give: their power alone and what the scattered field
// does at their places (`System::reaction`, where no field is taken at a point). The third way is the power that flows through a sphere around all, by fields near to it.
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/output_parts.hpp"
#include "engine/solvers/maxwell_fem/solving/probe.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

/// Pairs of points beyond which the flow through a sphere would take minutes.
constexpr double most_pairs = 4e8;
/// The sphere through which power flows, over the reach of all: fields that do not radiate have fallen by 2^n there.
constexpr double flux_radius = 2;
/// Of powers found in two ways, beyond which that is a warning.
constexpr double told_mismatch = 0.02;

double size2(const FarAmplitude& f) {
  return std::norm(f.theta) + std::norm(f.phi);
}

constexpr const char* definition_of_directivity =
    "10 lg of 4 pi U/P, U the power a solid angle in a direction, P all that is radiated; V: the part along theta, H: "
    "along phi. Gain: over the power that the dipoles give in place of P, so that losses count.";

std::vector<Column> directivity_columns() {
  return {{"directivity", "dBi", "directivity"},
          {"V", "dBi", "directivity, V"},
          {"H", "dBi", "directivity, H"},
          {"gain", "dBi", "gain"}};
}

}  // namespace

double MaxwellFem::Powers::directivity(double amplitude_squared) const {
  return decibel(2 * pi * amplitude_squared / vacuum_impedance / radiated);
}

double MaxwellFem::Powers::gain(double amplitude_squared) const {
  return given > 0 ? decibel(2 * pi * amplitude_squared / vacuum_impedance / given) : NAN;
}

double MaxwellFem::reach() const {
  const Extent body = extent(domain_);
  double out = body.radius;
  for (const Dipole& d : problem_.dipoles) out = std::max(out, distance(d.at, body.middle));
  return out;
}

bool MaxwellFem::loses() const {
  const std::vector<Medium> media = problem_.media(frequency());
  const auto absorbs = [&](const Tet& t) {
    const Medium& m = media[static_cast<std::size_t>(t.region)];
    return std::ranges::any_of(m.epsilon, [](const Complex& v) { return v.imag() < 0; }) ||
           std::ranges::any_of(m.mu, [](const Complex& v) { return v.imag() < 0; });
  };
  return std::ranges::any_of(domain_.space.tets(), absorbs) ||
         std::ranges::any_of(domain_.impedances, [this](const ImpedancePatch& i) {
           return (i.law ? i.law(frequency()) : i.surface_impedance).real() > 1e-9 * vacuum_impedance;
         });
}

Status MaxwellFem::collect_dipoles(std::span<const Complex> u, std::span<const Complex> f, Index count,
                                   RunContext& context) {
  OutcomeFacts& facts = outcome_.facts;
  for (Index c = 0; c < count; ++c) {
    const Index column = collected_ + c;
    const bool of_check = column == 1 && check_.has_value();
    if (column > 0 && !of_check) continue;
    const auto fields =
        u.subspan(static_cast<std::size_t>(c * system_->unknowns()), static_cast<std::size_t>(system_->unknowns()));
    const auto currents = f.subspan(static_cast<std::size_t>(c * system_->currents_length()),
                                    static_cast<std::size_t>(system_->currents_length()));
    if (!of_check) {
      const auto reaction = system_->reaction(conjugate(problem_.dipoles, k()), waves_[0], fields);
      if (!reaction) return reaction.error();
      facts.power_scattered = -0.5 * reaction->real();
      continue;
    }
    Complex reaction = 0;
    for (const Dipole& d : problem_.dipoles) {
      FieldAtPoint at = scattered_at(domain_, k(), d.at, fields, currents, context.team.threads());
      const auto electric = check_->electric(d.at), curl = check_->curl(d.at);
      for (int i = 0; i < 3; ++i) {
        at.electric[i] += electric[i];
        at.curl[i] += curl[i];
      }
      reaction += d.reaction(at.electric, at.curl);
    }
    facts.reaction_real = reaction.real();
    facts.reaction_imaginary = reaction.imag();
  }
  return {};
}

void MaxwellFem::add_dipoles(FarFields& far) const {
  const auto add_to = [this](FarAmplitude& f, const Direction& to) {
    const FarAmplitude own = far_field(problem_.dipoles, k(), to);
    f.theta += own.theta;
    f.phi += own.phi;
  };
  for (std::size_t c = 0; c < far.cuts.size(); ++c)
    for (std::size_t a = 0; a < far.cuts[c].size(); ++a) add_to(far.cuts[c][a], problem_.cuts[c].direction(a));
  if (!far.sphere.empty()) {
    const std::vector<Direction> directions = sphere_directions();
    for (std::size_t d = 0; d < directions.size(); ++d) add_to(far.sphere[d], directions[d]);
  }
  const SphereRule rule = sphere_rule(k() * reach());
  for (std::size_t d = 0; d < rule.directions.size(); ++d) add_to(far.everywhere[d], rule.directions[d]);
  if (check_) add_to(far.reciprocal[2], check_from_);  // [direction][dipoles, wave]
}

FarAmplitude MaxwellFem::far_of_dipoles(const Direction& to, RunContext& context) const {
  const auto one = std::span(currents_).first(static_cast<std::size_t>(4 * domain_.currents.size()));
  FarAmplitude out = far_field(domain_, k(), one, 1, std::span(&to, 1), context.team.threads())[0];
  const FarAmplitude own = far_field(problem_.dipoles, k(), to);
  out.theta += own.theta;
  out.phi += own.phi;
  return out;
}

/// From the largest of the directions of the quadrature, by steps that halve.
void MaxwellFem::find_strongest(RunContext& context) {
  const SphereRule rule = sphere_rule(k() * reach());
  std::size_t first = 0;
  for (std::size_t d = 1; d < rule.directions.size(); ++d)
    if (size2(outcome_.far.everywhere[d]) > size2(outcome_.far.everywhere[first]) * (1 + 1e-9)) first = d;
  Direction best = rule.directions[first];
  double most = size2(outcome_.far.everywhere[first]);
  double step = pi / std::sqrt(0.5 * static_cast<double>(rule.directions.size()));
  for (; step > 1e-5 && !context.stop.stop_requested(); step /= 2) {
    const Direction from = best;
    for (int t = -1; t <= 1; ++t)
      for (int p = -1; p <= 1; ++p) {
        if (t == 0 && p == 0) continue;
        const Direction at{std::clamp(from.theta + t * step, 0.0, pi),
                           from.phi + p * step / std::max(std::sin(from.theta), 0.1)};
        if (const double here = size2(far_of_dipoles(at, context)); here > most * (1 + 1e-12)) {
          most = here;
          best = at;
        }
      }
  }
  outcome_.facts.strongest_squared = most;
  outcome_.facts.strongest_theta = best.theta;
  outcome_.facts.strongest_phi = std::remainder(best.phi, 2 * pi);
}

void MaxwellFem::find_flux(RunContext& context) {
  const Extent body = extent(domain_);
  const double radius = flux_radius * reach();
  const SphereRule rule = sphere_rule(k() * radius + 4);
  outcome_.facts.power_flux = NAN;
  if (static_cast<double>(rule.directions.size()) * static_cast<double>(domain_.currents.size()) > most_pairs) return;
  std::vector<Vec3> at;
  for (const Direction& d : rule.directions) at.push_back(axpy(radius, d.radial(), body.middle));
  const auto one = std::span(currents_).first(static_cast<std::size_t>(4 * domain_.currents.size()));
  const int threads = context.team.threads();
  const auto electric = near_field(domain_, k(), one, at, threads, context.stop);
  const auto curl = near_field(domain_, k(), one, at, threads, context.stop, NearQuantity::curl);
  const Incident own(problem_.dipoles, k());
  double sum = 0;
  for (std::size_t n = 0; n < at.size(); ++n) {
    auto e = own.electric(at[n]), h = own.curl(at[n]);
    for (std::size_t c = 0; c < 3; ++c) {
      e[c] += electric[3 * n + c];
      // H* of H = j/(kη) ∇×E
      h[c] = std::conj(Complex(0, 1) / (k() * vacuum_impedance) * (h[c] + curl[3 * n + c]));
    }
    const Vec3 r = rule.directions[n].radial();
    const Complex flow =
        r[0] * (e[1] * h[2] - e[2] * h[1]) + r[1] * (e[2] * h[0] - e[0] * h[2]) + r[2] * (e[0] * h[1] - e[1] * h[0]);
    sum += rule.weights[n] * radius * radius * 0.5 * flow.real();
  }
  outcome_.facts.power_flux = sum;
}

MaxwellFem::Powers MaxwellFem::powers(const FarFields& far) const {
  Powers out;
  const SphereRule rule = sphere_rule(k() * reach());
  for (std::size_t d = 0; d < rule.weights.size(); ++d)
    out.radiated += rule.weights[d] * size2(far.everywhere[d]) / (2 * vacuum_impedance);
  out.alone = power_alone(problem_.dipoles, k());
  out.given = out.alone + outcome_.facts.power_scattered;
  return out;
}

void MaxwellFem::write_directivity(RunContext& context, const Cut& cut, std::span<const FarAmplitude> far,
                                   const Powers& powers, CutErrors& errors) {
  const std::string id = cut.file + (one_table() ? "" : suffix());
  const char* angle = cut.phi_runs ? "phi" : "theta";
  TableInfo t;
  t.id = "directivity_" + id;
  t.title = "Directivity, " + cut.name + (one_table() ? "" : at_frequency());
  t.definition = definition_of_directivity;
  t.form = one_table() ? ChartForm::none : ChartForm::lines;
  t.columns = leading_columns(false);
  t.columns.push_back({angle, "deg", angle});
  for (const Column& c : directivity_columns()) t.columns.push_back(c);
  SphereSeries exact;
  double exact_power = 0;
  if (problem_.exact) {
    double nearest = HUGE_VAL;
    for (const Dipole& d : problem_.dipoles) nearest = std::min(nearest, norm(d.at));
    exact = exact_of(problem_, frequency(), nearest);
    const SphereRule rule = sphere_rule(k() * reach());
    for (std::size_t d = 0; d < rule.weights.size(); ++d)
      exact_power +=
          rule.weights[d] * size2(exact_far(exact, problem_.dipoles, k(), rule.directions[d])) / (2 * vacuum_impedance);
    t.columns.push_back({"exact", "dBi", "directivity, exact"});
    t.exact.emplace_back("exact");
  }
  TableInfo round = t;
  round.id = "polar_" + t.id;
  round.form = ChartForm::polar;
  const bool full =
      !one_table() && cut.angles.size() > 1 && std::abs(cut.angles.back() - cut.angles.front()) > 1.99 * pi;
  Table& table = context.results.table(t);
  Table* polar = full ? &context.results.table(round) : nullptr;
  for (std::size_t a = 0; a < cut.angles.size(); ++a) {
    std::vector<double> row = leading_values(false, 0);
    const FarAmplitude& f = far[a];
    row.insert(row.end(),
               {cut.angles[a] * 180 / pi, powers.directivity(size2(f)), powers.directivity(std::norm(f.theta)),
                powers.directivity(std::norm(f.phi)), powers.gain(size2(f))});
    if (problem_.exact) {
      const double wanted = size2(exact_far(exact, problem_.dipoles, k(), cut.direction(a)));
      row.push_back(Powers{exact_power, 0, 0}.directivity(wanted));
      errors.emplace_back(size2(f) / powers.radiated, wanted / exact_power);
    }
    table.append(row);
    if (polar != nullptr) polar->append(row);
  }
}

void MaxwellFem::write_directivity_sphere(RunContext& context, const FarFields& far, const Powers& powers) {
  const std::vector<Direction> directions = sphere_directions();
  TableInfo t;
  t.id = "far_field" + (one_table() ? "" : suffix());
  t.title = "Far field" + (one_table() ? "" : at_frequency());
  t.form = ChartForm::none;
  t.definition = "F: far field of dipoles and body times r exp(+jkr), e^{+j omega t}, peak values.";
  t.columns = leading_columns(false);
  for (const char* c : {"theta", "phi"}) t.columns.push_back({c, "deg", ""});
  for (const char* c : {"Re F_theta", "Im F_theta", "Re F_phi", "Im F_phi"}) t.columns.push_back({c, "V", ""});
  TableInfo round;
  round.id = "directivity_sphere" + suffix();
  round.title = "Directivity in all directions" + at_frequency();
  round.form = ChartForm::sphere;
  round.definition = definition_of_directivity;
  round.columns = {{"theta", "deg", "theta"}, {"phi", "deg", "phi"}};
  for (const Column& c : directivity_columns()) round.columns.push_back(c);
  Table& fields = context.results.table(t);
  Table* sphere = one_table() ? nullptr : &context.results.table(round);
  for (std::size_t d = 0; d < directions.size(); ++d) {
    const FarAmplitude& f = far.sphere[d];
    std::vector<double> row = leading_values(false, 0);
    const std::array<double, 2> at{directions[d].theta * 180 / pi, directions[d].phi * 180 / pi};
    row.insert(row.end(), {at[0], at[1], f.theta.real(), f.theta.imag(), f.phi.real(), f.phi.imag()});
    fields.append(row);
    if (sphere != nullptr)
      sphere->append({at[0], at[1], powers.directivity(size2(f)), powers.directivity(std::norm(f.theta)),
                      powers.directivity(std::norm(f.phi)), powers.gain(size2(f))});
  }
}

/// Without losses what is given is radiated; with them less is. Reciprocity: the far field along a wave that comes from there is what the
/// dipoles do in that wave's field with the body.
void MaxwellFem::judge_powers(Results& out, const Powers& powers) const {
  const bool lossy = loses();
  const double mismatch =
      lossy ? std::max(0.0, powers.radiated / powers.given - 1) : std::abs(powers.radiated / powers.given - 1);
  const double allowed = std::max(told_mismatch, 20 * problem_.truncation.tolerance);
  if (!lossy) out.number("power_mismatch", mismatch, "1");
  const bool met = powers.given > 0 && mismatch <= allowed;
  out.text("power_balance",
           met && !lossy
               ? fmt::format("Met to {:.1e}{}: what the dipoles give is what is radiated.", mismatch, at_frequency())
           : met ? fmt::format("{:.4g} of what the dipoles give is radiated{}, the rest is lost in materials.",
                               powers.radiated / powers.given, at_frequency())
                 : fmt::format("Missed by {:.1e}{}: refine the surface next to the dipoles, lower "
                               "truncation.tolerance.",
                               mismatch, at_frequency()));
  if (!met)
    log::warning("maxwell-fem: the dipoles give {:.6g} W and {:.6g} W are radiated{}", powers.given, powers.radiated,
                 at_frequency());
  if (const double flux = outcome_.facts.power_flux; std::isfinite(flux) && powers.radiated > 0) {
    out.number("flux_mismatch", std::abs(flux / powers.radiated - 1), "1");
    if (std::abs(flux / powers.radiated - 1) > allowed)
      log::warning("maxwell-fem: {:.6g} W flow through a sphere around all, far fields carry {:.6g} W{}", flux,
                   powers.radiated, at_frequency());
  }
  if (!check_) return;
  const FarAmplitude& far = outcome_.far.reciprocal[2];
  const Complex seen = far.theta * dot(check_from_.theta_hat(), check_->polarisation) +
                       far.phi * dot(check_from_.phi_hat(), check_->polarisation),
                felt = Complex(0, -k() * vacuum_impedance / (4 * pi)) *
                       Complex(outcome_.facts.reaction_real, outcome_.facts.reaction_imaginary);
  double largest = 0;
  for (const FarAmplitude& f : outcome_.far.everywhere) largest = std::max(largest, std::sqrt(size2(f)));
  if (largest > 0) judge_reciprocity(out, std::abs(seen - felt) / largest);
}

void MaxwellFem::write_antenna(RunContext& context, const FarFields& far) {
  Results& out = context.results;
  const Powers p = powers(far);
  CutErrors errors;
  for (std::size_t c = 0; c < problem_.cuts.size(); ++c)
    write_directivity(context, problem_.cuts[c], far.cuts[c], p, errors);
  write_mean_errors(out, errors);
  if (problem_.sphere_step > 0) write_directivity_sphere(context, far, p);
  const OutcomeFacts& facts = outcome_.facts;
  const Direction best{facts.strongest_theta, facts.strongest_phi};
  TableInfo t;
  t.id = "antenna";
  t.title = "Powers, directivity and gain";
  t.form = problem_.frequencies.size() > 1 ? ChartForm::lines : ChartForm::none;
  t.definition =
      "Of the dipoles with the body: largest directivity and gain, what the dipoles give (their power alone and -1/2 "
      "Re "
      "of the scattered field on their currents), what far fields carry, what flows through a sphere around all, and "
      "what the same currents would radiate without the body.";
  t.columns = {{"f", "Hz", "frequency"},           {"directivity", "dBi", "largest directivity"},
               {"gain", "dBi", "largest gain"},    {"theta", "deg", "its theta"},
               {"phi", "deg", "its phi"},          {"given", "W", "power given"},
               {"radiated", "W", "radiated"},      {"flux", "W", "flow through a sphere"},
               {"alone", "W", "without the body"}, {"efficiency", "1", "efficiency"}};
  const double most = facts.strongest_squared, efficiency = p.radiated / p.given;
  out.table(t).append({frequency(), p.directivity(most), p.gain(most), best.theta * 180 / pi, best.phi * 180 / pi,
                       p.given, p.radiated, facts.power_flux, p.alone, efficiency});
  out.number("directivity" + suffix(), p.directivity(most), "dBi");
  if (p.given > 0) out.number("gain" + suffix(), p.gain(most), "dBi");
  out.number("power_given" + suffix(), p.given, "W");
  out.number("power_radiated" + suffix(), p.radiated, "W");
  out.number("power_alone" + suffix(), p.alone, "W");
  out.number("efficiency" + suffix(), efficiency, "1");
  log::info(
      "maxwell-fem: directivity {:.3f} dBi at theta {:.4g}, phi {:.4g} degrees{}; {:.4g} W given, {:.4g} W radiated",
      p.directivity(most), best.theta * 180 / pi, best.phi * 180 / pi, at_frequency(), p.given, p.radiated);
  judge_powers(out, p);
}

}  // namespace conoid::maxwell_fem
