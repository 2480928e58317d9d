// SPDX-License-Identifier: BSD-3-Clause
// Body of the multi-vectors/vector kernels for one instruction set; CONOID_BYTES (32 or 64) is the register's width.
//
// A register holds c = lanes/n_g consecutive columns of n_g steps: lane g·c + e takes v[d+e]·a^{n+g−(start+d+e)}. The past
// values are spread beforehand into a table E with one aligned register a column, so that a product of c·n_g terms is one
// broadcast load of c matrix values and one multiply-add with a load. Accumulators keep the c parts apart until all slices
// are added. From cache the kernel is limited by its two loads a product; from memory by the matrix values, each read once
// for 2·n_g flops.
#include <immintrin.h>

#include <cstddef>
#include <type_traits>

#include "engine/solvers/acoustic_bem/kernels/summation.hpp"

namespace conoid::acoustic_bem {
namespace {

template <class Real>
struct Lanes {
  static constexpr int count = CONOID_BYTES / static_cast<int>(sizeof(Real));
  typedef Real type __attribute__((vector_size(CONOID_BYTES)));
};
template <class Real>
using vr = typename Lanes<Real>::type;

template <class Real>
inline vr<Real> load(const Real* p) {
  vr<Real> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class Real>
inline void store(Real* p, vr<Real> v) {
  __builtin_memcpy(p, &v, sizeof v);
}

/// c values repeated over the register.
#if CONOID_BYTES == 64
template <int c>
inline vr<float> spread(const float* v) {
  if constexpr (c == 1) return vr<float>{} + *v;
  if constexpr (c == 2) {
    double pair;
    __builtin_memcpy(&pair, v, 8);
    return (vr<float>)_mm512_set1_pd(pair);
  }
  if constexpr (c == 4) return (vr<float>)_mm512_maskz_broadcast_f32x4(0xffff, _mm_loadu_ps(v));
  if constexpr (c == 8) return (vr<float>)_mm512_maskz_broadcast_f32x8(0xffff, _mm256_loadu_ps(v));
  return load(v);
}
template <int c>
inline vr<double> spread(const double* v) {
  if constexpr (c == 1) return vr<double>{} + *v;
  if constexpr (c == 2) return (vr<double>)_mm512_maskz_broadcast_f64x2(0xff, _mm_loadu_pd(v));
  if constexpr (c == 4) return (vr<double>)_mm512_maskz_broadcast_f64x4(0xff, _mm256_loadu_pd(v));
  return load(v);
}
/// The first `rest` < c values repeated, zeros for the others.
template <int c>
inline vr<float> spread_rest(const float* v, int rest) {
  const auto mask = static_cast<unsigned>((1U << rest) - 1);
  if constexpr (c == 2) return (vr<float>)_mm512_maskz_broadcastsd_pd(0xff, _mm_castps_pd(_mm_load_ss(v)));
  if constexpr (c == 4)
    return (vr<float>)_mm512_maskz_broadcast_f32x4(0xffff, _mm_maskz_loadu_ps(static_cast<__mmask8>(mask), v));
  if constexpr (c == 8)
    return (vr<float>)_mm512_maskz_broadcast_f32x8(0xffff, _mm256_maskz_loadu_ps(static_cast<__mmask8>(mask), v));
  return (vr<float>)_mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), v);
}
template <int c>
inline vr<double> spread_rest(const double* v, int rest) {
  const auto mask = static_cast<__mmask8>((1U << rest) - 1);
  if constexpr (c == 2) return (vr<double>)_mm512_maskz_broadcast_f64x2(0xff, _mm_load_sd(v));
  if constexpr (c == 4) return (vr<double>)_mm512_maskz_broadcast_f64x4(0xff, _mm256_maskz_loadu_pd(mask, v));
  return (vr<double>)_mm512_maskz_loadu_pd(mask, v);
}
#else
template <int c>
inline vr<float> spread(const float* v) {
  if constexpr (c == 1) return vr<float>{} + *v;
  if constexpr (c == 2) {
    double pair;
    __builtin_memcpy(&pair, v, 8);
    return (vr<float>)_mm256_set1_pd(pair);
  }
  if constexpr (c == 4) {
    const __m128 four = _mm_loadu_ps(v);
    return (vr<float>)_mm256_broadcast_ps(&four);
  }
  return load(v);
}
template <int c>
inline vr<double> spread(const double* v) {
  if constexpr (c == 1) return vr<double>{} + *v;
  if constexpr (c == 2) {
    const __m128d two = _mm_loadu_pd(v);
    return (vr<double>)_mm256_broadcast_pd(&two);
  }
  return load(v);
}
template <int c, class Real>
inline vr<Real> spread_rest(const Real* v, int rest) {
  Real padded[c] = {};
  for (int k = 0; k < rest; ++k) padded[k] = v[k];
  return spread<c>(padded);
}
#endif

template <class Real, int steps>
struct Shape {
  static constexpr int lanes = Lanes<Real>::count;
  static constexpr int c = steps < lanes ? lanes / steps : 1;  ///< columns a register
  static constexpr int registers = steps > lanes ? steps / lanes : 1;
  static constexpr int width = lanes * registers;
};

/// E[x − first], lane g·c + e: past[g − x − e].
template <class Real, int steps>
inline void build_table(const PanelView<Real>& p, Real* table) {
  using S = Shape<Real, steps>;
  if constexpr (S::c == 1) {
    for (int x = p.first; x <= p.last; ++x, table += S::width)
      for (int r = 0; r < S::registers; ++r) store(table + r * S::lanes, load(p.past - x + r * S::lanes));
  } else {
    using Integer = std::conditional_t<sizeof(Real) == 4, int, long long>;
    typedef Integer vx __attribute__((vector_size(CONOID_BYTES)));
    vx index{};
    for (int k = 0; k < S::lanes; ++k) index[k] = k / S::c - k % S::c + S::c - 1;
    for (int x = p.first; x <= p.last; ++x, table += S::width)
      store(table, __builtin_shuffle(load(p.past - x - (S::c - 1)), index));
  }
}

/// Asks for the matrix values a distance ahead of their use, across the border to the next slice's panel, and for that
/// panel's structure and past: pieces of a few kilobytes are too short for the processor to find the stream by itself.
class Ahead {
 public:
  template <class Real>
  Ahead(const PanelView<Real>& now, const PanelView<Real>* next) {
    std::size_t bytes = 0, rows = 0;
    for (std::size_t r = 0; r < now.run_count; ++r) {
      bytes += sizeof(Real) * now.runs[r].length * now.runs[r].count;
      rows += now.runs[r].count;
    }
    end_ = reinterpret_cast<const char*>(now.values) + bytes;
    if (next == nullptr) return;
    jump_ = reinterpret_cast<const char*>(next->values) - end_;
    lines(next->runs, 128);
    lines(next->start, 2 * rows);
    lines(next->row, rows);
    lines(next->past - next->last, sizeof(Real) * static_cast<std::size_t>(next->last - next->first + 8));
  }
  /// Lines that will be used a distance after `v`.
  void fetch(const void* v, std::size_t bytes) const {
    const char* q = static_cast<const char*>(v) + distance;
    if (q >= end_) q += jump_;
    for (std::size_t k = 0; k < bytes; k += line) __builtin_prefetch(q + k, 0, 3);
  }

