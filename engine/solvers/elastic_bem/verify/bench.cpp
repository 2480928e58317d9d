// SPDX-License-Identifier: BSD-3-Clause
// Stages of the classical meshes against the classical algorithm and the machine's limits.
#include "engine/solvers/elastic_bem/verify/verify.hpp"

namespace conoid::elastic_bem {

Status bench_table(const TestRun&, const BenchSink&) { return {}; }

}  // namespace conoid::elastic_bem
