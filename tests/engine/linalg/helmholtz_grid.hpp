// SPDX-License-Identifier: BSD-3-Clause
// An indefinite complex symmetric matrix: a Helmholtz operator on a grid of nx × ny × nz points, x first.
#pragma once

#include "engine/linalg/sparse_direct.hpp"

namespace conoid {

inline SymmetricMatrix helmholtz_grid(Index nx, Index ny, Index nz) {
  SymmetricMatrix m;
  m.size = nx * ny * nz;
  for (Index z = 0; z < nz; ++z)
    for (Index y = 0; y < ny; ++y)
      for (Index x = 0; x < nx; ++x) {
        const Index i = x + nx * (y + ny * z);
        const auto put = [&](Index c, std::complex<double> v) {
          m.columns.push_back(static_cast<std::int32_t>(c));
          m.values.push_back(v);
        };
        put(i, {2.3, 0.2});
        if (x + 1 < nx) put(i + 1, -1);
        if (y + 1 < ny) put(i + nx, {-1, 0.1});
        if (z + 1 < nz) put(i + nx * ny, -1);
        m.row_start.push_back(static_cast<Index>(m.columns.size()));
      }
  return m;
}

}  // namespace conoid
