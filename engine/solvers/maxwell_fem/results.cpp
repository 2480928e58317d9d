// SPDX-License-Identifier: BSD-3-Clause
// Tables and numbers: bistatic cuts, monostatic sweeps, frequency sweeps, range profile, self-checks.
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/pi.hpp"

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
double decibel(double v) {
  return 10 * std::log10(std::max(v, 1e-30));
}

std::string file_name(std::string text) {
  for (char& c : text)
    if (c == ' ') c = '_';
  return text;
}

/// F of the exact series for any plane wave.
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

SphereSeries exact_of(const Settings& s, double frequency) {
  const double k = 2 * pi * frequency / light_speed;
  const SphereSetting& p = *s.sphere;
  const auto media = s.media(frequency);
  const auto e = [&](int m) { return media[m].epsilon[0]; };
  const auto u = [&](int m) { return media[m].mu[0]; };
  const double ka = k * p.radius, kb = k * (p.radius + p.coat);
  if (p.coat > 0)
    return p.core_material > 0
               ? coated_sphere(ka, kb, e(p.core_material), u(p.core_material), e(p.coat_material), u(p.coat_material))
               : coated_conductor(ka, kb, e(p.coat_material), u(p.coat_material));
  if (p.core_material > 0) return homogeneous_sphere(ka, e(p.core_material), u(p.core_material));
  if (s.body.kind == BoundaryKind::impedance) return impedance_sphere(ka, s.body.surface_impedance / vacuum_impedance);
  SphereSeries out = conducting_sphere(ka);
  if (s.body.kind == BoundaryKind::pmc) std::swap(out.a, out.b);
  return out;
}

Direction behind(const PlaneWave& wave) {  // where the wave goes
  const Vec3& d = wave.direction;
  return {std::acos(std::clamp(d[2], -1.0, 1.0)), std::atan2(d[1], d[0])};
}

/// Radius of the ball about the origin of coordinates that holds S'.
double extent(const Domain& d) {
  double out = 0;
  for (Index q = 0; q < d.currents.size(); ++q) out = std::max(out, norm(d.currents.point(q).x));
  return out;
}

constexpr const char* definition_of_sigma =
    "sigma_vu = 4 pi |F_v|^2 for E_u = 1 V/m, F the far field times r; first letter: seen, second: incident; V along "
    "theta, H along phi.";

}  // namespace

Result<MaxwellFem::FarFields> MaxwellFem::far_fields(RunContext& context) const {
  FarFields out;
  const auto seen = [&](std::span<const Complex> f, Index count, std::span<const Direction> directions) {
    return far_field(domain_, k(), f, count, directions, context.team.threads(), context.stop);
  };
  const auto count = static_cast<Index>(waves_.size()), solved = static_cast<Index>(solved_.size());
  if (writes_cuts()) {
    for (const Cut& cut : settings_.cuts) {
      std::vector<Direction> directions;
      for (std::size_t a = 0; a < cut.angles.size(); ++a) directions.push_back(cut.direction(a));
      out.cuts.push_back(seen(currents_, count, directions));
    }
    if (settings_.sphere_step > 0) {
      for (double theta = 0; theta <= pi + 1e-9; theta += settings_.sphere_step)
        for (double phi = 0; phi < 2 * pi - 1e-9; phi += settings_.sphere_step)
          out.sphere_directions.push_back({theta, phi});
      out.sphere = seen(currents_, count, out.sphere_directions);
    }
  }
  const auto directions = settings_.incidences();
  out.back = seen(currents_, solved, directions);
  // Of the first wave that was solved, for the optical theorem.
  const Direction forward = behind(waves_[solved_[0]]);
  const auto one = std::span(currents_).first(static_cast<std::size_t>(4 * domain_.currents.size()));
  out.forward = seen(one, 1, std::span(&forward, 1));
  out.everywhere = seen(one, 1, sphere_rule(k() * extent(domain_)).directions);
  // Of some waves where the others come from, for reciprocity.
  if (const Index some = std::min<Index>(solved, 24); some > 1) {
    std::vector<Direction> from;
    for (Index s = 0; s < some; ++s) from.push_back(directions[solved_[s] / settings_.polarisations()]);
    out.reciprocal = seen(currents_, solved, from);
  } else if (check_) {
    out.reciprocal = seen(currents_, 2, std::array<Direction, 2>{directions[0], check_from_});
  }
  if (context.stop.stop_requested()) return stop_error();
  return out;
}

bool MaxwellFem::writes_cuts() const {
  return !settings_.monostatic && settings_.frequencies.size() <= 12;
}

