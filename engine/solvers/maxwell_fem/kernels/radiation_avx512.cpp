// SPDX-License-Identifier: BSD-3-Clause
// Radiation kernels with registers of 64 bytes.
#define CONOID_BYTES 64
#include "engine/solvers/maxwell_fem/kernels/radiation_body.hpp"

namespace conoid::maxwell_fem {

extern const RadiationKernel radiation_avx512;
const RadiationKernel radiation_avx512{"avx512", lanes, strip, tile, multiply, fused, multiply_adds};

}  // namespace conoid::maxwell_fem
