// SPDX-License-Identifier: BSD-3-Clause
// Passes over zones in two dimensions, planar and axisymmetric: orders 1 and 2.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

static const RegisterKernel update_21("hydro-fem/update<2,1>", update_zones<2, 1>);
static const RegisterKernel energy_21("hydro-fem/energy<2,1>", energy_of_zones<2, 1>);
static const RegisterKernel inverse_21("hydro-fem/inverse<2,1>", inverse_of_zones<2, 1>);
static const RegisterKernel uniform_21("hydro-fem/mass<2,1,uniform>", mass_of_zones<2, 1, true>);
static const RegisterKernel mass_21("hydro-fem/mass<2,1,any>", mass_of_zones<2, 1, false>);
static const RegisterKernel solve_uniform_21("hydro-fem/at-once<2,1,uniform>", solve_at_once<2, 1, true>);
static const RegisterKernel solve_any_21("hydro-fem/at-once<2,1,any>", solve_at_once<2, 1, false>);
static const RegisterKernel update_22("hydro-fem/update<2,2>", update_zones<2, 2>);
static const RegisterKernel energy_22("hydro-fem/energy<2,2>", energy_of_zones<2, 2>);
static const RegisterKernel inverse_22("hydro-fem/inverse<2,2>", inverse_of_zones<2, 2>);
static const RegisterKernel uniform_22("hydro-fem/mass<2,2,uniform>", mass_of_zones<2, 2, true>);
static const RegisterKernel mass_22("hydro-fem/mass<2,2,any>", mass_of_zones<2, 2, false>);
static const RegisterKernel solve_uniform_22("hydro-fem/at-once<2,2,uniform>", solve_at_once<2, 2, true>);
static const RegisterKernel solve_any_22("hydro-fem/at-once<2,2,any>", solve_at_once<2, 2, false>);

}  // namespace conoid::hydro_fem
