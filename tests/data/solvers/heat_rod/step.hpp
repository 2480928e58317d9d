// SPDX-License-Identifier: BSD-3-Clause
// Backward Euler: (1 + 2F) u_i − F (u_{i−1} + u_{i+1}) = u_i of the step before. Constexpr: the kernel calls the same functions.
#pragma once

#include "engine/linalg/band_passes.hpp"

namespace conoid::heat_rod {

struct ImplicitStep {
  static constexpr int block = 64, reach = 1;
  double fourier = 0;
  double pivots[block] = {};  ///< of the factors of a block: all blocks have the same matrix

  constexpr explicit ImplicitStep(double f = 0) : fourier(f) {
    for (int i = 0; i < block; ++i) pivots[i] = 1 + 2 * f - (i > 0 ? f * f / pivots[i - 1] : 0);
  }
  constexpr double row(const BandVector<reach>& v, int i) const {
    return (1 + 2 * fourier) * v[i] - fourier * (v[i - 1] + v[i + 1]);
  }
  /// M is A without what couples blocks: forward and back along one block (Thomas).
  constexpr void solve_block(const double* r, double* z, int count) const {
    for (int i = 0; i < count; ++i) z[i] = r[i] + (i > 0 ? fourier / pivots[i - 1] * z[i - 1] : 0);
    for (int i = count - 1; i >= 0; --i) z[i] = (z[i] + (i + 1 < count ? fourier * z[i + 1] : 0)) / pivots[i];
  }
};

}  // namespace conoid::heat_rod
