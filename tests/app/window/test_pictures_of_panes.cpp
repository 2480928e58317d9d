// SPDX-License-Identifier: BSD-3-Clause
// A picture of every pane, light and dark, plain and high-DPI, small and large, kept in the build folder for people to look
// at; some are compared with pictures kept in tests/data.
// labels: gui long timeout300
#include <set>

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFontDatabase>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "app/model/gallery.hpp"
#include "tests/render/similarity.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

/// What is opened before the action: nothing, the case, a finished run of it.
enum class Opened { nothing, sample, run };

struct Pane {
  const char* action;
  Opened opened;
  bool dialog = false;
};

constexpr Pane panes[] = {{"", Opened::nothing},
                          {"", Opened::sample},
                          {"view.mesh", Opened::sample},
                          {"edit.faces", Opened::sample},
                          {"", Opened::run},
                          {"view.display", Opened::run},
                          {"view.split", Opened::run},
                          {"view.spectrum", Opened::run},
                          {"view.spectrogram", Opened::run},
                          {"view.values", Opened::run, true},
                          {"view.scene", Opened::run, true},
                          {"view.log", Opened::run},
                          {"file.runs", Opened::run},
                          {"help.tour", Opened::nothing},
                          {"edit.settings", Opened::sample, true},
                          {"run.place", Opened::sample, true},
                          {"help.news", Opened::nothing, true},
                          {"help.shortcuts", Opened::nothing, true},
                          {"file.body", Opened::nothing, true}};

Image image_of(const QImage& picture) {
  const QImage rgba = picture.convertToFormat(QImage::Format_RGBA8888);
  Image out{rgba.width(), rgba.height(), {}};
  for (int y = 0; y < rgba.height(); ++y)
    out.pixels.insert(out.pixels.end(), rgba.constScanLine(y), rgba.constScanLine(y) + 4 * rgba.width());
  return out;
}

}  // namespace

