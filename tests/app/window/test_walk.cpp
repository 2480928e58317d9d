// SPDX-License-Identifier: BSD-3-Clause
// The walk: every page and every action in every state of a run and of a case, in both themes and languages, at the sizes of small and
// large screens, at one scale and at twice. Nothing may end the window, nothing may be left on the screen that waits for an answer, and
// no word may be cut off.
// labels: gui wide long timeout3600
#include <fstream>

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "app/look/translator.hpp"
#include "app/model/gallery.hpp"
#include "app/model/run_queue.hpp"
#include "app/window/main_window.hpp"
#include "app/window/workbench.hpp"
#include "tests/all_rows.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/room_to_read.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;
using conoid::app::test::FakeState;

namespace {

/// How the case came into the window.
enum class Origin { saved, unsaved, run };

struct Situation {
  const char* name;
  Origin origin;
  std::optional<SessionState> state;  ///< none: never run
  QSize size;
  ThemeChoice theme;
  const char* language;
};

const QSize small(1024, 600), usual(1280, 720), large(1920, 1080);

const Situation scenes[] = {
    {"a saved case", Origin::saved, {}, small, ThemeChoice::light, "en"},
    {"an unsaved case", Origin::unsaved, {}, usual, ThemeChoice::dark, "fr"},
    {"a run from its folder", Origin::run, {}, large, ThemeChoice::dark, "en"},
    {"a saved case, preparing", Origin::saved, SessionState::preparing, usual, ThemeChoice::light, "fr"},
    {"an unsaved case, preparing", Origin::unsaved, SessionState::preparing, small, ThemeChoice::dark, "en"},
    {"a saved case, running", Origin::saved, SessionState::running, small, ThemeChoice::dark, "fr"},
    {"an unsaved case, running", Origin::unsaved, SessionState::running, large, ThemeChoice::light, "en"},
    {"a run from its folder, running again", Origin::run, SessionState::running, usual, ThemeChoice::light, "en"},
    {"paused", Origin::saved, SessionState::paused, usual, ThemeChoice::dark, "en"},
    {"finishing", Origin::saved, SessionState::finishing, large, ThemeChoice::light, "fr"},
    {"finished", Origin::saved, SessionState::finished, small, ThemeChoice::light, "fr"},
    {"stopped", Origin::unsaved, SessionState::stopped, usual, ThemeChoice::light, "en"},
    {"failed", Origin::saved, SessionState::failed, small, ThemeChoice::dark, "en"},
};

/// Scenes that are walked at twice the scale as well: the smallest screen in both themes and both languages, each of the larger ones. Without
/// all rows the smallest screen, light and dark, in either language.
std::vector<int> at_twice_the_scale() {
  return conoid::all_rows() ? std::vector{0, 4, 5, 10, 8, 9} : std::vector{0, 5, 10};
}
/// Those that only all rows have: states that another origin of the case has as well, and a size and theme that others have.
bool is_taken(int scene) {
  return conoid::all_rows() || (scene != 3 && scene != 6);
}

/// Scenes of one state share its actions, unless all rows are walked: of a case that was never run each in two of three origins, of one that
/// runs in one of two.
bool is_taken(int scene, int action) {
  if (conoid::all_rows()) return true;
  if (scene < 3) return action % 3 != scene;
  return scene == 5 ? action % 2 == 0 : scene != 7 || action % 2 == 1;
}

bool is_scaled() {
  return qEnvironmentVariableIsSet("CONOID_WALK_SCALED");
}

/// What is cut or covered and stays so: on a busy machine docks take their places later.
QStringList settled_troubles(QWidget& window) {
  QStringList troubles;
  for (int times = 0; times == 0 || (!troubles.isEmpty() && times < 50); ++times) {
    QTest::qWait(60);
    troubles = test::cut_or_covered(window);
  }
  return troubles;
}

}  // namespace

