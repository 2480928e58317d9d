// SPDX-License-Identifier: BSD-3-Clause
// Corner forces shared between a device and the processors by the source's rule, period by period.
#pragma once

#include "engine/solvers/test_run.hpp"

namespace conoid::hydro_fem {

/// Dong et al., section 3.4: a period is forty evaluations of the corner forces (4 on emulated devices), after which a tenth of the zones goes
/// to whoever was faster, until both take the same time within a tenth. Rows with the device's share of each period, and Table 4: the last
/// share and how many periods it took; without a device the source's numbers alone. Throws Failure.
void split_rows(const TestRun& run, const BenchSink& sink);

}  // namespace conoid::hydro_fem
