// SPDX-License-Identifier: BSD-3-Clause
// Measures how fast a surface of a million triangles is read, written, checked and ordered; prints a table.
// labels: bench
#include "engine/mesh/generators.hpp"
#include "engine/mesh/ordering.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

using namespace conoid;

class TestReadingSpeed : public QObject {
  Q_OBJECT
 private slots:
  void a_million_triangles() {
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return folder.filePath(name).toStdString(); };
    const auto timed = [](const char* what, const auto& f) {
      double best = 1e99;
      for (int i = 0; i < 3; ++i) {
        QElapsedTimer t;
        t.start();
        f();
        best = std::min(best, static_cast<double>(t.nsecsElapsed()) * 1e-9);
      }
      qInfo("%-28s %8.3f s", what, best);
      return best;
    };
    const Mesh mesh = *icosphere({.divisions = 224});
    QCOMPARE(mesh.cell_count(), Index{1003520});
    QVERIFY(write_mesh(mesh, path("b.msh")).ok());
    QVERIFY(write_mesh(mesh, path("a.msh"), {.binary = false}).ok());
    QVERIFY(write_mesh(mesh, path("b.stl")).ok());
    QVERIFY(write_mesh(mesh, path("a.stl"), {.binary = false}).ok());
    QVERIFY(write_mesh(mesh, path("a.obj")).ok());
    const auto read = [&](const char* name) { QCOMPARE(read_mesh(path(name))->cell_count(), mesh.cell_count()); };
    const double binary = timed("read MSH 4.1 binary", [&] { read("b.msh"); });
    timed("read MSH 4.1 text", [&] { read("a.msh"); });
    timed("read STL binary", [&] { read("b.stl"); });
    timed("read STL text", [&] { read("a.stl"); });
    timed("read OBJ", [&] { read("a.obj"); });
    timed("write MSH 4.1 binary", [&] { QVERIFY(write_mesh(mesh, path("c.msh")).ok()); });
    timed("check_surface", [&] { QVERIFY(check_surface(mesh).is_body()); });
    timed("mesh_quality", [&] { QCOMPARE(mesh_quality(mesh).degenerate_cells, Index{0}); });
    timed("Hilbert order", [&] {
      QCOMPARE(curve_order(mesh.points(), Curve::hilbert).size(), static_cast<std::size_t>(mesh.point_count()));
    });
    timed("self_intersections", [&] { QVERIFY(self_intersections(mesh).empty()); });
    QVERIFY2(binary < 1.0, "a million triangles of binary MSH are to be read in less than a second");
  }
};

QTEST_APPLESS_MAIN(TestReadingSpeed)
#include "test_reading_speed.moc"
