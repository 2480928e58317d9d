// SPDX-License-Identifier: BSD-3-Clause
// Runs as a table of numbers: as text for a spreadsheet, and a chart of any result against any value that differs between their cases.
#pragma once

#include <vector>

#include <QDialog>

#include "app/look/theme.hpp"
#include "app/model/run_list.hpp"
#include "render/chart/sweep_chart.hpp"
#include "render/window/make_viewport.hpp"

class QComboBox;
class QLabel;

namespace conoid::app {

class ChartTile;

/// What differs between their cases (numbers in SI units, by the schemas), then all result numbers and the time of each run.
[[nodiscard]] SweepTable table_of_runs(const std::vector<ListedRun>& runs);
/// The same with folder, title, state and start, and with the texts that are no numbers; whole, whatever a list shows of it.
[[nodiscard]] QString runs_as_text(const std::vector<ListedRun>& runs, QChar separator);

class RunsChart : public QDialog {
  Q_OBJECT
 public:
  RunsChart(const std::vector<ListedRun>& runs, const Look& look, ViewportKind kind, QWidget* parent = nullptr);
  [[nodiscard]] QComboBox& across() { return *x_; }
  [[nodiscard]] QComboBox& upwards() { return *y_; }
  [[nodiscard]] ChartTile& tile() { return *tile_; }

 private:
  void draw();
  SweepTable table_;
  QComboBox* x_;
  QComboBox* y_;
  QLabel* note_;
  ChartTile* tile_;
};

}  // namespace conoid::app
