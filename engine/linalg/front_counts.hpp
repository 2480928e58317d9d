// SPDX-License-Identifier: BSD-3-Clause
// What factors in fronts of our own take, counted on the elimination tree of a matrix whose entries need no values yet.
#pragma once

#include "engine/core/error.hpp"
#include "engine/linalg/sparse_direct.hpp"

namespace conoid {

struct CountedFronts {
  double entries = 0, flops = 0;  ///< of all ranks together; of real numbers
  Bytes bytes = 0;                ///< of the factors, on the rank that needs most with what waits
  Bytes waiting = 0;  ///< beside them at most while they are made, whichever order threads take them in, there
  Bytes fullest =
      0;  ///< at any time while they are made, as threads take them by a model; several ranks: the sum of both
};
/// As factorise() with the method `tree` would tell it (DirectFacts), for options.threads and so many ranks; options.ranks is not asked. The
/// values of the matrix may be missing. Takes the order, some ten microseconds an unknown on one thread. Errors: code stopped.
[[nodiscard]] Result<CountedFronts> count_fronts(const SymmetricMatrix& pattern, const DirectOptions& options,
                                                 int ranks = 1);

struct EliminationTree;
struct TreeShares;
/// Complex numbers of factors and of what waits at the fullest: fronts are filled when they begin, which is when their factors take pages from the
/// system; then what was left of their children goes.
[[nodiscard]] Index fullest_numbers(const EliminationTree& tree, const TreeShares& shares, int threads);

}  // namespace conoid
