// SPDX-License-Identifier: BSD-3-Clause
// CUDA's model for the host compiler: the names that a kernel may use, run by the processor. Included by kernel.hpp only.
//
// A block runs on one host thread; its threads are fibers that change at barriers and warp operations, so between two
// barriers the threads of a block run one after the other, in the order of their number. Shared memory is thread_local
// memory of the host thread. Warps are 32 consecutive threads. Not modelled: the order in which warps progress, memory that
// becomes visible late between blocks, textures, dynamic parallelism and tensor instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "engine/team/box_source.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static thread_local
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(n) alignas(n)

// ---- types

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};
struct alignas(8) float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
struct alignas(16) double2 {
  double x, y;
};
struct double3 {
  double x, y, z;
};
struct alignas(16) double4 {
  double x, y, z, w;
};
struct alignas(8) int2 {
  int x, y;
};
struct int3 {
  int x, y, z;
};
struct alignas(16) int4 {
  int x, y, z, w;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(4) short2 {
  short x, y;
};
struct alignas(4) ushort2 {
  unsigned short x, y;
};
struct alignas(8) ushort4 {
  unsigned short x, y, z, w;
};
struct alignas(4) uchar4 {
  unsigned char x, y, z, w;
};

inline float2 make_float2(float x, float y) {
  return {x, y};
}
inline float3 make_float3(float x, float y, float z) {
  return {x, y, z};
}
inline float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}
inline double2 make_double2(double x, double y) {
  return {x, y};
}
inline double3 make_double3(double x, double y, double z) {
  return {x, y, z};
}
inline int2 make_int2(int x, int y) {
  return {x, y};
}
inline int3 make_int3(int x, int y, int z) {
  return {x, y, z};
}
inline int4 make_int4(int x, int y, int z, int w) {
  return {x, y, z, w};
}
inline uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) {
  return {x, y, z};
}
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}

// ---- what the run-time part provides (block.cpp, atomics.cpp)

// Parts of the model itself, which the checked mode must not look at.
#define CONOID_UNCHECKED __attribute__((no_sanitize("thread")))

namespace conoid::emulated {

class Block;
struct Place {
  const char* file;
  int line;
};

/// Of the thread that runs now on this host thread.
struct Builtins {
  uint3 thread_index{};
  uint3 block_index{};
  dim3 block_dim{};
  dim3 grid_dim{};
  Block* block = nullptr;
  void* shared = nullptr;
  unsigned rank = 0;  ///< of the thread in its block
};
extern __thread Builtins builtins;

inline void* dynamic_shared_memory() {
  return builtins.shared;
}

void block_barrier(Place place);
/// Barrier with a reduction of `value` over the block: 0 count, 1 and, 2 or.
int block_vote(int value, int kind, Place place);
void warp_barrier(unsigned mask, Place place);
/// Every lane of `mask` gives `bytes` (at most 16) bytes; on return `all` shows the values of all lanes, 16 bytes each,
/// until the next exchange of the same lanes.
const unsigned char* warp_exchange(unsigned mask, const void* mine, std::size_t bytes, Place place);
void grid_barrier(Place place);
[[nodiscard]] bool grid_is_cooperative();

// Of clusters (cluster.hpp).
void cluster_barrier(Place place);
[[nodiscard]] unsigned char* in_cluster(unsigned char* mine, unsigned rank);
void signal_start(unsigned char* signal);
void signal_expect(unsigned char* signal, unsigned bytes);
void signal_wait(const unsigned char* signal, unsigned parity, Place place);
void store_in_cluster(unsigned char* to, const void* from, unsigned bytes, unsigned char* signal);
/// Of the box that begins at (x, y, z) (box_copies.hpp).
void copy_box(unsigned char* to, const BoxSource& source, int x, int y, int z, unsigned char* signal);

/// Copies that take place when they are waited for.
void async_copy(void* to, const void* from, std::size_t bytes, Place place);
void async_commit();
void async_wait_prior(unsigned groups, Place place);

enum class AtomicKind { add, subtract, exchange, min, max, bit_and, bit_or, bit_xor };
int atomic(int* p, int v, AtomicKind kind);
unsigned atomic(unsigned* p, unsigned v, AtomicKind kind);
unsigned long long atomic(unsigned long long* p, unsigned long long v, AtomicKind kind);
long long atomic(long long* p, long long v, AtomicKind kind);
float atomic(float* p, float v, AtomicKind kind);
double atomic(double* p, double v, AtomicKind kind);
int atomic_swap_if(int* p, int expected, int v);
unsigned atomic_swap_if(unsigned* p, unsigned expected, unsigned v);
unsigned long long atomic_swap_if(unsigned long long* p, unsigned long long expected, unsigned long long v);

template <class T>
CONOID_UNCHECKED inline T shuffle(unsigned mask, T value, int from, Place place) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  const unsigned char* all = warp_exchange(mask, &value, sizeof(T), place);
  T out;
  std::memcpy(&out, all + 16 * from, sizeof(T));
  return out;
}
inline int lane() {
  return static_cast<int>(builtins.rank & 31U);
}

