// SPDX-License-Identifier: BSD-3-Clause
// Complex amplitudes of all directions, waves and frequencies: one table, files for antenna and radar programs, images.
#include "engine/solvers/maxwell_fem/solving/amplitudes.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/pi.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/output_parts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/core.h>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

namespace {

constexpr double degrees = 180 / pi;

}  // namespace

std::string ffe_text(std::span<const FfeBlock> blocks) {
  std::string out = "##File Type: Far field\n##File Format: 3\n##Source: Conoid maxwell-fem\n\n";
  for (const FfeBlock& b : blocks) {
    const char* quantity = b.radiated > 0 ? "Directivity" : "RCS";
    const auto shown = [&b](double square) {
      return b.radiated > 0 ? decibel(2 * pi * square / vacuum_impedance / b.radiated) : 4 * pi * square;
    };
    fmt::format_to(std::back_inserter(out),
                   "#Configuration Name: {}\n#Request Name: {}\n#Frequency:   {:.10E}\n#Coordinate System: Spherical\n"
                   "#No. of Theta Samples: {}\n#No. of Phi Samples: {}\n#Result Type: {}\n#No. of Header Lines: 1\n"
                   "#  \"Theta\"  \"Phi\"  \"Re(Etheta)\"  \"Im(Etheta)\"  \"Re(Ephi)\"  \"Im(Ephi)\"  \"{}(Theta)\"  "
                   "\"{}(Phi)\"  \"{}(Total)\"\n",
                   b.configuration, b.request, b.frequency, b.thetas, b.phis, quantity, quantity, quantity, quantity);
    for (std::size_t k = 0; k < b.directions.size(); ++k) {
      const FarAmplitude& f = b.far[k];
      fmt::format_to(std::back_inserter(out),
                     " {:15.8E} {:15.8E} {:15.8E} {:15.8E} {:15.8E} {:15.8E} {:15.8E} {:15.8E} {:15.8E}\n",
                     b.directions[k].theta * degrees, b.directions[k].phi * degrees, f.theta.real(), f.theta.imag(),
                     f.phi.real(), f.phi.imag(), shown(std::norm(f.theta)), shown(std::norm(f.phi)),
                     shown(std::norm(f.theta) + std::norm(f.phi)));
    }
    out += "\n";
  }
  return out;
}

IsarFrame isar_frame(std::span<const double> frequencies, const Cut& sweep) {
  const double middle = 0.5 * (sweep.angles.front() + sweep.angles.back());
  const Direction centre = sweep.phi_runs ? Direction{sweep.fixed, middle} : Direction{middle, sweep.fixed};
  const double band = frequencies.back() - frequencies.front(),
               span = std::abs(sweep.angles.back() - sweep.angles.front()) *
                      (sweep.phi_runs ? std::abs(std::sin(sweep.fixed)) : 1.0);
  return {centre.radial(), sweep.phi_runs ? centre.phi_hat() : centre.theta_hat(),
          light_speed / 2 * static_cast<double>(frequencies.size() - 1) / band,
          light_speed / frequencies.back() / 2 * static_cast<double>(sweep.angles.size() - 1) / span};
}

IsarImage isar_image(std::span<const double> frequencies, const Cut& sweep, std::span<const Complex> echo, double width,
                     int points) {
  IsarImage out;
  const std::size_t angles = sweep.angles.size(), count = frequencies.size();
  if (angles < 2 || count < 2 || points < 2) return out;
  static_cast<IsarFrame&>(out) = isar_frame(frequencies, sweep);
  const Vec3 &down = out.down, &across = out.across;
  const double side = width > 0 ? width : std::min(out.range_width, out.cross_width);
  for (int p = 0; p < points; ++p) out.at.push_back(side * ((p + 0.5) / points - 0.5));
  const auto window = [](std::size_t n, std::size_t of) {
    return std::pow(std::sin(pi * (static_cast<double>(n) + 0.5) / static_cast<double>(of)), 2);
  };
  const auto n = static_cast<std::size_t>(points);
  std::vector<Complex> image(n * n), along(n);
  double weights = 0;
  for (std::size_t f = 0; f < count; ++f)
    for (std::size_t a = 0; a < angles; ++a) {
      const double k = 2 * pi * frequencies[f] / light_speed, w = window(f, count) * window(a, angles);
      const Vec3 r = sweep.direction(a).radial();
      weights += w;
      for (std::size_t u = 0; u < n; ++u) along[u] = std::polar(1.0, -2 * k * dot(r, down) * out.at[u]);
      for (std::size_t v = 0; v < n; ++v) {
        const Complex value = w * echo[f * angles + a] * std::polar(1.0, -2 * k * dot(r, across) * out.at[v]);
        for (std::size_t u = 0; u < n; ++u) image[v * n + u] += value * along[u];
      }
    }
  for (const Complex& z : image) out.level.push_back(20 * std::log10(std::max(std::abs(z) / weights, 1e-15)));
  return out;
}

