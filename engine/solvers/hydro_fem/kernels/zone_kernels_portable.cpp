// SPDX-License-Identifier: BSD-3-Clause
// The zone kernels for 2 lanes (any processor).
#include "engine/solvers/hydro_fem/kernels/zone_kernels_impl.hpp"

namespace conoid::hydro_fem {

const ZoneKernels& portable_kernels() {
  static const ZoneKernels kernels = make_kernels<2>("portable", portable_corner_kernels());
  return kernels;
}

}  // namespace conoid::hydro_fem
