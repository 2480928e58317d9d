// SPDX-License-Identifier: BSD-3-Clause
// Incident fields: pulses in time, plane waves and point sources in space, and their right-hand sides.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid::acoustic_bem {

enum class PulseKind : std::uint8_t { ricker, modulated_gaussian, gaussian, sampled };

/// A pulse about its own time 0; `value` in pascals (plane wave) or pascal metres · 4π (point source).
struct Pulse {
  PulseKind kind = PulseKind::ricker;
  double amplitude = 1;
  double frequency = 1;  ///< Hz: peak of the Ricker spectrum, or carrier
  double width = 1;      ///< s: standard deviation of the Gaussian
  std::vector<double>
      samples;  ///< sampled: values from time `first` at distance `step`, zero outside, cubic in between
  double step = 0, first = 0;

  [[nodiscard]] double value(double t) const;
  /// ∫ from −∞ to t where there is a closed form (Ricker, Gaussian).
  [[nodiscard]] bool has_integral() const { return kind == PulseKind::ricker || kind == PulseKind::gaussian; }
  [[nodiscard]] double integral(double t) const;
  /// |value| < 1e-16 of the peak before −onset(): a later start would inject high frequencies and a mean.
  [[nodiscard]] double onset() const;
  [[nodiscard]] double length() const;  ///< from −onset() on
  /// Above it the spectrum is below 1 % of its maximum; of samples, as their discrete transform says.
  [[nodiscard]] double highest_frequency() const;
  /// The magnitude of the spectrum over its maximum.
  [[nodiscard]] double level(double frequency) const;
};

/// Samples of limited band (2.5 and more in the shortest period) at distances that cubics bridge to 1e-4: windowed sinc between those that
/// were given, which begin a little earlier therefore. Others stay as they are.
void refine_samples(Pulse& pulse);

enum class WaveKind : std::uint8_t { plane, point };

/// u = f(t − t_0 − d·x/c), or f(t − t_0 − r/c)/(4πr) with r the distance from the source.
struct Wave {
  WaveKind kind = WaveKind::plane;
  Vec3 direction{0, 0, 1};  ///< plane: unit, where it goes
  Vec3 position{};          ///< point: metres
  Pulse pulse;
  double t0 = 0;  ///< s

  [[nodiscard]] double travel(const Vec3& x, double c) const;  ///< d·x/c or r/c
  [[nodiscard]] double value(const Vec3& x, double t, double c) const;
};

/// Waves that act together: one right-hand side, one solution.
struct Excitation {
  std::string name;
  std::vector<Wave> waves;
  [[nodiscard]] double value(const Vec3& x, double t, double c) const;
};

/// Gives every wave the earliest t_0 ≥ 0 at which its pulse has not yet reached any of the points at t = 0.
void set_onsets(Excitation& excitation, const std::vector<Vec3>& points, double c);

/// Right-hand sides l^n of one excitation, step by step:
///   N: c∫∫λ_i ∂_n u;  NC, DC: the same + α⁺∫λ_i u(t_n) + α⁻∫λ_i u(t_{n−1});  D: ∫λ_i u(t_n).
/// Of filled bodies pressures have that of N, and ∂_n p that of D (filled_tiles.hpp).
/// The time integral of a plane wave's ∂_n u is exact and telescopes: no mean is left over to drive a drift.
class RightHandSide {
 public:
  RightHandSide(const Surface& surface, const Form& form, const Excitation& excitation);
  /// Room for so many steps at once; 1 at first.
  void reserve(Index steps);
  /// Local contributions of triangles [range) to steps n … n + steps − 1, kept until gather(). Steps in order, each
  /// triangle once a step.
  void triangles(Index n, Interval range, Index steps = 1);
  /// Adds up l for vertices [range), of the `step`-th of the last triangles().
  void gather(Interval range, double* l, Index step = 0) const;
  /// Σ_n lⁿ e^{iωnΔt} over Σ_n f(nΔt) e^{iωnΔt}, of pulses f without anything above half the sampling rate, t_0 of the waves counted in.
  void transformed(double omega, std::span<std::complex<double>> out) const;
  [[nodiscard]] Index triangle_count() const { return static_cast<Index>(surface_.triangles.size()); }

 private:
  struct Point {
    double travel = 0;           ///< t_0 + d·x/c or t_0 + r/c
    double now = 0, before = 0;  ///< l gets now·f(t_n) + before·f(t_{n−1}) …
    double average = 0;          ///< … + average·∫f over the step
    double f = 0, F = 0;         ///< at the last step
  };
  const Surface& surface_;
  Form form_;
  Rule rule_;
  std::vector<Wave> waves_;
  std::vector<Point> points_;  ///< wave by wave, triangle by triangle, point by point
  std::vector<double> local_;  ///< 3 a triangle, step by step
};

/// RightHandSide::transformed() of a plane wave along `direction` (unit) that passes the origin at t = 0.
[[nodiscard]] std::vector<std::complex<double>> lit_by_plane_wave(const Surface& surface, const Form& form,
                                                                  const Vec3& direction, double omega);

}  // namespace conoid::acoustic_bem
