// SPDX-License-Identifier: BSD-3-Clause
// Passes over zones in three dimensions: orders 3 and 4.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

static const RegisterKernel update_33("hydro-fem/update<3,3>", update_zones<3, 3>);
static const RegisterKernel energy_33("hydro-fem/energy<3,3>", energy_of_zones<3, 3>);
static const RegisterKernel inverse_33("hydro-fem/inverse<3,3>", inverse_of_zones<3, 3>);
static const RegisterKernel uniform_33("hydro-fem/mass<3,3,uniform>", mass_of_zones<3, 3, true>);
static const RegisterKernel mass_33("hydro-fem/mass<3,3,any>", mass_of_zones<3, 3, false>);
static const RegisterKernel solve_uniform_33("hydro-fem/at-once<3,3,uniform>", solve_at_once<3, 3, true>);
static const RegisterKernel solve_any_33("hydro-fem/at-once<3,3,any>", solve_at_once<3, 3, false>);
static const RegisterKernel update_34("hydro-fem/update<3,4>", update_zones<3, 4>);
static const RegisterKernel energy_34("hydro-fem/energy<3,4>", energy_of_zones<3, 4>);
static const RegisterKernel inverse_34("hydro-fem/inverse<3,4>", inverse_of_zones<3, 4>);
static const RegisterKernel uniform_34("hydro-fem/mass<3,4,uniform>", mass_of_zones<3, 4, true>);
static const RegisterKernel mass_34("hydro-fem/mass<3,4,any>", mass_of_zones<3, 4, false>);
static const RegisterKernel solve_uniform_34("hydro-fem/at-once<3,4,uniform>", solve_at_once<3, 4, true>);
static const RegisterKernel solve_any_34("hydro-fem/at-once<3,4,any>", solve_at_once<3, 4, false>);

}  // namespace conoid::hydro_fem