class TestWalk : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;
  std::filesystem::path case_, run_;
  std::shared_ptr<FakeState> session_;

  QProcess scaled_;
  bool scaled_started_ = false;

  /// The same program at twice the scale, which is a matter of the whole program: beside this one, as there is more than one core.
  void start_scaled() {
    scaled_started_ = true;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("QT_SCALE_FACTOR", "2");
    environment.insert("CONOID_WALK_SCALED", "1");
    scaled_.setProcessEnvironment(environment);
    scaled_.setProcessChannelMode(QProcess::MergedChannels);
    // The program of this folder has taken the test's name off its arguments, and whoever asked for this function alone means the
    // whole walk by it.
    scaled_.start(QCoreApplication::applicationFilePath(), {"walk", "every_action_in_every_state"});
  }

  std::unique_ptr<MainWindow> window() {
    WindowOptions options = test::quiet_options();
    options.start = [this](SessionOptions) { return std::make_unique<test::FakeSession>(session_); };
    return test::shown_window(*look_, *settings_, std::move(options));
  }

  /// Brings window and run into the state that a scene names, from whatever an action has left.
  void arrange(MainWindow& w, const Situation& scene) {
    if (w.run().is_active()) {
      session_->set_state(SessionState::stopped);
      QTRY_VERIFY(!w.run().is_active());
    }
    if (scene.origin == Origin::unsaved) {
      auto document = CaseDocument::read(case_);
      QVERIFY(document.ok());
      QVERIFY(w.open_case(case_).ok());
      w.model().take(CaseDocument::from_json(document->json(), {}), true);
    } else if (scene.origin == Origin::run) {
      QVERIFY(w.open_run(run_).ok());
      QTRY_VERIFY(w.run().is_stored());
    } else {
      QVERIFY(w.open_case(case_).ok());
    }
    if (!scene.state) return;
    QTRY_VERIFY(w.actions().at("run.start")->isEnabled());
    session_ = std::make_shared<FakeState>();
    // A session has no folder before it has read its case.
    session_->folder = *scene.state == SessionState::preparing ? std::filesystem::path() : run_;
    w.actions().at("run.start")->trigger();
    QVERIFY(w.run().is_active());
    if (*scene.state != SessionState::preparing) {
      session_->set_state(SessionState::running);
      session_->put(test::make_frame(0, 0.0, 17, 1.0F));
      w.run().poll();
    }
    if (*scene.state == SessionState::failed)
      session_->set_state(*scene.state,
                          make_error(ErrorCode::not_converged, "the field has grown", "Take a smaller step."));
    else if (*scene.state != SessionState::preparing)
      session_->set_state(*scene.state);
    w.run().poll();
    QTRY_COMPARE(w.run().state(), *scene.state);
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    qputenv("PATH", folder_.path().toUtf8());  // no other program is started by the walk
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    const SampleCard quickest = test::quickest_sample();
    if (quickest.case_file.empty()) QSKIP("no sample case in this build");
    // With its neighbours: a case may name files.
    const std::filesystem::path cases(folder_.filePath("case").toStdString());
    std::filesystem::copy(quickest.case_file.parent_path(), cases, std::filesystem::copy_options::recursive);
    case_ = cases / "case.json";
    run_ = std::filesystem::path(folder_.filePath("runs").toStdString()) / "20260102T030405Z-walked";
    std::filesystem::create_directories(run_ / "charts");
    std::filesystem::copy_file(case_, run_ / "case.json");
    std::ofstream(run_ / "run.json") << "{\"title\":\"Walked\",\"started\":\"2026-01-02T03:04:05Z\",\"case\":\""
                                     << case_.string() << "\"}";
    std::ofstream(run_ / "summary.json") << "{\"state\":\"finished\"}";
    TableInfo info{.id = "receivers", .title = "Receivers", .columns = {{"t", "s", {}}, {"p", "Pa", {}}}};
    std::string csv = csv_head(info, "Walked");
    for (int i = 0; i < 64; ++i) append_csv_row(csv, std::array{0.01 * i, std::sin(0.6 * i)});
    std::ofstream(run_ / "charts" / "receivers.csv", std::ios::binary) << csv;
    session_ = std::make_shared<FakeState>();
  }
  void cleanupTestCase() {
    if (scaled_.state() != QProcess::NotRunning) {  // nobody waited for it: one function was asked for
      scaled_.kill();
      scaled_.waitForFinished();
    }
    settings_.reset();
  }

  void every_action_in_every_state_data() {
    QTest::addColumn<int>("index");
    if (!is_scaled() && !scaled_started_) start_scaled();
    // At twice the scale some of them: what differs there is room, not what is done.
    const std::vector<int> scaled = at_twice_the_scale();
    for (int i = 0; i < static_cast<int>(std::size(scenes)); ++i)
      if (is_scaled() ? std::find(scaled.begin(), scaled.end(), i) != scaled.end() : is_taken(i))
        QTest::newRow(scenes[i].name) << i;
  }
  void every_action_in_every_state() {
    QFETCH(const int, index);
    const Situation& scene = scenes[index];
    Translator translator;
    if (QString(scene.language) != "en") QVERIFY(translator.load_language(scene.language));
    QApplication::installTranslator(&translator);
    look_->choose(scene.theme);
    auto w = window();
    w->resize(scene.size);
    arrange(*w, scene);
    // Whatever asks a question is refused at once.
    int questions = 0;
    QTimer refuse;
    refuse.setInterval(5);
    connect(&refuse, &QTimer::timeout, this, [&questions] {
      if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
      QWidget* asked = QApplication::activeModalWidget();
      if (!asked) return;
      ++questions;
      auto* dialog = qobject_cast<QDialog*>(asked);
      dialog ? dialog->reject() : static_cast<void>(asked->close());
    });
    refuse.start();
    const auto state = w->run().state();
    int taken = 0;
    // From the workbench, where most can be done; the other pages are gone to before each, and in turns are where it is done from.
    int turn = index, number = 0;
    for (const QString& id : w->actions().ids()) {
      if (id == "file.quit" || !is_taken(index, number++)) continue;
      if (w->run().state() != state || (scene.origin != Origin::unsaved) != !w->model().document().file().empty())
        arrange(*w, scene);
      if (QTest::currentTestFailed()) return;
      w->show_start();
      w->show_runs();
      if (++turn % 4 != 0) w->show_workbench();
      QAction* action = w->actions().at(id);
      if (!action->isEnabled()) continue;
      ++taken;
      action->trigger();
      QCoreApplication::processEvents();
      QVERIFY2(QApplication::activeModalWidget() == nullptr, qPrintable(id));
    }
    QVERIFY2(taken > (conoid::all_rows() ? 20 : 10), qPrintable(QString::number(taken)));
    w->resize(scene.size);
    w->show_workbench();
    QVERIFY(!w->grab().isNull());
    // Everything has its room: the window is as small as the screen, and no word is cut.
    const auto can_be_read = [&](const char* page) {
      QCOMPARE(w->size(), scene.size);
      const QStringList troubles = settled_troubles(*w);
      QVERIFY2(troubles.isEmpty(), qPrintable(QString(page) + ":\n" + troubles.join('\n')));
    };
    can_be_read("workbench");
    w->workbench()->show_mesh(true);
    can_be_read("mesh");
    w->show_runs();
    can_be_read("runs");
    w->show_start();
    can_be_read("start");
    if (QTest::currentTestFailed()) return;
    w->show_workbench();
    if (w->run().is_active()) {
      session_->set_state(SessionState::stopped);
      QTRY_VERIFY(!w->run().is_active());
    }
    QApplication::removeTranslator(&translator);
    look_->choose(ThemeChoice::light);
  }

  void a_finished_run_of_every_sample_fits_small_screens_data() {
    QTest::addColumn<QString>("sample");
    if (is_scaled()) {
      QTest::newRow("at twice the scale the same") << QString();
      return;
    }
    // By turns: samples of one solver fill much the same forms.
    int turn = 0;
    for (const SampleCard& card : load_gallery(std::filesystem::path(CONOID_SOURCE_DIR) / "resources" / "cases"))
      if (card.available && (conoid::all_rows() || turn++ % 2 == 0))
        QTest::newRow(card.case_file.parent_path().filename().string().c_str())
            << QString::fromStdString(card.case_file.string());
  }
  void a_finished_run_of_every_sample_fits_small_screens() {
    QFETCH(const QString, sample);
    if (sample.isEmpty()) return;
    // A stored run with what the widest result pane holds: several tables with long names, one of them a gather.
    const std::filesystem::path run =
        std::filesystem::path(folder_.filePath("runs").toStdString()) / "20260102T030405Z-small";
    std::filesystem::remove_all(run);
    std::filesystem::create_directories(run / "charts");
    std::filesystem::copy_file(sample.toStdString(), run / "case.json");
    std::ofstream(run / "run.json") << "{\"title\":\"Small\",\"started\":\"2026-01-02T03:04:05Z\",\"case\":\""
                                    << sample.toStdString() << "\"}";
    std::ofstream(run / "summary.json") << "{\"state\":\"finished\"}";
    for (const char* id : {"gather-of-the-first-streamer", "receivers-on-the-sea-floor"}) {
      TableInfo info{.id = id, .title = "Gather of streamer", .columns = {{"t", "s", {}}}};
      for (int i = 0; i < 24; ++i) info.columns.push_back({"p" + std::to_string(i), "Pa", {}});
      std::string csv = csv_head(info, "Small");
      std::vector<double> row(25);
      for (int n = 0; n < 64; ++n) {
        for (std::size_t i = 0; i < row.size(); ++i)
          row[i] = i == 0 ? 0.01 * n : std::sin(0.6 * n - 0.2 * static_cast<double>(i));
        append_csv_row(csv, row);
      }
      std::ofstream(run / "charts" / (std::string(id) + ".csv"), std::ios::binary) << csv;
    }
    static int turn = 0;
    const QString only = turn++ % 2 == 0 ? "en" : "fr";
    for (const char* language : {"en", "fr"}) {
      if (!conoid::all_rows() && language != only) continue;
      Translator translator;
      if (QString(language) != "en") QVERIFY(translator.load_language(language));
      QApplication::installTranslator(&translator);
      auto w = window();
      // The longer words where there is least room.
      const QSize sizes[] = {QString(language) == "en" ? QSize(1024, 600) : QSize(960, 560)};
      for (const QSize size : sizes) {
        w->resize(size);
        QVERIFY(w->open_run(run).ok());
        QTRY_VERIFY(w->run().is_stored());
        w->show_workbench();
        QCOMPARE(w->size(), size);
        const QStringList troubles = settled_troubles(*w);
        QVERIFY2(troubles.isEmpty(),
                 qPrintable(QString("%1 x %2 %3:\n").arg(size.width()).arg(size.height()).arg(language) +
                            troubles.join('\n')));
      }
      QApplication::removeTranslator(&translator);
    }
  }

  void the_same_at_twice_the_scale() {
    if (is_scaled()) return;
    if (!scaled_started_) start_scaled();
    QVERIFY(scaled_.state() == QProcess::NotRunning || scaled_.waitForFinished(400'000));
    const QByteArray said = scaled_.readAll();
    QVERIFY2(scaled_.exitStatus() == QProcess::NormalExit && scaled_.exitCode() == 0, said.right(4000).constData());
    for (const int i : at_twice_the_scale())
      QVERIFY2(said.contains(QByteArray("every_action_in_every_state(") + scenes[i].name + ")"), said.constData());
  }
};

QTEST_MAIN(TestWalk)
#include "test_walk.moc"
