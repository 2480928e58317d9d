// SPDX-License-Identifier: BSD-3-Clause
// An HTML page as tests/support/read_page.py reads it: strictly.
#pragma once

#include <QProcess>
#include <QtGlobal>

#include <string>
#include <vector>

#include "tests/engine/cli/program.hpp"

namespace page {

/// {"problems", "policy", "texts": [{"tag", "text", "class"}], "tables": [{"under", "rows"}], "images"}
inline conoid::Json read(const rod::fs::path& file) {
  QProcess python;
  python.start(qEnvironmentVariable("CONOID_PYTHON", "python3"),
               {CONOID_SOURCE_DIR "/tests/support/read_page.py", QString::fromStdString(file.string())});
  const rod::Said said = rod::collect(python);
  if (said.exit != 0) qWarning("%s", said.err.c_str());
  return said.json();
}

/// The rows of the first table below a heading; null where there is none.
inline conoid::Json table_below(const conoid::Json& page, const std::string& heading) {
  for (const conoid::Json& table : page["tables"])
    if (table["under"] == heading) return table["rows"];
  return nullptr;
}

/// The row that begins so, of any table below a heading.
inline std::vector<std::string> row_of(const conoid::Json& page, const std::string& heading, const std::string& name) {
  for (const conoid::Json& table : page["tables"])
    if (table["under"] == heading)
      for (const conoid::Json& cells : table["rows"])
        if (!cells.empty() && cells[0] == name) return cells.get<std::vector<std::string>>();
  return {};
}

/// The texts of one kind of element.
inline std::vector<std::string> texts(const conoid::Json& page, const std::string& tag, const std::string& css = "") {
  std::vector<std::string> out;
  for (const conoid::Json& text : page["texts"])
    if (text["tag"] == tag && (css.empty() || text["class"] == css)) out.push_back(text["text"].get<std::string>());
  return out;
}

inline bool has(const std::vector<std::string>& texts, const std::string& part) {
  for (const std::string& text : texts)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace page

/// Well-formed, and nothing in it reaches out or runs.
#define EXPECT_SAFE(what)                                                                          \
  do {                                                                                             \
    const conoid::Json& looked_at = (what);                                                        \
    QVERIFY(looked_at.is_object());                                                                \
    QVERIFY2(looked_at["problems"].empty(), conoid::indented_json(looked_at["problems"]).c_str()); \
    QCOMPARE(looked_at["policy"].get<std::string>(),                                               \
             std::string("default-src 'none'; img-src data:; style-src 'unsafe-inline'"));         \
  } while (false)
