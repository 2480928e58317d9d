// SPDX-License-Identifier: BSD-3-Clause
// One key under one name.
#include "engine/case/former_names.hpp"

#include <algorithm>
#include <set>
#include <utility>
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

/// Whether an object has a member of one of these names.
bool has_any(const Json& object, const std::set<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return object.contains(name); });
}

void collect_former(const Json& node, std::set<std::string>& names) {
  if (const Json* former = get(node, "formerly"); former != nullptr && former->is_array())
    for (const Json& then : *former) names.insert(then.get<std::string>());
  if (node.is_structured())
    for (const Json& part : node) collect_former(part, names);
}

/// Renames in the value at `pointer` of `root` and below. Recursive by nesting, which documents bound.
void rename_below(Json& root, const std::string& pointer, const Schema& schema, const std::set<std::string>& former) {
  Json& here = root.at(Json::json_pointer(pointer));
  if (here.is_array()) {
    for (std::size_t i = 0; i < here.size(); ++i)
      if (here[i].is_structured()) rename_below(root, pointer_join(pointer, std::to_string(i)), schema, former);
    return;
  }
  if (!here.is_object()) return;
  if (has_any(here, former)) {
    const Json node = schema.node(pointer, root);
    const Json object = node.is_object() ? effective_object(node, here) : Json();
    if (const Json* properties = get(object, "properties"); properties != nullptr && properties->is_object())
      for (const auto& [name, property] : properties->get_ref<const Json::object_t&>()) {
        const Json* before = get(property, "formerly");
        if (before == nullptr || here.contains(name)) continue;
        for (const Json& then : *before) {
          const auto found = here.find(then.get_ref<const std::string&>());
          if (found == here.end()) continue;
          Json value = std::move(*found);
          here.erase(found);
          here[name] = std::move(value);
          break;
        }
      }
  }
  std::vector<std::string> keys;
  for (const auto& [key, member] : here.items())
    if (member.is_structured()) keys.push_back(key);
  for (const std::string& key : keys) rename_below(root, pointer_join(pointer, key), schema, former);
}

}  // namespace

Json with_present_names(const Json& document, const Schema& schema) {
  std::set<std::string> former;
  collect_former(schema.json(), former);
  Json out = document;
  if (!former.empty()) rename_below(out, "", schema, former);
  return out;
}

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
