// SPDX-License-Identifier: BSD-3-Clause
// Tables and numbers: bistatic cuts, monostatic sweeps, frequency sweeps, range profile, self-checks.
#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/output_parts.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr Complex j{0, 1};

double sigma(Complex f) {
  return 4 * pi * std::norm(f);
}
Direction behind(const PlaneWave& wave) {  // where the wave goes
  const Vec3& d = wave.direction;
  return {std::acos(std::clamp(d[2], -1.0, 1.0)), std::atan2(d[1], d[0])};
}

/// Bars beyond which an echo has not begun to converge, so that what is left of it may be as large again, dB.
constexpr double most_trusted = 2;
/// Of an echo, dB, beyond which its error bar is a warning.
constexpr double told_bar = 0.5;
/// Cross sections at the ends of an error bar, dBsm.
std::array<double, 2> ends_of_bar(double amplitude, double change) {
  return {decibel(sigma(std::max(0.0, amplitude - change))), decibel(sigma(amplitude + change))};
}

/// Tables of each frequency by themselves up to here; beyond, one table with a column of frequencies.
constexpr std::size_t most_tables = 12;

constexpr const char* definition_of_sigma =
    "sigma_vu = 4 pi |F_v|^2 for E_u = 1 V/m, F the far field times r; first letter: seen, second: incident; V along "
    "theta, H along phi.";

}  // namespace

double decibel(double v) {
  return 10 * std::log10(std::max(v, 1e-30));
}

FarAmplitude exact_far(const SphereSeries& series, const PlaneWave& wave, const Direction& seen) {
  const Vec3 r = seen.radial(), x = wave.polarisation, y = cross(wave.direction, wave.polarisation);
  const double cosine = std::clamp(dot(r, wave.direction), -1.0, 1.0), sine = std::sqrt(1 - cosine * cosine);
  const double phi = std::atan2(dot(r, y), dot(r, x));
  const Vec3 around = add(scale(-std::sin(phi), x), scale(std::cos(phi), y));
  const Vec3 along =
      add(scale(cosine, add(scale(std::cos(phi), x), scale(std::sin(phi), y))), scale(-sine, wave.direction));
  const Complex theta = std::cos(phi) * series.s2(cosine) / (j * wave.k),
                other = -std::sin(phi) * series.s1(cosine) / (j * wave.k);
  const auto seen_along = [&](const Vec3& unit_vector) {
    return theta * dot(along, unit_vector) + other * dot(around, unit_vector);
  };
  return {seen_along(seen.theta_hat()), seen_along(seen.phi_hat())};
}

SphereSeries exact_of(const Problem& s, double frequency, double nearest) {
  const double k = 2 * pi * frequency / light_speed;
  const SphereSetting& p = *s.sphere;
  const auto media = s.media(frequency);
  const auto e = [&](int m) { return media[m].epsilon[0]; };
  const auto u = [&](int m) { return media[m].mu[0]; };
  const double ka = k * p.radius, kb = k * (p.radius + p.coat);
  const int n = nearest > 0 ? terms_near(kb, k * nearest) : 0;
  if (p.coat > 0)
    return p.core_material > 0 ? coated_sphere(ka, kb, e(p.core_material), u(p.core_material), e(p.coat_material),
                                               u(p.coat_material), n)
                               : coated_conductor(ka, kb, e(p.coat_material), u(p.coat_material), n);
  if (p.core_material > 0) return homogeneous_sphere(ka, e(p.core_material), u(p.core_material), n);
  if (s.body.kind == BoundaryKind::impedance)
    return impedance_sphere(ka, s.body.impedance(frequency) / vacuum_impedance, n);
  SphereSeries out = conducting_sphere(ka, n);
  if (s.body.kind == BoundaryKind::pmc) std::swap(out.a, out.b);
  return out;
}

Extent extent(const Domain& d) {
  Extent out;
  Vec3 low = d.currents.point(0).x, high = low;
  for (Index q = 0; q < d.currents.size(); ++q)
    for (int c = 0; c < 3; ++c) {
      low[c] = std::min(low[c], d.currents.point(q).x[c]);
      high[c] = std::max(high[c], d.currents.point(q).x[c]);
    }
  out.middle = scale(0.5, add(low, high));
  for (Index q = 0; q < d.currents.size(); ++q)
    out.radius = std::max(out.radius, distance(d.currents.point(q).x, out.middle));
  return out;
}

