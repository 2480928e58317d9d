// SPDX-License-Identifier: BSD-3-Clause
// A walk through schema and case side by side.
#include "app/model/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include <QCoreApplication>

#include "app/forms/schema_text.hpp"
#include "app/model/case_model.hpp"
#include "app/model/json_path.hpp"
#include "app/model/names.hpp"
#include "engine/case/symmetry.hpp"
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

/// What the schema says of faces without a condition of their own; kind, words and key are settled by settle_rest().
void collect_rest(const Json& node, const std::string& pointer, std::vector<Condition>& out) {
  if (string_at(node, "rest").empty()) return;
  Condition one{pointer, string_at(node, "rest"), {}, {}};
  one.rest = true;
  one.section = pointer;
  one.outside = keyword_of(node, "map").is_object() && string_at(node, "group").empty();
  out.push_back(std::move(one));
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
  collect_rest(node, pointer, out);
}

const Json& property_at(const Json& schema, const std::string& pointer) {
  const Json* node = &schema;
  for (std::string_view left = pointer; node->is_object() && !left.empty();) {
    const std::size_t end = std::min(left.find('/', 1), left.size());
    node = &keyword_of(keyword_of(*node, "properties"), std::string(left.substr(1, end - 1)).c_str());
    left.remove_prefix(end);
  }
  return *node;
}

/// What a map or list of conditions says of a kind.
const Json& variant_of(const Json& section, const std::string& kind) {
  const Json& entries = keyword_of(section, section.contains("map") ? "map" : "items");
  return keyword_of(keyword_of(entries, "variants"), kind.c_str());
}

/// A rest that points at another key is as that says, or its default; its words are those of the same kind on a group, if there is one.
void settle_rest(Condition& one, const Json& json, const Json& schema) {
  if (one.kind.starts_with('/')) {
    one.key = one.kind;
    const Json* said = find_value(json, one.key);
    one.kind =
        said && said->is_string() ? said->get<std::string>() : string_at(property_at(schema, one.key), "default");
  }
  const Json& variant = variant_of(property_at(schema, one.section), one.kind);
  one.words = variant.is_object() ? label_of(one.kind, variant) : translated(one.kind);
}

/// The middles of the cells of a part that `wanted` takes by the number of their group, 0 for none.
template <class Wanted>
void collect_middles(const FramePart& part, const Wanted& wanted, std::vector<Vec3>& out) {
  const auto* geometry = std::get_if<MeshGeometry>(&part.geometry);
  if (!geometry) return;
  const auto field =
      std::find_if(part.fields.begin(), part.fields.end(), [](const Field& f) { return f.info.name == "group"; });
  const std::size_t cells = geometry->offsets->empty() ? 0 : geometry->offsets->size() - 1;
  for (std::size_t c = 0; c < cells; ++c) {
    if (!wanted(field == part.fields.end() ? 0.0F : (*field->values)[c])) continue;
    const auto from = static_cast<std::size_t>((*geometry->offsets)[c]),
               to = static_cast<std::size_t>((*geometry->offsets)[c + 1]);
    Vec3 sum{};
    for (std::size_t n = from; n < to; ++n)
      for (std::size_t k = 0; k < 3; ++k)
        sum[k] += (*geometry->points)[3 * static_cast<std::size_t>((*geometry->connectivity)[n]) + k];
    if (to > from) out.push_back(vec::scale(1.0 / static_cast<double>(to - from), sum));
  }
}

std::optional<Vec3> place_on_group(const MeshPreview& mesh, const std::string& group) {
  const auto name = std::find(mesh.group_names.begin(), mesh.group_names.end(), group);
  if (name == mesh.group_names.end() || !mesh.frame) return std::nullopt;
  const auto number = static_cast<std::size_t>(name - mesh.group_names.begin());
  std::vector<Vec3> middles;
  for (const FramePart& part : mesh.frame->parts)
    collect_middles(
        part, [number](float n) { return n == static_cast<float>(number); }, middles);
  // Rims of a plane mesh are no part of its picture.
  return middles.empty() && number < mesh.side_places.size() ? mesh.side_places[number] : central(middles);
}

