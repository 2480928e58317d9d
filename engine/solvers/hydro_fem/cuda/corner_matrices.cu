// SPDX-License-Identifier: BSD-3-Clause
// The corner force as Dong et al. have it on a device, for comparison (§3.1.1): A_z, F_z = A_z B^T in their variants 2.1 to 2.4, F·1,
// F^T v, M_e^-1 (F^T v). A block a zone, a thread a row. Any order, dimension and turn.
//
// Limited by device memory: A_z is written once and read once, 8 · rows · points bytes a zone and way, where the factorised kernels
// (zone_body.hpp) keep the stress in shared memory and form neither A_z nor F_z.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/corner_arguments.hpp"

namespace conoid::hydro_fem {

/// Kernel 1 from the stress on: (A_z)_rk = α_k σ(q_k) : J^-1 ∇w_i(q_k) |J|, r = (c, i). Rows beyond are zeros.
__global__ void corner_matrix(CornerArguments a) {
  const int size = a.points * a.leading, D = a.dim;
  for (long long zone = blockIdx.x; zone < a.zones; zone += gridDim.x) {
    const double* const S = a.S + zone * (D * D * a.points);
    double* const A = a.A + zone * size;
    for (int n = static_cast<int>(threadIdx.x); n < size; n += static_cast<int>(blockDim.x)) {
      const int r = n % a.leading, k = n / a.leading, c = r / a.nodes, i = r % a.nodes;
      double sum = 0;
      if (r < a.rows) {
        for (int m = 0; m < D; ++m) sum += S[(c * D + m) * a.points + k] * a.grad[(k * D + m) * a.nodes + i];
        if (a.turns > 0 && c == D - 1) sum += a.hoop[zone * a.points + k] * a.value[k * a.nodes + i];
      }
      A[n] = sum;
    }
  }
}

/// Kernel 2.1: A_z and B from device memory, A_z once for every column of F_z.
__global__ void corner_global(CornerArguments a) {
  for (long long zone = blockIdx.x; zone < a.zones; zone += gridDim.x) {
    const double* const A = a.A + zone * a.points * a.leading;
    double* const F = a.F + zone * a.energies * a.rows;
    for (int r = static_cast<int>(threadIdx.x); r < a.rows; r += static_cast<int>(blockDim.x))
      for (int j = 0; j < a.energies; ++j) {
        double sum = 0;
        for (int k = 0; k < a.points; ++k) sum += A[k * a.leading + r] * a.basis[k * a.padded + j];
        F[j * a.rows + r] = sum;
      }
  }
}

/// Kernel 2.2: all of A_z in shared memory, B among the constants.
__global__ void corner_whole(const __grid_constant__ ConstantCornerArguments all) {
  const CornerArguments& a = all.plain;
  double* const here = dynamic_shared<double>();
  const int size = a.points * a.leading, id = static_cast<int>(threadIdx.x), T = static_cast<int>(blockDim.x);
  for (long long zone = blockIdx.x; zone < a.zones; zone += gridDim.x) {
    const double* const A = a.A + zone * size;
    double* const F = a.F + zone * a.energies * a.rows;
    for (int n = id; n < size; n += T) here[n] = A[n];
    __syncthreads();
    for (int r = id; r < a.rows; r += T)
      for (int j = 0; j < a.energies; ++j) {
        double sum = 0;
        for (int k = 0; k < a.points; ++k) sum += here[k * a.leading + r] * all.basis[k * a.padded + j];
        F[j * a.rows + r] = sum;
      }
    __syncthreads();
  }
}

/// Kernels 2.3 and 2.4: blocks of columns of A_z in shared memory, J columns of F_z in registers. In 2.4 columns are padded to whole warps.
template <int J>
__device__ __forceinline__ void multiply_in_blocks(const CornerArguments& a, const double* basis) {
  double* const here = dynamic_shared<double>();
  const int id = static_cast<int>(threadIdx.x), T = static_cast<int>(blockDim.x);
  for (long long zone = blockIdx.x; zone < a.zones; zone += gridDim.x) {
    const double* const A = a.A + zone * a.points * a.leading;
    double* const F = a.F + zone * a.energies * a.rows;
    for (int first_row = 0; first_row < a.rows; first_row += T)
      for (int j = 0; j < a.padded; j += J) {
        const int r = first_row + id;
        double sum[J] = {};
        for (int begin = 0; begin < a.points; begin += corner_columns) {
          const int wide = a.points - begin < corner_columns ? a.points - begin : corner_columns;
          for (int n = id; n < wide * a.leading; n += T) here[n] = A[begin * a.leading + n];
          __syncthreads();
          if (r < a.rows)
            for (int k = 0; k < wide; ++k) {
              const double value = here[k * a.leading + r];
              const double* const column = basis + (begin + k) * a.padded + j;
#pragma unroll
              for (int m = 0; m < J; ++m) sum[m] += value * column[m];
            }
          __syncthreads();
        }
        if (r < a.rows)
          for (int m = 0; m < J && j + m < a.energies; ++m) F[(j + m) * a.rows + r] = sum[m];
      }
  }
}
template <int J>
__global__ void corner_blocks(CornerArguments a) {
  multiply_in_blocks<J>(a, a.basis);
}
template <int J>
__global__ void corner_blocks_constant(const __grid_constant__ ConstantCornerArguments all) {
  multiply_in_blocks<J>(all.plain, all.basis);
}

/// Kernel 3: F·1, a thread a row.
__global__ void corner_times_one(CornerArguments a) {
  for (long long zone = blockIdx.x; zone < a.zones; zone += gridDim.x) {
    const double* const F = a.F + zone * a.energies * a.rows;
    for (int r = static_cast<int>(threadIdx.x); r < a.rows; r += static_cast<int>(blockDim.x)) {
      double sum = 0;
      for (int j = 0; j < a.energies; ++j) sum += F[j * a.rows + r];
      a.force[zone * a.rows + r] = sum;
    }
  }
}

/// Kernel 5: F^T v, a warp a column; the zone's velocities in shared memory.
__global__ void corner_transposed(CornerArguments a) {
  double* const v = dynamic_shared<double>();
  const int id = static_cast<int>(threadIdx.x), T = static_cast<int>(blockDim.x);
  for (long long zone = blockIdx.x; zone < a.zones; zone += gridDim.x) {
    const double* const F = a.F + zone * a.energies * a.rows;
    for (int r = id; r < a.rows; r += T) v[r] = a.v[r / a.nodes * a.all_nodes + a.map[zone * a.nodes + r % a.nodes]];
    __syncthreads();
    for (int j = id / 32; j < a.energies; j += T / 32) {
      double sum = 0;
      for (int r = id % 32; r < a.rows; r += 32) sum += F[j * a.rows + r] * v[r];
      for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, step);
      if (id % 32 == 0) a.power[zone * a.energies + j] = sum;
    }
    __syncthreads();
  }
}

