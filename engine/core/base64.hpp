// SPDX-License-Identifier: BSD-3-Clause
// Bytes as text (RFC 4648, section 4), for pages and drawings that carry their pictures. Thread-safe.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace conoid {

[[nodiscard]] inline std::string base64_text(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= n ? digits[bits >> (18 - 6 * k) & 63U] : '=';
  }
  return out;
}

}  // namespace conoid
