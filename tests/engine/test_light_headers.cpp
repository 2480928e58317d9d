// SPDX-License-Identifier: BSD-3-Clause
// A header that changes now and then is seen by few files of the program, directly or through others: an edit of it compiles little.
// labels: unit
#include <QTest>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/engine/source_files.hpp"

namespace fs = std::filesystem;
using conoid::test::root, conoid::test::source_files, conoid::test::text_of;

namespace {

using Includes = std::map<std::string, std::set<std::string>>;

/// What stands in quotes in the #include lines of each file of the program, from the root of the tree or beside the file.
Includes includes() {
  Includes out;
  for (const fs::path& file : source_files({"engine", "app", "render"})) {
    std::set<std::string>& of_file = out[fs::relative(file, root).generic_string()];
    std::istringstream in(text_of(file));
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("#include \"")) continue;
      const std::string name = line.substr(10, line.find('"', 10) - 10);
      const fs::path beside = (file.parent_path() / name).lexically_normal();
      of_file.insert(fs::exists(root / name) ? name : fs::relative(beside, root).generic_string());
    }
  }
  return out;
}

/// Sources that see a header.
std::set<std::string> seen_by(const Includes& all, const std::string& header) {
  std::set<std::string> files{header};
  for (std::size_t before = 0; before != files.size();) {
    before = files.size();
    for (const auto& [file, included] : all)
      for (const std::string& name : included)
        if (files.contains(name)) files.insert(file);
  }
  std::erase_if(files, [](const std::string& file) { return !file.ends_with(".cpp") && !file.ends_with(".cu"); });
  return files;
}

}  // namespace

class TestLightHeaders : public QObject {
  Q_OBJECT
 private slots:
  /// The headers of folders that everything builds on. Those of `core` are seen by all and hardly ever change: types.hpp is four names.
  void a_header_is_seen_by_few_files_data() {
    QTest::addColumn<int>("most");
    QTest::addRow("engine/team/team.hpp") << 80;
    QTest::addRow("engine/team/device.hpp") << 110;
    QTest::addRow("engine/solvers/solver.hpp") << 110;
    QTest::addRow("engine/session/session.hpp") << 105;
  }
  void a_header_is_seen_by_few_files() {
    QFETCH(int, most);
    static const Includes all = includes();
    const std::string header = QTest::currentDataTag();
    QVERIFY2(all.contains(header), "it has another name now");
    const std::set<std::string> files = seen_by(all, header);
    QVERIFY2(!files.empty(), "nothing includes it");
    std::string list;
    for (const std::string& file : files) list += "\n  " + file;
    QVERIFY2(static_cast<int>(files.size()) <= most,
             (header + " is seen by " + std::to_string(files.size()) +
              " sources; declare its classes where a reference is enough, and include it where they are used:" + list)
                 .c_str());
  }
};

QTEST_APPLESS_MAIN(TestLightHeaders)
#include "test_light_headers.moc"