class TestPicturesOfPanes : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString case_, run_;
  QString kept_ = QStringLiteral(CONOID_BIN_DIR "/../pictures");

  bool take(const QString& file, const QStringList& words, const QString& scale = "1", QString* said = nullptr,
            const char* runs = "runs") {
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(name);
    environment.insert("QT_SCALE_FACTOR", scale);
    environment.insert("CONOID_RESOURCES", QStringLiteral(CONOID_SOURCE_DIR "/resources"));
    for (const char* name : {"XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"})
      environment.insert(name, folder_.filePath("home"));
    program.setProcessEnvironment(environment);
    program.start(QStringLiteral(CONOID_BIN_DIR "/conoid-gui"),
                  QStringList{"--screenshot", file, "--runs", folder_.filePath(runs)} + words);
    const bool ended = program.waitForFinished(120000);
    if (said) *said = QString::fromUtf8(program.readAllStandardError());
    return ended && program.exitStatus() == QProcess::NormalExit && program.exitCode() == 0;
  }

 private slots:
  void initTestCase() {
    if (!QFile::exists(QStringLiteral(CONOID_BIN_DIR "/conoid-gui"))) QSKIP("conoid-gui has not been built");
    double seconds = 1e9;
    for (const SampleCard& card : load_gallery(std::filesystem::path(CONOID_SOURCE_DIR) / "resources" / "cases"))
      if (card.available && card.seconds < seconds) {
        case_ = QString::fromStdString(card.case_file.string());
        seconds = card.seconds;
      }
    if (case_.isEmpty()) QSKIP("no sample case in this build");
    QDir().mkpath(kept_);
    QString said;
    QVERIFY2(take(kept_ + "/finished.png", {case_, "--run", "--theme", "light"}, "1", &said), qPrintable(said));
    QDirIterator runs(folder_.filePath("runs"), QDir::Dirs | QDir::NoDotAndDotDot);
    QVERIFY(runs.hasNext());
    run_ = runs.next();
  }

  void picture_data() {
    QTest::addColumn<int>("pane");
    QTest::addColumn<QString>("theme");
    QTest::addColumn<QString>("scale");
    QTest::addColumn<QString>("size");
    QTest::addColumn<QString>("language");
    const auto row = [](std::size_t pane, const char* theme, const char* scale, const char* size,
                        const char* language) {
      static const char* const opened[] = {"start", "case", "run"};
      const QString name =
          QStringLiteral("%1%2-%3-%4x-%5-%6")
              .arg(opened[static_cast<int>(panes[pane].opened)],
                   *panes[pane].action ? QString("-") + panes[pane].action : QString(), theme, scale, size, language);
      QTest::newRow(name.toUtf8().constData()) << static_cast<int>(pane) << theme << scale << size << language;
    };
    // Every pane once, themes and scales in turn; all of them where somebody wants to look at all.
    const bool all = qEnvironmentVariableIsSet("CONOID_ALL_PICTURES");
    for (std::size_t i = 0; i < std::size(panes); ++i) {
      if (!all) {
        row(i, i % 2 == 0 ? "light" : "dark", i % 3 == 2 ? "2" : "1",
            i % 5 == 4   ? "2560x1440"
            : i % 5 == 0 ? "1024x700"
                         : "1280x800",
            i % 4 == 3 ? "fr" : "en");
        continue;
      }
      for (const char* theme : {"light", "dark"})
        for (const char* scale : {"1", "2"})
          for (const char* size : {"1024x700", "1280x800", "2560x1440"}) row(i, theme, scale, size, "en");
      row(i, "light", "1", "1280x800", "fr");
    }
  }

  void picture() {
    QFETCH(int, pane);
    QFETCH(QString, theme);
    QFETCH(QString, scale);
    QFETCH(QString, size);
    QFETCH(QString, language);
    const Pane& what = panes[pane];
    const QString file = kept_ + "/" + QString::fromUtf8(QTest::currentDataTag()) + ".png";
    QFile::remove(file);
    QStringList words = {"--theme", theme, "--size", size, "--language", language};
    if (what.opened != Opened::nothing) words << (what.opened == Opened::run ? run_ : case_);
    if (*what.action) words << "--do" << what.action;
    QString said;
    QVERIFY2(take(file, words, scale, &said), qPrintable(said));
    const QImage picture(file);
    if (!what.dialog) {
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
    QVERIFY2((light / seen > 128) == (theme == "light") || QByteArray(what.action) == "help.tour",
             qPrintable(QString::number(light / seen)));
  }

  void pictures_are_those_that_were_looked_at_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("control");
    // Pages whose content does not depend on solvers, samples, and how many actions or choices there are.
    QTest::newRow("runs-light") << QStringList{"--theme", "light", "--do", "file.runs"}
                                << QStringList{"--theme", "light", "--language", "fr", "--do", "file.runs"};
    QTest::newRow("place-dark") << QStringList{"--theme", "dark", "--do", "run.place"}
                                << QStringList{"--theme", "light", "--do", "run.place"};
    QTest::newRow("jobs-dark") << QStringList{"--theme", "dark", "--size", "960x560", "--do", "file.jobs"}
                               << QStringList{"--theme",    "dark", "--size", "960x560",
                                              "--language", "fr",   "--do",   "file.jobs"};
  }

  void pictures_are_those_that_were_looked_at() {
    // Letters are drawn by what the machine has: the comparison means something only with the same type.
    if (!QFontDatabase::hasFamily("Inter")) QSKIP("the pictures were taken with the type family Inter");
    QFETCH(QStringList, words);
    QFETCH(QStringList, control);
    const QString name = QString::fromUtf8(QTest::currentDataTag()) + ".png";
    const QString now = kept_ + "/now-" + name, other = kept_ + "/control-" + name;
    QVERIFY(take(now, words, "1", nullptr, "none"));
    QVERIFY(take(other, control, "1", nullptr, "none"));
    const QString known = QStringLiteral(CONOID_SOURCE_DIR "/tests/data/pictures/") + name;
    if (qEnvironmentVariableIsSet("CONOID_KEEP_BASELINES")) {
      QDir().mkpath(QFileInfo(known).path());
      QFile::remove(known);
      QVERIFY(QImage(now).convertToFormat(QImage::Format_RGB888).save(known, "PNG", 0));
    }
    const Image baseline = image_of(QImage(known));
    QVERIFY2(!baseline.empty(), "CONOID_KEEP_BASELINES=1 writes the pictures to compare with");
    constexpr double alike = 0.97;  // a theme, a word or a pane less is seen; antialiasing of another machine is not
    const double similarity = structural_similarity(image_of(QImage(now)), baseline);
    QVERIFY2(similarity >= alike, qPrintable(QString("%1: %2").arg(name).arg(similarity)));
    const double difference = structural_similarity(image_of(QImage(other)), baseline);
    QVERIFY2(difference < alike, qPrintable(QString("the control is %1 alike").arg(difference)));
  }
};

QTEST_MAIN(TestPicturesOfPanes)
#include "test_pictures_of_panes.moc"
