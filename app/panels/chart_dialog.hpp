// SPDX-License-Identifier: BSD-3-Clause
// Limits, titles, names and colours of a chart.
#pragma once

#include <QDialog>

#include "app/look/theme.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/chart/chart_style.hpp"

class QCheckBox;
class QLabel;
class QLineEdit;
class QTableWidget;

namespace conoid::app {

class ChartDialog : public QDialog {
  Q_OBJECT
 public:
  /// `own`: the chart without any style; `place`: what was double-clicked and so has the focus.
  ChartDialog(const ChartSpec& own, const ChartStyle& style, const Look& look, const ChartPlace& place,
              QWidget* parent = nullptr);
  /// What is chosen; none where a limit cannot be read: the field is marked then.
  [[nodiscard]] std::optional<ChartStyle> style();
  [[nodiscard]] QLineEdit& limit(int end) {
    return *limits_[static_cast<std::size_t>(end)];
  }  ///< x low, high, y low, high
  [[nodiscard]] QLineEdit& title_edit() { return *title_; }
  [[nodiscard]] QTableWidget& curves() { return *curves_; }

 protected:
  void accept() override;

 private:
  QWidget* make_axes();
  void fill_curves();
  void choose_colour(int row);
  ChartSpec own_;
  ChartStyle style_;
  const Look& look_;
  QLineEdit* title_;
  QLineEdit* x_label_;
  QLineEdit* y_label_;
  std::array<QLineEdit*, 4> limits_{};
  QLineEdit* floor_ = nullptr;
  QCheckBox* x_log_;
  QLabel* trouble_;
  QTableWidget* curves_;
};

}  // namespace conoid::app
