// SPDX-License-Identifier: BSD-3-Clause
// What the solver shows and keeps: impedance, receivers, levels, lines, frames.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/mesh/shape_tables.hpp"
#include "engine/solvers/elastic_bem/discretization/exact.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_modes.hpp"
#include "engine/solvers/elastic_bem/elastic_bem.hpp"
#include "engine/solvers/elastic_bem/solving/lumped.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr double pi = std::numbers::pi;

/// Largest force of a load, for mobilities; 0: none is defined.
double force_of(const Problem& p, const Load& l, double f) {
  switch (l.kind) {
    case LoadKind::force: return norm(l.value);
    case LoadKind::traction: return norm(l.value) * area_of(*p.scene.surface, l.condition);
    case LoadKind::point: return norm(l.value);
    case LoadKind::machine: return norm({l.wrench[0], l.wrench[1], l.wrench[2]}) * (l.rotating ? f * f : 1);
    default: return 0;
  }
}

}  // namespace

void ElasticBem::write_rows(RunContext& context, const Harmonic& h) {
  const Problem& p = *problem_;
  const double f = h.omega / (2 * pi);
  const auto label = [&](std::size_t q) { return shown() == 1 ? std::string() : " " + names_[q]; };
  if (!p.receivers.empty()) {
    TableInfo t;
    t.id = "receivers";
    t.title = "Vertical displacement at the receivers";
    t.definition = "Amplitudes |u_z|; receivers_complex.csv has all components.";
    t.columns = {{"f", "Hz", "frequency"}};
    TableInfo all = t;
    all.id = "receivers_complex";
    all.title = "Displacements at the receivers";
    all.definition = "Real and imaginary part of the factor of e^{i omega t}.";
    all.form = ChartForm::none;
    std::vector<double> row{f}, all_row{f};
    for (std::size_t q = 0; q < shown(); ++q)
      for (std::size_t k = 0; k < p.receivers.size(); ++k) {
        const Complex3& u = now_.at_points[q][k];
        t.columns.push_back({p.receiver_names[k] + label(q), "m", p.receiver_names[k] + label(q)});
        row.push_back(std::abs(u[2]));
        for (std::size_t c = 0; c < 3; ++c) {
          const std::string name = fmt::format("{}{} u{}", p.receiver_names[k], label(q), "xyz"[c]);
          all.columns.push_back({name + " re", "m", ""});
          all.columns.push_back({name + " im", "m", ""});
          all_row.push_back(u[c].real());
          all_row.push_back(u[c].imag());
        }
      }
    if (t.columns.size() > 17) t.form = ChartForm::none;
    context.results.table(t).append(row);
    context.results.table(all).append(all_row);

    TableInfo m;
    m.id = "mobility";
    m.title = "Transfer mobility";
    m.definition = "|v_z| at the receiver over the force of the load.";
    m.y_scale = AxisScale::log;
    m.columns = {{"f", "Hz", "frequency"}};
    std::vector<double> mobility{f};
    for (std::size_t q = 0; q < p.loads.size(); ++q) {
      if (!(force_of(p, p.loads[q], 1) > 0)) continue;
      const double force = force_of(p, p.loads[q], f);  // unbalance has none at rest, where nothing moves
      for (std::size_t k = 0; k < p.receivers.size(); ++k) {
        m.columns.push_back({p.receiver_names[k] + label(q), "m/(N*s)", p.receiver_names[k] + label(q)});
        mobility.push_back(force > 0 ? h.omega * std::abs(now_.at_points[q][k][2]) / force : 0);
      }
    }
    if (m.columns.size() > 17) m.form = ChartForm::none;
    if (m.columns.size() > 1) context.results.table(m).append(mobility);

    if (!insertion_.empty()) {
      TableInfo i;
      i.id = "insertion_loss";
      i.title = "Insertion loss of the trench";
      i.definition = "20 log10(|u_z without| / |u_z with|).";
      i.columns = {{"f", "Hz", "frequency"}};
      std::vector<double> loss{f};
      for (std::size_t q = 0; q < shown(); ++q)
        for (std::size_t k = 0; k < p.receivers.size(); ++k) {
          i.columns.push_back({p.receiver_names[k] + label(q), "dB", p.receiver_names[k] + label(q)});
          loss.push_back(insertion_[q][k]);
        }
      context.results.table(i).append(loss);
    }
    if (!now_.stresses.empty()) {
      TableInfo s;
      s.id = "stresses";
      s.title = "Stresses at the receivers";
      s.form = ChartForm::none;
      s.definition =
          "Real and imaginary part. On the surface from tractions and the slopes of the displacement, of which "
          "constant elements have none.";
      s.columns = {{"f", "Hz", "frequency"}};
      std::vector<double> stress{f};
      constexpr const char* parts[6] = {"xx", "yy", "zz", "xy", "yz", "zx"};
      for (std::size_t q = 0; q < shown(); ++q)
        for (std::size_t k = 0; k < p.receivers.size(); ++k)
          for (std::size_t c = 0; c < 6; ++c) {
            const std::string name = fmt::format("{}{} {}", p.receiver_names[k], label(q), parts[c]);
            s.columns.push_back({name + " re", "Pa", ""});
            s.columns.push_back({name + " im", "Pa", ""});
            stress.push_back(now_.stresses[q][k][c].real());
            stress.push_back(now_.stresses[q][k][c].imag());
          }
      context.results.table(s).append(stress);
    }
  }
}

