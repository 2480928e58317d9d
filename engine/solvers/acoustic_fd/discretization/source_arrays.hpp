// SPDX-License-Identifier: BSD-3-Clause
// Arrays of point sources: places in a row or in rows side by side, shares by a taper, delays that steer or focus.
//
// Elements lie symmetrically about the array's position. With shares w_n and delays τ_n a homogeneous medium has
//
//   p(x, t) = Σ_n w_n s(t − τ_n − r_n/c) / (4π r_n),
//
// far away, for N elements of equal shares at the pitch d, the pattern sin(N ψ/2)/(N sin(ψ/2)), ψ = k d (sin θ − sin θ_0), around
// the angle θ_0 to which τ_n = x_n sin θ_0 / c steers them (Van Trees, Optimum Array Processing, 2002, section 2.3).
#pragma once

#include "engine/core/types.hpp"

#include <vector>

namespace conoid::acoustic_fd {

inline constexpr Index most_elements = 10000;

struct ArrayElement {
  Vec3 position{};
  double share = 1;  ///< all add up to one
  double delay = 0;  ///< s, none negative; the least is zero where they steer or focus
};

enum class Taper {
  uniform,
  hann,    ///< sin²(π (n + ½)/N)
  hamming  ///< 0.54 − 0.46 cos(2π n/(N − 1))
};

/// Elements along `direction`, `rows` of them along `across`: unit vectors, one across the other. The taper is the product of that along both.
struct ArrayShape {
  Index elements = 1, rows = 1;
  double pitch = 1, row_pitch = 1;  ///< m
  Vec3 direction{1, 0, 0}, across{0, 1, 0};
  Taper taper = Taper::uniform;
};

/// Row after row; without delays.
[[nodiscard]] std::vector<ArrayElement> array_elements(const Vec3& centre, const ArrayShape& shape);

/// Delays r·d/c: the front of the wave goes along d, whose parts along the array's axes are the sines of its angles there.
void steer(std::vector<ArrayElement>& elements, const Vec3& d, double speed);

/// Delays by which all arrive at a point together.
void focus(std::vector<ArrayElement>& elements, const Vec3& at, double speed);

}  // namespace conoid::acoustic_fd