FarAmplitude exact_far(const SphereSeries& series, std::span<const Dipole> dipoles, double k, const Direction& seen) {
  FarAmplitude out;
  for (const bool horizontal : {false, true}) {
    const PlaneWave wave = wave_from(seen, horizontal, k);
    const Vec3 across = cross(wave.direction, wave.polarisation);
    Complex sum = 0;
    for (const Dipole& d : dipoles) {
      const SphereField local =
          series.outside({k * dot(d.at, wave.polarisation), k * dot(d.at, across), k * dot(d.at, wave.direction)});
      std::array<Complex, 3> electric{}, curl{};
      for (int c = 0; c < 3; ++c) {
        electric[c] = local.electric[0] * wave.polarisation[c] + local.electric[1] * across[c] +
                      local.electric[2] * wave.direction[c];
        curl[c] =
            k * (local.curl[0] * wave.polarisation[c] + local.curl[1] * across[c] + local.curl[2] * wave.direction[c]);
      }
      sum += d.reaction(electric, curl);
    }
    (horizontal ? out.phi : out.theta) = -j * k * vacuum_impedance / (4 * pi) * sum;
  }
  return out;
}

std::vector<Direction> MaxwellFem::sphere_directions() const {
  std::vector<Direction> out;
  const int n = steps_to_the_pole(problem_.sphere_step);
  for (int t = 0; n > 0 && t <= n; ++t)
    for (int p = 0; p < 2 * n; ++p) out.push_back({pi * t / n, pi * p / n});
  return out;
}

Result<FarFields> MaxwellFem::far_fields(RunContext& context) const {
  FarFields out;
  const auto seen = [&](std::span<const Complex> f, Index count, std::span<const Direction> directions) {
    return far_field(domain_, k(), f, count, directions, context.team.threads(), context.stop);
  };
  const auto solved = static_cast<Index>(outcome_.solved.size());
  for (const Cut& cut : problem_.cuts) {
    std::vector<Direction> directions;
    for (std::size_t a = 0; a < cut.angles.size(); ++a) directions.push_back(cut.direction(a));
    out.cuts.push_back(seen(currents_, solved, directions));
  }
  if (problem_.sphere_step > 0) out.sphere = seen(currents_, solved, sphere_directions());
  const auto directions = problem_.incidences();
  out.back = seen(currents_, solved, directions);
  // Of the first wave that was solved, for the optical theorem.
  const Direction forward = behind(waves_[outcome_.solved[0]].wave);
  const auto one = std::span(currents_).first(static_cast<std::size_t>(4 * domain_.currents.size()));
  out.forward = seen(one, 1, std::span(&forward, 1));
  out.everywhere = seen(one, 1, sphere_rule(k() * reach()).directions);
  // Of some waves where the others come from, for reciprocity.
  if (const Index some = std::min<Index>(solved, 24); some > 1) {
    std::vector<Direction> from;
    for (Index s = 0; s < some; ++s) from.push_back(directions[outcome_.solved[s] / problem_.polarisations()]);
    out.reciprocal = seen(currents_, solved, from);
  } else if (check_) {
    out.reciprocal = seen(currents_, 2, std::array<Direction, 2>{directions[0], check_from_});
  }
  if (problem_.radiates()) add_dipoles(out);
  if (context.stop.stop_requested()) return stop_error();
  return out;
}

bool MaxwellFem::one_table() const {
  return problem_.frequencies.size() > most_tables;
}

std::string MaxwellFem::suffix() const {
  return problem_.frequencies.size() == 1 ? "" : fmt::format("_f{}", frequency_ + 1);
}

/// Columns that lead a table: the frequency where all frequencies share it, the direction of incidence of a monostatic sweep.
std::vector<Column> MaxwellFem::leading_columns(bool with_incidence) const {
  std::vector<Column> out;
  if (one_table()) out.push_back({"f", "Hz", "frequency"});
  if (with_incidence && problem_.monostatic) {
    const bool phi = problem_.monostatic->phi_runs;
    out.push_back({phi ? "incident phi" : "incident theta", "deg", phi ? "incident phi" : "incident theta"});
  }
  return out;
}

std::vector<double> MaxwellFem::leading_values(bool with_incidence, std::size_t incidence) const {
  std::vector<double> out;
  if (one_table()) out.push_back(frequency());
  if (with_incidence && problem_.monostatic) out.push_back(problem_.monostatic->angles[incidence] * 180 / pi);
  return out;
}

/// Of one wave, from far fields [direction][solved]: a sum of those that were solved.
FarAmplitude MaxwellFem::mixed(std::span<const FarAmplitude> far, std::size_t direction, std::size_t wave) const {
  const std::size_t solved = outcome_.solved.size();
  FarAmplitude out;
  for (std::size_t s = 0; s < solved; ++s) {
    out.theta += outcome_.mix[wave * solved + s] * far[direction * solved + s].theta;
    out.phi += outcome_.mix[wave * solved + s] * far[direction * solved + s].phi;
  }
  return out;
}