void ElasticBem::write_surface_waves(RunContext& context, const Harmonic& h) {
  const Problem& p = *problem_;
  if (!p.profile || !(h.omega > 0)) return;
  TableInfo t;
  t.id = "surface_waves";
  t.title = "Speeds of the surface waves";
  t.definition = "Phase speeds of incident Rayleigh and Love waves; decay: of the amplitude, a metre of their way.";
  t.columns = {{"f", "Hz", "frequency"}};
  std::vector<double> row{h.omega / (2 * pi)};
  for (const Load& l : p.loads) {
    if (l.kind != LoadKind::wave || !is_surface_wave(l.wave.kind)) continue;
    const auto k = surface_wave_number(*p.profile, l.wave.kind, l.wave.mode, h.omega);
    if (!k) continue;  // told before
    t.columns.push_back({l.name, "m/s", l.name});
    t.columns.push_back({l.name + " decay", "1/m", ""});
    row.push_back(h.omega / k->real());
    row.push_back(-k->imag());
  }
  if (t.columns.size() > 1) context.results.table(t).append(row);
}

void ElasticBem::write_impedance(RunContext& context, const Harmonic& h) {
  const Problem& p = *problem_;
  if (p.foundations.empty()) return;
  const double f = h.omega / (2 * pi);
  const std::size_t n = 6 * p.foundations.size();
  TableInfo full;
  full.id = "impedance";
  full.title = "Impedance matrix";
  full.form = ChartForm::none;
  full.definition = "Force and moment over unit displacement and rotation about the reference points; N/m, N, N m.";
  full.columns = {{"f", "Hz", "frequency"}};
  std::vector<double> row{f};
  double asymmetry = 0, largest = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const std::string of = motion_name(p.foundations, i) + " " + motion_name(p.foundations, j);
      full.columns.push_back({of + " re", stiffness_unit(i, j), ""});
      full.columns.push_back({of + " im", stiffness_unit(i, j), ""});
      row.push_back(now_.impedance[i * n + j].real());
      row.push_back(now_.impedance[i * n + j].imag());
      if (i % 6 < 3 && j % 6 < 3) {
        asymmetry = std::max(asymmetry, std::abs(now_.impedance[i * n + j] - now_.impedance[j * n + i]));
        largest = std::max(largest, std::abs(now_.impedance[i * n + j]));
      }
    }
  context.results.table(full).append(row);
  context.results.number("impedance_asymmetry", largest > 0 ? asymmetry / largest : 0, "1");
  write_compliances(context, h);
  if (!p.loads.empty()) write_motions(context, h);
}

