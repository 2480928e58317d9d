// SPDX-License-Identifier: BSD-3-Clause
// Rows of a spreadsheet as elements of a list.
#pragma once

#include <string>
#include <vector>

#include <QString>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

namespace conoid::app {

/// Where a column of a table goes: a member of the element, and a component where that is a vector. An element that is
/// itself a vector or a single value has an empty key.
struct TableColumn {
  std::string key;
  int component = -1;
  bool is_text = false;
  std::string unit;
};
/// The columns of a list: members that are numbers, texts or short vectors, in the schema's order; other members have none.
[[nodiscard]] std::vector<TableColumn> columns_of(const Json& items_node);
/// "position x", "speed".
[[nodiscard]] QString heading(const TableColumn& column);

/// Lines are elements; tabs, semicolons or commas part the cells. A first line of names says which column is which member
/// ("name, x, y, z, frequency"); without it the columns are the members in the schema's order, a vector taking as many
/// columns as it has components ("x", "y", "z" or "position x"). Elements that are plain vectors or single values take
/// their cells in order. Cells may carry units. The error names line and column.
[[nodiscard]] Result<Json> rows_from_text(const QString& text, const Json& items_node);

}  // namespace conoid::app