/// Whether all outer sides of a group lie where the coordinate of an axis is zero.
bool lies_at_zero(const MeshPreview& mesh, const std::string& group, std::size_t axis) {
  const auto name = std::find(mesh.group_names.begin(), mesh.group_names.end(), group);
  const auto number = static_cast<std::size_t>(name - mesh.group_names.begin());
  return name != mesh.group_names.end() && number < mesh.side_places.size() && mesh.side_places[number] &&
         !mesh.at_zero[axis].elsewhere[number];
}

/// A face that is in none of the groups with conditions of the section: of a surface, or of the outside of cells.
std::optional<Vec3> place_on_rest(const MeshPreview& mesh, const std::vector<Condition>& conditions,
                                  const Condition& rest) {
  std::vector<std::size_t> taken;
  for (const Condition& one : conditions) {
    if (one.group.empty() || !is_within(one.key, rest.section)) continue;
    const auto name = std::find(mesh.group_names.begin(), mesh.group_names.end(), one.group);
    if (name != mesh.group_names.end()) taken.push_back(static_cast<std::size_t>(name - mesh.group_names.begin()));
  }
  const auto free = [&taken](std::size_t group) { return std::find(taken.begin(), taken.end(), group) == taken.end(); };
  if (rest.outside) {
    const auto& places =
        rest.radius < 0 ? mesh.side_places : mesh.at_zero[static_cast<std::size_t>(rest.radius)].elsewhere;
    for (std::size_t group = 0; group < places.size(); ++group)
      if (places[group] && free(group)) return places[group];
    return std::nullopt;
  }
  if (!mesh.frame || mesh.summary.dimension != 2) return std::nullopt;
  std::vector<Vec3> middles;
  for (const FramePart& part : mesh.frame->parts)
    collect_middles(
        part, [&free](float n) { return free(static_cast<std::size_t>(n)); }, middles);
  return central(middles);
}

/// Sides that begin the radius and groups, where they are as the rest or a mirror, and the rest itself.
void take_symmetry(std::vector<Condition>& all, const Json& json, const Json& schema) {
  const auto symmetry = symmetry_of(json, schema);
  if (!symmetry) return;
  for (Condition& one : all) {
    const bool begins = !one.is_side() || (one.axis == symmetry->axis && !one.upper);
    const Json& section = property_at(schema, parent_pointer(one.key));
    const bool mirrors =
        string_at(section, "rest") == one.kind || keyword_of(variant_of(section, one.kind), "mirrors") == Json(true);
    if (!one.rest && !(begins && mirrors)) continue;
    one.radius = symmetry->axis;
    one.at_zero = translated(symmetry->title);
  }
}

/// Instead of the rest of a box each of its sides that says nothing.
void add_unsaid_sides(const Condition& rest, std::vector<Condition>& out) {
  for (int axis = 0; axis < 3; ++axis)
    for (const bool upper : {false, true}) {
      Condition one = rest;
      one.rest = false;
      one.axis = axis;
      one.upper = upper;
      one.key = child_pointer(rest.section, std::string{static_cast<char>('x' + axis)} + (upper ? "_max" : "_min"));
      if (std::none_of(out.begin(), out.end(), [&](const Condition& said) { return said.key == one.key; }))
        out.push_back(std::move(one));
    }
}

}  // namespace

std::vector<Condition> conditions_of(const Json& json, const Json& schema) {
  std::vector<Condition> out;
  collect(schema, &json, "", 0, out);
  for (Condition& one : out)
    if (one.rest) settle_rest(one, json, schema);
  const Json* mesh = find_value(json, "/mesh");
  if (mesh && mesh->is_object()) {
    take_symmetry(out, json, schema);
    return out;
  }
  std::vector<Condition> rest;
  std::copy_if(out.begin(), out.end(), std::back_inserter(rest), [](const Condition& one) { return one.rest; });
  std::erase_if(out, [](const Condition& one) { return one.rest; });
  for (const Condition& one : rest)
    if (one.outside) add_unsaid_sides(one, out);
  take_symmetry(out, json, schema);
  return out;
}

