// SPDX-License-Identifier: BSD-3-Clause
// Multi-vectors/vector kernels for registers of 32 bytes.
//
// n_g ≥ 4: row by row, the n_g sums of a row side by side. Each value is spread over a register and meets the past values of
// n_g steps, which lie one behind the other. Limited by the loads: two for each multiply-add of up to eight (four) numbers.
//
// n_g ≤ 2, where that would leave most of a register empty: a lane is a row, as in summation_isa.inl. Half a group of rows takes
// its past values from one stretch of a_j by a permutation, or two, or a gather where starts spread far.
#include <immintrin.h>

#include <algorithm>
#include <cstddef>

#include "engine/solvers/acoustic_bem/kernels/summation.hpp"

namespace conoid::acoustic_bem {
namespace {

template <class Real, int lanes>
struct Register {
  typedef Real type __attribute__((vector_size(lanes * sizeof(Real)), aligned(sizeof(Real)), may_alias));
};

template <class Real, int steps>
void add_rows(const PanelView<Real>* panels, std::size_t count, Real* sums) {
  constexpr std::size_t group_size = group_lanes<Real>;
  constexpr int lanes = std::min(steps, static_cast<int>(32 / sizeof(Real)));
  constexpr int registers = steps / lanes;
  using V = typename Register<Real, lanes>::type;
  for (const PanelView<Real>* p = panels; p != panels + count; ++p) {
    const Real* v = p->values;
    for (std::size_t first = 0; first < p->rows; first += group_size) {
      const RowGroup group = p->groups[first / group_size];
      const std::size_t end = std::min<std::size_t>(first + group_size, p->rows);
      for (std::size_t k = first; k < end; ++k) {
        V* const sum = reinterpret_cast<V*>(sums + p->sums + static_cast<std::size_t>(p->row[k]) * steps);
        const Real* past = p->past - stored_start(p->start[k], group.columns, p->last);
        const Real* value = v + (k - first);
        V acc[registers];
        for (int r = 0; r < registers; ++r) acc[r] = sum[r];
        for (int d = 0; d < group.columns; ++d, --past, value += group_size)
          for (int r = 0; r < registers; ++r) acc[r] += *value * *reinterpret_cast<const V*>(past + r * lanes);
        for (int r = 0; r < registers; ++r) sum[r] = acc[r];
      }
      v += group_size * group.columns;
    }
  }
}

template <class Real>
struct Wide;
template <>
struct Wide<float> {
  using values = Register<float, 8>::type;
  static constexpr int lanes = 8;
  __m256i places;  ///< of each lane in the stretch
  __m256 far;      ///< sign: in its second half
  /// high − min(start, most) of eight rows.
  Wide(const std::uint16_t* start, int most, int high) {
    const __m256i s = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(start)));
    places = _mm256_sub_epi32(_mm256_set1_epi32(high), _mm256_min_epi32(s, _mm256_set1_epi32(most)));
    far = _mm256_castsi256_ps(_mm256_slli_epi32(places, 28));
  }
  [[nodiscard]] values pick(const float* t) const {
    return (values)_mm256_permutevar8x32_ps(_mm256_loadu_ps(t), places);
  }
  [[nodiscard]] values pick_two(const float* t) const {
    return (values)_mm256_blendv_ps((__m256)pick(t), (__m256)pick(t + 8), far);
  }
  [[nodiscard]] values gather(const float* t) const {
    return (values)_mm256_mask_i32gather_ps(_mm256_setzero_ps(), t, places, _mm256_castsi256_ps(_mm256_set1_epi32(-1)),
                                            4);
  }
};
template <>
struct Wide<double> {
  using values = Register<double, 4>::type;
  static constexpr int lanes = 4;
  __m128i places;
  __m256i words;  ///< the places of both halves of each lane
  __m256d far;
  Wide(const std::uint16_t* start, int most, int high) {
    const __m128i s = _mm_cvtepu16_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(start)));
    places = _mm_sub_epi32(_mm_set1_epi32(high), _mm_min_epi32(s, _mm_set1_epi32(most)));
    const __m256i twice = _mm256_slli_epi64(_mm256_cvtepu32_epi64(places), 1);
    words = _mm256_or_si256(twice, _mm256_slli_epi64(_mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32));
    far = _mm256_castsi256_pd(_mm256_slli_epi64(twice, 60));
  }
  [[nodiscard]] values pick(const double* t) const {
    return (values)_mm256_permutevar8x32_ps(_mm256_castpd_ps(_mm256_loadu_pd(t)), words);
  }
  [[nodiscard]] values pick_two(const double* t) const {
    return (values)_mm256_blendv_pd((__m256d)pick(t), (__m256d)pick(t + 4), far);
  }
  [[nodiscard]] values gather(const double* t) const {
    return (values)_mm256_mask_i32gather_pd(_mm256_setzero_pd(), t, places, _mm256_castsi256_pd(_mm256_set1_epi32(-1)),
                                            8);
  }
};