void ElasticBem::write_lumped(RunContext& context) const {
  const Problem& p = *problem_;
  const std::size_t foundations = p.foundations.size(), n = 6 * foundations;
  // Two parameters want three frequencies, or nothing tells how good they are.
  if (n == 0 || step_ < 3 || impedance_history_.size() != step_ * n * n) return;
  std::vector<double> omega;
  for (std::size_t k = 0; k < step_; ++k) omega.push_back(2 * pi * p.frequencies[k]);
  const auto series = [&](std::size_t foundation, std::size_t i, std::size_t j) {
    std::vector<Complex> out;
    for (std::size_t k = 0; k < step_; ++k) {
      const auto at = [&](std::size_t row, std::size_t column) {
        return impedance_history_[(k * n + 6 * foundation + row) * n + 6 * foundation + column];
      };
      out.push_back(0.5 * (at(i, j) + at(j, i)));
    }
    return out;
  };
  const auto largest = [](const std::vector<Complex>& values) {
    double out = 0;
    for (const Complex& v : values) out = std::max(out, std::abs(v));
    return out;
  };
  constexpr double told =
      1e-2;  // of what couples two motions, over the root of their own products; less comes of the mesh
  const auto couples = [&](std::size_t i, std::size_t j) {
    for (std::size_t f = 0; f < foundations; ++f)
      if (largest(series(f, i, j)) > told * std::sqrt(largest(series(f, i, i)) * largest(series(f, j, j)))) return true;
    return false;
  };
  const bool damping = p.damped();
  TableInfo t;
  t.id = "lumped";
  t.title = "Springs, dashpots and masses";
  t.form = ChartForm::none;
  t.definition = fmt::format(
      "Impedance of each foundation about its reference point as K - w^2 M + i ({}w C), least squares over {} "
      "frequencies; error: the largest difference over the largest impedance. Between foundations: "
      "charts/impedance.csv.",
      damping ? "H + " : "", step_);
  t.columns = {{"foundation", "1", "foundation"}};
  std::vector<std::vector<double>> rows(foundations);
  for (std::size_t f = 0; f < foundations; ++f) rows[f].push_back(static_cast<double>(f + 1));
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i; j < 6; ++j) {
      if (i != j && !couples(i, j)) continue;
      const std::string name = i == j ? motion_names[i] : fmt::format("{} {}", motion_names[i], motion_names[j]);
      const std::size_t turns = (i >= 3 ? 1U : 0U) + (j >= 3 ? 1U : 0U);
      constexpr const char *mass[] = {"kg", "kg*m", "kg*m^2"}, *dashpot[] = {"N*s/m", "N*s", "N*m*s"};
      t.columns.push_back({name + " stiffness", stiffness_unit(i, j), ""});
      t.columns.push_back({name + " mass", mass[turns], ""});
      t.columns.push_back({name + " damping", dashpot[turns], ""});
      if (damping) t.columns.push_back({name + " hysteresis", stiffness_unit(i, j), ""});
      t.columns.push_back({name + " error", "1", ""});
      for (std::size_t f = 0; f < foundations; ++f) {
        const Lumped fit = fit_lumped(omega, series(f, i, j), damping);
        rows[f].insert(rows[f].end(), {fit.stiffness, fit.mass, fit.damping});
        if (damping) rows[f].push_back(fit.hysteresis);
        rows[f].push_back(fit.error);
      }
    }
  Table& table = context.results.table(t);
  for (const auto& row : rows) table.append(row);
}