void MaxwellFem::write_cuts(RunContext& context, const FarFields& far_fields) {
  if (!writes_cuts()) return;
  const auto count = static_cast<Index>(waves_.size());
  const double wave_length = light_speed / frequency(),
               radius = settings_.sphere ? settings_.sphere->radius + settings_.sphere->coat : extent(domain_);
  const std::string suffix = settings_.frequencies.size() == 1 ? "" : fmt::format("_f{}", frequency_ + 1);
  double worst = 0, mean = 0;
  Index samples = 0;
  for (std::size_t number = 0; number < settings_.cuts.size(); ++number) {
    const Cut& cut = settings_.cuts[number];
    const std::vector<FarAmplitude>& far = far_fields.cuts[number];
    TableInfo t;
    t.id = "rcs_" + file_name(cut.name) + suffix;
    t.title = "Cross section, " + cut.name + at_frequency();
    t.definition = definition_of_sigma;
    t.columns = {{cut.phi_runs ? "phi" : "theta", "deg", cut.phi_runs ? "phi" : "theta"}};
    TableInfo units;
    units.id = "all_units_" + file_name(cut.name) + suffix;
    units.title = t.title;
    units.form = ChartForm::none;
    units.columns = t.columns;
    units.definition = fmt::format("{} Over the wavelength squared ({:.6g} m) and over pi a^2 (a = {:.6g} m).",
                                   definition_of_sigma, wave_length, radius);
    std::vector<std::string> names;
    for (Index w = 0; w < count; ++w)
      for (bool seen : {false, true})
        names.push_back(std::string(seen ? "H" : "V") + (settings_.is_horizontal(w) ? "H" : "V"));
    for (const std::string& n : names) {
      t.columns.push_back({n, "dBsm", n});
      for (const char* u : {"m^2", "dBsm", "dB lambda^2", "dB pi a^2"}) units.columns.push_back({n + " " + u, u, n});
    }
    const SphereSeries exact = settings_.exact ? exact_of(settings_, frequency()) : SphereSeries{};
    if (settings_.exact)
      for (const std::string& n : names) {
        t.columns.push_back({n + " exact", "dBsm", n + ", exact"});
        t.exact.push_back(n + " exact");
      }
    Table& table = context.results.table(t);
    Table& all = context.results.table(units);
    TableInfo round = t;
    round.id = "polar_" + file_name(cut.name) + suffix;
    round.form = ChartForm::polar;
    const bool full = cut.angles.size() > 1 && std::abs(cut.angles.back() - cut.angles.front()) > 1.99 * pi;
    Table* polar = full ? &context.results.table(round) : nullptr;
    for (std::size_t a = 0; a < cut.angles.size(); ++a) {
      std::vector<double> row{cut.angles[a] * 180 / pi}, more = row, exact_row;
      for (Index w = 0; w < count; ++w)
        for (bool seen : {false, true}) {
          const Complex f = far[static_cast<Index>(a) * count + w].along(seen);
          const double s = sigma(f);
          row.push_back(decibel(s));
          more.insert(more.end(),
                      {s, decibel(s), decibel(s / (wave_length * wave_length)), decibel(s / (pi * radius * radius))});
          if (!settings_.exact) continue;
          const double true_sigma = sigma(exact_far(exact, waves_[w], cut.direction(a)).along(seen));
          exact_row.push_back(decibel(true_sigma));
          if (decibel(true_sigma / (pi * radius * radius)) > -40) {  // cross polarisation in a symmetry plane is 0
            const double e = std::abs(decibel(s) - decibel(true_sigma));
            worst = std::max(worst, e);
            mean += e;
            ++samples;
          }
        }
      row.insert(row.end(), exact_row.begin(), exact_row.end());
      table.append(row);
      all.append(more);
      if (polar != nullptr) polar->append(row);
    }
  }
  if (samples > 0) {
    context.results.number("error_mean" + suffix, mean / static_cast<double>(samples), "dB");
    context.results.number("error_largest" + suffix, worst, "dB");
  }
  if (settings_.sphere_step > 0) {
    const std::vector<Direction>& directions = far_fields.sphere_directions;
    const std::vector<FarAmplitude>& far = far_fields.sphere;
    TableInfo t;
    t.id = "far_field" + suffix;
    t.title = "Far field" + at_frequency();
    t.form = ChartForm::none;
    t.definition = "F: far field times r exp(+jkr), e^{+j omega t}, for 1 V/m.";
    t.columns = {{"theta", "deg", ""}, {"phi", "deg", ""}};
    for (Index w = 0; w < count; ++w)
      for (const char* c : {"Re F_theta", "Im F_theta", "Re F_phi", "Im F_phi"})
        t.columns.push_back({fmt::format("{} {}", c, settings_.is_horizontal(w) ? "H" : "V"), "V", ""});
    Table& table = context.results.table(t);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      std::vector<double> row{directions[d].theta * 180 / pi, directions[d].phi * 180 / pi};
      for (Index w = 0; w < count; ++w) {
        const FarAmplitude& f = far[static_cast<Index>(d) * count + w];
        row.insert(row.end(), {f.theta.real(), f.theta.imag(), f.phi.real(), f.phi.imag()});
      }
      table.append(row);
    }
  }
}

