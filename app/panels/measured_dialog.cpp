// SPDX-License-Identifier: BSD-3-Clause
// Columns of a file and their units.
#include "app/panels/measured_dialog.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"

namespace conoid::app {
namespace {

enum FileColumn { taken_column, file_unit_column, curve_column, first_column };

QString unit_or(const Column& column, const std::string& otherwise) {
  return QString::fromStdString(column.unit.empty() ? otherwise : column.unit);
}

}  // namespace

MeasuredDialog::MeasuredDialog(const CsvTable& table, const ChartSpec& spec, const QString& file_name, QWidget* parent)
    : QDialog(parent), table_(table) {
  setWindowTitle(tr("Curves of %1").arg(file_name));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  auto* row = new QHBoxLayout;
  row->addWidget(make_label(tr("Abscissa"), "", this));
  x_ = new QComboBox(this);
  x_->setAccessibleName(tr("Abscissa"));
  for (const auto& c : table.columns) x_->addItem(QString::fromStdString(c.name));
  row->addWidget(x_, 1);
  row->addWidget(make_label(tr("in"), "", this));
  x_unit_ = new QLineEdit(unit_or(table.columns.front(), spec.x_unit), this);
  x_unit_->setAccessibleName(tr("Unit of the abscissa"));
  row->addWidget(x_unit_);
  column->addLayout(row);
  columns_ = new QTableWidget(static_cast<int>(table.columns.size()), 4, this);
  columns_->setHorizontalHeaderLabels({tr("Column"), tr("Unit"), tr("Name of the curve"), tr("First value")});
  columns_->setAccessibleName(tr("Columns"));
  columns_->setAccessibleDescription(tr("Those that are ticked become curves"));
  columns_->verticalHeader()->hide();
  columns_->horizontalHeader()->setSectionResizeMode(curve_column, QHeaderView::Stretch);
  for (int r = 0; r < columns_->rowCount(); ++r) {
    const auto& c = table.columns[static_cast<std::size_t>(r)];
    auto* taken = new QTableWidgetItem(QString::fromStdString(c.name));
    taken->setFlags(Qt::ItemIsUserCheckable | Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    taken->setCheckState(r == 0 ? Qt::Unchecked : Qt::Checked);
    columns_->setItem(r, taken_column, taken);
    columns_->setItem(r, file_unit_column, new QTableWidgetItem(unit_or(c, spec.y_unit)));
    columns_->setItem(r, curve_column, new QTableWidgetItem);
    auto* first = new QTableWidgetItem(
        table.rows() > 0 ? QString::number(table.row(0)[static_cast<std::size_t>(r)], 'g', 6) : QString());
    first->setFlags(Qt::ItemIsEnabled);
    columns_->setItem(r, first_column, first);
  }
  columns_->resizeColumnToContents(taken_column);
  column->addWidget(columns_, 1);
  add_dialog_buttons(*this, *column, tr("Lay over the chart"));
  connect(x_, &QComboBox::currentIndexChanged, this, [this, unit = spec.x_unit](int index) {
    x_unit_->setText(unit_or(table_.columns[static_cast<std::size_t>(index)], unit));
    for (int r = 0; r < columns_->rowCount(); ++r)
      if (r == index) columns_->item(r, taken_column)->setCheckState(Qt::Unchecked);
  });
  constexpr int width = 560, height = 380;
  resize(width, height);
}

MeasuredChoice MeasuredDialog::choice() const {
  MeasuredChoice out;
  out.x.column = static_cast<std::size_t>(x_->currentIndex());
  out.x.unit = x_unit_->text().trimmed().toStdString();
  for (int r = 0; r < columns_->rowCount(); ++r) {
    if (columns_->item(r, taken_column)->checkState() != Qt::Checked) continue;
    out.curves.push_back({static_cast<std::size_t>(r),
                          columns_->item(r, file_unit_column)->text().trimmed().toStdString(),
                          columns_->item(r, curve_column)->text().trimmed().toStdString()});
  }
  return out;
}

}  // namespace conoid::app
