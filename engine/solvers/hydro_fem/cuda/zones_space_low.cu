// SPDX-License-Identifier: BSD-3-Clause
// Passes over zones in three dimensions: orders 1 and 2.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

static const RegisterKernel update_31("hydro-fem/update<3,1>", update_zones<3, 1>);
static const RegisterKernel energy_31("hydro-fem/energy<3,1>", energy_of_zones<3, 1>);
static const RegisterKernel inverse_31("hydro-fem/inverse<3,1>", inverse_of_zones<3, 1>);
static const RegisterKernel uniform_31("hydro-fem/mass<3,1,uniform>", mass_of_zones<3, 1, true>);
static const RegisterKernel mass_31("hydro-fem/mass<3,1,any>", mass_of_zones<3, 1, false>);
static const RegisterKernel solve_uniform_31("hydro-fem/at-once<3,1,uniform>", solve_at_once<3, 1, true>);
static const RegisterKernel solve_any_31("hydro-fem/at-once<3,1,any>", solve_at_once<3, 1, false>);
static const RegisterKernel update_32("hydro-fem/update<3,2>", update_zones<3, 2>);
static const RegisterKernel energy_32("hydro-fem/energy<3,2>", energy_of_zones<3, 2>);
static const RegisterKernel inverse_32("hydro-fem/inverse<3,2>", inverse_of_zones<3, 2>);
static const RegisterKernel uniform_32("hydro-fem/mass<3,2,uniform>", mass_of_zones<3, 2, true>);
static const RegisterKernel mass_32("hydro-fem/mass<3,2,any>", mass_of_zones<3, 2, false>);
static const RegisterKernel solve_uniform_32("hydro-fem/at-once<3,2,uniform>", solve_at_once<3, 2, true>);
static const RegisterKernel solve_any_32("hydro-fem/at-once<3,2,any>", solve_at_once<3, 2, false>);

}  // namespace conoid::hydro_fem
