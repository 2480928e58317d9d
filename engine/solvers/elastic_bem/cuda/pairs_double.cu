// SPDX-License-Identifier: BSD-3-Clause
// Far pairs in double precision: constant elements, and those of three to nine nodes.
#include "engine/solvers/elastic_bem/cuda/pair_body.hpp"

namespace conoid::elastic_bem {

static const RegisterKernel double_1("elastic-bem/pairs<double,1>", pairs_constant<double>);
static const RegisterKernel double_block("elastic-bem/pairs_block<double>", pairs_block<double>);
static const RegisterKernel double_3("elastic-bem/pairs<double,3>", pairs_nodes<double, 3>);
static const RegisterKernel double_4("elastic-bem/pairs<double,4>", pairs_nodes<double, 4>);
static const RegisterKernel double_6("elastic-bem/pairs<double,6>", pairs_nodes<double, 6>);
static const RegisterKernel double_8("elastic-bem/pairs<double,8>", pairs_nodes<double, 8>);
static const RegisterKernel double_9("elastic-bem/pairs<double,9>", pairs_nodes<double, 9>);

}  // namespace conoid::elastic_bem
