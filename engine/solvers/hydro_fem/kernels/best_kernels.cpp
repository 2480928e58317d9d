// SPDX-License-Identifier: BSD-3-Clause
// Choice of the instruction set at run time.
#include "engine/solvers/hydro_fem/kernels/zone_kernels.hpp"
#include "engine/team/machine.hpp"

namespace conoid::hydro_fem {

const ZoneKernels& best_kernels() {
  static const Machine machine = this_machine();
  if (machine.avx512) return avx512_kernels();
  return machine.avx2 ? avx2_kernels() : portable_kernels();
}

}  // namespace conoid::hydro_fem
