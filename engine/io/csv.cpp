// SPDX-License-Identifier: BSD-3-Clause
// Writing and bounded reading of CSV tables.
#include "engine/io/csv.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/units.hpp"

namespace conoid {
namespace {

constexpr std::string_view line_end = "\r\n";

// Preamble lines are comments: a line end inside a text would leave the comment.
void comment(std::string& out, std::string_view key, std::string_view text) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    std::string line(text.substr(begin, end - begin));
    std::erase(line, '\r');
    out += fmt::format("# {}: {}{}", key, line, line_end);
    begin = end + 1;
  }
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::optional<double> to_number(std::string_view s) {
  s = trimmed(s);
  if (!s.empty() && s.front() == '+') s.remove_prefix(1);
  double v = 0;
  const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (s.empty() || end != s.data() + s.size()) return std::nullopt;
  if (code == std::errc::result_out_of_range) {
    // Too small or too large for a double: 0 or infinity with the sign, as strtod does.
    return std::strtod(std::string(s).c_str(), nullptr);
  }
  if (code != std::errc{}) return std::nullopt;
  return v;
}

// Walks through the text record by record; quoted fields may hold separators and line ends.
class Records {
 public:
  Records(std::string_view text, char separator) : text_(text), separator_(separator) {}
  void separator(char s) { separator_ = s; }
  [[nodiscard]] bool at_end() const { return position_ >= text_.size(); }
  [[nodiscard]] long line() const { return line_; }
  [[nodiscard]] char peek() const { return text_[position_]; }
  [[nodiscard]] std::size_t position() const { return position_; }

  // The rest of the line, without its end.
  std::string_view raw_line() {
    const std::size_t end = std::min(text_.find('\n', position_), text_.size());
    std::string_view out = text_.substr(position_, end - position_);
    if (!out.empty() && out.back() == '\r') out.remove_suffix(1);
    position_ = std::min(end + 1, text_.size());
    ++line_;
    return out;
  }

  // Fields of the next record; false when there are more than `limit`.
  bool fields(std::vector<std::string>& out, std::size_t limit) {
    out.clear();
    complete_ = false;
    for (;;) {
      if (out.size() >= limit) return false;
      if (separator_ == ' ') skip_blanks();
      out.emplace_back();
      field(out.back());
      if (at_end()) return true;
      const char c = text_[position_++];
      if (c == '\r' && !at_end() && text_[position_] == '\n') ++position_;
      if (c == '\n' || c == '\r') {
        ++line_;
        complete_ = true;
        if (separator_ == ' ' && out.size() > 1 && out.back().empty()) out.pop_back();
        return true;
      }
    }
  }
  [[nodiscard]] bool complete() const { return complete_; }  ///< the last record had a line end

 private:
  void skip_blanks() {
    while (!at_end() && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
  }
  [[nodiscard]] bool ends_field(char c) const {
    return c == '\n' || c == '\r' || c == separator_ || (separator_ == ' ' && c == '\t');
  }
  void field(std::string& out) {
    if (!at_end() && text_[position_] == '"') {
      ++position_;
      while (!at_end()) {
        const char c = text_[position_++];
        if (c == '\n') ++line_;
        if (c == '"') {
          if (at_end() || text_[position_] != '"') break;
          ++position_;
        }
        out += c;
      }
      while (!at_end() && !ends_field(text_[position_])) ++position_;  // blanks behind the closing quote
      return;
    }
    while (!at_end() && !ends_field(text_[position_])) out += text_[position_++];
  }

  std::string_view text_;
  char separator_;
  std::size_t position_ = 0;
  long line_ = 1;
  bool complete_ = false;
};

/// "0,0010", "-1,5e-3": a number as half of the world writes it.
bool has_decimal_comma(std::string_view field) {
  field = trimmed(field);
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos || field.find(',', comma + 1) != std::string_view::npos ||
      comma + 1 == field.size())
    return false;
  std::string pointed(field);
  pointed[comma] = '.';
  return to_number(pointed).has_value();
}

/// True where blanks (or tabs) part a line into at least two numbers, one of them with a decimal comma.
bool is_blank_row_with_commas(std::string_view line) {
  std::size_t numbers = 0, commas = 0;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t", begin), line.size());
    const std::string_view word = line.substr(begin, at - begin);
    const bool comma = has_decimal_comma(word);
    if (!comma && !to_number(word)) return false;
    commas += comma ? 1 : 0;
    ++numbers;
  }
  return numbers > 1 && commas > 0;
}

