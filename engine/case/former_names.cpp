// SPDX-License-Identifier: BSD-3-Clause
// One key under one name.
#include "engine/case/former_names.hpp"

#include <algorithm>
#include <vector>

#include "engine/case/schema_nodes.hpp"

namespace conoid {
namespace {

using schema_nodes::get;

/// All names of a property of an object's node, if `step` is one of them and it has several.
std::vector<std::string> names_of(const Json& object, const std::string& step) {
  const Json* properties = get(object, "properties");
  if (properties == nullptr) return {};
  for (const auto& [name, node] : properties->get_ref<const Json::object_t&>()) {
    const Json* former = get(node, "formerly");
    if (former == nullptr) continue;
    std::vector<std::string> names{name};
    for (const Json& then : *former) names.push_back(then.get<std::string>());
    if (std::find(names.begin(), names.end(), step) != names.end()) return names;
  }
  return {};
}

}  // namespace

Status take_names_of(CaseDocument& document, const Schema& schema, std::string_view path) {
  const auto pointer = to_pointer(path);
  if (!pointer) return pointer.error();
  CaseDocument changed = document;
  std::string above;
  for (const std::string& step : pointer_steps(*pointer)) {
    const std::string here = pointer_join(above, step);
    const Json* object = above.empty() ? &changed.json() : changed.find(above);
    const Json node = schema.node(above, changed.json());
    if (object != nullptr && object->is_object() && node.is_object())
      for (const std::string& name : names_of(effective_object(node, *object), step)) {
        const std::string other = pointer_join(above, name);
        const Json* found = name != step ? changed.find(other) : nullptr;
        if (found == nullptr) continue;
        Json moved = *found;
        if (Status removed = changed.set_json(other, Json()); !removed) return removed;
        if (Status put = changed.set_json(here, std::move(moved)); !put) return put;
        break;
      }
    above = here;
  }
  document = std::move(changed);
  return {};
}

Status set_by_any_name(CaseDocument& document, const Schema& schema, std::string_view path, std::string_view value) {
  CaseDocument changed = document;
  if (to_pointer(path))
    if (Status named = take_names_of(changed, schema, path); !named) return named;
  if (Status set = changed.set(path, value); !set) return set;
  document = std::move(changed);
  return {};
}

}  // namespace conoid
