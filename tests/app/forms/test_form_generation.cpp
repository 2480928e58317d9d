// SPDX-License-Identifier: BSD-3-Clause
// Forms are made wholly from the schema: every kind of field gets its editor, typing writes the case, errors show.
// labels: gui
#include <algorithm>
#include <fstream>

#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "app/forms/file_preview.hpp"
#include "app/forms/item_card.hpp"
#include "app/forms/list_edit.hpp"
#include "app/forms/map_edit.hpp"
#include "app/forms/object_form.hpp"
#include "app/forms/scalar_edits.hpp"
#include "app/forms/schema_text.hpp"
#include "app/forms/table_edit.hpp"
#include "app/forms/variant_edit.hpp"
#include "app/model/json_path.hpp"
#include "app/panels/case_panel.hpp"
#include "engine/case/schema.hpp"
#include "engine/run/run_reader.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/sample_case.hpp"

using namespace conoid;
using namespace conoid::app;

class TestFormGeneration : public QObject {
  Q_OBJECT
  std::unique_ptr<Look> look_;
  std::unique_ptr<CaseModel> model_;
  std::unique_ptr<CasePanel> panel_;

  template <class Editor>
  Editor* editor(const std::string& pointer) const {
    for (auto* found : panel_->findChildren<Editor*>())
      if (found->pointer() == pointer && !found->isHidden()) return found;
    return nullptr;
  }
  static void type(QWidget* editor, const QString& text, int index = 0) {
    QLineEdit* line = editor->findChildren<QLineEdit*>().at(index);
    line->setFocus();
    line->selectAll();
    text.isEmpty() ? QTest::keyClick(line, Qt::Key_Delete) : QTest::keyClicks(line, text);
    QTest::keyClick(line, Qt::Key_Return);
  }

  /// Choices that may be left out and whose lack the schema does not name.
  static void unnamed(const Json& node, const std::string& pointer, QStringList& out) {
    if (!node.is_object()) return;
    if (const Json& properties = keyword_of(node, "properties"); properties.is_object())
      for (const auto& [key, child] : properties.items()) {
        if (child.is_object() && child.contains("enum") && !child.contains("default") && !is_required(key, node))
          out << QString::fromStdString(child_pointer(pointer, key));
        unnamed(child, child_pointer(pointer, key), out);
      }
    if (const Json& variants = keyword_of(node, "variants"); variants.is_object())
      for (const auto& [key, child] : variants.items()) unnamed(child, pointer, out);
    for (const char* inside : {"items", "map"}) unnamed(keyword_of(node, inside), pointer, out);
  }

 private slots:
  void a_choice_that_may_be_left_out_shows_what_that_means() {
    for (const SolverInfo* solver : registered_solvers()) {
      QStringList found;
      const auto schema = Schema::for_solver(solver->id, solver->schema);
      QVERIFY(schema.ok());
      unnamed(schema->json(), "", found);
      // But the unit of a file: the file's own, or none, and then it is asked for.
      found.removeIf([](const QString& pointer) { return pointer.endsWith("/unit"); });
      QVERIFY2(found.isEmpty(), qPrintable(QString::fromUtf8(solver->id) + ": " + found.join(", ")));
    }
  }
  void init() {
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    model_ = std::make_unique<CaseModel>(test::sample_schemas());
    model_->set_full_checks(false);
    QVERIFY(model_->open(test::sample_case()).ok());
    panel_ = std::make_unique<CasePanel>(*model_, *look_);
    panel_->resize(344, 900);
    panel_->show();
    panel_->finish();
    for (auto* section : panel_->sections()) {  // forms of folded sections are made when those are opened
      const bool open = section->is_open();
      section->set_open(true);
      section->set_open(open);
    }
    QVERIFY(QTest::qWaitForWindowExposed(panel_.get(), 60000));
  }
  void cleanup() {
    panel_.reset();
    model_.reset();
  }

