// SPDX-License-Identifier: BSD-3-Clause
// Passes over zones in two dimensions, planar and axisymmetric: any order.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

static const RegisterKernel update_20("hydro-fem/update<2,0>", update_zones<2, 0>);
static const RegisterKernel energy_20("hydro-fem/energy<2,0>", energy_of_zones<2, 0>);
static const RegisterKernel inverse_20("hydro-fem/inverse<2,0>", inverse_of_zones<2, 0>);
static const RegisterKernel uniform_20("hydro-fem/mass<2,0,uniform>", mass_of_zones<2, 0, true>);
static const RegisterKernel mass_20("hydro-fem/mass<2,0,any>", mass_of_zones<2, 0, false>);
static const RegisterKernel solve_uniform_20("hydro-fem/at-once<2,0,uniform>", solve_at_once<2, 0, true>);
static const RegisterKernel solve_any_20("hydro-fem/at-once<2,0,any>", solve_at_once<2, 0, false>);

}  // namespace conoid::hydro_fem
