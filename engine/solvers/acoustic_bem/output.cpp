// SPDX-License-Identifier: BSD-3-Clause
// What the solver shows and keeps: receivers, spectra, far field, frames.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using Complex = std::complex<double>;

namespace {

double decibel(Complex v, Complex over) {
  return 20 * std::log10(std::max(std::abs(v) / std::max(std::abs(over), 1e-300), 1e-15));
}

/// Σ f(nΔt − late) e^{iωnΔt} over all steps at which the pulse is not zero, those before the run among them: a plane wave passes the origin,
/// and a source sends, long before anything reaches a body that is far away.
Complex sum_over_steps(const Pulse& pulse, double late, double dt, double omega) {
  Complex out = 0;
  const auto first = static_cast<Index>(std::floor((late - pulse.onset()) / dt)),
             last = static_cast<Index>(std::ceil((late - pulse.onset() + pulse.length()) / dt));
  for (Index n = first; n <= last; ++n) {
    const double t = static_cast<double>(n) * dt;
    out += pulse.value(t - late) * std::polar(1.0, omega * t);
  }
  return out;
}

double cosine_to_z(const Vec3& x) {
  return x[2] / norm(x);
}

}  // namespace

bool exact_wave(const Settings& s) {
  return s.exact_sphere && s.conditions.walls.empty() && !s.conditions.ground && s.runs.size() == 1 &&
         s.runs[0].waves.size() == 1 && s.runs[0].waves[0].kind == WaveKind::plane &&
         s.runs[0].waves[0].direction[2] > 1 - 1e-12;
}

double ball_radius(const Surface& s) {
  return std::cbrt(signed_volume(s) * 3 / (4 * std::numbers::pi));
}

std::string AcousticBem::suffix(std::size_t run) const {
  return settings_.runs.size() == 1 ? "" : fmt::format(" {}", settings_.runs[run].name);
}

void AcousticBem::head_tables() {
  TableInfo& t = receivers_table_;
  t.id = "receivers";
  t.title = "Pressure at the receivers";
  t.definition = "Total pressure, and the scattered part of it.";
  t.columns = {{"t", "s", "time"}};
  for (std::size_t r = 0; r < settings_.runs.size(); ++r)
    for (const std::string& name : settings_.receiver_names) {
      t.columns.push_back({name + suffix(r), "Pa", name + suffix(r)});
      t.columns.push_back({name + suffix(r) + " scattered", "Pa", name + suffix(r) + " scattered"});
    }
  if (t.columns.size() > 17) t.form = ChartForm::none;
  if (exact_wave(settings_) && settings_.runs[0].waves[0].pulse.kind == PulseKind::ricker &&
      !settings_.receivers.empty()) {
    const Wave& wave = settings_.runs[0].waves[0];
    ExactSphere exact{settings_.form.rigid(), ball_radius(surface_), settings_.form.c, 0};
    exact.filling = settings_.conditions.filling;
    std::vector<double> times;
    for (Index n = 0; n <= settings_.steps + settings_.grouped; ++n)
      times.push_back(static_cast<double>(n) * settings_.form.dt);
    for (std::size_t k = 0; k < settings_.receivers.size(); ++k) {
      const Vec3& x = settings_.receivers[k];
      exact_u_.push_back(exact.time_signals(ExactSphere::Quantity::scattered, norm(x), {cosine_to_z(x)}, times,
                                            wave.pulse, wave.t0)[0]);
      t.columns.push_back(
          {settings_.receiver_names[k] + " scattered exact", "Pa", settings_.receiver_names[k] + " scattered, exact"});
      t.exact.push_back(settings_.receiver_names[k] + " scattered exact");
    }
    t.definition += " Exact: series of spherical harmonics for the sphere of the same volume.";
    error_sums_.assign(2 * exact_u_.size(), 0);
  }
}

