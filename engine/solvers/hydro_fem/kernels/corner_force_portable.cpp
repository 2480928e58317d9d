// SPDX-License-Identifier: BSD-3-Clause
// The corner force in the paper's form for 2 lanes (any processor).
#include "engine/solvers/hydro_fem/kernels/corner_force_impl.hpp"

namespace conoid::hydro_fem {

const CornerKernels& portable_corner_kernels() {
  static const CornerKernels kernels = make_corner_kernels<2>();
  return kernels;
}

}  // namespace conoid::hydro_fem
