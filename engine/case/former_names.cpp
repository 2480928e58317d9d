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

std::string last_step(const std::string& pointer) {
  const auto steps = pointer_steps(pointer);
  return steps.empty() ? std::string() : steps.back();
}

/// Whether an object has a member of one of these names.
bool has_any(const Json& object, const std::set<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return object.contains(name); });
}

/// Keys of a schema at which something may have to be renamed.
struct Candidates {
  std::set<std::string> former;  ///< names that keys had
  std::set<std::string> lists;   ///< names of objects in whose place a list may stand
};

void collect_candidates(const Json& node, Candidates& names) {
  if (const Json* former = get(node, "formerly"); former != nullptr && former->is_array())
    for (const Json& then : *former) names.former.insert(then.get<std::string>());
  if (node.is_object())
    for (const auto& [key, part] : node.items())
      if (get(part, "list") != nullptr) names.lists.insert(key);
  if (node.is_structured())
    for (const Json& part : node) collect_candidates(part, names);
}

/// Renames in the value at `pointer` of `root` and below; a list in the place of an object goes into its member. Recursive by nesting,
/// which documents bound.
void rename_below(Json& root, const std::string& pointer, const Schema& schema, const Candidates& names,
                  std::vector<FormerName>* renamed) {
  Json& here = root.at(Json::json_pointer(pointer));
  if (here.is_array()) {
    if (names.lists.contains(last_step(pointer)))
      if (const Json node = schema.node(pointer, root); node.contains("list")) {
        Json object = Json::object();
        object[node["list"].get<std::string>()] = std::move(here);
        here = std::move(object);
        return;
      }
    for (std::size_t i = 0; i < here.size(); ++i)
      if (here[i].is_structured()) rename_below(root, pointer_join(pointer, std::to_string(i)), schema, names, renamed);
    return;
  }
  if (!here.is_object()) return;
  if (has_any(here, names.former)) {
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
          if (renamed != nullptr)
            renamed->push_back({pointer_join(pointer, name), then.get_ref<const std::string&>(), name});
          break;
        }
      }
  }
  std::vector<std::string> keys;
  for (const auto& [key, member] : here.items())
    if (member.is_structured()) keys.push_back(key);
  for (const std::string& key : keys) rename_below(root, pointer_join(pointer, key), schema, names, renamed);
}

void collect_renamed(const Json& node, const std::string& pointer,
                     std::vector<std::pair<std::string, std::vector<std::string>>>& out) {
  if (const Json* former = get(node, "formerly")) out.emplace_back(pointer, former->get<std::vector<std::string>>());
  for (const char* below : {"items", "map"})
    if (const Json* part = get(node, below)) collect_renamed(*part, pointer + "/*", out);
  if (const Json* properties = get(node, "properties"))
    for (const auto& [name, part] : properties->get_ref<const Json::object_t&>())
      collect_renamed(part, pointer_join(pointer, name), out);
  if (const Json* variants = get(node, "variants"))
    for (const auto& [name, variant] : variants->get_ref<const Json::object_t&>())
      collect_renamed(variant, pointer, out);
}

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> renamed_keys(const Schema& schema) {
  std::vector<std::pair<std::string, std::vector<std::string>>> out;
  collect_renamed(schema.json(), "", out);
  return out;
}

std::string written_pointer(const CaseDocument& document, const Schema& schema, const std::string& pointer) {
  if (document.find(pointer) != nullptr) return pointer;
  std::string written;
  const Json* value = &document.json();
  for (const std::string& step : pointer_steps(pointer)) {
    std::string here = step;
    if (value != nullptr && value->is_object() && get(*value, step) == nullptr)
      if (const Json node = schema.node(written, document.json()); node.is_object())
        for (const std::string& name : names_of(effective_object(node, *value), step))
          if (get(*value, name) != nullptr) here = name;
    written = pointer_join(written, here);
    value = value != nullptr ? document.find(written) : nullptr;
  }
  return value != nullptr ? written : pointer;
}

Diagnostic former_name_note(const std::string& then, const std::string& now, Place place) {
  return make_warning(schema_nodes::in_quotes(then) + " is called " + schema_nodes::in_quotes(now) +
                          " now; the former name is still read",
                      "Write " + schema_nodes::in_quotes(now) + ".", std::move(place));
}

Json with_present_names(const Json& document, const Schema& schema, std::vector<FormerName>* renamed) {
  Candidates names;
  collect_candidates(schema.json(), names);
  Json out = document;
  rename_below(out, "", schema, names, renamed);
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
