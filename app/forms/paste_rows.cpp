// SPDX-License-Identifier: BSD-3-Clause
// Rows of a spreadsheet as elements of a list.
#include "app/forms/paste_rows.hpp"

#include <vector>

#include <QStringList>

#include "app/forms/schema_text.hpp"

namespace conoid::app {
namespace {

constexpr qsizetype most_rows = 100000;

}  // namespace

std::vector<TableColumn> columns_of(const Json& node) {
  std::vector<TableColumn> out;
  if (const int size = vector_size(node); size > 0) {
    for (int i = 0; i < size; ++i) out.push_back({"", i, false, string_at(keyword_of(node, "items"), "unit")});
    return out;
  }
  const Json& properties = keyword_of(node, "properties");
  if (!properties.is_object()) {
    out.push_back({"", -1, string_at(node, "type") == "string", string_at(node, "unit")});
    return out;
  }
  for (const auto& [key, child] : properties.items()) {
    if (const int size = vector_size(child); size > 0)
      for (int i = 0; i < size; ++i) out.push_back({key, i, false, string_at(keyword_of(child, "items"), "unit")});
    else if (const std::string type = string_at(child, "type");
             type == "number" || type == "integer" || type == "string")
      out.push_back({key, -1, type == "string", string_at(child, "unit")});
  }
  return out;
}

QString heading(const TableColumn& column) {
  static const char* const axes[] = {"x", "y", "z", "w"};
  const QString key = QString::fromStdString(column.key);
  return column.component < 0 ? key : key + " " + axes[column.component];
}

namespace {

bool names(const QString& cell, const TableColumn& column) {
  const QString word = cell.section('[', 0, 0).trimmed().toLower().replace('_', ' ');
  const QString whole = heading(column).toLower().replace('_', ' ');
  return word == whole || (column.component >= 0 && word == whole.right(1));
}

/// Spreadsheets of half the world have decimal commas; where commas part the cells they are none.
Json number_of(const QString& cell, QChar separator) {
  return separator == ',' ? json_from_text(cell) : json_from_typed(cell);
}

}  // namespace

Result<Json> rows_from_text(const QString& text, const Json& items_node) {
  QStringList lines = text.split('\n', Qt::SkipEmptyParts);
  for (QString& line : lines) line = line.remove('\r');
  lines.removeAll(QString());
  if (lines.isEmpty())
    return make_error(ErrorCode::invalid_input, "there is no text to paste", "Copy rows of a spreadsheet first.");
  if (lines.size() > most_rows)
    return make_error(ErrorCode::invalid_input, "more than 100000 rows", "Paste fewer at a time.");
  const QString& first = lines.front();
  const QChar separator = first.contains('\t') ? QChar('\t') : first.contains(';') ? QChar(';') : QChar(',');
  std::vector<TableColumn> columns = columns_of(items_node);
  const QStringList head = first.split(separator);
  bool has_head = false;
  for (const QString& cell : head)
    for (const TableColumn& column : columns) has_head = has_head || (!column.key.empty() && names(cell, column));
  if (has_head) {
    std::vector<TableColumn> found;
    for (const QString& cell : head) {
      const TableColumn* match = nullptr;
      for (const TableColumn& column : columns)
        if (names(cell, column) && !match) match = &column;
      if (!match) {
        QStringList known;
        for (const TableColumn& column : columns) known << heading(column);
        return make_error(ErrorCode::invalid_input,
                          "line 1: no member is called '" + cell.trimmed().toStdString() + "'",
                          "Members: " + known.join(", ").toStdString() + ".");
      }
      found.push_back(*match);
    }
    columns = std::move(found);
  } else if (!columns.empty() && columns.front().key == "name" &&
             head.size() + 1 == static_cast<qsizetype>(columns.size()) &&
             number_of(head.front(), separator).is_number()) {
    columns.erase(columns.begin());  // bare coordinates without names
  }
  Json out = Json::array();
  for (qsizetype l = has_head ? 1 : 0; l < lines.size(); ++l) {
    const QStringList cells = lines[l].split(separator);
    if (cells.size() > static_cast<qsizetype>(columns.size()))
      return make_error(ErrorCode::invalid_input,
                        "line " + std::to_string(l + 1) + " has " + std::to_string(cells.size()) + " cells, " +
                            std::to_string(columns.size()) + " are known",
                        "Copy fewer columns, or begin with a line of names.");
    const bool plain = columns.size() >= 1 && columns.front().key.empty();
    Json element = plain ? Json() : Json::object();
    for (qsizetype c = 0; c < cells.size(); ++c) {
      const TableColumn& column = columns[static_cast<std::size_t>(c)];
      const QString cell = cells[c].trimmed();
      if (cell.isEmpty() && column.component < 0) continue;
      const Json value = column.is_text ? Json(cell.toStdString()) : number_of(cell, separator);
      if (cell.isEmpty())
        return make_error(ErrorCode::invalid_input,
                          "line " + std::to_string(l + 1) + ": " + heading(column).toStdString() + " is empty");
      Json& place = plain ? element : element[column.key];
      if (column.component < 0) {
        place = value;
      } else {
        if (!place.is_array()) place = Json::array();
        while (place.size() <= static_cast<std::size_t>(column.component)) place.push_back(0);
        place[static_cast<std::size_t>(column.component)] = value;
      }
    }
    out.push_back(std::move(element));
  }
  if (out.empty()) return make_error(ErrorCode::invalid_input, "there is only a line of names, no row");
  return out;
}

}  // namespace conoid::app
