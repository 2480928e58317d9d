// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of sources, receivers, images and matched layers.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"
#include "engine/solvers/acoustic_fd/cuda/fours.hpp"

namespace conoid::acoustic_fd {

template <class T>
__device__ __forceinline__ bool inside(const PointArguments<T>& t, const PointNode& node) {
  const std::int64_t z = node.place - node.y * t.stride_y;
  return node.y >= t.y0 && node.y < t.y1 && z >= t.z0 && z < t.z1;
}
template <class T>
__global__ void inject(PointArguments<T> t) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n >= t.count) return;
  const PointNode node = t.nodes[n];
  if (!inside(t, node)) return;
  T* o = t.o + (node.x - t.first) * t.stride_x + node.place;
  T p = *o;
  for (std::uint32_t i = node.begin; i < node.end; ++i) p += t.values[i];
  *o = p;
}

template <class T>
__global__ void record(PointArguments<T> t) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n >= t.count) return;
  const PointNode node = t.nodes[n];
  if (!inside(t, node)) return;
  t.out[node.begin] = t.o[(node.x - t.first) * t.stride_x + node.place];
}

template <class T>
__global__ void mirror(MirrorArguments<T> t) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= t.p) return;
  T* face = t.face + p * t.stride_p + static_cast<int>(blockIdx.y) * t.stride_q;
  for (int i = t.first; i < t.last; ++i) face[-i * t.inwards] = t.sign * face[i * t.inwards];
}

/// A warp a row; the last one has what a plane has behind its rows.
__global__ void margins(MarginArguments t) {
  const int row = static_cast<int>(blockIdx.x) * margin_rows + static_cast<int>(threadIdx.x) / 32,
            lane = static_cast<int>(threadIdx.x) % 32;
  if (row > t.rows) return;
  const std::int64_t plane = static_cast<int>(blockIdx.y) * t.stride_x, begin = row * t.stride_y,
                     end = row < t.rows ? begin + t.stride_y : t.stride_x;
  const bool cells = row >= t.y0 && row < t.y1;
  for (std::int64_t i = begin + lane; i < end; i += 32) {
    if (cells && i >= begin + t.before && i < begin + t.before + t.nz) continue;
    t.even[plane + i] = 0.0F;
    t.odd[plane + i] = 0.0F;
  }
}

/// A thread a cell. The association of sums is that of kernels/patch.hpp.
template <class T>
__global__ void matched(MatchedArguments<T> t) {
  const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (cell >= static_cast<std::int64_t>(t.nx) * t.ny * t.nz) return;
  const int z = static_cast<int>(cell % t.nz), y = static_cast<int>(cell / t.nz % t.ny),
            x = static_cast<int>(cell / t.nz / t.ny);
  const std::int64_t here = x * t.stride_x + y * t.stride_y + z, own = x * t.m_stride_x + y * t.m_stride_y + z;
  const T* u = t.u + here;
  T f = t.curvature[0] * *u, g = 0;
  for (int i = 1; i <= t.radius; ++i) {
    const T low = u[-i * t.along], high = u[i * t.along];
    f = fused_one(t.curvature[i], low + high, f);
    g = fused_one(t.slope[i], high - low, g);
  }
  if (t.v) {
    f = fused_one(-t.v[own], *u, f);
    g = fused_one(-t.w[own], *u, g);
  }
  const T* c = t.factor + (t.axis == 0 ? x : t.axis == 1 ? y : z);
  const T E = c[0], m1 = t.m[0][own], m2 = t.m[1][own];
  const T n2 = fused_one(E, m2, fused_one(c[t.nodes], f, c[2 * t.nodes] * g));
  const T n1 = fused_one(E, m1, (n2 + m2) + fused_one(c[3 * t.nodes], f, c[4 * t.nodes] * g));
  const T extra = (n1 + m1) + fused_one(c[5 * t.nodes], f, c[6 * t.nodes] * g);
  T a = t.a[x * t.a_stride_x + y * t.a_stride_y + z];
  const T sigma = (t.sigma_x[x] + t.sigma_y[y]) + t.sigma_z[z];
  if (sigma != T{0}) a = a * (T{1} / (T{1} + sigma));
  t.o[here] = fused_one(a, extra, t.o[here]);
  t.m[0][own] = n1;
  t.m[1][own] = n2;
}

/// A thread a node. The association of sums is that of Field::walls.
template <class T>
__global__ void walls(WallArguments<T> t) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n >= t.count) return;
  const PointNode node = t.nodes[n];
  if (node.y < t.y0 || node.y >= t.y1) return;
  const std::int64_t z = node.place - node.y * t.stride_y, x = node.x - t.first, here = x * t.stride_x + node.place;
  T L = 0;
  for (std::uint32_t i = node.begin; i < node.end; ++i) L = fused_one(t.weights[i], t.u[here + t.offsets[i]], L);
  T a = t.a[x * t.a_stride_x + node.y * t.a_stride_y + z];
  const T sigma = (t.sigma_x[node.x] + t.sigma_y[node.y]) + t.sigma_z[z];
  if (sigma != T{0}) a = a * (T{1} / (T{1} + sigma));
  t.o[here] = fused_one(a, L, t.o[here]);
}

static const RegisterKernel walls_kernel("acoustic-fd/walls", walls<float>);
static const RegisterKernel walls_double_kernel("acoustic-fd/walls<double>", walls<double>);
static const RegisterKernel margins_kernel("acoustic-fd/margins", margins);
static const RegisterKernel matched_kernel("acoustic-fd/matched", matched<float>);
static const RegisterKernel matched_double_kernel("acoustic-fd/matched<double>", matched<double>);
static const RegisterKernel inject_kernel("acoustic-fd/inject", inject<float>);
static const RegisterKernel inject_double_kernel("acoustic-fd/inject<double>", inject<double>);
static const RegisterKernel record_kernel("acoustic-fd/record", record<float>);
static const RegisterKernel record_double_kernel("acoustic-fd/record<double>", record<double>);
static const RegisterKernel mirror_kernel("acoustic-fd/mirror", mirror<float>);
static const RegisterKernel mirror_double_kernel("acoustic-fd/mirror<double>", mirror<double>);

}  // namespace conoid::acoustic_fd
