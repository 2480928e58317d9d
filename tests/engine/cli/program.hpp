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
  [[nodiscard]] conoid::Json json() const { return conoid::Json::parse(out, nullptr, false); }
  [[nodiscard]] bool says(const std::string& text) const {
    return out.find(text) != std::string::npos || err.find(text) != std::string::npos;
  }
};

inline QProcess& prepare(QProcess& process, const fs::path& folder) {
  process.setWorkingDirectory(QString::fromStdString(folder.string()));
  return process;
}

inline Said collect(QProcess& process, int timeout_ms = 100000) {
  Said said;
  if (!process.waitForFinished(timeout_ms)) {
    process.kill();
    process.waitForFinished();
    said.err = "timeout";
    return said;
  }
  said.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2;
  said.out = process.readAllStandardOutput().toStdString();
  said.err = process.readAllStandardError().toStdString();
  return said;
}

inline Said conoid(const fs::path& folder, const QStringList& words) {
  QProcess process;
  prepare(process, folder).start(CONOID_WITH_HEAT_ROD, words);
  return collect(process);
}

/// The same below `sh -c`, for limits: "ulimit -f 1; exec …".
inline Said limited(const fs::path& folder, const QString& limits, const QStringList& words) {
  QProcess process;
  QStringList all = {"-c", limits + "; exec \"$0\" \"$@\"", CONOID_WITH_HEAT_ROD};
  prepare(process, folder).start("sh", all + words);
  return collect(process);
}

}  // namespace rod

/// Compares an exit code and shows what was said when it is another.
#define COMPARE_EXIT(said, wanted) \
  QVERIFY2((said).exit == (wanted), ("exit " + std::to_string((said).exit) + "\n" + (said).out + (said).err).c_str())
