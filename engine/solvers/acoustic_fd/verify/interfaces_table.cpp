// SPDX-License-Identifier: BSD-3-Clause
// Echoes of jumps between the nodes, and the guide of Pekeris.
#include "engine/solvers/acoustic_fd/verify/interfaces_table.hpp"

#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

using Complex = std::complex<double>;

/// Of a plane pulse with a standard deviation of 4 nodes on a jump at `depth`, the way from its start to the jump and back to the
/// receiver being 2 depth − 150 nodes.
struct Echo {
  double error = 0;  ///< largest difference from the exact echo over its amplitude
  double late = 0;   ///< nodes of the way
};

/// 1, and `value` from `depth` on along x: as a layer, or where `spacing` > 0 as samples of a file so far apart, two of which lie half a
/// spacing to either side of the jump.
std::shared_ptr<const Velocity> jump_at(double depth, double spacing, double value, double end) {
  if (!(spacing > 0)) return layered_velocity(0, 1, 0, {{0, 1, 0}, {depth, value, 0}});
  const double last_before = depth - 0.5 * spacing;
  const Index before = static_cast<Index>(last_before / spacing), after = static_cast<Index>((end - depth) / spacing);
  ModelBox box;
  box.shape = {before + after + 1, 1, 1};
  box.spacing = {spacing, 1, 1};
  box.origin = {last_before - static_cast<double>(before) * spacing, 0, 0};
  std::vector<float> samples(static_cast<std::size_t>(box.shape[0]), static_cast<float>(value));
  std::fill_n(samples.begin(), before + 1, 1.0F);
  return sampled_velocity(box, {1, 1, 1}, std::move(samples), {std::min(1.0, value), std::max(1.0, value)});
}

Echo echo_of(double depth, double c2, double rho2, double spacing = 0) {
  Problem p;
  p.grid.points = {301, 9, 9};
  p.order = 8;
  p.double_precision = true;
  for (auto& face : p.faces) face.kind = FaceKind::rigid;
  p.velocity = c2 == 1 ? constant_velocity(1) : jump_at(depth, spacing, c2, 300);
  p.speed = {std::min(1.0, c2), std::max(1.0, c2)};
  if (rho2 != 1) p.density = jump_at(depth, spacing, rho2, 300);
  p.dt = 0.8 * largest_time_step(stencil_of_order(8), p.grid.spacing, p.speed.highest);
  p.initial = {Initial::Kind::plane, 1.0, 4.0, {90, 0, 0}, 0, 1};
  p.receivers = {{"back", {60, 4, 4}}};
  const auto steps = static_cast<Index>((2 * depth - 120) / p.dt);
  const auto got = traces_of_run(p, steps, 3.2 * p.speed.highest / (2 * std::numbers::pi * 4), 1)[0];
  const double R = (rho2 * c2 - 1) / (rho2 * c2 + 1);
  Echo out;
  double size = 0, moment = 0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double t = static_cast<double>(k) * p.dt, d = 2 * depth - 150 - t;
    if (std::abs(d) > 30) continue;
    out.error = std::max(out.error, std::abs(got[k] - R * std::exp(-d * d / 32)) / std::abs(R));
    size += got[k] * got[k];
    moment += got[k] * got[k] * -d;
  }
  out.late = moment / size;
  return out;
}

/// Pressure of a point source over e^{−iωt} in water of depth D under a free surface over a fluid half-space, from its spectrum in
/// horizontal wavenumbers: p = 1/(2π) ∫ G(k) J_0(k r) k dk, G'' + γ_1² G = −δ(z − z_s), G(0) = 0, and G, G'/ρ continuous at D
/// (Pekeris, Geol. Soc. Am. Memoir 27, 1948; Jensen et al., Computational Ocean Acoustics, 2nd ed., sections 2.4 and 4.3).
struct Guide {
  double c1 = 1500, c2 = 1800, density = 1.8, depth = 100, source = 36, receiver = 66, range = 300;

