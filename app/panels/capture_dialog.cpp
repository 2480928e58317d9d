// SPDX-License-Identifier: BSD-3-Clause
// Asks how a picture or a film is to be.
#include "app/panels/capture_dialog.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include "app/look/dialog_buttons.hpp"
#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/model/film.hpp"

namespace conoid::app {

CaptureDialog::CaptureDialog(QSize on_screen, int frames, QWidget* parent) : QDialog(parent), frames_(frames) {
  setWindowTitle(frames > 0 ? tr("Save a film") : tr("Save the picture"));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(24, 20, 24, 20);
  column->setSpacing(16);
  auto* form = new QFormLayout;
  form->setHorizontalSpacing(16);
  form->setVerticalSpacing(8);
  size_ = new QComboBox(this);
  size_->setAccessibleName(tr("Size"));
  size_->addItem(tr("As on the screen"), on_screen);
  size_->addItem(tr("Slide, 1280 × 720"), QSize(1280, 720));
  size_->addItem(tr("Full HD, 1920 × 1080"), QSize(1920, 1080));
  size_->addItem(tr("4K, 3840 × 2160"), QSize(3840, 2160));
  size_->addItem(tr("Square, 1600 × 1600"), QSize(1600, 1600));
  size_->addItem(tr("Other"), QSize());
  width_ = new QSpinBox(this);
  height_ = new QSpinBox(this);
  for (QSpinBox* box : {width_, height_}) {
    box->setRange(64, 8192);
    box->setSuffix(" px");
  }
  width_->setAccessibleName(tr("Width"));
  height_->setAccessibleName(tr("Height"));
  auto* sides = new QHBoxLayout;
  sides->addWidget(width_);
  sides->addWidget(new QLabel(QStringLiteral("×"), this));
  sides->addWidget(height_);
  sides->addStretch(1);
  scale_ = new QComboBox(this);
  scale_->setAccessibleName(tr("Texts and lines"));
  for (double s : {1.0, 1.5, 2.0, 3.0}) scale_->addItem(tr("× %1").arg(s), s);
  background_ = new QComboBox(this);
  background_->setAccessibleName(tr("Background"));
  background_->addItem(tr("White, for documents"), static_cast<int>(Background::white));
  background_->addItem(tr("As in the window"), static_cast<int>(Background::window));
  background_->addItem(tr("Transparent"), static_cast<int>(Background::transparent));
  legend_ = new QCheckBox(tr("Colour bar, time and axes"), this);
  legend_->setChecked(true);
  form->addRow(tr("Size"), size_);
  form->addRow({}, sides);
  form->addRow(tr("Texts and lines"), scale_);
  form->addRow(tr("Background"), background_);
  form->addRow(tr("Legend"), legend_);
  if (frames > 0) {
    format_ = new QComboBox(this);
    format_->setAccessibleName(tr("Format"));
    format_->addItem(tr("Numbered pictures (PNG)"), "png");
    if (!ffmpeg_program().empty()) {
      format_->insertItem(0, tr("Film (MP4)"), "mp4");
      format_->insertItem(1, tr("Film (WebM)"), "webm");
      format_->setCurrentIndex(0);
    }
    speed_ = new QSpinBox(this);
    speed_->setAccessibleName(tr("Pictures a second"));
    speed_->setRange(1, 60);
    speed_->setValue(15);
    form->addRow(tr("Format"), format_);
    form->addRow(tr("Pictures a second"), speed_);
    size_->setCurrentIndex(1);
  }
  column->addLayout(form);
  note_ = make_label({}, "small", this);
  note_->setWordWrap(true);
  column->addWidget(note_);
  add_dialog_buttons(*this, *column, tr("Choose the file…"));
  connect(size_, &QComboBox::currentIndexChanged, this, &CaptureDialog::refresh);
  if (format_) connect(format_, &QComboBox::currentIndexChanged, this, &CaptureDialog::refresh);
  if (speed_) connect(speed_, &QSpinBox::valueChanged, this, &CaptureDialog::refresh);
  width_->setValue(on_screen.width());
  height_->setValue(on_screen.height());
  refresh();
}

void CaptureDialog::refresh() {
  const QSize size = size_->currentData().toSize();
  const bool own = !size.isValid() || size.isEmpty();
  width_->setEnabled(own);
  height_->setEnabled(own);
  if (!own) {
    width_->setValue(size.width());
    height_->setValue(size.height());
  }
  if (frames_ == 0) return note_->hide();
  QString text = tr("%1 pictures, %2 s of film.")
                     .arg(frames_)
                     .arg(words_locale().toString(static_cast<double>(frames_) / speed_->value(), 'f', 1));
  if (format_->count() == 1) text += " " + tr("Install ffmpeg to make MP4 and WebM films.");
  note_->setText(text);
}

CaptureChoice CaptureDialog::choice() const {
  CaptureChoice out;
  out.size = {width_->value(), height_->value()};
  out.scale = scale_->currentData().toDouble();
  out.background = static_cast<Background>(background_->currentData().toInt());
  out.legend = legend_->isChecked();
  if (format_) out.ending = format_->currentData().toString();
  if (speed_) out.pictures_per_second = speed_->value();
  return out;
}

}  // namespace conoid::app