void AcousticBem::append_receivers(RunContext& context) {
  const std::size_t count = settings_.receivers.size(), runs = settings_.runs.size();
  if (count == 0) return;
  std::vector<double> scattered;
  engine_->receivers(context.team, scattered);
  const auto steps = static_cast<std::size_t>(settings_.grouped);
  const double c = settings_.form.c;
  Table& table = context.results.table(receivers_table_);
  for (std::size_t g = 0; g < steps; ++g) {
    const Index n = engine_->step() - settings_.grouped + 1 + static_cast<Index>(g) - receiver_lag;
    if (n < 0) continue;
    const double t = static_cast<double>(n) * settings_.form.dt;
    std::vector<double> row{t};
    for (std::size_t r = 0; r < runs; ++r) {
      std::vector<double> incident(count);
      const std::span<double> u(scattered.data() + (r * steps + g) * count, count);
      if (r + 1 == runs) drive_.add_at(driven_receivers_, n, u);
      for (std::size_t k = 0; k < count; ++k) {
        incident[k] = settings_.runs[r].value(settings_.receivers[k], t, c);
        row.push_back(incident[k] + u[k]);
        row.push_back(u[k]);
      }
      receiver_scattered_[r].add(context.team, u, t, settings_.form.dt);
      receiver_incident_[r].add(context.team, incident, t, settings_.form.dt);
    }
    for (std::size_t k = 0; k < exact_u_.size(); ++k) {
      const double exact = exact_u_[k][static_cast<std::size_t>(n)];
      row.push_back(exact);
      error_sums_[2 * k] += std::pow(scattered[g * count + k] - exact, 2);
      error_sums_[2 * k + 1] += exact * exact;
    }
    table.append(row);
  }
}

void AcousticBem::append_power(RunContext& context, Index n, std::span<const double> a) {
  const double power = drive_.power(n, a), t = static_cast<double>(n) * settings_.form.dt;
  energy_ += power * settings_.form.dt;
  std::vector<double> row{t, power, energy_};
  for (const Motion& m : drive_.motions()) row.push_back(m.velocity(t));
  TableInfo info;
  info.id = "radiated_power";
  info.title = "Power of the moving faces";
  info.definition =
      "Pressure times normal velocity over all moving faces, and its sum over time; velocity of each group.";
  info.columns = {{"t", "s", "time"}, {"power", "W", "power"}, {"energy", "J", "energy"}};
  for (const Motion& m : drive_.motions()) info.columns.push_back({"v " + m.name, "m/s", "velocity of " + m.name});
  context.results.table(info).append(row);
}

TableInfo AcousticBem::radiation_table(const char* id, const char* title, const char* until) {
  TableInfo t;
  t.id = id;
  t.title = title;
  t.definition = fmt::format(
      "Energy a hertz that moving faces give to the fluid, 2 Re of the sum of p v*; radiation efficiency and "
      "reactance: "
      "the parts of the sum of p v* in phase with the velocity and ahead of it, as of a mass, over density times speed "
      "of sound times the sum of v v* over the moving faces{}.",
      until);
  t.columns = {{"f", "Hz", "frequency"},
               {"energy", "J/Hz", "energy"},
               {"efficiency", "1", "radiation efficiency"},
               {"reactance", "1", "radiation reactance"}};
  return t;
}

std::vector<double> AcousticBem::radiation_at(double f, std::span<const Complex> a, Index steps) const {
  const double square = settings_.density * settings_.form.c * drive_.square(f, steps);
  const Complex work = drive_.work(a, f, steps);
  // Under exp(-i 2 pi f t) what is ahead has a negative imaginary part.
  return {f, 2 * work.real(), square > 0 ? work.real() / square : 0, square > 0 ? -work.imag() / square : 0};
}

void AcousticBem::write_radiated(RunContext& context) const {
  if (drive_.empty()) return;
  context.results.number("radiated_energy", energy_, "J");
  if (settings_.frequencies.empty()) return;
  Table& table = context.results.table(radiation_table("radiated_spectrum", "Radiation over frequency", ""));
  for (std::size_t k = 0; k < settings_.frequencies.size(); ++k)
    table.append(radiation_at(settings_.frequencies[k], surface_spectra_.back().at(k), engine_->step()));
}

Complex AcousticBem::far_amplitude(std::size_t run, std::size_t spectrum, double frequency, const Vec3& toward) const {
  Complex out = far_field(surface_, settings_.form, surface_spectra_[run].at(spectrum), frequency, toward);
  if (run + 1 == settings_.runs.size()) out += drive_.far_field(surface_, frequency, engine_->step(), toward);
  return out;
}