std::vector<Complex> MaxwellFem::amplitudes() const {
  std::vector<Complex> out;
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const FarFields& far = outcome_.far;
  const std::size_t incidences = problem_.incidences().size(), on_sphere = sphere_directions().size();
  const auto put = [&](const FarAmplitude& f) { out.insert(out.end(), {f.theta, f.phi}); };
  for (std::size_t w = 0; w < incidences * pols; ++w) {
    put(mixed(far.back, w / pols, w));
    for (std::size_t c = 0; c < problem_.cuts.size(); ++c)
      for (std::size_t a = 0; a < problem_.cuts[c].angles.size(); ++a) put(mixed(far.cuts[c], a, w));
    for (std::size_t d = 0; d < on_sphere; ++d) put(mixed(far.sphere, d, w));
  }
  return out;
}

std::vector<Direction> MaxwellFem::seen_from() const {
  std::vector<Direction> out;
  for (const Cut& cut : problem_.cuts)
    for (std::size_t a = 0; a < cut.angles.size(); ++a) out.push_back(cut.direction(a));
  const std::vector<Direction> sphere = sphere_directions();
  out.insert(out.end(), sphere.begin(), sphere.end());
  return out;
}

void MaxwellFem::write_amplitudes(Results& out, double frequency, std::span<const Complex> values) const {
  TableInfo t;
  t.id = "amplitudes";
  t.title = "Complex amplitudes";
  t.form = ChartForm::none;
  t.definition =
      "F: scattered far field times r exp(+jkr), e^{+j omega t}, for 1 V/m; phases about the origin of coordinates. "
      "All "
      "frequencies, incident waves (polarisation 0: V, along theta; 1: H, along phi) and directions: first back to "
      "where the wave "
      "comes from, then the cuts, then the sphere. sigma = 4 pi |F|^2.";
  t.columns = {{"f", "Hz", "frequency"},  {"incident theta", "deg", ""}, {"incident phi", "deg", ""},
               {"polarisation", "1", ""}, {"theta", "deg", ""},          {"phi", "deg", ""},
               {"Re F_V", "V", ""},       {"Im F_V", "V", ""},           {"Re F_H", "V", ""},
               {"Im F_H", "V", ""}};
  if (problem_.radiates()) {
    t.definition =
        "F: far field of dipoles and body times r exp(+jkr), e^{+j omega t}, peak values; phases about the origin of "
        "coordinates. All frequencies and directions: the cuts, then the sphere.";
    t.columns.erase(t.columns.begin() + 1, t.columns.begin() + 4);
    Table& table = out.table(t);
    std::size_t next = 2;  // those of an echo come first
    for (const Direction& to : seen_from()) {
      table.append({frequency, to.theta * degrees, to.phi * degrees, values[next].real(), values[next].imag(),
                    values[next + 1].real(), values[next + 1].imag()});
      next += 2;
    }
    return;
  }
  Table& table = out.table(t);
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::vector<Direction> incidences = problem_.incidences(), seen = seen_from();
  std::size_t next = 0;
  for (std::size_t w = 0; w < incidences.size() * pols; ++w) {
    const Direction& from = incidences[w / pols];
    const auto row = [&](const Direction& to) {
      const Complex v = values[next], h = values[next + 1];
      next += 2;
      table.append({frequency, from.theta * degrees, from.phi * degrees,
                    problem_.is_horizontal(static_cast<Index>(w)) ? 1.0 : 0.0, to.theta * degrees, to.phi * degrees,
                    v.real(), v.imag(), h.real(), h.imag()});
    };
    row(from);
    for (const Direction& to : seen) row(to);
  }
}

