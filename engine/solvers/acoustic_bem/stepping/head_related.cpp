// SPDX-License-Identifier: BSD-3-Clause
// Directions, responses of ears, and their files.
#include "engine/solvers/acoustic_bem/stepping/head_related.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/io/sofa.hpp"
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/solvers/acoustic_bem/discretization/exact_sphere.hpp"
#include "engine/solvers/acoustic_bem/stepping/frequency_solver.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/solvers/acoustic_bem/stepping/spectrum.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;
using Complex = std::complex<double>;

namespace {
constexpr double degree = std::numbers::pi / 180;
}  // namespace

Vec3 HeadSetting::left() const {
  return cross(up, view);
}

Vec3 HeadSetting::toward(std::size_t direction) const {
  const double azimuth = directions[direction][0] * degree, elevation = directions[direction][1] * degree;
  const Vec3 side = axpy(std::cos(elevation) * std::sin(azimuth), left(), scale(std::sin(elevation), up));
  return axpy(std::cos(elevation) * std::cos(azimuth), view, side);
}

Vec3 HeadSetting::place(std::size_t direction) const {
  return axpy(radius, toward(direction), center);
}

std::vector<std::array<double, 2>> even_angles(double step) {
  const auto rows = static_cast<int>(std::lround(180 / step));
  std::vector<std::array<double, 2>> out{{0, -90}};
  for (int r = 1; r < rows; ++r)
    for (int a = 0; a < 2 * rows; ++a) out.push_back({a * 180.0 / rows, -90 + r * 180.0 / rows});
  out.push_back({0, 90});
  return out;
}

std::vector<std::array<double, 2>> spiral(int count) {
  std::vector<std::array<double, 2>> out;
  for (int k = 0; k < count; ++k) {
    const double turn = 360 / std::numbers::phi * k;
    out.push_back({turn - 360 * std::floor(turn / 360), std::asin((2.0 * k + 1) / count - 1) / degree});
  }
  return out;
}

std::vector<Complex> ear_responses(const Surface& surface, const Form& form, const Drive& drive, std::size_t motion,
                                   std::span<const Complex> a, double frequency, const HeadSetting& head, Team& team) {
  const double omega = 2 * std::numbers::pi * frequency;
  const Complex monopole = Complex(0, -omega) * drive.density() * drive.volume(motion) *
                           std::polar(1 / (4 * std::numbers::pi * head.radius), omega / form.c * head.radius);
  std::vector<Complex> out(head.directions.size());
  const auto count = static_cast<Index>(out.size());
  const double cost = 1e-6 * static_cast<double>(out.size() * surface.triangles.size());
  for_range(team, "frequencies", count, 4, cost, [&](Interval range) {
    for (Index k = range.begin; k < range.end; ++k) {
      const Vec3 x = head.place(static_cast<std::size_t>(k));
      out[static_cast<std::size_t>(k)] =
          (near_field(surface, form, a, frequency, x) + drive.near_field(surface, motion, frequency, x)) / monopole;
    }
  });
  return out;
}

std::vector<Complex> exact_ear_responses(const Surface& surface, const Form& form, std::size_t wall,
                                         double sphere_radius, double frequency, const HeadSetting& head) {
  const double omega = 2 * std::numbers::pi * frequency;
  const ExactSphere sphere{true, sphere_radius, form.c, head.radius};
  // The series at even angles; between them it is smooth on the scale of a wave.
  constexpr int angles = 1440;
  std::vector<Complex> at;
  for (int k = 0; k <= angles; ++k) at.push_back(sphere.surface(omega, -std::cos(std::numbers::pi * k / angles)));
  const Complex over = std::polar(1 / (4 * std::numbers::pi * head.radius), omega / form.c * head.radius);
  static const Rule rule = triangle_rule(7);
  std::vector<Complex> out;
  for (std::size_t d = 0; d < head.directions.size(); ++d) {
    const Vec3 toward = head.toward(d);
    Complex sum = 0;
    double area = 0;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
      if (surface.wall[t] != static_cast<std::int16_t>(wall)) continue;
      const Triangle& T = surface.triangles[t];
      for (const RulePoint& q : rule) {
        Vec3 y = scale(-1, head.center);
        for (std::size_t c = 0; c < 3; ++c) y = axpy(q.lambda[c], T.corner[c], y);
        const double place = std::acos(std::clamp(dot(y, toward) / norm(y), -1.0, 1.0)) / std::numbers::pi * angles;
        const auto below = std::min(static_cast<std::size_t>(place), std::size_t{angles - 1});
        const double share = place - static_cast<double>(below);
        sum += q.weight * T.area * ((1 - share) * at[below] + share * at[below + 1]);
        area += q.weight * T.area;
      }
    }
    out.push_back(sum / area / over);
  }
  return out;
}

