// SPDX-License-Identifier: BSD-3-Clause
// Words for the lines of a shell.
#include "engine/core/shell_word.hpp"

#include <algorithm>

namespace conoid {

std::string shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./+:,@%=").find(c) != std::string_view::npos ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
  };
  if (!text.empty() && text.front() != '-' && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  // What begins with a minus is a file to the shell, but an option to a program.
  return (text.starts_with('-') ? "./" : "") + out + "'";
}

std::string option_word(std::string_view word) {
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  const std::string_view rest = word.substr(dashes);
  return std::string(word.substr(0, dashes)) + (rest.empty() ? "" : shell_word(rest));
}

}  // namespace conoid
