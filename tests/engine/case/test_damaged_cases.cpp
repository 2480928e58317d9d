// SPDX-License-Identifier: BSD-3-Clause
// No case file crashes the program: the fuzz corpus and thousands of random damages of good cases through the
// target.
// labels: unit fuzz rows
#include "engine/core/atomic_file.hpp"
#include "tests/all_rows.hpp"
#include "tests/fuzz/fuzz_case.cpp"

#include <QFloat16>  // <QTest> only declares it, and JSON asks what it can become
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <random>

namespace fs = std::filesystem;

namespace {
// One of so many: under the address sanitizer each takes twenty times as long, and the default run leaves the rest to the gate.
std::size_t one_case_of() {
#if defined(__SANITIZE_ADDRESS__)
  return 10;
#else
  return conoid::all_rows() ? 1 : 4;
#endif
}
}  // namespace

class TestDamagedCases : public QObject {
  Q_OBJECT

  static void feed(const std::string& text) {
    // A copy of exactly its size on the heap, so that a sanitizer sees a read past the end.
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }

  static std::vector<std::string> corpus() {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(CONOID_TEST_DATA) / "fuzz" / "case"))
      files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> texts;
    for (const auto& file : files) {
      texts.push_back(conoid::read_file(file).value());
    }
    return texts;
  }

 private slots:
  void the_corpus_passes() {
    const auto texts = corpus();
    QVERIFY(texts.size() >= 20);
    for (const auto& text : texts) feed(text);
  }

  void the_good_seeds_are_good() {
    using namespace conoid;
    for (const char* name : {"good.json", "minimal.json"}) {
      const auto d = CaseDocument::read(fs::path(CONOID_TEST_DATA) / "fuzz" / "case" / name);
      QVERIFY(d.ok());
      const auto c = Case::resolve(*d, sample_schema());
      QVERIFY2(c.ok(), c.ok() ? "" : c.error().render().c_str());
    }
  }

  void every_truncation_passes() {
    const std::string good(conoid::sample::good_case);
    for (std::size_t n = 0; n <= good.size(); ++n) feed(good.substr(0, n));
  }

  void every_byte_may_be_missing_or_wrong() {
    const std::string good(conoid::sample::good_case);
    for (std::size_t i = 0; i < good.size(); i += one_case_of()) {
      std::string text = good;
      text.erase(i, 1);
      feed(text);
      for (const char c : {'"', '}', '9', '\xff'}) {
        text = good;
        text[i] = c;
        feed(text);
      }
    }
  }

  void random_damage_passes() {
    std::mt19937 random(20240229);
    const auto pick = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
    const std::vector<std::string> texts = corpus();
    static const std::vector<std::string> pieces = {"{",
                                                    "}",
                                                    "[",
                                                    "]",
                                                    ",",
                                                    ":",
                                                    "\"",
                                                    "\\",
                                                    "\\u",
                                                    "//",
                                                    "/*",
                                                    "*/",
                                                    "null",
                                                    "true",
                                                    "1e999",
                                                    "-",
                                                    "1e-9",
                                                    "\"1 GHz\"",
                                                    "\"kind\"",
                                                    "\n",
                                                    "\xc3",
                                                    "1.5",
                                                    "\"\"",
                                                    "{}",
                                                    "[]",
                                                    "\"mesh\":",
                                                    "\"default\":",
                                                    "9999999999999999999"};
    for (std::size_t i = 0; i < 4000; i += one_case_of()) {
      std::string text = texts[pick(texts.size())];
      for (std::size_t k = 1 + pick(4); k > 0; --k) {
        const std::size_t at = pick(text.size() + 1);
        const std::size_t length = std::min(text.size() - at, pick(40));
        switch (pick(6)) {
          case 0:
            if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << pick(8)));
            break;
          case 1: text.resize(at); break;
          case 2: text.insert(pick(text.size() + 1), text.substr(at, length)); break;
          case 3: text.erase(at, length); break;
          case 4: text.insert(at, pieces[pick(pieces.size())]); break;
          default: {
            const std::string& other = texts[pick(texts.size())];
            text.insert(at, other.substr(pick(other.size() + 1), pick(60)));
          }
        }
      }
      feed(text);
    }
  }

  void damaged_trees_pass() {
    // Damage that keeps the JSON whole reaches deeper into the checks than damaged text does.
    using namespace conoid;
    std::mt19937 random(4);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const Json good = CaseDocument::parse(sample::good_case, "").value().json();
    std::vector<std::string> pointers;
    const Json flat = good.flatten();
    for (const auto& [pointer, value] : flat.items()) pointers.push_back(pointer);
    const std::vector<Json> values = {nullptr,
                                      true,
                                      -1,
                                      0,
                                      7,
                                      1e300,
                                      -0.0,
                                      0.5,
                                      UINT64_MAX,
                                      INT64_MIN,
                                      "",
                                      "x",
                                      "1 m",
                                      "1 Hz",
                                      "ricker",
                                      "auto",
                                      std::string(2000, 'a'),
                                      Json::array(),
                                      Json::object(),
                                      Json::array({1, 2, 3}),
                                      Json{{"kind", "sponge"}},
                                      Json{{"", ""}}};
    int valid = 0;
    for (std::size_t i = 0; i < 4000; i += one_case_of()) {
      CaseDocument d = CaseDocument::from_json(good, "case.json");
      for (std::size_t k = 1 + pick(3); k > 0; --k) {
        std::string pointer = pointers[pick(pointers.size())];
        for (std::size_t up = pick(3); up > 0 && pointer.find('/', 1) != std::string::npos; --up)
          pointer.resize(pointer.rfind('/'));
        if (pick(4) == 0) pointer += "/extra";
        (void)d.set_json(pointer, values[pick(values.size())]);
      }
      valid += has_errors(validate(d, sample_schema())) ? 0 : 1;
      feed(d.to_text());
    }
    QVERIFY2(valid > 1 && valid < 3000, qPrintable(QString::number(valid)));  // both roads are travelled
  }

  void damaged_schemas_pass() {
    // A solver's file is not hostile, but a slip in it must end in a message and never in a crash.
    using namespace conoid;
    std::mt19937 random(9);
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const Json good = parse_json(sample::parameters).value();
    const Json flat = good.flatten();
    std::vector<std::string> pointers;
    for (const auto& [pointer, value] : flat.items()) pointers.push_back(pointer);
    const std::vector<Json> values = {nullptr,
                                      true,
                                      false,
                                      -1,
                                      7,
                                      0.5,
                                      "",
                                      "object",
                                      "array",
                                      "number",
                                      "string",
                                      "m",
                                      Json::array(),
                                      Json::object(),
                                      Json::array({"a", "b"}),
                                      Json::array({1}),
                                      Json{{"type", "number"}},
                                      Json{{"a", 1}}};
    const CaseDocument document = CaseDocument::parse(sample::good_case, "").value();
    int usable = 0;
    for (std::size_t i = 0; i < 3000; i += one_case_of()) {
      CaseDocument d = CaseDocument::from_json(good, "");
      std::string pointer = pointers[pick(pointers.size())];
      for (std::size_t up = pick(3); up > 0 && pointer.find('/', 1) != std::string::npos; --up)
        pointer.resize(pointer.rfind('/'));
      (void)d.set_json(pointer, values[pick(values.size())]);
      const auto schema = Schema::for_solver(sample::solver, d.to_text());
      if (!schema) continue;
      ++usable;
      (void)validate(document, *schema);
      (void)schema->manual();
      if (const auto c = Case::resolve(document, *schema)) (void)c->hash();
      (void)effective_object(schema->json(), document.json());
    }
    QVERIFY2(usable > 10 && usable < 2900, qPrintable(QString::number(usable)));
  }
};

QTEST_APPLESS_MAIN(TestDamagedCases)
#include "test_damaged_cases.moc"
