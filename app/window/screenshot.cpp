// SPDX-License-Identifier: BSD-3-Clause
// A picture of the whole window.
#include "app/window/screenshot.hpp"

#include <cstdio>

#include <QAction>
#include <QApplication>
#include <QPixmap>
#include <QTimer>

#include "app/model/mesh_model.hpp"
#include "app/panels/results_panel.hpp"
#include "app/panels/scene_window.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/window/workbench.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {
namespace {

constexpr int look_every_ms = 50;
constexpr int most_looks = 200;         // for pictures that wait for their turn
constexpr int settle_ms = 600;          // the full check and the charts come after the last event
constexpr int drawing_limit_ms = 8000;  // a viewport that cannot draw must not keep the picture waiting

}  // namespace

Screenshot::Screenshot(MainWindow& window, QString file, bool runs, QStringList actions, QObject* parent)
    : QObject(parent), window_(window), file_(std::move(file)), actions_(std::move(actions)), runs_(runs) {
  timer_.setInterval(look_every_ms);
  connect(&timer_, &QTimer::timeout, this, &Screenshot::look);
}

void Screenshot::begin() {
  timer_.start();
  settled_.invalidate();
}

void Screenshot::look() {
  if (runs_ && !is_final(window_.run().state())) return;
  if (!settled_.isValid()) settled_.start();
  if (settled_.elapsed() < settle_ms) return;
  if (waiting_for_turns() > 0 && ++looked_ < most_looks) return;
  if (Workbench* bench = window_.workbench(); bench && !window_.run().frames().empty())
    if ((!bench->viewport_panel().is_complete() || window_.run().is_finding_range()) &&
        settled_.elapsed() < drawing_limit_ms)
      return;
  if (Workbench* bench = window_.workbench();
      bench && bench->mesh().is_reading() && settled_.elapsed() < drawing_limit_ms)
    return;
  // What the run is expected to take comes with the full check.
  if (window_.model().is_valid() && window_.model().report() == nullptr && settled_.elapsed() < drawing_limit_ms)
    return;
  if (!actions_.isEmpty()) {
    QAction* action = window_.actions().at(actions_.takeFirst());
    settled_.restart();
    // A dialog may not come back before the picture is taken.
    QTimer::singleShot(0, action, &QAction::trigger);
    return;
  }
  timer_.stop();
  take();
}

void Screenshot::take() {
  // Widgets that were made a moment ago are shown by an event of their own, their layouts by another.
  for (int round = 0; round < 2; ++round) QCoreApplication::sendPostedEvents();
  QWidget* dialog = QApplication::activeModalWidget();
  // Of a scene that was asked for in a window of its own, that one.
  Workbench* const bench = window_.workbench();
  const bool scene = !dialog && bench && !bench->viewport_panel().scenes().empty();
  const QPixmap picture = dialog  ? dialog->grab()
                          : scene ? bench->viewport_panel().scenes().back()->grab()
                                  : window_.grab();
  // A pane that had to wait shows what it had.
  if (waiting_for_turns() > 0 && ++looked_ < most_looks) return timer_.start();
  if (!picture.save(file_, "PNG")) {
    std::fprintf(stderr,
                 "conoid-gui: the picture cannot be written to %s\n  Check that the folder exists and has room.\n",
                 qPrintable(file_));
    emit done(static_cast<int>(ErrorCode::file));
    return;
  }
  emit done(runs_ ? window_.run().exit_code() : 0);
}

}  // namespace conoid::app
