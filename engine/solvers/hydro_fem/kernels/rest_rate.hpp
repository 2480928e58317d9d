// SPDX-License-Identifier: BSD-3-Clause
// What is rest, for kernels of processors and of devices alike.
#pragma once

namespace conoid::hydro_fem {

/// Strain rates [1/s] below this are rest: squares of what lies further below, as in gas far ahead of any signal, are lost, and with them the
/// length of a direction. Noise in the longest flows, 1e-16 of 1e-20/s, is far above.
constexpr double rest_rate = 1e-60;

}  // namespace conoid::hydro_fem
