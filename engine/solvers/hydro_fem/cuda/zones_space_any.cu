// SPDX-License-Identifier: BSD-3-Clause
// Passes over zones in three dimensions: any order.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

static const RegisterKernel update_30("hydro-fem/update<3,0>", update_zones<3, 0>);
static const RegisterKernel energy_30("hydro-fem/energy<3,0>", energy_of_zones<3, 0>);
static const RegisterKernel inverse_30("hydro-fem/inverse<3,0>", inverse_of_zones<3, 0>);
static const RegisterKernel uniform_30("hydro-fem/mass<3,0,uniform>", mass_of_zones<3, 0, true>);
static const RegisterKernel mass_30("hydro-fem/mass<3,0,any>", mass_of_zones<3, 0, false>);
static const RegisterKernel solve_uniform_30("hydro-fem/at-once<3,0,uniform>", solve_at_once<3, 0, true>);
static const RegisterKernel solve_any_30("hydro-fem/at-once<3,0,any>", solve_at_once<3, 0, false>);

}  // namespace conoid::hydro_fem