double MaxwellFem::change_back(std::size_t wave, bool seen_horizontal) const {
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::size_t solved = outcome_.solved.size();
  if (seen_horizontal ? !problem_.horizontal : !problem_.vertical) return change_elsewhere(wave);
  const std::size_t seen = wave / pols * pols + (pols == 2 && seen_horizontal ? 1 : 0), all = solved + (check_ ? 1 : 0);
  Complex sum = 0;
  for (std::size_t v = 0; v < solved; ++v)
    for (std::size_t w = 0; w < solved; ++w)
      sum += outcome_.mix[seen * solved + v] * outcome_.mix[wave * solved + w] * outcome_.changes[v * all + w];
  // By chance it may be small where errors are not.
  return std::hypot(std::abs(sum), change_elsewhere(wave));
}

double MaxwellFem::change_elsewhere(std::size_t wave) const {
  const std::size_t solved = outcome_.solved.size();
  return maxwell_fem::change_elsewhere(outcome_.changes, static_cast<Index>(solved + (check_ ? 1 : 0)),
                                       std::span(outcome_.mix).subspan(wave * solved, solved));
}

/// The bars of the echoes back, dB, the largest of each polarisation where the echo is not 25 dB below its largest.
void MaxwellFem::write_error_bars(RunContext& context, const FarFields& far_fields) {
  if (outcome_.changes.empty()) return;
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::size_t directions = problem_.incidences().size();
  TableInfo t;
  t.id = "error_bars";
  t.title = "Error bars of the echo";
  t.form = problem_.frequencies.size() > 1 ? ChartForm::lines : ChartForm::none;
  t.definition =
      "20 lg(1 + |change|/|F|), the largest of all directions whose echo is not 25 dB below the largest: what elements "
      "of the next order change, and the residual of the iteration.";
  t.columns = {{"f", "Hz", "frequency"}};
  std::vector<double> row{frequency()};
  bool trusted = outcome_.facts.bar_unsettled == 0;
  for (std::size_t p = 0; p < pols; ++p) {
    const bool h = problem_.is_horizontal(static_cast<Index>(p));
    const std::string name = h ? "HH" : "VV";
    std::vector<double> level, change;
    for (std::size_t d = 0; d < directions; ++d) {
      level.push_back(std::abs(mixed(far_fields.back, d, d * pols + p).along(h)));
      change.push_back(change_back(d * pols + p, h) + outcome_.facts.residual * level.back());
    }
    const double largest = *std::max_element(level.begin(), level.end());
    std::size_t worst = 0;
    double bar = 0;
    for (std::size_t d = 0; d < directions; ++d)
      if (const double b = 20 * std::log10(1 + change[d] / std::max(level[d], 1e-300));
          level[d] > std::pow(10, -25.0 / 20) * largest && b > bar) {
        bar = b;
        worst = d;
      }
    t.columns.push_back({name, "dB", name});
    row.push_back(bar);
    context.results.number("error_bar_" + name + suffix(), bar, "dB");
    trusted = trusted && bar <= most_trusted;
    const Direction from = problem_.incidences()[worst];
    const std::string text = fmt::format("the echo {} of theta {:.4g}, phi {:.4g} degrees{} may be off by {:.2g} dB",
                                         name, from.theta * 180 / pi, from.phi * 180 / pi, at_frequency(), bar);
    if (bar > told_bar)
      log::warning(
          "maxwell-fem: {}: elements of the next order move it so far; refine where the body has edges, gaps "
          "or openings",
          text);
    else
      log::info("maxwell-fem: {}", text);
  }
  context.results.number("error_bar_trusted" + suffix(), trusted ? 1 : 0, "1");
  if (!trusted)
    log::warning(
        "maxwell-fem: the error bars{} are not to be trusted: {}; refine until they are, first at edges and openings "
        "(parameters.edge_layers, parameters.edge_angle)",
        at_frequency(),
        outcome_.facts.bar_unsettled != 0
            ? std::string("the solves behind them did not settle")
            : fmt::format("elements of the next order move the echo by more than {:g} dB, and may do so again",
                          most_trusted));
  context.results.table(t).append(row);
}

void MaxwellFem::write_cuts(RunContext& context, const FarFields& far_fields) {
  CutErrors errors;
  for (std::size_t number = 0; number < problem_.cuts.size(); ++number)
    write_cut(context, problem_.cuts[number], far_fields.cuts[number], errors);
  write_mean_errors(context.results, errors);
  if (problem_.sphere_step > 0) write_far_field(context, far_fields);
}

