// SPDX-License-Identifier: BSD-3-Clause
// Far fields of a run that may be drawn around its body: columns of its tables over directions.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <QString>

#include "app/model/run_model.hpp"
#include "engine/run/derived_frame.hpp"

namespace conoid::app {

/// Key ("table:column") and words of each.
[[nodiscard]] std::vector<std::pair<QString, QString>> far_fields_of(const RunModel& run);

/// Lays the far field of a key into a recipe; of a key that the run does not have none. Errors are those of sphere_of().
[[nodiscard]] Status lay_far_field(const RunModel& run, const QString& key, FrameRecipe& recipe);

}  // namespace conoid::app
