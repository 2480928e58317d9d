// SPDX-License-Identifier: BSD-3-Clause
// Radiation kernels with registers of 16 bytes.
#define CONOID_BYTES 16
#include "engine/solvers/maxwell_fem/kernels/radiation_body.hpp"

namespace conoid::maxwell_fem {

extern const RadiationKernel radiation_base;
const RadiationKernel radiation_base{"base", lanes, strip, tile, multiply, fused, multiply_adds};

}  // namespace conoid::maxwell_fem
