// SPDX-License-Identifier: BSD-3-Clause
// The key that thins volumes is the one that the schema marks.
#include "app/model/frame_points.hpp"

#include <cmath>
#include <optional>
#include <string>

#include <QObject>

#include "app/forms/schema_text.hpp"
#include "app/model/json_path.hpp"

namespace conoid::app {
namespace {

struct Key {
  std::string pointer;
  const Json* node = nullptr;
};

std::optional<Key> thinning_key(const Json& node, const std::string& pointer, int depth) {
  constexpr int deepest = 4;
  if (!node.is_object() || depth > deepest) return std::nullopt;
  if (const Json& thins = keyword_of(node, "thins"); thins.is_boolean() && thins.get<bool>())
    return Key{pointer, &node};
  const Json& properties = keyword_of(node, "properties");
  if (!properties.is_object()) return std::nullopt;
  for (const auto& [key, child] : properties.items())
    if (auto found = thinning_key(child, child_pointer(pointer, key), depth + 1)) return found;
  return std::nullopt;
}

}  // namespace

bool keeps_all_points(const CaseModel& model, double points) {
  const auto key = thinning_key(model.schema(), {}, 0);
  if (!key) return true;
  const Json* own = model.value(key->pointer);
  const Json& kept = own != nullptr ? *own : keyword_of(*key->node, "default");
  return kept.is_number() && kept.get<double>() >= points;
}

bool keep_all_points(CaseModel& model, double points) {
  const auto key = thinning_key(model.schema(), {}, 0);
  if (!key) return false;
  model.set(key->pointer, static_cast<std::int64_t>(std::ceil(points)), QObject::tr("keeping of all points"));
  return true;
}

}  // namespace conoid::app
