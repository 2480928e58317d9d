// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/vector kernels for registers of 64 bytes, in one precision (summation_avx2.cpp: for shorter registers).
// isas: avx512
// each: float double
//
// A lane is a row. The rows of a group take their past values from one stretch of a_j by a permutation: with
// T_t = (a^{n+t}, a^{n+t+1}, …), the past values of all rows at column d for step g are T_{g−d−high} permuted by high − start.
// They slide through n_g registers as d goes on, so that a column costs one load of values, one permutation, and n_g
// multiply-adds, all of whose terms are wanted but the few zeros that fill up the groups. At the end the sums of a group are
// transposed and added to the rows'.
//
// Reached from cache with rows of 6 to 13 columns, n_g = 8, single precision: 63 % of the multiply-add rate of an EPYC (50 % when
// a group's sums were transposed before the next group was begun: what waits for a sum then fills the processor's queues); the
// rest goes to the permutations that begin and end a group and to mispredicted ends of rows. From memory a core reads 16 GB/s of
// values there, 0.81 of what a copy moves in the same run.
#include <immintrin.h>

#include <algorithm>
#include <cstddef>

#include "engine/solvers/acoustic_bem/kernels/summation.hpp"

namespace conoid::acoustic_bem {
namespace {

template <class Real>
struct Wide;
template <>
struct Wide<float> {
  typedef float values __attribute__((vector_size(64), may_alias));
  typedef int places __attribute__((vector_size(64)));
  static constexpr int lanes = 16;
  static values gather(const float* from, places at) {
    return (values)_mm512_mask_i32gather_ps(__m512{}, 0xffff, (__m512i)at, from, 4);
  }
  static values pick(values a, places at) {
    return (values)_mm512_maskz_permutexvar_ps(0xffff, (__m512i)at, (__m512)a);
  }
  static values pick(values a, places at, values b) {
    return (values)_mm512_permutex2var_ps((__m512)a, (__m512i)at, (__m512)b);
  }
  static values choose(unsigned mask, values no, values yes) {
    return (values)_mm512_mask_mov_ps((__m512)no, static_cast<__mmask16>(mask), (__m512)yes);
  }
  static unsigned at_least(places at, int limit) {
    return _mm512_cmpge_epi32_mask((__m512i)at, _mm512_set1_epi32(limit));
  }
  /// high − min(start, most) of a group's rows.
  static places places_of(const std::uint16_t* start, int most, int high) {
    const __m512i s = _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start)));
    const places p = (places)_mm512_maskz_min_epi32(0xffff, s, _mm512_set1_epi32(most));
    return high - p;
  }
};
template <>
struct Wide<double> {
  typedef double values __attribute__((vector_size(64), may_alias));
  typedef long long places __attribute__((vector_size(64)));
  static constexpr int lanes = 8;
  static values gather(const double* from, places at) {
    return (values)_mm512_mask_i64gather_pd(__m512d{}, 0xff, (__m512i)at, from, 8);
  }
  static values pick(values a, places at) { return (values)_mm512_maskz_permutexvar_pd(0xff, (__m512i)at, (__m512d)a); }
  static values pick(values a, places at, values b) {
    return (values)_mm512_permutex2var_pd((__m512d)a, (__m512i)at, (__m512d)b);
  }
  static values choose(unsigned mask, values no, values yes) {
    return (values)_mm512_mask_mov_pd((__m512d)no, static_cast<__mmask8>(mask), (__m512d)yes);
  }
  static unsigned at_least(places at, int limit) {
    return _mm512_cmpge_epi64_mask((__m512i)at, _mm512_set1_epi64(limit));
  }
  static places places_of(const std::uint16_t* start, int most, int high) {
    const __m512i s = _mm512_maskz_cvtepu16_epi64(0xff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(start)));
    const places p = (places)_mm512_maskz_min_epi64(0xff, s, _mm512_set1_epi64(most));
    return high - p;
  }
};
template <class Real>
using Values = typename Wide<Real>::values;
template <class Real>
using Places = typename Wide<Real>::places;

