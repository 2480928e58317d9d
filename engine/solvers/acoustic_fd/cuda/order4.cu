// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of order 4.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/panel_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/shell_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel advance_kernel("acoustic-fd/advance<2>", advance<2, false, float>);
static const RegisterKernel unequal_kernel("acoustic-fd/advance<2,unequal>", advance<2, true, float>);
static const RegisterKernel double_kernel("acoustic-fd/advance<2,double>", advance<2, false, double>);
static const RegisterKernel unequal_double_kernel("acoustic-fd/advance<2,unequal,double>", advance<2, true, double>);
static const RegisterKernel panel_kernel("acoustic-fd/panel<2,4>", panel<PanelOf<2, 4>, false>);
static const RegisterKernel unequal_panel_kernel("acoustic-fd/panel<2,4,unequal>", panel<PanelOf<2, 4>, true>);
static const RegisterKernel dense_panel_kernel("acoustic-fd/panel<2,3,density>", panel<PanelOf<2, 3, true>, false>);
static const RegisterKernel unequal_dense_panel_kernel("acoustic-fd/panel<2,3,density,unequal>",
                                                       panel<PanelOf<2, 3, true>, true>);
static const RegisterKernel shell_kernel("acoustic-fd/shell<2>", shell<2, false>);
static const RegisterKernel unequal_shell_kernel("acoustic-fd/shell<2,unequal>", shell<2, true>);
static const RegisterKernel tower_kernel("acoustic-fd/tower<2>", tower<TowerOf<2>>);

}  // namespace conoid::acoustic_fd
