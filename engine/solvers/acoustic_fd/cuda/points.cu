// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of sources, receivers, images and matched layers.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_arguments.hpp"

namespace conoid::acoustic_fd {

__global__ void inject(PointArguments t) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n >= t.count) return;
  const PointNode node = t.nodes[n];
  if (node.y < t.y0 || node.y >= t.y1) return;
  float* o = t.o + (node.x - t.first) * t.stride_x + node.place;
  float p = *o;
  for (std::uint32_t i = node.begin; i < node.end; ++i) p += t.values[i];
  *o = p;
}

__global__ void record(PointArguments t) {
  const int n = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (n >= t.count) return;
  const PointNode node = t.nodes[n];
  if (node.y < t.y0 || node.y >= t.y1) return;
  t.out[node.begin] = t.o[(node.x - t.first) * t.stride_x + node.place];
}

__global__ void mirror(MirrorArguments t) {
  const int p = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p >= t.p) return;
  float* face = t.face + p * t.stride_p + static_cast<int>(blockIdx.y) * t.stride_q;
  for (int i = t.first; i < t.last; ++i) face[-i * t.inwards] = t.sign * face[i * t.inwards];
}

/// A thread a cell. The association of sums is that of kernels/patch.hpp.
__global__ void matched(MatchedArguments t) {
  const std::int64_t cell = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (cell >= static_cast<std::int64_t>(t.nx) * t.ny * t.nz) return;
  const int z = static_cast<int>(cell % t.nz), y = static_cast<int>(cell / t.nz % t.ny), x = static_cast<int>(cell / t.nz / t.ny);
  const std::int64_t here = x * t.stride_x + y * t.stride_y + z, own = x * t.m_stride_x + y * t.m_stride_y + z;
  const float* u = t.u + here;
  float f = t.curvature[0] * *u, g = 0;
  for (int i = 1; i <= t.radius; ++i) {
    const float low = u[-i * t.along], high = u[i * t.along];
    f = fmaf(t.curvature[i], low + high, f);
    g = fmaf(t.slope[i], high - low, g);
  }
  const float* c = t.factor + (t.axis == 0 ? x : t.axis == 1 ? y : z);
  const float E = c[0], G = c[t.nodes];
  const float m1 = t.m[0][own], m2 = t.m[1][own], m3 = t.m[2][own];
  const float n3 = fmaf(E, m3, c[2 * t.nodes] * g);
  const float a3 = 0.5F * (n3 + m3);
  const float n2 = fmaf(E, m2, fmaf(G, a3, fmaf(c[3 * t.nodes], f, c[4 * t.nodes] * g)));
  const float a2 = 0.5F * (n2 + m2);
  const float n1 = fmaf(E, m1, fmaf(G, a2, fmaf(c[5 * t.nodes], f, c[6 * t.nodes] * g)));
  const float extra = 0.5F * (n1 + m1);
  float a = t.a[x * t.a_stride_x + y * t.a_stride_y + z];
  const float sigma = (t.sigma_x[x] + t.sigma_y[y]) + t.sigma_z[z];
  if (sigma != 0.0F) a = a * (1.0F / (1.0F + sigma));
  t.o[here] = fmaf(a, extra, t.o[here]);
  t.m[0][own] = n1;
  t.m[1][own] = n2;
  t.m[2][own] = n3;
}

static const RegisterKernel matched_kernel("acoustic-fd/matched", matched);
static const RegisterKernel inject_kernel("acoustic-fd/inject", inject);
static const RegisterKernel record_kernel("acoustic-fd/record", record);
static const RegisterKernel mirror_kernel("acoustic-fd/mirror", mirror);

}  // namespace conoid::acoustic_fd
