// SPDX-License-Identifier: BSD-3-Clause
// Radiation kernels with registers of 32 bytes.
#define CONOID_BYTES 32
#include "engine/solvers/maxwell_fem/kernels/radiation_body.hpp"

namespace conoid::maxwell_fem {

extern const RadiationKernel radiation_avx2;
const RadiationKernel radiation_avx2{"avx2", lanes, strip, tile, multiply, fused, multiply_adds};

}  // namespace conoid::maxwell_fem
