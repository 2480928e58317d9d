// SPDX-License-Identifier: BSD-3-Clause
// Keys that have a mark in the schemas.
#include "engine/session/prolong.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/case/case.hpp"
#include "engine/core/json_values.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid {

const Schema& schema_of(const Json& document) {
  static std::mutex mutex;
  static std::map<std::string, Schema, std::less<>> known;
  static const Schema none;
  const SolverInfo* info = find_solver(text_at(document, "solver"));
  if (!info) return none;
  const std::scoped_lock lock(mutex);
  auto at = known.find(info->id);
  if (at == known.end()) {
    auto schema = Schema::for_solver(info->id, info->schema);
    at = known.emplace(info->id, schema ? std::move(*schema) : Schema()).first;
  }
  return at->second;
}

const Schema& schema_of(const CaseDocument& document) {
  return schema_of(document.json());
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

namespace {

/// The number at a path of keys in a resolved case; nothing where there is none.
std::optional<double> number_at(const Case& input, const std::string& path) {
  Values at = input.values();
  for (const std::string& step : pointer_steps(*to_pointer(path))) {
    if (!at.has(step)) return {};
    at = at[step];
  }
  if (!at.json().is_number()) return {};
  return at.number();
}

}  // namespace

std::optional<std::string> frames_as_begun(const CaseDocument& before, const CaseDocument& after,
                                           const Schema& schema) {
  const auto same = [](const Json* a, const Json* b) { return (!a && !b) || (a && b && *a == *b); };
  if (!same(before.find("/output/frames"), after.find("/output/frames"))) return {};
  const auto was = Case::resolve(before, schema), is = Case::resolve(after, schema);
  if (!was || !is || !(*was)["output"].has("frames")) return {};
  const Values frames = (*was)["output"]["frames"];
  if (frames.has("every") || frames.has("interval") || !frames.has("count")) return {};
  const auto count = static_cast<double>(frames["count"].integer());
  if (count <= 0) return {};
  for (const std::string& key : keys_of_the_end(schema)) {
    const auto old_end = number_at(*was, key), new_end = number_at(*is, key);
    if (!old_end || !new_end || *old_end == *new_end) continue;
    Json apart = Json::object();
    if (const Json* given = after.find("/output/frames"); given && given->is_object()) apart = *given;
    apart.erase("count");
    const Json node = schema.node(*to_pointer(key), after.json());
    if (node.value("type", "") == "integer")
      apart["every"] = std::max<Index>(1, std::llround(*old_end / count));
    else if (node.value("unit", "") == "s")
      apart["interval"] = *old_end / count;
    else
      continue;
    return json_text(apart);
  }
  return {};
}

}  // namespace conoid
