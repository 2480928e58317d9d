// SPDX-License-Identifier: BSD-3-Clause
// What the pages for newcomers (ARCHITECTURE.md, CONTRIBUTING.md, README.md of folders) name is there: files where the page puts them,
// presets, labels of tests, examples of names. (Includes, folders and parts of solvers: test_include_direction.)
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

#include <nlohmann/json.hpp>

#include "tests/engine/source_files.hpp"

namespace fs = std::filesystem;
using conoid::test::root, conoid::test::source_files, conoid::test::table_of, conoid::test::TableRow,
    conoid::test::text_of;

namespace {

/// Files and folders of the tree, from its root.
const std::vector<std::string>& paths() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out;
    for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
      const std::string path = fs::relative(at->path(), root).generic_string();
      if (at.depth() == 0 && (path == "build" || path == "runs" || path == ".git"))
        at.disable_recursion_pending();
      else
        out.push_back(path);
    }
    return out;
  }();
  return all;
}

/// Whether a word, "readers", "cuda/band_kernel", "gauss_legendre", "bench_*", is a file or a folder somewhere below `folder`.
bool is_below(const std::string& folder, std::string word) {
  if (word.ends_with('/')) word.pop_back();
  const bool begins = word.ends_with('*');
  if (begins) word.pop_back();
  return std::any_of(paths().begin(), paths().end(), [&](const std::string& path) {
    if (!path.starts_with(folder)) return false;
    for (std::size_t at = path.find(word, folder.size()); at != std::string::npos; at = path.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool whole =
          end == path.size() || path[end] == '/' || (path[end] == '.' && path.find('/', end) == std::string::npos);
      if ((at == folder.size() || path[at - 1] == '/') && (begins || whole)) return true;
    }
    return false;
  });
}

bool is_folder(const std::string& name) {
  return std::any_of(paths().begin(), paths().end(), [&](const std::string& path) {
    return fs::path(path).filename() == name && fs::is_directory(root / path);
  });
}

/// All that is written in sources, scripts and files of CMake.
const std::string& all_texts() {
  static const std::string all = [] {
    static const std::set<std::string> read = {".hpp", ".cpp", ".inl",   ".cu",   ".sh",
                                               ".py",  ".txt", ".cmake", ".json", ".in"};
    std::string out;
    for (const std::string& path : paths())
      if (read.contains(fs::path(path).extension().string()) && !path.starts_with("tests/data") &&
          !path.ends_with("test_pages_are_true.cpp"))
        out += text_of(root / path);
    return out;
  }();
  return all;
}

}  // namespace

class TestPagesAreTrue : public QObject {
  Q_OBJECT
 private slots:
  void files_are_where_a_page_puts_them_data();
  void files_are_where_a_page_puts_them();
  void presets_are_those_of_the_table();
  void labels_are_those_of_the_page();
  void examples_of_names_are_names();
  void commands_name_tests_that_are_there();
};

void TestPagesAreTrue::files_are_where_a_page_puts_them_data() {
  QTest::addColumn<QString>("head");
  QTest::addColumn<QString>("below");
  QTest::addRow("ARCHITECTURE.md") << "| folder | what is in it |"
                                   << "";
  QTest::addRow("ARCHITECTURE.md: where") << "| I want to | go to |"
                                          << "";
  QTest::addRow("app/README.md") << "| folder | what is in it |"
                                 << "app/";
  QTest::addRow("engine/window/README.md") << "| file | what |"
                                           << "engine/window/";
  QTest::addRow("tests/README.md") << "| folder | what is in it |"
                                   << "tests/";
}

/// Words that look like names; those of the first column say below which folder the rest of the row lies. What a row names of other
/// folders has a path from the root, or is one of these folders.
void TestPagesAreTrue::files_are_where_a_page_puts_them() {
  QFETCH(QString, head);
  QFETCH(QString, below);
  static const std::regex name("[a-z0-9_.]+(/[a-z0-9_.]+)*/?[*]?");
  /// What is no file: keys, words and programs.
  static const std::set<std::string> others = {"conoid", "use", "check", "formerly", "deprecated", "head"};
  const std::string page = std::string(QTest::currentDataTag());
  const std::vector<TableRow> rows = table_of(text_of(root / page.substr(0, page.find(':'))), head.toStdString());
  QVERIFY2(rows.size() > 3, "the table has another head now");
  std::string missing;
  std::size_t seen = 0;
  for (const TableRow& row : rows) {
    std::string folder = below.toStdString();
    if (!row.first.empty() && row.first.front().ends_with('/') && is_below(folder, row.first.front()))
      folder += row.first.front();
    std::vector<std::string> words = row.first;
    words.insert(words.end(), row.second.begin(), row.second.end());
    for (const std::string& word : words) {
      if (!std::regex_match(word, name) || others.contains(word)) continue;
      ++seen;
      if (!is_below(folder, word) && !fs::exists(root / below.toStdString() / word) && !fs::exists(root / word) &&
          !is_folder(word))
        missing += "\n  " + word + (folder.empty() ? "" : " below " + folder);
    }
  }
  QVERIFY(seen > 5);
  QVERIFY2(missing.empty(), (page + " names what is not there:" + missing).c_str());
}

