// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of order 10.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel advance_kernel("acoustic-fd/advance<5>", advance<5, false>);
static const RegisterKernel unequal_kernel("acoustic-fd/advance<5,unequal>", advance<5, true>);
static const RegisterKernel tower_kernel("acoustic-fd/tower<5>", tower<TowerOf<5>>);

}  // namespace conoid::acoustic_fd