void MaxwellFem::write_mean_errors(Results& out, const CutErrors& errors) const {
  if (problem_.fast) return;  // what elements leave and what the sweep does: thousands of numbers
  // Nulls and the cross polarisation in a plane of symmetry are left out: 40 dB below the largest.
  double largest = 0, worst = 0, mean = 0;
  for (const auto& [got, exact] : errors) largest = std::max(largest, exact);
  Index samples = 0;
  for (const auto& [got, exact] : errors) {
    if (!(exact > 1e-4 * largest)) continue;
    const double e = std::abs(decibel(got) - decibel(exact));
    worst = std::max(worst, e);
    mean += e;
    ++samples;
  }
  if (samples > 0) {
    out.number("error_mean" + suffix(), mean / static_cast<double>(samples), "dB");
    out.number("error_largest" + suffix(), worst, "dB");
  }
}

void MaxwellFem::write_cut(RunContext& context, const Cut& cut, std::span<const FarAmplitude> far, CutErrors& errors) {
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::size_t incidences = problem_.incidences().size();
  const double wave_length = light_speed / frequency(),
               radius = problem_.sphere ? problem_.sphere->radius + problem_.sphere->coat : extent(domain_).radius;
  const bool alone = !one_table() && !problem_.monostatic;  // a curve over one angle
  const std::string id = cut.file + (one_table() ? "" : suffix());
  TableInfo t;
  t.id = "rcs_" + id;
  t.title = "Cross section, " + cut.name + (one_table() ? "" : at_frequency());
  t.definition = definition_of_sigma;
  t.form = alone ? ChartForm::lines : ChartForm::none;
  t.columns = leading_columns(true);
  t.columns.push_back({cut.phi_runs ? "phi" : "theta", "deg", cut.phi_runs ? "phi" : "theta"});
  TableInfo units;
  units.id = "all_units_" + id;
  units.title = t.title;
  units.form = ChartForm::none;
  units.columns = t.columns;
  units.definition =
      one_table()
          ? fmt::format("{} Over the wavelength squared and over pi a^2 (a = {:.6g} m).", definition_of_sigma, radius)
          : fmt::format("{} Over the wavelength squared ({:.6g} m) and over pi a^2 (a = {:.6g} m).",
                        definition_of_sigma, wave_length, radius);
  std::vector<std::string> names;
  for (std::size_t p = 0; p < pols; ++p)
    for (bool seen : {false, true})
      names.push_back(std::string(seen ? "H" : "V") + (problem_.is_horizontal(static_cast<Index>(p)) ? "H" : "V"));
  for (const std::string& n : names) {
    t.columns.push_back({n, "dBsm", n});
    for (const char* u : {"m^2", "dBsm", "dB lambda^2", "dB pi a^2"}) units.columns.push_back({n + " " + u, u, n});
  }
  const SphereSeries exact = problem_.exact ? exact_of(problem_, frequency()) : SphereSeries{};
  if (problem_.exact)
    for (const std::string& n : names) {
      t.columns.push_back({n + " exact", "dBsm", n + ", exact"});
      t.exact.push_back(n + " exact");
    }
  const bool bars = !outcome_.changes.empty();
  if (bars)
    for (const std::string& n : names)
      for (const char* end : {" lowest", " highest"}) t.columns.push_back({n + end, "dBsm", n + end});
  Table& table = context.results.table(t);
  Table& all = context.results.table(units);
  TableInfo round = t;
  round.id = "polar_" + id;
  round.form = ChartForm::polar;
  const bool full = alone && cut.angles.size() > 1 && std::abs(cut.angles.back() - cut.angles.front()) > 1.99 * pi;
  Table* polar = full ? &context.results.table(round) : nullptr;
  for (std::size_t d = 0; d < incidences; ++d)
    for (std::size_t a = 0; a < cut.angles.size(); ++a) {
      std::vector<double> row = leading_values(true, d);
      row.push_back(cut.angles[a] * 180 / pi);
      std::vector<double> more = row, exact_row, bar_row;
      for (std::size_t w = d * pols; w < (d + 1) * pols; ++w) {
        const FarAmplitude f = mixed(far, a, w);
        for (bool seen : {false, true})
          if (bars) {
            const double size = std::abs(f.along(seen));
            const auto ends = ends_of_bar(size, change_elsewhere(w) + outcome_.facts.residual * size);
            bar_row.insert(bar_row.end(), ends.begin(), ends.end());
          }
        const FarAmplitude true_f =
            problem_.exact ? exact_far(exact, waves_[w].wave, cut.direction(a)) : FarAmplitude{};
        for (bool seen : {false, true}) {
          const double s = sigma(f.along(seen));
          row.push_back(decibel(s));
          more.insert(more.end(),
                      {s, decibel(s), decibel(s / (wave_length * wave_length)), decibel(s / (pi * radius * radius))});
          if (!problem_.exact) continue;
          exact_row.push_back(decibel(sigma(true_f.along(seen))));
          errors.emplace_back(s, sigma(true_f.along(seen)));
        }
      }
      row.insert(row.end(), exact_row.begin(), exact_row.end());
      row.insert(row.end(), bar_row.begin(), bar_row.end());
      table.append(row);
      all.append(more);
      if (polar != nullptr) polar->append(row);
    }
}

