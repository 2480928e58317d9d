// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of order 12.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel advance_kernel("acoustic-fd/advance<6>", advance<6, false, float>);
static const RegisterKernel unequal_kernel("acoustic-fd/advance<6,unequal>", advance<6, true, float>);
static const RegisterKernel double_kernel("acoustic-fd/advance<6,double>", advance<6, false, double>);
static const RegisterKernel unequal_double_kernel("acoustic-fd/advance<6,unequal,double>", advance<6, true, double>);
static const RegisterKernel tower_kernel("acoustic-fd/tower<6>", tower<TowerOf<6>>);

}  // namespace conoid::acoustic_fd
