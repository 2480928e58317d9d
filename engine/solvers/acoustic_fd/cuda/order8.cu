// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of order 8.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/panel_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/shell_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel advance_kernel("acoustic-fd/advance<4>", advance<4, false, float>);
static const RegisterKernel unequal_kernel("acoustic-fd/advance<4,unequal>", advance<4, true, float>);
static const RegisterKernel double_kernel("acoustic-fd/advance<4,double>", advance<4, false, double>);
static const RegisterKernel unequal_double_kernel("acoustic-fd/advance<4,unequal,double>", advance<4, true, double>);
static const RegisterKernel panel_kernel("acoustic-fd/panel<4,2>", panel<PanelOf<4, 2>, false>);
static const RegisterKernel unequal_panel_kernel("acoustic-fd/panel<4,2,unequal>", panel<PanelOf<4, 2>, true>);
static const RegisterKernel dense_panel_kernel("acoustic-fd/panel<4,2,density>", panel<PanelOf<4, 2, true>, false>);
static const RegisterKernel unequal_dense_panel_kernel("acoustic-fd/panel<4,2,density,unequal>",
                                                       panel<PanelOf<4, 2, true>, true>);
static const RegisterKernel shell_kernel("acoustic-fd/shell<4>", shell<4, false>);
static const RegisterKernel unequal_shell_kernel("acoustic-fd/shell<4,unequal>", shell<4, true>);
static const RegisterKernel tower_kernel("acoustic-fd/tower<4>", tower<TowerOf<4>>);

}  // namespace conoid::acoustic_fd
