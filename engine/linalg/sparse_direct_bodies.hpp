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
/// On DirectOptions::device. Where the matrix takes too much memory, or pivots fail, it is an error of code resources or not_converged.
[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise_device(const SymmetricMatrix& matrix,
                                                                     const DirectOptions& options);
/// Whether factorise_tree() can serve here: its kernels, and MUMPS for matrices whose pivots have to be exchanged.
[[nodiscard]] bool has_tree();

}  // namespace conoid
