// SPDX-License-Identifier: BSD-3-Clause
// Which curve is seen over time and frequency, by which windows, and what they resolve.
#pragma once

#include <optional>

#include <QDialog>

#include "render/chart/spectrogram.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace conoid::app {

/// In the reader's language.
[[nodiscard]] SpectrogramWords spectrogram_words();

class SpectrogramDialog : public QDialog {
  Q_OBJECT
 public:
  /// `wish` and `decibels` are what is typed at first.
  SpectrogramDialog(const ChartSpec& chart, const SpectrogramWish& wish, double decibels, QWidget* parent = nullptr);
  /// What was asked for; none while it cannot be made.
  [[nodiscard]] std::optional<SpectrogramWish> wish() const { return wish_; }
  [[nodiscard]] double decibels() const { return decibels_; }
  [[nodiscard]] QComboBox& curve() { return *curve_; }
  [[nodiscard]] QLineEdit& window() { return *window_; }
  [[nodiscard]] QLineEdit& overlap() { return *overlap_; }
  [[nodiscard]] QLineEdit& range() { return *range_; }
  [[nodiscard]] QLabel& result() { return *result_; }

 private:
  void refresh();

  ChartSpec chart_;
  std::optional<SpectrogramWish> wish_;
  double decibels_;
  QComboBox* curve_;
  QLineEdit *window_, *overlap_, *range_;
  QLabel* result_;
  QPushButton* accept_ = nullptr;
};

}  // namespace conoid::app
