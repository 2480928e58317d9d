// SPDX-License-Identifier: BSD-3-Clause
// Tables to charts.
#include "render/chart/chart_spec.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "engine/run/derived_frame.hpp"
#include "render/scene/ticks.hpp"

namespace conoid {

namespace {

/// "vertical re" is "vertical, real part", and of "vertical, Veletsos-Verbic re" the part is told before whose it is, so that it is
/// known as the overlay of the first.
std::string with_part(std::string label) {
  for (const auto& [ending, part] : {std::pair<std::string_view, const char*>{" re", ", real part"},
                                     {" -im", ", \u2212imaginary part"},
                                     {" im", ", imaginary part"}}) {
    if (!label.ends_with(ending)) continue;
    label.resize(label.size() - ending.size());
    const auto comma = label.find(", ");
    return label.insert(comma == std::string::npos ? label.size() : comma, part);
  }
  return label;
}

std::string label_of(const Column& column) {
  if (!column.label.empty()) return with_part(column.label);
  std::string label = column.name;
  std::replace(label.begin(), label.end(), '_', ' ');
  return with_part(std::move(label));
}

std::string capital(std::string text) {
  // A single letter is a symbol (t, f, p): it stays as it is.
  if (text.size() > 1) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

/// Cuts of a far field through the z axis: all round by phi = 0 and by phi = 90 deg, where it has these.
ChartSpec chart_of_sphere(const TableInfo& info, std::span<const std::vector<double>> rows) {
  ChartSpec spec;
  spec.kind = ChartKind::polar;
  spec.title = info.title.empty() ? info.id : info.title;
  spec.x_label = "Theta";
  spec.x_unit = "deg";
  const auto table = sphere_of(info.columns, {rows.begin(), rows.end()});
  if (!table) return spec;
  spec.y_unit = table->columns.front().unit;
  for (const double phi : {0.0, 90.0})
    for (std::size_t c = 0; c < table->columns.size(); ++c) {
      Series s;
      s.label = label_of(table->columns[c]) + (phi > 0 ? ", phi = 90\u00b0" : ", phi = 0\u00b0");
      for (const auto& [angle, value] : cut_of(*table, c, phi)) s.x.push_back(angle), s.y.push_back(value);
      if (!s.x.empty()) spec.series.push_back(std::move(s));
    }
  return spec;
}

}  // namespace

ChartSpec chart_of(const TableInfo& info, std::span<const std::vector<double>> rows) {
  if (info.form == ChartForm::sphere) return chart_of_sphere(info, rows);
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

bool can_be_gather(const ChartSpec& spec) {
  if (spec.kind != ChartKind::lines || spec.x_unit != "s" || spec.y_unit.empty() || spec.x_scale != AxisScale::linear)
    return false;
  std::size_t traces = 0;
  const Series* first = nullptr;
  for (const Series& s : spec.series) {
    if (s.overlay) continue;
    if (s.marks || s.x.size() != s.y.size()) return false;
    if (!first) {
      first = &s;
      if (s.x.size() < 2 || !std::is_sorted(s.x.begin(), s.x.end()) || !(s.x.front() < s.x.back())) return false;
    }
    if (s.x != first->x) return false;
    ++traces;
  }
  return traces >= 3;
}

ChartSpec gather_chart(ChartSpec spec, GatherLook look, std::string trace_word) {
  std::erase_if(spec.series, [](const Series& s) { return s.overlay; });
  spec.kind = ChartKind::gather;
  spec.look = look;
  spec.y_label = std::move(trace_word);
  spec.y_scale = AxisScale::linear;
  return spec;
}

double gather_scale(const ChartSpec& spec) {
  std::vector<double> peaks;
  for (const Series& s : spec.series) {
    double peak = 0;
    for (const double y : s.y)
      if (std::isfinite(y)) peak = std::max(peak, std::abs(y));
    if (peak > chart_nothing) peaks.push_back(peak);
  }
  if (peaks.empty()) return 1;
  const auto at = peaks.begin() + static_cast<std::ptrdiff_t>(std::ceil(0.9 * static_cast<double>(peaks.size() - 1)));
  std::nth_element(peaks.begin(), at, peaks.end());
  return *at;
}

ChartSpec balance_chart(std::vector<BalanceRow> rows, std::vector<std::string> workers, ChartWords words) {
  ChartSpec spec;
  spec.kind = ChartKind::balance;
  spec.title = "Balance of work";
  spec.x_label = "Pass";
  spec.balance = std::move(rows);
  spec.workers = std::move(workers);
  spec.words = std::move(words);
  return spec;
}

ChartSpec roofline_chart(std::span<const BalanceRow> rows, std::span<const std::string> workers,
                         const MachineRates& rates, ChartWords words, std::span<const MachineRates> devices) {
  constexpr double giga = 1e9;
  struct Sum {
    double flops = 0, bytes = 0, seconds = 0;
  };
  std::map<std::pair<std::string, int>, Sum> sums;
  std::set<int> counting;
  for (const BalanceRow& row : rows) {
    if (!(row.flops > 0) || !(row.bytes > 0) || !(row.busy > 0)) continue;
    Sum& sum = sums[{row.phase, row.worker}];
    sum.flops += row.flops;
    sum.bytes += row.bytes;
    sum.seconds += row.busy;
    counting.insert(row.worker);
  }
  ChartSpec spec;
  spec.title = words.roofline;
  spec.x_label = words.intensity;
  spec.x_unit = "flop/B";
  spec.y_label = words.rate;
  spec.y_unit = "Gflop/s";
  spec.x_scale = spec.y_scale = AxisScale::log;
  double low = INFINITY, high = 0;
  for (const auto& [key, sum] : sums) {
    Series point;
    point.marks = true;
    point.label = key.first.empty() ? words.worker + " " + std::to_string(key.second) : key.first;
    const auto worker = static_cast<std::size_t>(std::max(key.second, 0));
    if (counting.size() > 1) point.label += ", " + (worker < workers.size() ? workers[worker] : std::to_string(worker));
    point.x = {sum.flops / sum.bytes};
    point.y = {sum.flops / sum.seconds / giga};
    low = std::min(low, point.x.front());
    high = std::max(high, point.x.front());
    spec.series.push_back(std::move(point));
  }
  struct Roof {
    MachineRates rates;
    std::string whose;
  };
  std::vector<Roof> roofs;
  const auto device_of = [&](int worker) {
    const auto w = static_cast<std::size_t>(std::max(worker, 0));
    return w < devices.size() ? devices[w] : MachineRates{};
  };
  for (const int worker : counting) {
    const MachineRates device = device_of(worker);
    if (!device.known() && rates.known() && (roofs.empty() || !roofs.front().whose.empty()))
      roofs.insert(roofs.begin(), {rates, ""});
    const auto w = static_cast<std::size_t>(std::max(worker, 0));
    if (device.known()) roofs.push_back({device, w < workers.size() ? workers[w] : std::to_string(worker)});
  }
  low /= 2;
  high *= 2;
  for (const Roof& roof : roofs) {
    low = std::min(low, 0.5 * 0.25 * roof.rates.flops_double / roof.rates.copy);
    high = std::max(high, 2 * 4 * roof.rates.flops_single / roof.rates.copy);
  }
  for (const Roof& roof : roofs)
    for (const bool single : {false, true}) {
      const double peak = single ? roof.rates.flops_single : roof.rates.flops_double;
      Series line;
      line.overlay = true;
      line.label = single ? words.singles : words.doubles;
      if (!roof.whose.empty()) line.label += ", " + roof.whose;
      // The ridge is one of the points.
      const double ridge = peak / roof.rates.copy;
      constexpr int steps = 24;
      for (int i = 0; i <= 2 * steps; ++i) {
        const double x = i <= steps ? low * std::pow(ridge / low, static_cast<double>(i) / steps)
                                    : ridge * std::pow(high / ridge, static_cast<double>(i - steps) / steps);
        line.x.push_back(x);
        line.y.push_back(std::min(peak, x * roof.rates.copy) / giga);
      }
      spec.series.push_back(std::move(line));
    }
  spec.words = std::move(words);
  return spec;
}

}  // namespace conoid
