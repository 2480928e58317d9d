// SPDX-License-Identifier: BSD-3-Clause
// Limits, titles, names and colours of a chart.
#include "app/panels/chart_dialog.hpp"

#include <algorithm>
#include <cmath>

#include <QCheckBox>
#include <QColorDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/names.hpp"
#include "app/model/numbers.hpp"
#include "app/panels/picture_theme.hpp"
#include "render/chart/chart_frame.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {
namespace {

enum ChartColumn { shown_column, name_column, colour_column };

QString limit_text(std::optional<double> value, const std::string& unit) {
  if (!value) return {};
  return known_unit(unit) ? QString::fromStdString(format_quantity(*value, unit)) : QString::number(*value, 'g', 8);
}

QColor colour_of(const Rgb& rgb) {
  return QColor::fromRgbF(static_cast<float>(rgb[0]), static_cast<float>(rgb[1]), static_cast<float>(rgb[2]));
}

}  // namespace

ChartDialog::ChartDialog(const ChartSpec& own, const ChartStyle& style, const Look& look, const ChartPlace& place,
                         QWidget* parent)
    : QDialog(parent), own_(own), style_(style), look_(look) {
  setWindowTitle(tr("Look of the chart"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  column->addWidget(make_axes());
  curves_ = new QTableWidget(this);
  curves_->setAccessibleName(tr("Curves"));
  curves_->setAccessibleDescription(tr("Shown or not, name and colour of each; an empty name is the curve's own"));
  fill_curves();
  column->addWidget(curves_, 1);
  trouble_ = make_label({}, "bad", this);
  trouble_->setWordWrap(true);
  trouble_->hide();
  column->addWidget(trouble_);
  auto* buttons = add_dialog_buttons(*this, *column, tr("Apply"), Acts::asks).box;
  auto* reset = buttons->addButton(tr("As the run gives it"), QDialogButtonBox::ResetRole);
  connect(buttons, &QDialogButtonBox::accepted, this, &ChartDialog::accept);
  connect(reset, &QPushButton::clicked, this, [this] {
    style_ = {};
    for (QLineEdit* edit : {title_, x_label_, y_label_, limits_[0], limits_[1], limits_[2], limits_[3]}) edit->clear();
    if (floor_) floor_->setText(QString::number(style_.limits.decibels));
    x_log_->setChecked(own_.x_scale == AxisScale::log);
    fill_curves();
  });
  constexpr int width = 520, height = 520;
  resize(width, height);
  using Part = ChartPlace::Part;
  QLineEdit* first = place.part == Part::x_axis ? limits_[0] : place.part == Part::y_axis ? limits_[2] : title_;
  first->setFocus();
  first->selectAll();
  if (place.part == Part::curve)
    for (int row = 0; row < curves_->rowCount(); ++row)
      if (curves_->item(row, name_column)->text().toStdString() == place.curve) {
        curves_->setFocus();
        curves_->setCurrentCell(row, name_column);
        curves_->editItem(curves_->item(row, name_column));
      }
}

QWidget* ChartDialog::make_axes() {
  auto* box = new QWidget(this);
  auto* grid = new QGridLayout(box);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(8);
  const auto edit = [&](const QString& name, const QString& own, const QString& text) {
    auto* out = new QLineEdit(text, box);
    out->setAccessibleName(name);
    out->setAccessibleDescription(tr("Empty: as the run gives it"));
    out->setPlaceholderText(own);
    return out;
  };
  title_ = edit(tr("Title"), QString::fromStdString(own_.title), QString::fromStdString(style_.title));
  grid->addWidget(make_label(tr("Title"), "", box), 0, 0);
  grid->addWidget(title_, 0, 1, 1, 4);
  const QString names[] = {tr("Axis to the right"), tr("Axis upwards")};
  for (int axis = 0; axis < 2; ++axis) {
    const std::string& own = axis == 0 ? own_.x_label : own_.y_label;
    const std::string& unit = axis == 0 ? own_.x_unit : own_.y_unit;
    const std::string& typed = axis == 0 ? style_.x_label : style_.y_label;
    QLineEdit* name = edit(names[axis], QString::fromStdString(own), QString::fromStdString(typed));
    (axis == 0 ? x_label_ : y_label_) = name;
    const ChartLimits& l = style_.limits;
    const std::optional<double> ends[] = {axis == 0 ? l.x_low : l.y_low, axis == 0 ? l.x_high : l.y_high};
    const QString places[] = {tr("from"), tr("to")};
    grid->addWidget(make_label(names[axis], "", box), axis + 1, 0);
    grid->addWidget(name, axis + 1, 1);
    for (int k = 0; k < 2; ++k) {
      auto* end = edit(tr("%1, %2").arg(names[axis], places[k]), places[k], limit_text(ends[k], unit));
      end->setToolTip(
          unit.empty() || unit == "1"
              ? tr("Empty: by the values")
              : tr("Empty: by the values; in %1 or with a unit").arg(QString::fromStdString(readable_unit(unit))));
      limits_[2 * static_cast<std::size_t>(axis) + static_cast<std::size_t>(k)] = end;
      grid->addWidget(end, axis + 1, 2 + k);
    }
  }
  x_log_ = new QCheckBox(tr("Logarithmic axis to the right"), box);
  x_log_->setChecked(style_.x_log.value_or(own_.x_scale == AxisScale::log));
  x_log_->setVisible(own_.kind == ChartKind::lines);
  grid->addWidget(x_log_, 3, 1, 1, 3);
  if (own_.y_unit.starts_with("dB") || own_.kind == ChartKind::spectrogram) {
    floor_ = edit(tr("Decibels below the peak"), {}, QString::number(style_.limits.decibels));
    grid->addWidget(make_label(tr("Decibels below the peak"), "", box), 4, 0);
    grid->addWidget(floor_, 4, 1);
  }
  grid->setColumnStretch(1, 2);
  grid->setColumnStretch(2, 1);
  grid->setColumnStretch(3, 1);
  return box;
}

void ChartDialog::fill_curves() {
  curves_->clear();
  curves_->setColumnCount(3);
  curves_->setHorizontalHeaderLabels({tr("Shown"), tr("Name"), tr("Colour")});
  curves_->verticalHeader()->hide();
  curves_->horizontalHeader()->setSectionResizeMode(name_column, QHeaderView::Stretch);
  curves_->setRowCount(static_cast<int>(own_.series.size()));
  const auto colours = series_colors(own_, picture_theme(look_.theme(), "chart"));
  for (int row = 0; row < curves_->rowCount(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    const auto found = style_.curves.find(own_.series[i].label);
    const CurveStyle style = found == style_.curves.end() ? CurveStyle{} : found->second;
    auto* shown = new QTableWidgetItem;
    shown->setFlags(Qt::ItemIsUserCheckable | Qt::ItemIsEnabled | Qt::ItemIsSelectable);
    shown->setCheckState(style.hidden ? Qt::Unchecked : Qt::Checked);
    curves_->setItem(row, shown_column, shown);
    curves_->setItem(
        row, name_column,
        new QTableWidgetItem(QString::fromStdString(style.name.empty() ? own_.series[i].label : style.name)));
    auto* colour = new QPushButton(curves_);
    colour->setAccessibleName(tr("Colour of %1").arg(QString::fromStdString(own_.series[i].label)));
    colour->setProperty("chosen", style.ink.has_value());
    const QColor ink = colour_of(style.ink.value_or(colours[i]));
    colour->setProperty("ink", ink);
    colour->setStyleSheet(
        QString("background: %1; border: none; border-radius: 3px; margin: 6px 10px; padding: 0px; min-height: 0px;")
            .arg(ink.name()));
    connect(colour, &QPushButton::clicked, this, [this, row] { choose_colour(row); });
    curves_->setCellWidget(row, colour_column, colour);
  }
  curves_->resizeColumnToContents(shown_column);
}

void ChartDialog::choose_colour(int row) {
  QWidget* button = curves_->cellWidget(row, colour_column);
  const QColor ink = QColorDialog::getColor(button->property("ink").value<QColor>(), this, tr("Colour of the curve"));
  if (!ink.isValid()) return;
  button->setProperty("ink", ink);
  button->setProperty("chosen", true);
  button->setStyleSheet(
      QString("background: %1; border: none; border-radius: 3px; margin: 6px 10px; padding: 0px; min-height: 0px;")
          .arg(ink.name()));
}

std::optional<ChartStyle> ChartDialog::style() {
  trouble_->hide();
  ChartStyle out;
  out.title = title_->text().trimmed().toStdString();
  out.x_label = x_label_->text().trimmed().toStdString();
  out.y_label = y_label_->text().trimmed().toStdString();
  out.y_log = style_.y_log;
  if (x_log_->isChecked() != (own_.x_scale == AxisScale::log)) out.x_log = x_log_->isChecked();
  std::optional<double>* ends[] = {&out.limits.x_low, &out.limits.x_high, &out.limits.y_low, &out.limits.y_high};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto read = parse_limit(typed_text(limits_[k]->text()).toStdString(), k < 2 ? own_.x_unit : own_.y_unit);
    if (!read) {
      trouble_->setText(translated(read.error().text));
      trouble_->show();
      limits_[k]->setFocus();
      return std::nullopt;
    }
    *ends[k] = *read;
    if (k % 2 == 1 && *ends[k - 1] && *ends[k] && !(**ends[k - 1] < **ends[k])) {
      trouble_->setText(tr("The axis ends where it begins, or before."));
      trouble_->show();
      limits_[k]->setFocus();
      return std::nullopt;
    }
  }
  if (floor_) {
    bool ok = false;
    const double floor = typed_text(floor_->text()).toDouble(&ok);
    if (ok && floor > 0) out.limits.decibels = floor;
  }
  for (int row = 0; row < curves_->rowCount(); ++row) {
    const std::string& own = own_.series[static_cast<std::size_t>(row)].label;
    CurveStyle one;
    one.hidden = curves_->item(row, shown_column)->checkState() == Qt::Unchecked;
    const std::string name = curves_->item(row, name_column)->text().trimmed().toStdString();
    if (name != own) one.name = name;
    const QWidget* button = curves_->cellWidget(row, colour_column);
    if (button->property("chosen").toBool()) {
      const auto ink = button->property("ink").value<QColor>();
      one.ink = Rgb{ink.redF(), ink.greenF(), ink.blueF()};
    }
    if (one.hidden || one.ink || !one.name.empty()) out.curves[own] = one;
  }
  return out;
}

void ChartDialog::accept() {
  if (style()) QDialog::accept();
}

}  // namespace conoid::app