void AcousticBem::look_at_planes(Team& team) {
  const std::size_t count = plane_points_.size();
  if (count == 0) return;
  std::vector<double> scattered;
  engine_->planes(team, scattered);
  const std::size_t last = static_cast<std::size_t>(settings_.grouped - 1);
  const Index n = engine_->step() - receiver_lag;
  if (n < 0) return;
  const std::span<double> u(scattered.data() + last * count, count);  // of run 0
  if (settings_.runs.size() == 1) drive_.add_at(driven_planes_, n, u);
  const double t = static_cast<double>(n) * settings_.form.dt;
  for_range(team, "points of the planes", static_cast<Index>(count), 64, 1e-7 * static_cast<double>(count),
            [&](Interval some) {
              for (auto k = static_cast<std::size_t>(some.begin); k < static_cast<std::size_t>(some.end); ++k)
                plane_now_[k] = u[k] + settings_.runs[0].value(plane_points_[k], t, settings_.form.c);
            });
}

/// The sums over the steps that a march would make of the planes' pressures, without a pass over their row-vectors in each group.
void AcousticBem::find_plane_losses(RunContext& context) {
  if (settings_.maps.empty() || plane_points_.empty() || !plane_loss_.empty()) return;
  const double dt = settings_.form.dt;
  std::vector<std::vector<float>> losses;
  for (std::size_t m = 0; m < settings_.maps.size(); ++m) {
    const double f = settings_.maps[m], omega = 2 * std::numbers::pi * f;
    const auto spectrum = surface_spectra_[0].at(settings_.frequencies.size() + m);
    // Of soft surfaces these are times half a step before those of the sums.
    const Complex by = std::polar(1 / dt, settings_.form.rigid() ? 0.0 : 0.5 * omega * dt);
    std::vector<Complex> a;
    for (const Complex& v : spectrum) a.push_back(by * v);
    std::vector<Complex> scattered = engine_->planes_at(context.team, omega, a);
    if (settings_.runs.size() == 1) drive_.add_transformed(driven_planes_, omega, scattered);
    std::vector<float>& loss = losses.emplace_back(scattered.size());
    // A hundred steps of a pulse a point and wave, about.
    const double cost = 5e-6 * static_cast<double>(scattered.size() * settings_.runs[0].waves.size());
    for_range(context.team, "points of the planes", static_cast<Index>(scattered.size()), 16, cost, [&](Interval some) {
      for (auto k = static_cast<std::size_t>(some.begin); k < static_cast<std::size_t>(some.end); ++k) {
        const Complex in = incident_at(0, plane_points_[k], f);
        loss[k] =
            std::abs(in) > 0 ? static_cast<float>(std::clamp(-decibel(in + scattered[k], in), -60.0, 60.0)) : 0.0F;
      }
    });
  }
  plane_loss_ = std::move(losses);
}

Complex AcousticBem::pulse_spectrum(std::size_t run, double frequency) const {
  // A sum over time steps as the surface's spectrum is one. Without waves, that of the first motion.
  if (settings_.runs[run].waves.empty()) return drive_.velocity(0, frequency, engine_->step());
  return wave_spectra(run, frequency)[0];
}

std::vector<Complex> AcousticBem::wave_spectra(std::size_t run, double frequency) const {
  const double dt = settings_.form.dt;
  std::vector<Complex> out;
  for (const Wave& w : settings_.runs[run].waves)
    out.push_back(dt * sum_over_steps(w.pulse, w.t0, dt, 2 * std::numbers::pi * frequency));
  return out;
}

double AcousticBem::far_field_seconds() const {
  return 2e-7 * static_cast<double>(surface_.triangles.size() + surface_.images.size());
}

