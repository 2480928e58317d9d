// SPDX-License-Identifier: BSD-3-Clause
// Conditions at the boundaries of a case, by its schema alone: which side of the box, or which group of the mesh, is what.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <QString>

#include "engine/core/json.hpp"
#include "engine/core/types.hpp"
#include "engine/session/mesh_preview.hpp"
#include "render/scene/field_scene.hpp"

namespace conoid::app {

class CaseModel;

struct Condition {
  std::string key;    ///< pointer of what says it: "/boundaries/x_min", "/boundaries/groups/2"
  std::string kind;   ///< "rigid"
  QString words;      ///< the kind's title
  std::string group;  ///< of the mesh; empty: a side of the box, or the rest
  int axis = 0;       ///< of a side
  bool upper = false;
  bool rest = false;      ///< of all faces in none of the groups that have conditions in `section`
  std::string section{};  ///< of the rest: pointer of those conditions, "/boundaries/groups"
  bool outside =
      false;  ///< of the rest: of the outer sides of a box or of the cells of a mesh, not of the cells of a surface
  int radius = -1;    ///< of a side that begins the radius, of groups and of the rest: the axis along which it runs
  QString at_zero{};  ///< of these: what faces at a radius of zero are instead
  [[nodiscard]] bool is_side() const { return group.empty() && !rest; }
};

/// All of a case, outside /excitation and /output. Conditions are objects with a kind (a discriminator, or a "kind" of an enum): members
/// named x_min to z_max, said or by the schema's default; entries of a map whose keys are such names or groups of the mesh; elements of a
/// list with a "group"; the `rest` of a map or list (engine/case/schema.cpp), where the case has a mesh; without one, of a map whose keys may be
/// sides, each side that says nothing. Where coordinates turn around a line or a point (`symmetry` of the schema), faces at a radius of zero
/// are no boundary: a side or group there that is as the rest or as a mirror (`mirrors` of the schema), and the rest know what they are called.
[[nodiscard]] std::vector<Condition> conditions_of(const Json& json, const Json& schema);

/// Those that belong to a place of the form: of the section ("/boundaries") that it lies in.
[[nodiscard]] std::vector<Condition> conditions_at(const std::vector<Condition>& all, const std::string& pointer);

/// A mark for each, in the middle of its side or on its group, in a colour for each kind. Null: no box, no mesh; what has no place there
/// has no mark, as the rest of a mesh whose faces all have conditions of their own.
[[nodiscard]] std::vector<Marker> condition_marks(const std::vector<Condition>& conditions,
                                                  const std::optional<std::array<Vec3, 2>>& box,
                                                  const MeshPreview* mesh);

/// Gives the condition that one key says to another of the same section, as one undoable step; an element of a list keeps its own group and
/// name. One that the case does not say (a default) takes away what the other says. The reason where it cannot be: another section.
[[nodiscard]] QString take_condition(CaseModel& model, const std::string& from, const std::string& onto);

/// The edge of a condition's side of the box, closed; of a box without depth along an axis a line. Empty for groups.
[[nodiscard]] std::vector<Vec3> rim_of(const Condition& condition, const std::array<Vec3, 2>& box);

}  // namespace conoid::app