 private:
  static constexpr std::size_t distance = 6144, line = 64;
  static void lines(const void* p, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; k += line) __builtin_prefetch(static_cast<const char*>(p) + k, 0, 3);
  }
  const char* end_ = nullptr;
  std::ptrdiff_t jump_ = 0;  ///< from the end of this panel to the next slice's
};

/// One run: rows of `full` whole registers and `rest` columns more. `full` < 0: taken from the argument.
template <class Real, int steps, int full, bool ragged>
inline const Real* add_run(const PanelView<Real>& p, std::size_t begin, std::size_t count, int chunks, int rest,
                           const Real* v, const Real* table, Real* sums, const Ahead& ahead) {
  using S = Shape<Real, steps>;
  const int n = full >= 0 ? full : chunks;
  for (std::size_t k = begin; k < begin + count; ++k) {
    ahead.fetch(v, sizeof(Real) * static_cast<std::size_t>(n * S::c));
    Real* const to = sums + static_cast<std::size_t>(p.row[k]) * S::width;
    const Real* e = table + static_cast<std::size_t>(p.start[k] - p.first) * S::width;
    vr<Real> acc[S::registers];
    for (int r = 0; r < S::registers; ++r) acc[r] = load(to + r * S::lanes);
    for (int d = 0; d < n; ++d, v += S::c, e += S::c * S::width) {
      const vr<Real> m = spread<S::c>(v);
      for (int r = 0; r < S::registers; ++r) acc[r] += m * load(e + r * S::lanes);
    }
    if constexpr (ragged) {
      acc[0] += spread_rest<S::c>(v, rest) * load(e);
      v += rest;
    }
    for (int r = 0; r < S::registers; ++r) store(to + r * S::lanes, acc[r]);
  }
  return v;
}