Status MaxwellFem::write_ffe(const std::filesystem::path& folder, double frequency, std::size_t number,
                             std::span<const Complex> values) const {
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  const std::vector<Direction> incidences = problem_.incidences(), sphere = sphere_directions();
  std::vector<FfeBlock> blocks;
  const double radiated = problem_.radiates() ? powers(outcome_.far).radiated : 0;
  std::size_t next = 0;
  const auto take = [&](FfeBlock& b) {
    for (std::size_t k = 0; k < b.directions.size(); ++k, next += 2) b.far.push_back({values[next], values[next + 1]});
  };
  for (std::size_t w = 0; w < incidences.size() * pols; ++w) {
    const Direction& from = incidences[w / pols];
    const std::string wave =
        problem_.radiates()
            ? std::string("dipoles")
            : fmt::format("{} from theta {:.6g} phi {:.6g}", problem_.is_horizontal(static_cast<Index>(w)) ? "H" : "V",
                          from.theta * degrees, from.phi * degrees);
    FfeBlock back{wave, "monostatic", frequency, 1, 1, {from}, {}, radiated};
    take(back);
    if (!problem_.radiates()) blocks.push_back(std::move(back));
    for (const Cut& cut : problem_.cuts) {
      FfeBlock b{wave, cut.name, frequency, cut.phi_runs ? 1 : cut.angles.size(), cut.phi_runs ? cut.angles.size() : 1,
                 {},   {},       radiated};
      for (std::size_t a = 0; a < cut.angles.size(); ++a) b.directions.push_back(cut.direction(a));
      take(b);
      blocks.push_back(std::move(b));
    }
    if (sphere.empty()) continue;
    const auto phis = static_cast<std::size_t>(std::count_if(
        sphere.begin(), sphere.end(), [&](const Direction& d) { return d.theta == sphere.front().theta; }));
    FfeBlock b{wave, "sphere", frequency, sphere.size() / phis, phis, {}, {}, radiated};
    // Theta runs fastest there, phi here.
    const std::size_t first = next, thetas = sphere.size() / phis;
    for (std::size_t p = 0; p < phis; ++p)
      for (std::size_t t = 0; t < thetas; ++t) {
        const std::size_t at = t * phis + p;
        b.directions.push_back(sphere[at]);
        b.far.push_back({values[first + 2 * at], values[first + 2 * at + 1]});
      }
    next += 2 * sphere.size();
    blocks.push_back(std::move(b));
  }
  return write_file_atomically(folder / fmt::format("far_field_f{}.ffe", number + 1), ffe_text(blocks));
}

/// Of co-polar echoes, [frequency][angle].
void MaxwellFem::write_isar(Results& out) const {
  const Cut& sweep = *problem_.monostatic;
  const auto pols = static_cast<std::size_t>(problem_.polarisations());
  std::vector<double> frequencies;
  for (const Echo& e : echoes_) frequencies.push_back(e.frequency);
  std::vector<IsarImage> images;
  TableInfo t;
  t.id = "isar";
  t.title = "ISAR image";
  t.form = ChartForm::none;
  t.columns = {{"range", "m", "range"}, {"cross range", "m", "cross range"}};
  for (std::size_t p = 0; p < pols; ++p) {
    const bool h = problem_.is_horizontal(static_cast<Index>(p));
    std::vector<Complex> echo;
    for (const Echo& e : echoes_)
      for (std::size_t a = 0; a < sweep.angles.size(); ++a)
        echo.push_back(e.amplitude[2 * (a * pols + p) + static_cast<std::size_t>(h)]);
    images.push_back(isar_image(frequencies, sweep, echo, problem_.isar_width, problem_.isar_points));
    t.columns.push_back({h ? "HH" : "VV", "dBm", h ? "HH" : "VV"});
  }
  const IsarImage& first = images[0];
  t.definition = fmt::format(
      "20 lg |sum w F exp(-2 j k r.x)|/sum w over frequencies and directions r, w Hann windows in both; x = range * "
      "({:.6g}, {:.6g}, "
      "{:.6g}) + cross range * ({:.6g}, {:.6g}, {:.6g}): towards the radar in the middle of the sweep, and across. "
      "Images repeat "
      "after {:.4g} m in range and {:.4g} m across.",
      first.down[0], first.down[1], first.down[2], first.across[0], first.across[1], first.across[2], first.range_width,
      first.cross_width);
  Table& table = out.table(t);
  const std::size_t n = first.at.size();
  for (std::size_t v = 0; v < n; ++v)
    for (std::size_t u = 0; u < n; ++u) {
      std::vector<double> row{first.at[u], first.at[v]};
      for (const IsarImage& image : images) row.push_back(image.level[v * n + u]);
      table.append(row);
    }
}

}  // namespace conoid::maxwell_fem
