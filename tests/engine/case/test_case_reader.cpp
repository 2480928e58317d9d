// SPDX-License-Identifier: BSD-3-Clause
// What a solver's reader says of a case stands at another place than what it speaks of, or as another kind of error.
// labels: unit
#include "engine/case/case_reader.hpp"
#include "tests/engine/case/sample.hpp"

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>

using namespace conoid;

namespace {

Case resolved(const CaseDocument& document, const Schema& schema) {
  auto c = Case::resolve(document, schema);
  if (!c) qFatal("%s", c.error().render().c_str());
  return *c;
}

}  // namespace

class TestCaseReader : public QObject {
  Q_OBJECT

 private slots:
  void what_is_wrong_is_told_at_its_place() {
    const Case c = resolved(good_document(), good_schema());
    std::vector<Diagnostic> out;
    const CaseReader reader(c, out);
    QVERIFY(reader.has("excitation") && !reader.has("no such section"));
    reader.warn(reader["grid"]["spacing"], "short", "Make it longer.");
    QVERIFY(reader.good());
    reader.fail(reader["boundaries"].at(1), "wrong", "Right it.");
    QVERIFY(!reader.good());
    // What another part found keeps its code, and is told at the key, or where the key would be.
    reader.fail(reader["excitation"], make_error(ErrorCode::not_converged, "no answer", "Ask otherwise."));
    reader.fail_at(reader["boundaries"].at(1), "group", make_error(ErrorCode::invalid_input, "no group", ""));
    reader.fail_at(reader["excitation"], "signal", make_error(ErrorCode::invalid_input, "no signal", ""));
    reader.fail_at("mesh", make_error(ErrorCode::resources, "too big", "Take less."));
    QCOMPARE(out.size(), std::size_t{6});
    QCOMPARE(out[0].place.pointer, std::string("/grid/spacing"));
    QVERIFY(out[0].severity == Severity::warning);
    QCOMPARE(out[1].render(), std::string("case.json:19: /boundaries/1: wrong\n  Right it."));
    QVERIFY(out[2].code == ErrorCode::not_converged && out[2].place.pointer == "/excitation");
    QCOMPARE(out[2].hint, std::string("Ask otherwise."));
    QVERIFY(out[3].place.pointer == "/boundaries/1/group" && out[3].place.line == 19);
    QCOMPARE(out[4].place.pointer, std::string("/excitation/signal"));
    QCOMPARE(out[4].place.line, 22);  // of what it would be in
    QVERIFY(out[5].code == ErrorCode::resources && out[5].place.line == 6);
  }

  /// A key that was written under its former name is told under that name.
  void places_are_those_of_the_file() {
    const Schema schema =
        Schema::for_solver("s",
                           R"({"properties": {"mesh": false, "medium": {"type": "object", "formerly": ["materials"],
          "properties": {"speed": {"type": "number", "default": 1}}}}})")
            .value();
    const Case c = resolved(
        *CaseDocument::parse("{\"conoid\": 1, \"solver\": \"s\",\n\"materials\": {\n\"speed\": 2}}", "old.json"),
        schema);
    std::vector<Diagnostic> out;
    const CaseReader reader(c, out);
    reader.fail(reader["medium"]["speed"], "wrong", "");
    reader.fail_at(reader["medium"], "speed", make_error(ErrorCode::invalid_input, "wrong", ""));
    for (const Diagnostic& d : out) QVERIFY(d.place.pointer == "/materials/speed" && d.place.line == 3);
  }

  /// Columns of one name cannot be told apart; items without a name are numbered.
  void names_that_occur_again_are_told() {
    const Schema schema =
        Schema::for_solver("s",
                           R"({"properties": {"mesh": false, "places": {"type": "array", "items": {"type": "object",
          "properties": {"name": {"type": "string", "default": ""}}}}}})")
            .value();
    const Case c = resolved(*CaseDocument::parse(R"({"conoid": 1, "solver": "s", "places":
[{"name": "A"}, {}, {"name": "B"}, {}, {"name": "A"}, {"name": "A"}]})",
                                                 "names.json"),
                            schema);
    std::vector<Diagnostic> out;
    CaseReader(c, out).tell_apart(c["places"], "places");
    QCOMPARE(out.size(), std::size_t{2});
    QCOMPARE(out[0].text, std::string("places 1 and 5 are both called 'A'"));
    QVERIFY(out[0].severity == Severity::warning && out[0].place.pointer == "/places/4/name");
    QCOMPARE(out[1].text, std::string("places 1 and 6 are both called 'A'"));
  }

  void names_and_words_are_read() {
    const Case c = resolved(good_document(), good_schema());
    QCOMPARE(name_or_number(c["output"]["receivers"].at(0), "R", 7), std::string("r1"));
    CaseDocument unnamed = good_document();
    QVERIFY(unnamed.set("output.receivers.0.name", "").ok());
    const Case d = resolved(unnamed, good_schema());
    QCOMPARE(name_or_number(d["output"]["receivers"].at(0), "R", 7), std::string("R7"));
    enum class Scheme { one, two };
    QVERIFY(choice<Scheme>(c["parameters"]["scheme"], {{"lax-wendroff", Scheme::one}, {"leapfrog", Scheme::two}}) ==
            Scheme::two);
    QVERIFY_EXCEPTION_THROWN(
        static_cast<void>(choice<Scheme>(c["parameters"]["scheme"], {{"lax-wendroff", Scheme::one}})), Failure);
  }
};

QTEST_APPLESS_MAIN(TestCaseReader)
#include "test_case_reader.moc"