char guess_separator(std::string_view line) {
  bool quoted = false;
  std::size_t commas = 0, semicolons = 0, tabs = 0;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    commas += c == ',';
    semicolons += c == ';';
    tabs += c == '\t';
  }
  // Commas beside semicolons are decimal commas (or stand in names); so are those within words that blanks part.
  if (semicolons > 0) return ';';
  if (commas > 0 && is_blank_row_with_commas(line)) return tabs > 0 ? '\t' : ' ';
  if (commas > 0) return ',';
  if (tabs > 0) return '\t';
  return ' ';
}

Column column_from(std::string_view heading) {
  heading = trimmed(heading);
  const std::size_t open = heading.rfind('[');
  if (open != std::string_view::npos && heading.ends_with(']'))
    return {std::string(trimmed(heading.substr(0, open))),
            std::string(heading.substr(open + 1, heading.size() - open - 2)),
            {}};
  // "t (ms)" as well, where that is a unit.
  if (const std::size_t round = heading.rfind('(');
      round != std::string_view::npos && round > 0 && heading.ends_with(')'))
    if (const std::string_view unit = trimmed(heading.substr(round + 1, heading.size() - round - 2)); known_unit(unit))
      return {std::string(trimmed(heading.substr(0, round))), std::string(unit), {}};
  return {std::string(heading), {}, {}};
}

std::string shortened(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 40)) out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
  return text.size() > 40 ? out + "…" : out;
}

}  // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string csv_heading(const Column& column) {
  return column.unit.empty() ? column.name : fmt::format("{}[{}]", column.name, column.unit);
}

std::string csv_head(const TableInfo& info, std::string_view run) {
  static constexpr std::string_view forms[] = {"lines", "polar", "sphere", "none"};
  std::string out;
  comment(out, "run", run);
  comment(out, "title", info.title);
  comment(out, "form", forms[static_cast<int>(info.form)]);
  comment(out, "x-scale", info.x_scale == AxisScale::log ? "log" : "linear");
  comment(out, "y-scale", info.y_scale == AxisScale::log ? "log" : "linear");
  if (!info.definition.empty()) comment(out, "definition", info.definition);
  for (const auto& column : info.columns)
    if (!column.label.empty()) comment(out, "label", fmt::format("{} = {}", column.name, column.label));
  for (const auto& name : info.exact) comment(out, "exact", name);
  for (std::size_t c = 0; c < info.columns.size(); ++c) {
    if (c > 0) out += ',';
    out += csv_field(csv_heading(info.columns[c]));
  }
  out += line_end;
  return out;
}

void append_csv_row(std::string& out, std::span<const double> row) {
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (c > 0) out += ',';
    fmt::format_to(std::back_inserter(out), "{}", row[c]);
  }
  out += line_end;
}

std::vector<double> CsvTable::column(std::size_t c) const {
  std::vector<double> out(rows());
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = values[r * columns.size() + c];
  return out;
}

Result<double> column_factor(const Column& column, std::string_view expected) {
  if (column.unit.empty() || column.unit == "1") return 1.0;
  std::string unit = column.unit;
  std::replace(unit.begin(), unit.end(), ' ', '*');  // "Pa m"
  const auto one = parse_quantity("1 " + unit, expected);
  if (one && one->value > 0) return one->value;
  return make_error(ErrorCode::invalid_input,
                    fmt::format("column '{}': expected a unit of {} such as {}, found '{}'", column.name,
                                quantity_kind(expected).empty() ? std::string(expected) : quantity_kind(expected),
                                expected, shortened(column.unit)),
                    fmt::format("Correct the heading, for example {}[{}].", column.name, expected));
}