std::vector<double> signal_of(std::span<const Complex> response, std::size_t samples, double late) {
  const std::size_t last = std::min(response.size(), (samples - 1) / 2);
  // Re H is even in ω: H(0) from the first two frequencies, to order 4.
  const double still = response.size() > 1 ? (4 * response[0].real() - response[1].real()) / 3 : response[0].real();
  std::vector<double> out(samples, still / static_cast<double>(samples));
  std::vector<Complex> turns(samples);  // e^{2πi n/samples}
  for (std::size_t n = 0; n < samples; ++n)
    turns[n] = std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(n) / static_cast<double>(samples));
  const double from = 0.875 * static_cast<double>(last);
  for (std::size_t k = 1; k <= last; ++k) {
    const double beyond = (static_cast<double>(k) - from) / (static_cast<double>(last) + 1 - from),
                 fade = beyond > 0 ? 0.5 + 0.5 * std::cos(std::numbers::pi * beyond) : 1,
                 turn = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(samples);
    const Complex sent = 2 * fade / static_cast<double>(samples) * response[k - 1] * std::polar(1.0, -turn * late);
    for (std::size_t n = 0, at = 0; n < samples; ++n, at = (at + k) % samples) out[n] += (sent * turns[at]).real();
  }
  return out;
}

namespace {

/// Of a motion's faces, in the listener's axes.
Vec3 place_of_ear(const Surface& surface, std::size_t wall, const HeadSetting& head) {
  Vec3 sum{};
  double area = 0;
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    if (surface.wall[t] == static_cast<std::int16_t>(wall)) {
      sum = axpy(surface.triangles[t].area, surface.triangles[t].centroid, sum);
      area += surface.triangles[t].area;
    }
  const Vec3 x = sub(scale(1 / area, sum), head.center);
  return {dot(x, head.view), dot(x, head.left()), dot(x, head.up)};
}

/// Levels in all directions at four frequencies, the sphere's poles once for each azimuth, so that it closes.
void write_levels(Results& results, const HeadSetting& head, std::span<const Complex> responses) {
  const std::size_t ears = head.ears.size(), all = head.frequencies.size(), shown = std::min<std::size_t>(all, 4);
  TableInfo t;
  t.id = "head_related";
  t.title = "Head-related levels";
  t.definition =
      "20 log10 of the pressure at an ear over that at the head's centre without the head, by the direction of the "
      "source: theta from "
      "above, phi from the view to the left.";
  // Around the body as it stands where the listener's axes are the mesh's.
  t.form = head.even_angles && head.view[0] > 1 - 1e-9 && head.up[2] > 1 - 1e-9 ? ChartForm::sphere : ChartForm::none;
  t.columns = {{"theta", "deg", "theta"}, {"phi", "deg", "phi"}};
  std::vector<std::size_t> at;
  for (std::size_t k = 1; k <= shown; ++k) at.push_back(k * all / shown - 1);
  for (const std::string& ear : head.ears)
    for (const std::size_t f : at) {
      const std::string name = ear + " " + format_quantity(head.frequencies[f], "Hz");
      t.columns.push_back({name, "dB", name});
    }
  Table& table = results.table(t);
  const auto write = [&](std::size_t d, double azimuth) {
    std::vector<double> row{90 - head.directions[d][1], azimuth};
    for (std::size_t e = 0; e < ears; ++e)
      for (const std::size_t f : at)
        row.push_back(20 * std::log10(std::max(std::abs(responses[(d * ears + e) * all + f]), 1e-15)));
    table.append(row);
  };
  for (std::size_t d = 0; d < head.directions.size(); ++d) {
    const bool pole = head.even_angles && std::abs(head.directions[d][1]) > 90 - 1e-9;
    if (!pole) {
      write(d, head.directions[d][0]);
      continue;
    }
    for (std::size_t k = 1; k + 1 < head.directions.size() && head.directions[k][1] == head.directions[1][1]; ++k)
      write(d, head.directions[k][0]);
  }
}

}  // namespace