void ElasticBem::write_compliances(RunContext& context, const Harmonic& h) {
  const Problem& p = *problem_;
  const double f = h.omega / (2 * pi);
  const std::size_t n = 6 * p.foundations.size();
  const std::vector<Complex> c = inverse_where_stiff(now_.impedance, n);
  for (std::size_t k = 0; k < p.foundations.size(); ++k) {
    const std::string suffix = p.foundations.size() == 1 ? "" : " " + p.foundations[k].name;
    const std::string file = p.foundations.size() == 1 ? "" : fmt::format("_{}", k + 1);
    TableInfo t;
    t.id = "compliance" + file;
    t.title = "Compliance of the foundation" + suffix;
    t.definition = "Vertical and horizontal displacement for unit force, real part and minus the imaginary part.";
    t.columns = {{"f", "Hz", "frequency"}};
    std::vector<double> values{f};
    const auto put = [&](const std::string& name, Complex v, const char* unit, bool overlay) {
      for (int part = 0; part < 2; ++part) {
        const std::string column = name + (part == 0 ? " re" : " -im");
        t.columns.push_back({column, unit, column});
        if (overlay) t.exact.push_back(column);
        values.push_back(part == 0 ? v.real() : -v.imag());
      }
    };
    const auto at = [&](std::size_t i) { return c[(6 * k + i) * n + 6 * k + i]; };
    put("vertical", at(2), "m/N", false);
    put("horizontal", at(0), "m/N", false);
    const double radius = std::sqrt(area_of(*p.scene.surface, p.foundations[k].condition) / pi);
    const bool overlay = p.exact == "veletsos-verbic";
    const DiscImpedance disc = veletsos_verbic(p.medium, radius, h.omega);
    if (overlay) {
      put("vertical, Veletsos-Verbic", 1.0 / disc.vertical, "m/N", true);
      put("horizontal, Veletsos-Verbic", 1.0 / disc.horizontal, "m/N", true);
    }
    context.results.table(t).append(values);
    TableInfo r = t;
    r.id = "compliance_rotation" + file;
    r.title = "Rotational compliance of the foundation" + suffix;
    r.definition = "Rocking and torsion for unit moment, real part and minus the imaginary part.";
    t.columns.resize(1);
    t.exact.clear();
    values.resize(1);
    put("rocking", at(4), "1/(N*m)", false);
    put("torsion", at(5), "1/(N*m)", false);
    if (overlay) put("rocking, Veletsos-Verbic", 1.0 / disc.rocking, "1/(N*m)", true);
    r.columns = t.columns;
    r.exact = t.exact;
    context.results.table(r).append(values);
  }
}

void ElasticBem::write_motions(RunContext& context, const Harmonic& h) {
  const Problem& p = *problem_;
  const double f = h.omega / (2 * pi);
  const std::size_t n = 6 * p.foundations.size();
  TableInfo t;
  t.id = "motion";
  t.title = "Motion of the foundations";
  t.definition = "Amplitudes of displacement and rotation of the reference points.";
  t.y_scale = AxisScale::log;
  t.columns = {{"f", "Hz", "frequency"}};
  TableInfo all = t;
  all.id = "motion_complex";
  all.definition =
      "Real and imaginary part of displacement and rotation of the reference points, factors of e^{i omega t}.";
  all.form = ChartForm::none;
  all.y_scale = AxisScale::linear;
  std::vector<double> values{f}, parts{f};
  for (std::size_t q = 0; q < shown(); ++q)
    for (std::size_t k = 0; k < n; ++k) {
      const std::string name = fmt::format("{}{}{}", p.foundations.size() == 1 ? "" : p.foundations[k / 6].name + " ",
                                           motion_names[k % 6], shown() == 1 ? "" : " " + names_[q]);
      const char* unit = k % 6 < 3 ? "m" : "rad";
      t.columns.push_back({name, unit, name});
      values.push_back(std::abs(now_.motions[q][k]));
      all.columns.push_back({name + " re", unit, ""});
      all.columns.push_back({name + " im", unit, ""});
      parts.push_back(now_.motions[q][k].real());
      parts.push_back(now_.motions[q][k].imag());
    }
  if (t.columns.size() > 17) t.form = ChartForm::none;
  context.results.table(t).append(values);
  context.results.table(all).append(parts);
}

