// SPDX-License-Identifier: BSD-3-Clause
// One line each.
#include "render/scene/annotation.hpp"

#include "engine/core/place.hpp"

namespace conoid {

Result<Annotation> parse_annotation(std::string_view line) {
  const std::string_view example = "For example \"0.5, 0, -30cm = the door\": x, y, z with units or in metres.";
  const std::size_t equal = line.find('=');
  const std::size_t first = equal == std::string_view::npos ? equal : line.find_first_not_of(" \t", equal + 1);
  if (first == std::string_view::npos)
    return make_error(ErrorCode::command_line,
                      "expected a place, \"=\" and a text, found \"" + std::string(line) + "\"", std::string(example));
  const auto place = parse_place(line.substr(0, equal));
  if (!place) return make_error(ErrorCode::command_line, place.error().text, std::string(example));
  const std::size_t last = line.find_last_not_of(" \t\r");
  return Annotation{std::string(line.substr(first, last + 1 - first)), *place};
}

std::string annotation_text(const Annotation& annotation) {
  constexpr int digits = 6;
  return place_text(annotation.place, digits) + " = " + annotation.text;
}

}  // namespace conoid
