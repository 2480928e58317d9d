// SPDX-License-Identifier: BSD-3-Clause
// Votes, atomic operations, tiles, asynchronous copies and the barrier of a grid.
#include "engine/team/kernel.hpp"

#include "engine/team/box_copies.hpp"
#include "engine/team/cluster.hpp"
#include "tests/engine/team/kernels/arguments.hpp"

namespace conoid::device_test {

/// out[0 … 4]: threads with an odd number, all even?, some beyond 90?, ballot and match of warp 0.
__global__ void votes(VoteArguments a) {
  const int t = static_cast<int>(threadIdx.x);
  const int odd = __syncthreads_count(t % 2);
  const int even = __syncthreads_and(t % 2 == 0);
  const int beyond = __syncthreads_or(t > 90);
  const unsigned lanes = __ballot_sync(0xffffffffU, t % 3 == 0), same = __match_any_sync(0xffffffffU, t / 8);
  const unsigned sum = __reduce_add_sync(0xffffffffU, static_cast<unsigned>(t));
  if (t == 8) {
    a.out[0] = static_cast<unsigned>(odd);
    a.out[1] = static_cast<unsigned>(even);
    a.out[2] = static_cast<unsigned>(beyond);
    a.out[3] = lanes;
    a.out[4] = same;
    a.out[5] = sum;
  }
}
static const RegisterKernel votes_kernel("test/votes", votes);

/// out[0]: number of threads; out[1]: highest; out[2] as float: their sum; out[3]: the last to swap in 7.
__global__ void atomics(VoteArguments a) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(a.out, 1U);
  atomicMax(a.out + 1, i);
  atomicAdd(reinterpret_cast<float*>(a.out + 2), static_cast<float>(i));
  atomicCAS(a.out + 3, 0U, 7U);
  atomicOr(a.out + 4, 1U << (i % 5));
}
static const RegisterKernel atomics_kernel("test/atomics", atomics);

/// Sums of tiles of 8, and a block's data brought by a copy of the whole group.
__global__ void tiles(SumArguments a) {
  namespace cg = cooperative_groups;
  double* const staged = dynamic_shared<double>();
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, staged, a.x + blockIdx.x * blockDim.x, sizeof(double) * blockDim.x);
  cg::wait(block);
  const auto tile = cg::tiled_partition<8>(block);
  double v = staged[threadIdx.x];
  for (int step = 4; step > 0; step /= 2) v += tile.shfl_down(v, static_cast<unsigned>(step));
  if (tile.thread_rank() == 0) a.sums[blockIdx.x * (blockDim.x / 8) + tile.meta_group_rank()] = v;
}
static const RegisterKernel tiles_kernel("test/tiles", tiles);

/// Each block writes its number; after the barrier of the grid each adds up all.
__global__ void grid_sum(SumArguments a) {
  if (threadIdx.x == 0) a.sums[blockIdx.x] = a.x[blockIdx.x];
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += a.sums[b];
    a.sums[gridDim.x + blockIdx.x] = sum;
  }
}
/// Each step every block adds what it holds to what the next block of its cluster holds; two steps between barriers.
__global__ void cluster_ring(RingArguments a) {
  float4* const held = dynamic_shared<float4>();  // [2][blockDim]
  const SharedAddress signals = shared_address(held + 2 * blockDim.x);
  const unsigned rank = blockIdx.x % a.cluster, next = (rank + 1) % a.cluster, id = threadIdx.x;
  if (id == 0) {
    ClusterSignal::start(signals);
    ClusterSignal::start(signals + ClusterSignal::bytes);
  }
  float4 sum = make_float4(static_cast<float>(blockIdx.x), static_cast<float>(id), 1.0F, 0.0F);
  cluster_barrier();
  const SharedAddress there = in_cluster(shared_address(held + id), next), told = in_cluster(signals, next);
  for (int step = 0; step < a.steps; ++step) {
    const unsigned turn = static_cast<unsigned>(step) % 2;
    if (id == 0) ClusterSignal::expect(signals + ClusterSignal::bytes * turn, blockDim.x * 16);
    ClusterSignal::store(there + 16 * turn * blockDim.x, sum, told + ClusterSignal::bytes * turn);
    ClusterSignal::wait(signals + ClusterSignal::bytes * turn, static_cast<unsigned>(step) / 2 % 2);
    const float4 other = held[turn * blockDim.x + id];
    sum = make_float4(sum.x + other.x, sum.y + other.y, sum.z + other.z, sum.w + 1.0F);
    if (turn == 1) cluster_barrier();  // or a block runs two steps ahead of the next
  }
  cluster_barrier();
  a.sums[blockIdx.x * blockDim.x + id] = sum.x + 1000.0F * sum.y + sum.z + sum.w;
}

/// Block b adds up the columns of the boxes at (4 b - 4, b - 1, step - 1): parts of them lie beyond the array.
__global__ void boxes(const __grid_constant__ BoxArguments a) {
  float* const held = dynamic_shared<float>();  // two boxes by turns
  const int id = static_cast<int>(threadIdx.x), b = static_cast<int>(blockIdx.x), size = a.values * a.rows,
            room = (size + 31) / 32 * 32;
  const SharedAddress signals = shared_address(held + 2 * room);
  const auto ask = [&](int step) {
    const SharedAddress signal = signals + ClusterSignal::bytes * (step % 2);
    ClusterSignal::expect(signal, static_cast<unsigned>(size) * 4U);
    BoxCopies::copy(shared_address(held + step % 2 * room), a.source, 4 * b - 4, b - 1, step - 1, signal);
  };
  for (int i = id; i < 2 * room; i += static_cast<int>(blockDim.x)) held[i] = -1.0F;
  if (id == 0) {
    ClusterSignal::start(signals);
    ClusterSignal::start(signals + ClusterSignal::bytes);
  }
  BoxCopies::after_stores();
  __syncthreads();
  if (id == 0) ask(0);
  float sum = 0;
  for (int step = 0; step < a.steps; ++step) {
    if (id == 0 && step + 1 < a.steps) ask(step + 1);
    ClusterSignal::wait(signals + ClusterSignal::bytes * (step % 2), static_cast<unsigned>(step) / 2 % 2);
    if (id < a.values)
      for (int r = 0; r < a.rows; ++r) sum += held[step % 2 * room + r * a.values + id];
    __syncthreads();
  }
  if (id < a.values) a.sums[b * a.values + id] = sum;
}

static const RegisterKernel boxes_kernel("test/boxes", boxes);
static const RegisterKernel cluster_ring_kernel("test/cluster_ring", cluster_ring);
static const RegisterKernel grid_sum_kernel("test/grid_sum", grid_sum);

}  // namespace conoid::device_test
