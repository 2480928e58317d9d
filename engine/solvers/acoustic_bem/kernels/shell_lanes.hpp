// SPDX-License-Identifier: BSD-3-Clause
// Pair matrices of one source triangle with several outer triangles at once, one outer triangle a SIMD lane.
//
// The same meaning as shell_moments.cpp with the time factors of pair_reference.cpp (the readable references). Plain
// structs and function pointers only: the bodies are compiled once an instruction set, and nothing inline may be shared
// between those objects.
#pragma once

#include <cstddef>

namespace conoid::acoustic_bem {

/// A source triangle, scalars.
struct LaneSource {
  double corner0[3], normal[3], centroid[3];
  double gradient[3][3], curl[3][3], tangent[3][3], outward[3][3];
  double corner[3][3], length[3];
  double gu[3][3];  ///< [edge e][corner b]: ∇λ_b · û_e
  double radius;
};

/// Outer triangles as arrays of lanes: entry (row, triangle) at row·stride + triangle.
struct LaneOuter {
  const double* points = nullptr;  ///< rows x, y, z of point 0, of point 1, …
  const double* normal = nullptr;  ///< 3 rows
  const double* curl = nullptr;    ///< 9 rows: corner a, axis
  const double* scale = nullptr;   ///< 1 row: |T| / 4π
  std::size_t stride = 0;
};

enum class LaneKind : int { rigid, rigid_combined, soft, soft_combined };
struct LaneForm {
  LaneKind kind = LaneKind::rigid;
  double delta = 1;  ///< cΔt
  double alpha_plus = 0, alpha_minus = 0;
};
/// Columns that a shell m adds to, beyond m itself: M_m … M_{m+reach}.
constexpr int lane_reach(LaneKind kind) {
  return kind == LaneKind::soft ? 0 : kind == LaneKind::soft_combined ? 1 : 2;
}

struct LaneRule {
  int points = 0;
  const double* lambda = nullptr;  ///< 3 a point
  const double* weight = nullptr;
};

/// Results of a batch of `lanes` outer triangles: for lane t and columns k = first[t] … last[t] + reach the values of
/// entry (a, b) at ((k − first[t])·9 + 3a + b)·lanes + t, to be added to M_k(i_a, j_b) (direct) and to M_k(j_b, i_a)
/// (transposed).
struct LaneResult {
  double* first = nullptr;
  double* last = nullptr;
  double* direct = nullptr;
  double* transposed = nullptr;
  double* work = nullptr;  ///< 20·lanes doubles a shell
};

/// One instruction set's set of kernels.
struct LaneKernels {
  int lanes = 1;
  /// Shells first … last of each lane over all points of the rule.
  void (*range)(const LaneSource&, const LaneOuter&, std::size_t begin, const LaneRule&, double delta, double* first,
                double* last) = nullptr;
  /// `shells` ≥ the largest last − first + 1 bounds the buffers.
  void (*pair)(const LaneSource&, const LaneOuter&, std::size_t begin, const LaneRule&, const LaneForm&,
               const LaneResult&) = nullptr;
};

/// Chosen by what the processor has; `widest` = 0: no limit, else at most this many lanes (tests).
[[nodiscard]] const LaneKernels& lane_kernels(int widest = 0);

}  // namespace conoid::acoustic_bem
