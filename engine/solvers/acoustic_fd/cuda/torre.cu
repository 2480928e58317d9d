// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of DiamondTorre.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/torre_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel three_kernel("acoustic-fd/torre<3>", torre<TorreOf<float, 3>>);
static const RegisterKernel four_kernel("acoustic-fd/torre<4>", torre<TorreOf<float, 4>>);
static const RegisterKernel five_kernel("acoustic-fd/torre<5>", torre<TorreOf<float, 5>>);
static const RegisterKernel double_kernel("acoustic-fd/torre<3,double>", torre<TorreOf<double, 3>>);

}  // namespace conoid::acoustic_fd