template <class T, class F>
CONOID_UNCHECKED inline T warp_fold(unsigned mask, T value, F fold, Place place) {
  const unsigned char* all = warp_exchange(mask, &value, sizeof(T), place);
  bool first = true;
  T out{};
  for (int k = 0; k < 32; ++k)
    if (mask >> k & 1U) {
      T v;
      std::memcpy(&v, all + 16 * k, sizeof(T));
      out = first ? v : fold(out, v);
      first = false;
    }
  return out;
}

}  // namespace conoid::emulated

#define threadIdx (::conoid::emulated::builtins.thread_index)
#define blockIdx (::conoid::emulated::builtins.block_index)
#define blockDim (::conoid::emulated::builtins.block_dim)
#define gridDim (::conoid::emulated::builtins.grid_dim)
inline constexpr int warpSize = 32;

// The place of the call travels as a default argument, so that a message can name the line.
#define CONOID_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define CONOID_PLACE (::conoid::emulated::Place{file, line})

// ---- barriers, votes, shuffles, reductions

inline void __syncthreads(CONOID_HERE) {
  ::conoid::emulated::block_barrier(CONOID_PLACE);
}
inline int __syncthreads_count(int v, CONOID_HERE) {
  return ::conoid::emulated::block_vote(v, 0, CONOID_PLACE);
}
inline int __syncthreads_and(int v, CONOID_HERE) {
  return ::conoid::emulated::block_vote(v, 1, CONOID_PLACE);
}
inline int __syncthreads_or(int v, CONOID_HERE) {
  return ::conoid::emulated::block_vote(v, 2, CONOID_PLACE);
}
inline void __syncwarp(unsigned mask = 0xffffffffU, CONOID_HERE) {
  ::conoid::emulated::warp_barrier(mask, CONOID_PLACE);
}
inline void __threadfence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
inline void __threadfence_block() {}
inline void __threadfence_system() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

template <class T>
inline T __shfl_sync(unsigned mask, T v, int source, int width = 32, CONOID_HERE) {
  const int base = ::conoid::emulated::lane() & ~(width - 1);
  return ::conoid::emulated::shuffle(mask, v, base + (source & (width - 1)), CONOID_PLACE);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, CONOID_HERE) {
  const int lane = ::conoid::emulated::lane(), base = lane & ~(width - 1), from = lane - static_cast<int>(delta);
  return ::conoid::emulated::shuffle(mask, v, from < base ? lane : from, CONOID_PLACE);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, CONOID_HERE) {
  const int lane = ::conoid::emulated::lane(), base = lane & ~(width - 1), from = lane + static_cast<int>(delta);
  return ::conoid::emulated::shuffle(mask, v, from >= base + width ? lane : from, CONOID_PLACE);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, CONOID_HERE) {
  const int lane = ::conoid::emulated::lane(), base = lane & ~(width - 1), from = lane ^ bits;
  return ::conoid::emulated::shuffle(mask, v, from >= base + width ? lane : from, CONOID_PLACE);
}
inline unsigned __ballot_sync(unsigned mask, int v, CONOID_HERE) {
  const unsigned mine = v != 0 ? 1U << ::conoid::emulated::lane() : 0U;
  return ::conoid::emulated::warp_fold(
      mask, mine, [](unsigned a, unsigned b) { return a | b; }, CONOID_PLACE);
}
inline int __any_sync(unsigned mask, int v, CONOID_HERE) {
  return __ballot_sync(mask, v, file, line) != 0;
}
inline int __all_sync(unsigned mask, int v, CONOID_HERE) {
  return __ballot_sync(mask, v, file, line) == mask;
}
template <class T>
CONOID_UNCHECKED inline unsigned __match_any_sync(unsigned mask, T v, CONOID_HERE) {
  const unsigned char* all = ::conoid::emulated::warp_exchange(mask, &v, sizeof(T), CONOID_PLACE);
  unsigned same = 0;
  for (int k = 0; k < 32; ++k)
    if ((mask >> k & 1U) != 0 && std::memcmp(all + 16 * k, &v, sizeof(T)) == 0) same |= 1U << k;
  return same;
}
template <class T>
inline T __reduce_add_sync(unsigned mask, T v, CONOID_HERE) {
  return ::conoid::emulated::warp_fold(
      mask, v, [](T a, T b) { return static_cast<T>(a + b); }, CONOID_PLACE);
}
template <class T>
inline T __reduce_min_sync(unsigned mask, T v, CONOID_HERE) {
  return ::conoid::emulated::warp_fold(
      mask, v, [](T a, T b) { return a < b ? a : b; }, CONOID_PLACE);
}
template <class T>
inline T __reduce_max_sync(unsigned mask, T v, CONOID_HERE) {
  return ::conoid::emulated::warp_fold(
      mask, v, [](T a, T b) { return a < b ? b : a; }, CONOID_PLACE);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned v, CONOID_HERE) {
  return ::conoid::emulated::warp_fold(
      mask, v, [](unsigned a, unsigned b) { return a & b; }, CONOID_PLACE);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned v, CONOID_HERE) {
  return ::conoid::emulated::warp_fold(
      mask, v, [](unsigned a, unsigned b) { return a | b; }, CONOID_PLACE);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned v, CONOID_HERE) {
  return ::conoid::emulated::warp_fold(
      mask, v, [](unsigned a, unsigned b) { return a ^ b; }, CONOID_PLACE);
}