void AcousticBem::write_target_strength(RunContext& context) const {
  if (settings_.frequencies.empty()) return;
  struct Cut {
    std::size_t run;
    Vec3 toward;
    std::string name;
  };
  std::vector<Cut> cuts;
  for (std::size_t r = 0; r < settings_.runs.size(); ++r) {
    if (settings_.runs[r].waves.empty()) continue;  // nothing is scattered
    const Wave& w = settings_.runs[r].waves[0];
    if (w.kind == WaveKind::plane) cuts.push_back({r, scale(-1, w.direction), "back" + suffix(r)});
    for (std::size_t d = 0; d < settings_.directions.size(); ++d)
      cuts.push_back({r, settings_.directions[d], fmt::format("direction {}{}", d + 1, suffix(r))});
  }
  if (cuts.empty()) return;
  const bool exact = exact_wave(settings_);
  ExactSphere sphere{settings_.form.rigid(), exact ? ball_radius(surface_) : 1, settings_.form.c, 0};
  sphere.filling = settings_.conditions.filling;
  TableInfo t;
  t.id = "target_strength";
  t.title = "Target strength";
  t.columns = {{"f", "Hz", "frequency"}};
  t.definition =
      "20 log10(|f_inf| / (|f| 1 m)): far-field amplitude over the spectrum of the pulse (of the first wave of each "
      "run). Only "
      "frequencies where the pulse has more than 0.1 % of its maximum.";
  for (const Cut& c : cuts) t.columns.push_back({c.name, "dB", c.name});
  if (exact)
    for (const Cut& c : cuts) {
      t.columns.push_back({c.name + " exact", "dB", c.name + ", exact"});
      t.exact.push_back(c.name + " exact");
    }
  Table& table = context.results.table(t);
  std::vector<double> strength;
  double most = 0, worst = 0;
  for (double f : settings_.frequencies) {
    strength.push_back(std::abs(pulse_spectrum(0, f)));
    most = std::max(most, strength.back());
  }
  std::vector<std::vector<double>> rows(strength.size());
  const auto count = static_cast<Index>(strength.size());
  const double cost = far_field_seconds() * static_cast<double>(strength.size() * cuts.size());
  for_range(context.team, "frequencies", count, 1, cost, [&](Interval some) {
    for (Index at = some.begin; at < some.end; ++at) {
      const auto k = static_cast<std::size_t>(at);
      if (strength[k] < 1e-3 * most) continue;
      const double f = settings_.frequencies[k];
      rows[k].push_back(f);
      for (const Cut& c : cuts)
        rows[k].push_back(target_strength(far_amplitude(c.run, k, f, c.toward), pulse_spectrum(c.run, f)));
    }
  });
  for (std::vector<double>& row : rows) {
    if (row.empty()) continue;
    const double f = row[0];
    if (exact)
      for (std::size_t d = 0; d < cuts.size(); ++d) {
        row.push_back(target_strength(sphere.far_field(2 * std::numbers::pi * f, cuts[d].toward[2]), 1));
        worst = std::max(worst, std::abs(row.back() - row[1 + d]));
      }
    table.append(row);
  }
  if (exact) context.results.number("target_strength_error", worst, "dB");
}

void AcousticBem::write_receiver_spectra(RunContext& context) const {
  if (settings_.maps.empty() || settings_.receivers.empty()) return;
  for (const Excitation& run : settings_.runs)
    if (run.waves.empty()) return;  // nothing to compare with
  TableInfo t;
  t.id = "insertion_loss";
  t.title = "Insertion loss at the receivers";
  t.definition = "20 log10(|p incident| / |p total|) of the spectra.";
  t.columns = {{"f", "Hz", "frequency"}};
  for (std::size_t r = 0; r < settings_.runs.size(); ++r)
    for (const std::string& name : settings_.receiver_names)
      t.columns.push_back({name + suffix(r), "dB", name + suffix(r)});
  if (t.columns.size() > 17) t.form = ChartForm::none;
  Table& table = context.results.table(t);
  for (std::size_t m = 0; m < settings_.maps.size(); ++m) {
    std::vector<double> row{settings_.maps[m]};
    for (std::size_t r = 0; r < settings_.runs.size(); ++r)
      for (std::size_t k = 0; k < settings_.receivers.size(); ++k) {
        const Complex in = receiver_incident_[r].at(m)[k];
        row.push_back(-decibel(in + receiver_scattered_[r].at(m)[k], in));
      }
    table.append(row);
  }
}

Complex AcousticBem::incident_at(std::size_t run, const Vec3& x, double frequency) const {
  const double omega = 2 * std::numbers::pi * frequency;
  Complex out = 0;
  for (const Wave& w : settings_.runs[run].waves)
    out += sum_over_steps(w.pulse, w.t0 + w.travel(x, settings_.form.c), settings_.form.dt, omega) /
           (w.kind == WaveKind::plane ? 1 : 4 * std::numbers::pi * distance(x, w.position));
  return out;
}

