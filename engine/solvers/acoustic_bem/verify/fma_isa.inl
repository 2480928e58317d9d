// SPDX-License-Identifier: BSD-3-Clause
// A loop of independent multiply-adds: enough chains to hide the latency.
// isas: base avx2 avx512
#include "engine/solvers/acoustic_bem/verify/machine_rates.hpp"

namespace conoid::acoustic_bem {
namespace {

template <class Real>
double loop(long rounds, double* keep) {
  typedef Real vr __attribute__((vector_size(CONOID_BYTES)));
  constexpr int lanes = CONOID_BYTES / static_cast<int>(sizeof(Real));
  constexpr int chains = CONOID_BYTES == 64 ? 20 : 12;
  vr a[chains];
  for (int k = 0; k < chains; ++k) a[k] = vr{} + static_cast<Real>(0.001 * k);
  const vr x = vr{} + static_cast<Real>(0.999), y = vr{} + static_cast<Real>(0.001 + 1e-9 * *keep);
  for (long r = 0; r < rounds; ++r)
#pragma GCC unroll 32
    for (int k = 0; k < chains; ++k) a[k] = a[k] * x + y;
  double sum = 0;
  for (int k = 0; k < chains; ++k)
    for (int t = 0; t < lanes; ++t) sum += static_cast<double>(a[k][t]);
  *keep = sum;
  return 2.0 * chains * lanes * static_cast<double>(rounds);
}

}  // namespace

extern const FmaLoops CONOID_ISA_NAME(fma_loops);
const FmaLoops CONOID_ISA_NAME(fma_loops){loop<float>, loop<double>};

}  // namespace conoid::acoustic_bem
