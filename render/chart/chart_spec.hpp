// SPDX-License-Identifier: BSD-3-Clause
// What a chart shows, as data: curves with units, or shares of workers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/run/run_reader.hpp"
#include "render/scene/theme.hpp"

namespace conoid {

struct Series {
  std::string label;
  std::vector<double> x;
  std::vector<double> y;     ///< as many as x; not-a-number breaks the curve
  bool overlay = false;      ///< exact or measured: drawn dashed
  int color = -1;            ///< position in the theme's palette; −1: its turn
  bool marks = false;        ///< points with their names beside them instead of a curve
  std::optional<Rgb> ink{};  ///< a colour that a person chose
  bool dots = false;         ///< few points that were computed one by one: each has a dot on the curve
};

/// One worker in one pass, as telemetry says it.
struct BalanceRow {
  std::uint64_t pass = 0;
  int worker = 0;
  Interval items{};
  double busy = 0;  ///< seconds
  double waiting = 0;
  double copying = 0;
  std::string phase{};
  double flops = 0;     ///< that the phase counted; 0: it does not count
  double bytes = 0;     ///< likewise, to and from memory
  double held = 0;      ///< bytes of the device's memory
  double streamed = 0;  ///< bytes that passed through windows between disk, host and device
};

/// What a chart says by itself; a program that speaks another language sets its own.
struct ChartWords {
  std::string no_values = "No values yet", no_passes = "No passes yet";
  std::string shares = "Time of the workers", items = "Items held", memory = "Memory of the devices",
              streamed = "Streamed a pass", pass = "Pass";
  std::string worker = "worker", copying = "copying", waiting = "waiting";
  std::string roofline = "Roofline", intensity = "Operations a byte", rate = "Speed";
  std::string copies = "copies", doubles = "multiply-adds, double", singles = "multiply-adds, single";
};

/// Ends of the axes that a person typed, in the chart's units; the others follow the values. Values in decibels are seen down to
/// `decibels` below their peak.
struct ChartLimits {
  std::optional<double> x_low{}, x_high{}, y_low{}, y_high{};
  double decibels = 50;
  bool operator==(const ChartLimits&) const = default;
};
/// Smaller numbers, in SI units, are nothing: what rounding leaves of zero sets no scale.
inline constexpr double chart_nothing = 1e-27;

enum class ChartKind : std::uint8_t { lines, polar, balance, gather, spectrogram };

/// Levels over time and frequency, of one curve.
struct Spectrogram {
  std::vector<double> times;        ///< s; middles of the windows
  std::vector<double> frequencies;  ///< Hz
  std::vector<float> levels;        ///< [time][frequency], dB; −∞ where there is nothing
  std::vector<float> highest;       ///< [frequency]
  double top = 0;                   ///< the highest of all; −∞ of a curve of zeros
  double window = 0, step = 0;      ///< s; length of a window, and from one to the next
};

/// How the traces of a gather are drawn: colours over time and trace, curves that swing about their line, or these over those.
enum class GatherLook : std::uint8_t { picture, wiggles, both };
/// From so many traces on, curves on one axis with a legend say less than a gather.
inline constexpr std::size_t gather_from = 13;

struct ChartSpec {
  ChartKind kind = ChartKind::lines;
  std::string title;
  std::string x_label = "x";
  std::string x_unit;
  std::string y_label;
  std::string y_unit;
  AxisScale x_scale = AxisScale::linear;
  AxisScale y_scale = AxisScale::linear;
  std::vector<Series> series;        ///< lines; polar: x is an angle in degrees, y the radius
  std::vector<BalanceRow> balance;   ///< balance, any order
  std::vector<std::string> workers;  ///< names for the balance chart
  ChartWords words{};
  GatherLook look = GatherLook::both;  ///< gather
  std::shared_ptr<const Spectrogram>
      spectrogram{};                ///< spectrogram; `series` holds the ends of its curve and of the frequencies
  std::string z_label{}, z_unit{};  ///< of its colours
  ChartLimits limits{};
  std::vector<std::string> notes{};  ///< what was fitted to curves, one line each, to be read beside the picture
};

/// The chart of a table: first column against the others; a unit shared by all columns stands on the axis, else in the
/// legend; dimensionless first columns in degrees make no difference. Rows shorter than the columns are left out.
[[nodiscard]] ChartSpec chart_of(const TableInfo& info, std::span<const std::vector<double>> rows);
/// Whether curves can be seen as a gather: three or more over one ascending time, in one unit, on linear axes; exact and measured
/// ones beside them are left out of it.
[[nodiscard]] bool can_be_gather(const ChartSpec& spec);
/// The traces of a chart beneath each other: time to the right, the first trace at the top, one scale for all.
[[nodiscard]] ChartSpec gather_chart(ChartSpec spec, GatherLook look, std::string trace_word = "Trace");
/// The value that the full swing of a gather stands for: the peak that nine of ten traces do not pass, so that the one beside the
/// source does not hide all others; 1 where all are zero.
[[nodiscard]] double gather_scale(const ChartSpec& spec);

/// "balance" from telemetry rows.
[[nodiscard]] ChartSpec balance_chart(std::vector<BalanceRow> rows, std::vector<std::string> workers = {},
                                      ChartWords words = {});

/// The roof of a machine, min(peak, intensity × copy rate) in double and in single precision, and under it a point for each phase
/// that counts what it takes (one for each worker where there are several): all its operations over all its bytes, and over the
/// time that it computed. Logarithmic. Unknown rates (zeros) leave the roof out; no counts: no curves. `devices`: rates of workers
/// that are devices (zeros of others); those that have a point have a roof of their own, and the machine's stands where a processor
/// has one. Williams, Waterman, Patterson, Comm. ACM 52 (2009) 65.
[[nodiscard]] ChartSpec roofline_chart(std::span<const BalanceRow> rows, std::span<const std::string> workers,
                                       const MachineRates& rates, ChartWords words = {},
                                       std::span<const MachineRates> devices = {});

}  // namespace conoid