void MaxwellFem::write_far_field(RunContext& context, const FarFields& far_fields) {
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::vector<Direction> directions = sphere_directions();
  TableInfo t;
  t.id = "far_field" + (one_table() ? "" : suffix());
  t.title = "Far field" + (one_table() ? "" : at_frequency());
  t.form = ChartForm::none;
  t.definition = "F: far field times r exp(+jkr), e^{+j omega t}, for 1 V/m.";
  t.columns = leading_columns(true);
  t.columns.push_back({"theta", "deg", ""});
  t.columns.push_back({"phi", "deg", ""});
  for (std::size_t p = 0; p < pols; ++p)
    for (const char* c : {"Re F_theta", "Im F_theta", "Re F_phi", "Im F_phi"})
      t.columns.push_back(
          {fmt::format("{} {}", c, problem_.is_horizontal(static_cast<Index>(p)) ? "H" : "V"), "V", ""});
  Table& table = context.results.table(t);
  for (std::size_t i = 0; i < problem_.incidences().size(); ++i)
    for (std::size_t d = 0; d < directions.size(); ++d) {
      std::vector<double> row = leading_values(true, i);
      row.insert(row.end(), {directions[d].theta * 180 / pi, directions[d].phi * 180 / pi});
      for (std::size_t w = i * pols; w < (i + 1) * pols; ++w) {
        const FarAmplitude f = mixed(far_fields.sphere, d, w);
        row.insert(row.end(), {f.theta.real(), f.theta.imag(), f.phi.real(), f.phi.imag()});
      }
      table.append(row);
    }
  if (one_table() || problem_.incidences().size() > 1) return;
  TableInfo round;
  round.id = "rcs_sphere" + suffix();
  round.title = "Cross section all round" + at_frequency();
  round.form = ChartForm::sphere;
  round.definition = definition_of_sigma;
  round.columns = {{"theta", "deg", "theta"}, {"phi", "deg", "phi"}};
  // Both polarisations together come first: alone each of them jumps at the poles, where theta and phi turn.
  for (std::size_t p = 0; p < pols; ++p) {
    const std::string incident = problem_.is_horizontal(static_cast<Index>(p)) ? "H" : "V";
    round.columns.push_back({"total " + incident, "dBsm", fmt::format("V{0} + H{0}", incident)});
    for (const char* seen : {"V", "H"}) round.columns.push_back({seen + incident, "dBsm", seen + incident});
  }
  Table& sphere = context.results.table(round);
  for (std::size_t d = 0; d < directions.size(); ++d) {
    std::vector<double> row = {directions[d].theta * 180 / pi, directions[d].phi * 180 / pi};
    for (std::size_t w = 0; w < pols; ++w) {
      const FarAmplitude f = mixed(far_fields.sphere, d, w);
      row.push_back(decibel(sigma(f.along(false)) + sigma(f.along(true))));
      for (const bool seen : {false, true}) row.push_back(decibel(sigma(f.along(seen))));
    }
    sphere.append(row);
  }
}

