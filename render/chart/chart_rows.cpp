// SPDX-License-Identifier: BSD-3-Clause
// Charts as numbers.
#include "render/chart/chart_rows.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace conoid {

namespace {

std::string column_head(const std::string& label, const std::string& unit) {
  return unit.empty() || unit == "1" ? label : label + " [" + unit + "]";
}

template <class Seen>
ChartRows rows_of_spectrogram(const ChartSpec& spec, const Seen& seen_at) {
  ChartRows out;
  if (!spec.spectrogram) return out;
  const Spectrogram& s = *spec.spectrogram;
  const ChartLimits& ends = spec.limits;
  out.heads = {column_head(spec.x_label, spec.x_unit), column_head(spec.y_label, spec.y_unit),
               column_head(spec.z_label, spec.z_unit)};
  for (std::size_t c = 0; c < s.times.size(); ++c)
    for (std::size_t k = 0; k < s.frequencies.size(); ++k)
      if (seen_at(s.times[c]) && s.frequencies[k] >= ends.y_low.value_or(0) &&
          s.frequencies[k] <= ends.y_high.value_or(INFINITY))
        out.rows.push_back({s.times[c], s.frequencies[k], static_cast<double>(s.levels[c * s.frequencies.size() + k])});
  return out;
}

}  // namespace

ChartRows rows_of_chart(const ChartSpec& spec, const std::set<std::string>& hidden,
                        std::optional<std::pair<double, double>> within) {
  ChartRows out;
  if (spec.kind == ChartKind::balance) return out;
  const auto seen_at = [&](double x) { return !within || (x >= within->first && x <= within->second); };
  if (spec.kind == ChartKind::spectrogram) return rows_of_spectrogram(spec, seen_at);
  struct Curve {
    const Series* series;
    std::vector<std::size_t> at;
  };
  std::vector<Curve> seen;
  for (const Series& s : spec.series) {
    if (hidden.contains(s.label)) continue;
    Curve curve{&s, {}};
    for (std::size_t i = 0; i < std::min(s.x.size(), s.y.size()); ++i)
      if (seen_at(s.x[i])) curve.at.push_back(i);
    seen.push_back(std::move(curve));
  }
  if (seen.empty()) return out;
  const bool shared =
      std::all_of(seen.begin(), seen.end(), [&](const Curve& c) { return c.series->x == seen.front().series->x; });
  std::size_t rows = 0;
  for (const Curve& curve : seen) {
    if (!shared || out.heads.empty()) out.heads.push_back(column_head(spec.x_label, spec.x_unit));
    out.heads.push_back(column_head(curve.series->label, spec.y_unit));
    rows = std::max(rows, curve.at.size());
  }
  out.rows.resize(rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (const Curve& curve : seen) {
      const bool there = r < curve.at.size();
      if (!shared || out.rows[r].empty()) out.rows[r].push_back(there ? curve.series->x[curve.at[r]] : NAN);
      out.rows[r].push_back(there ? curve.series->y[curve.at[r]] : NAN);
    }
  return out;
}

std::string text_of(const ChartRows& rows, char separator) {
  std::string out;
  for (std::size_t c = 0; c < rows.heads.size(); ++c) {
    std::string head = rows.heads[c];
    if (head.find(separator) != std::string::npos || head.find('"') != std::string::npos) {
      for (std::size_t i = 0; (i = head.find('"', i)) != std::string::npos; i += 2) head.insert(i, 1, '"');
      head.insert(0, 1, '"');
      head += '"';
    }
    out += (c > 0 ? std::string(1, separator) : "") + head;
  }
  if (!out.empty()) out += '\n';
  for (const auto& row : rows.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += separator;
      if (std::isfinite(row[c])) out += fmt::format("{:.12g}", row[c]);
    }
    out += '\n';
  }
  return out;
}

}  // namespace conoid
