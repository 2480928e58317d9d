// SPDX-License-Identifier: BSD-3-Clause
// What a solver keeps besides fields: tables (receivers, energies, cross sections) and named numbers.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/types.hpp"

namespace conoid {

struct Column {
  std::string name;
  std::string unit;   ///< header is name[unit]
  std::string label;  ///< for the chart's legend; the name when empty
};

/// `sphere`: a far field over both angles, columns "theta" and "phi" in degrees, φ fastest or in any order: seen around the body.
enum class ChartForm { lines, polar, sphere, none };
enum class AxisScale { linear, log };

/// A table is a CSV file under charts/ and a chart in the window: the first column is the abscissa.
struct TableInfo {
  std::string id;     ///< file name without ending: "receivers"
  std::string title;  ///< "Pressure at the receivers"
  std::vector<Column> columns;
  ChartForm form = ChartForm::lines;
  AxisScale x_scale = AxisScale::linear;
  AxisScale y_scale = AxisScale::linear;
  std::string definition = {};          ///< what the columns mean, formulas: goes into the file's preamble
  std::vector<std::string> exact = {};  ///< names of columns that are exact or measured overlays (drawn dashed)
};

/// Rows may be appended at any step; they are on disk by the next checkpoint at the latest.
class Table {
 public:
  virtual ~Table() = default;
  virtual void append(std::span<const double> row) = 0;
  void append(std::initializer_list<double> row) { append(std::span(row.begin(), row.size())); }
};

/// The receiver of results; exists on every rank, writes on rank 0 only. Used from the engine thread.
class Results {
 public:
  virtual ~Results() = default;
  /// The table of this id, made at the first call (later calls must give the same columns).
  virtual Table& table(const TableInfo& info) = 0;
  /// A named result number of summary.json; given again it replaces the former.
  virtual void number(std::string_view name, double value, std::string_view unit) = 0;
  virtual void text(std::string_view name, std::string_view value) = 0;
  /// The run folder, for files of the solver's own; empty when nothing is kept (verification).
  [[nodiscard]] virtual std::filesystem::path folder() const = 0;
};

/// Keeps everything in memory: for verification and tests.
class MemoryResults final : public Results {
 public:
  struct Stored final : Table {
    TableInfo info;
    std::vector<std::vector<double>> rows;
    void append(std::span<const double> row) override { rows.emplace_back(row.begin(), row.end()); }
    using Table::append;
  };
  struct Number {
    std::string name;
    double value;
    std::string unit;
  };
  Table& table(const TableInfo& info) override {
    for (auto& t : tables)
      if (t->info.id == info.id) return *t;
    tables.push_back(std::make_unique<Stored>());
    tables.back()->info = info;
    return *tables.back();
  }
  void number(std::string_view name, double value, std::string_view unit) override {
    for (auto& n : numbers)
      if (n.name == name) {
        n.value = value;
        return;
      }
    numbers.push_back({std::string(name), value, std::string(unit)});
  }
  void text(std::string_view, std::string_view) override {}
  [[nodiscard]] std::filesystem::path folder() const override { return {}; }
  [[nodiscard]] const Stored* find(std::string_view id) const {
    for (const auto& t : tables)
      if (t->info.id == id) return t.get();
    return nullptr;
  }

  std::vector<std::unique_ptr<Stored>> tables;
  std::vector<Number> numbers;
};

}  // namespace conoid