  [[nodiscard]] Complex green(Complex omega, double k) const {
    const auto vertical = [&](double c) {
      const Complex g = std::sqrt(omega * omega / (c * c) - k * k);
      return g.imag() < 0 ? -g : g;
    };
    const Complex i{0, 1}, g1 = vertical(c1), floor = i * vertical(c2) / density;
    const double low = std::min(source, receiver), high = std::max(source, receiver);
    // sin and cos over e^{−iγ z}, which grows where waves are evanescent.
    const auto half_sin = [&](double z) { return (1.0 - std::exp(2.0 * i * g1 * z)) * i / 2.0; };
    const auto half_cos = [&](double z) { return (1.0 + std::exp(2.0 * i * g1 * z)) / 2.0; };
    const Complex above = half_sin(low), below = half_cos(depth - high) - floor / g1 * half_sin(depth - high),
                  wronskian = half_sin(depth) * floor - g1 * half_cos(depth);
    return -above * below / wronskian * std::exp(i * g1 * (high - low));
  }
  [[nodiscard]] Complex pressure(Complex omega) const {
    constexpr double step = 0.002, last = 0.8;  // e^{−0.8 · 30}: beyond it nothing comes from one depth to the other
    Complex sum = 0;
    for (double k = step; k < last; k += step) sum += k * green(omega, k) * std::cyl_bessel_j(0.0, k * range);
    return sum * step / (2 * std::numbers::pi);
  }
  /// For a Ricker wavelet of frequency f at times j dt. Frequencies run along Im ω = a > 0, which keeps away from the poles and
  /// weakens what comes round by e^{−a period}.
  [[nodiscard]] std::vector<double> traces(double f, double dt, Index steps) const {
    const double period = 2 * static_cast<double>(steps) * dt, a = 8 / period, delay = 1.5 / f;
    std::vector<double> out(static_cast<std::size_t>(steps + 1));
    for (int n = 0; static_cast<double>(n) / period < 4 * f; ++n) {
      const Complex omega{2 * std::numbers::pi * static_cast<double>(n) / period, a},
          x = omega / (2 * std::numbers::pi * f);
      // ∫ (1 − 2π²f²t²) e^{−π²f²t²} e^{iωt} dt = 2/(√π f) x² e^{−x²}
      const Complex at = 2 / (std::sqrt(std::numbers::pi) * f) * x * x * std::exp(-x * x) *
                         std::exp(Complex{0, 1} * omega * delay) * pressure(omega) / period * (n == 0 ? 1.0 : 2.0);
      for (Index j = 0; j <= steps; ++j)
        out[static_cast<std::size_t>(j)] +=
            (at * std::exp(Complex{0, -1} * omega * static_cast<double>(j) * dt)).real();
    }
    return out;
  }
};

double guide_error(double depth, const RowWorkers& workers) {
  Guide guide;
  guide.depth = depth;
  const double h = 5, f = 25;
  Problem p;
  p.grid.points = {115, 80, 92};  // no echo of the outer faces comes in time
  p.grid.spacing = {h, h, h};
  const double top = p.grid.upper(2);
  p.order = 8;
  for (auto& face : p.faces) face.kind = FaceKind::rigid;
  p.faces[5].kind = FaceKind::free_surface;
  p.velocity = layered_velocity(2, -1, top, {{0, guide.c1, 0}, {depth, guide.c2, 0}});
  p.density = layered_velocity(2, -1, top, {{0, 1, 0}, {depth, guide.density, 0}});
  p.reference_density = std::sqrt(guide.density);
  p.speed = {guide.c1, guide.c2};
  p.dt = 0.85 * largest_time_step(stencil_of_order(8), p.grid.spacing, guide.c2);
  p.sources.push_back(
      {{0, 0, top - guide.source}, std::make_shared<Ricker>(f, 1.5 / f, 0.25)});  // in a corner of mirrors
  p.receivers = {{"R", {guide.range, 0, top - guide.receiver}}};
  const auto steps = static_cast<Index>(0.45 / p.dt);
  return relative_error(traces_of_run(p, steps, 2.5 * f, workers)[0], guide.traces(f, p.dt, steps));
}

/// Two fluids of the same speed and densities 1 and 2.5: a wave from a point is mirrored whole, p = s(t − r)/4πr + R s(t − r')/4πr' on its side and
/// (1 + R) s(t − r)/4πr on the other, R = (ρ2 − ρ1)/(ρ2 + ρ1) with the densities of its side and the other.
struct Halfspaces {
  static constexpr double at = 50.5, frequency = 1.0 / 16;

