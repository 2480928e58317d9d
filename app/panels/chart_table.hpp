// SPDX-License-Identifier: BSD-3-Clause
// The numbers of a chart as a table: chosen cells are copied with Ctrl+C.
#pragma once

#include <QAbstractTableModel>
#include <QTableView>

#include "render/chart/chart_rows.hpp"

namespace conoid::app {

class ChartTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  void take(ChartRows rows);
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  ChartRows rows_;
};

class NumbersTable : public QTableView {
  Q_OBJECT
 public:
  explicit NumbersTable(QWidget* parent = nullptr);
  void take(ChartRows rows);
  /// The chosen cells, or all where none is, with a line of heads.
  [[nodiscard]] QString chosen_as_text() const;

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  ChartTableModel* model_;
};

}  // namespace conoid::app
