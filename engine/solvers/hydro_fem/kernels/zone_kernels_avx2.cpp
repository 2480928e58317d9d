// SPDX-License-Identifier: BSD-3-Clause
// The zone kernels for 4 lanes (AVX2).
#include "engine/solvers/hydro_fem/kernels/zone_kernels_impl.hpp"

namespace conoid::hydro_fem {

const ZoneKernels& avx2_kernels() {
  static const ZoneKernels kernels = make_kernels<4>("avx2", avx2_corner_kernels());
  return kernels;
}

}  // namespace conoid::hydro_fem
