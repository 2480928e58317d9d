// SPDX-License-Identifier: BSD-3-Clause
// Measures how long the event loop of this thread is away.
#pragma once

#include <algorithm>
#include <ctime>
#include <utility>
#include <vector>

#include <QElapsedTimer>
#include <QObject>
#include <QStringList>
#include <QTimer>

namespace conoid::app::test {

/// A beat every 5 ms. The machine may be busy with other things, so the processor time of this thread counts where it is less.
class Heartbeat {
 public:
  Heartbeat() {
    beat_.setInterval(5);
    beat_.setTimerType(Qt::PreciseTimer);
    QObject::connect(&beat_, &QTimer::timeout, &beat_, [this] { take(); });
  }
  void start() {
    before_ = own_time();
    wall_.start();
    since_.start();
    beat_.start();
  }
  void stop() { beat_.stop(); }
  [[nodiscard]] int beats() const { return beats_; }
  /// Milliseconds of wall time between two beats, and of this thread's own work among them.
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] double worst_busy() const { return worst_busy_; }
  /// The longest ones of this thread's own work, "70 ms at 0.3 s", for messages.
  [[nodiscard]] QString longest() const {
    auto all = absences_;
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    QStringList out;
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 5); ++i)
      out << QString("%1 ms at %2 s").arg(all[i].second, 0, 'f', 0).arg(all[i].first, 0, 'f', 2);
    return out.join(", ");
  }
  /// Milliseconds of processor time that this thread has had.
  static double own_time() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
  }

 private:
  void take() {
    const double now = own_time(), away = static_cast<double>(wall_.nsecsElapsed()) * 1e-6;
    if (beats_++ > 0) {
      worst_ = std::max(worst_, away);
      const double busy = std::min(away, now - before_);
      worst_busy_ = std::max(worst_busy_, busy);
      if (busy > 20) absences_.emplace_back(1e-3 * static_cast<double>(since_.elapsed()), busy);
    }
    before_ = now;
    wall_.restart();
  }

  QTimer beat_;
  QElapsedTimer wall_, since_;
  std::vector<std::pair<double, double>> absences_;  ///< seconds since the start, milliseconds
  double before_ = 0, worst_ = 0, worst_busy_ = 0;
  int beats_ = 0;
};

}  // namespace conoid::app::test
