// SPDX-License-Identifier: BSD-3-Clause
// Starts the `conoid` that has the heat rod, and collects what it says.
#pragma once

#include <QProcess>
#include <QStringList>

#include <filesystem>
#include <string>

#include "tests/engine/session/rod.hpp"

namespace rod {

struct Said {
  int exit = -1;
  std::string out, err;
  [[nodiscard]] conoid::Json json() const;
  [[nodiscard]] bool says(const std::string& text) const;
};

QProcess& prepare(QProcess& process, const fs::path& folder);

Said collect(QProcess& process, int timeout_ms = 100000);

Said conoid(const fs::path& folder, const QStringList& words);

/// The same below `sh -c`, for limits: "ulimit -f 1; exec …".
Said limited(const fs::path& folder, const QString& limits, const QStringList& words);

}  // namespace rod

/// Compares an exit code and shows what was said when it is another. `said` may be a call that starts a program: it is made once.
#define COMPARE_EXIT(said, wanted)                                                                                   \
  do {                                                                                                               \
    const rod::Said& what_was_said = (said);                                                                         \
    QVERIFY2(what_was_said.exit == (wanted),                                                                         \
             ("exit " + std::to_string(what_was_said.exit) + "\n" + what_was_said.out + what_was_said.err).c_str()); \
  } while (false)