void MaxwellFem::write_monostatic(RunContext& context, const FarFields& far_fields) {
  const auto directions = settings_.incidences();
  const auto solved = static_cast<Index>(solved_.size()), pols = static_cast<Index>(settings_.polarisations());
  const std::vector<FarAmplitude>& far = far_fields.back;
  Echo& echo = echoes_.back();
  // [direction][incident polarisation][seen V, H]
  for (Index d = 0; d < static_cast<Index>(directions.size()); ++d)
    for (Index p = 0; p < pols; ++p)
      for (bool seen : {false, true}) {
        Complex sum = 0;
        for (Index s = 0; s < solved; ++s) sum += mix_[(d * pols + p) * solved + s] * far[d * solved + s].along(seen);
        echo.amplitude.push_back(sum);
      }
  if (!settings_.monostatic) return;
  const std::string suffix = settings_.frequencies.size() == 1 ? "" : fmt::format("_f{}", frequency_ + 1);
  if (settings_.frequencies.size() > 12) return;
  TableInfo t;
  t.id = "monostatic" + suffix;
  t.title = "Monostatic cross section" + at_frequency();
  t.definition = definition_of_sigma;
  t.columns = {
      {settings_.monostatic->phi_runs ? "phi" : "theta", "deg", settings_.monostatic->phi_runs ? "phi" : "theta"}};
  for (Index p = 0; p < pols; ++p)
    for (bool seen : {false, true}) {
      const std::string n = std::string(seen ? "H" : "V") + (settings_.is_horizontal(p) ? "H" : "V");
      t.columns.push_back({n, "dBsm", n});
    }
  TableInfo round = t;
  round.id = "polar_monostatic" + suffix;
  round.form = ChartForm::polar;
  Table& table = context.results.table(t);
  const auto& angles = settings_.monostatic->angles;
  const bool full = angles.size() > 1 && std::abs(angles.back() - angles.front()) > 1.99 * pi;
  Table* polar = full ? &context.results.table(round) : nullptr;
  for (std::size_t d = 0; d < angles.size(); ++d) {
    std::vector<double> row{angles[d] * 180 / pi};
    for (Index c = 0; c < 2 * pols; ++c)
      row.push_back(decibel(sigma(echo.amplitude[static_cast<Index>(d) * 2 * pols + c])));
    table.append(row);
    if (polar != nullptr) polar->append(row);
  }
}

void MaxwellFem::write_checks(RunContext& context, const FarFields& far_fields) {
  const auto solved = static_cast<Index>(solved_.size());
  Results& out = context.results;
  // Optical theorem, for the first wave that was solved.
  const PlaneWave& wave = waves_[solved_[0]];
  const Direction forward = behind(wave);
  Echo& echo = echoes_.back();
  echo.extinction = extinction(far_fields.forward[0], forward, wave);
  const SphereRule rule = sphere_rule(k() * extent(domain_));
  const std::vector<FarAmplitude>& everywhere = far_fields.everywhere;
  for (std::size_t d = 0; d < rule.weights.size(); ++d)
    echo.scattering += rule.weights[d] * (std::norm(everywhere[d].theta) + std::norm(everywhere[d].phi));
  bool lossy = false;
  for (const Medium& m : settings_.media(frequency()))
    for (int d = 0; d < 3; ++d) lossy = lossy || m.epsilon[d].imag() < 0 || m.mu[d].imag() < 0;
  for (const ImpedancePatch& i : domain_.impedances) lossy = lossy || i.surface_impedance.real() > 0;
  out.number("extinction", echo.extinction, "m^2");
  out.number("scattering", echo.scattering, "m^2");
  if (lossy)
    out.number("absorption", echo.extinction - echo.scattering, "m^2");
  else
    out.number("optical_theorem_mismatch", std::abs(echo.extinction / echo.scattering - 1), "1");
  // Reciprocity: F_i(from i; wave j) = F_j(from j; wave i) for the waves that were solved.
  const Index some = std::min<Index>(solved, 24);
  if (some > 1) {
    const std::vector<FarAmplitude>& far = far_fields.reciprocal;
    double difference = 0, largest = 0;
    for (Index a = 0; a < some; ++a)
      for (Index b = 0; b < some; ++b) {
        const Complex there = far[a * solved + b].along(settings_.is_horizontal(solved_[a])),
                      back = far[b * solved + a].along(settings_.is_horizontal(solved_[b]));
        difference = std::max(difference, std::abs(there - back));
        largest = std::max(largest, std::abs(there));
      }
    if (largest > 0) out.number("reciprocity_mismatch", difference / largest, "1");
  } else if (check_) {
    // A single wave against one from elsewhere: p_b · F_a(r_b) = p_a · F_b(r_a).
    const std::array<Direction, 2> from{settings_.incidences()[0], check_from_};
    const std::vector<FarAmplitude>& far = far_fields.reciprocal;
    const auto along = [](const FarAmplitude& f, const Direction& d, const PlaneWave& w) {
      return f.theta * dot(d.theta_hat(), w.polarisation) + f.phi * dot(d.phi_hat(), w.polarisation);
    };
    const Complex there = along(far[2], from[1], *check_), back = along(far[1], from[0], wave);
    const double largest = std::max(std::abs(there), std::abs(back));
    if (largest > 0) out.number("reciprocity_mismatch", std::abs(there - back) / largest, "1");
  }
}

