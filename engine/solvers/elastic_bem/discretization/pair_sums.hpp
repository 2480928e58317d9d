// SPDX-License-Identifier: BSD-3-Clause
// Products of the matrix of all pairs with some vectors, without the matrix: what displacements at points off a surface need where devices
// take part. A device multiplies its columns as soon as they are computed, so that only sums come back from it; processors
// multiply a block of points and their own elements at a time. Workers have sums of their own and share nothing.
#pragma once

#include <vector>

#include "engine/solvers/elastic_bem/discretization/assembly.hpp"

namespace conoid::elastic_bem {

/// Vectors that the columns of a matrix are multiplied with.
struct PairVectors {
  Index width = 0, cases = 0;
  std::vector<Complex> x;                            ///< width × cases, column-major
  std::vector<std::array<Index, 3>> node, traction;  ///< columns of the components of u and t of each node; −1: none
};

/// y = A x, 3 · points × cases, component-major as the columns (component d of point k at d · points + k), A the columns that assemble_pairs()
/// would make with scale −1 for displacements and 1 for tractions. Points lie off the surface. Phases as assemble_pairs() has them.
[[nodiscard]] std::vector<Complex> pair_sums(Team& team, const Surface& surface, const FarRules<double>& rules,
                                             const Accuracy& accuracy, const Harmonic& harmonic,
                                             std::span<const Vec3> points, const PairVectors& vectors,
                                             const std::stop_token& stop, bool deterministic, PanelStore& panels,
                                             const PairStages& stages);

}  // namespace conoid::elastic_bem
