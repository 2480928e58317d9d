// SPDX-License-Identifier: BSD-3-Clause
#include "engine/linalg/cuda/band_kernel.hpp"
#include "tests/data/solvers/heat_rod/step.hpp"

static const conoid::RegisterKernel step_kernel("heat-rod/step",
                                                conoid::pass_over_blocks<conoid::heat_rod::ImplicitStep>);