std::size_t CsvTable::find(std::string_view name) const {
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].name == name) return c;
  return npos;
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& name, const CsvLimits& limits, CutLine cut) {
  CsvTable out;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte-order mark of spreadsheets
  Records records(text, ',');
  std::vector<std::string> fields;
  bool first = true;
  while (!records.at_end()) {
    const char c = records.peek();
    if (c == '\n' || c == '\r') {
      records.raw_line();
      continue;
    }
    if (c == '#' || c == '%') {
      std::string_view line = records.raw_line().substr(1);
      if (line.starts_with(' ')) line.remove_prefix(1);
      if (out.columns.empty() && out.preamble.size() < limits.preamble) out.preamble.emplace_back(line);
      continue;
    }
    if (first) {
      const std::size_t end = std::min(text.find('\n', records.position()), text.size());
      std::string_view line = text.substr(records.position(), end - records.position());
      if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
      records.separator(guess_separator(line));
    }
    const long line = records.line();
    if (!records.fields(fields, limits.columns))
      return make_error(ErrorCode::invalid_input,
                        fmt::format("expected at most {} columns, found more", limits.columns),
                        "Check that this is a table of numbers separated by commas.", {name, line, {}});
    if (!records.complete() && cut == CutLine::drop) {
      out.last_line_cut = true;
      break;
    }
    if (fields.size() == 1 && trimmed(fields[0]).empty()) continue;
    for (std::size_t k = 0; k < fields.size(); ++k)
      if (has_decimal_comma(fields[k]))
        return make_error(ErrorCode::invalid_input,
                          fmt::format("column {}: '{}' has a decimal comma; numbers are read with a decimal point",
                                      k + 1, shortened(fields[k])),
                          "Save the table with decimal points, or turn them: sed 's/,/./g' OLD > NEW",
                          {name, line, {}});
    if (first) {
      first = false;
      bool numbers = true;
      for (const auto& f : fields) numbers = numbers && to_number(f).has_value();
      if (!numbers) {
        for (const auto& f : fields) out.columns.push_back(column_from(f));
        continue;
      }
      for (std::size_t k = 0; k < fields.size(); ++k) out.columns.push_back({fmt::format("column {}", k + 1), {}, {}});
    }
    if (fields.size() != out.columns.size())
      return make_error(
          ErrorCode::invalid_input,
          fmt::format("expected {} values as in the first row, found {}", out.columns.size(), fields.size()),
          "Every row needs the same number of columns.", {name, line, {}});
    if (out.values.size() + fields.size() > limits.values)
      return make_error(ErrorCode::invalid_input,
                        fmt::format("the table has more than the {} values this reader accepts", limits.values),
                        "Thin the data or split the file.", {name, line, {}});
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const auto value = to_number(fields[k]);
      if (!value && limits.texts) {
        out.values.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      if (!value)
        return make_error(ErrorCode::invalid_input,
                          fmt::format("column {}: expected a number, found '{}'", k + 1, shortened(fields[k])),
                          "Numbers use a decimal point, as in 1.5e-3.", {name, line, {}});
      out.values.push_back(*value);
    }
  }
  return out;
}

Result<CsvTable> read_csv(const std::filesystem::path& file, const CsvLimits& limits, CutLine cut) {
  auto text = read_file(file, limits.file);
  if (!text) return text.error();
  return parse_csv(*text, file.string(), limits, cut);
}

Result<StoredTable> read_table(const std::filesystem::path& file, const CsvLimits& limits) {
  auto table = read_csv(file, limits, CutLine::drop);
  if (!table) return table.error();
  StoredTable out{{}, std::move(*table)};
  out.info.id = file.stem().string();
  out.info.columns = out.table.columns;
  for (const auto& line : out.table.preamble) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, colon);
    const std::string value = line.substr(colon + 2);
    if (key == "title") out.info.title = value;
    if (key == "form")
      out.info.form = value == "polar"    ? ChartForm::polar
                      : value == "sphere" ? ChartForm::sphere
                      : value == "none"   ? ChartForm::none
                                          : ChartForm::lines;
    if (key == "x-scale") out.info.x_scale = value == "log" ? AxisScale::log : AxisScale::linear;
    if (key == "y-scale") out.info.y_scale = value == "log" ? AxisScale::log : AxisScale::linear;
    if (key == "definition") out.info.definition += (out.info.definition.empty() ? "" : "\n") + value;
    if (key == "exact") out.info.exact.push_back(value);
    if (key == "label") {
      const std::size_t equals = value.find(" = ");
      if (equals == std::string::npos) continue;
      for (auto& column : out.info.columns)
        if (column.name == value.substr(0, equals)) column.label = value.substr(equals + 3);
    }
  }
  return out;
}

}  // namespace conoid