void ElasticBem::compare_exact(RunContext& context, const Harmonic& h) {
  const Problem& p = *problem_;
  if (p.exact != "cavity" || p.loads.empty() || !p.regions.empty()) return;
  const Surface& s = *p.scene.surface;
  Sum radius;
  for (const Vec3& x : s.nodes) radius += distance(x, s.centre);
  const double a = radius.value() / static_cast<double>(s.nodes.size());
  const Load& l = p.loads.front();
  const bool wave = l.kind == LoadKind::wave && l.wave.kind == WaveKind::p && unit(l.wave.direction)[2] > 1 - 1e-9;
  if (!wave && l.kind != LoadKind::pressure) return;
  const CavityPWave exact(h, a);
  double defect = 0, size = 0;
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    const Vec3 x = sub(s.nodes[n], s.centre), e = unit(x);
    const double theta = std::acos(std::clamp(e[2], -1.0, 1.0)), rho = std::hypot(e[0], e[1]);
    const Vec3 et = rho > 1e-12 ? Vec3{e[2] * e[0] / rho, e[2] * e[1] / rho, -rho} : Vec3{1, 0, 0};
    std::array<Complex, 2> u{};
    if (wave) {
      u = exact.displacement(a, theta);
      const Complex phase = l.wave.amplitude * std::exp(Complex(0, -1) * h.kP * s.centre[2]);
      u[0] *= phase;
      u[1] *= phase;
    } else {
      u[0] = cavity_under_pressure(h, a, l.pressure, a);
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const Complex want = u[0] * e[d] + u[1] * et[d];
      defect += std::norm(now_.total[0].displacement[n][d] - want);
      size += std::norm(want);
    }
  }
  const double error = std::sqrt(defect / size);
  exact_error_ = std::max(exact_error_, error);
  TableInfo t;
  t.id = "error";
  t.title = "Displacement of the wall against the exact solution";
  t.y_scale = AxisScale::log;
  t.definition = "Root of the mean squares of the difference over that of the exact displacement, collocation points.";
  t.columns = {{"f", "Hz", "frequency"}, {"relative error", "1", "relative error"}};
  context.results.table(t).append({h.omega / (2 * pi), error});
}

