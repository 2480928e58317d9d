// SPDX-License-Identifier: BSD-3-Clause
// The corner force in the paper's form for 8 lanes (AVX-512).
#include "engine/solvers/hydro_fem/kernels/corner_force_impl.hpp"

namespace conoid::hydro_fem {

const CornerKernels& avx512_corner_kernels() {
  static const CornerKernels kernels = make_corner_kernels<8>();
  return kernels;
}

}  // namespace conoid::hydro_fem
