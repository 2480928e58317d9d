// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a chart.
#include "app/panels/chart_table.hpp"

#include <cmath>

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>

namespace conoid::app {

void ChartTableModel::take(ChartRows rows) {
  const bool same = rows.heads == rows_.heads && rows.rows.size() >= rows_.rows.size();
  if (!same) {
    beginResetModel();
    rows_ = std::move(rows);
    endResetModel();
    return;
  }
  // A run that goes on: rows are added, what is chosen stays chosen.
  const int before = rowCount(), after = static_cast<int>(rows.rows.size());
  if (after > before) beginInsertRows({}, before, after - 1);
  rows_ = std::move(rows);
  if (after > before) endInsertRows();
  if (before > 0) emit dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
}

int ChartTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.rows.size());
}

int ChartTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.heads.size());
}

QVariant ChartTableModel::data(const QModelIndex& at, int role) const {
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const double value = rows_.rows[static_cast<std::size_t>(at.row())][static_cast<std::size_t>(at.column())];
  return std::isfinite(value) ? QString::number(value, 'g', 7) : QString();
}

QVariant ChartTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (role != Qt::DisplayRole) return {};
  if (orientation == Qt::Vertical) return section + 1;
  return QString::fromStdString(rows_.heads[static_cast<std::size_t>(section)]);
}

NumbersTable::NumbersTable(QWidget* parent) : QTableView(parent), model_(new ChartTableModel(this)) {
  setModel(model_);
  setAccessibleName(tr("Numbers of the chart"));
  setAccessibleDescription(tr("Ctrl+C copies the chosen cells, or all"));
  setTabKeyNavigation(false);
  verticalHeader()->setDefaultSectionSize(24);
  horizontalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
  horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
}

void NumbersTable::take(ChartRows rows) {
  model_->take(std::move(rows));
}

QString NumbersTable::chosen_as_text() const {
  const auto chosen = selectionModel()->selectedIndexes();
  int top = 0, bottom = model_->rowCount() - 1, left = 0, right = model_->columnCount() - 1;
  if (chosen.size() > 1) {
    top = left = std::numeric_limits<int>::max();
    bottom = right = -1;
    for (const QModelIndex& at : chosen) {
      top = std::min(top, at.row()), bottom = std::max(bottom, at.row());
      left = std::min(left, at.column()), right = std::max(right, at.column());
    }
  }
  QString out;
  for (int c = left; c <= right; ++c)
    out += (c > left ? "\t" : "") + model_->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
  out += '\n';
  for (int r = top; r <= bottom; ++r) {
    for (int c = left; c <= right; ++c)
      out += (c > left ? "\t" : "") + model_->data(model_->index(r, c), Qt::DisplayRole).toString();
    out += '\n';
  }
  return out;
}

void NumbersTable::keyPressEvent(QKeyEvent* event) {
  if (event->matches(QKeySequence::Copy)) {
    QGuiApplication::clipboard()->setText(chosen_as_text());
    return;
  }
  QTableView::keyPressEvent(event);
}

}  // namespace conoid::app