Status ElasticBem::finish(RunContext& context) {
  if (!problem_ || !leads_) return {};
  const Problem& p = *problem_;
  Results& out = context.results;
  out.number("largest_residual", worst_.residual, "1");
  if (worst_.residual_asked > 0) out.number("residual_asked", worst_.residual_asked, "1");
  out.number("smallest_reciprocal_condition", worst_.rcond, "1");
  out.number("largest_interior_defect", worst_.chief_detector, "1");
  out.number("seconds_pairs", worst_.seconds_pairs, "s");
  out.number("seconds_singular", worst_.seconds_singular, "s");
  out.number("seconds_solution", worst_.seconds_solve, "s");
  out.number("kernel_evaluations", worst_.work.far_points + worst_.work.near_points, "1");
  if (worst_.compressed > 0) {
    out.number("compression_error", worst_.compression_error, "1");
    out.number("compressed_memory", static_cast<double>(worst_.compressed), "B");
  }
  if (exact_error_ > 0) out.number("error_against_exact", exact_error_, "1");
  if (!p.lines.empty() && step_ > 0) {
    std::size_t total = 0, first = 0;
    for (const LineSetting& l : p.lines) total += static_cast<std::size_t>(l.count);
    for (std::size_t i = 0; i < p.lines.size(); ++i) {
      const LineSetting& l = p.lines[i];
      TableInfo t;
      t.id = fmt::format("line_{}", i + 1);
      t.title = "Vertical amplitude along " + l.name;
      t.definition = fmt::format("|u_z| of {}.", names_.empty() ? "the first case" : names_.front());
      t.y_scale = AxisScale::log;
      t.columns = {{"distance", "m", "distance"}};
      const std::size_t every = std::max<std::size_t>(1, (step_ + 11) / 12);
      for (std::size_t k = 0; k < step_; k += every)
        t.columns.push_back({fmt::format("{:g} Hz", p.frequencies[k]), "m", format_quantity(p.frequencies[k], "Hz")});
      Table& table = out.table(t);
      for (Index q = 0; q < l.count; ++q) {
        std::vector<double> row{distance(l.from, l.to) * static_cast<double>(q) / static_cast<double>(l.count - 1)};
        for (std::size_t k = 0; k < step_; k += every)
          row.push_back(line_history_[k * total + first + static_cast<std::size_t>(q)]);
        table.append(row);
      }
      first += static_cast<std::size_t>(l.count);
    }
  }
  write_lumped(context);
  write_histories(context);
  if (p.third_octaves && !p.receivers.empty() && step_ > 0) {
    // Bands of IEC 61260-1, base ten: centres 10^{k/10} Hz, edges 10^{±1/20} apart. The level is that of the mean square over
    // the computed frequencies of a band.
    TableInfo t;
    t.id = "third_octaves";
    t.title = "Velocity level in third octaves";
    t.x_scale = AxisScale::log;
    t.definition =
        fmt::format("10 log10 of the mean of |v_z|²/2 over the computed frequencies of the band, over ({:g} m/s)².",
                    p.level_reference);
    t.columns = {{"f", "Hz", "band"}};
    for (std::size_t q = 0; q < shown(); ++q)
      for (const std::string& name : p.receiver_names)
        t.columns.push_back(
            {name + (shown() == 1 ? "" : " " + names_[q]), "dB", name + (shown() == 1 ? "" : " " + names_[q])});
    if (t.columns.size() > 17) t.form = ChartForm::none;
    Table& table = out.table(t);
    const std::size_t width = shown() * p.receivers.size() * 3;
    for (int band = -20; band <= 50; ++band) {
      const double centre = std::pow(10, band / 10.0), low = centre * std::pow(10, -0.05),
                   high = centre * std::pow(10, 0.05);
      std::vector<double> row{centre};
      std::vector<double> sums(shown() * p.receivers.size(), 0);
      int count = 0;
      for (std::size_t k = 0; k < step_; ++k) {
        const double f = p.frequencies[k];
        if (f < low || f >= high) continue;
        ++count;
        for (std::size_t i = 0; i < sums.size(); ++i)
          sums[i] += 0.5 * std::norm(2 * pi * f * receiver_history_[k * width + 3 * i + 2]);
      }
      if (count == 0) continue;
      for (double s : sums)
        row.push_back(10 * std::log10(std::max(s / count, 1e-300) / std::pow(p.level_reference, 2)));
      table.append(row);
    }
  }
  return {};
}

std::vector<CatalogEntry> ElasticBem::catalog() const {
  std::vector<CatalogEntry> out;
  for (std::size_t q = 0; q < shown() && problem_->scene.surface->active > 0; ++q) {
    const std::string number = q == 0 ? "" : fmt::format("_{}", q + 1), label = shown() == 1 ? "" : ", " + names_[q];
    out.push_back(
        {"surface",
         {"displacement" + number, "m", FieldKind::signed_value, Association::point, 3, true, "Displacement" + label}});
    out.push_back(
        {"surface",
         {"traction" + number, "Pa", FieldKind::signed_value, Association::point, 3, true, "Traction" + label}});
  }
  for (const PlaneSetting& plane : problem_->planes)
    for (std::size_t q = 0; q < shown(); ++q) {
      const std::string number = q == 0 ? "" : fmt::format("_{}", q + 1), label = shown() == 1 ? "" : ", " + names_[q];
      out.push_back({plane.name,
                     {"displacement" + number, "m", FieldKind::signed_value, Association::point, 3, true,
                      "Displacement" + label}});
      if (problem_->bare)
        out.push_back({plane.name,
                       {"insertion_loss" + number, "dB", FieldKind::signed_value, Association::point, 1, false,
                        "Insertion loss" + label}});
    }
  return out;
}

