// SPDX-License-Identifier: BSD-3-Clause
// What a killed run has left is read by VTK itself and by h5py, up to the last finished frame.
// labels: cli
#include <QTest>

#include <random>

#include "engine/io/vtkhdf.hpp"
#include "tests/engine/cli/program.hpp"

class TestKilledResultsElsewhere : public QObject {
  Q_OBJECT
 private slots:
  void others_read_what_a_killed_run_left() {
    if (!conoid::fields_can_be_kept()) QSKIP("this build has no HDF5");
    const rod::Scratch scratch;
    conoid::Json json = rod::json(4000, 0.001, 501);
    json["output"]["frames"]["every"] = 1;
    rod::write_case(scratch / "case.json", json);
    // CONOID_PYTHON: an interpreter that has vtk and h5py, where that of the system has none.
    const QString python = qEnvironmentVariable("CONOID_PYTHON", "python3");
    std::mt19937 random(20260601);
    std::size_t most = 0;
    for (int round = 0; round < 4; ++round) {
      const std::string name = "run" + std::to_string(round);
      QProcess process;
      rod::prepare(process, scratch.path())
          .start(CONOID_WITH_HEAT_ROD,
                 {"run", "case.json", "--out", QString::fromStdString(name), "--progress", "none"});
      const auto frames = [&] {
        const auto reader = conoid::VtkhdfReader::open(scratch / name);
        return reader.ok() ? (*reader)->frames().size() : std::size_t{0};
      };
      QVERIFY(rod::eventually([&] { return frames() > 2; }));
      process.waitForFinished(static_cast<int>(random() % 400));
      process.kill();
      QVERIFY(process.waitForFinished());
      const std::size_t finished = frames();
      most = std::max(most, finished);
      QStringList words = {CONOID_SOURCE_DIR "/tests/support/read_with_vtk.py", QString::number(finished)};
      for (const auto& entry : rod::fs::directory_iterator(scratch / name))
        if (entry.path().extension() == ".vtkhdf") words << QString::fromStdString(entry.path().string());
      QProcess reader;
      rod::prepare(reader, scratch.path()).start(python, words);
      if (!reader.waitForStarted()) QSKIP("there is no python3 here");
      const rod::Said said = rod::collect(reader);
      if (said.exit == 77) QSKIP("python3 has neither VTK 9.3 nor h5py here");
      COMPARE_EXIT(said, 0);
      qInfo("%s", said.out.c_str());
    }
    QVERIFY(most > 2);
  }
};

QTEST_APPLESS_MAIN(TestKilledResultsElsewhere)
#include "test_killed_results_elsewhere.moc"
