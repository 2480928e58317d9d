// SPDX-License-Identifier: BSD-3-Clause
// The bodies behind engine/linalg/sparse_direct.hpp.
#pragma once

#include "engine/linalg/sparse_direct.hpp"

namespace conoid {

[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise_mumps(const SymmetricMatrix& matrix,
                                                                    const DirectOptions& options);
[[nodiscard]] Result<std::unique_ptr<SparseDirect>> factorise_eigen(const SymmetricMatrix& matrix,
                                                                    const DirectOptions& options);

}  // namespace conoid
