// SPDX-License-Identifier: BSD-3-Clause
// Schemas: what a solver lays over the common part, what is refused as a bug of its file, and what can be
// asked of it.
// labels: unit
#include "engine/case/case.hpp"
#include "engine/case/schema.hpp"
#include "tests/engine/case/sample.hpp"

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>
#include <algorithm>

using namespace conoid;

class TestSchema : public QObject {
  Q_OBJECT

 private slots:
  void the_common_part_stands_alone() {
    const auto schema = Schema::for_solver("", "{}");
    QVERIFY2(schema.ok(), schema.ok() ? "" : schema.error().render().c_str());
    for (const char* section : {"conoid", "title", "solver", "mesh", "output", "compute"})
      QVERIFY2(schema->json()["properties"].contains(section), section);
    const auto d = CaseDocument::parse(R"({"conoid": 1, "solver": "anything"})", "c");
    QVERIFY(!has_errors(validate(*d, *schema)));
    const auto c = Case::resolve(*d, *schema);
    QVERIFY(c.ok());
    QCOMPARE((*c)["output"]["checkpoints"]["every_seconds"].number(), 600.0);
    QCOMPARE((*c)["output"]["checkpoints"]["keep"].integer(), Index{2});
    QCOMPARE((*c)["compute"]["workers"].text(), std::string("auto"));
    QCOMPARE((*c)["compute"]["precision"].text(), std::string("double"));
    QCOMPARE((*c)["compute"]["deterministic"].boolean(), false);
    QVERIFY(!c->values().has("mesh"));
  }

  void sections_are_added_and_common_ones_merged() {
    const Schema schema = good_schema();
    const Json& p = schema.json()["properties"];
    QVERIFY(p.contains("grid"));
    QVERIFY(p["mesh"]["properties"].contains("file"));   // from the common part
    QVERIFY(p["mesh"]["properties"].contains("order"));  // from the solver
    QCOMPARE(p["compute"]["properties"]["precision"]["default"].get<std::string>(), std::string("single"));
    QVERIFY(p["compute"]["properties"]["precision"].contains("enum"));
    const Json& frames = p["output"]["properties"]["frames"];
    QVERIFY(!frames["properties"].contains("interval"));
    QCOMPARE(json_text(frames["exclusive"]), std::string(R"([["every", "count"]])"));
    QCOMPARE(json_text(p["solver"]["enum"]), std::string(R"(["sample-waves"])"));
    QVERIFY(schema.json()["required"].size() == 3);
    // The order of forms and pages: the problem first, then what is kept, then how it is computed.
    std::vector<std::string> order;
    for (const auto& [name, node] : p.items()) order.push_back(name);
    QCOMPARE(order[order.size() - 2], std::string("output"));
    QCOMPARE(order.back(), std::string("compute"));
  }

  void false_removes_a_section() {
    const auto schema = Schema::for_solver("s", R"({"properties": {"mesh": false}})");
    QVERIFY(schema.ok());
    const auto d = CaseDocument::parse(R"({"conoid": 1, "solver": "s", "mesh": {"file": "a.msh"}})", "c");
    const auto found = validate(*d, *schema);
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY(found[0].text.find("unknown key 'mesh'") != std::string::npos);
  }

