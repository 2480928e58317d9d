// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of order 6.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/panel_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/shell_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel advance_kernel("acoustic-fd/advance<3>", advance<3, false, float>);
static const RegisterKernel unequal_kernel("acoustic-fd/advance<3,unequal>", advance<3, true, float>);
static const RegisterKernel double_kernel("acoustic-fd/advance<3,double>", advance<3, false, double>);
static const RegisterKernel unequal_double_kernel("acoustic-fd/advance<3,unequal,double>", advance<3, true, double>);
static const RegisterKernel panel_kernel("acoustic-fd/panel<3,2>", panel<PanelOf<3, 2>, false>);
static const RegisterKernel unequal_panel_kernel("acoustic-fd/panel<3,2,unequal>", panel<PanelOf<3, 2>, true>);
static const RegisterKernel dense_panel_kernel("acoustic-fd/panel<3,2,density>", panel<PanelOf<3, 2, true>, false>);
static const RegisterKernel unequal_dense_panel_kernel("acoustic-fd/panel<3,2,density,unequal>",
                                                       panel<PanelOf<3, 2, true>, true>);
static const RegisterKernel shell_kernel("acoustic-fd/shell<3>", shell<3, false>);
static const RegisterKernel unequal_shell_kernel("acoustic-fd/shell<3,unequal>", shell<3, true>);
static const RegisterKernel tower_kernel("acoustic-fd/tower<3>", tower<TowerOf<3>>);

}  // namespace conoid::acoustic_fd