/// Kernel 6: M_e^-1 (F^T v), a thread a row of a stored block.
__global__ void corner_energy(CornerArguments a) {
  for (long long zone = blockIdx.x; zone < a.zones; zone += gridDim.x) {
    const double* const inverse = a.Meinv + zone * a.energies * a.energies;
    for (int i = static_cast<int>(threadIdx.x); i < a.energies; i += static_cast<int>(blockDim.x)) {
      double sum = 0;
      for (int j = 0; j < a.energies; ++j) sum += inverse[i * a.energies + j] * a.power[zone * a.energies + j];
      a.de[zone * a.energies + i] = sum;
    }
  }
}

static const RegisterKernel matrix_kernel("hydro-fem/corner-matrix", corner_matrix);
static const RegisterKernel global_kernel("hydro-fem/corner-2.1", corner_global);
static const RegisterKernel whole_kernel("hydro-fem/corner-2.2", corner_whole);
static const RegisterKernel blocks_8("hydro-fem/corner-2.3<8>", corner_blocks<8>);
static const RegisterKernel blocks_16("hydro-fem/corner-2.3<16>", corner_blocks<16>);
static const RegisterKernel constant_8("hydro-fem/corner-2.3<8,constant>", corner_blocks_constant<8>);
static const RegisterKernel constant_16("hydro-fem/corner-2.3<16,constant>", corner_blocks_constant<16>);
static const RegisterKernel one_kernel("hydro-fem/corner-3", corner_times_one);
static const RegisterKernel transposed_kernel("hydro-fem/corner-5", corner_transposed);
static const RegisterKernel energy_kernel("hydro-fem/corner-6", corner_energy);

}  // namespace conoid::hydro_fem
