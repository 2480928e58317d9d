// SPDX-License-Identifier: BSD-3-Clause
// What one pair of triangles adds to the convolution matrices: the readable reference of kernels/shell_lanes_isa.inl.
#pragma once

#include <array>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

namespace conoid::acoustic_bem {

/// Columns first … first + direct.size() − 1. direct[k][3a+b] goes to M_k(i_a, j_b), transposed[k][3a+b] to M_k(j_b, i_a).
struct PairMatrices {
  Index first = 0;
  std::vector<std::array<double, 9>> direct, transposed;
};
[[nodiscard]] PairMatrices pair_reference(const Triangle& outer, const Triangle& source, const Rule& rule,
                                          const Form& form);

}  // namespace conoid::acoustic_bem