/// Σ_n u_inc e^{iωt_n}, over all steps, at the receivers; last, that of the pulse of the first wave or motion.
std::vector<Complex> AcousticBem::spectra_of_waves(std::size_t run, double frequency) const {
  std::vector<Complex> out;
  for (const Vec3& x : settings_.receivers) out.push_back(incident_at(run, x, frequency));
  const std::vector<Wave>& waves = settings_.runs[run].waves;
  const Pulse& pulse = waves.empty() ? settings_.motions[0].pulse : waves[0].pulse;
  const double begins = waves.empty() ? settings_.motions[0].t0 : waves[0].t0;
  out.push_back(sum_over_steps(pulse, begins, settings_.form.dt, 2 * std::numbers::pi * frequency));
  return out;
}

std::vector<RunningSpectrum> AcousticBem::lit_spectra(RunContext& context, const std::vector<double>& frequencies) {
  const std::size_t runs = settings_.runs.size();
  const double dt = settings_.form.dt;
  const auto steps = static_cast<Index>(std::ceil(settings_.lit / dt)) + 2;
  std::vector<RunningSpectrum> lit;
  std::vector<double> l(static_cast<std::size_t>(surface_.unknowns));
  for (std::size_t r = 0; r < runs; ++r) {
    RightHandSide rhs(surface_, settings_.form, settings_.runs[r]);
    lit.emplace_back(frequencies, surface_.unknowns);
    const double cost = 3e-7 * static_cast<double>(rhs.triangle_count());
    for (Index n = 1; n <= steps; ++n) {
      for_range(context.team, "illumination", rhs.triangle_count(), 256, cost,
                [&](Interval range) { rhs.triangles(n, range); });
      rhs.gather({0, surface_.unknowns}, l.data());
      if (r + 1 == runs) drive_.add_to(n, l);
      lit[r].add(context.team, l, static_cast<double>(n) * dt, 1);
    }
    for (Index n = steps + 1; r + 1 == runs && !drive_.empty() && n <= steps + drive_.columns(); ++n) {
      std::fill(l.begin(), l.end(), 0.0);
      drive_.add_to(n, l);
      lit[r].add(context.team, l, static_cast<double>(n) * dt, 1);
    }
  }
  return lit;
}

bool AcousticBem::surface_is_solved() const {
  return solved_surface_.size() == settings_.surface_spectra.size() &&
         std::none_of(solved_surface_.begin(), solved_surface_.end(), [](const auto& a) { return a.empty(); });
}

Status AcousticBem::solve_surface_spectra(RunContext& context) {
  const std::vector<double>& frequencies = settings_.surface_spectra;
  if (surface_is_solved()) return {};
  solved_surface_.resize(frequencies.size());
  const std::vector<RunningSpectrum> lit = lit_spectra(context, frequencies);
  context.progress.begin("frequencies", static_cast<Index>(frequencies.size()), "frequencies");
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    if (!solved_surface_[k].empty()) continue;  // before a stop
    if (cluster_->maximum(context.stop.stop_requested() ? 1.0 : 0.0) > 0) break;
    const double omega = 2 * std::numbers::pi * frequencies[k];
    std::vector<std::vector<Complex>> right{{lit[0].at(k).begin(), lit[0].at(k).end()}}, a, received;
    if (engine_->spectrum(context.team, omega, right, a, received) == 0) return not_solved(frequencies[k]);
    // Values of soft surfaces lie half a step earlier.
    const Complex over = std::polar(1.0, settings_.form.rigid() ? 0.0 : -0.5 * omega * settings_.form.dt) /
                         spectra_of_waves(0, frequencies[k]).back();
    for (Complex& v : a[0]) v *= over;
    solved_surface_[k] = std::move(a[0]);
    context.progress.at(static_cast<Index>(k + 1));
  }
  context.progress.end();
  return {};
}

