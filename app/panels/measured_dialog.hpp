// SPDX-License-Identifier: BSD-3-Clause
// Which columns of a file are laid over a chart, and in which units they are.
#pragma once

#include <QDialog>

#include "render/chart/measured_curves.hpp"

class QComboBox;
class QLineEdit;
class QTableWidget;

namespace conoid::app {

class MeasuredDialog : public QDialog {
  Q_OBJECT
 public:
  MeasuredDialog(const CsvTable& table, const ChartSpec& spec, const QString& file_name, QWidget* parent = nullptr);
  [[nodiscard]] MeasuredChoice choice() const;
  [[nodiscard]] QComboBox& abscissa() { return *x_; }
  [[nodiscard]] QTableWidget& columns() { return *columns_; }

 private:
  const CsvTable& table_;
  QComboBox* x_;
  QLineEdit* x_unit_;
  QTableWidget* columns_;
};

}  // namespace conoid::app
