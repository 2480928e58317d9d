// SPDX-License-Identifier: BSD-3-Clause
// A walk through schema and case side by side.
#include "app/model/conditions.hpp"

#include <algorithm>
#include <tuple>

#include "app/forms/schema_text.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "engine/core/vec3.hpp"

namespace conoid::app {
namespace {

constexpr std::size_t most = 500;
constexpr int deepest = 5;

/// "x_min" → axis and side.
std::optional<std::pair<int, bool>> side_of(const std::string& name) {
  if (name.size() != 5 || name[0] < 'x' || name[0] > 'z') return std::nullopt;
  if (name.ends_with("_min")) return std::pair(name[0] - 'x', false);
  if (name.ends_with("_max")) return std::pair(name[0] - 'x', true);
  return std::nullopt;
}

/// Where a node keeps its kind: the key, and its schema.
std::string kind_key(const Json& node) {
  if (std::string key = string_at(node, "discriminator"); !key.empty()) return key;
  const Json& kind = keyword_of(keyword_of(node, "properties"), "kind");
  return kind.is_object() && kind.contains("enum") ? "kind" : std::string();
}

/// Fills in the kind and its words; false where neither the case nor the schema says one.
bool take_kind(const Json& node, const Json* value, Condition& out) {
  const std::string key = kind_key(node);
  if (key.empty()) return false;
  const Json& own = keyword_of(keyword_of(node, "properties"), key.c_str());
  out.kind = value && value->is_object() ? string_at(*value, key.c_str()) : std::string();
  if (out.kind.empty()) out.kind = string_at(own, "default");
  if (out.kind.empty()) return false;
  const Json& variant = keyword_of(keyword_of(node, "variants"), out.kind.c_str());
  out.words = variant.is_object() ? label_of(out.kind, variant) : translated(out.kind);
  return true;
}

void collect(const Json& node, const Json* value, const std::string& pointer, int depth, std::vector<Condition>& out);

void collect_members(const Json& node, const Json* value, const std::string& pointer, int depth,
                     std::vector<Condition>& out) {
  const Json& properties = keyword_of(node, "properties");
  if (!properties.is_object()) return;
  for (const auto& [key, child] : properties.items()) {
    if (depth == 0 && (key == "excitation" || key == "output")) continue;
    const Json* const own = value && value->is_object() && value->contains(key) ? &(*value)[key] : nullptr;
    Condition side{child_pointer(pointer, key), {}, {}, {}};
    if (const auto place = side_of(key); place && take_kind(child, own, side)) {
      std::tie(side.axis, side.upper) = *place;
      out.push_back(std::move(side));
    } else {
      collect(child, own, child_pointer(pointer, key), depth + 1, out);
    }
  }
}

void collect(const Json& node, const Json* value, const std::string& pointer, int depth, std::vector<Condition>& out) {
  if (!node.is_object() || depth > deepest || out.size() >= most) return;
  collect_members(node, value, pointer, depth, out);
  if (const Json& entries = keyword_of(node, "map"); entries.is_object() && value && value->is_object())
    for (const auto& [key, entry] : value->items()) {
      Condition one{child_pointer(pointer, key), {}, {}, key};
      const auto place = side_of(key);
      if (!take_kind(entries, &entry, one) || (!place && string_at(node, "group").empty() && !entry.contains("kind")))
        continue;
      if (place) {
        std::tie(one.axis, one.upper) = *place;
        one.group.clear();
      }
      out.push_back(std::move(one));
    }
  if (const Json& items = keyword_of(node, "items"); items.is_object() && value && value->is_array())
    for (std::size_t i = 0; i < value->size(); ++i) {
      Condition one{child_pointer(pointer, i), {}, {}, string_at((*value)[i], "group")};
      if (!one.group.empty() && take_kind(items, &(*value)[i], one)) out.push_back(std::move(one));
    }
}

/// The middles of the faces of each group of a preview that is asked for: the one that is nearest to the middle of all of its faces.
std::optional<Vec3> place_on_group(const MeshPreview& mesh, const std::string& group) {
  const auto name = std::find(mesh.group_names.begin(), mesh.group_names.end(), group);
  if (name == mesh.group_names.end() || !mesh.frame) return std::nullopt;
  const auto number = static_cast<float>(name - mesh.group_names.begin());
  std::vector<Vec3> middles;
  for (const FramePart& part : mesh.frame->parts) {
    const auto* geometry = std::get_if<MeshGeometry>(&part.geometry);
    const auto field =
        std::find_if(part.fields.begin(), part.fields.end(), [](const Field& f) { return f.info.name == "group"; });
    if (!geometry || field == part.fields.end()) continue;
    for (std::size_t c = 0; c < field->values->size(); ++c) {
      if ((*field->values)[c] != number) continue;
      const auto from = static_cast<std::size_t>((*geometry->offsets)[c]),
                 to = static_cast<std::size_t>((*geometry->offsets)[c + 1]);
      Vec3 sum{};
      for (std::size_t n = from; n < to; ++n)
        for (std::size_t k = 0; k < 3; ++k)
          sum[k] += (*geometry->points)[3 * static_cast<std::size_t>((*geometry->connectivity)[n]) + k];
      if (to > from) middles.push_back(vec::scale(1.0 / static_cast<double>(to - from), sum));
    }
  }
  if (middles.empty()) return std::nullopt;
  Vec3 middle{};
  for (const Vec3& m : middles) middle = vec::axpy(1.0 / static_cast<double>(middles.size()), m, middle);
  return *std::min_element(middles.begin(), middles.end(), [&](const Vec3& a, const Vec3& b) {
    return vec::distance(a, middle) < vec::distance(b, middle);
  });
}

}  // namespace

std::vector<Condition> conditions_of(const Json& json, const Json& schema) {
  std::vector<Condition> out;
  collect(schema, &json, "", 0, out);
  return out;
}

std::vector<Condition> conditions_at(const std::vector<Condition>& all, const std::string& pointer) {
  std::vector<Condition> out;
  if (pointer.empty()) return out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out),
               [&](const Condition& c) { return first_token(c.key) == first_token(pointer); });
  return out;
}

