// SPDX-License-Identifier: BSD-3-Clause
// What a chart shows, as data: curves with units, or shares of workers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/session/run_reader.hpp"

namespace conoid {

struct Series {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;  ///< as many as x; not-a-number breaks the curve
  bool overlay = false;   ///< exact or measured: drawn dashed
  int color = -1;         ///< position in the theme's palette; −1: its turn
};

/// One worker in one pass, as telemetry says it.
struct BalanceRow {
  std::uint64_t pass = 0;
  int worker = 0;
  Interval items{};
  double busy = 0;  ///< seconds
  double waiting = 0;
  double copying = 0;
};

enum class ChartKind : std::uint8_t { lines, polar, balance };

struct ChartSpec {
  ChartKind kind = ChartKind::lines;
  std::string title;
  std::string x_label = "x";
  std::string x_unit;
  std::string y_label;
  std::string y_unit;
  AxisScale x_scale = AxisScale::linear;
  AxisScale y_scale = AxisScale::linear;
  std::vector<Series> series;          ///< lines; polar: x is an angle in degrees, y the radius
  std::vector<BalanceRow> balance;     ///< balance, any order
  std::vector<std::string> workers;    ///< names for the balance chart
};

/// The chart of a table: first column against the others; a unit shared by all columns stands on the axis, else in the
/// legend; dimensionless first columns in degrees make no difference. Rows shorter than the columns are left out.
[[nodiscard]] ChartSpec chart_of(const TableInfo& info, std::span<const std::vector<double>> rows);
/// "balance" from telemetry rows.
[[nodiscard]] ChartSpec balance_chart(std::vector<BalanceRow> rows, std::vector<std::string> workers = {});

}  // namespace conoid
