// SPDX-License-Identifier: BSD-3-Clause
// Keys that have a mark in the schemas.
#include "engine/session/prolong.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/solvers/registry.hpp"

namespace conoid {

Schema schema_of(const CaseDocument& document) {
  const Json* id = document.find("/solver");
  const SolverInfo* info = id && id->is_string() ? find_solver(id->get<std::string>()) : nullptr;
  if (!info) return {};
  auto schema = Schema::for_solver(info->id, info->schema);
  return schema ? std::move(*schema) : Schema();
}

std::vector<std::string> changeable_keys(const Schema& schema) {
  std::vector<std::string> out;
  for (const auto& [pointer, node] : schema.fields())
    if (node.contains("prolongs") && node["prolongs"] == true)
      out.push_back(fmt::format("{}", fmt::join(pointer_steps(pointer), ".")));
  return out;
}

std::vector<std::string> keys_of_the_end(const Schema& schema) {
  std::vector<std::string> out = changeable_keys(schema);
  std::erase_if(out, [](const std::string& key) { return !key.starts_with("parameters."); });
  return out;
}

}  // namespace conoid
