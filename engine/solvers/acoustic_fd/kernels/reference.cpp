// SPDX-License-Identifier: BSD-3-Clause
// The reference row kernel: plain loops, one cell after the other. The truth that every other body is tested against.
#include "engine/solvers/acoustic_fd/kernels/row_tables.hpp"

#include <cmath>

namespace conoid::acoustic_fd {
namespace {

/// h_x² times the discrete Laplacian at one cell.
template <class T>
T laplacian(const T* u, Index stride_x, Index stride_y, const RowWeights<T>& w, int radius, bool unequal) {
  T L = w.centre * u[0];
  for (int i = 1; i <= radius; ++i) {
    const T x = u[-i * stride_x] + u[i * stride_x];
    const T y = u[-i * stride_y] + u[i * stride_y];
    const T z = u[-i] + u[i];
    if (unequal) {
      L = std::fma(w.x[i], x, L);
      L = std::fma(w.y[i], y, L);
      L = std::fma(w.z[i], z, L);
    } else {
      L = std::fma(w.equal[i], (x + y) + z, L);
    }
  }
  return L;
}

template <class T, int Radius, bool Unequal, bool Varying>
void update(const Row<T>& row) {
  for (Index z = 0; z < row.nz; ++z) {
    const T L = laplacian(row.u + z, row.stride_x, row.stride_y, *row.weights, Radius, Unequal);
    const T a = Varying ? row.a[z] : row.a_constant;
    const T u = row.u[z];
    T& o = row.o[z];
    if (z >= row.plain_begin && z < row.plain_end) {
      o = std::fma(a, L, (u + u) - o);
    } else {
      const T sigma = row.sigma_xy + row.sigma_z[z];
      o = std::fma(a, L, std::fma(sigma - T(1), o, u + u)) / (T(1) + sigma);
    }
  }
}

template <class T, int Radius, bool Unequal>
void energy(EnergyRow<T>& row) {
  double kinetic[16]{}, potential[16]{};
  for (Index z = 0; z < row.nz; ++z) {
    const T L = laplacian(row.u0 + z, row.stride_x, row.stride_y, *row.weights, Radius, Unequal);
    const double d = static_cast<double>(row.u1[z]) - static_cast<double>(row.u0[z]);
    const double e = row.a ? d / static_cast<double>(row.a[z]) : d;
    kinetic[z % 16] = std::fma(d * row.wz[z], e, kinetic[z % 16]);
    potential[z % 16] =
        std::fma(row.wz[z] * static_cast<double>(row.u1[z]), static_cast<double>(L), potential[z % 16]);
  }
  row.kinetic = row.potential = 0;
  for (int j = 0; j < 16; ++j) {
    row.kinetic += kinetic[j];
    row.potential += potential[j];
  }
}

}  // namespace

CONOID_ACOUSTIC_FD_ROW_TABLES(reference, "reference")

}  // namespace conoid::acoustic_fd
