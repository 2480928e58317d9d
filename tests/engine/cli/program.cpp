// SPDX-License-Identifier: BSD-3-Clause
#include "tests/engine/cli/program.hpp"

namespace rod {

conoid::Json Said::json() const {
  return conoid::read_json(out);
}

bool Said::says(const std::string& text) const {
  return out.find(text) != std::string::npos || err.find(text) != std::string::npos;
}

QProcess& prepare(QProcess& process, const fs::path& folder) {
  process.setWorkingDirectory(QString::fromStdString(folder.string()));
  return process;
}

Said collect(QProcess& process, int timeout_ms) {
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

Said conoid(const fs::path& folder, const QStringList& words) {
  QProcess process;
  prepare(process, folder).start(CONOID_WITH_HEAT_ROD, words);
  return collect(process);
}

Said limited(const fs::path& folder, const QString& limits, const QStringList& words) {
  QProcess process;
  const QStringList all = {"-c", limits + "; exec \"$0\" \"$@\"", CONOID_WITH_HEAT_ROD};
  prepare(process, folder).start("sh", all + words);
  return collect(process);
}

}  // namespace rod
