// SPDX-License-Identifier: BSD-3-Clause
// The case file as written: what is read, what is refused and where, edits by path, writing back.
// labels: unit
#include "engine/case/document.hpp"

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <random>

using namespace conoid;

class TestDocument : public QObject {
  Q_OBJECT

 private slots:
  void keeps_values_and_order() {
    const auto d = CaseDocument::parse(
        "{\n"
        "  \"b\": 1, \"a\": -2.5e3, \"c\": \"x\\n\\\"\\u00e9\\ud83d\\ude00\", // a comment\n"
        "  /* another\n one */\n"
        "  \"list\": [true, false, null, [], {}], \"big\": 18446744073709551615, \"min\": "
        "-9223372036854775808 }",
        "case.json");
    QVERIFY2(d.ok(), d.ok() ? "" : d.error().render().c_str());
    const Json& j = d->json();
    QCOMPARE(j.begin().key(), std::string("b"));
    QCOMPARE(j["b"].get<int>(), 1);
    QVERIFY(j["b"].is_number_integer());
    QCOMPARE(j["a"].get<double>(), -2500.0);
    QVERIFY(j["a"].is_number_float());
    QCOMPARE(j["c"].get<std::string>(), std::string("x\n\"é😀"));
    QCOMPARE(j["list"].size(), std::size_t{5});
    QCOMPARE(j["big"].get<std::uint64_t>(), UINT64_MAX);
    QCOMPARE(j["min"].get<std::int64_t>(), INT64_MIN);
  }

  void knows_the_line_of_every_value() {
    const auto d = CaseDocument::parse("{\n  \"a\": {\n    \"b\": [1,\n      2]\n  },\r\n  \"c/d\": 3\r}", "case.json");
    QVERIFY(d.ok());
    QCOMPARE(d->place("").line, 1L);
    QCOMPARE(d->place("/a").line, 2L);
    QCOMPARE(d->place("/a/b").line, 3L);
    QCOMPARE(d->place("/a/b/1").line, 4L);
    QCOMPARE(d->place("/c~1d").line, 6L);
    QCOMPARE(d->place("/a/b/7").line, 3L);        // no such element: the list
    QCOMPARE(d->place("/a/missing/x").line, 2L);  // no such key: the object
    QCOMPARE(d->place("/a").file, std::string("case.json"));
    QCOMPARE(d->place("/a/missing").pointer, std::string("/a/missing"));
  }

  void accepts_a_byte_order_mark() {
    const auto d = CaseDocument::parse("\xEF\xBB\xBF{\"a\": 1}", "c");
    QVERIFY(d.ok());
  }

