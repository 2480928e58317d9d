// SPDX-License-Identifier: BSD-3-Clause
// Resources are resolved in engine/session/offer.cpp and nowhere else: who reads them elsewhere in engine/ or app/, by the case's "compute"
// or of the system, is named here, and so is who opens threads
// and who knows when frames are kept. `precision` is no resource: it is part of what is computed.
// labels: unit
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path sources_of_all = CONOID_SOURCE_DIR;

struct Rule {
  const char* what;
  std::vector<std::string> words;  ///< one of them is in every match: most lines need no expression
  std::regex pattern;
  std::set<std::string> allowed;  ///< files, and folders that end in '/'
};

/// Verification tables and benchmarks make problems of their own and size them.
bool is_allowed(const std::string& file, const Rule& rule) {
  if (file.starts_with("engine/solvers/") && file.find("/verify/") != std::string::npos) return true;
  for (const std::string& one : rule.allowed)
    if (file == one || (one.ends_with('/') && file.starts_with(one))) return true;
  return false;
}

const std::vector<Rule>& rules() {
  static const std::string offer = "engine/session/offer.cpp";
  static const std::vector<Rule> all = {
      // However it is reached: ["compute"], at("compute"), find("compute"), "/compute/…". Of it `precision` may be asked for alone; the
      // others named here put sections in their order.
      {"reads \"compute\" of a case",
       {"\"compute\"", "\"/compute"},
       std::regex("\"compute\"(?!\\]\\[\"precision\"\\])|\"/compute(?!/precision\")[/\"]"),
       {offer, "engine/case/schema.cpp", "app/panels/sections.cpp", "app/panels/case_panel.cpp"}},
      {"edits \"compute\" of a case",
       {"\"compute."},
       std::regex("\"compute\\.(workers|threads|memory|deterministic|balancer)"),
       {}},
      {"asks what memory the machine has free",
       {"free_memory"},
       std::regex("\\bfree_memory\\b(?!\\()"),
       {offer, "engine/team/", "engine/cli/machine_text.cpp", "engine/cli/solver_rows.cpp",
        "engine/solvers/test_run.hpp"}},
      {"counts the machine's cores",
       {"this_machine().cores", "hardware_concurrency"},
       std::regex("this_machine\\(\\)\\.cores|hardware_concurrency"),
       {offer, "engine/team/", "engine/session/slowness.hpp", "engine/mesh/gmsh.cpp",
        "render/capture/film_writer.cpp"}},
      {"reads OMP_NUM_THREADS or SLURM_CPUS_PER_TASK",
       {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"},
       std::regex("\"(OMP_NUM_THREADS|SLURM_CPUS_PER_TASK)\""),
       {offer, "engine/cli/verbs/manual.cpp"}},
      // Kernels whose regions are their subject: blocks of an LU that meet at barriers, loops as a paper has them.
      {"opens threads of its own (engine/team/parallel_for.hpp)",
       {"omp parallel"},
       std::regex("#\\s*pragma omp parallel"),
       {"engine/team/", "engine/linalg/dense_blocked_isa.inl", "engine/solvers/maxwell_fem/kernels/reference.cpp"}},
      // FrameMarks (engine/solvers/frame_marks.hpp) says where one is due, frame_rule.hpp what the case says of it.
      {"reads when frames are kept",
       {"\"frames\""},
       std::regex("\"frames\"\\]"),
       {"engine/session/", "engine/solvers/frame_rule.cpp", "engine/run/", "engine/cli/", "engine/io/", "app/"}},
      {"makes workers of words", {"parse_workers"}, std::regex("\\bparse_workers\\("), {offer, "engine/team/"}},
  };
  return all;
}

/// Without what follows "//" outside of quotes.
std::string code_of(const std::string& line) {
  bool quoted = false;
  for (std::size_t k = 0; k + 1 < line.size(); ++k) {
    if (line[k] == '\\') {
      ++k;
      continue;
    }
    if (line[k] == '"') quoted = !quoted;
    if (!quoted && line[k] == '/' && line[k + 1] == '/') return line.substr(0, k);
  }
  return line;
}

/// "file:line what" for each line that breaks a rule.
std::vector<std::string> broken_in(const std::string& file, const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  long number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    for (const Rule& rule : rules())
      if (std::ranges::any_of(rule.words, [&](const std::string& w) { return line.find(w) != std::string::npos; }) &&
          std::regex_search(code_of(line), rule.pattern) && !is_allowed(file, rule))
        out.push_back(file + ":" + std::to_string(number) + " " + rule.what);
  }
  return out;
}

}  // namespace

class TestOneOffer : public QObject {
  Q_OBJECT
 private slots:
  void rules_see_what_they_are_for() {
    const auto breaks = [](const char* code) { return broken_in("engine/solvers/x/x.cpp", code).size(); };
    QCOMPARE(breaks("s.memory = input[\"compute\"][\"memory\"][\"host\"].integer();"), std::size_t{1});
    QCOMPARE(breaks("const Values compute = input[\"compute\"];"), std::size_t{1});
    for (const char* way : {"input.json().at(\"compute\").at(\"threads\")", "document.find(\"/compute/workers\")",
                            "json.find(\"compute\")", "json.contains(\"compute\")", "values.has(\"compute\")",
                            "json.value(\"compute\", Json())", "Json::json_pointer(\"/compute\")",
                            "json.at(\"/compute/memory/host\"_json_pointer)", "input[ \"compute\" ][\"threads\"]"})
      QVERIFY2(breaks(way) == 1, way);
    QCOMPARE(breaks("const Place at = document.place(\"/compute/precision\");"), std::size_t{0});
    QCOMPARE(breaks("document.set(\"compute.memory.host\", text);"), std::size_t{1});
    QCOMPARE(breaks("return this_machine().free_memory / 4 * 3;"), std::size_t{1});
    QCOMPARE(breaks("const int cores = this_machine().cores;"), std::size_t{1});
    QCOMPARE(breaks("single = input[\"compute\"][\"precision\"].text() == \"single\";"), std::size_t{0});
    QCOMPARE(breaks("\"or raise compute.memory.host.\""), std::size_t{0});
    QCOMPARE(breaks("#pragma omp parallel for num_threads(threads)"), std::size_t{1});
    QCOMPARE(breaks("#pragma omp simd"), std::size_t{0});
    QCOMPARE(breaks("const Index every = input[\"output\"][\"frames\"][\"every\"].integer();"), std::size_t{1});
    QCOMPARE(breaks("x = 1;  // as this_machine().cores"), std::size_t{0});
    QCOMPARE(broken_in("engine/session/offer.cpp", "input[\"compute\"]").size(), std::size_t{0});
  }

  void nobody_else_resolves_resources() {
    static const std::set<std::string> endings = {".hpp", ".cpp", ".inl", ".cu"};
    std::string all;
    long files = 0;
    for (const char* folder : {"engine", "app", "render"})
      for (const auto& entry : fs::recursive_directory_iterator(sources_of_all / folder)) {
        if (!entry.is_regular_file() || !endings.contains(entry.path().extension().string())) continue;
        ++files;
        std::ostringstream text;
        text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
        for (const std::string& one : broken_in(fs::relative(entry.path(), sources_of_all).string(), text.str()))
          all += one + "\n";
      }
    QVERIFY(files > 300);
    QVERIFY2(all.empty(), all.c_str());
  }
};

QTEST_APPLESS_MAIN(TestOneOffer)
#include "test_one_offer.moc"