// ---- atomics

namespace conoid::emulated {
// peers.hpp
void raise_number(unsigned long long* number, unsigned long long value);
void await_number(const unsigned long long* number, unsigned long long value);
}  // namespace conoid::emulated

#define CONOID_ATOMIC(name, kind)                                                  \
  template <class T>                                                               \
  inline T name(T* p, std::type_identity_t<T> v) {                                 \
    return ::conoid::emulated::atomic(p, v, ::conoid::emulated::AtomicKind::kind); \
  }
CONOID_ATOMIC(atomicAdd, add)
CONOID_ATOMIC(atomicSub, subtract)
CONOID_ATOMIC(atomicExch, exchange)
CONOID_ATOMIC(atomicMin, min)
CONOID_ATOMIC(atomicMax, max)
CONOID_ATOMIC(atomicAnd, bit_and)
CONOID_ATOMIC(atomicOr, bit_or)
CONOID_ATOMIC(atomicXor, bit_xor)
#undef CONOID_ATOMIC
template <class T>
inline T atomicCAS(T* p, std::type_identity_t<T> expected, std::type_identity_t<T> v) {
  return ::conoid::emulated::atomic_swap_if(p, expected, v);
}

// ---- loads, stores and arithmetic with names of their own

#define CONOID_LOAD(name)     \
  template <class T>          \
  inline T name(const T* p) { \
    return *p;                \
  }
CONOID_LOAD(__ldg)
CONOID_LOAD(__ldcs)
CONOID_LOAD(__ldca)
CONOID_LOAD(__ldcg)
CONOID_LOAD(__ldlu)
CONOID_LOAD(__ldcv)
#undef CONOID_LOAD
#define CONOID_STORE(name)                            \
  template <class T>                                  \
  inline void name(T* p, std::type_identity_t<T> v) { \
    *p = v;                                           \
  }
CONOID_STORE(__stcs)
CONOID_STORE(__stcg)
CONOID_STORE(__stwb)
CONOID_STORE(__stwt)
#undef CONOID_STORE

inline int __popc(unsigned v) {
  return std::popcount(v);
}
inline int __popcll(unsigned long long v) {
  return std::popcount(v);
}
inline int __clz(int v) {
  return std::countl_zero(static_cast<unsigned>(v));
}
inline int __ffs(int v) {
  return v == 0 ? 0 : std::countr_zero(static_cast<unsigned>(v)) + 1;
}
inline float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}
inline double __fma_rn(double a, double b, double c) {
  return std::fma(a, b, c);
}
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float __fsqrt_rn(float a) {
  return std::sqrt(a);
}
inline float __frcp_rn(float a) {
  return 1.0F / a;
}
inline float __expf(float a) {
  return std::exp(a);
}
inline float __sinf(float a) {
  return std::sin(a);
}
inline float __cosf(float a) {
  return std::cos(a);
}
inline float rsqrtf(float a) {
  return 1.0F / std::sqrt(a);
}
inline double rsqrt(double a) {
  return 1.0 / std::sqrt(a);
}
inline int __float_as_int(float v) {
  return std::bit_cast<int>(v);
}
inline float __int_as_float(int v) {
  return std::bit_cast<float>(v);
}
inline unsigned __float_as_uint(float v) {
  return std::bit_cast<unsigned>(v);
}
inline float __uint_as_float(unsigned v) {
  return std::bit_cast<float>(v);
}
inline long long __double_as_longlong(double v) {
  return std::bit_cast<long long>(v);
}
inline double __longlong_as_double(long long v) {
  return std::bit_cast<double>(v);
}
inline int __float2int_rn(float v) {
  return static_cast<int>(std::lrint(v));
}
inline int __mul24(int a, int b) {
  return a * b;
}
using std::fabs;
using std::fma;
using std::isfinite;
using std::max;
using std::min;
using std::sqrt;

// ---- asynchronous copies (cuda_pipeline.h)

inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zero_fill = 0,
                                    CONOID_HERE) {
  ::conoid::emulated::async_copy(to, from, bytes - zero_fill, CONOID_PLACE);
  if (zero_fill > 0) std::memset(static_cast<char*>(to) + (bytes - zero_fill), 0, zero_fill);
}
inline void __pipeline_commit() {
  ::conoid::emulated::async_commit();
}
inline void __pipeline_wait_prior(unsigned groups, CONOID_HERE) {
  ::conoid::emulated::async_wait_prior(groups, CONOID_PLACE);
}

// ---- cooperative groups

namespace cooperative_groups {

class thread_block {
 public:
  static void sync(CONOID_HERE) { ::conoid::emulated::block_barrier(CONOID_PLACE); }
  static unsigned thread_rank() { return ::conoid::emulated::builtins.rank; }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static uint3 group_index() { return blockIdx; }
  static uint3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() {
  return {};
}

/// `width` consecutive threads: 1, 2, 4, 8, 16 or 32.
template <unsigned width, class Parent = thread_block>
class thread_block_tile {
  static_assert(width >= 1 && width <= 32 && (width & (width - 1)) == 0, "a tile is 1, 2, 4, 8, 16 or 32 threads");

 public:
  static unsigned thread_rank() { return ::conoid::emulated::builtins.rank % width; }
  static constexpr unsigned size() { return width; }
  static constexpr unsigned num_threads() { return width; }
  static unsigned meta_group_rank() { return ::conoid::emulated::builtins.rank / width; }
  static unsigned meta_group_size() { return (thread_block::size() + width - 1) / width; }
  static void sync(CONOID_HERE) { ::conoid::emulated::warp_barrier(mask(), CONOID_PLACE); }
  template <class T>
  static T shfl(T v, int source, CONOID_HERE) {
    return __shfl_sync(mask(), v, source, width, file, line);
  }
  template <class T>
  static T shfl_up(T v, unsigned delta, CONOID_HERE) {
    return __shfl_up_sync(mask(), v, delta, width, file, line);
  }
  template <class T>
  static T shfl_down(T v, unsigned delta, CONOID_HERE) {
    return __shfl_down_sync(mask(), v, delta, width, file, line);
  }
  template <class T>
  static T shfl_xor(T v, unsigned bits, CONOID_HERE) {
    return __shfl_xor_sync(mask(), v, static_cast<int>(bits), width, file, line);
  }
  static int any(int v, CONOID_HERE) { return __any_sync(mask(), v, file, line); }
  static int all(int v, CONOID_HERE) { return __all_sync(mask(), v, file, line); }
  static unsigned ballot(int v, CONOID_HERE) { return __ballot_sync(mask(), v, file, line) >> first(); }
  static unsigned mask() { return (width == 32 ? 0xffffffffU : (1U << (width % 32)) - 1U) << first(); }

 private:
  static unsigned first() { return ::conoid::emulated::builtins.rank & 31U & ~(width - 1U); }
};
template <unsigned width, class Parent>
inline thread_block_tile<width, Parent> tiled_partition(const Parent&) {
  return {};
}

class grid_group {
 public:
  static void sync(CONOID_HERE) { ::conoid::emulated::grid_barrier(CONOID_PLACE); }
  static bool is_valid() { return ::conoid::emulated::grid_is_cooperative(); }
  static unsigned long long block_rank() {
    return blockIdx.x + static_cast<unsigned long long>(gridDim.x) *
                            (blockIdx.y + static_cast<unsigned long long>(gridDim.y) * blockIdx.z);
  }
  static unsigned long long num_blocks() { return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z; }
  static unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
};
inline grid_group this_grid() {
  return {};
}

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <unsigned width, class Parent, class T, class F>
inline T reduce(const thread_block_tile<width, Parent>& tile, T v, F&& fold, CONOID_HERE) {
  return ::conoid::emulated::warp_fold(tile.mask(), v, fold, CONOID_PLACE);
}

/// All threads of the group call; each copies its share when the group waits.
template <class Group>
inline void memcpy_async(const Group& group, void* to, const void* from, std::size_t bytes, CONOID_HERE) {
  const std::size_t rank = group.thread_rank(), threads = group.size();
  for (std::size_t at = 16 * rank; at < bytes; at += 16 * threads)
    ::conoid::emulated::async_copy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                                   std::min<std::size_t>(16, bytes - at), CONOID_PLACE);
  ::conoid::emulated::async_commit();
}
template <unsigned groups, class Group>
inline void wait_prior(const Group& group, CONOID_HERE) {
  ::conoid::emulated::async_wait_prior(groups, CONOID_PLACE);
  group.sync(file, line);
}
template <class Group>
inline void wait(const Group& group, CONOID_HERE) {
  ::conoid::emulated::async_wait_prior(0, CONOID_PLACE);
  group.sync(file, line);
}

}  // namespace cooperative_groups
