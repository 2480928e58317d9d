// SPDX-License-Identifier: BSD-3-Clause
// The order in which a symmetric matrix is eliminated, and the fronts in which that is done (J. W. H. Liu, SIAM Rev. 34 (1992) 82).
#pragma once

#include "engine/core/error.hpp"
#include "engine/linalg/sparse_direct.hpp"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace conoid {

/// A dense block: its pivots are places [first, last) of the order, below them come the places `rows`, which its parents hold.
struct Front {
  std::int32_t first = 0, last = 0;
  std::vector<std::int32_t> rows;  ///< ascending
  int parent = -1;                 ///< that takes what is left of it
  std::vector<int> children;
  [[nodiscard]] Index pivots() const { return last - first; }
  [[nodiscard]] Index size() const { return pivots() + static_cast<Index>(rows.size()); }
  /// Multiplications and additions of real numbers, of one complex product eight.
  [[nodiscard]] double flops() const;
};

struct EliminationTree {
  std::vector<std::int32_t> place;    ///< of each unknown
  std::vector<std::int32_t> unknown;  ///< at each place
  std::vector<Front> fronts;          ///< children before parents
  Index entries = 0;                  ///< of the factors
  double flops = 0;
};

/// Unknowns with the same neighbours are one node of the graph that is dissected (dissection.hpp). Small fronts are merged with their
/// parents. The result does not depend on the number of threads. Errors: code stopped.
[[nodiscard]] Result<EliminationTree> elimination_tree(const SymmetricMatrix& matrix, int threads,
                                                       const std::stop_token& stop);

}  // namespace conoid
