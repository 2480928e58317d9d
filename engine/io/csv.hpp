// SPDX-License-Identifier: BSD-3-Clause
// Tables of numbers as CSV (RFC 4180): a '#' preamble, a header name[unit], rows. For charts, overlays, sampled signals.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/results.hpp"

namespace conoid {

/// A field as RFC 4180 writes it: quoted when it holds a comma, a quote or a line end.
[[nodiscard]] std::string csv_field(std::string_view text);
/// "p[Pa]"; just the name for a quantity without unit.
[[nodiscard]] std::string csv_heading(const Column& column);
/// The preamble and the header row of a table, each line ended by CRLF. `run` identifies the run.
[[nodiscard]] std::string csv_head(const TableInfo& info, std::string_view run);
/// One row: shortest decimal numbers that read back to the same doubles, ended by CRLF.
void append_csv_row(std::string& out, std::span<const double> row);

/// What a reader accepts; more is an error that says so, before memory is taken.
struct CsvLimits {
  Bytes file = Bytes{1} << 30;
  std::size_t columns = 4096;
  std::size_t values = std::size_t{1} << 27;
  std::size_t preamble = 10000;  ///< lines; further ones are left out
  bool texts = false;            ///< a field that is no number is not-a-number instead of an error (tables of runs)
};

/// What to do with a last line that has no line end.
enum class CutLine {
  keep,  ///< it is a row like any other: files that people wrote
  drop   ///< it was being written: files of a run
};

/// Rows of equal length, row by row in `values`.
struct CsvTable {
  std::vector<std::string> preamble;  ///< lines without "# "
  std::vector<Column> columns;        ///< name and unit from the header; "column 1"… when there is none
  std::vector<double> values;
  bool last_line_cut = false;  ///< a torn last line was left out
  [[nodiscard]] std::size_t rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }
  [[nodiscard]] std::span<const double> row(std::size_t r) const {
    return std::span(values).subspan(r * columns.size(), columns.size());
  }
  [[nodiscard]] std::vector<double> column(std::size_t c) const;
  /// Position of a column by name, or npos.
  [[nodiscard]] std::size_t find(std::string_view name) const;
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
};

/// Reads text that separates fields by comma, semicolon, tab or blanks (found from the first row); `#` and `%` start
/// comments; a header is optional ("p[Pa]", "p (Pa)"). Anything that is not a number is an error with its line, a decimal comma by name.
[[nodiscard]] Result<CsvTable> parse_csv(std::string_view text, const std::string& name, const CsvLimits& limits = {},
                                         CutLine cut = CutLine::keep);
[[nodiscard]] Result<CsvTable> read_csv(const std::filesystem::path& file, const CsvLimits& limits = {},
                                        CutLine cut = CutLine::keep);

/// How many of `expected` (an SI unit) one unit of the column is: 1 where its heading names none; an error where that measures something
/// else or is no unit.
[[nodiscard]] Result<double> column_factor(const Column& column, std::string_view expected);

/// A chart's table of a run, with the description its preamble holds (title, form, scales, overlays).
struct StoredTable {
  TableInfo info;
  CsvTable table;
};
[[nodiscard]] Result<StoredTable> read_table(const std::filesystem::path& file, const CsvLimits& limits = {});

}  // namespace conoid
