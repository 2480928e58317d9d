// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of order 10.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel advance_kernel("acoustic-fd/advance<5>", advance<5, false, float>);
static const RegisterKernel unequal_kernel("acoustic-fd/advance<5,unequal>", advance<5, true, float>);
static const RegisterKernel double_kernel("acoustic-fd/advance<5,double>", advance<5, false, double>);
static const RegisterKernel unequal_double_kernel("acoustic-fd/advance<5,unequal,double>", advance<5, true, double>);
static const RegisterKernel tower_kernel("acoustic-fd/tower<5>", tower<TowerOf<5>>);

}  // namespace conoid::acoustic_fd
