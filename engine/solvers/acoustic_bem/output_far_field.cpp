// SPDX-License-Identifier: BSD-3-Clause
// Pages of the far field: around the body, target strength over the direction of the wave, and what goes out in all directions.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"
#include "engine/solvers/acoustic_bem/stepping/head_related.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using Complex = std::complex<double>;

namespace {

constexpr double degree = std::numbers::pi / 180;

Vec3 around(std::size_t normal, double angle) {
  Vec3 out{};
  out[(normal + 1) % 3] = std::cos(angle);
  out[(normal + 2) % 3] = std::sin(angle);
  return out;
}

std::string plane_text(std::size_t normal) {
  return fmt::format("the plane normal to {}, from {} towards {}", "xyz"[normal], "xyz"[(normal + 1) % 3],
                     "xyz"[(normal + 2) % 3]);
}

}  // namespace

Vec3 MonostaticSetting::toward(Index k) const {
  return around(static_cast<std::size_t>(normal),
                2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(count));
}

std::vector<Complex> lit_by_plane_wave(const Surface& surface, const Form& form, const Vec3& direction, double omega) {
  Wave wave;
  wave.kind = WaveKind::plane;
  wave.direction = direction;
  std::vector<Complex> out(static_cast<std::size_t>(surface.unknowns));
  RightHandSide(surface, form, {"", {wave}}).transformed(omega, out);
  return out;
}

std::vector<AcousticBem::FarColumn> AcousticBem::far_columns(TableInfo& t) const {
  std::vector<FarColumn> out;
  for (std::size_t run = 0; run < settings_.runs.size(); ++run)
    for (std::size_t m = 0; m < settings_.maps.size(); ++m) {
      const double f = settings_.maps[m];
      out.push_back({run, settings_.frequencies.size() + m, f, pulse_spectrum(run, f)});
      t.columns.push_back({fmt::format("{:g} Hz{}", f, suffix(run)), "dB", format_quantity(f, "Hz") + suffix(run)});
    }
  return out;
}

const char* AcousticBem::below_ground() const {
  return settings_.conditions.ground ? "; below the ground the mirror image of what is above" : "";
}

void AcousticBem::write_pattern(RunContext& context) const {
  if (settings_.pattern_normal < 0 || settings_.maps.empty()) return;
  const auto normal = static_cast<std::size_t>(settings_.pattern_normal);
  TableInfo t;
  t.id = "pattern";
  t.title = "Far field around the body";
  t.form = ChartForm::polar;
  t.definition =
      fmt::format("20 log10(|f_inf| / (|f| 1 m)) over the angle in {}{}.", plane_text(normal), below_ground());
  t.columns = {{"angle", "deg", "angle"}};
  const std::vector<FarColumn> columns = far_columns(t);
  Table& table = context.results.table(t);
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(settings_.pattern_count));
  const double cost = far_field_seconds() * static_cast<double>(rows.size() * columns.size());
  for_range(context.team, "frequencies", settings_.pattern_count, 1, cost, [&](Interval some) {
    for (Index k = some.begin; k < some.end; ++k) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(settings_.pattern_count);
      std::vector<double>& row = rows[static_cast<std::size_t>(k)];
      row.push_back(angle * 180 / std::numbers::pi);
      for (const FarColumn& c : columns)
        row.push_back(target_strength(far_amplitude(c.run, c.spectrum, c.frequency, around(normal, angle)), c.pulse));
    }
  });
  for (const std::vector<double>& row : rows) table.append(row);
}

/// A solution for each frequency and direction, all of a frequency with the slices transformed once.
Status AcousticBem::write_monostatic(RunContext& context) {
  const MonostaticSetting& m = settings_.monostatic;
  if (m.frequencies.empty()) return {};
  constexpr Index at_once = 32;  // directions between looks for a stop
  const auto count = static_cast<std::size_t>(m.count);
  std::vector<std::vector<double>> levels;
  Index most = 0;
  context.progress.begin("frequencies", static_cast<Index>(m.frequencies.size()) * m.count, "directions");
  for (const double f : m.frequencies) {
    const double omega = 2 * std::numbers::pi * f;
    std::vector<double>& level = levels.emplace_back(count, 0.0);
    for (Index begin = 0; begin < m.count; begin += at_once) {
      if (cluster_->maximum(context.stop.stop_requested() ? 1.0 : 0.0) > 0)
        return make_error(ErrorCode::stopped, "Stopped while target strengths were solved for.");
      const Index end = std::min(begin + at_once, m.count);
      std::vector<std::vector<Complex>> right(static_cast<std::size_t>(end - begin)), a, received;
      const double cost = 2e-6 * static_cast<double>(surface_.triangles.size() * right.size());
      for_range(context.team, "illumination", end - begin, 1, cost, [&](Interval some) {
        for (Index k = some.begin; k < some.end; ++k)
          right[static_cast<std::size_t>(k)] =
              lit_by_plane_wave(surface_, settings_.form, scale(-1, m.toward(begin + k)), omega);
      });
      const Index iterations = engine_->spectrum(context.team, omega, right, a, received);
      if (iterations == 0) return not_solved(f);
      most = std::max(most, iterations);
      for_range(context.team, "frequencies", end - begin, 1, far_field_seconds() * static_cast<double>(right.size()),
                [&](Interval some) {
                  for (Index k = some.begin; k < some.end; ++k)
                    level[static_cast<std::size_t>(begin + k)] = target_strength(
                        far_field(surface_, settings_.form, a[static_cast<std::size_t>(k)], f, m.toward(begin + k)), 1);
                });
      context.progress.at(static_cast<Index>(levels.size() - 1) * m.count + end);
    }
  }
  context.progress.end();
  if (!context.cluster.leads()) return {};
  context.results.number("monostatic_iterations", static_cast<double>(most), "1");
  tell_monostatic(context, levels);
  return {};
}

