// SPDX-License-Identifier: BSD-3-Clause
// Reads every #include of the tree and the tables of ARCHITECTURE.md, and fails where they differ: on an edge between folders that
// the page does not allow, on one that nothing uses, and on a folder that it does not describe.
// labels: unit
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/source_files.hpp"

namespace fs = std::filesystem;
using conoid::test::root, conoid::test::source_files, conoid::test::table_of, conoid::test::TableRow,
    conoid::test::text_of;

namespace {

/// Which folders a folder may include, itself aside: the table of ARCHITECTURE.md. "engine/solvers/*" is one solver;
/// "engine/solvers" the files that all solvers share (the face, the registry). Single files are named whole.
const std::map<std::string, std::set<std::string>>& allowed() {
  static const auto table = [] {
    std::map<std::string, std::set<std::string>> out;
    for (const TableRow& row : table_of(text_of(root / "ARCHITECTURE.md"), "| folder | may include |"))
      for (const std::string& folder : row.first) out[folder] = {row.second.begin(), row.second.end()};
    return out;
  }();
  return table;
}

/// The layer a path belongs to; empty for what is no layer.
std::string layer(const std::string& path) {
  std::vector<std::string> steps;
  std::stringstream in(path);
  for (std::string step; std::getline(in, step, '/');) steps.push_back(step);
  if (steps.empty()) return "";
  if (steps[0] == "app" || steps[0] == "render") return steps[0];
  if (steps[0] != "engine" || steps.size() < 3) return "";
  if (steps[1] == "solvers") return steps.size() == 3 ? "engine/solvers" : "engine/solvers/" + steps[2];
  return "engine/" + steps[1];
}

struct Include {
  std::string name;
  long line;
};
std::vector<Include> includes_of(const std::string& text) {
  static const std::regex pattern("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]");
  std::vector<Include> out;
  std::istringstream in(text);
  long number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    std::smatch match;
    if (line.find("include") != std::string::npos && std::regex_search(line, match, pattern))
      out.push_back({match[1], number});
  }
  return out;
}

/// The row of the table that a file's folder has.
std::string row_of(const std::string& from) {
  return from.starts_with("engine/solvers/") ? "engine/solvers/*" : from;
}

/// The message for an include that is not allowed; empty when it is.
std::string objection(const std::string& file, const std::string& included) {
  const std::string from = layer(file);
  const std::string to = layer(included);
  if (from.empty() || to.empty() || from == to) return "";
  const auto row = allowed().find(row_of(from));
  if (row == allowed().end()) return from + " is not in the table of layers";
  if (row->second.contains(to) || row->second.contains(included)) return "";
  return from + " must not include " + to;
}

bool is_gui(const std::string& included) {
  static const std::regex qt("^(Q[A-Z]\\w*|Qt\\w*/.*|vtk\\w*\\.h|VTK.*)$");
  return std::regex_match(included, qt);
}

}  // namespace

class TestIncludeDirection : public QObject {
  Q_OBJECT
 private slots:
  void the_rules_themselves_bite();
  void includes_go_one_way();
  void the_page_names_every_folder();
  void the_page_names_files_that_are_there();
  void comments_name_files_that_are_there();
  void the_engine_knows_no_qt_and_no_vtk();
  void window_and_pictures_know_no_solver();
  void every_file_names_its_licence();
};

void TestIncludeDirection::the_rules_themselves_bite() {
  QVERIFY(objection("engine/core/log.cpp", "engine/io/frame.hpp").size() > 0);
  QVERIFY(objection("engine/solvers/acoustic_fd/a.cpp", "engine/solvers/hydro_fem/b.hpp").size() > 0);
  QVERIFY(objection("engine/solvers/acoustic_fd/a.cpp", "engine/session/session.hpp").size() > 0);
  QVERIFY(objection("engine/session/a.cpp", "engine/solvers/acoustic_fd/b.hpp").size() > 0);
  QVERIFY(objection("engine/session/a.cpp", "engine/cli/b.hpp").size() > 0);
  QVERIFY(objection("render/scene/a.cpp", "app/b.hpp").size() > 0);
  QVERIFY(objection("render/scene/a.cpp", "engine/solvers/registry.hpp").size() > 0);
  QCOMPARE(objection("engine/solvers/acoustic_fd/kernels/a.cpp", "engine/solvers/acoustic_fd/b.hpp"), std::string());
  QCOMPARE(objection("engine/session/engine.cpp", "engine/solvers/registry.hpp"), std::string());
  QVERIFY(is_gui("QString") && is_gui("QtCore/QObject") && is_gui("vtkSmartPointer.h"));
  QVERIFY(!is_gui("quadrature.hpp") && !is_gui("engine/io/vtkhdf.hpp"));
}

void TestIncludeDirection::includes_go_one_way() {
  int seen = 0;
  std::map<std::string, std::set<std::string>> used;
  for (const fs::path& path : source_files({"engine", "render", "app"})) {
    const std::string file = fs::relative(path, root).string();
    for (const Include& include : includes_of(text_of(path))) {
      ++seen;
      used[row_of(layer(file))].merge(std::set<std::string>{layer(include.name), include.name});
      const std::string wrong = objection(file, include.name);
      if (!wrong.empty())
        QFAIL((file + ":" + std::to_string(include.line) + ": " + include.name + ": " + wrong).c_str());
    }
  }
  QVERIFY2(seen > 100, "hardly any #include was found: the test looks in the wrong place");
  for (const auto& [folder, may] : allowed())
    for (const std::string& edge : may)
      if (!used[folder].contains(edge))
        QFAIL(("ARCHITECTURE.md lets " + folder + " include " + edge + ", which nothing in it does").c_str());
}