  void a_value_under_a_former_name_fills_its_field() {
    panel_.reset();  // of the model that goes
    model_ = std::make_unique<CaseModel>([](const std::string&) {
      return Schema::for_solver("s", R"({"properties": {"mesh": false, "parameters": {"type": "object", "properties": {
          "end_time": {"type": "number", "unit": "s", "formerly": ["duration"]}, "steps": {"type": "integer"}}}}})");
    });
    model_->set_full_checks(false);
    model_->take(
        CaseDocument::parse(R"({"conoid": 1, "solver": "s", "parameters": {"duration": 2.5}})", "old.json").value(),
        false);
    panel_ = std::make_unique<CasePanel>(*model_, *look_);
    panel_->show();
    panel_->finish();
    auto* end = editor<NumberEdit>("/parameters/end_time");
    QVERIFY(end);
    QVERIFY2(end->findChild<QLineEdit*>()->text().startsWith("2.5"), qPrintable(end->findChild<QLineEdit*>()->text()));
    // That the name was a former one is told at the field, and not as of a key that can be taken out.
    QVERIFY(!model_->diagnostics().empty());
    for (const auto* button : panel_->findChildren<QPushButton*>())
      QVERIFY2(!button->text().contains("duration"), qPrintable(button->text()));
    panel_->reveal(model_->diagnostics()[0].place.pointer);
    QTRY_VERIFY(QApplication::focusWidget() && end->isAncestorOf(QApplication::focusWidget()));
    type(end, "3 s");
    QCOMPARE(compact_json(model_->json()["parameters"]), std::string(R"({"end_time":"3 s"})"));
    model_->undo_stack().undo();
    QCOMPARE(compact_json(model_->json()["parameters"]), std::string(R"({"end_time":2.5})"));
    type(end, "");
    QCOMPARE(compact_json(model_->json()["parameters"]), std::string("{}"));
  }

  void sections_stand_in_their_order() {
    QStringList titles;
    for (const auto* section : panel_->sections()) titles << section->section().title;
    QCOMPARE(titles,
             QStringList({"Geometry", "Materials", "Boundaries", "Excitation", "Discretisation", "Output", "Compute"}));
  }

  void a_list_is_edited_as_a_table() {
    const auto* list = editor<ListEdit>("/excitation/sources");
    QVERIFY(list);
    const FormContext context{*model_, *look_};
    TableDialog dialog(context, "/excitation/sources", list->node()["items"], "Sources");
    dialog.show();
    ListTable& table = dialog.table();
    QCOMPARE(table.rowCount(), 1);
    int x = -1;
    for (int c = 0; c < table.columnCount(); ++c)
      if (table.headerData(c, Qt::Horizontal, Qt::DisplayRole).toString().startsWith("Position x")) x = c;
    QVERIFY(x >= 0);
    QVERIFY(table.headerData(x, Qt::Horizontal, Qt::DisplayRole).toString().endsWith("[m]"));
    QVERIFY(table.setData(table.index(0, x + 1), "25 cm", Qt::EditRole));
    QCOMPARE(*model_->value("/excitation/sources/0/position/1"), Json("25 cm"));
    // Cells of a spreadsheet from the chosen one on; two rows more than there were.
    dialog.view().setCurrentIndex(table.index(0, x));
    QGuiApplication::clipboard()->setText("1\t2\t3\n4\t5 cm\t6\n7\t8\t9\n");
    dialog.paste_clipboard();
    QCOMPARE(table.rowCount(), 3);
    QCOMPARE(*model_->value("/excitation/sources/1/position"), read_json(R"([4,"5 cm",6])"));
    dialog.view().selectAll();
    dialog.copy_cells();
    const QString copied = QGuiApplication::clipboard()->text();
    QCOMPARE(copied.split('\n').size(), 3);
    QVERIFY(copied.contains("4\t5 cm\t6"));
    model_->undo_stack().undo();  // the whole paste is one step
    QCOMPARE(table.rowCount(), 1);
    QCOMPARE(table.data(table.index(0, x + 1), Qt::EditRole).toString(), QString("25 cm"));
    model_->undo_stack().undo();
    QCOMPARE(*model_->value("/excitation/sources/0/position/1"), Json(0.2));
    table.add_row();
    QCOMPARE(table.rowCount(), 2);
    // What cannot be is shown where it stands.
    QVERIFY(table.setData(table.index(1, x), "nowhere", Qt::EditRole));
    QVERIFY(table.data(table.index(1, x), Qt::BackgroundRole).isValid());
    QVERIFY(!table.data(table.index(1, x), Qt::ToolTipRole).toString().isEmpty());
    QVERIFY(!table.setData(table.index(1, x), "", Qt::EditRole));  // a component cannot be left out
    table.remove({1});
    QCOMPARE(table.rowCount(), 1);
    QVERIFY(!table.paste(0, 0, "").isEmpty());
  }

  void every_kind_has_its_editor() {
    QVERIFY(editor<NumberEdit>("/grid/spacing"));
    QVERIFY(editor<VectorEdit>("/grid/points"));
    QVERIFY(editor<MapEdit>("/materials"));
    QVERIFY(editor<VariantEdit>("/boundaries/top"));
    QVERIFY(editor<NumberEdit>("/boundaries/top/width"));
    QVERIFY(editor<ListEdit>("/excitation/sources"));
    QVERIFY(editor<VectorEdit>("/excitation/sources/0/position"));
    QVERIFY(editor<BooleanEdit>("/excitation/sources/0/loud"));
    QVERIFY(editor<FileEdit>("/excitation/signal"));
    QVERIFY(editor<ChoiceEdit>("/parameters/order"));
    QVERIFY(editor<NumberEdit>("/parameters/steps"));
    QVERIFY(editor<TextEdit>("/parameters/label"));
    QVERIFY(editor<NumbersEdit>("/parameters/angles"));
    QVERIFY(editor<ListEdit>("/parameters/names"));
    QVERIFY(editor<JsonEdit>("/parameters/matrix"));
    QVERIFY(editor<FieldEditor>("/conoid") == nullptr);  // stands in the head, not in a form
  }

  void no_leaf_of_the_schema_is_forgotten() {
    // Whatever leaf the schema lists outside lists, maps and variants has an editor on the page.
    const auto schema = test::sample_schemas()("sample");
    QVERIFY(schema.ok());
    for (const auto& [pointer, node] : schema->fields()) {
      if (pointer.find('*') != std::string::npos || node.contains("when")) continue;
      if (pointer == "/conoid" || pointer == "/title" || pointer == "/solver" || pointer.starts_with("/mesh")) continue;
      bool found = false;
      for (auto* e : panel_->findChildren<FieldEditor*>()) {
        found = found || e->pointer() == pointer;
        // A discriminator is the combo box of its variant.
        found = found || (qobject_cast<VariantEdit*>(e) &&
                          child_pointer(e->pointer(), string_at(e->node(), "discriminator")) == pointer);
      }
      QVERIFY2(found, pointer.c_str());
    }
  }

  void quantities_are_kept_as_written() {
    auto* spacing = editor<NumberEdit>("/grid/spacing");
    type(spacing, "5 mm");
    QCOMPARE(compact_json(model_->json()["grid"]["spacing"]), std::string("\"5 mm\""));
    type(spacing, "0.25");
    QCOMPARE(compact_json(model_->json()["grid"]["spacing"]), std::string("0.25"));
    model_->undo_stack().undo();
    QCOMPARE(spacing->findChild<QLineEdit*>()->text(), QString("5 mm"));
  }

  void emptying_a_field_goes_back_to_the_default() {
    auto* steps = editor<NumberEdit>("/parameters/steps");
    QCOMPARE(steps->findChild<QLineEdit*>()->placeholderText(), QString("100"));
    type(steps, "7");
    QCOMPARE(model_->json()["parameters"]["steps"].get<int>(), 7);
    type(steps, "");
    QVERIFY(!model_->value("/parameters/steps"));
    QVERIFY(model_->is_valid());
  }

  void a_wrong_field_is_red_with_a_sentence() {
    auto* steps = editor<NumberEdit>("/parameters/steps");
    type(steps, "2000");  // above the maximum
    QVERIFY(!model_->is_valid());
    QVERIFY(steps->findChild<QLineEdit*>()->property("wrong").toBool());
    auto* row = qobject_cast<FieldRow*>(steps->parentWidget());
    QVERIFY(row);
    QString sentence;
    for (auto* label : row->findChildren<QLabel*>())
      if (label->property("role").toString() == "bad" && !label->isHidden()) sentence = label->text();
    QVERIFY(!sentence.isEmpty());
    model_->undo_stack().undo();
    QVERIFY(!steps->findChild<QLineEdit*>()->property("wrong").toBool());
  }

  void a_wrong_unit_is_told_while_typing() {
    auto* frequency = editor<NumberEdit>("/excitation/frequency");
    QLineEdit* line = frequency->findChild<QLineEdit*>();
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, "3 m");
    QVERIFY(!frequency->typing_problem().isEmpty());
    QTest::keyClicks(line, "Hz");  // "3 mHz"
    QVERIFY(frequency->typing_problem().isEmpty());
  }

  void vectors_write_one_value() {
    auto* points = editor<VectorEdit>("/grid/points");
    type(points, "99", 1);
    QCOMPARE(compact_json(model_->json()["grid"]["points"]), std::string("[10,99,14]"));
    QCOMPARE(model_->undo_stack().count(), 1);
  }

  void choices_and_switches_write_their_type() {
    auto* combo = editor<ChoiceEdit>("/parameters/order")->findChild<QComboBox*>();
    QCOMPARE(combo->currentText(), QString("4"));  // the default is shown
    combo->setCurrentIndex(2);
    emit combo->activated(2);
    QCOMPARE(compact_json(model_->json()["parameters"]["order"]), std::string("8"));
    QTest::mouseClick(editor<BooleanEdit>("/excitation/sources/0/loud")->findChild<QCheckBox*>(), Qt::LeftButton,
                      Qt::NoModifier, QPoint(8, 8));
    QCOMPARE(compact_json(model_->json()["excitation"]["sources"][0]["loud"]), std::string("false"));
  }

  void variants_change_their_form() {
    auto* top = editor<VariantEdit>("/boundaries/top");
    auto* combo = top->findChild<QComboBox*>();
    QCOMPARE(combo->currentText(), QString("Sponge"));
    combo->setCurrentIndex(1);
    emit combo->activated(1);
    QCOMPARE(compact_json(model_->json()["boundaries"]["top"]), std::string(R"({"kind":"free"})"));
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    QVERIFY(!editor<NumberEdit>("/boundaries/top/width"));
    model_->undo_stack().undo();
    QVERIFY(editor<NumberEdit>("/boundaries/top/width"));
    QVERIFY(model_->is_valid());
  }

  void lists_grow_and_shrink() {
    auto* sources = editor<ListEdit>("/excitation/sources");
    auto* add = sources->findChildren<QPushButton*>().front();
    QVERIFY(add->text().contains("source"));
    add->click();
    QCOMPARE(model_->json()["excitation"]["sources"].size(), std::size_t{2});
    QCOMPARE(sources->findChildren<ItemCard*>().size(), 2);
    emit sources->findChildren<ItemCard*>().front()->remove_wanted();
    QCOMPARE(model_->json()["excitation"]["sources"].size(), std::size_t{1});
    model_->undo_stack().undo();
    model_->undo_stack().undo();
    QCOMPARE(model_->json()["excitation"]["sources"].size(), std::size_t{1});
    QVERIFY(!model_->is_dirty());
  }

  void long_lists_stay_quick() {
    Json many = Json::array();
    for (int i = 0; i < 5000; ++i) many.push_back({{"position", {0.1 * i, 0, 0}}});
    model_->set("/excitation/sources", many, "many");
    QVERIFY(editor<ListEdit>("/excitation/sources")->findChildren<ItemCard*>().size() <= 64);
  }

  void a_folded_element_is_told_in_the_words_of_its_lists() {
    const Json node =
        read_json(R"({"discriminator": "kind", "properties": {"side": {"type": "string", "enum": ["at_left", "right"]}},
      "variants": {"ideal-gas": {"title": "Ideal gas", "properties": {"gamma": {"type": "number"}}}, "odd": {}}})");
    QCOMPARE(summary_of(read_json(R"({"kind": "ideal-gas", "gamma": 1.4, "side": "at_left"})"), node),
             QString("Ideal gas · 1.4 · At left"));
    QCOMPARE(summary_of(read_json(R"({"kind": "unknown", "gamma": 1.4})"), node), QString("unknown · 1.4"));
    QCOMPARE(summary_of(read_json(R"({"name": "here", "at": [1, 2, 3]})"), Json::object()), QString("here · 1, 2, 3"));
  }

  void maps_are_renamed_in_place() {
    model_->set("/materials/oil", Json{{"density", 900}}, "addition");
    auto* card = editor<MapEdit>("/materials")->findChildren<ItemCard*>().at(0);
    card->set_open(true);
    const auto lines = card->findChildren<QLineEdit*>();
    const auto name = std::find_if(lines.begin(), lines.end(),
                                   [](QLineEdit* line) { return line->accessibleName().startsWith("Name of"); });
    QVERIFY(name != lines.end());
    type(card, "sea", static_cast<int>(name - lines.begin()));
    QCOMPARE(model_->json()["materials"].begin().key(), std::string("sea"));
    QCOMPARE(model_->json()["materials"]["sea"]["density"].get<int>(), 998);
    QVERIFY(model_->is_valid());
  }

  void a_diagnostic_jumps_to_its_field() {
    for (auto* section : panel_->sections()) section->set_open(false);
    panel_->reveal("/excitation/sources/0/position/2");
    const auto focused = [] {
      auto* line = qobject_cast<QLineEdit*>(QApplication::focusWidget());
      return line ? line->text() : QString();
    };
    QTRY_COMPARE(focused(), QString("0.3"));
  }

  void tooltips_tell_default_range_and_units() {
    const QString tip = editor<NumberEdit>("/parameters/steps")->toolTip();
    QVERIFY(tip.contains("Default: 100"));
    QVERIFY(tip.contains("1000"));
    QVERIFY(tip.contains("/parameters/steps"));
    QVERIFY(editor<NumberEdit>("/excitation/frequency")->toolTip().contains("kHz"));
  }

  void only_objects_that_must_be_filled_in_wait_for_add() {
    const auto demands = [](const char* text) { return has_demands(read_json(text)); };
    QVERIFY(!demands(R"({"properties":{"a":{"default":1},"b":{}}})"));
    QVERIFY(demands(R"({"required":["a"],"properties":{"a":{}}})"));
    QVERIFY(!demands(R"({"required":["a"],"properties":{"a":{"default":1}}})"));
    QVERIFY(demands(R"({"discriminator":"kind","variants":{"x":{}}})"));
    QVERIFY(!demands(R"({"discriminator":"kind","properties":{"kind":{"default":"x"}},"variants":{"x":{}}})"));
    QVERIFY(demands(R"({"discriminator":"kind","properties":{"kind":{"default":"x"}},
                        "variants":{"x":{"required":["a"],"properties":{"a":{}}}}})"));
  }

  void a_file_is_looked_into() {
    QTemporaryDir folder;
    const auto at = [&](const char* name) { return std::filesystem::path(folder.filePath(name).toStdString()); };
    std::ofstream(at("s.csv")) << "t[s],p[Pa]\n0,-1\n0.5,2\n1,0\n";
    std::ofstream(at("wrong.csv")) << "t[s],p[Pa]\n0,-1\n0.5\n";
    std::ofstream(at("m.vti"))
        << "<VTKFile type=\"ImageData\"><ImageData WholeExtent=\"0 20 0 10 0 0\" Spacing=\"1 1 1\">";
    const std::vector<float> samples = {1, -2, 3, 4, 5, -6};
    QVERIFY(write_segy(at("g.sgy"), {.interval = 0.004, .samples = 3, .text = {}}, std::vector<SegyTrace>(2), samples)
                .ok());
    const FileGlance table = look_into_file(at("s.csv"));
    QVERIFY(table.words.contains("3 rows") && table.words.contains("t from 0 to 1 s") &&
            table.words.contains("p from -1 to 2 Pa"));
    QCOMPARE(table.y, std::vector<double>({-1, 2, 0}));
    QVERIFY(look_into_file(at("wrong.csv")).wrong);
    QVERIFY(look_into_file(at("m.vti")).words.contains("21 × 11 × 1 points"));
    const FileGlance traces = look_into_file(at("g.sgy"));
    QVERIFY(traces.words.contains("2 traces of 3 samples"));
    QCOMPARE(traces.picture.size(), QSize(2, 3));
    QVERIFY(look_into_file(at("none.csv")).wrong);
    // Below the field, and again when the file is another.
    FilePreview preview(*look_);
    QSignalSpy shown(&preview, &FilePreview::shown);
    preview.show_file(at("s.csv"));
    QTRY_COMPARE(shown.size(), 1);
    QVERIFY(!preview.isHidden());
    preview.show_file(at("s.csv"));
    preview.show_file(at("none.csv"));
    QTRY_COMPARE(shown.size(), 2);
    QVERIFY(preview.glance().wrong);
    preview.show_file({});
    QVERIFY(preview.isHidden());
  }

  void numbers_people_type_are_numbers() {
    QVERIFY(json_from_text("1e3").is_number());
    QVERIFY(json_from_text(".5").is_number());
    QVERIFY(json_from_text("+3").is_number());
    QVERIFY(json_from_text("nan").is_string());
    QVERIFY(json_from_text("2 GHz").is_string());
    QVERIFY(json_from_text("[1").is_string());
    QCOMPARE(text_of(Json(0.1)), QString("0.1"));
    QCOMPARE(text_of(Json(1500)), QString("1500"));
  }
};

QTEST_MAIN(TestFormGeneration)
#include "test_form_generation.moc"
