// SPDX-License-Identifier: BSD-3-Clause
// What live pictures and kept results frames cost a solver: the same run with and without them, in turns.
// labels: bench timeout600
#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>
#include <vector>

#include <QTemporaryDir>
#include <QTest>

#include "engine/core/atomic_file.hpp"
#include "engine/session/session.hpp"

using namespace conoid;

namespace {

using Clock = std::chrono::steady_clock;

/// A box of n³ points at order 8, large against the caches, with a source and a sponge.
CaseDocument box(Index n, double seconds, int kept) {
  const Json sponge = {{"kind", "sponge"}, {"width", 10}};
  const Json json = {
      {"conoid", 1},
      {"title", "What frames cost"},
      {"solver", "acoustic-fd"},
      {"grid", {{"points", {n, n, n}}, {"spacing", "10 m"}}},
      {"medium", {{"velocity", {{"kind", "constant"}, {"speed", "2 km/s"}}}}},
      {"boundaries", {{"x_min", sponge}, {"y_min", sponge}, {"z_min", sponge}}},
      {"excitation",
       {{"sources",
         {{{"position", {400.0, 500.0, 600.0}}, {"signal", {{"kind", "ricker"}, {"frequency", "20 Hz"}}}}}}}},
      {"parameters", {{"order", 8}, {"courant", 0.2}, {"end_time", seconds}}},
      {"output", {{"frames", {{"count", kept}}}}}};
  return CaseDocument::parse(compact_json(json), "box.json").value();
}

struct Cost {
  double seconds = 0;  ///< from the first step to the last
  double spent = 0;    ///< of these on pictures and frames, by the session's own clock
  int pictures = 0;
};

/// Runs with a viewer that asks for `per_second` pictures of at most four million points, as the window does.
Cost run(const CaseDocument& document, const std::filesystem::path& folder, double per_second) {
  SessionOptions options;
  options.document = document;
  options.folder = folder;
  options.start_paused = true;
  const auto session = start_session(std::move(options));
  FrameRequest request;
  request.points_limit = 4'000'000;
  while (session->state() != SessionState::paused && !is_final(session->state()))
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  session->want_frames(request, per_second);
  const auto begin = Clock::now();
  session->send(Command::resume);
  Cost out;
  while (!session->wait(std::chrono::milliseconds(4)))
    if (session->take_frame()) ++out.pictures;
  out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const Json spent = read_json(*read_file(folder / "summary.json")).at("seconds");
  out.spent = spent.at("pictures").get<double>() + spent.at("frames").get<double>();
  if (session->state() != SessionState::finished) throw std::runtime_error("the run has failed");
  return out;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

class TestFramesCost : public QObject {
  Q_OBJECT
 private slots:
  void pictures_and_kept_frames() {
    constexpr Index n = 224;
    constexpr double seconds = 0.5;  // 500 steps
    constexpr int rounds = 3;
    QTemporaryDir folder;
    int count = 0;
    const auto path = [&] { return folder.filePath(QString::number(count++)).toStdString(); };
    const CaseDocument plain = box(n, seconds, 0);
    const CaseDocument kept = box(n, seconds, 2);
    static_cast<void>(run(box(n, 0.02, 0), path(), 0));  // the machine warms up
    std::vector<double> ratios, shares;
    for (int r = 0; r < rounds; ++r) {
      const Cost bare = run(plain, path(), 0);
      const Cost live = run(plain, path(), 30);
      ratios.push_back(live.seconds / bare.seconds - 1);
      shares.push_back(live.spent / live.seconds);
      qInfo("without %.3f s; live %.3f s (%+.2f %%), %d pictures, %.1f a second, took %.2f %%", bare.seconds,
            live.seconds, 100 * ratios.back(), live.pictures, live.pictures / live.seconds, 100 * shares.back());
    }
    const Cost written = run(kept, path(), 0);
    qInfo("three frames of %.0f MB kept: %.3f s, took %.2f %%", 4e-6 * static_cast<double>(n * n * n), written.seconds,
          100 * written.spent / written.seconds);
    const double live = median(shares);
    qInfo("median: live pictures %.2f %% by the session's clock, %+.2f %% between runs", 100 * live,
          100 * median(ratios));
    QVERIFY2(live < 0.02, "live pictures are to cost a solver less than 2 % of its time");
  }
};

QTEST_APPLESS_MAIN(TestFramesCost)
#include "test_frames_cost.moc"
