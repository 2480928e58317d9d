// SPDX-License-Identifier: BSD-3-Clause
// The factors of a case's own mesh, counted before anything is computed.
#pragma once

#include "engine/linalg/front_counts.hpp"
#include "engine/solvers/maxwell_fem/discretization/domain.hpp"
#include "engine/solvers/maxwell_fem/problem.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace conoid::maxwell_fem {

/// Of each tetrahedron the rows of its unknowns; −1: on a conductor.
using TetRows = std::vector<std::array<Index, most_unknowns>>;
[[nodiscard]] TetRows rows_of_tets(const Domain& domain);
/// Where the matrix of a domain has entries, without values; empty after a stop, of which `stopped` is asked by several threads.
[[nodiscard]] SymmetricMatrix matrix_pattern(const Domain& domain, const TetRows& rows, int threads,
                                             const Stopped& stopped = {});

struct CountedFactors {
  Index unknowns = 0;
  double outer_points = 0, current_points = 0;  ///< of S and S'
  CountedFronts fronts;
};
/// Cases of more unknowns are not counted: order and spaces of so many take about a second on two cores.
inline constexpr double most_counted = 100000;
/// None where the mesh is yet to be made by gmsh, is too large, cannot be computed on (which the check tells), or where factors are not
/// fronts of our own. `part`: the first band, to which the mesh that is made and its count are kept; `given`: the case's mesh, null: a built-in sphere.
[[nodiscard]] std::optional<CountedFactors> counted_factors(Problem& part, const std::shared_ptr<const Mesh>& given,
                                                            int ranks);

/// Of the process at its fullest, with these factors; else as expected_memory() of problem.hpp.
[[nodiscard]] Bytes memory_with(const ExpectedFactors& factors, const Problem& problem, Index unknowns, double columns,
                                double points, double budget);

}  // namespace conoid::maxwell_fem
