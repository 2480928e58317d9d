// SPDX-License-Identifier: BSD-3-Clause
// The frequencies of a case are spread as it says, to the bit that each solver has always had, and said once for all solvers.
// labels: unit
#include "engine/solvers/frequency_setting.hpp"

#include <QTest>

#include <cmath>

using namespace conoid;

namespace {

Schema schema_with(const char* node) {
  return Schema::for_solver("s", std::string(R"({"properties": {"mesh": false, "frequencies": )") + node + "}}")
      .value();
}

struct Read {
  std::vector<double> values;
  std::vector<Diagnostic> said;
};

Read read(const char* frequencies, StepRounding rounding = StepRounding::product_first) {
  const auto document = CaseDocument::parse(
      std::string(R"({"conoid": 1, "solver": "s", "frequencies": )") + frequencies + "}", "case.json");
  const auto input = Case::resolve(*document, schema_with(R"({"use": "frequencies"})"));
  if (!input) return {{}, {input.error()}};
  Read out;
  out.values = read_frequencies(*input, input->values()["frequencies"], rounding, out.said);
  return out;
}

}  // namespace

class TestFrequencySetting : public QObject {
  Q_OBJECT
 private slots:
  void ranges_are_spread_as_they_were() {
    const auto product = read(R"({"from": 1, "to": "1.7 kHz", "count": 38})").values,
               quotient = read(R"({"from": 1, "to": 1700, "count": 38})", StepRounding::quotient_first).values;
    QCOMPARE(product.size(), std::size_t{38});
    bool unlike = false;
    for (std::size_t k = 0; k < product.size(); ++k) {
      const auto n = static_cast<double>(k);
      QCOMPARE(product[k], 1.0 + 1699.0 * n / 37.0);
      QCOMPARE(quotient[k], 1.0 + 1699.0 * (n / 37.0));
      unlike = unlike || product[k] != quotient[k];
    }
    QVERIFY(unlike);
    QVERIFY(equally_spaced(product));
    QCOMPARE(read(R"({"from": 5})").values, std::vector<double>{5});
    QCOMPARE(read(R"({"from": 5, "to": 9})").values, std::vector<double>{5});  // one, by default
    QVERIFY(read("{}").values.empty());
  }
  void ratios_are_equal_and_their_ends_are_met() {
    const auto f = read(R"({"from": 10, "to": 1000, "count": 5, "scale": "log"})").values;
    QCOMPARE(f.size(), std::size_t{5});
    for (std::size_t k = 0; k < f.size(); ++k)
      QVERIFY(std::abs(f[k] / (10 * std::pow(10.0, 0.5 * static_cast<double>(k))) - 1) < 8e-15);
    QVERIFY(!equally_spaced(f));
  }
  void a_list_stands_for_itself() {
    const std::vector<double> wanted{3, 1000, 20};
    QCOMPARE(read(R"({"values": [3, "1 kHz", 20]})").values, wanted);
    QCOMPARE(read(R"([3, "1 kHz", 20])").values, wanted);
    QVERIFY(!equally_spaced(wanted));
  }
  void what_cannot_be_is_said() {
    QVERIFY(has_errors(read(R"({"from": 5, "to": 4, "count": 3})").said));
    QVERIFY(has_errors(read(R"({"from": 0, "to": 4, "count": 3, "scale": "log"})").said));
    // Several of one frequency, as where the end was left out: steps of 0 would be divided by.
    QVERIFY(has_errors(read(R"({"from": 5, "count": 3})").said));
    QVERIFY(has_errors(read(R"({"from": 5, "to": 5, "count": 3, "scale": "log"})").said));
    QVERIFY(read(R"({"from": 5, "to": 5, "count": 1})").said.empty());
    QVERIFY(has_errors(read(R"({"from": 1, "values": [2]})").said));
    QVERIFY(has_errors(read(R"([1, "2 m"])").said));
    QVERIFY(!Schema::for_solver("s", R"({"properties": {"a": {"use": "nothing of the kind"}}})").ok());
  }
  /// What stands beside "use" is laid over: bounds, defaults, members.
  void a_solver_lays_its_bounds_over_the_form() {
    const Schema mine = schema_with(
        R"({"use": "frequencies", "title": "Mine", "properties": {"count": {"default": 7}, "fast": {"type": "boolean", "default": true}}})");
    const Json node = mine.node("/frequencies", Json());
    QCOMPARE(node["title"].get<std::string>(), std::string("Mine"));
    QCOMPARE(node["properties"]["count"]["default"].get<int>(), 7);
    QCOMPARE(node["properties"]["count"]["minimum"].get<int>(), 1);
    QVERIFY(node["properties"].contains("fast") && node["properties"].contains("values") && !node.contains("use"));
  }
};

QTEST_APPLESS_MAIN(TestFrequencySetting)
#include "test_frequency_setting.moc"
