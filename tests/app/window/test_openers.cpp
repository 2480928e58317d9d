// SPDX-License-Identifier: BSD-3-Clause
// What comes from outside: meshes by argument, drop and menu through one opener, which the desktop's files know as well; scripts that do
// more than geometry, asked about by a dialog that is clicked both ways; sentences about what is wrong, at the control that mends it.
// labels: gui timeout240
#include <fstream>
#include <set>

#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QUrl>

#include "app/forms/object_form.hpp"
#include "app/look/small_widgets.hpp"
#include "app/model/file_kinds.hpp"
#include "app/model/gallery.hpp"
#include "app/model/json_path.hpp"
#include "app/model/mesh_model.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/mesh_panel.hpp"
#include "app/panels/results_panel.hpp"
#include "app/start/card_grid.hpp"
#include "app/start/start_page.hpp"
#include "app/window/main_window.hpp"
#include "app/window/workbench.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/prepare.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "engine/session/slowness.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/app/fake_session.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

QString text_of_file(const QString& file) {
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) qFatal("cannot read %s", qPrintable(file));
  return QString::fromUtf8(in.readAll());
}

}  // namespace

class TestOpeners : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;

  std::unique_ptr<MainWindow> window() { return test::shown_window(*look_, *settings_); }
  static SampleCard sample(const std::function<bool(const Json&)>& fits) {
    for (SampleCard& one : load_gallery(test::samples()))
      if (const auto document = CaseDocument::read(one.case_file); one.available && document && fits(document->json()))
        return one;
    return {};
  }
  static SampleCard sample_with_mesh() {
    return sample([](const Json& json) { return json.contains("mesh"); });
  }
  /// A case of the folder `name` whose mesh is a file there, of this unit.
  std::filesystem::path case_with_mesh(const char* name, const std::string& mesh, const char* unit = "m") {
    const std::filesystem::path folder = folder_.filePath(name).toStdString();
    std::filesystem::create_directories(folder);
    auto document = CaseDocument::read(sample_with_mesh().case_file);
    if (!document) qFatal("no case");
    Json json = document->json();
    json["mesh"] = {{"file", mesh}, {"unit", unit}};
    std::ofstream(folder / "case.json") << json.dump();
    return folder / "case.json";
  }
  /// Answers the question that the next dialog asks, by the button with these words; what it asked comes back. Where a name is given
  /// a picture of it is kept in the build folder, for people to look at.
  static void answer(const QString& words, QString* asked, const QString& picture = {}) {
    auto* timer = new QTimer(qApp);
    timer->setInterval(5);
    connect(timer, &QTimer::timeout, timer, [timer, words, asked, picture] {
      auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
      if (!box) return;
      *asked = box->text() + '\n' + box->informativeText();
      const QString kept = QStringLiteral(CONOID_BIN_DIR "/../pictures");
      if (!picture.isEmpty() && QDir().mkpath(kept) && !box->grab().save(kept + '/' + picture)) qFatal("no picture");
      for (QAbstractButton* button : box->buttons())
        if (button->text().remove('&') == words) {
          timer->deleteLater();
          timer->stop();
          return button->click();
        }
      qFatal("no button %s", qPrintable(words));
    });
    timer->start();
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    if (sample_with_mesh().case_file.empty()) QSKIP("no sample with a mesh in this build");
  }
  void cleanupTestCase() { settings_.reset(); }

  void the_desktop_knows_every_ending_that_can_be_opened() {
    const QString folder = QStringLiteral(CONOID_SOURCE_DIR "/packaging/desktop/");
    const QString types = text_of_file(folder + "conoid-mime.xml");
    const QString desktop = text_of_file(folder + "conoid.desktop");
    const QString offered = desktop.section("MimeType=", 1).section('\n', 0, 0);
    QMap<QString, QString> type_of;
    static const QRegularExpression one("<mime-type type=\"([^\"]+)\">(.*?)</mime-type>",
                                        QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression glob("<glob pattern=\"\\*([^\"]+)\"");
    for (auto type = one.globalMatch(types); type.hasNext();) {
      const auto found = type.next();
      for (auto pattern = glob.globalMatch(found.captured(2)); pattern.hasNext();)
        type_of[pattern.next().captured(1)] = found.captured(1);
    }
    QStringList endings;
    for (const QString& ending : telling_endings_of("mesh") + telling_endings_of("model")) endings << '.' + ending;
    QVERIFY(endings.size() > 20);
    for (const QString& ending : endings) {
      QVERIFY2(type_of.contains(ending), qPrintable("no type has the ending " + ending));
      QVERIFY2(offered.split(';').contains(type_of[ending]), qPrintable(type_of[ending] + " is not offered"));
    }
    // And nothing is offered that cannot be opened.
    for (const QString& ending : type_of.keys())
      QVERIFY2(endings.contains(ending) || ending.endsWith(".json"), qPrintable(ending));
  }

  void a_mesh_is_taken_by_the_opener_and_by_a_drop_alike() {
    auto w = window();
    QVERIFY(w->open_case(case_with_mesh("opened", "box.msh")).ok());
    QVERIFY(write_mesh(*box_surface({}), folder_.filePath("opened/box.msh").toStdString()).ok());
    const auto named = [&] { return QString::fromStdString(w->model().value("/mesh/file")->get<std::string>()); };
    for (QString ending : QString::fromStdString(mesh_file_patterns(true)).remove("*.").split(' ')) {
      const QString file = folder_.filePath("opened/another." + ending);
      std::ofstream(file.toStdString()) << "nothing";  // read later, in the background
      w->show_start();
      w->show_workbench();
      const Status opened = w->open_file(file);
      QVERIFY2(opened.ok(), qPrintable(ending));
      QCOMPARE(named(), "another." + ending);
      w->model().undo_stack().undo();
      QCOMPARE(named(), QString("box.msh"));
      QMimeData dragged;
      dragged.setUrls({QUrl::fromLocalFile(file)});
      QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
      static_cast<QObject*>(w.get())->event(&drop);  // as Qt does once a drag has entered
      QTRY_COMPARE(named(), "another." + ending);
      w->model().undo_stack().undo();
    }
    QVERIFY(!w->open_file(folder_.filePath("opened/none.stl")).ok());
    QVERIFY(!w->open_file(folder_.filePath("opened/none.json")).ok());
    // Without a case there is a question, which this window does not ask.
    auto empty = window();
    const Status refused = empty->open_file(folder_.filePath("opened/box.msh"));
    QVERIFY(!refused.ok() && refused.error().text.find("mesh") != std::string::npos);
    QVERIFY(empty->open_file(folder_.filePath("opened/case.json")).ok());
  }

  /// A folder with a case that no run has made is the case's, as on the command line, and nothing is written there.
  void a_folder_of_a_case_opens_the_case() {
    case_with_mesh("of a case", "box.msh");
    auto w = window();
    const QString folder = folder_.filePath("of a case");
    const QStringList before = QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
    QVERIFY(w->open_file(folder).ok());
    QCOMPARE(QString::fromStdString(w->model().document().file().string()), QDir(folder).filePath("case.json"));
    QVERIFY(w->model().is_open() && !w->model().is_dirty());
    QCOMPARE(QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot), before);
  }

  void a_model_of_the_medium_is_taken_by_the_opener_and_by_a_drop_alike() {
    // A case whose solver has a place for one: the first that its schema names.
    std::optional<FileKey> key;
    const SampleCard card = sample([&](const Json& json) {
      const SolverInfo* info = find_solver(json["solver"].get<std::string>());
      const auto schema = info ? Schema::for_solver(info->id, info->schema) : Result<Schema>(Schema());
      key = schema ? key_for_file(schema->json(), "model", "ground.segy") : std::nullopt;
      return key.has_value();
    });
    if (!key) QSKIP("no solver that takes a model");
    const std::filesystem::path folder = folder_.filePath("ground").toStdString();
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "case.json") << CaseDocument::read(card.case_file)->json().dump();
    auto w = window();
    QVERIFY(w->open_case(folder / "case.json").ok());
    const Json before = *w->model().value(key->pointer);
    for (const QString& ending : telling_endings_of("model")) {
      const QString file = folder_.filePath("ground/ground." + ending);
      std::ofstream(file.toStdString()) << "nothing";  // read later
      Json wanted = key->value;
      for (auto& one : wanted)
        if (one == "ground.segy") one = "ground." + ending.toStdString();
      QVERIFY(wanted != before);
      QVERIFY2(w->open_file(file).ok(), qPrintable(ending));
      QCOMPARE(*w->model().value(key->pointer), wanted);
      w->model().undo_stack().undo();
      QCOMPARE(*w->model().value(key->pointer), before);
      QMimeData dragged;
      dragged.setUrls({QUrl::fromLocalFile(file)});
      QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &dragged, Qt::LeftButton, Qt::NoModifier);
      static_cast<QObject*>(w.get())->event(&drop);
      QTRY_COMPARE(*w->model().value(key->pointer), wanted);
      w->model().undo_stack().undo();
    }
    // A case of a solver without such a place keeps as it is; there is a question, which this window does not ask.
    QVERIFY(w->open_case(case_with_mesh("no-ground", "box.msh")).ok());
    const Json json = w->model().document().json();
    const Status refused = w->open_file(folder_.filePath("ground/ground.segy"));
    QVERIFY(!refused.ok() && refused.error().text.find("model") != std::string::npos);
    QCOMPARE(w->model().document().json(), json);
  }

  void a_script_that_does_more_than_geometry_is_asked_about() {
    // In place of gmsh: a program that only says that it was called.
    const QString called = folder_.filePath("called");
    QFile gmsh(folder_.filePath("stand-in"));
    QVERIFY(gmsh.open(QIODevice::WriteOnly));
    gmsh.write("#!/bin/sh\necho \"$@\" >> '" + called.toUtf8() + "'\necho 'Error   : stand-in'\nexit 1\n");
    gmsh.close();
    gmsh.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    qputenv("CONOID_GMSH", gmsh.fileName().toUtf8());
    const auto file = case_with_mesh("script", "body.geo");
    const std::filesystem::path script = file.parent_path() / "body.geo";
    const QString proof = folder_.filePath("script/proof");
    for (const std::string& act : {"SystemCall \"touch '" + proof.toStdString() + "'\";",
                                   std::string("Save \"") + proof.toStdString() + ".msh\";"}) {
      QFile::remove(called);
      const bool dark = act.starts_with("Save");
      look_->choose(dark ? ThemeChoice::dark : ThemeChoice::light);
      std::ofstream(script) << "Point(1) = {0, 0, 0};\n" << act << '\n';
      QVERIFY(!why_not_trusted(script).empty());
      auto w = window();
      QVERIFY(w->open_case(file).ok());
      w->workbench()->show_mesh(true);
      MeshModel& mesh = w->workbench()->mesh();
      QTRY_VERIFY(!mesh.is_reading());
      auto* button = w->workbench()->findChild<QPushButton*>("meshGeometry");
      QVERIFY(button);
      QTRY_VERIFY(button->isVisible());
      // No: nothing is executed, and nothing is remembered.
      QString asked;
      answer("Cancel", &asked, dark ? "trust-dark.png" : "trust-light.png");
      button->click();
      QVERIFY2(asked.contains(QString::fromStdString(why_not_trusted(script))), qPrintable(asked));
      QVERIFY(!mesh.is_reading() && !QFile::exists(called) && !QFile::exists(proof));
      QVERIFY(!why_not_trusted(script).empty());
      // Yes: it is meshed, and not asked about again as long as it says the same.
      asked.clear();
      answer("Trust and mesh", &asked);
      button->click();
      QVERIFY(!asked.isEmpty());
      QTRY_VERIFY(!mesh.is_reading());
      QTRY_VERIFY(QFile::exists(called));
      QVERIFY(why_not_trusted(script).empty());
      QFile::remove(called);
      QTRY_VERIFY(button->isVisible());
      button->click();
      QVERIFY(QApplication::activeModalWidget() == nullptr);
      QTRY_VERIFY(QFile::exists(called) && !mesh.is_reading());
      // Another content is another script.
      std::ofstream(script, std::ios::app) << "// more\n";
      QVERIFY(!why_not_trusted(script).empty());
    }
    look_->choose(ThemeChoice::light);
    qunsetenv("CONOID_GMSH");
  }

  void lengths_of_the_mesh_follow_the_unit_at_once() {
    const auto file = case_with_mesh("unit", "box.msh");
    QVERIFY(write_mesh(*box_surface({}), file.parent_path() / "box.msh").ok());
    auto w = window();
    QVERIFY(w->open_case(file).ok());
    w->workbench()->show_mesh(true);
    MeshModel& mesh = w->workbench()->mesh();
    MeshPanel& panel = w->workbench()->mesh_panel();
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading());
    QLineEdit* size = nullptr;
    for (auto* line : panel.findChildren<QLineEdit*>())
      if (line->accessibleName() == "Largest edge") size = line;
    QVERIFY(size);
    const auto metres = [&] { return parse_quantity(size->text().toStdString(), "m")->value; };
    const double edge = mesh.mesh()->summary.quality.edge_max;
    QVERIFY(std::abs(metres() - edge) < 0.01 * edge);
    const auto extents = [&] {
      for (auto* label : panel.findChildren<FigureLabel*>())
        if (label->isVisibleTo(&panel) && label->text().contains(" × ")) return label->text();
      return QString();
    };
    // The unit that is shown.
    panel.set_unit("mm");
    QVERIFY2(size->text().endsWith("mm") && std::abs(metres() - edge) < 0.01 * edge, qPrintable(size->text()));
    QTRY_VERIFY2(extents().endsWith("mm"), qPrintable(extents()));
    panel.set_unit("m");
    QVERIFY(size->text().endsWith(" m"));
    // The unit of the file: a thousandth of every length, and no figure of before stays while it is read.
    QTRY_VERIFY(extents().endsWith(" m"));
    const QString before = extents();
    w->model().set("/mesh/unit", "mm", "unit");
    QVERIFY(mesh.is_reading() && extents() != before);
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading());
    QVERIFY2(std::abs(metres() - 1e-3 * edge) < 1e-5 * edge, qPrintable(size->text()));
    // What a person has typed stays.
    size->setText("7 cm");
    size->setModified(true);
    panel.set_unit("mm");
    QCOMPARE(size->text(), QString("7 cm"));
  }

  void a_surface_is_repaired_and_placed_in_the_pane_of_the_mesh() {
    const auto file = case_with_mesh("repair", "box.msh");
    QVERIFY(write_mesh(*box_surface({}), file.parent_path() / "box.msh").ok());
    auto w = window();
    QVERIFY(w->open_case(file).ok());
    w->workbench()->show_mesh(true);
    MeshModel& mesh = w->workbench()->mesh();
    MeshPanel& panel = w->workbench()->mesh_panel();
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading());
    const auto editor = [&](const std::string& pointer) -> FieldEditor* {
      for (auto* one : panel.findChildren<FieldEditor*>())
        if (one->pointer() == pointer) return one;
      return nullptr;
    };
    for (const char* key : {"merge", "orient", "fill_holes", "flip", "scale", "rotate", "translate"})
      QVERIFY2(editor(std::string("/mesh/") + key), key);
    QVERIFY(!editor("/mesh/file") && !editor("/mesh/merge")->isVisible());
    for (auto* fold : panel.findChildren<FoldButton*>()) fold->set_open(true);
    QVERIFY(editor("/mesh/merge")->isVisible());
    // What is chosen here is an edit of the case, and the mesh follows.
    const auto wide = [&] { return mesh.mesh()->summary.high[0] - mesh.mesh()->summary.low[0]; };
    const double before = wide();
    auto* scale = editor("/mesh/scale")->findChild<QLineEdit*>();
    QVERIFY(scale);
    scale->setFocus();
    QTest::keyClicks(scale, "3");
    QTest::keyClick(scale, Qt::Key_Return);
    QCOMPARE(w->model().json()["mesh"]["scale"].dump(), std::string("3"));
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading() && std::abs(wide() - 3 * before) < 1e-9 * before);
    w->model().undo_stack().undo();
    QCOMPARE(scale->text(), QString());
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading() && std::abs(wide() - before) < 1e-9 * before);
  }

  void every_error_stands_at_its_control_data() {
    QTest::addColumn<QString>("file");
    std::set<std::string> solvers;
    for (const SampleCard& card : load_gallery(test::samples()))
      if (const auto document = CaseDocument::read(card.case_file);
          card.available && document && solvers.insert(document->json().value("solver", "")).second)
        QTest::newRow(qPrintable(card.name)) << QString::fromStdString(card.case_file.string());
  }
  void every_error_stands_at_its_control() {
    QFETCH(const QString, file);
    auto w = window();
    w->model().set_full_checks(false);
    QVERIFY(w->open_case(file.toStdString()).ok());
    CasePanel& panel = w->workbench()->case_panel();
    std::vector<std::pair<std::string, Json>> wrong = {{"/nonsense", 1}};
    const std::function<void(const Json&, const std::string&)> walk = [&](const Json& json, const std::string& at) {
      if (json.is_object() || json.is_array()) {
        if (json.is_object() && !at.empty()) wrong.emplace_back(child_pointer(at, "nonsense"), 1);
        std::size_t i = 0;
        for (const auto& [key, value] : json.items()) {
          const std::string place = json.is_array() ? child_pointer(at, i) : child_pointer(at, key);
          if (++i <= 2) walk(value, place);
        }
      } else if (at != "/solver" && at != "/conoid" && at != "/title") {
        wrong.emplace_back(at, Json{{"of", "another kind"}});
      }
    };
    for (const auto& [key, value] : w->model().json().items()) walk(value, child_pointer("", key));
    int looked_at = 0;
    for (const auto& [place, value] : wrong) {
      w->model().set(place, value, "something wrong");
      for (const Diagnostic& d : w->model().diagnostics()) {
        if (d.severity != Severity::error) continue;
        panel.reveal(d.place.pointer);
        QCoreApplication::processEvents();
        const QString sentence = QString::fromStdString(d.text);
        bool found = false;
        for (auto* label : panel.findChildren<QLabel*>())
          found = found || (label->isVisibleTo(&panel) && label->text().contains(sentence) &&
                            label->property("role").toString() == "bad" && label->objectName() != "fieldHelp");
        QVERIFY2(found, qPrintable(QString::fromStdString(place + " → " + d.place.pointer + ": ") + sentence));
        ++looked_at;
      }
      w->model().undo_stack().undo();
      QCoreApplication::processEvents();
    }
    QVERIFY2(looked_at > 5, qPrintable(QString::number(looked_at)));
  }

  void a_key_that_is_not_known_is_taken_out_where_it_is_told() {
    auto w = window();
    w->model().set_full_checks(false);
    QVERIFY(w->open_case(sample_with_mesh().case_file).ok());
    CasePanel& panel = w->workbench()->case_panel();
    for (const char* place : {"/nonsense", "/mesh/nonsense"}) {
      w->model().set(place, 1, "something wrong");
      QVERIFY(!w->model().is_valid());
      QCoreApplication::processEvents();  // what comes into a layout is shown then
      QPushButton* out = nullptr;
      for (auto* button : panel.findChildren<QPushButton*>())
        if (button->text() == "Take out nonsense" && button->isVisibleTo(button->parentWidget())) out = button;
      QVERIFY2(out, place);
      out->click();
      QTRY_VERIFY2(w->model().is_valid(), place);
    }
  }

  void the_times_of_the_cards_are_by_the_rates_of_every_estimate() {
    auto w = window();
    auto* page = w->findChild<StartPage*>();
    QVERIFY(page && !page->findChildren<SampleCardWidget*>().isEmpty());
    MachineRates slow = reference_machine;
    slow.copy /= 3;
    slow.flops_double /= 3;
    slow.flops_single /= 3;
    page->set_rates(slow);
    for (auto* card : page->findChildren<SampleCardWidget*>()) {
      SampleCardWidget expected(*look_, card->card());
      expected.set_slowness(slowness_of(slow));
      QCOMPARE(card->time_text(), expected.time_text());
    }
    page->set_rates({});  // not measured: nothing changes
    auto* first = page->findChildren<SampleCardWidget*>().front();
    SampleCardWidget expected(*look_, first->card());
    expected.set_slowness(slowness_of(slow));
    QCOMPARE(first->time_text(), expected.time_text());
  }
};

QTEST_MAIN(TestOpeners)
#include "test_openers.moc"
