// SPDX-License-Identifier: BSD-3-Clause
// The case model: undo and redo are exact, diagnostics follow every edit, defaults are kept, files are saved whole.
// labels: unit
#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/model/case_model.hpp"
#include "app/model/frame_points.hpp"
#include "app/model/json_path.hpp"
#include "app/model/recovery.hpp"
#include "engine/session/run_comparison.hpp"
#include "tests/app/sample_case.hpp"

using namespace conoid;
using namespace conoid::app;

class TestCaseModel : public QObject {
  Q_OBJECT

  static std::unique_ptr<CaseModel> opened() {
    auto model = std::make_unique<CaseModel>(test::sample_schemas());
    model->set_full_checks(false);
    const Status status = model->open(test::sample_case());
    if (!status.ok()) qWarning("%s", status.error().render().c_str());
    return model;
  }

 private slots:
  // By the schema alone: the sample whose schema marks a key that thins volumes.
  void volumes_are_kept_whole_on_demand() {
    int with = 0, without = 0;
    for (const char* sample : {"point-source", "rigid-sphere"}) {
      const auto file = std::filesystem::path(CONOID_SOURCE_DIR) / "resources" / "cases" / sample / "case.json";
      CaseModel model;
      if (!model.open(file)) continue;
      const Json before = model.json();
      constexpr double points = 3.2e6;
      if (keeps_all_points(model, points)) {
        ++without;
        QVERIFY(!keep_all_points(model, points));
        QCOMPARE(model.json(), before);
        continue;
      }
      ++with;
      QVERIFY(keeps_all_points(model, 1000));
      QVERIFY(keep_all_points(model, points));
      QVERIFY(keeps_all_points(model, points) && !keeps_all_points(model, points + 1));
      model.undo_stack().undo();
      QCOMPARE(model.json(), before);
    }
    if (with + without < 2) QSKIP("a build without the solvers of these samples");
    QCOMPARE(with, 1);
  }

  void a_sound_case_is_valid() {
    auto model = opened();
    QVERIFY(model->is_open());
    for (const auto& d : model->diagnostics()) qWarning("%s", d.render().c_str());
    QVERIFY(model->is_valid());
    QVERIFY(!model->is_dirty());
    QCOMPARE(model->title(), QString("A sample"));
    QVERIFY(model->obstacle().isEmpty());
  }

  void every_edit_can_be_undone_exactly() {
    auto model = opened();
    const std::string before = compact_json(model->json());
    std::vector<std::string> states = {before};
    const auto edit = [&](const std::string& pointer, Json value) {
      model->set(pointer, std::move(value), "change");
      states.push_back(compact_json(model->json()));
    };
    edit("/grid/spacing", "1 mm");
    edit("/parameters/order", 8);                   // makes a section
    edit("/excitation/sources/0/position/1", 7.5);  // deep inside an array
    edit("/boundaries/top/width", 30);              // inside an object that stood for its default
    model->remove("/materials/water", "removal");
    states.push_back(compact_json(model->json()));
    QVERIFY(model->is_dirty());
    for (std::size_t i = states.size() - 1; i-- > 0;) {
      model->undo_stack().undo();
      QCOMPARE(compact_json(model->json()), states[i]);
    }
    QVERIFY(!model->is_dirty());
    for (std::size_t i = 1; i < states.size(); ++i) {
      model->undo_stack().redo();
      QCOMPARE(compact_json(model->json()), states[i]);
    }
  }

