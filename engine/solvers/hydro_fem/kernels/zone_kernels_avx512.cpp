// SPDX-License-Identifier: BSD-3-Clause
// The zone kernels for 8 lanes (AVX512).
#include "engine/solvers/hydro_fem/kernels/zone_kernels_impl.hpp"

namespace conoid::hydro_fem {

const ZoneKernels& avx512_kernels() {
  static const ZoneKernels kernels = make_kernels<8>("avx512", avx512_corner_kernels());
  return kernels;
}

}  // namespace conoid::hydro_fem
