// SPDX-License-Identifier: BSD-3-Clause
// Charts of a run, of a sweep or of two runs as the command line asks for them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "render/chart/chart_spec.hpp"

namespace conoid {

/// What was typed; empty members ask for nothing.
struct ChartWishes {
  std::string table;  ///< of charts/, "balance", "roofline", or of a sweep "sweep"
  std::string x, y;   ///< columns of a sweep
  std::string minus;  ///< another run: this one's curves less its
  std::string unit;   ///< one of those in which the table may be seen
  std::string look;   ///< "lines", "polar", "spectrum", "spectrogram", "picture", "wiggles"
  std::string title, x_label, y_label;
  std::string x_range, y_range;  ///< LOW:HIGH
  double floor = 50;             ///< decibels below the peak
  bool log_x = false, log_y = false, linear_y = false;
  std::vector<std::string> curves;  ///< LABEL=NAME,#COLOUR
  std::vector<std::string> over;    ///< CSV files of others
  std::string over_columns;
  std::string fit;                      ///< "decay", "delay"
  std::vector<std::string> fit_curves;  ///< labels; of a delay two. None: all, or the first two
  std::string fit_window;               ///< LOW:HIGH; empty: x_range
  std::string spectrogram_curve;        ///< empty: the first
  std::string window, overlap;          ///< of a spectrogram: a time; a share or per cent of it
};

/// Reads and styles it; errors name the flag and list what there is.
[[nodiscard]] Result<ChartSpec> wished_chart(const std::filesystem::path& run, const ChartWishes& wishes);

}  // namespace conoid
