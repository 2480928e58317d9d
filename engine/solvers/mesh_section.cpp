// SPDX-License-Identifier: BSD-3-Clause
// The "mesh" section of a case: which file, in which unit, how it is repaired and placed.
#include "engine/solvers/mesh_section.hpp"

#include <cmath>

#include "engine/core/units.hpp"
#include "engine/mesh/bodies.hpp"

namespace conoid {
namespace {

/// Three numbers of a document that has perhaps not been checked; zeros where there are none that can be read.
Vec3 three(const Json* list, const char* unit) {
  Vec3 out{};
  if (list == nullptr || !list->is_array() || list->size() != 3) return out;
  for (std::size_t k = 0; k < 3; ++k) out[k] = length_of(&(*list)[k], unit).value_or(0);
  return out;
}

/// The bodies of a case as a file and its unit; no file where they make none.
void take_bodies(const Json& list, MeshRequest& request) {
  request.unit = "m";
  request.gmsh.script = ScriptUse::own;
  request.gmsh.dimension = 2;
  const auto bodies = bodies_from(list);
  if (!bodies) return;
  const auto script = bodies_script(*bodies, request.size);
  if (!script) return;
  request.unit = script->unit;
  if (const auto file = keep_script(script->text)) request.file = *file;
}

}  // namespace

bool names_a_mesh(const CaseDocument& document) {
  const Json* file = document.find("/mesh/file");
  const Json* bodies = document.find("/mesh/bodies");
  return (file != nullptr && file->is_string() && !file->get<std::string>().empty()) ||
         (bodies != nullptr && bodies->is_array() && !bodies->empty());
}

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
  out.size = length_of(at("size"), "m").value_or(0);
  const Json* bodies = at("bodies");
  if (bodies != nullptr && at("file") == nullptr) {
    take_bodies(*bodies, out);
  } else {
    out.file = text("file");
    if (out.file.is_relative()) out.file = document.folder() / out.file;
    out.unit = text("unit");
  }
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