void TestPagesAreTrue::presets_are_those_of_the_table() {
  std::set<std::string> told, there;
  for (const TableRow& row : table_of(text_of(root / "CONTRIBUTING.md"), "| preset | what it is for |"))
    told.insert(row.first.begin(), row.first.end());
  const auto presets = nlohmann::json::parse(text_of(root / "CMakePresets.json"));
  for (const auto& preset : presets.at("configurePresets"))
    if (!preset.value("hidden", false)) there.insert(preset.at("name"));
  QVERIFY(there.size() > 5);
  std::string apart;
  for (const std::string& one : there)
    if (!told.contains(one)) apart += " " + one + " (not in CONTRIBUTING.md)";
  for (const std::string& one : told)
    if (!there.contains(one)) apart += " " + one + " (not in CMakePresets.json)";
  QVERIFY2(apart.empty(), apart.c_str());
  for (const auto& preset : presets.at("configurePresets"))
    if (preset.contains("cacheVariables") && preset.at("cacheVariables").contains("CONOID_UNITY"))
      QVERIFY2(preset.at("name") == "dev", "CONTRIBUTING.md: all presets but dev compile files together");
}

/// "// labels: unit   what it is: unit verify …", and the other lines of that block.
void TestPagesAreTrue::labels_are_those_of_the_page() {
  const auto words_of = [](const std::string& text) {
    std::istringstream in(text);
    std::set<std::string> out;
    for (std::string word; in >> word;) out.insert(word);
    return out;
  };
  const std::string page = text_of(root / "CONTRIBUTING.md");
  const std::size_t list = page.find("what it is: ");
  QVERIFY(list != std::string::npos);
  std::set<std::string> told = words_of(page.substr(list + 12, page.find('\n', list) - list - 12));
  QVERIFY(told.size() > 5);
  std::set<std::string> kinds = told, used;
  told.insert({"serial", "wide", "rows"});
  for (const fs::path& path : source_files({"tests"})) {
    if (!path.filename().string().starts_with("test_")) continue;
    const std::string text = text_of(path).substr(0, 2000);
    static const std::regex line("(^|\n)//.*labels: *([a-z0-9 ]+)(\n|$)");
    std::smatch match;
    QVERIFY2(std::regex_search(text, match, line), path.c_str());
    for (const std::string& word : words_of(match[2])) {
      const std::string plain = word.substr(0, word.find_first_of("0123456789"));
      const bool numbered = plain != word && (plain == "mpi" || plain == "timeout");
      QVERIFY2(
          numbered || told.contains(word),
          qPrintable(QString::fromStdString(path.string() + ": the label " + word + " is not in CONTRIBUTING.md")));
      used.insert(plain);
    }
  }
  used.insert("fuzz");  // the label of targets' short tests (tests/fuzz/replay.cmake)
  for (const std::string& kind : kinds)
    QVERIFY2(used.contains(kind), qPrintable("no test has the label " + QString::fromStdString(kind)));
}

void TestPagesAreTrue::examples_of_names_are_names() {
  std::size_t seen = 0;
  const std::string page = text_of(root / "CONTRIBUTING.md");
  const std::size_t table = page.find("| thing | form | example |");
  QVERIFY(table != std::string::npos);
  std::istringstream in(page.substr(table, page.find("\n\n", table) - table));
  static const std::regex quoted("`([^`]+)`");
  for (std::string line; std::getline(in, line);) {
    const std::size_t last = line.rfind('|', line.size() - 2);
    const std::string cell = last == std::string::npos ? "" : line.substr(last);
    for (auto at = std::sregex_iterator(cell.begin(), cell.end(), quoted); at != std::sregex_iterator(); ++at, ++seen) {
      const std::string example = (*at)[1];
      QVERIFY2(all_texts().find(example) != std::string::npos || is_below("", example),
               qPrintable("the example " + QString::fromStdString(example) + " of CONTRIBUTING.md is not in the tree"));
    }
  }
  QVERIFY(seen > 15);
}

/// "build/dev/tests/test_engine_mesh refinement": a program of a folder of tests, and one of them.
void TestPagesAreTrue::commands_name_tests_that_are_there() {
  const std::string page = text_of(root / "CONTRIBUTING.md");
  static const std::regex command("build/dev/tests/test_([a-z_]+) ([a-z_]+)");
  std::size_t seen = 0;
  for (auto at = std::sregex_iterator(page.begin(), page.end(), command); at != std::sregex_iterator(); ++at, ++seen) {
    const std::string program = (*at)[1], test = "test_" + (*at)[2].str() + ".cpp";
    const bool found = std::any_of(paths().begin(), paths().end(), [&](const std::string& path) {
      if (!path.starts_with("tests/") || fs::path(path).filename() != test) return false;
      std::string folder = fs::path(path).parent_path().generic_string().substr(6);
      std::replace(folder.begin(), folder.end(), '/', '_');
      return program.starts_with(folder);
    });
    QVERIFY2(found, (program + " has no " + test).c_str());
  }
  QVERIFY(seen >= 3);
}

QTEST_APPLESS_MAIN(TestPagesAreTrue)
#include "test_pages_are_true.moc"
