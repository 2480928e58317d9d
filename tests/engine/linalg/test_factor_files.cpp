// SPDX-License-Identifier: BSD-3-Clause
// Factors on disk do not outlive the process that wrote them by more than the next one.
// labels: unit
// links: conoid_linalg
#include <QTest>

#include <csignal>
#include <fstream>

#include <QTemporaryDir>

#include <sys/wait.h>
#include <unistd.h>

#include "engine/linalg/factor_files.hpp"

using namespace conoid;
namespace fs = std::filesystem;

class TestFactorFiles : public QObject {
  Q_OBJECT
 private slots:
  void they_go_with_the_object() {
    const QTemporaryDir dir;
    const fs::path parent = fs::path(dir.path().toStdString()) / "scratch";
    fs::path folder;
    {
      auto made = FactorFiles::create(parent);
      QVERIFY(made.ok());
      const FactorFiles files = std::move(*made);
      folder = files.folder();
      std::ofstream(folder / "factors_1") << "1";
      auto second = FactorFiles::create(parent);
      QVERIFY(second.ok());
      QVERIFY(second->folder() != folder);
      QVERIFY2(fs::exists(folder / "factors_1"), "a folder of a process that runs stays");
    }
    QVERIFY(!fs::exists(folder));
    QVERIFY(fs::is_empty(parent));
  }

  void those_of_a_killed_process_go_with_the_next() {
    const QTemporaryDir dir;
    const fs::path parent = dir.path().toStdString();
    const pid_t child = ::fork();
    if (child == 0) {
      auto files = FactorFiles::create(parent);
      if (files.ok()) std::ofstream(files->folder() / "factors_1") << "1";
      ::kill(::getpid(), SIGKILL);
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    const fs::path left = fs::directory_iterator(parent)->path();
    QVERIFY(fs::exists(left / "factors_1"));
    const fs::path foreign = parent / "conoid-factors-of-somebody";
    fs::create_directory(foreign);
    {
      const auto files = FactorFiles::create(parent);
      QVERIFY(files.ok());
      QVERIFY(!fs::exists(left));
    }
    QVERIFY2(fs::exists(foreign), "what has another name is not ours");
  }

  void a_place_that_cannot_be_written_is_an_error() {
    const auto files = FactorFiles::create("/proc/nowhere");
    QVERIFY(!files.ok());
    QCOMPARE(files.error().code, ErrorCode::file);
  }
};

QTEST_APPLESS_MAIN(TestFactorFiles)
#include "test_factor_files.moc"
