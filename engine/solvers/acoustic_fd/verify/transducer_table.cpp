// SPDX-License-Identifier: BSD-3-Clause
// Sources over surfaces on their axis after O'Neil, dipoles, and slopes at receivers.
#include "engine/solvers/acoustic_fd/discretization/attenuation.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/discretization/source_arrays.hpp"
#include "engine/solvers/acoustic_fd/verify/physics_table.hpp"
#include "engine/solvers/acoustic_fd/verify/recording.hpp"
#include "engine/solvers/verify_rows.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <string>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

using Complex = std::complex<double>;
constexpr double disc_wave = 12, disc_plane = 30;  ///< nodes

/// A quarter of space between two mirrors, whose other faces absorb; what lies on both counts four times.
Problem quarter() {
  Problem p = open_space({120, 56, 56});
  for (const std::size_t mirror : {2U, 4U}) p.faces[mirror].kind = FaceKind::rigid;
  p.dt = 0.4;
  Source source;
  source.position = {disc_plane, 0, 0};
  source.signal = std::make_shared<Ricker>(1 / disc_wave, 1.5 * disc_wave, 0.25);
  p.sources.push_back(std::move(source));
  return p;
}

const Complex transformed{0.01, 2 * std::numbers::pi / disc_wave};  ///< s of e^{st}

/// Largest error of the receivers against exact(receiver, s) of what `sent` sends, over the largest of these.
double error_of(const Problem& p, const Signal& signal, double times,
                const std::function<Complex(std::size_t, Complex)>& exact, const RowWorkers& workers) {
  const auto steps = static_cast<Index>((3 * disc_wave + 130) / p.dt);
  const Traces got = recorded_levels(p, steps, workers);
  const Complex s = transformed, rate = 2 / p.dt * std::sinh(0.5 * s * p.dt);
  Complex sent = 0;
  std::vector<Complex> sums(got.size(), 0);
  for (Index k = 1; k <= steps; ++k) {
    const double t = static_cast<double>(k) * p.dt;
    const Complex turn = std::exp(-s * t);
    sent += times * signal.at(t) * turn;
    for (std::size_t r = 0; r < got.size(); ++r) sums[r] += got[r][static_cast<std::size_t>(k - 1)] * turn;
  }
  double worst = 0, most = 0;
  for (std::size_t r = 0; r < got.size(); ++r) {
    const Complex wanted = exact(r, rate);
    worst = std::max(worst, std::abs(sums[r] / sent - wanted));
    most = std::max(most, std::abs(wanted));
  }
  return worst / most;
}

double error_of(const Problem& p, const std::function<Complex(std::size_t, Complex)>& exact,
                const RowWorkers& workers) {
  return error_of(p, *p.sources[0].signal, 4, exact, workers);
}

void send(Problem& p, const std::vector<ArrayElement>& elements, const std::shared_ptr<const Signal>& signal) {
  p.sources.clear();
  for (const ArrayElement& element : elements)
    p.sources.push_back(
        {element.position, std::make_shared<Scaled>(std::make_shared<Delayed>(signal, element.delay), element.share)});
}