  void refuses_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("line");
    QTest::addColumn<int>("column");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, QByteArray text, int line, int column, const char* message) {
      QTest::addRow("%s", name) << text << line << column << QString::fromUtf8(message);
    };
    row("comma between", "{\n \"step\": 3 x }", 2, 12, "expected ',' or '}' after the value of \"step\", found 'x'");
    row("no comma", "{\n \"a\": 1\n \"b\": 2}", 3, 2, "expected ',' or '}' after the value of \"a\", found '\"'");
    row("trailing in object", "{\"a\": 1,\n}", 2, 1, "a comma before '}'");
    row("trailing in list", "{\"a\": [1, ]}", 1, 11, "a comma before ']'");
    row("two commas", "{\"a\": [1,, 2]}", 1, 10, "expected a value, found ','");
    row("no value", "{\"a\": }", 1, 7, "expected a value, found '}'");
    row("no colon", "{\"a\" 1}", 1, 6, "expected ':' after the key \"a\", found '1'");
    row("bare key", "{a: 1}", 1, 2, "expected a key in double quotes, found 'a'");
    row("single quotes", "{'a': 1}", 1, 2, "expected a key in double quotes, found a single quote");
    row("duplicate", "{\"a\": 1,\n\"b\": 2,\n\"a\": 3}", 3, 1, "the key \"a\" occurs twice; it first stands in line 1");
    row("duplicate by escape", "{\"a\": 1, \"\\u0061\": 3}", 1, 10, "the key \"a\" occurs twice");
    row("unclosed object", "{\"a\": {\"b\": 1", 1, 14,
        "expected ',' or '}' after the value of \"b\", found the end of the text");
    row("unclosed list", "{\"a\": [1, 2", 1, 12, "expected ',' or ']' after element 2 of the list, found the end");
    row("unclosed text", "{\"a\": \"xyz\n}", 1, 7, "the text that begins here is never closed");
    row("unclosed comment", "{\n  /* \"a\": 1}\n", 2, 3, "the comment that begins here is never closed");
    row("wrong bracket", "{\"a\": [1}}", 1, 9, "expected ',' or ']' after element 1 of the list, found '}'");
    row("text after the end", "{}\n{}", 2, 1, "expected the end of the text after the last bracket, found '{'");
    row("empty", "", 1, 1, "the text is empty");
    row("only a comment", "// nothing", 1, 11, "the text is empty");
    row("not an object", "[1]", 1, 0, "expected an object in braces { } at the top, found a list");
    row("unknown word", "{\"a\": yes}", 1, 7, "expected a value, found 'yes'");
    row("python", "{\"a\": True}", 1, 7, "found 'True'");
    row("nan", "{\"a\": NaN}", 1, 7, "expected a finite number, found 'NaN'");
    row("infinity", "{\"a\": -Infinity}", 1, 7, "'-Infinity'");
    row("leading zero", "{\"a\": 012}", 1, 7, "a number must not begin with 0");
    row("leading point", "{\"a\": .5}", 1, 7, "a digit must come first");
    row("trailing point", "{\"a\": 5.}", 1, 7, "a digit must follow the point");
    row("leading plus", "{\"a\": +5}", 1, 7, "found '+5'");
    row("exponent", "{\"a\": 5e}", 1, 7, "digits must follow the e");
    row("bare unit", "{\"a\": 5mm}", 1, 7, "a quantity with a unit is written as text");
    row("bare unit apart", "{\"a\": 5 mm}", 1, 9, "expected ',' or '}' after the value of \"a\", found 'mm'");
    row("hexadecimal", "{\"a\": 0x10}", 1, 7, "found '0x10'");
    row("overflow", "{\"a\": 1e999}", 1, 7, "outside the range of double precision");
    row("lone minus", "{\"a\": -}", 1, 7, "a digit must come first");
    row("bad escape", "{\"a\": \"C:\\dir\"}", 1, 11, "after a backslash, found 'dir'");
    row("bad hex", "{\"a\": \"\\u12g4\"}", 1, 12, "expected four hexadecimal digits");
    row("half pair", "{\"a\": \"\\ud800x\"}", 1, 14, "without its second half");
    row("second half", "{\"a\": \"\\udc00\"}", 1, 14, "without its first half");
    row("tab in text", "{\"a\": \"x\ty\"}", 1, 9, "a control character inside a text, the byte 0x09");
    row("latin-1", "{\"a\": \"\xe9\"}", 1, 8, "not valid UTF-8 here, found the byte 0xe9");
    row("latin-1 in a comment", "{\n// \xe9\n}", 2, 4, "not valid UTF-8");
    row("overlong", "{\"a\": \"\xc0\x80\"}", 1, 8, "not valid UTF-8");
    row("surrogate in UTF-8", "{\"a\": \"\xed\xa0\x80\"}", 1, 8, "not valid UTF-8");
    row("UTF-16", QByteArray("\xff\xfe{\0", 4), 1, 1, "UTF-16");
    row("zero byte", QByteArray("{\0}", 3), 1, 2, "the byte 0x00");
    row("column in characters", "{\"é😀\": 1 x}", 1, 10, "found 'x'");
    row("binary",
        QByteArray("\x7f"
                   "ELF\x02\x01",
                   6),
        1, 1, "expected a value, found the byte 0x7f");
  }
  void refuses() {
    QFETCH(QByteArray, text);
    QFETCH(int, line);
    QFETCH(int, column);
    QFETCH(QString, message);
    const auto d = CaseDocument::parse({text.constData(), static_cast<std::size_t>(text.size())}, "case.json");
    QVERIFY(!d.ok());
    const Error& e = d.error();
    QVERIFY2(e.text.find(message.toStdString()) != std::string::npos, e.render().c_str());
    QCOMPARE(e.place.line, static_cast<long>(line));
    QCOMPARE(e.place.file, std::string("case.json"));
    if (column > 0) QVERIFY2(e.text.starts_with("column " + std::to_string(column) + ": "), e.render().c_str());
    QVERIFY(e.code == ErrorCode::invalid_input);
  }

  void renders_like_a_compiler() {
    const auto d = CaseDocument::parse("{\n \"step\": 3 x }", "case.json");
    QCOMPARE(d.error().render(),
             std::string("case.json:2: column 12: expected ',' or '}' after the value of \"step\", found 'x'"));
  }

  void depth_is_bounded() {
    const auto nested = [](int n) {
      return "{\"a\": " + std::string(static_cast<std::size_t>(n), '[') +
             std::string(static_cast<std::size_t>(n), ']') + "}";
    };
    QVERIFY(CaseDocument::parse(nested(199), "c").ok());
    const auto deep = CaseDocument::parse(nested(200), "c");
    QVERIFY(!deep.ok());
    QVERIFY(deep.error().text.find("deeper than 200") != std::string::npos);
    QVERIFY(!CaseDocument::parse(std::string(1'000'000, '['), "c").ok());
    QVERIFY(!CaseDocument::parse("{\"a\":" + std::string(1'000'000, '{'), "c").ok());
  }

  void count_of_values_is_bounded() {
    std::string text = "{\"a\": [0";
    for (int i = 0; i < 1'000'000; ++i) text += ",0";
    text += "]}";
    const auto d = CaseDocument::parse(text, "c");
    QVERIFY(!d.ok());
    QVERIFY(d.error().text.find("more than 1000000 values") != std::string::npos);
  }

  void size_is_bounded() {
    const std::string text(CaseDocument::max_bytes + 1, ' ');
    const auto d = CaseDocument::parse(text, "c");
    QVERIFY(!d.ok());
    QVERIFY(d.error().text.find("at most 64 MiB") != std::string::npos);
  }

  void many_keys_take_no_square_of_time() {
    // 3·10^5 keys: a search from the front for each would be 4.5·10^10 comparisons, minutes; the default test
    // limit ends it.
    std::string text = "{";
    for (int i = 0; i < 300'000; ++i) {
      text += i == 0 ? "\"k" : ",\"k";
      text += std::to_string(i);
      text += "\":0";
    }
    text += "}";
    const auto d = CaseDocument::parse(text, "c");
    QVERIFY(d.ok());
    QCOMPARE(d->json().size(), std::size_t{300'000});
    QVERIFY(!CaseDocument::parse("{\"" + std::string(1001, 'k') + "\": 1}", "c").ok());
  }

  void set_by_path() {
    auto d = *CaseDocument::parse(R"({"a": {"b": [1, 2]}, "name": "x"})", "c");
    const auto set = [&](const char* path, const char* value) {
      const auto status = d.set(path, value);
      QVERIFY2(status.ok(), status.ok() ? "" : status.error().render().c_str());
    };
    set("a.b.0", "7");
    set("/a/b/2", "3.5");
    set("a.c.d", "true");
    set("excitation.frequency", "2 GHz");
    set("name", "\"quoted\"");
    set("list.0.x", "[1, 2]");
    set("a~1b.c", "1");
    set("/x~1y/z", "1");
    QCOMPARE(json_text(d.json()), std::string(R"({"a": {"b": [7, 2, 3.5], "c": {"d": true}}, "name": "quoted", )"
                                              R"("excitation": {"frequency": "2 GHz"}, "list": [{"x": [1, 2]}], )"
                                              R"("a~1b": {"c": 1}, "x/y": {"z": 1}})"));
    set("a.b.1", "null");
    set("a.c", "null");
    set("never.was", "null");
    QCOMPARE(json_text(*d.find("/a")), std::string(R"({"b": [7, 3.5]})"));
    QVERIFY(d.find("/never") == nullptr);
  }

  void set_keeps_the_lines_of_the_rest() {
    auto d = *CaseDocument::parse("{\n\"a\": 1,\n\"b\": [1,\n2,\n3],\n\"c\": 4\n}", "c");
    QVERIFY(d.set("b.0", "null").ok());
    QCOMPARE(d.place("/b/0").line, 4L);
    QCOMPARE(d.place("/b/1").line, 5L);
    QVERIFY(d.set("a", "null").ok());
    QCOMPARE(d.place("/c").line, 6L);
    QVERIFY(d.set("new", "1").ok());
    QCOMPARE(d.place("/new").line, 1L);
    QVERIFY(d.set("b.1.x", "1").error().code == ErrorCode::command_line);
    QCOMPARE(d.place("/b/1").line, 5L);
    const CaseDocument before = d;
    QVERIFY(d.set("b", "[9, 9]").ok());
    QCOMPARE(d.place("/b/1").line, 3L);
    QCOMPARE(before.place("/b/1").line, 5L);  // a copy is not changed by what is done to the other
  }

  void set_refuses_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty path") << ""
                                << "1"
                                << "found nothing";
    QTest::newRow("empty step") << "a..b"
                                << "1"
                                << "empty step";
    QTest::newRow("trailing point") << "a."
                                    << "1"
                                    << "empty step";
    QTest::newRow("root") << "/"
                          << "1"
                          << "empty step";
    QTest::newRow("through a number") << "n.x"
                                      << "1"
                                      << "/n is a number; it has no member 'x'";
    QTest::newRow("through a text") << "s.x"
                                    << "1"
                                    << "/s is a text";
    QTest::newRow("index too large") << "l.3"
                                     << "1"
                                     << "expected an index from 0 to 2 in the list /l, found '3'";
    QTest::newRow("no index") << "l.x"
                              << "1"
                              << "found 'x'";
    QTest::newRow("negative") << "l.-1"
                              << "1"
                              << "found '-1'";
    QTest::newRow("leading zero") << "l.01"
                                  << "1"
                                  << "found '01'";
    QTest::newRow("huge index") << "l.99999999999999999999"
                                << "1"
                                << "expected an index";
    QTest::newRow("remove past the end") << "l.2"
                                         << "null"
                                         << "expected an index from 0 to 1";
    QTest::newRow("damaged list") << "l"
                                  << "[1, 2"
                                  << "damaged JSON";
    QTest::newRow("damaged object") << "l"
                                    << "{\"a\":}"
                                    << "damaged JSON";
    QTest::newRow("damaged text") << "l"
                                  << "\"abc"
                                  << "damaged JSON";
  }
  void set_refuses() {
    QFETCH(QString, path);
    QFETCH(QString, value);
    QFETCH(QString, message);
    auto d = *CaseDocument::parse(R"({"n": 1, "s": "x", "l": [1, 2]})", "c");
    const std::string before = d.to_text();
    const auto status = d.set(path.toStdString(), value.toStdString());
    QVERIFY(!status.ok());
    QVERIFY2(status.error().text.find(message.toStdString()) != std::string::npos, status.error().render().c_str());
    QVERIFY(status.error().code == ErrorCode::command_line);
    QCOMPARE(d.to_text(), before);
  }

  void set_bounds_depth() {
    CaseDocument d;
    std::string path = "a";
    for (int i = 0; i < 198; ++i) path += ".a";
    QVERIFY(d.set(path, "1").ok());
    QVERIFY(!d.set(path + ".b.c", "1").ok());
    QVERIFY(!d.set("x", std::string(300, '[') + std::string(300, ']')).ok());
    QVERIFY(!d.set("x", "\xff").ok());
  }

  void writes_what_it_reads() {
    auto d = *CaseDocument::parse(
        R"({"conoid":1,"grid":{"size":[1,2,3],"spacing":"5 mm"},"pts":[[0,0,1.5],[1e-7,2e20,3.0]],"e":{},"l":[],
            "objects":[{"a":1},{"b":[]}]})",
        "c");
    QVERIFY(d.set_json("/s", "\x01\t\"\\é").ok());
    const std::string text = d.to_text();
    QCOMPARE(text, std::string(R"({
  "conoid": 1,
  "grid": {
    "size": [1, 2, 3],
    "spacing": "5 mm"
  },
  "pts": [[0, 0, 1.5], [1e-07, 2e+20, 3.0]],
  "e": {},
  "l": [],
  "objects": [
    {
      "a": 1
    },
    {
      "b": []
    }
  ],
  "s": )") + "\"\\u0001\\t\\\"\\\\é\"\n}\n");
    const auto again = CaseDocument::parse(text, "c");
    QVERIFY(again.ok());
    QCOMPARE(again->json(), d.json());
    QCOMPARE(again->to_text(), text);
  }

  void random_documents_survive_writing() {
    std::mt19937 random(5);
    const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::function<Json(int)> make = [&](int depth) -> Json {
      switch (pick(depth > 0 ? 8 : 6)) {
        case 0: return static_cast<std::int64_t>(random()) - 2147483648LL;
        case 1: return std::ldexp(static_cast<double>(random()), pick(200) - 100);
        case 2: return pick(2) == 0;
        case 3: return nullptr;
        case 4: {
          std::string s;
          for (int i = pick(20); i > 0; --i) s += static_cast<char>(pick(128));
          return s + "ü€😀";
        }
        case 5: return -0.0;
        case 6: {
          Json list = Json::array();
          for (int i = pick(30); i > 0; --i) list.push_back(make(depth - 1));
          return list;
        }
        default: {
          Json object = Json::object();
          for (int i = pick(8); i > 0; --i) object["k" + std::to_string(pick(100))] = make(depth - 1);
          return object;
        }
      }
    };
    for (int i = 0; i < 300; ++i) {
      Json object = Json::object();
      object["x"] = make(4);
      const auto d = CaseDocument::from_json(object, "c");
      const auto again = CaseDocument::parse(d.to_text(), "c");
      QVERIFY2(again.ok(), again.ok() ? "" : again.error().render().c_str());
      QCOMPARE(json_text(again->json()), json_text(object));
      QCOMPARE(*parse_json(json_text(object)), again->json());
    }
  }

  void writing_never_fails_on_stray_bytes() {
    const auto d = CaseDocument::from_json(Json{{"a", "x\xff\xc3"}}, "c");
    QVERIFY(CaseDocument::parse(d.to_text(), "c").ok());
  }

  void reads_and_saves_files() {
    QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "case.json";
    const auto missing = CaseDocument::read(file);
    QVERIFY(!missing.ok());
    QVERIFY(missing.error().code == ErrorCode::file);
    auto d = *CaseDocument::parse(R"({"a": 1})", file);
    QVERIFY(d.save(file).ok());
    const auto again = CaseDocument::read(file);
    QVERIFY(again.ok());
    QCOMPARE(again->json(), d.json());
    QCOMPARE(again->folder(), file.parent_path());
    QVERIFY(d.save("/nonexistent/folder/case.json").error().code == ErrorCode::file);
  }
};

QTEST_APPLESS_MAIN(TestDocument)
#include "test_document.moc"
