// SPDX-License-Identifier: BSD-3-Clause
// The "mesh" section of a case: which file, in which unit, how it is repaired and placed.
#include "engine/solvers/mesh_section.hpp"

#include <cmath>

#include "engine/core/units.hpp"

namespace conoid {
namespace {

/// Three numbers of a document that has perhaps not been checked; zeros where there are none that can be read.
Vec3 three(const Json* list, const char* unit) {
  Vec3 out{};
  if (list == nullptr || !list->is_array() || list->size() != 3) return out;
  for (std::size_t k = 0; k < 3; ++k) out[k] = length_of(&(*list)[k], unit).value_or(0);
  return out;
}

}  // namespace

std::optional<double> length_of(const Json* value, const char* unit) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  if (!value->is_string()) return std::nullopt;
  const auto read = parse_quantity(value->get<std::string>(), unit);
  return read ? std::optional(read->value) : std::nullopt;
}

MeshRequest mesh_request(const CaseDocument& document) {
  MeshRequest out;
  const auto at = [&](const char* key) { return document.find(std::string("/mesh/") + key); };
  const auto text = [&](const char* key) {
    const Json* value = at(key);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
  };
  const auto truth = [&](const char* key) {
    const Json* value = at(key);
    return value != nullptr && value->is_boolean() && value->get<bool>();
  };
  out.file = text("file");
  if (out.file.is_relative()) out.file = document.folder() / out.file;
  out.unit = text("unit");
  out.size = length_of(at("size"), "m").value_or(0);
  RepairOptions& repair = out.repair;
  if (const auto merge = length_of(at("merge"), "m")) {
    repair.merge = *merge > 0 ? RepairOptions::Merge::all : RepairOptions::Merge::none;
    repair.tolerance = *merge;
  }
  if (const auto orient = orientation_named(text("orient"))) repair.orient = *orient;
  repair.fill_holes = truth("fill_holes");
  repair.flip = truth("flip");
  repair.scale = length_of(at("scale"), "1").value_or(1);
  repair.rotate = three(at("rotate"), "rad");
  repair.translate = three(at("translate"), "m");
  return out;
}

}  // namespace conoid
