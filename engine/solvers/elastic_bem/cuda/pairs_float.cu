// SPDX-License-Identifier: BSD-3-Clause
// Far pairs in single precision: constant elements, and those of three to nine nodes.
#include "engine/solvers/elastic_bem/cuda/pair_body.hpp"

namespace conoid::elastic_bem {

static const RegisterKernel float_1("elastic-bem/pairs<float,1>", pairs_constant<float>);
static const RegisterKernel float_block("elastic-bem/pairs_block<float>", pairs_block<float>);
static const RegisterKernel float_3("elastic-bem/pairs<float,3>", pairs_nodes<float, 3>);
static const RegisterKernel float_4("elastic-bem/pairs<float,4>", pairs_nodes<float, 4>);
static const RegisterKernel float_6("elastic-bem/pairs<float,6>", pairs_nodes<float, 6>);
static const RegisterKernel float_8("elastic-bem/pairs<float,8>", pairs_nodes<float, 8>);
static const RegisterKernel float_9("elastic-bem/pairs<float,9>", pairs_nodes<float, 9>);

}  // namespace conoid::elastic_bem
