// SPDX-License-Identifier: BSD-3-Clause
// Fits as they are chosen.
#include "app/panels/fit_dialog.hpp"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/numbers.hpp"
#include "render/chart/chart_style.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {

FitWords fit_words() {
  return {QObject::tr("decay").toStdString(), QObject::tr("delay").toStdString(),
          QObject::tr("correlation").toStdString(), QObject::tr("inverted").toStdString()};
}

FitDialog::FitDialog(const ChartSpec& chart, const FitWindow& window, QWidget* parent)
    : QDialog(parent), chart_(chart) {
  setWindowTitle(tr("Fit of curves"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  auto* grid = new QGridLayout;
  grid->setColumnStretch(1, 1);
  const auto row = [&](const QString& name, QWidget* field) {
    auto* label = make_label(name, "", this);
    grid->addWidget(label, grid->rowCount(), 0);
    grid->addWidget(field, grid->rowCount() - 1, 1);
    field->setAccessibleName(name);
    return label;
  };
  kind_ = new QComboBox(this);
  kind_->addItem(tr("Decay: rate, reverberation times, Q"), static_cast<int>(FitKind::decay));
  kind_->addItem(tr("Delay between two curves"), static_cast<int>(FitKind::delay));
  row(tr("Fit"), kind_);
  curve_ = new QComboBox(this);
  second_ = new QComboBox(this);
  for (const Series& s : chart_.series) {
    curve_->addItem(QString::fromStdString(s.label));
    second_->addItem(QString::fromStdString(s.label));
  }
  second_->setCurrentIndex(std::min(1, second_->count() - 1));
  row(tr("Curve"), curve_);
  second_label_ = row(tr("The later curve"), second_);
  const auto time = [&](std::optional<double> value) {
    return new QLineEdit(value ? in_figures(QString::fromStdString(readable(*value, "s", 6))) : QString(), this);
  };
  from_ = time(window.low);
  from_->setPlaceholderText(tr("The peak of a decay, the beginning of a delay"));
  to_ = time(window.high);
  to_->setPlaceholderText(tr("The end of the curve"));
  row(tr("From"), from_);
  row(tr("Up to"), to_);
  column->addLayout(grid);
  result_ = make_label({}, "", this);
  result_->setWordWrap(true);
  result_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  result_->setAccessibleName(tr("Result of the fit"));
  result_->setMinimumHeight(3 * fontMetrics().height());
  column->addWidget(result_);
  column->addStretch(1);
  accept_ = add_dialog_buttons(*this, *column, tr("Lay over the chart")).act;
  for (auto* choice : {kind_, curve_, second_})
    connect(choice, &QComboBox::currentIndexChanged, this, &FitDialog::refresh);
  for (auto* text : {from_, to_}) connect(text, &QLineEdit::textChanged, this, &FitDialog::refresh);
  constexpr int width = 520, height = 360;
  resize(width, height);
  refresh();
}

void FitDialog::refresh() {
  FitWish wish;
  wish.kind = static_cast<FitKind>(kind_->currentData().toInt());
  wish.curve = curve_->currentText().toStdString();
  wish.second = second_->currentText().toStdString();
  second_->setVisible(wish.kind == FitKind::delay);
  second_label_->setVisible(wish.kind == FitKind::delay);
  wish_.reset();
  const auto tell = [this](const QString& text, const char* role) {
    result_->setText(text);
    set_role(result_, role);
    if (accept_) accept_->setEnabled(wish_.has_value());
  };
  for (const auto& [field, end] : {std::pair{from_, &wish.window.low}, {to_, &wish.window.high}}) {
    const auto limit = parse_limit(typed_text(field->text()).toStdString(), chart_.x_unit);
    if (!limit) return tell(tr("\"%1\" is no time.").arg(field->text().trimmed()), "bad");
    *end = *limit;
  }
  const auto fit = fitted(chart_, wish, fit_words());
  if (!fit)
    return tell(tr("No fit: within the window a curve needs 8 values or more, not all of them zero, and a decay has to "
                   "fall by 10 dB or more. Begin where it begins to die away, and end before it is noise."),
                "bad");
  wish_ = wish;
  tell(in_figures(QString::fromStdString(fit->text)), "");
}

}  // namespace conoid::app
