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
/// Right-hand sides at a time: what is asked for, else the fastest number on an EPYC and on an H200.
[[nodiscard]] constexpr int block_of(const DirectOptions& options, bool on_device = false) {
  return options.block > 0 ? options.block : on_device ? 128 : 64;
}
/// |b − A x| / |b|; 0 where b is.
[[nodiscard]] double relative_residual(const SymmetricMatrix& matrix, std::span<const std::complex<double>> x,
                                       std::span<const std::complex<double>> b);
/// On DirectOptions::device. Where the matrix takes too much memory, or pivots fail, it is an error of code resources or not_converged.
[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise_device(const SymmetricMatrix& matrix,
                                                                     const DirectOptions& options);
/// Whether factorise_tree() can serve here: this processor has its kernels. (Matrices whose pivots have to be exchanged go to MUMPS, or to
/// Eigen where the program was built without it.)
[[nodiscard]] bool has_tree();

}  // namespace conoid
