// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of order 4.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/step_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel step_kernel("acoustic-fd/step<2>", step<2>);
static const RegisterKernel bands_kernel_2("acoustic-fd/bands<2,2>", bands<2, 2>);

}  // namespace conoid::acoustic_fd
