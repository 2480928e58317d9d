// SPDX-License-Identifier: BSD-3-Clause
// The graph of a sparse symmetric matrix.
#pragma once

#include "engine/core/types.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace conoid {

/// Nodes with both directions of each edge.
struct SparseGraph {
  std::vector<Index> start{0};  ///< of each node's neighbours, one more at the end
  std::vector<std::int32_t> neighbour;
  std::vector<std::int32_t> weight;  ///< of each node: the unknowns that it stands for
  std::vector<std::int32_t> tie;     ///< of each entry of `neighbour`: edges that it stands for; empty: one
  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(start.size()) - 1; }
  [[nodiscard]] std::span<const std::int32_t> of(Index n) const {
    return std::span(neighbour).subspan(static_cast<std::size_t>(start[n]),
                                        static_cast<std::size_t>(start[n + 1] - start[n]));
  }
};

}  // namespace conoid