  /// What a case has under a former name is shown, edited and saved under that of now; until it is saved that is told.
  void a_case_is_taken_under_present_names() {
    CaseModel model([](const std::string&) {
      return Schema::for_solver("s", R"({"properties": {"mesh": false, "parameters": {"type": "object", "properties": {
          "end_time": {"type": "number", "unit": "s", "formerly": ["duration"]}, "steps": {"type": "integer"}}}}})");
    });
    model.set_full_checks(false);
    model.take(
        CaseDocument::parse(R"({"conoid": 1, "solver": "s", "parameters": {"duration": 2}})", "old.json").value(),
        false);
    QVERIFY(model.is_valid());
    QVERIFY(!model.is_dirty());
    QCOMPARE(model.diagnostics_at("/parameters/end_time").size(), std::size_t{1});
    QVERIFY(model.diagnostics_at("/parameters/end_time")[0].text.find("'duration' is called 'end_time' now") == 0);
    const std::string before = compact_json(model.json());
    QCOMPARE(compact_json(model.json()["parameters"]), std::string(R"({"end_time":2})"));
    QVERIFY(!model.command_line().contains("--set"));
    model.set("/parameters/steps", 7, "change");
    QCOMPARE(compact_json(model.json()["parameters"]), std::string(R"({"end_time":2,"steps":7})"));
    model.set("/parameters/end_time", "3 s", "change");
    QCOMPARE(compact_json(model.json()["parameters"]), std::string(R"({"end_time":"3 s","steps":7})"));
    QVERIFY(model.is_valid());
    // The line for a terminal sets what was changed, and takes nothing out that has only another name.
    QVERIFY(model.command_line().contains("--set '/parameters/end_time=3 s'"));
    QVERIFY(!model.command_line().contains("duration"));
    model.undo_stack().undo();
    model.undo_stack().undo();
    QCOMPARE(compact_json(model.json()), before);
    QVERIFY(!model.command_line().contains("--set"));
    const QTemporaryDir folder;
    QVERIFY(model.save_as(folder.filePath("new.json").toStdString()).ok());
    QVERIFY(model.diagnostics().empty());
  }

  /// Of two runs that say the same under a former name and the present one none differs, and a list of runs has one column of both.
  void leaves_are_called_as_the_schema_calls_them() {
    const auto leaves = [](const char* text) { return case_leaves(CaseDocument::parse(text, "case.json")->json()); };
    using Leaves = std::vector<std::pair<std::string, std::string>>;
    const Leaves now = leaves(R"({"solver": "acoustic-fd", "parameters": {"order": 8, "end_time": "2 s"}})");
    QVERIFY(now == leaves(R"({"solver": "acoustic-fd", "parameters": {"order": 8, "duration": "2 s"}})"));
    QVERIFY(now == Leaves({{"/solver", "acoustic-fd"}, {"/parameters/order", "8"}, {"/parameters/end_time", "2 s"}}));
    // Both beside each other are an error that nobody hides; of an unknown solver nothing is known.
    QCOMPARE(leaves(R"({"solver": "acoustic-fd", "parameters": {"end_time": 1, "duration": 2}})").size(),
             std::size_t{3});
    QVERIFY(leaves(R"({"solver": "nobody", "duration": 2})") == Leaves({{"/solver", "nobody"}, {"/duration", "2"}}));
  }

  void editing_inside_a_default_keeps_the_default() {
    auto model = opened();
    model->set("/boundaries/top/width", 30, "change");
    QCOMPARE(compact_json(model->json()["boundaries"]["top"]), std::string(R"({"kind":"sponge","width":30})"));
    QVERIFY(model->is_valid());
  }

  void diagnostics_name_the_field() {
    auto model = opened();
    QSignalSpy validated(model.get(), &CaseModel::validated);
    model->set("/excitation/frequency", "2 apples", "change");
    QVERIFY(validated.count() >= 1);
    QVERIFY(!model->is_valid());
    QVERIFY(!model->obstacle().isEmpty());
    QCOMPARE(model->health_of("/excitation"), Health::bad);
    QCOMPARE(model->health_of("/excitation/frequency"), Health::bad);
    QCOMPARE(model->health_of("/grid"), Health::good);
    QVERIFY(!model->diagnostics_at("/excitation/frequency").empty());
    model->undo_stack().undo();
    QVERIFY(model->is_valid());
    model->remove("/excitation/frequency", "removal");  // required
    QVERIFY(!model->is_valid());
    QVERIFY(model->obstacle().contains("frequency"));
  }

  void equal_values_are_no_edit() {
    auto model = opened();
    model->set("/grid/spacing", "2 cm", "change");
    model->remove("/parameters", "removal");
    QCOMPARE(model->undo_stack().count(), 0);
  }

  void the_command_line_tells_the_edits() {
    auto model = opened();
    QVERIFY(model->command_line().startsWith("conoid run "));
    QVERIFY(!model->command_line().contains("--set"));
    model->set("/grid/spacing", "1 mm", "change");
    QVERIFY2(model->command_line().endsWith("--set '/grid/spacing=1 mm'"), qPrintable(model->command_line()));
    QCOMPARE(shell_quoted("it's"), QString("'it'\\''s'"));
  }

  void saving_writes_what_is_shown() {
    QTemporaryDir folder;
    auto model = opened();
    model->set("/title", "Renamed", "change");
    const auto file = std::filesystem::path(folder.filePath("saved.json").toStdString());
    QVERIFY(model->save_as(file).ok());
    QVERIFY(!model->is_dirty());
    CaseModel again(test::sample_schemas());
    again.set_full_checks(false);
    QVERIFY(again.open(file).ok());
    QCOMPARE(compact_json(again.json()), compact_json(model->json()));
    QVERIFY(!model->save_as(folder.filePath("no/such/folder/case.json").toStdString()).ok());
    QVERIFY(again.title() == "Renamed");
  }

  void an_unknown_solver_is_a_diagnostic() {
    QTemporaryDir folder;
    const auto file = std::filesystem::path(folder.filePath("case.json").toStdString());
    QVERIFY(write_file_atomically(file, R"({"conoid":1,"solver":"nobody"})").ok());
    CaseModel model(test::sample_schemas());
    model.set_full_checks(false);
    QVERIFY(model.open(file).ok());
    QVERIFY(!model.is_valid());
    QCOMPARE(model.health_of("/solver"), Health::bad);
    QVERIFY(!model.open(folder.filePath("missing.json").toStdString()).ok());
    QCOMPARE(model.solver(), std::string("nobody"));  // a failed opening leaves the former case
  }

  void unsaved_edits_survive_a_crash() {
    QTemporaryDir folder;
    auto model = opened();
    auto recovery = std::make_unique<Recovery>(*model, folder.path());
    model->set("/title", "Not saved", "change");
    recovery->save_now();
    // What a crashed program leaves: the same file under the number of a process that is gone.
    const QDir dir(folder.path());
    const QStringList copies = dir.entryList({"unsaved-*.json"});
    QCOMPARE(copies.size(), 1);
    QVERIFY(Recovery::left_behind(folder.path()).empty());  // this program is running
    QVERIFY(QFile::copy(dir.filePath(copies.front()), dir.filePath("unsaved-999999999-0.json")));
    recovery.reset();
    const auto found = Recovery::left_behind(folder.path());
    QCOMPARE(found.size(), std::size_t{1});
    QCOMPARE(found.front().title, QString("Not saved"));
    const auto document = Recovery::load(found.front());
    QVERIFY(document.ok());
    QCOMPARE(compact_json(document->json()), compact_json(model->json()));
    CaseModel restored(test::sample_schemas());
    restored.set_full_checks(false);
    restored.take(*document, true);
    QVERIFY(restored.is_dirty());
    Recovery::discard(found.front());
    QVERIFY(Recovery::left_behind(folder.path()).empty());
  }

  void pointers_of_any_name_are_found() {
    Json root = Json::object();
    const std::string pointer = child_pointer(child_pointer("", "a/b"), "c~d");
    QVERIFY(assign_value(root, pointer, Json(1)));
    QVERIFY(find_value(root, pointer));
    QCOMPARE(last_token(pointer), std::string("c~d"));
    QCOMPARE(first_token(pointer), std::string("a/b"));
    QVERIFY(is_within("/a/b", "/a"));
    QVERIFY(!is_within("/ab", "/a"));
    QVERIFY(assign_value(root, pointer, std::nullopt));
    QVERIFY(!find_value(root, pointer));
    root["list"] = Json::array({1});
    QVERIFY(assign_value(root, "/list/1", Json(2)));
    QVERIFY(!assign_value(root, "/list/5", Json(2)));
    QVERIFY(!assign_value(root, "/list/0/x", Json(2)));
  }
};

QTEST_GUILESS_MAIN(TestCaseModel)
#include "test_case_model.moc"
