// SPDX-License-Identifier: BSD-3-Clause
// How alike two pictures are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "render/window/image.hpp"

namespace conoid {

inline std::vector<double> luma(const Image& image) {
  std::vector<double> out(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t* p = image.pixels.data() + 4 * i;
    const double alpha = p[3] / 255.0;  // over white
    out[i] = alpha * (0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]) + (1 - alpha) * 255;
  }
  return out;
}

/// Structural similarity of the luma of two pictures of one size, the mean over 8 × 8 windows at every 4th pixel:
/// 1 = equal, 0 for different sizes. Wang, Bovik, Sheikh, Simoncelli, IEEE Trans. Image Process. 13 (2004), eq. 13, with
/// uniform windows, C1 = (0.01·255)², C2 = (0.03·255)².
[[nodiscard]] inline double structural_similarity(const Image& a, const Image& b) {
  if (a.width != b.width || a.height != b.height || a.pixels.size() != b.pixels.size() || a.empty()) return 0;
  const auto x = luma(a);
  const auto y = luma(b);
  const int side_x = std::min(8, a.width);
  const int side_y = std::min(8, a.height);
  const double n = side_x * side_y;
  const double c1 = 0.01 * 255 * 0.01 * 255;
  const double c2 = 0.03 * 255 * 0.03 * 255;
  double sum = 0;
  long windows = 0;
  for (int top = 0; top + side_y <= a.height; top += 4)
    for (int left = 0; left + side_x <= a.width; left += 4) {
      double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
      for (int j = top; j < top + side_y; ++j)
        for (int i = left; i < left + side_x; ++i) {
          const auto k = static_cast<std::size_t>(j) * static_cast<std::size_t>(a.width) + static_cast<std::size_t>(i);
          sx += x[k], sy += y[k], sxx += x[k] * x[k], syy += y[k] * y[k], sxy += x[k] * y[k];
        }
      const double mx = sx / n;
      const double my = sy / n;
      const double vx = sxx / n - mx * mx;
      const double vy = syy / n - my * my;
      const double cov = sxy / n - mx * my;
      sum += (2 * mx * my + c1) * (2 * cov + c2) / ((mx * mx + my * my + c1) * (vx + vy + c2));
      ++windows;
    }
  return windows > 0 ? sum / static_cast<double>(windows) : 0;
}

}  // namespace conoid