template <class Real>
inline Values<Real> load(const Real* p) {  // aligned
  return *reinterpret_cast<const Values<Real>*>(p);
}
template <class Real>
inline Values<Real> load_anywhere(const Real* p) {
  Values<Real> v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

/// Some numbers of a row, wherever they lie.
template <class Real, int n>
struct Piece {
  typedef Real type __attribute__((vector_size(n * sizeof(Real)), aligned(sizeof(Real)), may_alias));
};
template <int n, class Real, class V>
inline void add_piece(Real* to, V v) {
  using P = typename Piece<Real, n>::type;
  *reinterpret_cast<P*>(to) += (P)v;
}

/// sums[row][g] += acc[g] of the row's lane, for the first `rows` lanes.
template <class Real, int n>
inline void add_to_rows_one_by_one(const Values<Real>* acc, const std::uint8_t* row, std::size_t rows, Real* sums,
                                   int stride) {
  constexpr int lanes = Wide<Real>::lanes;
  alignas(64) Real out[n * lanes];
  for (int g = 0; g < n; ++g) *reinterpret_cast<Values<Real>*>(out + g * lanes) = acc[g];
  for (std::size_t i = 0; i < rows; ++i) {
    Real* const to = sums + static_cast<std::size_t>(row[i]) * static_cast<std::size_t>(stride);
    for (int g = 0; g < n; ++g) to[g] += out[static_cast<std::size_t>(g * lanes) + i];
  }
}

/// The same for a whole group.
template <class Real, int n>
inline void add_to_rows(const Values<Real>* a, const std::uint8_t* row, Real* sums, int stride) {
  const auto to = [&](int lane) {
    return sums + static_cast<std::size_t>(row[lane]) * static_cast<std::size_t>(stride);
  };
  if constexpr (sizeof(Real) == 4 && (n == 4 || n == 8)) {
    // quad[h][q], block b of four: steps 4h … 4h+3 of lane 4b + q
    Values<float> quad[n / 4][4];
#pragma GCC unroll 2
    for (int h = 0; h < n / 4; ++h) {
      const auto* x = a + 4 * h;
      const auto low01 = __builtin_shufflevector(x[0], x[1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
      const auto high01 =
          __builtin_shufflevector(x[0], x[1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
      const auto low23 = __builtin_shufflevector(x[2], x[3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
      const auto high23 =
          __builtin_shufflevector(x[2], x[3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
      quad[h][0] = __builtin_shufflevector(low01, low23, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      quad[h][1] = __builtin_shufflevector(low01, low23, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
      quad[h][2] = __builtin_shufflevector(high01, high23, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
      quad[h][3] = __builtin_shufflevector(high01, high23, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      if constexpr (n == 8) {
        const auto x =
            __builtin_shufflevector(quad[0][q], quad[1][q], 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
        const auto y = __builtin_shufflevector(quad[0][q], quad[1][q], 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28,
                                               29, 30, 31);
        add_piece<8>(to(q), __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7));
        add_piece<8>(to(4 + q), __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15));
        add_piece<8>(to(8 + q), __builtin_shufflevector(y, y, 0, 1, 2, 3, 4, 5, 6, 7));
        add_piece<8>(to(12 + q), __builtin_shufflevector(y, y, 8, 9, 10, 11, 12, 13, 14, 15));
      } else {
        const auto& x = quad[0][q];
        add_piece<4>(to(q), __builtin_shufflevector(x, x, 0, 1, 2, 3));
        add_piece<4>(to(4 + q), __builtin_shufflevector(x, x, 4, 5, 6, 7));
        add_piece<4>(to(8 + q), __builtin_shufflevector(x, x, 8, 9, 10, 11));
        add_piece<4>(to(12 + q), __builtin_shufflevector(x, x, 12, 13, 14, 15));
      }
    }
  } else if constexpr (sizeof(Real) == 8 && (n == 4 || n == 8)) {
    // four[h][q]: steps 4h … 4h+3 of lane q, then of lane q + 4
    Values<double> four[n / 4][4];
#pragma GCC unroll 2
    for (int h = 0; h < n / 4; ++h) {
      const auto* x = a + 4 * h;
      const auto even01 = __builtin_shufflevector(x[0], x[1], 0, 8, 2, 10, 4, 12, 6, 14);
      const auto odd01 = __builtin_shufflevector(x[0], x[1], 1, 9, 3, 11, 5, 13, 7, 15);
      const auto even23 = __builtin_shufflevector(x[2], x[3], 0, 8, 2, 10, 4, 12, 6, 14);
      const auto odd23 = __builtin_shufflevector(x[2], x[3], 1, 9, 3, 11, 5, 13, 7, 15);
      four[h][0] = __builtin_shufflevector(even01, even23, 0, 1, 8, 9, 4, 5, 12, 13);
      four[h][1] = __builtin_shufflevector(odd01, odd23, 0, 1, 8, 9, 4, 5, 12, 13);
      four[h][2] = __builtin_shufflevector(even01, even23, 2, 3, 10, 11, 6, 7, 14, 15);
      four[h][3] = __builtin_shufflevector(odd01, odd23, 2, 3, 10, 11, 6, 7, 14, 15);
    }
#pragma GCC unroll 4
    for (int q = 0; q < 4; ++q) {
      if constexpr (n == 8) {
        add_piece<8>(to(q), __builtin_shufflevector(four[0][q], four[1][q], 0, 1, 2, 3, 8, 9, 10, 11));
        add_piece<8>(to(q + 4), __builtin_shufflevector(four[0][q], four[1][q], 4, 5, 6, 7, 12, 13, 14, 15));
      } else {
        add_piece<4>(to(q), __builtin_shufflevector(four[0][q], four[0][q], 0, 1, 2, 3));
        add_piece<4>(to(q + 4), __builtin_shufflevector(four[0][q], four[0][q], 4, 5, 6, 7));
      }
    }
  } else {
    add_to_rows_one_by_one<Real, n>(a, row, Wide<Real>::lanes, sums, stride);
  }
}

/// The past values of a group's rows, which lie in the stretch from T on. `reach`: registers over which their starts spread, 0
/// for any.
template <class Real, int reach>
struct Window {
  Places<Real> places;
  unsigned far = 0;  ///< lanes in the second half

  Values<Real> at(const Real* T) const {
    using W = Wide<Real>;
    if constexpr (reach == 0) return W::gather(T, places);
    if constexpr (reach == 1) return W::pick(load_anywhere(T), places);
    const Values<Real> near = W::pick(load_anywhere(T), places, load_anywhere(T + W::lanes));
    if constexpr (reach <= 2) return near;
    return W::choose(far, near, W::pick(load_anywhere(T + 2 * W::lanes), places, load_anywhere(T + 3 * W::lanes)));
  }
};

/// Sums of a group that wait to be added to the rows'. The next group is computed first: by then these are ready, and
/// transposing them holds nothing up.
template <class Real, int steps>
struct Waiting {
  static constexpr int block = std::min(steps, 8);
  Values<Real> acc[block]{};
  const std::uint8_t* row = nullptr;
  std::size_t rows = 0;  ///< from `row` on; more than a group's mean a whole group
  Real* sums = nullptr;
  __attribute__((always_inline)) void add() const {
    if (rows >= static_cast<std::size_t>(Wide<Real>::lanes))
      add_to_rows<Real, block>(acc, row, sums, steps);
    else
      add_to_rows_one_by_one<Real, block>(acc, row, rows, sums, steps);
  }
};

/// One group. `ahead`: how far from its values those are that are meanwhile asked for into the second-level cache; the first
/// one, kept for sums, gets the next few only.
template <class Real, int steps, int reach>
inline void add_group(const PanelView<Real>& p, const RowGroup group, std::size_t first, const Real* const v,
                      Real* sums, std::ptrdiff_t ahead, Waiting<Real, steps>& waiting) {
  using W = Wide<Real>;
  constexpr int lanes = W::lanes, block = std::min(steps, 8);
  constexpr std::ptrdiff_t near = 1536;  // bytes
  const int columns = group.columns;
  Window<Real, reach> window{W::places_of(p.start + first, p.last - columns + 1, group.high)};
  if constexpr (reach == 4) window.far = W::at_least(window.places, 2 * lanes);
  for (int b = 0; b < steps; b += block) {
    // Few steps: two sums a step, for columns in turn, so that the next column need not wait for this one's products.
    constexpr int chains = block < 8 ? 2 : 1;
    Values<Real> acc[chains][block]{}, w[block];
    const Real* T = p.past + (b - group.high);
#pragma GCC unroll 8
    for (int g = 1; g < block; ++g) w[g] = window.at(T + g);
    const Real* u = v;
    const auto column = [&](auto k) __attribute__((always_inline)) {
      // Step g of column d needs what column d − 1 needed for step g − 1.
      w[(8 * block - k) % block] = window.at(T - k);
      const Values<Real> m = load(u + k * lanes);
      if (b == 0) {
        const char* const here = reinterpret_cast<const char*>(u + k * lanes);
        __builtin_prefetch(here + ahead, 0, 2);
        __builtin_prefetch(here + near, 0, 3);
      }
#pragma GCC unroll 8
      for (int g = 0; g < block; ++g) acc[k % chains][g] += m * w[(8 * block + g - k) % block];
    };
    constexpr int round = block < 4 ? 4 : block;
    int left = columns;
    for (; left >= round; left -= round, u += round * lanes, T -= round) {
#pragma GCC unroll 8
      for (int k = 0; k < round; ++k) column(k);
    }
#pragma GCC unroll 8
    for (int k = 0; k < round - 1; ++k) {
      if (k >= left) break;
      column(k);
    }
    if constexpr (chains == 2)
      for (int g = 0; g < block; ++g) acc[0][g] += acc[1][g];
    waiting.add();
    for (int g = 0; g < block; ++g) waiting.acc[g] = acc[0][g];
    waiting.row = p.row + first;
    waiting.rows = p.rows - first;
    waiting.sums = sums + b;
  }
}

/// Asks for the structure and the past of the next panel.
inline void fetch(const void* p, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; k += 64) __builtin_prefetch(static_cast<const char*>(p) + k, 0, 3);
}

template <class Real, int steps>
void add_panels(const PanelView<Real>* panels, std::size_t count, Real* sums) {
  constexpr int lanes = Wide<Real>::lanes;
  constexpr std::ptrdiff_t far = 16384;  // bytes
  // Values are asked for in the order of the panels, wherever the next ones lie.
  const char *asked = nullptr, *asked_end = nullptr;
  std::size_t asked_panel = 0;
  const auto ask_in = [&](const PanelView<Real>& p, std::ptrdiff_t at) {
    asked = reinterpret_cast<const char*>(p.values) + at;
    asked_end = reinterpret_cast<const char*>(p.values + p.stored);
  };
  if (count > 0) ask_in(panels[0], far);
  Waiting<Real, steps> waiting;
  for (std::size_t j = 0; j < count; ++j) {
    const PanelView<Real>& p = panels[j];
    if (j + 1 < count) {
      const PanelView<Real>& next = panels[j + 1];
      fetch(next.groups, sizeof(RowGroup) * (next.rows / lanes + 1));
      fetch(next.start, 2 * static_cast<std::size_t>(next.rows));
      fetch(next.row, next.rows);
      fetch(next.past - next.last, sizeof(Real) * static_cast<std::size_t>(next.last - next.first + steps));
    }
    Real* const to = sums + p.sums;
    const Real* v = p.values;
    for (std::size_t first = 0; first < p.rows; first += lanes) {
      const RowGroup group = p.groups[first / lanes];
      while (asked >= asked_end && asked_panel + 1 < count) ask_in(panels[++asked_panel], asked - asked_end);
      const std::ptrdiff_t ahead = asked - reinterpret_cast<const char*>(v);
      asked += static_cast<std::ptrdiff_t>(sizeof(Values<Real>)) * group.columns;
      const int spread = group.high - group.low;
      if (spread < lanes)
        add_group<Real, steps, 1>(p, group, first, v, to, ahead, waiting);
      else if (spread < 2 * lanes)
        add_group<Real, steps, 2>(p, group, first, v, to, ahead, waiting);
      else if (spread < 4 * lanes)
        add_group<Real, steps, 4>(p, group, first, v, to, ahead, waiting);
      else
        add_group<Real, steps, 0>(p, group, first, v, to, ahead, waiting);
      v += static_cast<std::ptrdiff_t>(lanes) * group.columns;
    }
  }
  waiting.add();
}

template <class Real, int steps>
constexpr SummationKernel<Real> make_kernel() {
  return {steps, add_panels<Real, steps>};
}
template <class Real>
constexpr SummationTable<Real> make_table() {
  return {{make_kernel<Real, 1>(), make_kernel<Real, 2>(), make_kernel<Real, 4>(), make_kernel<Real, 8>(),
           make_kernel<Real, 16>(), make_kernel<Real, 32>()}};
}

}  // namespace

extern const SummationTable<CONOID_EACH> CONOID_ISA_NAME(summation);
const SummationTable<CONOID_EACH> CONOID_ISA_NAME(summation) = make_table<CONOID_EACH>();

}  // namespace conoid::acoustic_bem