Status AcousticBem::write_spectra(RunContext& context) {
  if (settings_.spectra.empty()) return {};
  const std::size_t runs = settings_.runs.size(), all = settings_.spectra.size();
  const auto N = static_cast<std::size_t>(surface_.unknowns);
  TableInfo t;
  t.id = "spectra";
  t.title = "Spectra at the receivers";
  t.definition =
      "Total pressure over the pulse of the first wave of each run (of the first motion, in Pa s/m, where no wave "
      "comes in), as if the "
      "run went on for ever; time factor exp(-i 2 pi f t). Level 20 log10 of the magnitude.";
  t.columns = {{"f", "Hz", "frequency"}};
  for (std::size_t r = 0; r < runs; ++r) {
    const char* const over_pulse = settings_.runs[r].waves.empty() ? "Pa s/m" : "1";
    for (const std::string& name : settings_.receiver_names)
      for (const char* part : {"", " real", " imaginary"})
        t.columns.push_back({name + suffix(r) + part, *part == 0 ? "dB" : over_pulse, name + suffix(r) + part});
  }
  t.form = ChartForm::none;
  Table* const table = context.cluster.leads() ? &context.results.table(t) : nullptr;
  Table* const radiation =
      table != nullptr && !drive_.empty()
          ? &context.results.table(radiation_table("radiated_solved", "Radiation over frequency, solved for",
                                                   ", as if the run went on for ever"))
          : nullptr;
  const auto sent =
      static_cast<Index>(std::ceil(settings_.lit / settings_.form.dt)) + 2;  // what moves has come to rest
  // Right-hand sides of some frequencies at a time, 64 MB of them.
  const std::size_t at_once = std::clamp<std::size_t>((std::size_t{64} << 20) / (16 * N * runs), 1, all);
  Index most = 0;
  context.progress.begin("frequencies", static_cast<Index>(all), "frequencies");
  for (std::size_t begin = 0; begin < all; begin += at_once) {
    const std::vector<double> some(
        settings_.spectra.begin() + static_cast<std::ptrdiff_t>(begin),
        settings_.spectra.begin() + static_cast<std::ptrdiff_t>(std::min(begin + at_once, all)));
    const std::vector<RunningSpectrum> lit = lit_spectra(context, some);
    for (std::size_t k = 0; k < some.size(); ++k) {
      if (context.stop.stop_requested())
        return make_error(ErrorCode::stopped, "Stopped while spectra were solved for.");
      const double omega = 2 * std::numbers::pi * some[k];
      std::vector<std::vector<Complex>> right, a, received;
      for (std::size_t r = 0; r < runs; ++r) right.emplace_back(lit[r].at(k).begin(), lit[r].at(k).end());
      const Index iterations = engine_->spectrum(context.team, omega, right, a, received);
      if (iterations == 0) return not_solved(some[k]);
      most = std::max(most, iterations);
      std::vector<double> row{some[k]};
      for (std::size_t r = 0; r < runs; ++r) {
        const auto waves = spectra_of_waves(r, some[k]);
        if (r + 1 == runs) drive_.add_transformed(driven_receivers_, omega, received[r]);
        for (std::size_t p = 0; p < received[r].size(); ++p) {
          const Complex over = (received[r][p] + waves[p]) / waves.back();
          row.insert(row.end(), {decibel(over, 1), over.real(), over.imag()});
        }
      }
      if (table != nullptr) table->append(row);
      if (radiation != nullptr) {
        for (Complex& v : a.back()) v *= settings_.form.dt;  // sums over the steps so far
        radiation->append(radiation_at(some[k], a.back(), sent));
      }
      context.progress.at(static_cast<Index>(begin + k + 1));
    }
  }
  context.progress.end();
  if (context.cluster.leads()) context.results.number("spectrum_iterations", static_cast<double>(most), "1");
  return {};
}

/// Spectra of the march are those of what it has seen. Of what would still come the surface's largest value now, for as long as a wave takes to cross
/// it or, of what is slower than the frequency, for a turn over 2 pi, is a bound; it weighs where the pulse has little.
void AcousticBem::warn_of_cut(double late) const {
  constexpr double died_out = 1e-3, matters = 0.01;
  if (settings_.frequencies.empty() && settings_.maps.empty()) return;
  double worst = 0, at = 0;
  for (const RunningSpectrum& spectrum : surface_spectra_)
    for (std::size_t k = 0; k < spectrum.frequencies().size(); ++k) {
      const double f = spectrum.frequencies()[k],
                   left = last_ * std::min(surface_.diameter / settings_.slowest(), 0.5 / (std::numbers::pi * f));
      double most = 0;
      for (const Complex& v : spectrum.at(k)) most = std::max(most, std::abs(v));
      if (most > 0 && left / most > worst) worst = left / most, at = f;
    }
  const char* const hint =
      "Raise parameters.end_time, or ask for output.spectra and output.monostatic, which need no end";
  if (late >= died_out)
    log::warning(
        "acoustic-bem: the surface still has {:.2g} of its peak when the run ends: frequencies, maps and what is made "
        "of "
        "them are those of signals cut off there. {}",
        late, hint);
  else if (worst > matters)
    log::warning(
        "acoustic-bem: what the surface still has when the run ends, {:.2g} of its peak, may be {:.2g} % of what it "
        "has "
        "in all at {}, where the pulse has little: frequencies and maps are those of signals cut off there. {}",
        late, 100 * worst, format_quantity(at, "Hz"), hint);
}

