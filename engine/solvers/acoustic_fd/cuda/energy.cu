// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of the energy of rows, and of planes.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/fours.hpp"

namespace conoid::acoustic_fd {

/// d / a, rounded as IEEE says, without the branches of a division of doubles. `a` has the 24 bits of a float and y an error of 2⁻²¹ or less,
/// so after two steps of Newton's y differs from 1/a by 2⁻⁸⁴ before it is rounded, and r, which is exact, brings q within 2⁻¹⁰⁴. No quotient
/// of 53 by 24 bits, and no such reciprocal, lies nearer to the middle between two doubles than 2⁻⁷⁸, so each is rounded as if it were exact.
__device__ __forceinline__ double quotient(double d, float a) {
#if defined(__CUDACC__)
  double y = static_cast<double>(__fdividef(1.0F, a));
#else
  double y = static_cast<double>(1.0F / a);
#endif
  const double b = static_cast<double>(a);
  y = fma(y, fma(-b, y, 1.0), y);
  y = fma(y, fma(-b, y, 1.0), y);
  const double q = d * y;
  return fma(fma(-b, q, d), y, q);
}
__device__ __forceinline__ double quotient(double d, double a) {
  return d / a;
}

/// A cell of weight w.
template <class T>
__device__ __forceinline__ void add_cell(T u, T next, T a, T L, double w, double& k, double& p) {
  const double after = static_cast<double>(next), d = after - static_cast<double>(u);
  k = fma(d * w, quotient(d, a), k);
  p = fma(w * after, static_cast<double>(L), p);
}

/// Every sixteenth cell of a row is added to one of sixteen sums, as energy() in kernels/patch_loops.inl does, whose bits these are: four sums a
/// thread, whose cells lie side by side, four threads a row. A warp has eight rows of a plane and a block eight planes, so that rows on either side
/// are found in the first cache; neighbouring blocks run together along x within `energy_groups` of them, then along y. Limited by memory, 12
/// bytes a cell in single precision.
template <int R, class T>
__global__ void __launch_bounds__(energy_threads, sizeof(T) > 4 ? (R > 4 ? 1 : 2) : (R > 2 ? 2 : 3))
    energy(const __grid_constant__ EnergyArguments<T> t) {
  __shared__ double sums[energy_planes * energy_rows][2][16];
  const int lane = static_cast<int>(threadIdx.x) % 4, row = static_cast<int>(threadIdx.x) / 4;
  const int group = static_cast<int>(blockIdx.y) * energy_groups + static_cast<int>(blockIdx.x) % energy_groups;
  const int x = group * energy_planes + row / energy_rows,
            y = static_cast<int>(blockIdx.x) / energy_groups * energy_rows + row % energy_rows;
  const bool inside = x < t.nx && y < t.ny;
  double k[4] = {}, p[4] = {};
  if (inside) {
    const std::int64_t sx = t.stride_x, sy = t.stride_y, at = x * sx + y * sy + 4 * lane;
    const T *u = t.u0 + at, *next = t.u1 + at, *v = t.v == nullptr ? nullptr : t.v + at,
            *a = t.a + (x * t.a_stride_x + y * t.a_stride_y + 4 * lane);
#pragma unroll 1
    for (int z = 4 * lane; z < t.nz; z += 16, u += 16, next += 16, a += 16) {
      const Four<T> middle = load_four(u), after = load_four(next), medium = load_four(a);
      LineOfFours<R, T> line;
      line.load(u, middle);
      Four<T> L = scaled(t.centre, middle);
#pragma unroll
      for (int i = 1; i <= R; ++i) {
        const Four<T> px = sum(load_four(u - i * sx), load_four(u + i * sx)),
                      py = sum(load_four(u - i * sy), load_four(u + i * sy)), pz = line.pair(i);
        if (t.unequal) {
          L = fused(t.x[i], px, L);
          L = fused(t.y[i], py, L);
          L = fused(t.z[i], pz, L);
        } else {
          L = fused(t.x[i], sum(sum(px, py), pz), L);
        }
      }
      if (v != nullptr) {
        L = minus_product(load_four(v), middle, L);
        v += 16;
      }
      if (z > 0 && z + 4 < t.nz) {
        add_cell(middle.x, after.x, medium.x, L.x, 1.0, k[0], p[0]);
        add_cell(middle.y, after.y, medium.y, L.y, 1.0, k[1], p[1]);
        add_cell(middle.z, after.z, medium.z, L.z, 1.0, k[2], p[2]);
        add_cell(middle.w, after.w, medium.w, L.w, 1.0, k[3], p[3]);
      } else {  // the ends of a row
        const auto weight = [&](int cell) {
          return (cell == 0 ? t.half[0] : 1.0) * (cell == t.nz - 1 ? t.half[1] : 1.0);
        };
        add_cell(middle.x, after.x, medium.x, L.x, weight(z), k[0], p[0]);
        if (z + 1 < t.nz) add_cell(middle.y, after.y, medium.y, L.y, weight(z + 1), k[1], p[1]);
        if (z + 2 < t.nz) add_cell(middle.z, after.z, medium.z, L.z, weight(z + 2), k[2], p[2]);
        if (z + 3 < t.nz) add_cell(middle.w, after.w, medium.w, L.w, weight(z + 3), k[3], p[3]);
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    sums[row][0][4 * lane + i] = k[i];
    sums[row][1][4 * lane + i] = p[i];
  }
  __syncthreads();
  if (lane > 1 || !inside) return;
  double all = 0;
  for (int i = 0; i < 16; ++i) all += sums[row][lane][i];
  t.sums[2 * (static_cast<std::int64_t>(x) * t.ny + y) + lane] = all;
}

/// A thread has the nodes of a row, one after the other as Field::plane_energy() adds them: that of the row's first node. Nodes beside walls are few.
template <class T>
__global__ void wall_energies(WallEnergyArguments<T> t) {
  int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n >= t.count) return;
  const int x = t.nodes[n].x, y = t.nodes[n].y;
  if (y < t.y0 || y >= t.y0 + t.ny) return;
  if (n > 0 && t.nodes[n - 1].x == x && t.nodes[n - 1].y == y) return;
  double& sum = t.sums[2 * (static_cast<std::int64_t>(x - t.first) * t.ny + (y - t.y0)) + 1];
  double potential = sum;
  for (; n < t.count && t.nodes[n].x == x && t.nodes[n].y == y; ++n) {
    const PointNode node = t.nodes[n];
    const std::int64_t z = node.place - y * t.stride_y, here = (x - t.first) * t.stride_x + node.place;
    T L = 0;
    for (std::uint32_t i = node.begin; i < node.end; ++i) L = fused_one(t.weights[i], t.u0[here + t.offsets[i]], L);
    const double weight = (z == 0 ? t.half[0] : 1.0) * (z == t.nz - 1 ? t.half[1] : 1.0);
    potential = fma(weight * static_cast<double>(t.u1[here]), static_cast<double>(L), potential);
  }
  sum = potential;
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

static const RegisterKernel wall_energies_kernel("acoustic-fd/wall-energies", wall_energies<float>);
static const RegisterKernel wall_energies_double_kernel("acoustic-fd/wall-energies<double>", wall_energies<double>);
static const RegisterKernel plane_energies_kernel("acoustic-fd/plane-energies", plane_energies);
static const RegisterKernel energy_kernel_1("acoustic-fd/energy<1>", energy<1, float>);
static const RegisterKernel energy_kernel_2("acoustic-fd/energy<2>", energy<2, float>);
static const RegisterKernel energy_kernel_3("acoustic-fd/energy<3>", energy<3, float>);
static const RegisterKernel energy_kernel_4("acoustic-fd/energy<4>", energy<4, float>);
static const RegisterKernel energy_kernel_5("acoustic-fd/energy<5>", energy<5, float>);
static const RegisterKernel energy_kernel_6("acoustic-fd/energy<6>", energy<6, float>);
static const RegisterKernel energy_double_kernel_1("acoustic-fd/energy<1,double>", energy<1, double>);
static const RegisterKernel energy_double_kernel_2("acoustic-fd/energy<2,double>", energy<2, double>);
static const RegisterKernel energy_double_kernel_3("acoustic-fd/energy<3,double>", energy<3, double>);
static const RegisterKernel energy_double_kernel_4("acoustic-fd/energy<4,double>", energy<4, double>);
static const RegisterKernel energy_double_kernel_5("acoustic-fd/energy<5,double>", energy<5, double>);
static const RegisterKernel energy_double_kernel_6("acoustic-fd/energy<6,double>", energy<6, double>);

}  // namespace conoid::acoustic_fd
