// SPDX-License-Identifier: BSD-3-Clause
// UTF-8 by its definition, RFC 3629.
#include "engine/case/text.hpp"

namespace conoid::text {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned a = byte(0);
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return tail(1) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    const unsigned low = a == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = a == 0xed ? 0x9f : 0xbf;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    const unsigned low = a == 0xf0 ? 0x90 : 0x80;
    const unsigned high = a == 0xf4 ? 0x8f : 0xbf;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0u | code >> 6), put(0x80u | (code & 0x3fu));
  } else if (code < 0x10000) {
    put(0xe0u | code >> 12), put(0x80u | (code >> 6 & 0x3fu)), put(0x80u | (code & 0x3fu));
  } else {
    put(0xf0u | code >> 18), put(0x80u | (code >> 12 & 0x3fu)), put(0x80u | (code >> 6 & 0x3fu));
    put(0x80u | (code & 0x3fu));
  }
}

std::string shown(std::string_view text, char quote) {
  std::string out(1, quote);
  if (text.size() > 40) {
    std::size_t cut = 37;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0u) == 0x80u) --cut;
    out += text.substr(0, cut);
    out += "...";
  } else {
    out += text;
  }
  return out + quote;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace conoid::text
