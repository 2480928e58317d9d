// SPDX-License-Identifier: BSD-3-Clause
// A picture of every pane, light and dark, plain and high-DPI, small and large, kept for people to look at.
// labels: gui serial timeout240
#include <set>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

#include "app/model/gallery.hpp"

using namespace conoid::app;

class TestPicturesOfPanes : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString case_;

 private slots:
  void initTestCase() {
    if (!QFile::exists(QStringLiteral(CONOID_BIN_DIR "/conoid-gui"))) QSKIP("conoid-gui has not been built");
    for (const SampleCard& card : load_gallery(std::filesystem::path(CONOID_SOURCE_DIR) / "resources" / "cases"))
      if (card.available && case_.isEmpty()) case_ = QString::fromStdString(card.case_file.string());
    if (case_.isEmpty()) QSKIP("no sample case in this build");
  }

  void picture_data() {
    QTest::addColumn<QString>("action");
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QString>("scale");
    QTest::addColumn<QString>("size");
    const auto row = [](const char* action, const char* theme, const char* scale, const char* size) {
      QTest::addRow("%s-%s-%sx-%s", *action ? action : "start", theme, scale, size) << action << theme << scale << size;
    };
    // Each pane in both themes; scales and sizes take turns.
    row("", "light", "1", "1280x800");
    row("", "dark", "2", "1280x800");
    row("view.case", "dark", "1", "2560x1440");
    row("view.display", "light", "2", "1280x800");
    row("view.log", "dark", "1", "1280x800");
    row("file.runs", "light", "1", "2560x1440");
    row("file.runs", "dark", "2", "1280x800");
    row("edit.settings", "light", "1", "1280x800");
    row("help.shortcuts", "dark", "1", "1280x800");
  }

  void picture() {
    QFETCH(QString, action);
    QFETCH(QString, theme);
    QFETCH(QString, scale);
    QFETCH(QString, size);
    const QString file = folder_.filePath(QString::fromUtf8(QTest::currentDataTag()) + ".png");
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_SCALE_FACTOR", scale);
    for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}) environment.insert(name, folder_.filePath("home"));
    program.setProcessEnvironment(environment);
    QStringList words = {"--screenshot", file, "--theme", theme, "--size", size};
    if (!action.isEmpty()) words << case_ << "--do" << action;
    program.start(QStringLiteral(CONOID_BIN_DIR "/conoid-gui"), words);
    QVERIFY(program.waitForFinished(60000));
    QVERIFY2(program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0, program.readAllStandardError().constData());
    const QImage picture(file);
    const bool dialog = action == "edit.settings" || action == "help.shortcuts";
    if (!dialog) {
      const int factor = scale.toInt();
      QCOMPARE(picture.size(), QSize(size.section('x', 0, 0).toInt() * factor, size.section('x', 1).toInt() * factor));
    }
    QVERIFY(picture.width() > 300 && picture.height() > 150);
    // Neither empty nor of one colour, and of the theme that was asked for.
    std::set<QRgb> colours;
    double light = 0;
    int seen = 0;
    for (int y = 0; y < picture.height(); y += 7)
      for (int x = 0; x < picture.width(); x += 7, ++seen) {
        colours.insert(picture.pixel(x, y));
        light += qGray(picture.pixel(x, y));
      }
    QVERIFY(colours.size() > 12);
    QVERIFY2((light / seen > 128) == (theme == "light"), qPrintable(QString::number(light / seen)));
    if (const QString kept = qEnvironmentVariable("CONOID_KEEP_PICTURES"); !kept.isEmpty()) {
      QDir().mkpath(kept);
      QFile::remove(kept + "/" + QTest::currentDataTag() + ".png");
      QFile::copy(file, kept + "/" + QTest::currentDataTag() + ".png");
    }
  }
};

QTEST_MAIN(TestPicturesOfPanes)
#include "test_pictures_of_panes.moc"
