// SPDX-License-Identifier: BSD-3-Clause
// Rows of a spreadsheet as elements of a list.
#pragma once

#include <QString>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

namespace conoid::app {

/// Lines are elements; tabs, semicolons or commas part the cells. A first line of names says which column is which member
/// ("name, x, y, z, frequency"); without it the columns are the members in the schema's order, a vector taking as many
/// columns as it has components ("x", "y", "z" or "position x"). Elements that are plain vectors or single values take
/// their cells in order. Cells may carry units. The error names line and column.
[[nodiscard]] Result<Json> rows_from_text(const QString& text, const Json& items_node);

}  // namespace conoid::app
