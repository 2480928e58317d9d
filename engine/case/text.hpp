// SPDX-License-Identifier: BSD-3-Clause
// Pieces of UTF-8 text, for reading, writing and messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace conoid::text {

/// Length of the UTF-8 sequence at the beginning, 0 if it is not valid (RFC 3629: no overlong forms, no surrogates).
[[nodiscard]] std::size_t utf8_length(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text);
void append_utf8(std::string& out, unsigned code);

/// In quotes for a message, cut to a readable length at a character's border.
[[nodiscard]] std::string shown(std::string_view text, char quote = '"');

[[nodiscard]] inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
[[nodiscard]] inline bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

}  // namespace conoid::text