/// Four line sources half a wave apart on a mirror, steered by 30 degrees: largest difference of the amplitudes on an arc, over that at 30 degrees, from
/// the pattern far away.
double pattern_error(const RowWorkers& workers) {
  constexpr double far = 400, pitch = disc_wave / 2, aim = std::numbers::pi / 6;
  Problem p = open_space({840, 1, 420});
  for (const std::size_t mirror : {2U, 3U, 4U}) p.faces[mirror].kind = FaceKind::rigid;
  p.dt = 0.4;
  ArrayShape shape;
  shape.elements = 4;
  shape.pitch = pitch;
  std::vector<ArrayElement> elements = array_elements({420, 0, 0}, shape);
  steer(elements, {std::sin(aim), 0, 0}, 1);
  send(p, elements, std::make_shared<Ricker>(1 / disc_wave, 1.5 * disc_wave, 1));
  std::vector<double> angles{aim};
  for (int degrees = -70; degrees <= 70; degrees += 10) angles.push_back(degrees * std::numbers::pi / 180);
  for (const double angle : angles)
    p.receivers.push_back({"R", {420 + far * std::sin(angle), 0, far * std::cos(angle)}});
  const auto steps = static_cast<Index>(500 / p.dt);
  const Traces got = recorded_levels(p, steps, workers);
  const double w = 2 * std::numbers::pi / disc_wave, wave_number = 2 / p.dt * std::sin(0.5 * w * p.dt);
  std::vector<double> size;
  for (const std::vector<double>& trace : got) {
    Complex sum = 0;
    for (Index k = 1; k <= steps; ++k)
      sum += trace[static_cast<std::size_t>(k - 1)] * std::polar(1.0, -w * static_cast<double>(k) * p.dt);
    size.push_back(std::abs(sum));
  }
  double worst = 0;
  for (std::size_t r = 0; r < size.size(); ++r) {
    const double psi = pitch * (wave_number * std::sin(angles[r]) - w * std::sin(aim)),
                 pattern = std::abs(psi) < 1e-2 ? 1 : std::abs(std::sin(2 * psi) / (4 * std::sin(0.5 * psi)));
    worst = std::max(worst, std::abs(size[r] / size[0] - pattern));
  }
  return worst;
}

/// Five rows of five, weighted, focused two and a half waves away off the axis: at the focus and beside it.
double focus_error(const RowWorkers& workers) {
  Problem p = quarter();
  p.grid.points = {80, 60, 60};
  for (const std::size_t mirror : {2U, 4U}) p.faces[mirror].kind = FaceKind::matched;
  ArrayShape shape;
  shape.elements = shape.rows = 5;
  shape.pitch = shape.row_pitch = disc_wave / 2;
  shape.direction = {0, 1, 0};
  shape.across = {0, 0, 1};
  shape.taper = Taper::hamming;
  std::vector<ArrayElement> elements = array_elements({26, 30, 30}, shape);
  const Vec3 at{56, 34, 28};
  focus(elements, at, 1);
  const auto signal = std::make_shared<Ricker>(1 / disc_wave, 1.5 * disc_wave, 1);
  send(p, elements, signal);
  for (const Vec3& place : {at, Vec3{56, 30, 36}, Vec3{48, 24, 30}, Vec3{50.3, 40.2, 20.7}})
    p.receivers.push_back({"R", place});
  return error_of(
      p, *signal, 1,
      [&](std::size_t r, Complex s) {
        Complex sum = 0;
        for (const ArrayElement& element : elements) {
          const Vec3 &x = p.receivers[r].position, &y = element.position;
          const double d = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
          sum += element.share * std::exp(-transformed * element.delay - s * d) / (4 * std::numbers::pi * d);
        }
        return sum;
      },
      workers);
}

/// Two receivers on a plane wave's way in a duct: how the ratio of their transforms differs from exp(−γ x) with the medium's own γ (the steps), and
/// from the constant Q's exp(−π f x/(Q c)) (the solids), in the logarithm of the amplitude over x = 5 wavelengths.
struct Loss {
  double scheme = 0, quality = 0;
};
Loss attenuation_error(double quality, double nodes_a_wave, const RowWorkers& workers) {
  Problem p;
  p.grid.points = {900, 1, 9};
  p.order = 8;
  p.double_precision = true;
  for (Face& face : p.faces) face.kind = FaceKind::rigid;
  p.dt = 0.4;
  const double frequency = 1 / nodes_a_wave, highest = 1.0 / 8;
  p.relaxations = constant_quality(quality, highest / 40, highest, 3);
  p.stiffening = stiffening(p.relaxations, highest / 2.5);
  p.velocity = constant_velocity(p.stiffening);
  p.speed = {p.stiffening, p.stiffening};
  for (Index z = 0; z < 9; ++z)
    p.sources.push_back({{300, 0, static_cast<double>(z)},
                         std::make_shared<Ricker>(frequency, 1.5 * nodes_a_wave, z == 0 || z == 8 ? 0.5 : 1)});
  const double x = std::round(std::min(5 * nodes_a_wave, 200.0));
  p.receivers = {{"near", {330, 0, 4}}, {"far", {330 + x, 0, 4}}};
  const auto steps = static_cast<Index>(590 / p.dt);
  const Traces got = recorded_levels(p, steps, workers);
  const double w = 2 * std::numbers::pi * frequency;
  std::array<Complex, 2> sum{};
  for (std::size_t r = 0; r < 2; ++r)
    for (Index k = 1; k <= steps; ++k)
      sum[r] += got[r][static_cast<std::size_t>(k - 1)] * std::polar(1.0, -w * static_cast<double>(k) * p.dt);
  const Complex rate{0, 2 / p.dt * std::sin(0.5 * w * p.dt)},
      gamma = rate / p.stiffening * std::sqrt(relaxed(p.relaxations, rate));
  const double waves = 5, seen = std::log(std::abs(sum[1] / sum[0])),
               true_frequency = rate.imag() / (2 * std::numbers::pi);
  // c at this frequency, by the medium.
  const double speed = rate.imag() / gamma.imag();
  return {std::abs(sum[1] / sum[0] - std::exp(-gamma * x)) / std::abs(std::exp(-gamma * x)) * waves * nodes_a_wave / x,
          std::abs(seen / (-std::numbers::pi * true_frequency * x / (quality * speed)) - 1)};
}

