// SPDX-License-Identifier: BSD-3-Clause
// Dense algebra by Eigen in single precision.
#include <complex>
#define CONOID_SCALAR std::complex<float>
#include "engine/linalg/dense_eigen_body.hpp"
