// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of order 10.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/step_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel step_kernel("acoustic-fd/step<5>", step<5>);

}  // namespace conoid::acoustic_fd
