// SPDX-License-Identifier: BSD-3-Clause
// Values of a field over all frames of a run: at a place, or summed over a part or a group of the mesh, as `conoid probe` gives them.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <QString>

#include "engine/core/error.hpp"
#include "engine/core/vec3.hpp"
#include "engine/io/frame.hpp"
#include "render/chart/chart_spec.hpp"
#include "render/scene/field_view.hpp"

namespace conoid::app {

struct ValuesQuestion {
  std::filesystem::path run;
  FieldInfo field;
  std::string part;                   ///< of the frames; empty: the finest at the place
  std::string component, show;        ///< as the options of those names; empty: all
  std::vector<std::string> formulas;  ///< of fields that the run does not keep
  std::optional<Vec3> place;          ///< metres
  std::string over;                   ///< without a place: a part, a group of the mesh, or "all"
};

/// What is looked at of a field: vectors and waves as a view shows them; of a wave at one moment both parts.
[[nodiscard]] ValuesQuestion question_of(const FieldInfo& field, const FieldView& view);
/// The arguments of the command, from "probe" on.
[[nodiscard]] std::vector<std::string> arguments_of(const ValuesQuestion& question);

struct RunValues {
  QString name;                   ///< "At (0, 0, −500) m", "Over wall"
  std::vector<ChartSpec> charts;  ///< over time or frequency: values, or means and ends, then integrals
  QString sentence;               ///< the numbers of the last frame
  std::vector<QString> warnings;  ///< what the command warned of
};
/// Any thread; takes as long as reading all frames does. An error where the run has no such field or place.
[[nodiscard]] Result<RunValues> ask_values(const ValuesQuestion& question, std::filesystem::path program = {},
                                           std::stop_token stop = {});

}  // namespace conoid::app
