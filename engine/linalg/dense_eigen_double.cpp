// SPDX-License-Identifier: BSD-3-Clause
// Dense algebra by Eigen in double precision.
#include <complex>
#define CONOID_SCALAR std::complex<double>
#include "engine/linalg/dense_eigen_body.hpp"
