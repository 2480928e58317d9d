// SPDX-License-Identifier: BSD-3-Clause
// Multi-vectors/vector kernels for registers of 32 bytes: row by row, the n_g sums of a row side by side.
//
// Each value is spread over a register and meets the past values of n_g steps, which lie one behind the other. Limited by the
// loads: two for each multiply-add of up to eight (four) numbers.
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
void add_panels(const PanelView<Real>* panels, std::size_t count, Real* sums, Real*) {
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

template <class Real, int steps>
constexpr SummationKernel<Real> make_kernel() {
  return {steps, add_panels<Real, steps>};
}
template <class Real>
constexpr SummationTable<Real> make_table() {
  return {{make_kernel<Real, 1>(), make_kernel<Real, 2>(), make_kernel<Real, 4>(), make_kernel<Real, 8>(), make_kernel<Real, 16>(),
           make_kernel<Real, 32>()}};
}

}  // namespace

extern const SummationTable<float> summation_float_avx2;
extern const SummationTable<double> summation_double_avx2;
const SummationTable<float> summation_float_avx2 = make_table<float>();
const SummationTable<double> summation_double_avx2 = make_table<double>();

}  // namespace conoid::acoustic_bem