#if CONOID_BYTES == 64
/// `rows` rows at once: their chains of multiply-adds are interleaved, so that none waits in the scheduler.
template <int steps, int chunks, int rows>
inline const float* add_short_rows(const PanelView<float>& p, std::size_t k, __mmask16 mask, int length, const float* v,
                                   const __m512i* index, const float* table, float* sums) {
  using S = Shape<float, steps>;
  float* to[rows];
  const float* e[rows];
  __m512 all[rows];
  vr<float> acc[rows][S::registers];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
    to[i] = sums + static_cast<std::size_t>(p.row[k + static_cast<std::size_t>(i)]) * S::width;
    e[i] = table + static_cast<std::size_t>(p.start[k + static_cast<std::size_t>(i)]) * S::width;
    all[i] = _mm512_maskz_loadu_ps(mask, v + i * length);
#pragma GCC unroll 2
    for (int r = 0; r < S::registers; ++r) acc[i][r] = load(to[i] + r * S::lanes);
  }
#pragma GCC unroll 16
  for (int d = 0; d < chunks; ++d) {
    const bool broadcast = S::c == 1 && S::registers == 1 && d % 3 == 2;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) {
      const vr<float> m = broadcast ? vr<float>{} + v[i * length + d]
                                    : (vr<float>)_mm512_maskz_permutexvar_ps(0xffff, index[d], all[i]);
#pragma GCC unroll 2
      for (int r = 0; r < S::registers; ++r) acc[i][r] += m * load(e[i] + d * S::c * S::width + r * S::lanes);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i)
#pragma GCC unroll 2
    for (int r = 0; r < S::registers; ++r) store(to[i] + r * S::lanes, acc[i][r]);
  return v + rows * length;
}

/// One run of rows of at most 16 columns in single precision: a row's values are loaded once, masked to its length, and
/// spread by permutes. That moves work from the load ports to the arithmetic ones; with one column a register every third
/// value still comes by a broadcast load, which balances the two.
template <int steps, int chunks>
inline const float* add_short_run(const PanelView<float>& p, std::size_t begin, std::size_t count, int length,
                                  const float* v, const float* table, float* sums, const Ahead& ahead) {
  using S = Shape<float, steps>;
  constexpr int rows = S::registers > 1 ? 2 : 4;
  const auto mask = static_cast<__mmask16>((1U << length) - 1);
  __m512i index[chunks];
  for (int d = 0; d < chunks; ++d) {
    alignas(64) int lane[16];
    for (int k = 0; k < 16; ++k) lane[k] = d * S::c + k % S::c;
    index[d] = _mm512_load_si512(lane);
  }
  const PanelView<float> local = p;  // a copy: stores to the sums cannot change it
  table -= static_cast<std::size_t>(local.first) * S::width;
  std::size_t k = begin;
  const Ahead stream = ahead;
  for (; k + rows <= begin + count; k += rows) {
    stream.fetch(v, sizeof(float) * static_cast<std::size_t>(rows * length));
    v = add_short_rows<steps, chunks, rows>(local, k, mask, length, v, index, table, sums);
  }
  for (; k < begin + count; ++k)
    v = add_short_rows<steps, chunks, 1>(local, k, mask, length, v, index, table, sums);
  return v;
}