Status MaxwellFem::end_frequency(RunContext& context) {
  const auto far = far_fields(context);
  if (!far) return far.error();
  echoes_.push_back({frequency(), {}, 0, 0});
  write_cuts(context, *far);
  write_monostatic(context, *far);
  write_checks(context, *far);
  context.results.number("directions_solved", static_cast<double>(solved_.size()), "1");
  if (settings_.monostatic) context.results.number("compression_error", compression_error_, "1");
  return {};
}

Status MaxwellFem::finish(RunContext& context) {
  Results& out = context.results;
  const auto pols = static_cast<std::size_t>(settings_.polarisations());
  if (echoes_.size() > 1) {
    TableInfo t;
    t.id = "frequency";
    t.title = settings_.monostatic ? "Echo of the first direction" : "Echo";
    t.definition = std::string(definition_of_sigma) + " Seen from where the wave comes.";
    t.columns = {{"f", "Hz", "frequency"}};
    for (std::size_t p = 0; p < pols; ++p)
      for (bool seen : {false, true}) {
        const std::string n =
            std::string(seen ? "H" : "V") + (settings_.is_horizontal(static_cast<Index>(p)) ? "H" : "V");
        t.columns.push_back({n, "dBsm", n});
      }
    t.columns.push_back({"extinction", "dBsm", "extinction"});
    t.columns.push_back({"scattering", "dBsm", "scattering"});
    if (settings_.exact) {
      t.columns.push_back({"exact", "dBsm", "exact"});
      t.exact = {"exact"};
    }
    Table& table = out.table(t);
    for (const Echo& e : echoes_) {
      std::vector<double> row{e.frequency};
      for (std::size_t c = 0; c < 2 * pols; ++c) row.push_back(decibel(sigma(e.amplitude[c])));
      row.push_back(decibel(e.extinction));
      row.push_back(decibel(e.scattering));
      if (settings_.exact) {
        const SphereSeries s = exact_of(settings_, e.frequency);
        const double a = settings_.sphere->radius + settings_.sphere->coat;
        row.push_back(decibel(s.sigma_e(-1) * pi * a * a));
      }
      table.append(row);
    }
  }
  if (settings_.range_profile && echoes_.size() >= 8) {
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
      echo.push_back(e.amplitude[settings_.vertical ? 0 : 1]);  // co-polar, of the first wave
    }
    const RangeProfile profile = range_profile(frequencies, echo);
    for (std::size_t i = 0; i < profile.range.size(); ++i) table.append({profile.range[i], profile.level[i]});
  }
  if (!echoes_.empty())
    for (std::size_t p = 0; p < pols; ++p) {
      const bool h = settings_.is_horizontal(static_cast<Index>(p));
      out.number(h ? "echo_HH" : "echo_VV", sigma(echoes_.back().amplitude[2 * p + static_cast<std::size_t>(h)]),
                 "m^2");
    }
  out.number("iterations", static_cast<double>(worst_iterations_), "1");
  out.number("operator_applications", static_cast<double>(applications_), "1");
  out.number("residual", worst_residual_, "1");
  out.number("seconds_factorisation", seconds_factor_, "s");
  out.number("seconds_near_pairs", seconds_near_, "s");
  out.number("seconds_solution", seconds_solve_, "s");
  out.number("seconds_radiation", seconds_radiate_, "s");
  if (finished_ && failed_to_converge_)
    return make_error(
        ErrorCode::not_converged,
        fmt::format("the truncation did not converge: residual {:.2e} after {} iterations, {:.1e} was asked for",
                    worst_residual_, worst_iterations_, settings_.truncation.tolerance),
        settings_.truncation.method == TruncationMethod::gmres
            ? "Allow more iterations or move S farther out (truncation.distance)."
            : "Use the method gmres: the plain iteration diverges on large bodies with S close by.");
  return {};
}

}  // namespace conoid::maxwell_fem
