// SPDX-License-Identifier: BSD-3-Clause
// What lights a body: plane waves, or dipoles in the vacuum around it. e^{+jωt}, amplitudes are peak values.
//
// With G = (I + ∇∇/k²) g and g = e^{−jkR}/4πR an electric dipole of the current moment p = I l (A m) at r_0 has
//   E = −jkη G p,   ∇×E = −jkη ∇g×p,
// and a magnetic one, a loop of the moment I A (A m²), that is a magnetic current of the moment m = jkη I A (V m),
//   E = −∇g×m,   ∇×E = −k² G m;
// far away E → F e^{−jkr}/r with F = −jkη/4π (I − r̂r̂) p e^{jk r̂·r_0} and F = (jk/4π) r̂×m e^{jk r̂·r_0} (C. A. Balanis, Antenna Theory,
// 4th ed., 2016, ch. 4 and 5). Alone they radiate η k² |p|²/12π and k² |m|²/12πη.
#pragma once

#include "engine/core/vec3.hpp"

#include <array>
#include <complex>
#include <span>
#include <vector>

namespace conoid::maxwell_fem {

inline constexpr double light_speed = 299792458.0;         ///< m/s
inline constexpr double vacuum_impedance = 376.730313668;  ///< ohm

/// E = p exp(−jk d·x), d the direction of travel.
struct PlaneWave {
  Vec3 direction{0, 0, 1};
  Vec3 polarisation{1, 0, 0};
  double k = 1;
  [[nodiscard]] std::array<std::complex<double>, 3> electric(const Vec3& x) const;
  [[nodiscard]] std::array<std::complex<double>, 3> curl(const Vec3& x) const;  ///< of E
};

/// A current on a length, or in a loop, both small against everything else.
struct Dipole {
  bool magnetic = false;
  Vec3 at{};                                     ///< m
  std::array<std::complex<double>, 3> moment{};  ///< I l in A m; magnetic: I A in A m²

  /// Zero at the dipole itself.
  [[nodiscard]] std::array<std::complex<double>, 3> electric(const Vec3& x, double k) const;
  [[nodiscard]] std::array<std::complex<double>, 3> curl(const Vec3& x, double k) const;
  /// F, all three components, towards a unit vector.
  [[nodiscard]] std::array<std::complex<double>, 3> far(const Vec3& towards, double k) const;
  /// What fields of others (E in V/m, ∇×E in V/m²) at its place do with it: p·E − m·H, in V A; the far field that it has towards a plane wave of
  /// 1 V/m that comes from there is, along the wave's polarisation, −jkη/4π times that (reciprocity).
  [[nodiscard]] std::complex<double> reaction(const std::array<std::complex<double>, 3>& electric,
                                              const std::array<std::complex<double>, 3>& curl) const;
};

/// What dipoles radiate together where there is nothing else, W. Their mutual parts stay finite where places coincide: only the imaginary
/// parts of G and ∇g count, −k/4π ((j_0 − j_1/x) I + j_2 êê) and ê k²/4π j_1 with x = kR.
[[nodiscard]] double power_alone(std::span<const Dipole> dipoles, double k);

/// A plane wave, or dipoles in its place.
struct Incident {
  PlaneWave wave;  ///< of dipoles its wave number alone
  std::vector<Dipole> dipoles;

  Incident(const PlaneWave& w) : wave(w) {}  // NOLINT(google-explicit-constructor): waves are what most cases have
  Incident(std::vector<Dipole> d, double k) : dipoles(std::move(d)) { wave.k = k; }

  [[nodiscard]] std::array<std::complex<double>, 3> electric(const Vec3& x) const;
  [[nodiscard]] std::array<std::complex<double>, 3> curl(const Vec3& x) const;
};

/// Dipoles of conjugate moments: what these do in fields of others is p*·E + m*·H, −2 times the power that `dipoles` give.
[[nodiscard]] Incident conjugate(std::vector<Dipole> dipoles, double k);

}  // namespace conoid::maxwell_fem
