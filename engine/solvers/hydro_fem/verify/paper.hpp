// SPDX-License-Identifier: BSD-3-Clause
// Tables 2, 3, 5, 8, 9 (devices and ranks), 10 and figures 3, 4, 8 of Dong et al.
#pragma once

#include <functional>

#include "engine/solvers/test_run.hpp"

namespace conoid::hydro_fem {

/// What measures the other tables, each in its turn.
struct OtherTables {
  std::function<void()> table_1, table_4, table_7, table_9;
};

/// A row each whose number the source gives, with ours measured by the threads, devices and ranks that are here; not a number where there
/// is none, with the reason in `limited_by` (shown as "measured"). Under mpirun or srun rows of ranks come from the leading one,
/// which computes the others alone meanwhile; to be called on all ranks with the same options. The source's meshes are given in
/// Table 10 only: elsewhere shares and speed-ups can be compared, not seconds. Throws Failure.
void paper_rows(const TestRun& run, const BenchSink& sink, const OtherTables& others);

}  // namespace conoid::hydro_fem