  void bugs_data() {
    QTest::addColumn<QString>("parameters");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* property, const char* message) {
      QTest::addRow("%s", name) << QString(R"({"properties": {"x": %1}})").arg(QString::fromUtf8(property)) << message;
    };
    row("no type", R"({"default": 1})", "/x: type must be");
    row("wrong type", R"({"type": "float"})", "type must be");
    row("unknown keyword", R"({"type": "number", "minimun": 1})", "unknown keyword 'minimun'");
    row("unknown unit", R"({"type": "number", "unit": "furlong"})", "unknown unit 'furlong'");
    row("bad default", R"({"type": "number", "minimum": 2, "default": 1})", "the default does not hold");
    row("bad default unit", R"({"type": "number", "unit": "m", "default": "1 s"})", "the default does not hold");
    row("bad bound", R"({"type": "number", "unit": "m", "minimum": "1 s"})", "minimum is no number");
    row("no items", R"({"type": "array"})", "a list needs items");
    row("bad items", R"({"type": "array", "items": {"type": "q"}})", "/x/*: type must be");
    row("required unknown", R"({"type": "object", "required": ["a"], "properties": {}})", "required names");
    row("no discriminator", R"({"type": "object", "variants": {"a": {}}})", "belong together");
    row("empty variants", R"({"type": "object", "discriminator": "k", "variants": {}})", "one or more");
    row("bad in variant",
        R"({"type": "object", "discriminator": "k", "variants": {"a": {"properties": {"z": {"type": "number", "unit": "q"}}}}})",
        "/x<a>/z: unknown unit");
    row("discriminator no object",
        R"({"type": "object", "discriminator": "k", "properties": {"k": [1]}, "variants": {"a": {}}})", "no object");
    row("discriminator default",
        R"({"type": "object", "discriminator": "k", "properties": {"k": {"default": "b"}}, "variants": {"a": {}}})",
        "/x/k: the default does not hold");
    row("nested variants",
        R"({"type": "object", "discriminator": "k", "variants": {"a": {"map": {"type": "string"}}}})",
        "plain properties only");
    row("map with properties", R"({"type": "object", "map": {"type": "string"}, "properties": {}})",
        "map stands alone");
    row("empty enum", R"({"type": "string", "enum": []})", "enum must be a list");
    row("bad pattern", "{\"type\": \"string\", \"pattern\": \"[\"}", "no regular expression");
    row("bad file", R"({"type": "string", "file": "picture"})", "file must be");
    row("flag", R"({"type": "string", "live": "yes"})", "live must be true or false");
    row("exclusive", R"({"type": "object", "exclusive": [["a", "b"]], "properties": {}})", "exclusive names");
    row("not an object", "3", "/x: expected an object");
    QTest::newRow("syntax") << "{\n\"properties\": {,}}"
                            << "line 2, column 16";
    QTest::newRow("list") << "[]"
                          << "expected an object at the top";
    QTest::newRow("replaces solver") << R"({"properties": {"solver": {"type": "string"}}})"
                                     << "cannot be replaced";
  }
  void bugs() {
    QFETCH(QString, parameters);
    QFETCH(QString, message);
    const auto schema = Schema::for_solver("s", parameters.toStdString());
    QVERIFY(!schema.ok());
    QVERIFY(schema.error().code == ErrorCode::internal);
    QVERIFY2(schema.error().text.find(message.toStdString()) != std::string::npos, schema.error().render().c_str());
  }

  void finds_nodes() {
    const Schema schema = good_schema();
    const CaseDocument d = good_document();
    const auto unit = [&](const char* pointer) {
      const Json node = schema.node(pointer, d.json());
      return node.contains("unit") ? node["unit"].get<std::string>()
                                   : std::string(node.is_null() ? "(none)" : "(no unit)");
    };
    QCOMPARE(unit("/grid/spacing"), std::string("m"));
    QCOMPARE(unit("/grid/origin/2"), std::string("m"));
    QCOMPARE(unit("/materials/steel/speed"), std::string("m/s"));
    QCOMPARE(unit("/materials/*/density"), std::string("kg/m^3"));
    QCOMPARE(unit("/excitation/frequency"), std::string("Hz"));
    QCOMPARE(unit("/excitation/file"), std::string("(none)"));  // belongs to the other variant
    QCOMPARE(unit("/boundaries/1/loss"), std::string("dB"));
    QCOMPARE(unit("/boundaries/0/loss"), std::string("(none)"));
    QCOMPARE(unit("/boundaries/0/group"), std::string("(no unit)"));
    QCOMPARE(unit("/nothing"), std::string("(none)"));
    QCOMPARE(unit("/grid/spacing/x"), std::string("(none)"));
    QCOMPARE(unit("/boundaries/x"), std::string("(none)"));
    const Json kind = schema.node("/boundaries/2/kind", d.json());
    QCOMPARE(json_text(kind["enum"]), std::string(R"(["rigid", "sponge", "impedance"])"));
    QCOMPARE(kind["description"].get<std::string>(), std::string("What the boundary does."));
    QCOMPARE(schema.node("", d.json()), schema.json());
  }

  void lists_all_fields() {
    const auto fields = good_schema().fields();
    const auto find = [&](std::string_view pointer) {
      return std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.first == pointer; });
    };
    for (const char* pointer : {"/conoid", "/grid/size", "/grid/spacing", "/materials/*/speed", "/boundaries/*/kind",
                                "/boundaries/*/loss", "/excitation/kind", "/excitation/file", "/output/frames/every",
                                "/output/receivers/*/position", "/compute/memory/host", "/regions/*"})
      QVERIFY2(find(pointer) != fields.end(), pointer);
    QVERIFY(find("/grid") == fields.end());
    QCOMPARE(find("/boundaries/*/loss")->second["when"].get<std::string>(), std::string("kind = sponge"));
    QVERIFY(find("/grid/spacing")->second["mandatory"].get<bool>());
    QVERIFY(!find("/grid/size")->second.contains("mandatory"));
  }

  void effective_object_follows_the_choice() {
    const Schema schema = good_schema();
    const Json node = schema.json()["properties"]["boundaries"]["items"];
    const Json sponge = effective_object(node, Json{{"kind", "sponge"}});
    QVERIFY(sponge["properties"].contains("width"));
    QVERIFY(sponge["properties"].contains("group"));
    QCOMPARE(sponge["properties"].begin().key(), std::string("kind"));
    QCOMPARE(json_text(sponge["required"]), std::string(R"(["width"])"));
    const Json none = effective_object(node, Json{{"kind", "nonsense"}});
    QVERIFY(none["properties"].contains("group"));
    QVERIFY(!none["properties"].contains("width"));
  }

  void describes_fields_in_words() {
    const Schema schema = good_schema();
    const CaseDocument d = good_document();
    const auto words = [&](const char* pointer) { return describe(schema.node(pointer, d.json())); };
    QCOMPARE(words("/excitation/frequency"), std::string("a number in Hz, at least 1 Hz and at most 1.2 GHz"));
    QCOMPARE(words("/grid/origin"), std::string("a list of 3 numbers in m"));
    QCOMPARE(words("/parameters/scheme"), std::string("one of 'leapfrog' or 'lax-wendroff'"));
    QCOMPARE(words("/parameters/time_step"), std::string("a number in s or 'auto', above 0 s"));
    QCOMPARE(words("/mesh/file"), std::string("the name of a mesh file"));
    QCOMPARE(words("/materials"), std::string("an object { } of named entries"));
  }

  void manual_names_every_field() {
    const Schema schema = good_schema();
    const std::string page = schema.manual();
    for (const auto& [pointer, node] : schema.fields())
      QVERIFY2(page.find(pointer + "\n") != std::string::npos || page.find(pointer + "   (if") != std::string::npos,
               pointer.c_str());
    QVERIFY(page.find("default 1.5 km/s") != std::string::npos);
    QVERIFY(page.find("Frequency of the maximum of the spectrum.") != std::string::npos);
    QVERIFY(page.find("(if kind = sponge)") != std::string::npos);
    QVERIFY(page.find("may be changed during a run") != std::string::npos);
    std::size_t begin = 0;
    while (begin < page.size()) {
      const std::size_t end = page.find('\n', begin);
      QVERIFY(end - begin <= 100);
      begin = end + 1;
    }
  }

  void sees_what_changed_and_whether_it_is_live() {
    const Schema schema = good_schema();
    const CaseDocument before = good_document();
    CaseDocument after = before;
    QVERIFY(changes(before, after, schema).pointers.empty());
    QVERIFY(after.set("excitation.angle", "10 deg").ok());
    QVERIFY(after.set("parameters.free_surface", "true").ok());
    auto c = changes(before, after, schema);
    QCOMPARE(c.pointers, (std::vector<std::string>{"/excitation/angle", "/parameters/free_surface"}));
    QVERIFY(c.all_live);
    QVERIFY(after.set("grid.size.1", "21").ok());
    c = changes(before, after, schema);
    QCOMPARE(c.pointers.size(), std::size_t{3});
    QVERIFY(!c.all_live);
    QVERIFY(!changes(after, before, schema).all_live);
  }
};

QTEST_APPLESS_MAIN(TestSchema)
#include "test_schema.moc"
