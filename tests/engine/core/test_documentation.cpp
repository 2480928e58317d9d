// SPDX-License-Identifier: BSD-3-Clause
// Where this fails the window finds no pages to show, or shows a folder that has none.
// labels: unit
#include "engine/core/resources.hpp"

#include <cstdlib>
#include <fstream>

#include <QTemporaryDir>
#include <QtTest>

namespace fs = std::filesystem;

class TestDocumentation : public QObject {
  Q_OBJECT
 private slots:
  void the_named_folder_comes_first_if_it_has_pages();
};

void TestDocumentation::the_named_folder_comes_first_if_it_has_pages() {
  const QTemporaryDir folder;
  const fs::path named = folder.path().toStdString();
  QVERIFY(::setenv("CONOID_DOCUMENTATION", named.c_str(), 1) == 0);
  const fs::path otherwise = conoid::documentation_folder();
  QVERIFY(otherwise != named);
  QVERIFY(otherwise.empty() || fs::is_regular_file(otherwise / "index.html"));
  std::ofstream(named / "index.html") << "<html></html>";
  QCOMPARE(conoid::documentation_folder().string(), named.string());
  ::unsetenv("CONOID_DOCUMENTATION");
}

QTEST_APPLESS_MAIN(TestDocumentation)
#include "test_documentation.moc"
