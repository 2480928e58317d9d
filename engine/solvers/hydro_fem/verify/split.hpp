// SPDX-License-Identifier: BSD-3-Clause
// Corner forces shared between a device and the processors by the source's rule, period by period.
#pragma once

#include "engine/solvers/hydro_fem/stepping/operator.hpp"
#include "engine/solvers/row_team.hpp"
#include "engine/solvers/test_run.hpp"

namespace conoid::hydro_fem {

/// Dong et al., section 3.4: a period is forty evaluations of the corner forces (4 on emulated devices), after which a tenth of the zones goes
/// to whoever was faster, until both take the same time within a tenth. Rows with the device's share of each period, and Table 4: the last
/// share and how many periods it took; without a device the source's numbers alone. Throws Failure.
void split_rows(const TestRun& run, const BenchSink& sink);

/// An evaluation of stress and F·1 where a device and all threads share the zones as that rule leaves them.
struct SharedForces {
  double seconds = 0;  ///< of the slower of the two
  double share = 0;    ///< of the zones, on the device
};
/// Throws Failure.
[[nodiscard]] SharedForces shared_forces(const TestRun& run, const Setup& setup, const NamedDevice& device);

}  // namespace conoid::hydro_fem