Status AcousticBem::write_head_related(RunContext& context) {
  const HeadSetting& head = settings_.head;
  const std::size_t ears = head.ears.size(), all = head.frequencies.size(), directions = head.directions.size();
  if (all == 0) return {};
  std::vector<std::size_t> motions;
  for (const std::string& ear : head.ears)
    motions.push_back(static_cast<std::size_t>(
        std::find_if(drive_.motions().begin(), drive_.motions().end(), [&](const Motion& m) { return m.name == ear; }) -
        drive_.motions().begin()));
  const bool leads = context.cluster.leads();
  std::vector<Complex> responses(leads ? directions * ears * all : 0);  // [direction][ear][frequency], e^{+jωt}
  double difference = 0, total = 0;
  Index most = 0;
  context.progress.begin("frequencies", static_cast<Index>(all), "frequencies");
  for (std::size_t f = 0; f < all; ++f) {
    if (cluster_->maximum(context.stop.stop_requested() ? 1.0 : 0.0) > 0)
      return make_error(ErrorCode::stopped, "Stopped while head-related responses were solved for.");
    const double frequency = head.frequencies[f], omega = 2 * std::numbers::pi * frequency;
    std::vector<std::vector<Complex>> right, a, received;
    for (const std::size_t m : motions) right.push_back(drive_.response_of(m, omega));
    const Index iterations = engine_->spectrum(context.team, omega, right, a, received);
    if (iterations == 0) return not_solved(frequency);
    most = std::max(most, iterations);
    for (std::size_t e = 0; e < ears && leads; ++e) {
      const auto got = ear_responses(surface_, settings_.form, drive_, motions[e], a[e], frequency, head, context.team);
      for (std::size_t d = 0; d < directions; ++d) responses[(d * ears + e) * all + f] = std::conj(got[d]);
      if (!settings_.exact_sphere) continue;
      const auto want = exact_ear_responses(surface_, settings_.form, drive_.motions()[motions[e]].wall,
                                            ball_radius(surface_), frequency, head);
      for (std::size_t d = 0; d < directions; ++d) {
        difference += std::norm(got[d] - want[d]);
        total += std::norm(want[d]);
      }
    }
    context.progress.at(static_cast<Index>(f + 1));
  }
  context.progress.end();
  if (!leads) return {};
  context.results.number("head_related_iterations", static_cast<double>(most), "1");
  if (total > 0) context.results.number("error_head_related", std::sqrt(difference / total), "1");
  write_levels(context.results, head, responses);
  return write_head_files(context, responses);
}

Status AcousticBem::write_head_files(RunContext& context, std::span<const Complex> responses) const {
  const HeadSetting& head = settings_.head;
  const std::filesystem::path folder = context.results.folder();
  if (folder.empty()) return {};
  const std::size_t all = head.frequencies.size();
  SofaScene scene;
  scene.title = context.input["title"].text();
  if (scene.title.empty()) scene.title = "body";
  scene.subject = scene.title;
  double farthest = 0;
  for (const std::string& ear : head.ears)
    for (const Motion& m : drive_.motions())
      if (m.name == ear) {
        scene.ears.push_back(place_of_ear(surface_, m.wall, head));
        farthest = std::max(farthest, norm(scene.ears.back()));
      }
  for (const auto& d : head.directions) scene.sources.push_back({d[0], d[1], head.radius});
  std::vector<Complex> heard(responses.begin(), responses.end());
  // Programs that play such files take the first of two ears as the left one, wherever it is said to be.
  if (scene.ears.size() == 2 && scene.ears[0][1] < scene.ears[1][1]) {
    std::swap(scene.ears[0], scene.ears[1]);
    for (auto at = heard.begin(); at != heard.end(); at += static_cast<std::ptrdiff_t>(2 * all))
      std::swap_ranges(at, at + static_cast<std::ptrdiff_t>(all), at + static_cast<std::ptrdiff_t>(all));
  }
  scene.comment =
      "Computed by reciprocity; pressure averaged over the faces of each ear, over that at the listener's place "
      "without "
      "the listener.";
  if (Status s = write_sofa_responses(folder / "head-related.sofa", scene, head.frequencies, heard); !s) return s;
  if (head.rate <= 0) return {};
  // Whole samples, so that sound which meets an ear before it would meet the centre begins after the first.
  const double late = std::ceil(head.rate * (farthest / settings_.form.c + 5e-4));
  const auto samples = static_cast<std::size_t>(std::lround(head.rate / head.frequencies[0]));
  std::vector<double> signals;
  for (std::size_t k = 0; k < heard.size(); k += all) {
    const std::vector<double> signal = signal_of(std::span(heard).subspan(k, all), samples, late);
    signals.insert(signals.end(), signal.begin(), signal.end());
  }
  scene.comment +=
      fmt::format(" Sound reaches the listener's place at sample {:.0f} of all signals; there is none above {}.", late,
                  format_quantity(head.frequencies.back(), "Hz"));
  return write_sofa_signals(folder / "head-related-signals.sofa", scene, head.rate, samples, signals);
}

}  // namespace conoid::acoustic_bem
