// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of the energy of rows, and of planes.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/fours.hpp"

namespace conoid::acoustic_fd {

/// What a thread has of a row: every sixteenth cell. A few cells are read together, which is what hides the way to memory.
template <int R, class T>
__device__ __forceinline__ void add_cells(const EnergyArguments<T>& t, const T* row, const T* next_row, const T* v,
                                          const T* a, int lane, double& k, double& p) {
#pragma unroll 4
  for (int z = lane; z < t.nz; z += 16) {
    const T* const u = row + z;
    T L = t.centre * *u;
#pragma unroll
    for (int i = 1; i <= R; ++i) {
      const T px = u[-i * t.stride_x] + u[i * t.stride_x], py = u[-i * t.stride_y] + u[i * t.stride_y],
              pz = u[-i] + u[i];
      if (t.unequal) {
        L = fused_one(t.x[i], px, L);
        L = fused_one(t.y[i], py, L);
        L = fused_one(t.z[i], pz, L);
      } else {
        L = fused_one(t.x[i], (px + py) + pz, L);
      }
    }
    if (v != nullptr) L = fused_one(-v[z], *u, L);
    double w = 1;
    if (z == 0) w *= t.half[0];
    if (z == t.nz - 1) w *= t.half[1];
    const double next = static_cast<double>(next_row[z]), d = next - static_cast<double>(*u),
                 e = d / static_cast<double>(a[z]);
    k = fma(d * w, e, k);
    p = fma(w * next, static_cast<double>(L), p);
  }
}

/// Sixteen threads a row, each with every sixteenth cell, added in the order of energy() in kernels/patch_loops.inl: its bits. Limited
/// by memory, 12 bytes a cell in single precision.
template <class T>
__global__ void energy(EnergyArguments<T> t) {
  __shared__ double kinetic[energy_rows][16], potential[energy_rows][16];
  const int lane = static_cast<int>(threadIdx.x) % 16, r = static_cast<int>(threadIdx.x) / 16;
  const int x = static_cast<int>(blockIdx.y), y = static_cast<int>(blockIdx.x) * energy_rows + r;
  double k = 0, p = 0;
  if (y < t.ny) {
    const std::int64_t at = x * t.stride_x + y * t.stride_y;
    const T *const row = t.u0 + at, *const next = t.u1 + at, *const v = t.v == nullptr ? nullptr : t.v + at,
                   *const a = t.a + (x * t.a_stride_x + y * t.a_stride_y);
    switch (t.radius) {
      case 1: add_cells<1>(t, row, next, v, a, lane, k, p); break;
      case 2: add_cells<2>(t, row, next, v, a, lane, k, p); break;
      case 3: add_cells<3>(t, row, next, v, a, lane, k, p); break;
      case 4: add_cells<4>(t, row, next, v, a, lane, k, p); break;
      case 5: add_cells<5>(t, row, next, v, a, lane, k, p); break;
      default: add_cells<6>(t, row, next, v, a, lane, k, p);
    }
  }
  kinetic[r][lane] = k;
  potential[r][lane] = p;
  __syncthreads();
  if (lane != 0 || y >= t.ny) return;
  k = p = 0;
  for (int i = 0; i < 16; ++i) {
    k += kinetic[r][i];
    p += potential[r][i];
  }
  double* const to = t.sums + 2 * (static_cast<std::int64_t>(x) * t.ny + y);
  to[0] = k;
  to[1] = p;
}

/// A block a plane: its rows one after the other, as Field::plane_energy() adds them. The weights are 1 or 1/2, so products are exact.
__global__ void plane_energies(PlaneEnergyArguments t) {
  __shared__ double rows[2 * plane_energy_rows];
  const int id = static_cast<int>(threadIdx.x);
  const double* const from = t.rows + 2 * static_cast<std::int64_t>(blockIdx.x) * t.ny;
  double* const to = t.sums + 2 * static_cast<std::int64_t>(blockIdx.x);
  double sum = id < 2 ? to[id] : 0;
  for (int begin = 0; begin < t.ny; begin += plane_energy_rows) {
    const int count = t.ny - begin < plane_energy_rows ? t.ny - begin : plane_energy_rows;
    for (int i = id; i < 2 * count; i += plane_energy_rows) rows[i] = from[2 * begin + i];
    __syncthreads();
    if (id < 2)
      for (int y = 0; y < count; ++y)
        sum += (begin + y == 0 ? t.first : begin + y == t.ny - 1 ? t.last : 1.0) * rows[2 * y + id];
    __syncthreads();
  }
  if (id < 2) to[id] = sum;
}

static const RegisterKernel plane_energies_kernel("acoustic-fd/plane-energies", plane_energies);
static const RegisterKernel energy_kernel("acoustic-fd/energy", energy<float>);
static const RegisterKernel energy_double_kernel("acoustic-fd/energy<double>", energy<double>);

}  // namespace conoid::acoustic_fd
