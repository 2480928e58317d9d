// SPDX-License-Identifier: BSD-3-Clause
// Passes over zones in two dimensions, planar and axisymmetric: orders 3 and 4.
#include "engine/team/kernel.hpp"

#include "engine/solvers/hydro_fem/cuda/zone_body.hpp"

namespace conoid::hydro_fem {

static const RegisterKernel update_23("hydro-fem/update<2,3>", update_zones<2, 3>);
static const RegisterKernel energy_23("hydro-fem/energy<2,3>", energy_of_zones<2, 3>);
static const RegisterKernel inverse_23("hydro-fem/inverse<2,3>", inverse_of_zones<2, 3>);
static const RegisterKernel uniform_23("hydro-fem/mass<2,3,uniform>", mass_of_zones<2, 3, true>);
static const RegisterKernel mass_23("hydro-fem/mass<2,3,any>", mass_of_zones<2, 3, false>);
static const RegisterKernel solve_uniform_23("hydro-fem/at-once<2,3,uniform>", solve_at_once<2, 3, true>);
static const RegisterKernel solve_any_23("hydro-fem/at-once<2,3,any>", solve_at_once<2, 3, false>);
static const RegisterKernel update_24("hydro-fem/update<2,4>", update_zones<2, 4>);
static const RegisterKernel energy_24("hydro-fem/energy<2,4>", energy_of_zones<2, 4>);
static const RegisterKernel inverse_24("hydro-fem/inverse<2,4>", inverse_of_zones<2, 4>);
static const RegisterKernel uniform_24("hydro-fem/mass<2,4,uniform>", mass_of_zones<2, 4, true>);
static const RegisterKernel mass_24("hydro-fem/mass<2,4,any>", mass_of_zones<2, 4, false>);
static const RegisterKernel solve_uniform_24("hydro-fem/at-once<2,4,uniform>", solve_at_once<2, 4, true>);
static const RegisterKernel solve_any_24("hydro-fem/at-once<2,4,any>", solve_at_once<2, 4, false>);

}  // namespace conoid::hydro_fem
