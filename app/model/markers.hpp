// SPDX-License-Identifier: BSD-3-Clause
// Sources and receivers of a case as places in the picture, and new receivers placed there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/model/case_model.hpp"
#include "engine/core/types.hpp"
#include "render/scene/field_scene.hpp"

namespace conoid::app {

/// Everything in the case that has a "position": sources below /excitation, receivers elsewhere. At most 2000.
[[nodiscard]] std::vector<Marker> markers_of(const Json& json);

/// The list that holds receivers, by the schema alone: an array outside /excitation whose elements have a "position" of
/// three numbers. Its pointer, or nothing when this kind of case has none.
[[nodiscard]] std::optional<std::string> receiver_list(const Json& schema);

/// Adds a receiver at a place as one undoable step. False when the case knows no receivers.
bool place_receiver(CaseModel& model, const Vec3& place);

/// "1, 0.5 m, 20 cm" as a place, m; none where it is no three lengths. Semicolons part as commas do, so that these may be decimal.
[[nodiscard]] std::optional<Vec3> place_from(const QString& typed);

}  // namespace conoid::app
