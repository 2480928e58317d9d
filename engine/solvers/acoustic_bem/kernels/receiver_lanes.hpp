// SPDX-License-Identifier: BSD-3-Clause
// What points off the surface receive from one triangle, a point a SIMD lane: columns that it covers, and their values.
//
// A quadrature point y of the triangle, weight w, with the surface value φ(t) interpolated by cubics in time: of
// D φ = ∂_n(1/4πR) φ(t − R/c) the point x gets w cos/(4πR²) [φ + (R/c) φ̇] at R/(cΔt) steps before now, of −S σ it gets
// −w/(4πR) σ, whose samples lie half a step earlier. Plain structs and function pointers only: the bodies are compiled once an
// instruction set, and nothing inline may be shared between those objects.
#pragma once

#include <cstddef>

namespace conoid::acoustic_bem {

/// Quadrature points of a triangle that sends.
struct LaneSender {
  int points = 0;
  const double* y = nullptr;       ///< 3 a point
  const double* lambda = nullptr;  ///< 4 a point: λ of the three corners, and a zero
  const double* weight = nullptr;  ///< of the rule; they add up to 1
  double scale = 0;                ///< area / 4π
  double normal[3] = {0, 0, 0};
  double delta = 1;  ///< cΔt
};

/// One instruction set's set of kernels. Coordinate d of lane t lies at x[d · stride + t].
struct ReceiverLanes {
  int lanes = 1;
  /// Columns first … last of each lane over all points, steps before now; `early`: samples lie so many steps earlier.
  void (*range)(const LaneSender&, const double* x, std::size_t stride, double early, double* first,
                double* last) = nullptr;
  /// Adds, for lanes with first ≤ last, the values of corner b and column k to out[4 · (most · lane + k − first) + b]; range() gave
  /// first and last. `of_sigma`: of −S, else of D; early as there.
  void (*values)(const LaneSender&, const double* x, std::size_t stride, double early, bool of_sigma,
                 const double* first, const double* last, std::size_t most, double* out) = nullptr;
};
/// Columns that the cubics of a point reach over.
constexpr int cubic_columns = 4;

/// Chosen by what the processor has; `widest` = 0: no limit, else at most this many lanes (tests).
[[nodiscard]] const ReceiverLanes& receiver_lanes(int widest = 0);

}  // namespace conoid::acoustic_bem