void MaxwellFem::write_monostatic(RunContext& context, const FarFields& far_fields) {
  const auto directions = problem_.incidences();
  const auto pols = static_cast<Index>(problem_.polarisations());
  Echo& echo = echoes_.back();
  // [direction][incident polarisation][seen V, H]
  for (std::size_t d = 0; d < directions.size(); ++d)
    for (std::size_t p = 0; p < static_cast<std::size_t>(pols); ++p) {
      const FarAmplitude f = mixed(far_fields.back, d, d * static_cast<std::size_t>(pols) + p);
      for (bool seen : {false, true}) echo.amplitude.push_back(f.along(seen));
    }
  if (!problem_.monostatic) return;
  const std::string suffix = one_table() ? "" : this->suffix();
  TableInfo t;
  t.id = "monostatic" + suffix;
  t.title = "Monostatic cross section" + (one_table() ? "" : at_frequency());
  t.definition = definition_of_sigma;
  t.form = one_table() ? ChartForm::none : ChartForm::lines;
  t.columns = leading_columns(false);
  t.columns.push_back(
      {problem_.monostatic->phi_runs ? "phi" : "theta", "deg", problem_.monostatic->phi_runs ? "phi" : "theta"});
  for (Index p = 0; p < pols; ++p)
    for (bool seen : {false, true}) {
      const std::string n = std::string(seen ? "H" : "V") + (problem_.is_horizontal(p) ? "H" : "V");
      t.columns.push_back({n, "dBsm", n});
    }
  const bool bars = !outcome_.changes.empty();
  for (std::size_t c = t.columns.size() - 2 * static_cast<std::size_t>(pols), end = t.columns.size(); bars && c < end;
       ++c)
    for (const char* which : {" lowest", " highest"})
      t.columns.push_back({t.columns[c].name + which, "dBsm", t.columns[c].name + which});
  TableInfo round = t;
  round.id = "polar_monostatic" + suffix;
  round.form = ChartForm::polar;
  Table& table = context.results.table(t);
  const auto& angles = problem_.monostatic->angles;
  const bool full = !one_table() && angles.size() > 1 && std::abs(angles.back() - angles.front()) > 1.99 * pi;
  Table* polar = full ? &context.results.table(round) : nullptr;
  for (std::size_t d = 0; d < angles.size(); ++d) {
    std::vector<double> row = leading_values(false, d);
    row.push_back(angles[d] * 180 / pi);
    for (Index c = 0; c < 2 * pols; ++c)
      row.push_back(decibel(sigma(echo.amplitude[static_cast<Index>(d) * 2 * pols + c])));
    for (Index c = 0; bars && c < 2 * pols; ++c) {
      const double size = std::abs(echo.amplitude[static_cast<Index>(d) * 2 * pols + c]),
                   change =
                       change_back(d * static_cast<std::size_t>(pols) + static_cast<std::size_t>(c / 2), c % 2 == 1);
      const auto ends = ends_of_bar(size, change + outcome_.facts.residual * size);
      row.insert(row.end(), ends.begin(), ends.end());
    }
    table.append(row);
    if (polar != nullptr) polar->append(row);
  }
}

namespace {

/// What these two numbers can see, and what not. Currents on S' are tried with functions of the elements, exact waves with those: what the
/// elements leave out of a wave times what they leave out of the field is missing, h² at order 1 and h⁴ at order 2, less than the echo is off.
constexpr const char* cannot_see =
    "Neither can tell whether elements are fine enough or facets close enough to the body.";

/// What to do where one is missed.
std::string why_missed(bool converged, int order) {
  if (!converged) return "the iteration has not converged; raise truncation.iterations";
  return fmt::format("the iteration has converged, so elements are too coarse{}, or truncation.tolerance is too large",
                     order == 1 ? " (parameters.order 2 takes fewer)" : "");
}

}  // namespace

/// The part of F along the wave out of phase carries the extinction: where it is a small part of F, the tolerance hides it.
void MaxwellFem::judge_optical_theorem(Results& out, const FarAmplitude& forward) const {
  const Echo& echo = echoes_.back();
  const double size = std::hypot(std::abs(forward.theta), std::abs(forward.phi)),
               hidden = 4 * pi / k() * size * std::max(problem_.truncation.tolerance, 1e-9) / echo.scattering,
               mismatch = std::abs(echo.extinction / echo.scattering - 1), allowed = std::max(1e-2, 10 * hidden);
  if (hidden > 0.1) {
    out.text("optical_theorem",
             fmt::format("Not judged{}: of a body this small the extinction is a part of {:.0e} of the forward "
                         "amplitude, less than the tolerance of the iteration.",
                         at_frequency(), hidden > 0 ? problem_.truncation.tolerance / hidden : 0));
    return;
  }
  out.number("optical_theorem_mismatch", mismatch, "1");
  const bool met = mismatch <= allowed;
  out.text("optical_theorem",
           met ? fmt::format("Met to {:.1e}{}: the iteration has converged and signs and units are right. {}", mismatch,
                             at_frequency(), cannot_see)
               : fmt::format("Missed by {:.1e}{}: {}.", mismatch, at_frequency(),
                             why_missed(outcome_.facts.failed == 0, problem_.domain.order)));
  if (!met) log::warning("maxwell-fem: the optical theorem is missed by {:.1e}{}", mismatch, at_frequency());
}

void MaxwellFem::judge_reciprocity(Results& out, double mismatch) const {
  out.number("reciprocity_mismatch", mismatch, "1");
  const bool met = mismatch <= std::max(1e-2, 20 * problem_.truncation.tolerance);
  out.text("reciprocity",
           met ? fmt::format("Met to {:.1e}{}: the iteration has converged. {}", mismatch, at_frequency(), cannot_see)
               : fmt::format("Missed by {:.1e}{}: {}.", mismatch, at_frequency(),
                             why_missed(outcome_.facts.failed == 0, problem_.domain.order)));
  if (!met) log::warning("maxwell-fem: echoes there and back differ by {:.1e}{}", mismatch, at_frequency());
}