/// Half a group: its rows from `first` on, their values from v on. `reach`: registers over which their starts spread, 0 for any.
template <class Real, int steps, int reach>
inline void add_half(const PanelView<Real>& p, const RowGroup group, std::size_t first, const Real* v, Real* sums) {
  using W = Wide<Real>;
  using V = typename W::values;
  constexpr int lanes = W::lanes;
  constexpr std::size_t group_size = group_lanes<Real>;
  const W wide(p.start + first, p.last - group.columns + 1, group.high);
  const auto past = [&](const Real* t) __attribute__((always_inline)) {
    if constexpr (reach == 0) return wide.gather(t);
    if constexpr (reach == 1) return wide.pick(t);
    return wide.pick_two(t);
  };
  // Two sums a step, for columns in turn: the next column need not wait for this one's products.
  V acc[steps]{}, more[steps]{}, w[steps];
  const Real* t = p.past - group.high;
  for (int g = 1; g < steps; ++g) w[g] = past(t + g);
  const auto column = [&](int k) __attribute__((always_inline)) {
    w[(4 * steps - k) % steps] = past(t - k);
    const V m = *reinterpret_cast<const V*>(v + static_cast<std::size_t>(k) * group_size);
    for (int g = 0; g < steps; ++g) (k % 2 == 0 ? acc : more)[g] += m * w[(4 * steps + g - k) % steps];
  };
  int left = group.columns;
  for (; left >= 4; left -= 4, v += 4 * group_size, t -= 4) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) column(k);
  }
#pragma GCC unroll 3
  for (int k = 0; k < 3; ++k) {
    if (k >= left) break;
    column(k);
  }
  alignas(32) Real out[steps][lanes];
  for (int g = 0; g < steps; ++g) *reinterpret_cast<V*>(out[g]) = acc[g] + more[g];
  const std::size_t rows = std::min<std::size_t>(lanes, p.rows - first);
  for (std::size_t i = 0; i < rows; ++i) {
    Real* const to = sums + p.sums + static_cast<std::size_t>(p.row[first + i]) * steps;
    for (int g = 0; g < steps; ++g) to[g] += out[g][i];
  }
}

template <class Real, int steps>
void add_columns(const PanelView<Real>* panels, std::size_t count, Real* sums) {
  constexpr int lanes = Wide<Real>::lanes;
  constexpr std::size_t group_size = group_lanes<Real>;
  for (const PanelView<Real>* p = panels; p != panels + count; ++p) {
    const Real* v = p->values;
    for (std::size_t first = 0; first < p->rows; first += group_size) {
      const RowGroup group = p->groups[first / group_size];
      const int spread = group.high - group.low;
      for (std::size_t half = 0; half < group_size && first + half < p->rows; half += lanes) {
        if (spread < lanes)
          add_half<Real, steps, 1>(*p, group, first + half, v + half, sums);
        else if (spread < 2 * lanes)
          add_half<Real, steps, 2>(*p, group, first + half, v + half, sums);
        else
          add_half<Real, steps, 0>(*p, group, first + half, v + half, sums);
      }
      v += group_size * group.columns;
    }
  }
}

template <class Real, int steps>
constexpr SummationKernel<Real> make_kernel() {
  if constexpr (steps <= 2)
    return {steps, add_columns<Real, steps>};
  else
    return {steps, add_rows<Real, steps>};
}
template <class Real>
constexpr SummationTable<Real> make_table() {
  return {{make_kernel<Real, 1>(), make_kernel<Real, 2>(), make_kernel<Real, 4>(), make_kernel<Real, 8>(),
           make_kernel<Real, 16>(), make_kernel<Real, 32>()}};
}

}  // namespace

extern const SummationTable<float> summation_float_avx2;
extern const SummationTable<double> summation_double_avx2;
const SummationTable<float> summation_float_avx2 = make_table<float>();
const SummationTable<double> summation_double_avx2 = make_table<double>();

}  // namespace conoid::acoustic_bem
