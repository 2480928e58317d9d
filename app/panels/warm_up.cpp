// SPDX-License-Identifier: BSD-3-Clause
// Practice, piece by piece.
#include "app/panels/warm_up.hpp"

#include <string>

#include <QProcess>

#include "app/model/background.hpp"
#include "app/model/case_model.hpp"
#include "app/panels/picture_theme.hpp"
#include "engine/solvers/registry.hpp"
#include "render/window/turn.hpp"

namespace conoid::app {
namespace {

constexpr int begin_ms = 150;  // after the window is there
constexpr int pause_ms = 5;    // between two steps: what somebody does goes before
// For the other program, which needs half a second of a processor: where many share one it still is worth waiting for, as without it two programs
// are compiled in one call. What is opened before the practice takes a fifth of a second at once.
constexpr int longest_ms = 5000;

}  // namespace

WarmUp::WarmUp(const Look& look, bool pictures, const std::filesystem::path& practiser, QObject* parent)
    : QObject(parent) {
  for (const SolverInfo* info : registered_solvers())
    steps_.emplace_back([id = std::string(info->id)] { static_cast<void>(registered_schemas()(id).ok()); });
  if (pictures) {
    loading_ = true;
    in_background(
        this, [] { return RasterViewport::load_driver(); }, [](WarmUp& self, bool) { self.loading_ = false; });
    practice_ =
        std::make_unique<Practice>(picture_theme(look.theme(), "viewport"), picture_theme(look.theme(), "chart"));
    std::error_code ignored;
    if (std::filesystem::exists(practiser, ignored)) {
      before_ = new QProcess(this);
      before_->setStandardOutputFile(QProcess::nullDevice());
      before_->setStandardErrorFile(QProcess::nullDevice());
      before_->start(QString::fromStdString(practiser.string()), {"--practise"});
      QTimer::singleShot(longest_ms, before_, &QProcess::kill);
    }
  }
  timer_.setInterval(begin_ms);
  connect(&timer_, &QTimer::timeout, this, &WarmUp::take_step);
  timer_.start();
}

WarmUp::~WarmUp() {
  if (!waits()) return;
  before_->kill();
  constexpr int soon_ms = 1000;
  before_->waitForFinished(soon_ms);
}

bool WarmUp::waits() {
  return before_ && before_->state() != QProcess::NotRunning;
}

void WarmUp::take_step() {
  timer_.setInterval(pause_ms);
  if (turn_is_taken()) return;
  const TurnWork work;
  if (next_ < steps_.size()) return steps_[next_++]();
  if (practice_ && (waits() || loading_)) return;
  if (practice_ && practice_->step()) return;
  timer_.stop();
  steps_.clear();
  emit done();
}

}  // namespace conoid::app