void MaxwellFem::write_checks(RunContext& context, const FarFields& far_fields) {
  const auto solved = static_cast<Index>(outcome_.solved.size());
  Results& out = context.results;
  // Optical theorem, for the first wave that was solved.
  const PlaneWave& wave = waves_[outcome_.solved[0]].wave;
  const Direction forward = behind(wave);
  Echo& echo = echoes_.back();
  echo.extinction = extinction(far_fields.forward[0], forward, wave);
  const SphereRule rule = sphere_rule(k() * extent(domain_).radius);
  const std::vector<FarAmplitude>& everywhere = far_fields.everywhere;
  for (std::size_t d = 0; d < rule.weights.size(); ++d)
    echo.scattering += rule.weights[d] * (std::norm(everywhere[d].theta) + std::norm(everywhere[d].phi));
  out.number("extinction", echo.extinction, "m^2");
  out.number("scattering", echo.scattering, "m^2");
  if (loses())
    out.number("absorption", echo.extinction - echo.scattering, "m^2");
  else
    judge_optical_theorem(out, far_fields.forward[0]);
  // Reciprocity: F_i(from i; wave j) = F_j(from j; wave i) for the waves that were solved.
  const Index some = std::min<Index>(solved, 24);
  if (some > 1) {
    const std::vector<FarAmplitude>& far = far_fields.reciprocal;
    double difference = 0, largest = 0;
    for (Index a = 0; a < some; ++a)
      for (Index b = 0; b < some; ++b) {
        const Complex there = far[a * solved + b].along(problem_.is_horizontal(outcome_.solved[a])),
                      back = far[b * solved + a].along(problem_.is_horizontal(outcome_.solved[b]));
        difference = std::max(difference, std::abs(there - back));
        largest = std::max(largest, std::abs(there));
      }
    if (largest > 0) judge_reciprocity(out, difference / largest);
  } else if (check_) {
    // A single wave against one from elsewhere: p_b · F_a(r_b) = p_a · F_b(r_a).
    const std::array<Direction, 2> from{problem_.incidences()[0], check_from_};
    const std::vector<FarAmplitude>& far = far_fields.reciprocal;
    const auto along = [](const FarAmplitude& f, const Direction& d, const PlaneWave& w) {
      return f.theta * dot(d.theta_hat(), w.polarisation) + f.phi * dot(d.phi_hat(), w.polarisation);
    };
    const Complex there = along(far[2], from[1], *check_), back = along(far[1], from[0], wave);
    const double largest = std::max(std::abs(there), std::abs(back));
    if (largest > 0) judge_reciprocity(out, std::abs(there - back) / largest);
  }
}

Status MaxwellFem::end_frequency(RunContext& context) {
  auto far = far_fields(context);
  if (!far) return far.error();
  outcome_.far = std::move(*far);
  if (problem_.radiates()) {
    find_strongest(context);
    find_flux(context);
    if (context.stop.stop_requested()) return stop_error();
  }
  return {};
}

Status MaxwellFem::write_frequency(RunContext& context) {
  if (problem_.radiates()) {
    write_antenna(context, outcome_.far);
  } else {
    echoes_.push_back({frequency(), {}, 0, 0});
    if (!problem_.fast) {  // else in the end, of all frequencies
      write_cuts(context, outcome_.far);
      write_monostatic(context, outcome_.far);
    }
    write_error_bars(context, outcome_.far);
    write_checks(context, outcome_.far);
  }
  write_facts(context.results, outcome_.facts);
  const bool files = problem_.ffe && !context.results.folder().empty();
  if (problem_.fast) remember();
  if (!files && !problem_.amplitudes) return {};
  const std::vector<Complex> values = amplitudes();
  if (problem_.amplitudes && !problem_.fast) write_amplitudes(context.results, frequency(), values);
  return files ? write_ffe(context.results.folder(), frequency(), frequency_, values) : Status();
}

void MaxwellFem::write_facts(Results& out, const OutcomeFacts& facts) const {
  out.number("directions_solved", static_cast<double>(outcome_.solved.size()), "1");
  if (problem_.monostatic) out.number("compression_error", facts.compression_error, "1");
  out.number("factor_memory", facts.factor_bytes, "B");
  out.number("factor_entries", facts.factor_entries, "1");
  if (facts.solve_residual > 0) out.number("solve_residual", facts.solve_residual, "1");
  if (facts.factor_operations > 0) out.number("factor_operations", facts.factor_operations, "1");
  if (facts.compressed_bytes > 0) out.number("compressed_memory", facts.compressed_bytes, "B");
}