void ElasticBem::fill(FrameBuilder& builder) const {
  const Problem& p = *problem_;
  const Surface& s = *p.scene.surface;
  const double f = p.frequencies[step_ == 0 ? 0 : step_ - 1];
  builder.at(static_cast<Index>(step_), f, FrameAxis::frequency);
  const auto entries = catalog();
  // Element values at the mesh's points: field functions there, averaged over the elements that meet.
  const auto on_mesh = [&](auto&& nodal) {
    const auto count = static_cast<std::size_t>(p.scene.mesh->point_count());
    std::vector<Complex3> sum(count);
    std::vector<int> times(count, 0);
    std::array<double, most_nodes> shape{};
    for (Index e = 0; e < s.active; ++e) {
      const Element& element = s.elements[static_cast<std::size_t>(e)];
      const auto nodes = p.scene.mesh->nodes(element.cell);
      const auto order = turned_order(element.shape);
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const Vec3 at = reference_node(element.shape, static_cast<int>(k));
        element.field(at[0], at[1], shape.data());
        const auto point = static_cast<std::size_t>(nodes[element.turned ? static_cast<std::size_t>(order[k]) : k]);
        for (std::size_t a = 0; a < static_cast<std::size_t>(element.nodes); ++a) {
          const Complex3& v = nodal(element, a);
          for (std::size_t c = 0; c < 3; ++c) sum[point][c] += shape[a] * v[c];
        }
        ++times[point];
      }
    }
    std::vector<float> out;
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t c = 0; c < 3; ++c) {
        const Complex v = times[k] > 0 ? sum[k][c] / static_cast<double>(times[k]) : Complex(0);
        out.push_back(static_cast<float>(v.real()));
        out.push_back(static_cast<float>(v.imag()));
      }
    return out;
  };
  const bool empty = now_.total.empty();  // before the first frequency
  if (s.active > 0 && builder.wants_part("surface")) {
    FramePart& part = builder.part("surface", geometry_);
    for (std::size_t q = 0; q < shown(); ++q) {
      const FieldInfo &u = entries[2 * q].field, &t = entries[2 * q + 1].field;
      if (!empty && builder.wants(u.name))
        part.fields.push_back(make_field(u, on_mesh([&](const Element& e, std::size_t a) -> const Complex3& {
                                           return now_.total[q].displacement[static_cast<std::size_t>(e.node[a])];
                                         })));
      if (!empty && builder.wants(t.name))
        part.fields.push_back(make_field(t, on_mesh([&](const Element& e, std::size_t a) -> const Complex3& {
                                           return now_.total[q].traction[static_cast<std::size_t>(e.traction[a])];
                                         })));
    }
  }
  std::size_t first = p.receivers.size();
  for (const LineSetting& l : p.lines) first += static_cast<std::size_t>(l.count);
  for (const PlaneSetting& plane : p.planes) {
    const auto count = static_cast<std::size_t>(plane.points[0] * plane.points[1] * plane.points[2]);
    if (builder.wants_part(plane.name)) {
      FramePart& part = builder.part(plane.name, ImageGeometry{plane.points, plane.origin, plane.spacing});
      for (std::size_t q = 0; q < shown(); ++q) {
        for (const CatalogEntry& entry : entries) {
          const std::string number = q == 0 ? "" : fmt::format("_{}", q + 1);
          if (empty || entry.part != plane.name || !builder.wants(entry.field.name)) continue;
          std::vector<float> values;
          if (entry.field.name == "displacement" + number) {
            for (std::size_t k = 0; k < count; ++k)
              for (std::size_t c = 0; c < 3; ++c) {
                const Complex v = now_.at_points[q][first + k][c];
                values.push_back(static_cast<float>(v.real()));
                values.push_back(static_cast<float>(v.imag()));
              }
          } else if (entry.field.name == "insertion_loss" + number) {
            for (std::size_t k = 0; k < count; ++k)
              values.push_back(insertion_.empty() ? 0.0F : static_cast<float>(insertion_[q][first + k]));
          } else {
            continue;
          }
          part.fields.push_back(make_field(entry.field, std::move(values)));
        }
      }
    }
    first += count;
  }
}

}  // namespace conoid::elastic_bem
