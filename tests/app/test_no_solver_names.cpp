// SPDX-License-Identifier: BSD-3-Clause
// The window knows no solver by name: neither an id nor a folder of engine/solvers stands in app/.
// labels: unit
#include <QDirIterator>
#include <QFile>
#include <QTest>

class TestNoSolverNames : public QObject {
  Q_OBJECT
 private slots:
  void nowhere_in_app() {
    QStringList names;
    const QDir solvers(QStringLiteral(CONOID_SOURCE_DIR "/engine/solvers"));
    for (const QString& folder : solvers.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
      if (!QFile::exists(solvers.filePath(folder + "/parameters.json"))) continue;
      names << folder << QString(folder).replace('_', '-');
    }
    names << "acoustic"
          << "elastic"
          << "maxwell"
          << "hydro";
    int files = 0;
    QDirIterator walk(QStringLiteral(CONOID_SOURCE_DIR "/app"), QDir::Files, QDirIterator::Subdirectories);
    while (walk.hasNext()) {
      QFile file(walk.next());
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QString text = QString::fromUtf8(file.readAll());
      ++files;
      for (const QString& name : names)
        QVERIFY2(!text.contains(name, Qt::CaseInsensitive), qPrintable(file.fileName() + " names " + name));
    }
    QVERIFY(files > 30);
  }
};

QTEST_APPLESS_MAIN(TestNoSolverNames)
#include "test_no_solver_names.moc"