void MaxwellFem::write_seconds(Results& out) const {
  OutcomeFacts sum = all_;
  // Of a run that ends early: what it was at, which is not among all of them yet.
  if (round_ > 0 && rounds_.waiting() == 0) {
    sum.seconds_factor += outcome_.facts.seconds_factor;
    sum.seconds_near += outcome_.facts.seconds_near;
    const TruncationTimes times = truncation_ ? truncation_->times() : TruncationTimes{};
    sum.seconds_solve += outcome_.facts.seconds_solve + times.solve;
    sum.seconds_radiate += outcome_.facts.seconds_radiate + times.radiate;
  }
  out.number("seconds_factorisation", sum.seconds_factor, "s");
  out.number("seconds_near_pairs", sum.seconds_near, "s");
  out.number("seconds_solution", sum.seconds_solve, "s");
  out.number("seconds_radiation", sum.seconds_radiate, "s");
}

Status MaxwellFem::finish(RunContext& context) {
  Results& out = context.results;
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  if (problem_.fast && !samples_.empty()) write_sweep(context);
  if (echoes_.size() > 1) {
    TableInfo t;
    t.id = "frequency";
    t.title = problem_.monostatic ? "Echo of the first direction" : "Echo";
    t.definition = std::string(definition_of_sigma) + " Seen from where the wave comes.";
    t.columns = {{"f", "Hz", "frequency"}};
    for (std::size_t p = 0; p < pols; ++p)
      for (bool seen : {false, true}) {
        const std::string n =
            std::string(seen ? "H" : "V") + (problem_.is_horizontal(static_cast<Index>(p)) ? "H" : "V");
        t.columns.push_back({n, "dBsm", n});
      }
    if (!problem_.fast) {
      t.columns.push_back({"extinction", "dBsm", "extinction"});
      t.columns.push_back({"scattering", "dBsm", "scattering"});
    }
    if (problem_.exact) {
      t.columns.push_back({"exact", "dBsm", "exact"});
      t.exact = {"exact"};
    }
    Table& table = out.table(t);
    for (const Echo& e : echoes_) {
      std::vector<double> row{e.frequency};
      for (std::size_t c = 0; c < 2 * pols; ++c) row.push_back(decibel(sigma(e.amplitude[c])));
      if (!problem_.fast) row.insert(row.end(), {decibel(e.extinction), decibel(e.scattering)});
      if (problem_.exact) {
        const SphereSeries s = exact_of(problem_, e.frequency);
        const double a = problem_.sphere->radius + problem_.sphere->coat;
        row.push_back(decibel(s.sigma_e(-1) * pi * a * a));
      }
      table.append(row);
    }
  }
  if (problem_.range_profile && echoes_.size() >= 8) {
    TableInfo t;
    t.id = "range_profile";
    t.title = "Range profile";
    t.definition =
        "|sum w(f) F(f) exp(2 j k r)|/sum w over the sweep, w a Hann window; r: distance behind the origin as the wave "
        "goes.";
    t.columns = {{"range", "m", "range"}, {"echo", "dBm", "echo"}};
    Table& table = out.table(t);
    std::vector<double> frequencies;
    std::vector<Complex> echo;
    for (const Echo& e : echoes_) {
      frequencies.push_back(e.frequency);
      echo.push_back(e.amplitude[problem_.vertical ? 0 : 1]);  // co-polar, of the first wave
    }
    const RangeProfile profile = range_profile(frequencies, echo);
    for (std::size_t i = 0; i < profile.range.size(); ++i) table.append({profile.range[i], profile.level[i]});
  }
  if (problem_.isar && problem_.monostatic && echoes_.size() >= 2) write_isar(out);
  if (!echoes_.empty())
    for (std::size_t p = 0; p < pols; ++p) {
      const bool h = problem_.is_horizontal(static_cast<Index>(p));
      out.number(h ? "echo_HH" : "echo_VV", sigma(echoes_.back().amplitude[2 * p + static_cast<std::size_t>(h)]),
                 "m^2");
    }
  out.number("iterations", all_.iterations, "1");
  out.number("operator_applications", all_.applications, "1");
  out.number("residual", all_.residual, "1");
  write_seconds(out);
  // The leading rank has counted; all must come to the same end.
  const OutcomeFacts all = context.cluster.from_root(all_);
  if (finished_ && all.failed > 0)
    return make_error(
        ErrorCode::not_converged,
        fmt::format("the truncation did not converge: residual {:.2e} after {} iterations, {:.1e} was asked for",
                    all.residual, static_cast<Index>(all.iterations), problem_.truncation.tolerance),
        problem_.truncation.method == TruncationMethod::gmres
            ? "Allow more iterations; for bodies of many wavelengths also move S farther out (truncation.distance)."
            : "Use the method gmres: the plain iteration diverges on large bodies with S close by.");
  return {};
}

}  // namespace conoid::maxwell_fem
