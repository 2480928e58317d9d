// SPDX-License-Identifier: BSD-3-Clause
// A small set of nodes without which a graph falls into two halves, by levels of coarser and coarser graphs (G. Karypis, V. Kumar, SIAM
// J. Sci. Comput. 20 (1998) 359; refinement after C. M. Fiduccia, R. M. Mattheyses, DAC 1982, moves from the separator to either side).
#pragma once

#include "engine/linalg/sparse_graph.hpp"

#include <array>
#include <stop_token>

namespace conoid {

/// Of each node 0 or 1, the half it is in, or 2: the separator. No edge joins the halves.
struct Halves {
  std::vector<std::uint8_t> side;
  std::array<Index, 3> weight{};  ///< of the nodes of either half and the separator
};

/// Of a graph without loops (edges from a node to itself). Neither half holds more than 0.6 of the weight where single nodes and cliques
/// allow it. A graph of one node or a complete one leaves a half empty. The result depends on `seed`, not on `threads`. After a stop: any.
[[nodiscard]] Halves vertex_separator(const SparseGraph& graph, std::uint64_t seed, int threads,
                                      const std::stop_token& stop);

}  // namespace conoid
