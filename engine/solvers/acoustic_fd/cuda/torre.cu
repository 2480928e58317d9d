// SPDX-License-Identifier: BSD-3-Clause
// Device kernels of DiamondTorre.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/torre_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel three_kernel("acoustic-fd/torre<3>", torre<TorreOf<3>>);
static const RegisterKernel four_kernel("acoustic-fd/torre<4>", torre<TorreOf<4>>);
static const RegisterKernel five_kernel("acoustic-fd/torre<5>", torre<TorreOf<5>>);

}  // namespace conoid::acoustic_fd
