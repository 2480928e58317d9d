// SPDX-License-Identifier: BSD-3-Clause
// Matrices of one point, D × D with D 1 to 3, row-major: of numbers or of SIMD registers, on processors and in kernels of devices.
#pragma once

namespace conoid {

/// V: a number, or a register of numbers with + − ·. Sums go in the order of the indices, without a test for a singular matrix. Always
/// inlined: no instruction set calls the copy of another. constexpr: kernels of devices may call it.
template <class V, int D>
struct SmallMatrix {
  static_assert(D >= 1 && D <= 3);
  [[gnu::always_inline]] static constexpr V det(const V* J) {
    if constexpr (D == 1) return J[0];
    if constexpr (D == 2) return J[0] * J[3] - J[1] * J[2];
    if constexpr (D == 3)
      return J[0] * (J[4] * J[8] - J[5] * J[7]) - J[1] * (J[3] * J[8] - J[5] * J[6]) +
             J[2] * (J[3] * J[7] - J[4] * J[6]);
  }
  /// |J| J^-1; may not be in place.
  [[gnu::always_inline]] static constexpr void adjugate(const V* J, V* A) {
    if constexpr (D == 1) A[0] = V{} + 1.0;
    if constexpr (D == 2) {
      A[0] = J[3];
      A[1] = -J[1];
      A[2] = -J[2];
      A[3] = J[0];
    }
    if constexpr (D == 3) {
      A[0] = J[4] * J[8] - J[5] * J[7];
      A[1] = J[2] * J[7] - J[1] * J[8];
      A[2] = J[1] * J[5] - J[2] * J[4];
      A[3] = J[5] * J[6] - J[3] * J[8];
      A[4] = J[0] * J[8] - J[2] * J[6];
      A[5] = J[2] * J[3] - J[0] * J[5];
      A[6] = J[3] * J[7] - J[4] * J[6];
      A[7] = J[1] * J[6] - J[0] * J[7];
      A[8] = J[0] * J[4] - J[1] * J[3];
    }
  }
  /// a b; may not be in place.
  [[gnu::always_inline]] static constexpr void product(const V* a, const V* b, V* out) {
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        V sum{};
        for (int m = 0; m < D; ++m) sum += a[i * D + m] * b[m * D + j];
        out[i * D + j] = sum;
      }
  }
};

}  // namespace conoid