Status AcousticBem::finish(RunContext& context) {
  if (engine_)
    if (Status s = write_spectra(context); !s) return s;
  if (engine_)
    if (Status s = write_head_related(context); !s) return s;
  if (engine_)
    if (Status s = write_monostatic(context); !s) return s;
  if (!engine_ || !context.cluster.leads()) return {};  // all ranks hold the same values
  write_target_strength(context);
  write_pattern(context);
  write_directivity(context);
  write_receiver_spectra(context);
  write_radiated(context);
  Results& out = context.results;
  out.number("time_steps", static_cast<double>(engine_->step()), "1");
  const double late = peak_ > 0 ? last_ / peak_ : 0;
  out.number("late_level", late, "1");
  warn_of_cut(late);
  if (driven_ > 0 && ringing_ > 2 * driven_)
    log::warning(
        "acoustic-bem: the surface values end at {:.2g} times what they were while anything was sent: if nothing meets "
        "again there, the march grows. Hold it against a run with a smaller step, or with whole matrices",
        ringing_ / driven_);
  for (std::size_t k = 0; k < exact_u_.size(); ++k)
    if (error_sums_[2 * k + 1] > 0)
      out.number(fmt::format("error_{}", settings_.receiver_names[k]),
                 std::sqrt(error_sums_[2 * k] / error_sums_[2 * k + 1]), "1");
  const MarchTimes times = engine_->times();
  out.number("seconds_assembly_threads", engine_->facts().assembly_seconds, "s");
  out.number("seconds_summation", times.summation, "s");
  if (times.to_devices > 0) out.number("streamed_to_devices", static_cast<double>(times.to_devices), "B");
  if (const auto streaming = engine_->streaming()) {
    out.number("streamed_read", static_cast<double>(streaming->loaded), "B");
    out.number("streamed_written", static_cast<double>(streaming->saved), "B");
    out.number("streaming_memory_peak", static_cast<double>(streaming->peak), "B");
    out.number("seconds_waiting_for_disk_threads", streaming->waiting, "s");
  }
  out.number("seconds_radiation", times.radiation, "s");
  out.number("seconds_solution", times.solution, "s");
  out.number("seconds_illumination", times.illumination, "s");
  if (times.on_device > 0) out.number("seconds_steps_on_device", times.on_device, "s");
  return {};
}

std::vector<CatalogEntry> AcousticBem::catalog() const {
  std::vector<CatalogEntry> out;
  const bool rigid = settings_.form.rigid();
  for (std::size_t r = 0; r < settings_.runs.size(); ++r) {
    const std::string number = r == 0 ? "" : fmt::format("_{}", r + 1);
    out.push_back(
        {"surface", rigid ? FieldInfo{"pressure" + number, "Pa", FieldKind::signed_value, Association::point, 1, false,
                                      (surface_.closed ? "Pressure" : "Pressure jump") + suffix(r)}
                          : FieldInfo{"normal_derivative" + number, "Pa/m", FieldKind::signed_value, Association::point,
                                      1, false, "Normal derivative of the pressure" + suffix(r)}});
  }
  for (std::size_t m = 0; m < settings_.maps.size(); ++m)
    out.push_back(
        {"surface",
         {fmt::format("spectrum_{}", m + 1), rigid ? "Pa s" : "Pa s/m", FieldKind::signed_value, Association::point, 1,
          true, "Spectrum at " + format_quantity(settings_.maps[m], "Hz") + suffix(0)}});
  for (std::size_t k = 0; k < settings_.surface_spectra.size(); ++k)
    out.push_back({"surface",
                   {fmt::format("solved_{}", k + 1), rigid ? "1" : "1/m", FieldKind::signed_value, Association::point,
                    1, true, "Over the pulse at " + format_quantity(settings_.surface_spectra[k], "Hz") + suffix(0)}});
  for (const Plane& p : planes_) {
    out.push_back({p.setting.name,
                   {"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure" + suffix(0)}});
    for (std::size_t m = 0; m < settings_.maps.size(); ++m)
      out.push_back({p.setting.name,
                     {fmt::format("insertion_loss_{}", m + 1), "dB", FieldKind::signed_value, Association::point, 1,
                      false, "Insertion loss at " + format_quantity(settings_.maps[m], "Hz") + suffix(0)}});
  }
  return out;
}