/// A point source in a medium of constant Q: its wave a wavelength and more away, on nodes and between them.
double attenuated_source_error(double quality, const RowWorkers& workers) {
  Problem p = open_space({70, 60, 60});
  const double highest = 2.5 / disc_wave;
  p.relaxations = constant_quality(quality, highest / 40, highest, 3);
  p.stiffening = stiffening(p.relaxations, 1 / disc_wave);
  p.velocity = constant_velocity(p.stiffening);
  p.speed = {p.stiffening, p.stiffening};
  p.dt = 0.9 * largest_time_step(stencil_of_order(p.order), p.grid.spacing, p.stiffening);
  Source source;
  source.position = {25, 30, 30};
  source.signal = std::make_shared<Ricker>(1 / disc_wave, 1.5 * disc_wave, 1);
  p.sources.push_back(source);
  for (const Vec3& place : {Vec3{40, 30, 30}, Vec3{38, 38.4, 25.3}}) p.receivers.push_back({"R", place});
  return error_of(
      p, *source.signal, 1,
      [&](std::size_t r, Complex s) {
        const Vec3 &x = p.receivers[r].position, &y = source.position;
        const double d = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
        return std::exp(-s / p.stiffening * std::sqrt(relaxed(p.relaxations, s)) * d) / (4 * std::numbers::pi * d);
      },
      workers);
}

}  // namespace

