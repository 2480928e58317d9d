// SPDX-License-Identifier: BSD-3-Clause
// What compressed matrices will take, from their clusters: before anything is computed.
#pragma once

#include "engine/solvers/elastic_bem/solving/system.hpp"

namespace conoid::elastic_bem {

/// Ranks are a fit to cavities, ground and boxes (constant and curved elements, tolerances 1e-3 to 1e-6, up to 12 radians over the smaller
/// cluster): 6.4 digits − 8 + 1.2 k d.
struct CompressedPlan {
  double near = 0;         ///< values of near blocks
  double far = 0;          ///< values kept of far ones
  double evaluations = 0;  ///< pairs of a row and an element for them
  double operations = 0;   ///< of the approximation
  Bytes bytes = 0;         ///< of the matrix as it is kept
};
/// Of the matrix of unknowns; `wave_number`: of S waves. Of nodes in `twice` displacement and traction are both unknown. `weight`: errors are
/// to be so many times smaller, and the residual as the `heaviest` region has it (RegionRows). O(n log n).
[[nodiscard]] CompressedPlan plan_compression(const Surface& surface, double wave_number, const SolveOptions& options,
                                              bool single, std::span<const Index> twice = {}, double weight = 1,
                                              double heaviest = 1);
/// Of those of all regions, which have both on their interfaces.
[[nodiscard]] CompressedPlan plan_compression(const BoundarySystem& system, double wave_number,
                                              const SolveOptions& options, bool single);
/// Of the preconditioner, which so many ranks share, and of what the iterations keep for so many load cases.
[[nodiscard]] Bytes compressed_solution_bytes(const Surface& surface, Index cases, int sharing = 1);

}  // namespace conoid::elastic_bem
