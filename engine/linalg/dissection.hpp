// SPDX-License-Identifier: BSD-3-Clause
// Nested dissection by several threads: separators last, halves before them, each dissected in its turn (A. George, SIAM J. Numer. Anal. 10
// (1973) 345); parts of some two hundred nodes by minimum degree among themselves and the separators around them (F. Pellegrini,
// J. Roman, P. Amestoy, Concurrency: Pract. Exper. 12 (2000) 69).
#pragma once

#include "engine/core/error.hpp"
#include "engine/linalg/sparse_graph.hpp"

#include <stop_token>

namespace conoid {

/// Of each node of a graph without loops its place in the order of elimination, the same for any number of threads. Errors: code stopped.
[[nodiscard]] Result<std::vector<std::int32_t>> dissect(const SparseGraph& graph, int threads,
                                                        const std::stop_token& stop);

}  // namespace conoid
