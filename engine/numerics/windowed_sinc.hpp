// SPDX-License-Identifier: BSD-3-Clause
// Interpolation of samples of limited band.
#pragma once

namespace conoid {

/// sin(πx)/(πx) under the window of Kaiser, I_0(b √(1 − (x/radius)²)) / I_0(b); 1 at x = 0, 0 beyond the radius. `x` and `radius` > 0 in
/// samples, `b` ≥ 0: 0.1102 (A − 8.7) leaves A dB of what the window cuts off (A > 50; Kaiser 1974). Any thread.
[[nodiscard]] double windowed_sinc(double x, double radius, double b);

}  // namespace conoid
