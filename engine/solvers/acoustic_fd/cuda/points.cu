// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of sources, receivers and images.
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

static const RegisterKernel inject_kernel("acoustic-fd/inject", inject);
static const RegisterKernel record_kernel("acoustic-fd/record", record);
static const RegisterKernel mirror_kernel("acoustic-fd/mirror", mirror);

}  // namespace conoid::acoustic_fd