void TestIncludeDirection::the_page_names_every_folder() {
  std::set<std::string> described;
  for (const TableRow& row : table_of(text_of(root / "ARCHITECTURE.md"), "| folder | what is in it |")) {
    QCOMPARE(row.first.size(), std::size_t{1});
    described.insert(row.first[0]);
    for (const std::string& word : row.second)
      if (word.ends_with("/") && word.find('<') == std::string::npos) described.insert(row.first[0] + word);
  }
  QVERIFY(described.size() > 10);
  const auto check = [&](const std::string& folder) {
    if (!described.contains(folder + "/")) QFAIL((folder + "/ is not in ARCHITECTURE.md's table of folders").c_str());
  };
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with(".") && name != "build" && name != "runs" && name != "engine")
      check(name);
  }
  for (const std::string parent : {"engine", "app", "render"})
    for (const auto& entry : fs::directory_iterator(root / parent))
      if (entry.is_directory()) check(parent + "/" + entry.path().filename().string());
  for (const std::string& folder : described)
    QVERIFY2(fs::exists(root / folder),
             qPrintable(QString::fromStdString(folder + " of ARCHITECTURE.md is not there")));
  for (const auto& [folder, may] : allowed())
    if (folder != "engine/solvers/*") QVERIFY2(fs::is_directory(root / folder), folder.c_str());
}

/// Of each solver, "`setup`", "`march*`" or "`mesh/grading`" stands for files that begin so, and "`_values`" for another ending of the name before it. Of
/// engine/solvers every header is named.
void TestIncludeDirection::the_page_names_files_that_are_there() {
  const std::string page = text_of(root / "ARCHITECTURE.md");
  std::size_t seen = 0;
  for (const TableRow& row : table_of(page, "| solver | its parts |")) {
    const fs::path folder = root / "engine/solvers" / row.first.at(0);
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      files.push_back(fs::relative(entry.path(), folder).generic_string());
    std::string before;
    for (std::string word : row.second) {
      if (word.starts_with(".")) continue;  // the ending of a file that users get
      if (word.starts_with("_"))
        word = before.substr(0, before.rfind('_')) + word;
      else
        before = word;
      const std::string beginning = word.substr(0, word.find('*'));
      ++seen;
      if (std::none_of(files.begin(), files.end(), [&](const std::string& f) { return f.starts_with(beginning); }))
        QFAIL((word + " of ARCHITECTURE.md is not in " + folder.string()).c_str());
    }
  }
  QVERIFY(seen > 50);
  std::set<std::string> shared;
  for (const TableRow& row : table_of(page, "| folder | what is in it |"))
    if (row.first.at(0) == "engine/solvers/") shared = {row.second.begin(), row.second.end()};
  for (const auto& entry : fs::directory_iterator(root / "engine/solvers"))
    if (const std::string name = entry.path().filename().string();
        name.ends_with(".hpp") && !shared.contains(name) && !shared.contains(entry.path().stem().string()))
      QFAIL((name + " is not in ARCHITECTURE.md's row of engine/solvers/").c_str());
}

/// A name of a source in a comment ("shell_lanes.hpp"), without its folder; "<name>.cpp" and "_avx2.cpp" name none.
void TestIncludeDirection::comments_name_files_that_are_there() {
  static const std::regex source("(^|[^\\w<>*.])([a-z][a-z0-9_]*\\.(hpp|cpp|inl|cu))\\b");
  const std::vector<fs::path> files = source_files({"engine", "render", "app", "tests"});
  std::set<std::string> names;
  for (const fs::path& path : files) names.insert(path.filename().string());
  std::string missing;
  std::size_t seen = 0;
  for (const fs::path& path : files) {
    std::istringstream in(text_of(path));
    long number = 0;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const std::size_t comment = line.find("//");
      if (comment == std::string::npos) continue;
      line.erase(0, comment);
      for (auto at = std::sregex_iterator(line.begin(), line.end(), source); at != std::sregex_iterator(); ++at, ++seen)
        if (!names.contains((*at)[2]))
          missing += fs::relative(path, root).string() + ":" + std::to_string(number) + ": there is no file " +
                     (*at)[2].str() + "\n";
    }
  }
  QVERIFY(seen > 50);
  QVERIFY2(missing.empty(), missing.c_str());
}

void TestIncludeDirection::the_engine_knows_no_qt_and_no_vtk() {
  for (const fs::path& path : source_files({"engine"})) {
    const std::string file = fs::relative(path, root).string();
    for (const Include& include : includes_of(text_of(path)))
      if (is_gui(include.name)) QFAIL((file + ":" + std::to_string(include.line) + ": " + include.name).c_str());
  }
}

void TestIncludeDirection::window_and_pictures_know_no_solver() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root / "engine/solvers")) {
    if (!fs::exists(entry.path() / "parameters.json")) continue;
    std::string name = entry.path().filename().string();
    names.push_back(name);
    std::replace(name.begin(), name.end(), '_', '-');
    names.push_back(name);
  }
  for (const fs::path& path : source_files({"app", "render"})) {
    const std::string text = text_of(path);
    for (const std::string& name : names)
      if (text.find(name) != std::string::npos)
        QFAIL((fs::relative(path, root).string() + " names the solver " + name).c_str());
  }
}

void TestIncludeDirection::every_file_names_its_licence() {
  for (const fs::path& path : source_files({"app", "engine", "render", "tests"})) {
    const std::string head = text_of(path).substr(0, 200);
    if (head.find("SPDX-License-Identifier: BSD-3-Clause") == std::string::npos)
      QFAIL((fs::relative(path, root).string() + " has no SPDX line at its top").c_str());
  }
}

QTEST_APPLESS_MAIN(TestIncludeDirection)
#include "test_include_direction.moc"
