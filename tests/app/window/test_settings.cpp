// SPDX-License-Identifier: BSD-3-Clause
// Every setting does what it says: changed in the dialog as a person does, looked for where it should be felt.
// labels: gui
#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include "app/forms/scalar_edits.hpp"
#include "app/model/case_model.hpp"
#include "app/model/recovery.hpp"
#include "app/model/run_model.hpp"
#include "app/model/run_queue.hpp"
#include "app/window/main_window.hpp"
#include "app/window/settings_dialog.hpp"
#include "app/window/workbench.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/sample_case.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

class TestSettings : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;
  std::unique_ptr<SettingsDialog> dialog_;
  std::vector<SessionOptions> started_;

  template <class W>
  W* named(const char* name) {
    for (auto* one : dialog_->findChildren<W*>())
      if (one->accessibleName() == name) return one;
    qFatal("no %s", name);
  }
  void choose(const char* name, const QVariant& value) {
    auto* box = named<QComboBox>(name);
    const int index = box->findData(value);
    if (index < 0) qFatal("%s has no such choice", name);
    box->setCurrentIndex(index);
    emit box->activated(index);
  }
  std::unique_ptr<MainWindow> window() {
    WindowOptions options = test::quiet_options();
    options.start = [this](SessionOptions one) {
      started_.push_back(std::move(one));
      return std::make_unique<test::FakeSession>(std::make_shared<test::FakeState>());
    };
    return std::make_unique<MainWindow>(*look_, *settings_, std::move(options));
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
  }
  void init() {
    QFile::remove(folder_.filePath("settings.ini"));
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->keep_runs_folder(folder_.filePath("runs"));
    dialog_ = std::make_unique<SettingsDialog>(*settings_, *look_);
    started_.clear();
  }
  void cleanup() {
    dialog_.reset();
    settings_.reset();
    look_->choose(ThemeChoice::light);
    look_->set_font_scale(1);
    look_->set_font_family({});
  }

  void colours_font_and_size() {
    choose("Colours", static_cast<int>(ThemeChoice::dark));
    QVERIFY(look_->theme().dark && settings_->theme() == ThemeChoice::dark);
    choose("Size of the text", 1.5);
    QCOMPARE(QApplication::font().pixelSize(), 20);  // 13 × 1.5
    auto* font = named<QComboBox>("Font");
    QTRY_VERIFY(font->count() > 2);  // families come one after the other
    const QString family = font->itemData(font->count() - 1).toString();
    choose("Font", family);
    QCOMPARE(QApplication::font().family(), family);
    QCOMPARE(QApplication::font().pixelSize(), 20);
    choose("Font", QString());
    QVERIFY(settings_->font_family().isEmpty());
  }

  void what_is_chosen_is_there_at_the_next_start() {
    choose("Language", QStringLiteral("fr"));
    choose("Units of length", static_cast<int>(UnitSystem::us));
    named<QSpinBox>("Keep unsaved edits after")->setValue(77);
    const Settings again(folder_.filePath("settings.ini"));
    QCOMPARE(again.language(), QString("fr"));
    QVERIFY(again.units() == UnitSystem::us);
    QCOMPARE(again.autosave_seconds(), 77);
  }

  void runs_begin_where_by_whom_and_within_what_was_chosen() {
    auto w = window();
    const auto file = std::filesystem::path(CONOID_SOURCE_DIR) / "resources/cases/point-source/case.json";
    if (!w->open_case(file).ok()) QSKIP("no such sample in this build");
    choose("Computed by", QStringLiteral("cpu"));
    named<QSpinBox>("Memory of a run")->setValue(2048);
    named<QSpinBox>("Memory of each device")->setValue(512);
    w->start_run();
    QCOMPARE(started_.size(), std::size_t{1});
    QCOMPARE(started_.back().settings.workers, std::string("cpu"));
    QVERIFY(started_.back().courtesy > 0);
    QCOMPARE(*started_.back().settings.host, Bytes{2048} << 20);
    QCOMPARE(*started_.back().settings.device, Bytes{512} << 20);
    QVERIFY(started_.back().flags == ResourceRequest{});
    QVERIFY(started_.back().document.find("/compute") == nullptr);  // the case is the user's own
    QCOMPARE(started_.back().runs, settings_->runs_folder());
    w.reset();
    // What the case says itself goes before, and nothing chosen leaves it alone.
    auto own = CaseDocument::read(file).value();
    QVERIFY(own.set("compute.memory.host", "1000000000").ok());
    QVERIFY(own.save(folder_.filePath("own.json").toStdString()).ok());
    w = window();
    QVERIFY(w->open_case(folder_.filePath("own.json").toStdString()).ok());
    w->start_run();
    const Case input = Case::resolve(started_.back().document,
                                     Schema::for_solver("acoustic-fd", find_solver("acoustic-fd")->schema).value())
                           .value();
    const Offer offer =
        make_offer(input, {.flags = started_.back().flags, .settings = started_.back().settings}).value();
    QCOMPARE(offer.host.value, Bytes{1000000000});
    QCOMPARE(offer.host.source, std::string("case"));
    QCOMPARE(offer.device.source, std::string("settings"));
    w.reset();
    named<QSpinBox>("Memory of a run")->setValue(0);
    named<QSpinBox>("Memory of each device")->setValue(0);
    w = window();
    QVERIFY(w->open_case(file).ok());
    w->start_run();
    QVERIFY(!started_.back().settings.host && !started_.back().settings.device);
  }

  void waiting_runs_go_to_the_folder_chosen_since() {
    auto w = window();
    w->queue().set_active(false);
    w->queue().add("a", {}, CaseDocument::from_json(Json::object(), {}));
    settings_->keep_runs_folder(folder_.filePath("elsewhere"));
    w->apply_settings();
    w->queue().set_active(true);
    w->queue().poll();
    QCOMPARE(started_.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(started_.back().runs.string()), folder_.filePath("elsewhere"));
  }

  void colours_and_size_are_seen_in_the_window() {
    auto w = window();
    w->show();
    const auto light = [&] {
      const QImage picture = w->grab().toImage();
      double sum = 0;
      int seen = 0;
      for (int y = 0; y < picture.height(); y += 9)
        for (int x = 0; x < picture.width(); x += 9, ++seen) sum += qGray(picture.pixel(x, y));
      return sum / seen;
    };
    QTRY_VERIFY(light() > 170);
    choose("Colours", static_cast<int>(ThemeChoice::dark));
    QTRY_VERIFY(light() < 85);
    const QLabel* words = nullptr;
    for (const auto* label : w->findChildren<QLabel*>())
      if (label->isVisible() && label->text() == "Recent runs") words = label;
    QVERIFY(words);
    const int before = words->sizeHint().height();
    choose("Size of the text", 2.0);
    QTRY_VERIFY2(words->sizeHint().height() > 1.6 * before,
                 qPrintable(QString("%1 → %2").arg(before).arg(words->sizeHint().height())));
  }

  void unsaved_edits_are_kept_as_soon_as_was_chosen() {
    const auto file = std::filesystem::path(CONOID_SOURCE_DIR) / "resources/cases/point-source/case.json";
    const QString folder = folder_.filePath("kept");
    QVERIFY(QDir().mkpath(folder));
    CaseModel model;
    if (!model.open(file).ok()) QSKIP("no such sample in this build");
    Recovery recovery(model, folder);
    const auto kept = [&] { return QDir(folder).entryList({"unsaved-*.json"}, QDir::Files).size(); };
    // Ten minutes: nothing is there a good while after the edit. A second: it is.
    named<QSpinBox>("Keep unsaved edits after")->setValue(600);
    recovery.set_delay(1000 * settings_->autosave_seconds());
    model.set("/title", "edited", "change");
    QTest::qWait(300);
    QCOMPARE(kept(), qsizetype{0});
    named<QSpinBox>("Keep unsaved edits after")->setValue(1);
    recovery.set_delay(1000 * settings_->autosave_seconds());
    model.set("/title", "edited again", "change");
    QTRY_COMPARE(kept(), qsizetype{1});
    model.undo_stack().undo();
    model.undo_stack().undo();
    QTRY_COMPARE(kept(), qsizetype{0});
  }

  void memory_for_frames_lets_old_ones_go() {
    auto w = window();
    named<QSpinBox>("Memory for frames")->setValue(32);
    w->apply_settings();
    const auto frames_kept = [&](int count) {
      // 4 MiB of values each.
      auto state = std::make_shared<test::FakeState>();
      RunModel run([&](SessionOptions) { return std::make_unique<test::FakeSession>(state); });
      run.set_frame_memory(settings_->frame_memory());
      run.start({});
      state->set_state(SessionState::running);
      for (int i = 0; i < count; ++i) {
        state->put(test::make_frame(static_cast<std::uint64_t>(i), 0.1 * i, 1025, 1.0F));
        run.poll();
      }
      const auto bytes = run.frames().bytes();
      state->set_state(SessionState::finished);
      run.poll();
      return bytes;
    };
    QVERIFY(frames_kept(14) <= Bytes{32} << 20);
    named<QSpinBox>("Memory for frames")->setValue(256);
    QVERIFY(frames_kept(14) > Bytes{32} << 20);
  }

  void frames_units_and_motion() {
    named<QSpinBox>("Memory for frames")->setValue(32);
    QCOMPARE(settings_->frame_memory(), std::uint64_t{32} << 20);
    auto w = window();
    const auto file = std::filesystem::path(CONOID_SOURCE_DIR) / "resources/cases/point-source/case.json";
    if (!w->open_case(file).ok()) QSKIP("no such sample in this build");
    QVERIFY(w->workbench()->dockOptions() & QMainWindow::AnimatedDocks);
    auto* calm = dialog_->findChild<QCheckBox*>();
    calm->click();
    choose("Units of length", static_cast<int>(UnitSystem::us));
    w->apply_settings();
    QVERIFY(!(w->workbench()->dockOptions() & QMainWindow::AnimatedDocks));
    QVERIFY(!QApplication::isEffectEnabled(Qt::UI_AnimateMenu));
    // Of lengths the chosen units are offered first.
    UnitLineEdit edit(*look_, "m");
    QTest::keyClicks(&edit, "2 ");
    QCOMPARE(edit.completer()->model()->index(0, 0).data().toString(), QString("2 in"));
    settings_->set_units(UnitSystem::si);
    w->apply_settings();
    QTest::keyClicks(&edit, "3");
    edit.clear();
    QTest::keyClicks(&edit, "2 ");
    QCOMPARE(edit.completer()->model()->index(0, 0).data().toString(), QString("2 m"));
  }
};

QTEST_MAIN(TestSettings)
#include "test_settings.moc"
