// SPDX-License-Identifier: BSD-3-Clause
// A function of the engine that nobody but tests calls, or nobody at all: what it computes would be tested and never used.
// labels: unit
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/engine/source_files.hpp"

namespace fs = std::filesystem;
using conoid::test::root, conoid::test::source_files, conoid::test::text_of;

namespace {

/// Of tests alone, each for a reason.
const std::map<std::string, std::string> for_tests = {
    {"can_bind", "what this machine can, which a test that needs it asks"},
    {"can_lock_folders", "what this kernel can, which a test that needs it asks"},
    {"set_write_fault", "a disk that fails"},
    {"construct", "what containers call of an allocator"},
    {"deallocate", "what containers call of an allocator"},
    {"knows_cudss", "the releases of a library that is not here"},
    {"pair_reference", "a reference that kernels are compared with"},
    {"corner_forces", "what kernels of tables of a source have made, which tables do not look at"},
    {"energy_rates", "what kernels of tables of a source have made, which tables do not look at"},
    {"zone_force", "a reference that kernels are compared with"},
    {"zone_mass", "a reference that kernels are compared with"},
    {"rate_of", "of whole runs: what tables of solvers to come are made of; so is that of heat_rod in tests/data"},
    {"largest_relative_error", "what solvers to come are made of; so is heat_rod in tests/data"},
    {"pass_over_blocks", "what solvers to come are made of; so is heat_rod in tests/data"},
    {"ellipsoid", "a generator, as those beside it"},
};

/// Without comments and texts.
std::string code_of(const fs::path& file) {
  const std::string text = text_of(file);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
      out += '\n';
    } else if (text.compare(i, 2, "R\"") == 0) {
      const std::size_t open = text.find('(', i);
      if (open == std::string::npos) break;
      const std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
      i = std::min(text.find(close, open), text.size()) + close.size() - 1;
    } else if (text[i] == '#' && (i == 0 || text[i - 1] == '\n')) {
      i = std::min(text.find('\n', i), text.size());
      out += '\n';
    } else if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        if (text[i] == '\\') ++i;
      out += "\"\"";
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Whether the name that begins at `at` of a line is being declared or defined there: behind it stands "(", before it a type.
bool declares(const std::string& line, std::size_t at, std::size_t end) {
  while (end < line.size() && line[end] == ' ') ++end;
  if (end >= line.size() || line[end] != '(') return false;
  std::string before = line.substr(0, at);
  static const std::regex scope("(~?\\w+(<[^<>]*>)?::)+$");
  before = std::regex_replace(before, scope, "");
  static const std::regex type("(^|[\\w>\\]]\\*? |[\\w>]&&? )$"), word("\\b(return|else|throw|case)\\s+$");
  static const std::regex middle("( &&| [<>]=?|\\|\\|| \\*|[-+/=,!?:(<])\\s*$");
  return std::regex_search(before, type) && !std::regex_search(before, word) && !std::regex_search(before, middle);
}

struct Seen {
  int declared = 0, used = 0;
  std::string header;
};

}  // namespace

class TestFunctionsAreUsed : public QObject {
  Q_OBJECT
 private slots:
  void declarations_are_told_from_calls() {
    const auto told = [](const std::string& line) {
      const std::size_t at = line.find("name");
      return declares(line, at, at + 4);
    };
    for (const char* line : {"int name(int a) {", "  [[nodiscard]] double name() const;", "Mesh Group::name(Index i) {",
                             "const Vec& name(", "T* name(const T* x)", "std::vector<int> name();"})
      QVERIFY2(told(line), line);
    for (const char* line : {"  return name(3);", "  x = name(3);", "  f(name(3));", "  if (a && name(3))", "a.name()",
                             "  names = &name;", "  y = 2 * name(x);", "  const auto f = name;"})
      QVERIFY2(!told(line), line);
  }

  void every_function_of_a_header_is_called() {
    // What implements the model of CUDA on a processor has what kernels may call; solvers' tables are found by their names alone.
    const auto left_out = [](const fs::path& file) {
      return file.filename() == "model.hpp" && file.parent_path().filename() == "emulated";
    };
    static const std::regex of_a_set("_(base|avx2|avx512)$");  // named by CONOID_ISA_NAME
    static const std::regex function("(^|[^\\w.>])([a-z]\\w*)\\s*\\("), name("[A-Za-z_]\\w*");
    std::map<std::string, Seen> functions;
    const std::vector<fs::path> engine = source_files({"engine"}), all = source_files({"engine", "render", "app"});
    for (const fs::path& file : engine) {
      if (file.extension() != ".hpp" || left_out(file)) continue;
      std::istringstream in(code_of(file));
      for (std::string line; std::getline(in, line);)
        for (auto at = std::sregex_iterator(line.begin(), line.end(), function); at != std::sregex_iterator(); ++at) {
          const auto begin = static_cast<std::size_t>(at->position(2));
          if (declares(line, begin, begin + at->str(2).size()))
            functions[at->str(2)].header = fs::relative(file, root).string();
        }
    }
    QVERIFY(functions.size() > 1000);
    for (const fs::path& file : all) {
      std::istringstream in(code_of(file));
      for (std::string line; std::getline(in, line);)
        for (auto at = std::sregex_iterator(line.begin(), line.end(), name); at != std::sregex_iterator(); ++at) {
          const auto found = functions.find(at->str());
          if (found == functions.end()) continue;
          const auto begin = static_cast<std::size_t>(at->position());
          ++(declares(line, begin, begin + at->str().size()) ? found->second.declared : found->second.used);
        }
    }
    std::string unused;
    std::set<std::string> met;
    for (const auto& [called, seen] : functions) {
      if (seen.used > 0 || std::regex_search(called, of_a_set)) continue;
      met.insert(called);
      if (!for_tests.contains(called)) unused += seen.header + ": " + called + "\n";
    }
    QVERIFY2(unused.empty(), ("nobody but tests calls\n" + unused).c_str());
    for (const auto& [called, why] : for_tests)
      QVERIFY2(met.contains(called), (called + " is called by others than tests, or is no more").c_str());
  }
};

QTEST_APPLESS_MAIN(TestFunctionsAreUsed)
#include "test_functions_are_used.moc"
