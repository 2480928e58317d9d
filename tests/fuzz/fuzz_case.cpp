// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any bytes as a case file. Parsing, validation, resolution, edits and writing must neither
// crash nor disagree with each other. The corpus lies in tests/data/fuzz/case; a crashing input is kept there
// under the bug's name.
// links: conoid_case
#include "engine/case/case.hpp"
#include "engine/core/units.hpp"
#include "tests/fuzz/case_sample.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

void must(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

const conoid::Schema& sample_schema() {
  static const conoid::Schema schema =
      conoid::Schema::for_solver(conoid::sample::solver, conoid::sample::parameters).value();
  return schema;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto document = CaseDocument::parse(text, "case.json");
  if (!document) {
    const Error& e = document.error();
    must(e.code == ErrorCode::invalid_input && e.place.line > 0 && e.text.size() < 1000,
         "a syntax error names its line, briefly");
  } else {
    const std::string written = document->to_text();
    const auto again = CaseDocument::parse(written, "case.json");
    must(again.ok() && again->json() == document->json(), "what is written reads back the same");

    Json resolved;
    const auto found = validate_and_resolve(*document, sample_schema(), resolved);
    must(found.size() <= 110, "the number of messages is bounded");
    for (const auto& d : found) must(!d.render().empty() && d.text.size() < 5000, "a message stays readable");
    const auto solved = Case::resolve(*document, sample_schema());
    must(solved.ok() == !has_errors(found), "resolve and validate agree");
    if (solved) {
      const auto twice = Case::resolve(CaseDocument::from_json(resolved, ""), sample_schema());
      must(twice.ok() && twice->hash() == solved->hash(), "a resolved case is a case, with the same hash");
      must(changes(*document, *document, sample_schema()).pointers.empty(), "a case does not differ from itself");
    }
    (void)files_of(*document, sample_schema());
    (void)check_groups(*document, sample_schema(), {"inside", "outer"});
    // The first line as a setting.
    const std::string_view line = text.substr(0, text.find('\n')).substr(0, 500);
    const auto equals = line.find('=');
    if (equals != std::string_view::npos && document->set(line.substr(0, equals), line.substr(equals + 1)).ok())
      must(CaseDocument::parse(document->to_text(), "").ok(), "an edited document can be written and read");
  }
  // The same bytes where short texts are read.
  const std::string_view line = text.substr(0, 200);
  for (const char* unit : {"m", "Hz", "kg/m^3", "K", "dB", "B", "1"})
    if (const auto q = parse_quantity(line, unit)) {
      must(q->value - q->value == 0, "a quantity is finite");
      (void)format_quantity(q->value, unit);
    }
  if (const auto axis = parse_sweep_axis(line)) must(!axis->values.empty(), "an axis has values");
  CaseDocument blank;
  (void)blank.set(line.substr(0, line.find('=')), line);
  return 0;
}
