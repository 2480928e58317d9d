// SPDX-License-Identifier: BSD-3-Clause
// nvcc: -ftz=true
// Device kernels of order 2.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_fd/cuda/advance_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/panel_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/shell_body.hpp"
#include "engine/solvers/acoustic_fd/cuda/tower_body.hpp"

namespace conoid::acoustic_fd {

static const RegisterKernel advance_kernel("acoustic-fd/advance<1>", advance<1, false, float>);
static const RegisterKernel unequal_kernel("acoustic-fd/advance<1,unequal>", advance<1, true, float>);
static const RegisterKernel double_kernel("acoustic-fd/advance<1,double>", advance<1, false, double>);
static const RegisterKernel unequal_double_kernel("acoustic-fd/advance<1,unequal,double>", advance<1, true, double>);
static const RegisterKernel panel_kernel("acoustic-fd/panel<1,7>", panel<PanelOf<1, 7>, false>);
static const RegisterKernel unequal_panel_kernel("acoustic-fd/panel<1,7,unequal>", panel<PanelOf<1, 7>, true>);
static const RegisterKernel short_panel_kernel("acoustic-fd/panel<1,4>", panel<PanelOf<1, 4>, false>);
static const RegisterKernel unequal_short_panel_kernel("acoustic-fd/panel<1,4,unequal>", panel<PanelOf<1, 4>, true>);
static const RegisterKernel dense_panel_kernel("acoustic-fd/panel<1,5,density>", panel<PanelOf<1, 5, true>, false>);
static const RegisterKernel unequal_dense_panel_kernel("acoustic-fd/panel<1,5,density,unequal>",
                                                       panel<PanelOf<1, 5, true>, true>);
static const RegisterKernel shell_kernel("acoustic-fd/shell<1>", shell<1, false>);
static const RegisterKernel unequal_shell_kernel("acoustic-fd/shell<1,unequal>", shell<1, true>);
static const RegisterKernel tower_kernel("acoustic-fd/tower<1>", tower<TowerOf<1>>);

}  // namespace conoid::acoustic_fd
