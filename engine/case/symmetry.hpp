// SPDX-License-Identifier: BSD-3-Clause
// What the coordinates of a case turn around, as its schema says (`symmetry` of an enum of coordinates).
#pragma once

#include <optional>
#include <string>

#include "engine/core/json.hpp"

namespace conoid {

/// Coordinates whose points stand for circles around a line (turns 1) or spheres around a point (turns 2).
struct CaseSymmetry {
  int axis = 1;       ///< 0 x, 1 y, 2 z: along which the radius runs
  int turns = 1;      ///< dimensions that the body has beyond its frames
  std::string value;  ///< of the enum: "axisymmetric"
  std::string title;  ///< what is there where the radius is zero, as the schema calls it
};

/// Of the first section of the case that says such coordinates, or has them by default. None: what is seen is the body itself.
[[nodiscard]] std::optional<CaseSymmetry> symmetry_of(const Json& document, const Json& schema);

}  // namespace conoid
