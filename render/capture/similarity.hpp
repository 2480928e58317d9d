// SPDX-License-Identifier: BSD-3-Clause
// How alike two pictures are, for tests of rendering.
#pragma once

#include "render/window/image.hpp"

namespace conoid {

/// Structural similarity of the luma of two pictures of one size, the mean over 8 × 8 windows at every 4th pixel:
/// 1 = equal, 0 for different sizes. Wang, Bovik, Sheikh, Simoncelli, IEEE Trans. Image Process. 13 (2004), eq. 13, with
/// uniform windows, C1 = (0.01·255)², C2 = (0.03·255)².
[[nodiscard]] double structural_similarity(const Image& a, const Image& b);

}  // namespace conoid
