// SPDX-License-Identifier: BSD-3-Clause
// Sources, receivers and plane waves of a case in the picture; new receivers are placed there, and what is there is dragged.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/model/case_model.hpp"
#include "engine/core/types.hpp"
#include "render/scene/field_scene.hpp"

namespace conoid::app {

/// Everything in the case that has a "position": sources below /excitation, receivers elsewhere. Waves are what has a "direction" and no
/// "position" below /excitation, and an excitation whose schema has the angles "theta" and "phi" of where a wave comes from (with a
/// "polarisation" V, along theta, H, along phi, or both); without the schema, or beside sources, only where the case gives one of the angles.
/// Sources have the "direction" that stands beside their position. At most 2000;
/// `key` is the pointer of the element.
[[nodiscard]] std::vector<Marker> markers_of(const Json& json, const Json& schema = {});

/// Puts into the case where a marker has been dragged to, as one undoable step: its position, or, of a wave that comes from there, its
/// `direction`. False where the marker is not of the case.
bool move_marker(CaseModel& model, const Marker& marker, const Vec3& place, const Vec3& direction);

/// The list that holds receivers, by the schema alone: an array outside /excitation whose elements have a "position" of
/// three numbers. Its pointer, or nothing when this kind of case has none.
[[nodiscard]] std::optional<std::string> receiver_list(const Json& schema);

/// Adds a receiver at a place as one undoable step. False when the case knows no receivers.
bool place_receiver(CaseModel& model, const Vec3& place);

/// "1, 0.5 m, 20 cm" as a place, m; none where it is no three lengths. Semicolons part as commas do, so that these may be decimal.
[[nodiscard]] std::optional<Vec3> place_from(const QString& typed);

}  // namespace conoid::app