void transducer_table(const TestRun& run, const VerifySink& sink) {
  constexpr double radius = 18, curvature = 45, four_pi = 4 * std::numbers::pi;
  const std::vector<double> along{8, 20, 33, 45, 60};
  Problem p = quarter();
  for (const double x : along) p.receivers.push_back({"R", {disc_plane + x, 0, 0}});
  if (run.may_want("disc, ")) {
    run.doing("disc");
    p.sources[0].parts = disc_parts(p.sources[0].position, {1, 0, 0}, radius, 1, false);
    // Rings a quarter of a node apart at the rim move it by 1e-3 of the radius; the window of sources passes waves of 12 nodes to 1e-3.
    sink({"disc, radius 1.5 waves: error on the axis",
          error_of(
              p,
              [&](std::size_t r, Complex s) {
                return (std::exp(-s * along[r]) - std::exp(-s * std::hypot(along[r], radius))) /
                       (2 * std::numbers::pi * radius * radius * s);
              },
              run.workers()),
          "1", 0.01, false, "O'Neil 1949"});
  }
  if (run.may_want("bowl, ")) {
    run.doing("bowl");
    p.sources[0].parts = bowl_parts(p.sources[0].position, {1, 0, 0}, curvature, radius, 1, false);
    const double height = curvature - std::sqrt(curvature * curvature - radius * radius),
                 area = 2 * std::numbers::pi * curvature * height;
    sink({"bowl, radius of curvature 3.75 waves: error on the axis",
          error_of(
              p,
              [&](std::size_t r, Complex s) {
                const double z = along[r], q = curvature - z, far = std::hypot(z - height, radius);
                if (std::abs(q) < 1e-9) return std::exp(-s * curvature) / (four_pi * curvature);
                return curvature / (2 * q * area * s) * (std::exp(-s * z) - std::exp(-s * far));
              },
              run.workers()),
          "1", 0.015, false, "O'Neil 1949"});
  }
  if (run.may_want("array, four lines")) {
    run.doing("array, four lines");
    // On the arc of 400 nodes distances to elements 9 nodes from the middle differ from those far away by x²/2r: phases by 0.024 on average, and
    // amplitudes by 0.8 %.
    sink({"array, four lines steered by 30 degrees: error of the pattern", pattern_error(run.workers()), "1", 0.03,
          false, "sin(2 psi) / (4 sin(psi/2)), Van Trees 2002"});
  }
  if (run.may_want("array, 5 x 5")) {
    run.doing("array, 5 x 5");
    sink({"array, 5 x 5 points with a focus: error at it and around it", focus_error(run.workers()), "1", 0.01, false,
          "sum of w exp(-ik(r + c tau)) / (4 pi r)"});
  }
  const std::vector<Vec3> around{{20, 0, 0}, {14, 14, 0}, {10.3, 15.7, 8.4}, {-14, 3, 7}};
  const auto distance = [&](std::size_t r) { return std::hypot(around[r][0], around[r][1], around[r][2]); };
  /// −∂/∂x of e^{−sr}/(4πr).
  const auto slope = [&](std::size_t r, Complex s) {
    const double d = distance(r);
    return around[r][0] / d * (s + 1 / d) * std::exp(-s * d) / (four_pi * d);
  };
  p = quarter();
  for (const Vec3& x : around) p.receivers.push_back({"R", {disc_plane + x[0], x[1], x[2]}});
  if (run.may_want("dipole: ")) {
    run.doing("dipole");
    p.sources[0].dipole = {1, 0, 0};
    // Slopes of order 8 are 2e-5 wrong for 12 nodes a wave, points between the nodes 1e-3.
    sink({"dipole: error around it", error_of(p, slope, run.workers()), "1", 0.01, false,
          "p = -d.grad exp(-ikr) / (4 pi r)"});
    p.sources[0].dipole = {};
  }
  if (run.may_want("slope at receivers")) {
    run.doing("slope at receivers");
    for (Receiver& receiver : p.receivers) receiver.slope = {-1, 0, 0};
    sink({"slope at receivers, for the particle velocity: error around a monopole", error_of(p, slope, run.workers()),
          "1", 0.01, false, "i w rho v = -grad p"});
  }
  const VerifyRows rows{run, sink};
  for (const double quality : {5.0, 50.0}) {
    if (!run.may_want("constant Q")) continue;
    run.doing("constant Q, point source");
    // Steps: 0.4 (ω dt)² of κ − 1 at ω dt = 0.23, receivers between the nodes 1e-3.
    rows.at_most(fmt::format("constant Q {:g}, point source: error of its wave", quality),
                 attenuated_source_error(quality, run.workers()), 0.01,
                 "exp(-ikr) / (4 pi r), k = w sqrt(K_U/K(w)) / c_U");
  }
  for (const double quality : {20.0, 100.0})
    for (const double nodes : {12.0, 30.0, 80.0}) {
      if (!run.may_want("constant Q")) continue;
      run.doing("constant Q");
      const Loss loss = attenuation_error(quality, nodes, run.workers(1));
      const std::string name = fmt::format("constant Q {:g}, wave of {:g} nodes", quality, nodes);
      // Steps: 0.4 (ω dt)², ω dt = 0.4 · 2 pi/nodes; solids: 3 % between their times.
      sink({name + ": error of the wave after 5 waves", loss.scheme, "1", nodes < 20 ? 0.02 : 0.005, false,
            "K(w) of three standard linear solids"});
      sink({name + ": error of the loss", loss.quality, "1", 0.05, false, "exp(-pi f x / (Q c))"});
    }
}

}  // namespace conoid::acoustic_fd