void AcousticBem::tell_monostatic(RunContext& context, const std::vector<std::vector<double>>& levels) const {
  const MonostaticSetting& m = settings_.monostatic;
  TableInfo t;
  t.id = "monostatic";
  t.title = "Target strength over the direction of the wave";
  t.form = ChartForm::polar;
  t.definition = fmt::format(
      "20 log10(|f_inf| / 1 m) of plane waves, seen from where each comes from, over the angle of that direction in "
      "{}; as if the run went on for ever.",
      plane_text(static_cast<std::size_t>(m.normal)));
  t.columns = {{"angle", "deg", "angle"}};
  const bool exact = settings_.exact_sphere && settings_.conditions.walls.empty();
  ExactSphere sphere{settings_.form.rigid(), exact ? ball_radius(surface_) : 1, settings_.form.c, 0};
  sphere.filling = settings_.conditions.filling;
  std::vector<double> series;
  for (const double f : m.frequencies) t.columns.push_back({fmt::format("{:g} Hz", f), "dB", format_quantity(f, "Hz")});
  for (const double f : m.frequencies) {
    if (!exact) break;
    t.columns.push_back({fmt::format("{:g} Hz exact", f), "dB", format_quantity(f, "Hz") + ", exact"});
    t.exact.push_back(t.columns.back().name);
    series.push_back(target_strength(sphere.far_field(2 * std::numbers::pi * f, -1), 1));
  }
  Table& table = context.results.table(t);
  double worst = 0;
  for (Index k = 0; k <= m.count; ++k) {  // the first once more, so that the curve closes
    std::vector<double> row{360 * static_cast<double>(k) / static_cast<double>(m.count)};
    for (const auto& level : levels) row.push_back(level[static_cast<std::size_t>(k % m.count)]);
    for (std::size_t f = 0; f < series.size(); ++f) worst = std::max(worst, std::abs(row[1 + f] - series[f]));
    row.insert(row.end(), series.begin(), series.end());
    table.append(row);
  }
  if (exact) context.results.number("monostatic_error", worst, "dB");
}

void AcousticBem::write_directivity(RunContext& context) const {
  if (settings_.directivity_step <= 0 || settings_.maps.empty()) return;
  const auto rows = static_cast<Index>(std::lround(180 / settings_.directivity_step)), around_axis = 2 * rows;
  TableInfo t;
  t.id = "directivity";
  t.title = "Far field in all directions";
  t.form = ChartForm::sphere;
  t.definition = fmt::format(
      "20 log10(|f_inf| / (|f| 1 m)) of all that the body sends and, of point sources, of what they send "
      "themselves; theta from z, phi from x towards y{}.",
      below_ground());
  t.columns = {{"theta", "deg", "theta"}, {"phi", "deg", "phi"}};
  const std::vector<FarColumn> columns = far_columns(t);
  std::vector<std::vector<Complex>> sent;
  for (const FarColumn& c : columns) sent.push_back(wave_spectra(c.run, c.frequency));
  const auto sent_by_points = [this](const FarColumn& c, std::span<const Complex> spectra, const Vec3& d) {
    const std::vector<Wave>& waves = settings_.runs[c.run].waves;
    const double wave_number = 2 * std::numbers::pi * c.frequency / settings_.form.c;
    Complex out = 0;
    for (std::size_t w = 0; w < waves.size(); ++w)
      if (waves[w].kind == WaveKind::point)
        out += spectra[w] * std::polar(1 / (4 * std::numbers::pi), -wave_number * dot(d, waves[w].position));
    return out;
  };
  // Poles are computed once and written for each azimuth, so that the sphere closes.
  const Index directions = (rows - 1) * around_axis + 2;
  std::vector<std::vector<Complex>> at(static_cast<std::size_t>(directions));
  const double cost = far_field_seconds() * static_cast<double>(directions) * static_cast<double>(columns.size());
  for_range(context.team, "frequencies", directions, 1, cost, [&](Interval some) {
    for (Index k = some.begin; k < some.end; ++k) {
      const double theta = k == 0 ? 0
                           : k + 1 == directions
                               ? 180
                               : static_cast<double>(1 + (k - 1) / around_axis) * 180 / static_cast<double>(rows),
                   phi = static_cast<double>((k - 1) % around_axis) * 180 / static_cast<double>(rows);
      const Vec3 d{std::sin(theta * degree) * std::cos(phi * degree), std::sin(theta * degree) * std::sin(phi * degree),
                   std::cos(theta * degree)};
      for (std::size_t n = 0; n < columns.size(); ++n) {
        const FarColumn& c = columns[n];
        at[static_cast<std::size_t>(k)].push_back(far_amplitude(c.run, c.spectrum, c.frequency, d) +
                                                  sent_by_points(c, sent[n], d));
      }
    }
  });
  Table& table = context.results.table(t);
  for (Index row = 0; row <= rows; ++row)
    for (Index k = 0; k < around_axis; ++k) {
      const Index which = row == 0 ? 0 : row == rows ? directions - 1 : 1 + (row - 1) * around_axis + k;
      std::vector<double> line{static_cast<double>(row) * 180 / static_cast<double>(rows),
                               static_cast<double>(k) * 180 / static_cast<double>(rows)};
      for (std::size_t n = 0; n < columns.size(); ++n)
        line.push_back(target_strength(at[static_cast<std::size_t>(which)][n], columns[n].pulse));
      table.append(line);
    }
}

}  // namespace conoid::acoustic_bem