template <int steps>
inline const float* add_short_run_of(const PanelView<float>& p, std::size_t begin, std::size_t count, int length,
                                     const float* v, const float* table, float* sums, const Ahead& ahead) {
  switch ((length + Shape<float, steps>::c - 1) / Shape<float, steps>::c) {
#define CONOID_CASE(n)                                    \
  case n:                                                 \
    if constexpr (n * Shape<float, steps>::c < 16 + Shape<float, steps>::c) \
      return add_short_run<steps, n>(p, begin, count, length, v, table, sums, ahead); \
    break;
    CONOID_CASE(1)
    CONOID_CASE(2)
    CONOID_CASE(3)
    CONOID_CASE(4)
    CONOID_CASE(5)
    CONOID_CASE(6)
    CONOID_CASE(7)
    CONOID_CASE(8)
    CONOID_CASE(9)
    CONOID_CASE(10)
    CONOID_CASE(11)
    CONOID_CASE(12)
    CONOID_CASE(13)
    CONOID_CASE(14)
    CONOID_CASE(15)
    CONOID_CASE(16)
#undef CONOID_CASE
    default:
      break;
  }
  return v;
}
#endif

template <class Real, int steps, bool ragged>
inline const Real* add_run_of(const PanelView<Real>& p, std::size_t begin, std::size_t count, int chunks, int rest,
                              const Real* v, const Real* table, Real* sums, const Ahead& ahead) {
  switch (chunks) {
#define CONOID_CASE(n) \
  case n:              \
    return add_run<Real, steps, n, ragged>(p, begin, count, chunks, rest, v, table, sums, ahead);
    CONOID_CASE(1)
    CONOID_CASE(2)
    CONOID_CASE(3)
    CONOID_CASE(4)
    CONOID_CASE(5)
    CONOID_CASE(6)
    CONOID_CASE(7)
    CONOID_CASE(8)
#undef CONOID_CASE
    default:
      return add_run<Real, steps, -1, ragged>(p, begin, count, chunks, rest, v, table, sums, ahead);
  }
}

template <class Real, int steps>
void add_panels(const PanelView<Real>* panels, std::size_t count, Real* sums, Real* scratch) {
  using S = Shape<Real, steps>;
  for (std::size_t j = 0; j < count; ++j) {
    const PanelView<Real>& p = panels[j];
    const Ahead ahead(p, j + 1 < count ? panels + j + 1 : nullptr);
    build_table<Real, steps>(p, scratch);
    Real* const to = sums + p.sums;
    const Real* v = p.values;
    std::size_t at = 0;
    for (std::size_t r = 0; r < p.run_count; ++r) {
      if (p.runs[r].length == 0) {
        at += p.runs[r].count;
        continue;
      }
#if CONOID_BYTES == 64
      if constexpr (sizeof(Real) == 4)
        if (p.runs[r].length <= 16) {
          v = add_short_run_of<steps>(p, at, p.runs[r].count, p.runs[r].length, v, scratch, to, ahead);
          at += p.runs[r].count;
          continue;
        }
#endif
      const int chunks = p.runs[r].length / S::c, rest = p.runs[r].length % S::c;
      if constexpr (S::c > 1) {
        if (rest > 0) {
          v = add_run_of<Real, steps, true>(p, at, p.runs[r].count, chunks, rest, v, scratch, to, ahead);
          at += p.runs[r].count;
          continue;
        }
      }
      v = add_run_of<Real, steps, false>(p, at, p.runs[r].count, chunks, rest, v, scratch, to, ahead);
      at += p.runs[r].count;
    }
  }
}

template <class Real, int steps>
void reduce_sums(const Real* sums, std::size_t rows, Real* out) {
  using S = Shape<Real, steps>;
  for (std::size_t i = 0; i < rows; ++i)
    for (int g = 0; g < steps; ++g) {
      Real s = 0;
      for (int e = 0; e < S::c; ++e) s += sums[i * S::width + static_cast<std::size_t>(g * S::c + e)];
      out[i * steps + static_cast<std::size_t>(g)] = s;
    }
}

template <class Real, int steps>
constexpr SummationKernel<Real> make_kernel() {
  return {steps, Shape<Real, steps>::width, add_panels<Real, steps>, reduce_sums<Real, steps>};
}
template <class Real>
constexpr SummationTable<Real> make_table() {
  return {{make_kernel<Real, 1>(), make_kernel<Real, 2>(), make_kernel<Real, 4>(), make_kernel<Real, 8>(),
           make_kernel<Real, 16>(), make_kernel<Real, 32>()}};
}

}  // namespace
}  // namespace conoid::acoustic_bem
