// SPDX-License-Identifier: BSD-3-Clause
// The radiation of currents on S' to S, in the form that the processor likes.
//
// With P_ij = −jk t_i·G·τ_j and X_ij = t_i·(∇g × τ_j) (i on S, j on S'), A_j = P_1j − X_2j and B_j = P_2j + X_1j, the
// Cauchy data of the radiated field are Ψ_1 = A·J + B·(jkM), Ψ_2 = B·J − A·(jkM). Their combinations decouple:
//   Ψ± = Ψ_1 ± j Ψ_2 = Σ_j C±_j F∓_j,   C± = A ± jB,   F∓ = w (J ± kM),
// so a pair of points costs four complex multiply-adds (32 flops) a right-hand side. G = (I + ∇∇/k²) g, g = e^{−jkR}/4πR.
#pragma once

#include "engine/core/types.hpp"
#include "engine/simd/instruction_set.hpp"

#include <complex>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;

/// Memory on a 64-byte border, zeroed.
class AlignedDoubles {
 public:
  AlignedDoubles() = default;
  explicit AlignedDoubles(std::size_t count);
  double* data() { return memory_.get(); }
  [[nodiscard]] const double* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  struct Free {
    void operator()(double* p) const { std::free(p); }
  };
  std::unique_ptr<double[], Free> memory_;
  std::size_t count_ = 0;
};

/// Points with tangent vectors t1, t2, component by component; padded to a multiple of 16 with far-away points.
struct PointArrays {
  Index count = 0, padded = 0;
  AlignedDoubles data;  ///< x y z, t1 x y z, t2 x y z: nine rows of `padded`
  [[nodiscard]] const double* row(int r) const { return data.data() + r * padded; }
};

/// A tile: strips of `strip` rows (points of S); a strip holds, for each depth (2 q + j), `strip` real and `strip`
/// imaginary parts.
inline constexpr int tile_rows = 64;    ///< points of S a tile
inline constexpr int tile_points = 48;  ///< points of S' a tile: depth 96, 196 KiB for both halves
inline constexpr int panel_width = 6;   ///< right-hand sides a panel

struct RadiationKernel {
  const char* name;
  int lanes;
  int strip;
  /// Fills the halves C+ and C− of a tile: rows [row, row + rows) against points [point, point + points).
  void (*tile)(const PointArrays& to, Index row, int rows, const PointArrays& from, Index point, int points, double k,
               double* plus, double* minus);
  /// sums[rhs][row] (re, then im: two arrays of `stride` a right-hand side) += tile · panel; panel: [depth][re, im of six].
  void (*multiply)(const double* tile, int rows, int depth, const double* panel, double* sums, Index stride);
  /// One right-hand side without tiles: psi± of `rows` points from all points; f± as (re, im) by 2 q + j.
  void (*fused)(const PointArrays& to, Index row, int rows, const PointArrays& from, double k, const double* f_plus,
                const double* f_minus, Complex* psi_plus, Complex* psi_minus);
  /// `rounds` times independent multiply-adds in all registers, nothing else: the rate to compare with. Returns flops done.
  double (*multiply_adds)(long rounds, double* keep);
};

/// Arithmetic operations of one pair: coefficients (`tile`), and with one right-hand side (`fused`).
inline constexpr double tile_flops = 190, fused_flops = 214;

/// The kernel for this processor, or for a lower set (tests).
[[nodiscard]] const RadiationKernel& radiation_kernel(InstructionSet at_most = InstructionSet::avx512);

}  // namespace conoid::maxwell_fem
