// SPDX-License-Identifier: BSD-3-Clause
// Which curves are fitted, between which times, and what comes out.
#pragma once

#include <optional>

#include <QDialog>

#include "render/chart/curve_fit.hpp"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace conoid::app {

/// In the reader's language.
[[nodiscard]] FitWords fit_words();

class FitDialog : public QDialog {
  Q_OBJECT
 public:
  /// `window`: what is typed at first.
  FitDialog(const ChartSpec& chart, const FitWindow& window, QWidget* parent = nullptr);
  /// What was asked for; none while it cannot be fitted.
  [[nodiscard]] std::optional<FitWish> wish() const { return wish_; }
  [[nodiscard]] QComboBox& kind() { return *kind_; }
  [[nodiscard]] QComboBox& curve() { return *curve_; }
  [[nodiscard]] QComboBox& second() { return *second_; }
  [[nodiscard]] QLineEdit& from() { return *from_; }
  [[nodiscard]] QLineEdit& to() { return *to_; }
  [[nodiscard]] QLabel& result() { return *result_; }

 private:
  void refresh();

  ChartSpec chart_;
  std::optional<FitWish> wish_;
  QComboBox *kind_, *curve_, *second_;
  QLabel* second_label_;
  QLineEdit *from_, *to_;
  QLabel* result_;
  QPushButton* accept_ = nullptr;
};

}  // namespace conoid::app
