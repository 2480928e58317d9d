// SPDX-License-Identifier: BSD-3-Clause
// A scene of its own.
#include "app/panels/scene_window.hpp"

#include <algorithm>

#include <QCheckBox>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QVBoxLayout>

#include "app/look/small_widgets.hpp"
#include "app/look/translator.hpp"
#include "app/panels/viewport_panel.hpp"

namespace conoid::app {

SceneWindow::SceneWindow(RunModel& run, const Look& look, ViewportKind kind, QWidget* parent)
    : QWidget(parent, Qt::Window), run_(run) {
  setObjectName("surface");
  setAttribute(Qt::WA_StyledBackground);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  pane_ = new ScenePane(run, look, kind, this);
  column->addWidget(pane_, 1);
  timeline_ = new QWidget(this);
  auto* row = new QHBoxLayout(timeline_);
  row->setContentsMargins(12, 4, 12, 4);
  row->setSpacing(12);
  linked_ = new QCheckBox(tr("Same frame as the main window"), timeline_);
  linked_->setChecked(true);
  row->addWidget(linked_);
  slider_ = new QSlider(Qt::Horizontal, timeline_);
  slider_->setAccessibleName(tr("Frame"));
  slider_->setAccessibleDescription(tr("Goes through the frames that were kept"));
  slider_->setPageStep(1);
  row->addWidget(slider_, 1);
  time_ = make_label({}, "small", timeline_);
  row->addWidget(time_);
  column->addWidget(timeline_);
  connect(slider_, &QSlider::valueChanged, this, [this](int index) {
    const auto at = static_cast<std::size_t>(index);
    is_linked() ? emit frame_wanted(at) : show_frame(at);
  });
  connect(linked_, &QCheckBox::clicked, this, &SceneWindow::refresh);
  connect(&run, &RunModel::frame_loaded, this, [this](std::size_t index) {
    if (!waiting_) return;
    // Somebody else's wish came between.
    index == wanted_ ? show_now() : run_.fetch(wanted_);
  });
  connect(&run, &RunModel::frame_arrived, this, &SceneWindow::refresh);
  connect(&run, &RunModel::catalog_changed, pane_, &ScenePane::show_choices);
  constexpr int width = 900, height = 640;
  resize(width, height);
  refresh();
}

bool SceneWindow::is_linked() const {
  return linked_->isChecked();
}

void SceneWindow::set_linked(bool on) {
  linked_->setChecked(on);
  refresh();
}

void SceneWindow::follow(std::size_t index) {
  if (is_linked()) show_frame(index);
}

void SceneWindow::show_frame(std::size_t index) {
  if (index >= run_.frames().size()) return;
  wanted_ = index;
  waiting_ = run_.frames().at(index) == nullptr;
  waiting_ ? run_.fetch(index) : show_now();
  refresh();
}

void SceneWindow::show_now() {
  waiting_ = false;
  pane_->set_own_fields(false);
  pane_->show_frame(run_.frames().at(wanted_));
}

void SceneWindow::show_preview(const std::shared_ptr<const Frame>& frame) {
  pane_->set_own_fields(true);
  pane_->show_frame(frame);
  pane_->show_choices();
  refresh();
}

void SceneWindow::start_again(const QString& sentence) {
  waiting_ = false;
  wanted_ = 0;
  pane_->clear(sentence);
  refresh();
}

void SceneWindow::refresh() {
  const auto frames = static_cast<int>(run_.frames().size());
  timeline_->setVisible(frames > 0);
  const QSignalBlocker quiet(slider_);
  slider_->setRange(0, std::max(0, frames - 1));
  slider_->setEnabled(frames > 1);
  slider_->setValue(std::min(static_cast<int>(wanted_), std::max(0, frames - 1)));
  if (frames == 0) return;
  const Moment moment = run_.frames().moment(static_cast<std::size_t>(slider_->value()));
  time_->setText(in_figures(tr("%1   %2 / %3").arg(moment_text(moment)).arg(slider_->value() + 1).arg(frames)));
}

void SceneWindow::closeEvent(QCloseEvent* event) {
  event->accept();
  emit close_wanted();
}

void SceneWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F11) return setWindowState(windowState() ^ Qt::WindowFullScreen);
  if (event->matches(QKeySequence::Close)) {
    close();
    return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace conoid::app
