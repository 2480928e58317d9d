// SPDX-License-Identifier: BSD-3-Clause
// A picture in memory: 8-bit RGBA, rows from top to bottom.
#pragma once

#include <cstdint>
#include <vector>

namespace conoid {

/// Colours are not multiplied by alpha. `pixels` holds width × height × 4 bytes.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> pixels;

  [[nodiscard]] bool empty() const { return pixels.empty(); }
  [[nodiscard]] const std::uint8_t* at(int x, int y) const {
    return pixels.data() +
           4 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
  friend bool operator==(const Image&, const Image&) = default;
};

}  // namespace conoid
