// SPDX-License-Identifier: BSD-3-Clause
// The program itself without a display: pictures of start page and run, exit codes, wrong command lines.
// labels: gui timeout300
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/model/gallery.hpp"
#include "engine/core/atomic_file.hpp"

using namespace conoid;
using namespace conoid::app;

class TestScreenshot : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  struct Ended {
    int code;
    QString text;
  };
  Ended run(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
      environment.insert(name, folder_.filePath(name));
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder_.path());
    process.start(QStringLiteral(CONOID_BIN_DIR "/conoid-gui"), arguments);
    process.waitForFinished(120000);
    const QString text = process.readAllStandardError();
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, text};
  }
  static std::filesystem::path any_sample() {
    for (const SampleCard& card : load_gallery(std::filesystem::path(CONOID_SOURCE_DIR) / "resources" / "cases"))
      if (card.available) return card.case_file;
    return {};
  }
  /// Colours in a part of a picture: an empty pane has hardly any.
  static int colours(const QImage& image, const QRect& part) {
    QSet<QRgb> seen;
    for (int y = part.top(); y < part.bottom(); y += 2)
      for (int x = part.left(); x < part.right(); x += 2) seen.insert(image.pixel(x, y));
    return static_cast<int>(seen.size());
  }

 private slots:
  void initTestCase() {
    if (!QFile::exists(QStringLiteral(CONOID_BIN_DIR "/conoid-gui"))) QSKIP("conoid-gui is not built");
  }

  void the_start_page() {
    for (const char* theme : {"light", "dark"}) {
      const QString file = folder_.filePath(QString("start-%1.png").arg(theme));
      const Ended ended = run({"--screenshot", file, "--theme", theme, "--size", "1100x700"});
      QVERIFY2(ended.code == 0, qPrintable(ended.text));
      const QImage picture(file);
      QCOMPARE(picture.size(), QSize(1100, 700));
      QVERIFY(colours(picture, picture.rect()) > 50);
      const bool dark = qGray(picture.pixel(4, 680)) < 100;
      QCOMPARE(dark, QString(theme) == "dark");
    }
  }

  void a_run_with_its_results() {
    const auto sample = any_sample();
    if (sample.empty()) QSKIP("no sample case in this build");
    const QString file = folder_.filePath("run.png");
    const Ended ended = run({QString::fromStdString(sample.string()), "--run", "--screenshot", file, "--size",
                             "1280x800", "--viewport", "raster"});
    QVERIFY2(ended.code == 0, qPrintable(ended.text));
    const QImage picture(file);
    QCOMPARE(picture.size(), QSize(1280, 800));
    QVERIFY(colours(picture, QRect(380, 140, 560, 320)) > 200);  // a field, not an empty pane
  }

  void wrong_command_lines_say_so() {
    QCOMPARE(run({"--theme", "pink"}).code, 2);
    QCOMPARE(run({"--size", "huge"}).code, 2);
    QCOMPARE(run({"--run"}).code, 2);
    QCOMPARE(run({"--viewport", "paper"}).code, 2);
    QCOMPARE(run({"--no-such-option"}).code, 2);
    const Ended ended = run({"a.json", "b.json"});
    QCOMPARE(ended.code, 2);
    QVERIFY(ended.text.contains("a.json, b.json"));
  }

  void bad_cases_and_bad_places_have_their_codes() {
    const QString file = folder_.filePath("bad.png");
    QCOMPARE(run({"missing.json", "--run", "--screenshot", file}).code, 4);
    const QString bad = folder_.filePath("bad.json");
    QVERIFY(write_file_atomically(bad.toStdString(), R"({"conoid":1,"solver":"nobody"})").ok());
    const Ended invalid = run({bad, "--run", "--screenshot", file});
    QCOMPARE(invalid.code, 3);
    QVERIFY(invalid.text.contains("nobody"));
    QVERIFY(QFile::exists(file));  // the picture shows what is wrong
    QCOMPARE(run({"--screenshot", folder_.filePath("no/such/place.png")}).code, 4);
  }
};

QTEST_GUILESS_MAIN(TestScreenshot)
#include "test_screenshot.moc"
