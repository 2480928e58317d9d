// SPDX-License-Identifier: BSD-3-Clause
// Which values the iso-surfaces of a view have, and how somebody says them.
#pragma once

#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "render/scene/field_view.hpp"

namespace conoid {

/// Values of a view's iso-surfaces in the unit of what is shown: its shares of the range's larger end, and those told as values.
[[nodiscard]] std::vector<double> iso_levels(const FieldView& view, double low, double high);

/// A value of a field in `unit`, "2kPa" or a number alone: in that unit.
[[nodiscard]] Result<double> parse_iso_value(std::string_view text, std::string_view unit);

/// One more iso-surface of a view, as the command line names it: "0.5" and "50%" are shares (−1 … 1) of the range's larger end, "2kPa" is a value,
/// and so is what stands behind an equals sign, "=2000" in `unit` (for fields without one).
[[nodiscard]] Status add_iso(FieldView& view, std::string_view text, std::string_view unit);

}  // namespace conoid
