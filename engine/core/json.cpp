// SPDX-License-Identifier: BSD-3-Clause
#include "engine/core/json.hpp"

namespace conoid {

Json read_json(std::string_view text, JsonComments comments) {
  return Json::parse(text.data(), text.data() + text.size(), nullptr, false, comments == JsonComments::skipped);
}

std::string compact_json(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string indented_json(const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace conoid
