// SPDX-License-Identifier: BSD-3-Clause
// Finds the same curves in other tables.
#include "render/chart/chart_units.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "render/chart/chart_frame.hpp"

namespace conoid {

namespace {

const std::string decibel_area = "dBsm";
const std::string area = "m^2";

bool is_decibel(const std::string& unit) {
  return unit.starts_with("dB");
}

std::string name_of(const Column& column) {
  return column.label.empty() ? column.name : column.label;
}

/// The one unit of all curves; empty when they differ.
std::string own_unit(const TableInfo& info) {
  if (info.columns.size() < 2) return {};
  const bool one = std::all_of(info.columns.begin() + 1, info.columns.end(),
                               [&](const Column& c) { return c.unit == info.columns[1].unit; });
  return one ? info.columns[1].unit : std::string();
}

bool is_exact(const TableInfo& info, const Column& column) {
  return std::find(info.exact.begin(), info.exact.end(), column.name) != info.exact.end();
}

bool same_abscissa(const ChartTable& a, const ChartTable& b) {
  if (a.info->columns.front().name != b.info->columns.front().name ||
      a.info->columns.front().unit != b.info->columns.front().unit || a.rows->size() != b.rows->size())
    return false;
  for (std::size_t i = 0; i < a.rows->size(); ++i)
    if ((*a.rows)[i].empty() || (*b.rows)[i].empty() || (*a.rows)[i][0] != (*b.rows)[i][0]) return false;
  return true;
}

/// The columns of `other` that hold the curves of `table` in a unit, in their order; empty when one is not there.
std::vector<std::size_t> columns_in(const ChartTable& table, const ChartTable& other, const std::string& unit) {
  std::vector<std::size_t> out;
  for (std::size_t c = 1; c < table.info->columns.size(); ++c) {
    if (is_exact(*table.info, table.info->columns[c])) continue;
    const auto& columns = other.info->columns;
    std::size_t found = 0;
    for (std::size_t k = 1; k < columns.size() && found == 0; ++k)
      if (columns[k].unit == unit && name_of(columns[k]) == name_of(table.info->columns[c])) found = k;
    if (found == 0) return {};
    out.push_back(found);
  }
  return out;
}

}  // namespace

std::string quantity_of(const TableInfo& info, const std::string& unit) {
  if (info.columns.size() < 3 || !own_unit(info).empty()) return {};
  for (std::size_t c = 1; c < info.columns.size(); ++c)
    if (info.columns[c].unit == unit) {
      std::string name = name_of(info.columns[c]);
      std::replace(name.begin(), name.end(), '_', ' ');
      return name;
    }
  return {};
}

std::vector<std::string> units_of(const ChartTable& table, std::span<const ChartTable> all) {
  if (table.info->form == ChartForm::sphere && !table.info->columns.empty()) return {table.info->columns.back().unit};
  const std::string own = own_unit(*table.info);
  if (own.empty()) {
    std::vector<std::string> out;
    for (std::size_t c = 1; c < table.info->columns.size(); ++c)
      if (const std::string& unit = table.info->columns[c].unit; std::find(out.begin(), out.end(), unit) == out.end())
        out.push_back(unit);
    return out;
  }
  std::vector<std::string> out = {own};
  const auto add = [&](const std::string& unit) {
    if (!unit.empty() && std::find(out.begin(), out.end(), unit) == out.end()) out.push_back(unit);
  };
  for (const ChartTable& other : all) {
    if (other.info == table.info || other.info->columns.size() < 2) continue;
    std::vector<std::string> found;
    for (std::size_t k = 1; k < other.info->columns.size(); ++k)
      if (other.info->columns[k].unit != own && !columns_in(table, other, other.info->columns[k].unit).empty())
        found.push_back(other.info->columns[k].unit);
    if (!found.empty() && same_abscissa(table, other))
      for (const std::string& unit : found) add(unit);
  }
  if (own == decibel_area) add(area);
  return out;
}

ChartSpec chart_in_unit(const ChartTable& table, std::span<const ChartTable> all, const std::string& unit) {
  ChartSpec spec = chart_of(*table.info, *table.rows);
  if (table.info->form == ChartForm::sphere) return spec;
  const std::string own = own_unit(*table.info);
  if (own.empty() && table.info->columns.size() > 2) {
    const auto units = units_of(table, all);
    const std::string& seen = std::find(units.begin(), units.end(), unit) == units.end() ? units.front() : unit;
    std::vector<Series> kept;
    for (std::size_t c = 1; c < table.info->columns.size(); ++c) {
      if (table.info->columns[c].unit != seen) continue;
      kept.push_back(std::move(spec.series[c - 1]));
      kept.back().label = name_of(table.info->columns[c]);
      std::replace(kept.back().label.begin(), kept.back().label.end(), '_', ' ');
    }
    spec.series = std::move(kept);
    spec.y_unit = seen;
    if (spec.series.size() == 1 && !spec.series.front().label.empty()) {
      spec.y_label = spec.series.front().label;
      spec.y_label.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(spec.y_label.front())));
    }
    return spec;
  }
  if (unit.empty() || own.empty() || unit == own) return spec;
  const std::vector<Series> before = spec.series;
  bool found = false;
  for (const ChartTable& other : all) {
    if (found || other.info == table.info || other.info->columns.size() < 2) continue;
    const auto columns = columns_in(table, other, unit);
    if (columns.empty() || !same_abscissa(table, other)) continue;
    std::size_t next = 0;
    for (Series& s : spec.series) {
      if (s.overlay) continue;
      const std::size_t column = columns[next++];
      for (std::size_t i = 0; i < s.y.size(); ++i) {
        const auto& row = (*other.rows)[i];
        s.y[i] = column < row.size() ? row[column] : NAN;
      }
    }
    found = true;
  }
  if (!found) {
    if (own != decibel_area || unit != area) return spec;
    for (Series& s : spec.series)
      if (!s.overlay)
        for (double& y : s.y) y = std::pow(10.0, y / 10);
  }
  for (std::size_t k = 0; k < spec.series.size(); ++k) {
    Series& s = spec.series[k];
    if (!s.overlay) continue;
    const auto curve = curve_of_overlay(spec, k);
    for (std::size_t i = 0; i < s.y.size(); ++i) {
      if (!curve || i >= before[*curve].y.size() || !is_decibel(own)) {
        s.y[i] = NAN;  // nothing says how it is to be shifted
        continue;
      }
      const double difference = before[k].y[i] - before[*curve].y[i];  // in decibels
      s.y[i] = is_decibel(unit) ? spec.series[*curve].y[i] + difference
                                : spec.series[*curve].y[i] * std::pow(10.0, difference / 10);
    }
  }
  spec.y_unit = unit;
  return spec;
}

}  // namespace conoid
