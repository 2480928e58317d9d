// SPDX-License-Identifier: BSD-3-Clause
// A radix-2 transform of our own: the records are short.
#include "engine/numerics/fft.hpp"

#include <cstddef>
#include <numbers>
#include <utility>

namespace conoid {

void fft(std::vector<std::complex<double>>& a) {
  const std::size_t n = a.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(a[i], a[j]);
  }
  for (std::size_t length = 2; length <= n; length <<= 1) {
    const double angle = -2 * std::numbers::pi / static_cast<double>(length);
    // Each root from its own angle: a running product loses digits on long rows.
    std::vector<std::complex<double>> roots(length / 2);
    for (std::size_t k = 0; k < roots.size(); ++k) roots[k] = std::polar(1.0, angle * static_cast<double>(k));
    for (std::size_t i = 0; i < n; i += length)
      for (std::size_t k = 0; k < length / 2; ++k) {
        const std::complex<double> u = a[i + k];
        const std::complex<double> v = a[i + k + length / 2] * roots[k];
        a[i + k] = u + v;
        a[i + k + length / 2] = u - v;
      }
  }
}

}  // namespace conoid