std::vector<Condition> conditions_at(const std::vector<Condition>& all, const std::string& pointer) {
  std::vector<Condition> out;
  if (pointer.empty()) return out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), [&](const Condition& c) {
    return first_token(c.rest ? c.section : c.key) == first_token(pointer) ||
           (c.rest && first_token(c.key) == first_token(pointer));
  });
  return out;
}

std::vector<Marker> condition_marks(const std::vector<Condition>& conditions,
                                    const std::optional<std::array<Vec3, 2>>& box, const MeshPreview* mesh) {
  std::vector<Marker> out;
  std::vector<std::string> kinds;
  const auto add = [&](const Condition& one, const std::string& kind, const Vec3& place, std::string label) {
    const auto at = std::find(kinds.begin(), kinds.end(), kind);
    Marker marker;
    marker.kind = MarkerKind::boundary;
    marker.position = place;
    marker.colour = static_cast<int>(at - kinds.begin());
    marker.key = one.key;
    marker.label = std::move(label);
    out.push_back(std::move(marker));
    if (at == kinds.end()) kinds.push_back(kind);
  };
  for (const Condition& one : conditions) {
    const std::string at_zero = one.at_zero.toStdString();
    if (one.rest) {
      if (!mesh) continue;
      if (const auto place = place_on_rest(*mesh, conditions, one))
        add(one, one.kind, *place,
            QCoreApplication::translate("Conditions", "all other faces: %1").arg(one.words).toStdString());
      if (one.radius < 0) continue;
      if (const auto& place = mesh->at_zero[static_cast<std::size_t>(one.radius)].there)
        add(one, at_zero, *place, at_zero);
    } else if (!one.group.empty()) {
      if (!mesh) continue;
      const bool zero = one.radius >= 0 && lies_at_zero(*mesh, one.group, static_cast<std::size_t>(one.radius));
      if (const auto place = place_on_group(*mesh, one.group))
        add(one, zero ? at_zero : one.kind, *place, one.group + ": " + (zero ? at_zero : one.words.toStdString()));
    } else if (box) {
      const auto axis = static_cast<std::size_t>(one.axis);
      const double low = (*box)[0][axis], high = (*box)[1][axis];
      if (!(high > low)) continue;  // a box without depth has no sides there
      Vec3 place = vec::scale(0.5, vec::add((*box)[0], (*box)[1]));
      place[axis] = one.upper ? high : low;
      const bool zero = one.radius >= 0 && std::abs(low) <= 1e-12 * high;
      add(one, zero ? at_zero : one.kind, place, zero ? at_zero : one.words.toStdString());
    }
  }
  return out;
}

QString take_condition(CaseModel& model, const std::string& from, const std::string& onto) {
  const auto section = [](const std::string& key) { return key.substr(0, key.rfind('/')); };
  const QString words = QObject::tr("condition of a boundary");
  if (from == onto) return {};
  if (section(from) != section(onto))
    return QObject::tr("These two boundaries are not of one list: their conditions have other keys.");
  const Json* said = model.value(from);
  const Json* there = model.value(onto);
  if (said == nullptr) {
    if (there != nullptr) model.remove(onto, words);
    return {};
  }
  Json value = *said;
  if (value.is_object())
    for (const char* own : {"group", "name"}) {
      value.erase(own);
      if (there != nullptr && there->is_object() && there->contains(own)) value[own] = (*there)[own];
    }
  model.set(onto, std::move(value), words);
  return {};
}

std::vector<Vec3> rim_of(const Condition& condition, const std::array<Vec3, 2>& box) {
  if (!condition.is_side()) return {};
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
