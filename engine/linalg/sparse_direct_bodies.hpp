// SPDX-License-Identifier: BSD-3-Clause
// The bodies behind engine/linalg/sparse_direct.hpp.
#pragma once

#include "engine/linalg/sparse_direct.hpp"

namespace conoid {

[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise_mumps(const SymmetricMatrix& matrix,
                                                                    const DirectOptions& options);
[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise_eigen(const SymmetricMatrix& matrix,
                                                                    const DirectOptions& options);

[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise_tree(const SymmetricMatrix& matrix,
                                                                   const DirectOptions& options);
/// Whether factorise_tree() can serve here: its ordering (MUMPS) and its kernels.
[[nodiscard]] bool has_tree();

/// Nested dissection of the graph whose edges are the pairs (rows[e], columns[e]), by MUMPS's analysis: of each node its place.
[[nodiscard]] Result<std::vector<int>> dissect(int nodes, std::vector<int> rows, std::vector<int> columns,
                                               const std::stop_token& stop);

}  // namespace conoid
