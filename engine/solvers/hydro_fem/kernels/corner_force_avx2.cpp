// SPDX-License-Identifier: BSD-3-Clause
// The corner force in the paper's form for 4 lanes (AVX2).
#include "engine/solvers/hydro_fem/kernels/corner_force_impl.hpp"

namespace conoid::hydro_fem {

const CornerKernels& avx2_corner_kernels() {
  static const CornerKernels kernels = make_corner_kernels<4>();
  return kernels;
}

}  // namespace conoid::hydro_fem