std::vector<Marker> condition_marks(const std::vector<Condition>& conditions,
                                    const std::optional<std::array<Vec3, 2>>& box, const MeshPreview* mesh) {
  std::vector<Marker> out;
  std::vector<std::string> kinds;
  for (const Condition& one : conditions) {
    const auto kind = std::find(kinds.begin(), kinds.end(), one.kind);
    const auto colour = static_cast<int>(kind - kinds.begin());
    if (kind == kinds.end()) kinds.push_back(one.kind);
    std::optional<Vec3> place;
    if (!one.group.empty()) {
      if (mesh) place = place_on_group(*mesh, one.group);
    } else if (box) {
      const auto axis = static_cast<std::size_t>(one.axis);
      // A box without depth has no sides there.
      if ((*box)[1][axis] > (*box)[0][axis]) {
        place = vec::scale(0.5, vec::add((*box)[0], (*box)[1]));
        (*place)[axis] = (*box)[one.upper ? 1 : 0][axis];
      }
    }
    if (!place) continue;
    Marker marker;
    marker.kind = MarkerKind::boundary;
    marker.position = *place;
    marker.colour = colour;
    marker.key = one.key;
    marker.label = one.group.empty() ? one.words.toStdString() : one.group + ": " + one.words.toStdString();
    out.push_back(std::move(marker));
  }
  return out;
}

std::vector<Vec3> rim_of(const Condition& condition, const std::array<Vec3, 2>& box) {
  if (!condition.group.empty()) return {};
  const auto axis = static_cast<std::size_t>(condition.axis);
  const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
  std::vector<Vec3> out;
  for (const auto& [a, b] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}}) {
    Vec3 corner{};
    corner[axis] = box[condition.upper ? 1 : 0][axis];
    corner[u] = box[static_cast<std::size_t>(a)][u];
    corner[v] = box[static_cast<std::size_t>(b)][v];
    out.push_back(corner);
  }
  return out;
}

}  // namespace conoid::app
