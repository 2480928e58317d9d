// SPDX-License-Identifier: BSD-3-Clause
// Who keeps the event loop of this thread away, and for how long: every beat ends a stretch, and every stretch has the name of what was
// done last.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include <QElapsedTimer>
#include <QEventLoop>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>

#include "tests/app/heartbeat.hpp"

namespace conoid::app::test {

/// Milliseconds between two beats.
struct Absence {
  double own = 0;   ///< processor time of this thread
  double held = 0;  ///< that, and waiting for anything but a free processor: files, locks, threads, sleep
  double end =
      0;  ///< s of CLOCK_MONOTONIC at the end of the longest work: `perf record -k CLOCK_MONOTONIC` counts alike
};

/// A beat every 5 ms. What other programs do to the machine counts in neither number: a thread that waits for a processor is not absent
/// by its own doing.
class Absences {
 public:
  Absences() {
    beat_.setInterval(5);
    beat_.setTimerType(Qt::PreciseTimer);
    QObject::connect(&beat_, &QTimer::timeout, &beat_, [this] { take(); });
  }
  void start(const QString& what) {
    what_ = what;
    restart();
    beat_.start();
  }
  void stop() {
    if (beat_.isActive()) take();
    beat_.stop();
  }
  /// From here on stretches are of this name.
  void name(const QString& what) {
    take();
    what_ = what;
  }
  /// Lets the event loop turn until nothing of this thread's has been done for `quiet` ms, `longest` ms at most: what was put off
  /// happens within.
  void settle(int quiet = 60, int longest = 3000) {
    QElapsedTimer all, still;
    all.start();
    still.start();
    double before = Heartbeat::own_time();
    while (still.elapsed() < quiet && all.elapsed() < longest) {
      QEventLoop loop;
      QTimer::singleShot(10, &loop, &QEventLoop::quit);
      loop.exec();
      const double now = Heartbeat::own_time();
      if (now - before > 2) still.restart();
      before = now;
    }
  }
  [[nodiscard]] int beats() const { return beats_; }
  /// By name, the longest stretch first.
  [[nodiscard]] std::vector<std::pair<QString, Absence>> slowest() const {
    std::vector<std::pair<QString, Absence>> all(longest_.begin(), longest_.end());
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return longer(a.second) > longer(b.second); });
    return all;
  }
  /// Those over a limit, for a message; empty: none.
  [[nodiscard]] QStringList over(double own, double held) const {
    QStringList out;
    for (const auto& [what, absence] : slowest())
      if (absence.own > own || absence.held > held) out << row(what, absence);
    return out;
  }
  [[nodiscard]] QString table(std::size_t rows) const {
    QStringList out;
    for (const auto& [what, absence] : slowest())
      if (out.size() < static_cast<qsizetype>(rows)) out << row(what, absence);
    return out.join('\n');
  }

 private:
  static double longer(const Absence& a) { return std::max(a.own, a.held); }
  static QString row(const QString& what, const Absence& a) {
    return QString("%1 ms, with waiting %2 ms (until %3 s): %4")
        .arg(a.own, 0, 'f', 0)
        .arg(a.held, 0, 'f', 0)
        .arg(a.end, 0, 'f', 3)
        .arg(what);
  }
  /// Milliseconds that this thread could have run and had no processor; 0 where the system does not say.
  static double starved() {
    double run = 0, delay = 0;
    if (std::FILE* file = std::fopen("/proc/thread-self/schedstat", "r")) {
      if (std::fscanf(file, "%lf %lf", &run, &delay) != 2) delay = 0;
      std::fclose(file);
    }
    return 1e-6 * delay;
  }
  void restart() {
    own_ = Heartbeat::own_time();
    starved_ = starved();
    wall_.restart();
  }
  void take() {
    ++beats_;
    Absence& longest = longest_[what_];
    const double wall = 1e-6 * static_cast<double>(wall_.nsecsElapsed());
    if (const double own = std::min(wall, Heartbeat::own_time() - own_); own > longest.own) {
      longest.own = own;
      timespec now{};
      clock_gettime(CLOCK_MONOTONIC, &now);
      longest.end = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
    }
    longest.held = std::max(longest.held, wall - (starved() - starved_));
    restart();
  }

  QTimer beat_;
  QElapsedTimer wall_;
  QString what_;
  std::map<QString, Absence> longest_;
  double own_ = 0, starved_ = 0;
  int beats_ = 0;
};

}  // namespace conoid::app::test