  [[nodiscard]] static double density(double z) { return z < at ? 1 : 2.5; }
  [[nodiscard]] static double pressure(double source, double x, double z, double t) {
    static const Ricker ricker(frequency, 1.5 / frequency, 1);
    const double own = density(source), other = 3.5 - own, echo = (other - own) / (other + own);
    const auto wave = [&](double from) {
      const double r = std::hypot(x, z - from);
      return ricker.at(t - r) / (4 * std::numbers::pi * r);
    };
    return density(z) == own ? wave(source) + echo * wave(2 * at - source) : (1 + echo) * wave(source);
  }
  [[nodiscard]] static Problem problem(double source) {
    Problem p;
    p.grid.points = {62, 62, 102};  // no echo of the outer faces comes in time
    p.order = 8;
    for (auto& face : p.faces) face.kind = FaceKind::rigid;
    p.velocity = constant_velocity(1);
    p.speed = {1, 1};
    p.density = layered_velocity(2, 1, 0, {{0, 1, 0}, {at, 2.5, 0}});
    p.dt = 0.85 * largest_time_step(stencil_of_order(8), p.grid.spacing, 1);
    p.sources.push_back(
        {{0, 0, source}, std::make_shared<Ricker>(frequency, 1.5 / frequency, 0.25)});  // in a corner of mirrors
    return p;
  }
  /// Largest error over the largest value of the traces, or of their slopes along z, of receivers at (22, 0, z).
  [[nodiscard]] static double error(double source, const std::vector<double>& places, bool slope,
                                    const RowWorkers& workers) {
    Problem p = problem(source);
    for (const double z : places) {
      Receiver receiver{"R", {22, 0, z}};
      if (slope) receiver.slope = {0, 0, 1};
      p.receivers.push_back(receiver);
    }
    const Traces got = traces_of_run(p, static_cast<Index>(80 / p.dt), 2.5 * frequency, workers);
    double out = 0;
    for (std::size_t n = 0; n < places.size(); ++n) {
      double most = 0, size = 0;
      for (std::size_t k = 0; k < got[n].size(); ++k) {
        const double t = static_cast<double>(k) * p.dt, e = 1e-4;
        const double exact =
            slope ? (pressure(source, 22, places[n] + e, t) - pressure(source, 22, places[n] - e, t)) / (2 * e)
                  : pressure(source, 22, places[n], t);
        most = std::max(most, std::abs(got[n][k] - exact));
        size = std::max(size, std::abs(exact));
      }
      out = std::max(out, most / size);
    }
    return out;
  }
};

/// What is spread over nodes on both sides of a jump of density belongs to the side that it is on.
void beside_rows(const TestRun& run, const VerifySink& sink) {
  run.doing("beside a jump of density");
  const double z = Halfspaces::at;
  double most = 0;
  for (const double d : {-1.4, -0.3, 0.3, 0.6})
    most = std::max(most, Halfspaces::error(z + d, {z - 20, z + 20}, false, run.workers()));
  sink({"jump of density 1:2.5, sources 0.3 to 1.4 nodes beside it: largest error of traces", most, "1", 0.05, false,
        "a source and its image"});
  // The sinc between the nodes does not know the kink of the pressure.
  sink({"jump of density 1:2.5, velocities 0.3 to 2.2 nodes beside it: largest error",
        Halfspaces::error(z - 20, {z - 2.2, z - 1.4, z - 0.6, z - 0.3, z + 0.3, z + 0.6, z + 1.4, z + 2.2}, true,
                          run.workers()),
        "1", 0.08, false, "slope of the same, continuous over the density"});
}

void jump_rows(const TestRun& run, const VerifySink& sink) {
  run.doing("interfaces between nodes");
  for (const auto& [c2, rho2] : {std::pair{1.2, 1.8}, std::pair{1.2, 1.0}, std::pair{1.0, 1.8}}) {
    const std::string jump = fmt::format("jump 1:{} in speed, 1:{} in density", c2, rho2);
    double late = 0;
    for (const double depth : {150.0, 150.25, 150.5, 150.75}) {
      const Echo echo = echo_of(depth, c2, rho2);
      late = std::max(late, std::abs(echo.late));
      sink({fmt::format("{}, {} nodes deep: error of the echo", jump, depth), echo.error, "1", 0.02, false,
            "R g(2 depth - x - x0 - c t), R = (Z2 - Z1)/(Z2 + Z1)"});
    }
    sink({fmt::format("{}: largest error of the echo's time", jump), late, "nodes", 0.05, false, "same"});
  }
  // Samples of a file that are as close as the nodes or closer are cells of their own. Farther apart they are a ramp, by what the file says:
  // across two nodes it takes (4 nodes)²/(24 · 16) = 4 % from the top of an echo with a standard deviation of 4 nodes, to first order in the contrast.
  for (const double spacing : {1.0, 0.5, 2.0}) {
    double most = 0;
    for (const auto& [c2, rho2] : {std::pair{1.2, 1.8}, std::pair{1.2, 1.0}, std::pair{1.0, 1.8}})
      for (const double depth : {150.0, 150.25, 150.5}) most = std::max(most, echo_of(depth, c2, rho2, spacing).error);
    sink({fmt::format("jumps of a file with samples {} nodes apart: largest error of the echo", spacing), most, "1",
          spacing > 1 ? 0.08 : 0.02, false, "same"});
  }
}

void guide_rows(const TestRun& run, const VerifySink& sink) {
  run.doing("guide of Pekeris");
  for (const double depth : {100.0, 102.0}) {
    sink({fmt::format("guide of Pekeris, floor {} m deep, nodes 5 m apart, 25 Hz: error of a trace", depth),
          guide_error(depth, run.workers()), "1", 0.02, false, "integral over wavenumbers"});
    if (run.quick) break;
  }
}

}  // namespace

void interfaces_table(const TestRun& run, const VerifySink& sink) {
  if (run.may_want("jump")) {
    jump_rows(run, sink);
    beside_rows(run, sink);
  }
  if (run.may_want("guide of Pekeris")) guide_rows(run, sink);
}

}  // namespace conoid::acoustic_fd