void AcousticBem::fill(FrameBuilder& builder) const {
  builder.at(steps_done(), static_cast<double>(engine_->step()) * settings_.form.dt, FrameAxis::time);
  // The end has one frame, with all spectra: a run that was stopped within them has none of it.
  if (engine_->step() >= marched_steps() && !surface_is_solved()) return;
  if (cluster_ != nullptr && !cluster_->leads()) return;  // all ranks hold the same values
  const auto entries = catalog();
  const auto on_mesh = [&](int width, auto&& value) {  // values of vertices placed at the mesh's points
    std::vector<float> out(static_cast<std::size_t>(mesh_->point_count() * width), 0.0F);
    for (Index v = 0; v < surface_.unknowns; ++v)
      // Other unknowns of a rigid form are cΔt ∂_n p: at soft faces, where p = 0, and beside the pressures of filled bodies.
      for (int c = 0; c < width && surface_.carries_pressure(static_cast<std::int32_t>(v)); ++c)
        out[static_cast<std::size_t>(surface_.mesh_point[static_cast<std::size_t>(v)] * width + c)] =
            static_cast<float>(value(static_cast<std::size_t>(v), c));
    return out;
  };
  if (builder.wants_part("surface")) {
    FramePart& part = builder.part("surface", geometry_);
    std::size_t run = 0, map = 0;
    const std::size_t maps = settings_.maps.size();
    for (const CatalogEntry& e : entries) {
      if (e.part != "surface") continue;
      const std::size_t r = e.field.is_complex ? 0 : run++, m = e.field.is_complex ? map++ : 0;
      if (!builder.wants(e.field.name)) continue;
      if (e.field.is_complex) {
        const std::vector<Complex> none(static_cast<std::size_t>(surface_.unknowns));  // until the run is at its end
        const bool solved = m >= maps && m - maps < solved_surface_.size() && !solved_surface_[m - maps].empty();
        const std::span<const Complex> a = m < maps ? surface_spectra_[0].at(settings_.frequencies.size() + m)
                                           : solved ? std::span<const Complex>(solved_surface_[m - maps])
                                                    : std::span<const Complex>(none);
        part.fields.push_back(
            make_field(e.field, on_mesh(2, [&](std::size_t v, int c) { return c == 0 ? a[v].real() : a[v].imag(); })));
      } else {
        const auto a = engine_->current(static_cast<Index>(r));
        part.fields.push_back(make_field(e.field, on_mesh(1, [&](std::size_t v, int) { return a[v]; })));
      }
    }
  }
  for (const Plane& p : planes_) {
    if (!builder.wants_part(p.setting.name)) continue;
    FramePart& part =
        builder.part(p.setting.name, ImageGeometry{p.setting.points, p.setting.origin, p.setting.spacing});
    std::size_t map = 0;
    for (const CatalogEntry& e : entries) {
      if (e.part != p.setting.name) continue;
      const bool loss = e.field.name != "pressure";
      const std::size_t m = loss ? map++ : 0;
      if (!builder.wants(e.field.name)) continue;
      std::vector<float> values(p.count);
      for (std::size_t k = 0; k < p.count; ++k) {
        if (plane_inside_[p.first + k]) {  // inside a body or at a source: shown as no value
          values[k] = std::numeric_limits<float>::quiet_NaN();
        } else if (!loss) {
          values[k] = static_cast<float>(plane_now_[p.first + k]);
        } else {
          values[k] = plane_loss_.empty() ? 0.0F : plane_loss_[m][p.first + k];  // none until the run is at its end
        }
      }
      part.fields.push_back(make_field(e.field, std::move(values)));
    }
  }
}

}  // namespace conoid::acoustic_bem
