// SPDX-License-Identifier: BSD-3-Clause
// From currents on S' to far and near fields outside.
//
// E_sc → F(r̂) e^{−jkr}/r, F = 1/4π ∮ [J − r̂(r̂·J) + jk r̂×M] e^{jk r̂·r'} dS', in components along θ̂ (V) and φ̂ (H);
// σ_vu = 4π |v̂·F|²/|E_u|².
#pragma once

#include "engine/solvers/maxwell_fem/discretization/domain.hpp"
#include "engine/solvers/maxwell_fem/solving/system.hpp"

#include <span>
#include <vector>

namespace conoid::maxwell_fem {

/// Unit vectors at a direction.
struct Direction {
  double theta = 0, phi = 0;  ///< rad
  [[nodiscard]] Vec3 radial() const;
  [[nodiscard]] Vec3 theta_hat() const;
  [[nodiscard]] Vec3 phi_hat() const;
};

/// A wave that comes from `from`: V along θ̂, H along φ̂ there.
[[nodiscard]] PlaneWave wave_from(const Direction& from, bool horizontal, double k);

/// Far-field amplitude along θ̂ and φ̂, for E_inc of 1 V/m in volts.
struct FarAmplitude {
  Complex theta = 0, phi = 0;
  [[nodiscard]] Complex along(bool horizontal) const { return horizontal ? phi : theta; }
};

/// [direction][column]; f: columns of 4 N_S'. After a stop values are missing, here and in near_field().
[[nodiscard]] std::vector<FarAmplitude> far_field(const Domain& domain, double k, std::span<const Complex> f,
                                                  Index count, std::span<const Direction> directions, int threads,
                                                  std::stop_token stop = {});

/// Of dipoles in vacuum, without a body.
[[nodiscard]] FarAmplitude far_field(std::span<const Dipole> dipoles, double k, const Direction& direction);

/// Directions and weights that integrate products of far fields of a body of this size exactly (Gauss-Legendre in cos θ,
/// equal steps in φ); the weights add up to 4π.
struct SphereRule {
  std::vector<Direction> directions;
  std::vector<double> weights;
};
[[nodiscard]] SphereRule sphere_rule(double k_radius);

/// σ_ext = −(4π/k) Im{p̂·F(k̂)}: the optical theorem for the wave that comes from `from`.
[[nodiscard]] double extinction(const FarAmplitude& forward, const Direction& forward_direction, const PlaneWave& wave);

/// Echo over distance from backscattered amplitudes F at equally spaced frequencies, Hann window w: |Σ w F e^{2jkr}|/Σ w at
/// `count` + 1 places over the unambiguous range c/2Δf about the origin of coordinates; an echo from the distance r behind the
/// origin, as the wave goes, has the phase e^{−2jkr}. Two echoes are told apart beyond c/B, B the band.
struct RangeProfile {
  std::vector<double> range;  ///< m
  std::vector<double> level;  ///< dB over 1 m: 20 lg |F|
};
[[nodiscard]] RangeProfile range_profile(std::span<const double> frequencies, std::span<const Complex> echo,
                                         int count = 400);

/// Scattered E at points outside S' (columns: points × 3), or its curl.
enum class NearQuantity : std::uint8_t { electric, curl };
[[nodiscard]] std::vector<Complex> near_field(const Domain& domain, double k, std::span<const Complex> f,
                                              std::span<const Vec3> points, int threads, std::stop_token stop = {},
                                              NearQuantity quantity = NearQuantity::electric);

}  // namespace conoid::maxwell_fem
