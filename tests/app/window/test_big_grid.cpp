// SPDX-License-Identifier: BSD-3-Clause
// The window stays awake while a grid of 256³ points is computed, drawn live and closed.
// labels: gui serial long timeout600
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/panels/viewport_panel.hpp"
#include "app/window/main_window.hpp"
#include "app/window/workbench.hpp"
#include "engine/core/atomic_file.hpp"
#include "tests/app/heartbeat.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

class TestBigGrid : public QObject {
  Q_OBJECT
 private slots:
  void the_window_never_blocks_over_100_ms() {
    const std::filesystem::path sample = test::samples() / "point-source" / "case.json";
    const auto text = read_file(sample);
    QVERIFY(text.ok());
    Json grid = read_json(*text);
    grid["grid"]["points"] = {256, 256, 256};
    grid["parameters"]["end_time"] = "200 ms";
    grid["output"]["frames"] = {{"count", 20}};
    QTemporaryDir folder;
    test::keep_below(folder);
    const std::filesystem::path file = folder.filePath("case.json").toStdString();
    QVERIFY(write_file_atomically(file, compact_json(grid)).ok());

    Look look(*qApp, ThemeChoice::light);
    Settings settings(folder.filePath("settings.ini"));
    settings.set_runs_folder(folder.filePath("runs"));
    MainWindow window(look, settings, test::quiet_options());
    window.resize(1280, 800);
    window.show();
    QVERIFY(window.open_case(file).ok());
    if (window.model().report() == nullptr) QTRY_VERIFY(window.model().report() != nullptr);
    QTest::qWait(500);

    QSignalSpy ended(&window.run(), &RunModel::ended);
    conoid::app::test::Heartbeat heartbeat;
    heartbeat.start();
    window.start_run();
    QVERIFY(window.run().is_active());
    QVERIFY(ended.wait(500000) || ended.count() == 1);
    QTRY_VERIFY(window.workbench()->viewport_panel().is_up_to_date());
    heartbeat.stop();
    qInfo(
        "256^3: %d beats, longest absence %.0f ms of wall time, %.0f ms of this thread's own work; %zu frames, %.1f s",
        heartbeat.beats(), heartbeat.worst(), heartbeat.worst_busy(), window.run().frames().size(),
        window.run().elapsed());
    qInfo("own work: %s", qPrintable(heartbeat.longest()));
    if (window.run().error()) qWarning("%s", window.run().error()->render().c_str());
    QCOMPARE(window.run().state(), SessionState::finished);
    QVERIFY(!window.run().frames().empty());
    QVERIFY2(heartbeat.worst_busy() < 100, qPrintable(QString::number(heartbeat.worst_busy())));
    QVERIFY(window.close());
  }
};

QTEST_MAIN(TestBigGrid)
#include "test_big_grid.moc"
