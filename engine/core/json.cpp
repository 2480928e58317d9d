// SPDX-License-Identifier: BSD-3-Clause
#include "engine/core/json.hpp"

#include <algorithm>
#include <vector>

namespace conoid {
namespace {

/// Whether brackets nest no deeper and no bracket has more commas than read_json accepts. Strings and comments are stepped over;
/// whether the rest is JSON is the parser's to say.
bool within_limits(std::string_view text, bool comments) {
  constexpr std::size_t list = static_cast<std::size_t>(-1);
  std::vector<std::size_t> members;  // an entry an open bracket: commas so far in an object, `list` in a list
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
    } else if (comments && c == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      i = std::min(text.find('\n', i), text.size());
    } else if (comments && c == '/' && i + 1 < text.size() && text[i + 1] == '*') {
      i = std::min(text.find("*/", i + 2), text.size());
    } else if (c == '{' || c == '[') {
      if (members.size() >= json_depth) return false;
      members.push_back(c == '{' ? 0 : list);
    } else if ((c == '}' || c == ']') && !members.empty()) {
      members.pop_back();
    } else if (c == ',' && !members.empty() && members.back() != list && ++members.back() >= json_members) {
      return false;
    }
  }
  return true;
}

}  // namespace

Json read_json(std::string_view text, JsonComments comments) {
  if (!within_limits(text, comments == JsonComments::skipped)) return Json(Json::value_t::discarded);
  return Json::parse(text.data(), text.data() + text.size(), nullptr, false, comments == JsonComments::skipped);
}

std::string compact_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string indented_json(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace conoid
