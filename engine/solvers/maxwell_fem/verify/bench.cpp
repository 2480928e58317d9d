// SPDX-License-Identifier: BSD-3-Clause
// Speed, in the form of the paper's tables.
#include "engine/solvers/maxwell_fem/verify/verify.hpp"

namespace conoid::maxwell_fem {

Status bench_table(const TestRun&, const BenchSink&) { return {}; }

}  // namespace conoid::maxwell_fem
