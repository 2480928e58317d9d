// SPDX-License-Identifier: BSD-3-Clause
// JSON is short enough for a wish that is told at most thirty times a second.
#include "engine/session/request_wire.hpp"

#include "engine/core/json.hpp"

namespace conoid {

std::vector<std::byte> to_wire(const FrameRequest& request) {
  const Json json = {{"parts", request.parts}, {"fields", request.fields}, {"limit", request.points_limit}};
  const std::string text = compact_json(json);
  const auto bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

FrameRequest from_wire(std::span<const std::byte> wire) {
  const std::string_view text(reinterpret_cast<const char*>(wire.data()), wire.size());
  const auto json = read_json(text);
  FrameRequest out;
  json.at("parts").get_to(out.parts);
  json.at("fields").get_to(out.fields);
  json.at("limit").get_to(out.points_limit);
  return out;
}

}  // namespace conoid
