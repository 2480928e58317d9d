// SPDX-License-Identifier: BSD-3-Clause
// Passes over zones in one dimension: orders 1 to 4 and any.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

static const RegisterKernel update_11("hydro-fem/update<1,1>", update_zones<1, 1>);
static const RegisterKernel energy_11("hydro-fem/energy<1,1>", energy_of_zones<1, 1>);
static const RegisterKernel inverse_11("hydro-fem/inverse<1,1>", inverse_of_zones<1, 1>);
static const RegisterKernel uniform_11("hydro-fem/mass<1,1,uniform>", mass_of_zones<1, 1, true>);
static const RegisterKernel mass_11("hydro-fem/mass<1,1,any>", mass_of_zones<1, 1, false>);
static const RegisterKernel solve_uniform_11("hydro-fem/at-once<1,1,uniform>", solve_at_once<1, 1, true>);
static const RegisterKernel solve_any_11("hydro-fem/at-once<1,1,any>", solve_at_once<1, 1, false>);
static const RegisterKernel update_12("hydro-fem/update<1,2>", update_zones<1, 2>);
static const RegisterKernel energy_12("hydro-fem/energy<1,2>", energy_of_zones<1, 2>);
static const RegisterKernel inverse_12("hydro-fem/inverse<1,2>", inverse_of_zones<1, 2>);
static const RegisterKernel uniform_12("hydro-fem/mass<1,2,uniform>", mass_of_zones<1, 2, true>);
static const RegisterKernel mass_12("hydro-fem/mass<1,2,any>", mass_of_zones<1, 2, false>);
static const RegisterKernel solve_uniform_12("hydro-fem/at-once<1,2,uniform>", solve_at_once<1, 2, true>);
static const RegisterKernel solve_any_12("hydro-fem/at-once<1,2,any>", solve_at_once<1, 2, false>);
static const RegisterKernel update_13("hydro-fem/update<1,3>", update_zones<1, 3>);
static const RegisterKernel energy_13("hydro-fem/energy<1,3>", energy_of_zones<1, 3>);
static const RegisterKernel inverse_13("hydro-fem/inverse<1,3>", inverse_of_zones<1, 3>);
static const RegisterKernel uniform_13("hydro-fem/mass<1,3,uniform>", mass_of_zones<1, 3, true>);
static const RegisterKernel mass_13("hydro-fem/mass<1,3,any>", mass_of_zones<1, 3, false>);
static const RegisterKernel solve_uniform_13("hydro-fem/at-once<1,3,uniform>", solve_at_once<1, 3, true>);
static const RegisterKernel solve_any_13("hydro-fem/at-once<1,3,any>", solve_at_once<1, 3, false>);
static const RegisterKernel update_14("hydro-fem/update<1,4>", update_zones<1, 4>);
static const RegisterKernel energy_14("hydro-fem/energy<1,4>", energy_of_zones<1, 4>);
static const RegisterKernel inverse_14("hydro-fem/inverse<1,4>", inverse_of_zones<1, 4>);
static const RegisterKernel uniform_14("hydro-fem/mass<1,4,uniform>", mass_of_zones<1, 4, true>);
static const RegisterKernel mass_14("hydro-fem/mass<1,4,any>", mass_of_zones<1, 4, false>);
static const RegisterKernel solve_uniform_14("hydro-fem/at-once<1,4,uniform>", solve_at_once<1, 4, true>);
static const RegisterKernel solve_any_14("hydro-fem/at-once<1,4,any>", solve_at_once<1, 4, false>);
static const RegisterKernel update_10("hydro-fem/update<1,0>", update_zones<1, 0>);
static const RegisterKernel energy_10("hydro-fem/energy<1,0>", energy_of_zones<1, 0>);
static const RegisterKernel inverse_10("hydro-fem/inverse<1,0>", inverse_of_zones<1, 0>);
static const RegisterKernel uniform_10("hydro-fem/mass<1,0,uniform>", mass_of_zones<1, 0, true>);
static const RegisterKernel mass_10("hydro-fem/mass<1,0,any>", mass_of_zones<1, 0, false>);
static const RegisterKernel solve_uniform_10("hydro-fem/at-once<1,0,uniform>", solve_at_once<1, 0, true>);
static const RegisterKernel solve_any_10("hydro-fem/at-once<1,0,any>", solve_at_once<1, 0, false>);

}  // namespace conoid::hydro_fem
