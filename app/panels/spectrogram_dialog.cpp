// SPDX-License-Identifier: BSD-3-Clause
// Spectrograms as they are chosen.
#include "app/panels/spectrogram_dialog.hpp"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/numbers.hpp"
#include "engine/core/units.hpp"
#include "render/scene/ticks.hpp"

namespace conoid::app {

SpectrogramWords spectrogram_words() {
  return {QObject::tr("spectrogram").toStdString(), QObject::tr("Frequency").toStdString(),
          QObject::tr("Amplitude").toStdString(), QObject::tr("Level").toStdString()};
}

SpectrogramDialog::SpectrogramDialog(const ChartSpec& chart, const SpectrogramWish& wish, double decibels,
                                     QWidget* parent)
    : QDialog(parent), chart_(chart), decibels_(decibels) {
  setWindowTitle(tr("Spectrogram"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(12);
  auto* form = new QFormLayout;
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setVerticalSpacing(8);
  const auto row = [&](const QString& name, QWidget* field) {
    field->setAccessibleName(name);
    form->addRow(name, field);
  };
  curve_ = new QComboBox(this);
  for (const Series& s : chart_.series) curve_->addItem(QString::fromStdString(s.label));
  curve_->setCurrentIndex(std::max(0, curve_->findText(QString::fromStdString(wish.curve))));
  row(tr("Curve"), curve_);
  constexpr double per_cent = 100;
  window_ =
      new QLineEdit(wish.window > 0 ? in_figures(QString::fromStdString(readable(wish.window, "s"))) : QString(), this);
  window_->setPlaceholderText(tr("A twelfth of the curve"));
  row(tr("Length of a window"), window_);
  overlap_ =
      new QLineEdit(wish.overlap >= 0 ? tr("%1 %").arg(QString::number(per_cent * wish.overlap)) : QString(), this);
  overlap_->setPlaceholderText(tr("So that there are 500 windows"));
  row(tr("Overlap"), overlap_);
  range_ = new QLineEdit(QString::number(decibels), this);
  row(tr("Decibels below the peak"), range_);
  column->addLayout(form);
  result_ = make_label({}, "", this);
  result_->setWordWrap(true);
  result_->setAccessibleName(tr("What the windows resolve"));
  result_->setMinimumHeight(3 * fontMetrics().height());
  column->addWidget(result_);
  column->addStretch(1);
  accept_ = add_dialog_buttons(*this, *column, tr("Show")).act;
  connect(curve_, &QComboBox::currentIndexChanged, this, &SpectrogramDialog::refresh);
  for (auto* text : {window_, overlap_, range_})
    connect(text, &QLineEdit::textChanged, this, &SpectrogramDialog::refresh);
  constexpr int width = 520, height = 340;
  resize(width, height);
  refresh();
}

void SpectrogramDialog::refresh() {
  wish_.reset();
  const auto tell = [this](const QString& text, const char* role) {
    result_->setText(text);
    set_role(result_, role);
    if (accept_) accept_->setEnabled(wish_.has_value());
  };
  SpectrogramWish wish;
  wish.curve = curve_->currentText().toStdString();
  if (const QString text = typed_text(window_->text()); !text.isEmpty()) {
    const auto time = parse_quantity(text.toStdString(), "s");
    if (!time || !(time->value > 0)) return tell(tr("\"%1\" is no time.").arg(window_->text().trimmed()), "bad");
    wish.window = time->value;
  }
  if (const QString text = typed_text(overlap_->text()); !text.isEmpty()) {
    const auto share = parse_share(text.toStdString());
    if (!share || !(*share >= 0 && *share < 1))
      return tell(tr("The overlap is a share of the window from 0 to below 100 %, found \"%1\".").arg(overlap_->text()),
                  "bad");
    wish.overlap = *share;
  }
  bool ok = false;
  const double below = typed_text(range_->text()).remove("dB").trimmed().toDouble(&ok);
  if (!ok || !(below > 0)) return tell(tr("The range is a number of decibels above 0."), "bad");
  const auto made = spectrogram_chart(chart_, wish);
  if (!made)
    return tell(
        tr("A window takes 8 samples or more, and is no longer than the curve; with very short ones that overlap "
           "too much there are more windows than can be shown."),
        "bad");
  wish_ = wish;
  decibels_ = below;
  const Spectrogram& s = *made->spectrogram;
  tell(tr("%1 windows of %2, one every %3. Tones more than %4 apart are seen as two.")
           .arg(s.times.size())
           .arg(in_figures(QString::fromStdString(readable(s.window, "s"))),
                in_figures(QString::fromStdString(readable(s.step, "s"))),
                in_figures(QString::fromStdString(readable(4 / s.window, "Hz")))),
       "");
}

}  // namespace conoid::app
