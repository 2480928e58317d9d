// SPDX-License-Identifier: BSD-3-Clause
// The multi-vectors/vector product in plain loops: what the SIMD kernels must equal; and the choice between them.
#include "engine/core/error.hpp"
#include "engine/simd/instruction_set.hpp"
#include "engine/solvers/acoustic_bem/kernels/summation.hpp"

namespace conoid::acoustic_bem {
namespace {

template <class Real, int steps>
void add_panels(const PanelView<Real>* panels, std::size_t count, Real* sums) {
  constexpr std::size_t lanes = group_lanes<Real>;
  for (const PanelView<Real>* p = panels; p != panels + count; ++p) {
    const Real* v = p->values;
    for (std::size_t first = 0; first < p->rows; first += lanes) {
      const RowGroup& group = p->groups[first / lanes];
      for (std::size_t k = first; k < first + lanes && k < p->rows; ++k) {
        Real* const sum = sums + p->sums + static_cast<std::size_t>(p->row[k]) * steps;
        const int start = stored_start(p->start[k], group.columns, p->last);
        for (int d = 0; d < group.columns; ++d)
          for (int g = 0; g < steps; ++g)
            sum[g] += v[static_cast<std::size_t>(d) * lanes + (k - first)] * p->past[g - (start + d)];
      }
      v += lanes * group.columns;
    }
  }
}

template <class Real, int steps>
constexpr SummationKernel<Real> make_kernel() {
  return {steps, add_panels<Real, steps>};
}
template <class Real>
const SummationTable<Real> reference_table{{make_kernel<Real, 1>(), make_kernel<Real, 2>(), make_kernel<Real, 4>(),
                                            make_kernel<Real, 8>(), make_kernel<Real, 16>(), make_kernel<Real, 32>()}};

}  // namespace

extern const SummationTable<float> summation_float_avx2, summation_float_avx512;
extern const SummationTable<double> summation_double_avx2, summation_double_avx512;

KernelLevel best_level(KernelLevel level) {
  if (level == KernelLevel::avx512 && instruction_set() >= InstructionSet::avx512) return KernelLevel::avx512;
  if (level != KernelLevel::reference && instruction_set() >= InstructionSet::avx2) return KernelLevel::avx2;
  return KernelLevel::reference;
}

template <class Real>
const SummationKernel<Real>& summation_kernel(int steps, KernelLevel level) {
  std::size_t k = 0;
  while (k < 6 && grouped_steps[k] != steps) ++k;
  verify(k < 6, "n_g is 1, 2, 4, 8, 16 or 32");
  const KernelLevel best = best_level(level);
  if constexpr (sizeof(Real) == 4) {
    if (best == KernelLevel::avx512) return summation_float_avx512.kernel[k];
    if (best == KernelLevel::avx2) return summation_float_avx2.kernel[k];
  } else {
    if (best == KernelLevel::avx512) return summation_double_avx512.kernel[k];
    if (best == KernelLevel::avx2) return summation_double_avx2.kernel[k];
  }
  return reference_table<Real>.kernel[k];
}
template const SummationKernel<float>& summation_kernel(int, KernelLevel);
template const SummationKernel<double>& summation_kernel(int, KernelLevel);

}  // namespace conoid::acoustic_bem
