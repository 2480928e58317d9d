// SPDX-License-Identifier: BSD-3-Clause
// Tables to charts.
#include "render/chart/chart_spec.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "render/scene/ticks.hpp"

namespace conoid {

namespace {

std::string label_of(const Column& column) {
  if (!column.label.empty()) return column.label;
  std::string label = column.name;
  std::replace(label.begin(), label.end(), '_', ' ');
  return label;
}

std::string capital(std::string text) {
  // A single letter is a symbol (t, f, p): it stays as it is.
  if (text.size() > 1) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

}  // namespace

ChartSpec chart_of(const TableInfo& info, std::span<const std::vector<double>> rows) {
  ChartSpec spec;
  spec.kind = info.form == ChartForm::polar ? ChartKind::polar : ChartKind::lines;
  spec.title = info.title.empty() ? info.id : info.title;
  spec.x_scale = info.x_scale;
  spec.y_scale = info.y_scale;
  if (info.columns.empty()) return spec;
  spec.x_label = capital(label_of(info.columns.front()));
  spec.x_unit = info.columns.front().unit;
  const bool one_unit = std::all_of(info.columns.begin() + 1, info.columns.end(),
                                    [&](const Column& c) { return c.unit == info.columns[1].unit; });
  const bool one_column = info.columns.size() == 2;
  if (info.columns.size() > 1 && one_unit) spec.y_unit = info.columns[1].unit;
  if (one_column) spec.y_label = capital(label_of(info.columns[1]));
  for (std::size_t c = 1; c < info.columns.size(); ++c) {
    Series series;
    series.label = label_of(info.columns[c]);
    if (!one_unit) series.label = axis_title(series.label, readable_unit(info.columns[c].unit));
    series.overlay = std::find(info.exact.begin(), info.exact.end(), info.columns[c].name) != info.exact.end();
    series.x.reserve(rows.size());
    series.y.reserve(rows.size());
    for (const auto& row : rows)
      if (row.size() >= info.columns.size()) {
        series.x.push_back(row[0]);
        series.y.push_back(row[c]);
      }
    spec.series.push_back(std::move(series));
  }
  return spec;
}

ChartSpec balance_chart(std::vector<BalanceRow> rows, std::vector<std::string> workers) {
  ChartSpec spec;
  spec.kind = ChartKind::balance;
  spec.title = "Balance of work";
  spec.x_label = "Pass";
  spec.balance = std::move(rows);
  spec.workers = std::move(workers);
  return spec;
}

}  // namespace conoid
