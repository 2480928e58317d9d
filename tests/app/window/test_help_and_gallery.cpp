// SPDX-License-Identifier: BSD-3-Clause
// What helps a new user on: the gallery is searched and filtered, cases become templates, F1 opens the manual at the field at hand, materials
// come from the library, receivers are typed.
// labels: gui serial timeout240
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include "app/forms/material_library.hpp"
#include "app/model/markers.hpp"
#include "app/panels/case_panel.hpp"
#include "app/start/card_grid.hpp"
#include "app/start/start_page.hpp"
#include "app/window/main_window.hpp"
#include "app/window/manual_window.hpp"
#include "app/window/workbench.hpp"
#include "engine/case/schema.hpp"
#include "engine/core/resources.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/app/dialogs.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

class TestHelpAndGallery : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;

  static std::vector<SampleCardWidget*> shown_cards(QWidget& page) {
    std::vector<SampleCardWidget*> out;
    for (auto* card : page.findChildren<SampleCardWidget*>())
      if (card->isVisible()) out.push_back(card);
    return out;
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    if (test::quickest_sample().case_file.empty()) QSKIP("no sample case in this build");
  }
  void cleanupTestCase() { settings_.reset(); }

  void the_gallery_shows_what_is_looked_for() {
    auto w = test::shown_window(*look_, *settings_);
    auto* page = w->findChild<StartPage*>();
    const auto all = shown_cards(*page);
    QVERIFY(all.size() > 1);
    auto* search = page->findChild<QLineEdit*>();
    const SampleCard wanted = all.back()->card();
    search->setText(wanted.title);
    QCOMPARE(shown_cards(*page).size(), std::size_t{1});
    search->setText("nothing is called like this");
    QVERIFY(shown_cards(*page).empty());
    search->clear();
    QCOMPARE(shown_cards(*page).size(), all.size());
    for (auto* box : page->findChildren<QComboBox*>())
      if (const int at = box->findData(wanted.group); at > 0) {
        box->setCurrentIndex(at);
        for (auto* card : shown_cards(*page)) QCOMPARE(card->card().group, wanted.group);
        QVERIFY(!shown_cards(*page).empty());
        box->setCurrentIndex(0);
      }
    page->findChild<QCheckBox*>()->setChecked(true);
    for (auto* card : shown_cards(*page)) QVERIFY(card->card().on_devices);
  }

  void filters_are_those_of_the_card() {
    SampleCard card;
    card.title = "Blast in air";
    card.summary = "A charge";
    card.group = "Shocks";
    card.seconds = 30;
    QVERIFY(passes(card, {"blast charge", "Shocks", 40, false}));
    QVERIFY(!passes(card, {"blast water", "", 0, false}));
    QVERIFY(!passes(card, {"", "Waves", 0, false}));
    QVERIFY(!passes(card, {"", "", 20, false}));
    QVERIFY(!passes(card, {"", "", 0, true}));
  }

  void a_case_becomes_a_template_with_the_files_that_it_names() {
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(test::quickest_sample().case_file).ok());
    test::on_dialog<QInputDialog>(this, [](QInputDialog& dialog) {
      dialog.setTextValue("My Own Start");
      dialog.accept();
    });
    w->actions().at("file.template")->trigger();
    const auto kept = load_templates();
    QCOMPARE(kept.size(), std::size_t{1});
    QCOMPARE(kept.front().title, QString("My Own Start"));
    QVERIFY(kept.front().own && kept.front().available);
    const auto document = CaseDocument::read(kept.front().case_file);
    const SolverInfo* info = find_solver(document->json()["solver"].get<std::string>());
    QVERIFY(check_files(*document, *Schema::for_solver(info->id, info->schema)).empty());
    w->show_start();
    const auto own_is_shown = [&w] {
      const auto cards = shown_cards(*w);
      return std::any_of(cards.begin(), cards.end(), [](auto* card) { return card->card().own; });
    };
    QTRY_VERIFY(own_is_shown());
  }

  void the_manual_opens_at_the_field_at_hand() {
    for (const SolverInfo* info : registered_solvers()) {
      const auto schema = Schema::for_solver(info->id, info->schema);
      const auto fields = schema->fields();
      for (const auto& [pointer, node] : fields) {
        std::string place = pointer;
        for (std::size_t at = place.find("/*"); at != std::string::npos; at = place.find("/*"))
          place.replace(at, 2, "/0");
        QVERIFY2(!field_of(fields, place).empty(), place.c_str());
      }
    }
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(test::quickest_sample().case_file).ok());
    const auto& sections = w->workbench()->case_panel().sections();
    QVERIFY(!sections.empty());
    w->workbench()->case_panel().reveal("/output/frames/count");
    QTRY_VERIFY(QApplication::focusWidget() && w->workbench()->case_panel().isAncestorOf(QApplication::focusWidget()));
    w->actions().at("help.manual")->trigger();
    auto* manual = w->findChild<ManualWindow*>();
    QVERIFY(manual && manual->isVisible());
    QVERIFY2(QString::fromStdString(manual->shown_field()).startsWith("/output"), manual->shown_field().c_str());
    QVERIFY(manual->page().toPlainText().contains("output.frames.count"));
  }

  void materials_come_from_the_library_with_their_source() {
    const SolverInfo* info = nullptr;
    Json node;
    for (const SolverInfo* one : registered_solvers()) {
      const Json medium = read_json(one->schema)["properties"].value("medium", Json());
      if (medium.is_object() && medium.contains("properties") && medium["properties"].contains("speed")) {
        info = one;
        node = medium;
      }
    }
    if (!info) QSKIP("no fluid in this build");
    MaterialLibrary library(node, *look_);
    library.show();
    library.findChild<QLineEdit*>()->setText("helium");
    QVERIFY(library.chosen());
    QCOMPARE(library.chosen()->name, std::string("Helium, 20 °C"));
    QCOMPARE(library.value()["speed"].get<std::string>(), std::string("1007 m/s"));
    bool source = false;
    for (auto* label : library.findChildren<QLabel*>())
      source = source || label->text().contains("Source: Law of ideal gases");
    QVERIFY(source);
    library.findChild<QLineEdit*>()->setText("no such thing");
    QVERIFY(!library.chosen());
    library.grab().save(QStringLiteral(CONOID_BIN_DIR "/../pictures/materials-none.png"));
    library.findChild<QLineEdit*>()->setText("");
    library.grab().save(QStringLiteral(CONOID_BIN_DIR "/../pictures/materials.png"));
  }

  void receivers_are_typed_with_units() {
    const auto place = place_from("1, 50 cm, -2 km");
    QVERIFY(place.has_value());
    QCOMPARE((*place)[1], 0.5);
    QCOMPARE((*place)[2], -2000.0);
    QCOMPARE((*place_from("0,5; 1; 2"))[0], 0.5);
    QVERIFY(!place_from("1, 2"));
    QVERIFY(!place_from("1, 2, 3 s"));
  }

  void a_process_of_its_own_is_where_runs_go_unless_somebody_chose() {
    Settings fresh(folder_.filePath("fresh.ini"));
    fresh.set_default_place("process");
    QCOMPARE(fresh.place(), QString("process"));
    fresh.set_place("");
    QCOMPARE(fresh.place(), QString());
  }
};

QTEST_MAIN(TestHelpAndGallery)
#include "test_help_and_gallery.moc"
