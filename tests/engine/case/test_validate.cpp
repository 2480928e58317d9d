// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a case: every violation at once, each with line, pointer, expected, found and a remedy.
// labels: unit
#include "engine/case/case.hpp"
#include "engine/case/former_names.hpp"
#include "tests/engine/case/sample.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>

using namespace conoid;

namespace {

std::string rendered(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const auto& d : diagnostics) out += d.render() + "\n";
  return out;
}

}  // namespace

class TestValidate : public QObject {
  Q_OBJECT

 private slots:
  void a_good_case_has_no_diagnostics() {
    const auto found = validate(good_document(), good_schema());
    QVERIFY2(found.empty(), rendered(found).c_str());
  }

  void refuses_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* path, const char* value, const char* pointer, const char* message,
                        const char* hint = "") {
      QTest::addRow("%s=%.30s", path, value) << path << value << pointer << message << hint;
    };
    row("excitation.frequency", "3.0 THz", "/excitation/frequency", "found 3.0 THz, expected at most 1.2 GHz",
        "Frequency of the maximum of the spectrum.");
    row("excitation.frequency", "1500000000", "/excitation/frequency", "found 1.5 GHz, expected at most 1.2 GHz");
    row("excitation.frequency", "0", "/excitation/frequency", "found 0 Hz, expected at least 1 Hz");
    row("excitation.frequency", "2 mm", "/excitation/frequency",
        "found '2 mm' (length), expected a number in Hz (frequency)", "Units that fit: Hz, kHz, MHz, GHz.");
    row("excitation.frequency", "2 ghz", "/excitation/frequency", "unknown unit 'ghz' in '2 ghz'; did you mean 'GHz'?");
    row("excitation.frequency", "fast", "/excitation/frequency", "expected a number in Hz, found 'fast'");
    row("excitation.frequency", "[1]", "/excitation/frequency", "found a list of 1 value, expected a number in Hz");
    row("excitation.frequncy", "1", "/excitation/frequncy", "unknown key 'frequncy'; did you mean 'frequency'?",
        "Known here: kind, frequency, angle.");
    row("excitation.file", "x.csv", "/excitation/file",
        "the key 'file' belongs to kind = 'sampled', but kind is 'ricker'");
    row("excitation.kind", "rickr", "/excitation/kind",
        "found 'rickr', expected one of 'ricker' or 'sampled'; did you mean 'ricker'?");
    row("excitation.kind", "null", "/excitation/kind", "missing; expected one of 'ricker' or 'sampled'");
    row("excitation.kind", "7", "/excitation/kind", "found 7, expected a text", "Put it in double quotes.");
    row("excitation", "null", "/excitation", "missing; expected an object { }");
    row("excitation", "3", "/excitation", "found 3, expected an object { }");
    row("grid.spacing", "null", "/grid/spacing", "missing; expected a number in m, above 0 m", "Distance of nodes.");
    row("grid.spacing", "0", "/grid/spacing", "found 0 m, expected a value above 0 m");
    row("grid.spacing", "-1 mm", "/grid/spacing", "found -1 mm, expected a value above 0 m");
    row("grid.spacing", "true", "/grid/spacing", "found true, expected a number in m");
    row("grid.size", "[1, 2]", "/grid/size", "found 2 values, expected 3");
    row("grid.size", "12", "/grid/size", "found 12, expected a list [ ]", "Put brackets around it.");
    row("grid.size.1", "2.5", "/grid/size/1", "found 2.5, expected a whole number");
    row("grid.size.1", "0", "/grid/size/1", "found 0, expected at least 1");
    row("grid.size.1", "1e30", "/grid/size/1", "found 1e+30, expected a whole number");
    row("grid.size.1", "18446744073709551615", "/grid/size/1",
        "expected a whole number of at most 9223372036854775807");
    row("grid.size.1", "\"20\"", "/grid/size/1", "found the text '20', expected a whole number",
        "Write the number without quotes.");
    row("grid.origin.0", "1 kg", "/grid/origin/0", "found '1 kg' (mass), expected a number in m (length)");
    row("materials.steel.speed", "30 km/s", "/materials/steel/speed", "found 30 km/s, expected at most 20000 m/s");
    row("materials.steel.density", "null", "/materials/steel/density", "missing; expected a number in kg/m^3");
    row("materials.steel.colour", "red", "/materials/steel/colour", "unknown key 'colour'",
        "Known here: density, speed.");
    row("materials", "{}", "", "");
    row("materials",
        R"({"a":{"density":1},"b":{"density":1},"c":{"density":1},"d":{"density":1},"e":{"density":1},"f":{"density":1}})",
        "/materials", "found 6 entries, expected at most 5");
    row("boundaries.1.width", "null", "/boundaries/1/width", "missing; expected a whole number, at least 1");
    row("boundaries.1.loss", "3", "/boundaries/1/loss", "found 3 dB, expected at most 0 dB");
    row("boundaries.0.width", "3", "/boundaries/0/width", "belongs to kind = 'sponge', but kind is 'rigid'");
    row("parameters.order", "5", "/parameters/order", "found 5, expected one of 2, 4, 6 or 8");
    row("parameters.cfl", "1", "/parameters/cfl", "found 1, expected a value below 1");
    row("parameters.cfl", "\"0.5\"", "/parameters/cfl", "found the text '0.5', expected a number", "without quotes");
    row("parameters.time_step", "automatic", "/parameters/time_step", "expected a number in s, found 'automatic'");
    row("parameters.name", "9lives", "/parameters/name", "found '9lives', expected a text of the form");
    row("parameters.name", "abcdefghijklmnopqrstuvwxyz", "/parameters/name",
        "found a text of 26 characters, expected at most 20");
    row("parameters.scheme", "leap-frog", "/parameters/scheme", "did you mean 'leapfrog'?");
    row("parameters.free_surface", "1", "/parameters/free_surface", "found 1, expected true or false");
    row("parameters.free_surface", "\"true\"", "/parameters/free_surface", "found 'true', expected true or false");
    row("output.frames.count", "3", "/output/frames/count",
        "found 'every' and 'count', expected at most one of 'every' or 'count'");
    row("output.frames.interval", "3", "/output/frames/interval", "unknown key 'interval'");
    row("output.frames.fields", "[\"\"]", "/output/frames/fields/0", "found an empty text, expected a text");
    row("output.frames.fields", "p", "/output/frames/fields", "found 'p', expected a list [ ]",
        "Put brackets around it.");
    row("output.receivers.0.position.3", "1", "/output/receivers/0/position", "found 4 values, expected 3");
    row("compute.threads", "-1", "/compute/threads", "found -1, expected at least 0");
    row("compute.memory.host", "2 m", "/compute/memory/host", "(length), expected a number in B (memory)");
    row("compute.memory.host", "1 KiB", "/compute/memory/host", "found 1 KiB, expected at least 1 MiB");
    row("compute.precison", "double", "/compute/precison", "did you mean 'precision'?");
    row("mesh.file", "\"a\\u0000b\"", "/mesh/file", "a control character in the file name");
    row("mesh.file", "\"\"", "/mesh/file", "found an empty text, expected the name of a file");
    row("mesh.unit", "furlong", "/mesh/unit", "found 'furlong', expected one of 'm', 'dm', 'cm'");
    row("mesh.order", "3", "/mesh/order", "found 3, expected one of 1 or 2");
    row("solver", "other", "/solver", "found 'other', expected 'sample-waves'");
    row("solver", "null", "/solver", "missing; expected 'sample-waves'");
    row("conoid", "2", "/conoid", "found format version 2, expected at most 1: the case was written by a newer Conoid",
        "Update Conoid");
    row("conoid", "0", "/conoid", "found 0, expected at least 1");
    row("conoid", "one", "/conoid", "found the text 'one', expected a whole number");
    row("parameters.precision", "double", "/parameters/precision", "unknown key 'precision'; it stands under 'compute'",
        "Known here: ");
    row("compute.host", "1 GiB", "/compute/host", "unknown key 'host'; it stands under 'compute.memory'");
    row("output.materials", "{}", "/output/materials", "unknown key 'materials'; it stands at the top of a case");
    row("grid.file", "a", "/grid/file", "unknown key 'file'");
    row("grids", "{}", "/grids", "unknown key 'grids'; did you mean 'grid'?");
    row("sponge", "{}", "/sponge", "unknown key 'sponge'",
        "Known here: conoid, title, solver, mesh, grid, materials, regions, boundaries, excitation, "
        "parameters, output, compute.");
  }
  void refuses() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, pointer);
    QFETCH(QString, message);
    QFETCH(QString, hint);
    CaseDocument d = good_document();
    const auto status = d.set(path.toStdString(), value.toStdString());
    QVERIFY2(status.ok(), status.ok() ? "" : status.error().render().c_str());
    const auto found = validate(d, good_schema());
    if (message.isEmpty()) {
      QVERIFY2(found.empty(), rendered(found).c_str());
      return;
    }
    const auto it = std::find_if(found.begin(), found.end(), [&](const Diagnostic& x) {
      return x.place.pointer == pointer.toStdString() && x.text.find(message.toStdString()) != std::string::npos;
    });
    QVERIFY2(it != found.end(), rendered(found).c_str());
    QVERIFY2(it->hint.find(hint.toStdString()) != std::string::npos, it->render().c_str());
    QVERIFY(it->severity == Severity::error && it->code == ErrorCode::invalid_input);
    // One change, one message, but where a missing kind hides what belongs to it.
    QVERIFY2(found.size() == 1, rendered(found).c_str());
    QVERIFY(!Case::resolve(d, good_schema()).ok());
  }

  void names_file_line_and_pointer() {
    std::string text(sample::good_case);
    text.replace(text.find("\"250 kHz\""), 9, "\"3.0 THz\"");
    const auto found = validate(*CaseDocument::parse(text, "case.json"), good_schema());
    QCOMPARE(rendered(found),
             std::string("case.json:22: /excitation/frequency: found 3.0 THz, expected at most 1.2 GHz\n"
                         "  Frequency of the maximum of the spectrum.\n"));
  }

  void null_is_not_a_value() {
    const auto d = CaseDocument::parse(R"({"conoid": 1, "solver": "sample-waves", "grid": {"spacing": null},
      "excitation": {"kind": "ricker", "frequency": 5}})",
                                       "c");
    const auto found = validate(*d, good_schema());
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY2(found[0].text.find("found null, expected a number in m") != std::string::npos, rendered(found).c_str());
    QVERIFY(found[0].hint.find("Remove the key") != std::string::npos);
  }

  void all_violations_come_at_once_in_order_of_lines() {
    const auto d = CaseDocument::parse(R"({
      "conoid": 1,
      "solver": "sample-waves",
      "excitation": {"kind": "ricker", "frequency": "1 m"},
      "grid": {"spacing": -1,
               "size": [0, 1.5, "x"],
               "colour": 3},
      "output": {"frames": {"count": -1}}
    })",
                                       "case.json");
    const auto found = validate(*d, good_schema());
    std::vector<long> lines;
    for (const auto& x : found) lines.push_back(x.place.line);
    QCOMPARE(lines, (std::vector<long>{4, 5, 6, 6, 6, 7, 8}));
  }

  void a_misspelt_key_is_not_also_missing() {
    const auto d = CaseDocument::parse(R"({"conoid": 1, "solver": "sample-waves", "grid": {"spacng": 1},
      "excitation": {"kind": "ricker", "frequency": 5}})",
                                       "c");
    const auto found = validate(*d, good_schema());
    QVERIFY2(found.size() == 1, rendered(found).c_str());
    QVERIFY(found[0].text.find("did you mean 'spacing'?") != std::string::npos);
  }

  void a_missing_version_is_a_warning() {
    CaseDocument d = good_document();
    QVERIFY(d.set("conoid", "null").ok());
    const auto found = validate(d, good_schema());
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(found[0].severity == Severity::warning);
    QVERIFY(Case::resolve(d, good_schema()).ok());
  }

  void a_newer_version_hides_what_follows_from_it() {
    const auto d = CaseDocument::parse(R"({"conoid": 9, "novelty": {}})", "c");
    QCOMPARE(validate(*d, good_schema()).size(), std::size_t{1});
  }

  void numbers_that_are_not_finite_are_refused() {
    for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      CaseDocument d = good_document();
      QVERIFY(d.set_json("/grid/spacing", bad).ok());
      QVERIFY(d.set_json("/grid/size/0", bad).ok());
      const auto found = validate(d, good_schema());
      QCOMPARE(found.size(), std::size_t{2});
      for (const auto& x : found)
        QVERIFY2(x.text.find("expected a finite number") != std::string::npos, x.text.c_str());
    }
  }

  void the_number_of_messages_is_bounded() {
    Json list = Json::array();
    for (int i = 0; i < 100'000; ++i) list.push_back(Json{{"position", "x"}, {"wrong", 1}});
    CaseDocument d = good_document();
    QVERIFY(d.set_json("/output/receivers", list).ok());
    const auto found = validate(d, good_schema());
    QCOMPARE(found.size(), std::size_t{101});
    QVERIFY(std::any_of(found.begin(), found.end(), [](const Diagnostic& x) {
      return x.text.find("the rest is not listed") != std::string::npos;
    }));
  }

  void long_texts_do_not_exhaust_a_pattern() {
    CaseDocument d = good_document();
    auto deep =
        Schema::for_solver("sample-waves", R"({"properties": {"name": {"type": "string", "pattern": "(a|b)*c"}}})");
    QVERIFY(deep.ok());
    const auto c = CaseDocument::from_json(
        Json{{"conoid", 1}, {"solver", "sample-waves"}, {"name", std::string(10'000'000, 'a')}}, "c");
    const auto found = validate(c, *deep);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(found[0].text.size() < 300);
  }

  void lists_the_files_of_a_case() {
    CaseDocument d = *CaseDocument::parse(sample::good_case, "/some/where/case.json");
    auto files = files_of(d, good_schema());
    QCOMPARE(files.size(), std::size_t{1});
    QCOMPARE(files[0].pointer, std::string("/mesh/file"));
    QCOMPARE(files[0].kind, std::string("mesh"));
    QCOMPARE(files[0].path, std::filesystem::path("/some/where/box.msh"));
    QVERIFY(d.set("mesh.file", "/abs/olute.msh").ok());
    QVERIFY(d.set("excitation", R"({"kind": "sampled", "file": "pulse.csv"})").ok());
    files = files_of(d, good_schema());
    QCOMPARE(files.size(), std::size_t{2});
    QCOMPARE(files[0].path, std::filesystem::path("/abs/olute.msh"));
    QCOMPARE(files[1].kind, std::string("signal"));
  }

  void checks_that_files_exist() {
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    const CaseDocument d = *CaseDocument::parse(sample::good_case, base / "case.json");
    auto found = check_files(d, good_schema());
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(found[0].text.find("cannot find the mesh file") != std::string::npos);
    QCOMPARE(found[0].place.line, 6L);
    std::filesystem::create_directory(base / "box.msh");
    QVERIFY(check_files(d, good_schema())[0].text.find("found the folder") != std::string::npos);
    std::filesystem::remove(base / "box.msh");
    std::ofstream(base / "box.msh") << "x";
    QVERIFY(check_files(d, good_schema()).empty());
  }

  void checks_groups_of_the_mesh() {
    const CaseDocument d = good_document();
    QVERIFY(check_groups(d, good_schema(), {"inside", "shell", "outer", "inner"}).empty());
    const auto found = check_groups(d, good_schema(), {"inside", "shell", "outre"});
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].render(),
             std::string("case.json:18: /boundaries/0/group: the mesh has no group 'outer'; did you mean 'outre'?\n"
                         "  Its groups: inside, shell, outre."));
    QCOMPARE(found[1].place.pointer, std::string("/boundaries/1/group"));
    QCOMPARE(check_groups(d, good_schema(), {}).size(), std::size_t{4});
  }

  void a_former_name_is_read_and_told() {
    const Schema schema =
        Schema::for_solver("s", R"({"properties": {"mesh": false, "parameters": {"type": "object", "properties": {
        "courant": {"type": "number", "default": 0.5, "maximum": 1, "formerly": ["cfl", "courant_number"]},
        "old": {"type": "integer", "default": 1, "deprecated": "Leave it out: it has no effect."}}}}})")
            .value();
    const auto text = [](const char* parameters) {
      return *CaseDocument::parse(
          std::string("{\"conoid\": 1,\n\"solver\": \"s\",\n\"parameters\": {") + parameters + "}}", "old.json");
    };
    Json resolved;
    auto found = validate_and_resolve(text("\n\"cfl\": 0.25"), schema, resolved);
    QCOMPARE(
        QString::fromStdString(rendered(found)),
        QString("old.json:4: /parameters/cfl: warning: 'cfl' is called 'courant' now; the former name is still read\n"
                "  Write 'courant'.\n"));
    QVERIFY(!has_errors(found));
    QCOMPARE(resolved["parameters"]["courant"].get<double>(), 0.25);
    QVERIFY(!resolved["parameters"].contains("cfl"));
    // Bounds hold under either name; the two beside each other do not go.
    QVERIFY(has_errors(validate(text("\"courant_number\": 2"), schema)));
    QVERIFY(has_errors(validate(text("\"cfl\": 0.25, \"courant\": 0.3"), schema)));
    found = validate(text("\"old\": 1"), schema);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(!has_errors(found));
    QCOMPARE(found[0].hint, std::string("Leave it out: it has no effect."));
    QVERIFY(validate(text(""), schema).empty());
    // A key is known by all its names, and what is set takes the place of what stands under another.
    QCOMPARE(schema.node("/parameters/cfl", Json())["default"].get<double>(), 0.5);
    for (const char* name : {"cfl", "courant", "courant_number"})
      for (const char* before : {"\"cfl\": 0.25", "\"courant\": 0.25", "\"courant_number\": 0.25", ""}) {
        CaseDocument document = text(before);
        QVERIFY(set_by_any_name(document, schema, std::string("parameters.") + name, "0.125").ok());
        QCOMPARE(compact_json(document.json()["parameters"]), "{\"" + std::string(name) + "\":0.125}");
        QVERIFY(!has_errors(validate_and_resolve(document, schema, resolved)));
        QCOMPARE(resolved["parameters"]["courant"].get<double>(), 0.125);
      }
    // A sweep sets one key at many points: before, the case calls it as the sweep does.
    for (const char* name : {"cfl", "courant"}) {
      CaseDocument base = text("\"courant_number\": 0.25");
      QVERIFY(take_names_of(base, schema, std::string("/parameters/") + name).ok());
      QCOMPARE(compact_json(base.json()["parameters"]), "{\"" + std::string(name) + "\":0.25}");
      const auto points = expand_sweep(base, {*parse_sweep_axis(std::string("parameters.") + name + "=0.1,0.2")});
      QVERIFY(points.ok());
      for (const SweepPoint& point : *points) QVERIFY(!has_errors(validate(point.document, schema)));
    }
    CaseDocument whole = text("\"cfl\": 0.25");
    QVERIFY(!set_by_any_name(whole, schema, "parameters.courant.x", "1").ok());
    QCOMPARE(compact_json(whole.json()["parameters"]), std::string("{\"cfl\":0.25}"));
    // What lies below a former name is found there: places are those of the file, in an object, too, whose kind had another name.
    const Schema below =
        Schema::for_solver("s",
                           R"({"properties": {"mesh": false, "medium": {"type": "object", "formerly": ["materials"],
        "properties": {"speed": {"type": "number", "unit": "m/s", "minimum": 1},
          "file": {"type": "string", "file": "model"},
          "law": {"type": "object", "discriminator": "kind", "properties": {"kind": {"default": "gas", "formerly": ["model"]}},
            "variants": {"gas": {"properties": {"gamma": {"type": "number"}}}, "liquid": {"properties": {"stiffness": {"type": "number"}}}}},
          "at": {"type": "object", "list": "values", "properties": {"values": {"type": "array", "items": {"type": "number", "unit": "Hz"}}}}}}}})")
            .value();
    CaseDocument under = *CaseDocument::parse(
        "{\"conoid\": 1, \"solver\": \"s\",\n\"materials\": {\n\"speed\": 0.5, \"file\": \"a.bin\",\n\"law\": "
        "{\"model\": \"liquid\", \"stiffness\": 3}, \"at\": [1, \"2 kHz\"]}}",
        "old.json");
    found = validate_and_resolve(under, below, resolved);
    QVERIFY(std::any_of(found.begin(), found.end(), [](const Diagnostic& d) {
      return d.severity == Severity::error && d.place.pointer == "/materials/speed" && d.place.line == 3;
    }));
    QVERIFY(std::any_of(found.begin(), found.end(), [](const Diagnostic& d) {
      return d.severity == Severity::warning && d.place.pointer == "/materials/law/model" && d.place.line == 4;
    }));
    QCOMPARE(found.size(), std::size_t{3});
    QVERIFY(under.set("materials.speed", "2").ok());
    QVERIFY(!has_errors(validate_and_resolve(under, below, resolved)));
    QCOMPARE(resolved["medium"]["law"]["kind"].get<std::string>(), std::string("liquid"));
    QCOMPARE(resolved["medium"]["law"]["stiffness"].get<double>(), 3.0);
    QCOMPARE(resolved["medium"]["at"]["values"].get<std::vector<double>>(), (std::vector<double>{1, 2000}));
    QCOMPARE(files_of(under, below).front().pointer, std::string("/materials/file"));
    QCOMPARE(below.node("/materials/law/stiffness", under.json())["type"].get<std::string>(), std::string("number"));
    std::vector<FormerName> renamed;
    const Json present = with_present_names(under.json(), below, &renamed);
    QCOMPARE(renamed.size(), std::size_t{2});
    QVERIFY(validate(CaseDocument::from_json(present, "new.json"), below).empty());
    QCOMPARE(compact_json(present["medium"]["at"]), std::string(R"({"values":[1,"2 kHz"]})"));
    // Names that are not texts are a slip of the schema.
    QVERIFY(!Schema::for_solver("s", R"({"properties": {"a": {"type": "number", "formerly": [1]}}})").ok());
  }

  void nearest_finds_typing_slips_only() {
    const std::vector<std::string> known = {"frequency", "angle", "time_step", "order", "x"};
    QCOMPARE(nearest("frequncy", known), std::string("frequency"));
    QCOMPARE(nearest("Frequency", known), std::string("frequency"));
    QCOMPARE(nearest("fruqeency", known), std::string("frequency"));
    QCOMPARE(nearest("freq", known), std::string("frequency"));
    QCOMPARE(nearest("timestep", known), std::string("time_step"));
    QCOMPARE(nearest("time-step", known), std::string("time_step"));
    QCOMPARE(nearest("oder", known), std::string("order"));
    QCOMPARE(nearest("colour", known), std::string());
    QCOMPARE(nearest("y", known), std::string());
    QCOMPARE(nearest("", known), std::string());
    QCOMPARE(nearest(std::string(1'000'000, 'f'), known), std::string());
  }
};

QTEST_APPLESS_MAIN(TestValidate)
#include "test_validate.moc"
