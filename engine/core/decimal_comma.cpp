// SPDX-License-Identifier: BSD-3-Clause
// Points in numbers become commas.
#include "engine/core/decimal_comma.hpp"

#include <cstddef>

namespace conoid {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Letters and what else names are made of; of a sign in several bytes (−, ±, …) none is.
bool is_of_a_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

}  // namespace

std::string with_decimal_comma(std::string_view text) {
  std::string out(text);
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_digit(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin, points = 0, point = 0;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) {
      if (text[end] == '.') ++points, point = end;
      ++end;
    }
    // The last one ends a sentence.
    if (text[end - 1] == '.' && points > 1) {
      --end, --points;
      point = text.rfind('.', end - 1);
    }
    const char before = begin == 0 ? ' ' : text[begin - 1];
    // A hyphen is a sign at the beginning of a word alone.
    const bool hyphened = before == '-' && begin >= 2 && is_of_a_name(text[begin - 2]);
    if (points == 1 && point + 1 < end && !is_of_a_name(before) && !hyphened) out[point] = ',';
    // ", " and another number: a list of them.
    if (end + 2 < text.size() && text[end] == ',' && text[end + 1] == ' ') {
      std::size_t next = end + 2;
      if (text[next] == '-') ++next;
      if (text.substr(next).starts_with("\u2212")) next += 3;
      if (next < text.size() && is_digit(text[next])) out[end] = ';';
    }
    begin = end;
  }
  return out;
}

}  // namespace conoid
