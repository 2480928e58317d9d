// SPDX-License-Identifier: BSD-3-Clause
// Tables of runs as charts.
#include "render/chart/sweep_chart.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "render/scene/ticks.hpp"

namespace conoid {

namespace fs = std::filesystem;

namespace {

std::string last_part(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? name : name.substr(slash + 1);
}

std::string words_of(const std::string& name) {
  std::string out = last_part(name);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

/// Position of a column by its whole name, its last part, or these with blanks for underscores.
std::size_t column_named(const SweepTable& table, const std::string& name) {
  for (const bool whole : {true, false})
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& own = table.columns[c].name;
      std::string dotted = own.starts_with('/') ? own.substr(1) : own;
      std::replace(dotted.begin(), dotted.end(), '/', '.');
      if (whole ? own == name || dotted == name : last_part(own) == name || words_of(own) == name) return c;
    }
  return CsvTable::npos;
}

}  // namespace

Result<SweepTable> read_sweep(const fs::path& where) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(where, ignored) ? where / "sweep.csv" : where;
  CsvLimits limits;
  limits.texts = true;
  const auto table = read_csv(file, limits);
  if (!table) return table.error();
  SweepTable out;
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < table->columns.size(); ++c) {
    const std::string& name = table->columns[c].name;
    if (name == "point" || name == "run" || name == "exit") continue;
    out.swept += name.starts_with('/') ? 1 : 0;
    out.columns.push_back(table->columns[c]);
    kept.push_back(c);
  }
  for (std::size_t r = 0; r < table->rows(); ++r) {
    std::vector<double> row;
    row.reserve(kept.size());
    for (const std::size_t c : kept) row.push_back(table->row(r)[c]);
    out.rows.push_back(std::move(row));
  }
  return out;
}

Result<ChartSpec> sweep_chart(const SweepTable& table, const std::string& x, const std::string& y) {
  const auto find = [&](const std::string& name, const char* flag) -> Result<std::size_t> {
    const std::size_t c = column_named(table, name);
    if (c != CsvTable::npos) return c;
    std::string names;
    for (const Column& column : table.columns) names += (names.empty() ? "" : ", ") + column.name;
    return make_error(ErrorCode::command_line, fmt::format("{}: the runs have no \"{}\"", flag, name),
                      "They have " + names + ".");
  };
  if (table.swept == 0 || table.swept >= table.columns.size())
    return make_error(ErrorCode::file, "the table holds no swept value with results",
                      "Name a folder that `conoid sweep` made.");
  const auto across = x.empty() ? Result<std::size_t>(0) : find(x, "--x");
  if (!across) return across.error();
  const auto up = y.empty() ? Result<std::size_t>(table.swept) : find(y, "--y");
  if (!up) return up.error();
  std::vector<std::size_t> others;
  for (std::size_t c = 0; c < table.swept; ++c)
    if (c != *across && c != *up) others.push_back(c);
  std::vector<std::vector<double>> keys;  // in the order of the rows
  std::vector<std::vector<std::pair<double, double>>> curves;
  for (const auto& row : table.rows) {
    if (!std::isfinite(row[*across])) continue;
    std::vector<double> key;
    key.reserve(others.size());
    for (const std::size_t c : others) key.push_back(row[c]);
    auto at = std::find(keys.begin(), keys.end(), key);
    if (at == keys.end()) at = keys.insert(keys.end(), key), curves.emplace_back();
    curves[static_cast<std::size_t>(at - keys.begin())].emplace_back(row[*across], row[*up]);
  }
  ChartSpec spec;
  const Column& below = table.columns[*across];
  const Column& beside = table.columns[*up];
  spec.x_label = words_of(below.name);
  spec.x_unit = below.unit;
  spec.y_label = words_of(beside.name);
  spec.y_unit = beside.unit;
  spec.title = spec.y_label + " over " + spec.x_label;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    Series s;
    for (std::size_t i = 0; i < others.size(); ++i)
      s.label += fmt::format("{}{} {}", i > 0 ? ", " : "", words_of(table.columns[others[i]].name),
                             readable(keys[k][i], table.columns[others[i]].unit));
    if (s.label.empty()) s.label = spec.y_label;
    std::stable_sort(curves[k].begin(), curves[k].end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [px, py] : curves[k]) s.x.push_back(px), s.y.push_back(py);
    s.dots = true;
    spec.series.push_back(std::move(s));
  }
  return spec;
}

ChartSpec difference_chart(const ChartSpec& first, const ChartSpec& second) {
  ChartSpec out = first;
  out.series.clear();
  out.y_scale = AxisScale::linear;
  out.kind = ChartKind::lines;
  for (const Series& a : first.series) {
    if (a.overlay || a.marks) continue;
    const auto b = std::find_if(second.series.begin(), second.series.end(),
                                [&](const Series& s) { return !s.overlay && s.label == a.label; });
    if (b == second.series.end() || b->x.empty()) continue;
    Series apart = a;
    std::size_t from = 0;
    const bool rises = std::is_sorted(b->x.begin(), b->x.end());
    for (std::size_t i = 0; i < std::min(a.x.size(), a.y.size()); ++i) {
      double there = NAN;
      if (i < b->x.size() && b->x[i] == a.x[i]) {
        there = b->y[i];
      } else if (rises && a.x[i] >= b->x.front() && a.x[i] <= b->x.back()) {
        const auto at = std::lower_bound(b->x.begin(), b->x.end(), a.x[i]);
        from = static_cast<std::size_t>(at - b->x.begin());
        const double f = from > 0 ? (a.x[i] - b->x[from - 1]) / (b->x[from] - b->x[from - 1]) : 1;
        there = from > 0 ? b->y[from - 1] + f * (b->y[from] - b->y[from - 1]) : b->y[0];
      }
      apart.y[i] = there - a.y[i];
    }
    out.series.push_back(std::move(apart));
  }
  return out;
}

}  // namespace conoid
