// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernel of what updates keep beside the levels: attenuation, maps of the largest |p| and of the sum of p².
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/beside_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/fours.hpp"

namespace conoid::acoustic_fd {

template <class T>
__device__ __forceinline__ T relaxed(T pull, T sigma, T u, T m, T o) {
  return fused_one(pull * (T{1} / (T{1} + sigma)), u - m, o);
}
template <class T>
__device__ __forceinline__ T larger(T p, T peak) {
  const T size = p < 0 ? -p : p;
  return size > peak ? size : peak;
}

/// What the sources give to a thread's four from cell z on, in the order in which the host adds it.
template <class T>
__device__ __forceinline__ void add_sources(const BesideArguments<T>& t, int x, int y, int z, Four<T>& o) {
  if (t.sources.slot == nullptr) return;
  const int slot = t.sources.slot[x + t.first];
  if (slot < 0) return;
  const std::uint32_t* first = t.sources.first + static_cast<std::int64_t>(slot) * (t.rows + 1) + y;
  for (std::uint32_t n = first[0]; n < first[1]; ++n) {
    const RowNode node = t.sources.list[n];
    const int at = node.z - z;
    if (at < 0 || at > 3) continue;
    T p = at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w;
    for (std::uint32_t i = node.begin; i < node.end; ++i) p += t.values[i];
    (at == 0 ? o.x : at == 1 ? o.y : at == 2 ? o.z : o.w) = p;
  }
}

/// A thread has four cells along z. The sources are added here, between what pulls at the new level and what remembers it, so that every value is read
/// and written once. The association of sums is that of kernels/beside.hpp. Limited by memory: 12 bytes a cell and 8 more for each array
/// that is kept, in single precision.
template <class T>
__global__ void __launch_bounds__(beside_threads_z* beside_threads_y)
    beside(const __grid_constant__ BesideArguments<T> t) {
  const int z = 4 * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = t.y0 + static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  const int x = t.x0 + static_cast<int>(blockIdx.z);
  if (z >= t.nz || y >= t.y1) return;
  const std::int64_t here = x * t.stride_x + y * t.stride_y + z;
  const int cells = t.nz - z;
  const Four<T> u = load_four(t.u + here);
  Four<T> o = load_changing_four(t.o + here), m[beside_solids];
  if (t.solids > 0) {
    const T s_xy = t.sigma_x[x] + t.sigma_y[y];
    const Four<T> s_z = load_four(t.sigma_z + z);
#pragma unroll
    for (int l = 0; l < beside_solids; ++l) {
      if (l >= t.solids) break;
      m[l] = load_changing_four(t.m[l] + here);
      o = {relaxed(t.pull[l], s_xy + s_z.x, u.x, m[l].x, o.x), relaxed(t.pull[l], s_xy + s_z.y, u.y, m[l].y, o.y),
           relaxed(t.pull[l], s_xy + s_z.z, u.z, m[l].z, o.z), relaxed(t.pull[l], s_xy + s_z.w, u.w, m[l].w, o.w)};
    }
  }
  add_sources(t, x, y, z, o);
  store_fours(t.o + here, o, cells);
#pragma unroll
  for (int l = 0; l < beside_solids; ++l) {
    if (l >= t.solids) break;
    store_fours(t.m[l] + here, fused(t.add[l], sum(o, u), scaled(t.keep[l], m[l])), cells);
  }
  if (t.peak != nullptr) {
    const Four<T> most = load_changing_four(t.peak + here);
    store_fours(t.peak + here,
                Four<T>{larger(o.x, most.x), larger(o.y, most.y), larger(o.z, most.z), larger(o.w, most.w)}, cells);
  }
  if (t.squares != nullptr) {
    const Four<T> s = load_changing_four(t.squares + here);
    store_fours(
        t.squares + here,
        Four<T>{fused_one(o.x, o.x, s.x), fused_one(o.y, o.y, s.y), fused_one(o.z, o.z, s.z), fused_one(o.w, o.w, s.w)},
        cells);
  }
}

static const RegisterKernel beside_kernel("acoustic-fd/beside", beside<float>);
static const RegisterKernel beside_double_kernel("acoustic-fd/beside<double>", beside<double>);

}  // namespace conoid::acoustic_fd
