// SPDX-License-Identifier: BSD-3-Clause
// The skin of a mesh: outer faces only, order-2 faces over their own nodes, damaged numbers refused.
// labels: unit
#include <QTest>

#include <cmath>
#include <random>
#include <set>

#include <vtkNew.h>
#include <vtkTriQuadraticHexahedron.h>

#include "render/scene/surface_mesh.hpp"
#include "tests/render/sample_frames.hpp"

using namespace conoid;

namespace {

const MeshGeometry& mesh_of(const Frame& frame) { return std::get<MeshGeometry>(frame.parts.front().geometry); }

double enclosed_volume(const SurfaceMesh& skin, const std::vector<double>& points) {
  double sum = 0;
  const auto p = [&](std::size_t corner, std::size_t k) {
    return points[3 * static_cast<std::size_t>(skin.nodes[static_cast<std::size_t>(skin.triangles[corner])]) + k];
  };
  for (std::size_t t = 0; t < skin.triangle_cell.size(); ++t) {
    const std::size_t a = 3 * t;
    sum += p(a, 0) * (p(a + 1, 1) * p(a + 2, 2) - p(a + 1, 2) * p(a + 2, 1)) -
           p(a, 1) * (p(a + 1, 0) * p(a + 2, 2) - p(a + 1, 2) * p(a + 2, 0)) +
           p(a, 2) * (p(a + 1, 0) * p(a + 2, 1) - p(a + 1, 1) * p(a + 2, 0));
  }
  return sum / 6;
}

}  // namespace

class TestSurfaceMesh : public QObject {
  Q_OBJECT

 private slots:
  void inner_faces_are_not_drawn() {
    for (const int n : {1, 2, 7}) {
      const auto frame = sample::cubes(n);
      const auto skin = make_surface(mesh_of(*frame));
      QVERIFY(skin.ok());
      QCOMPARE(skin->triangles.size() / 3, static_cast<std::size_t>(2 * (4 * n + 2)));
      QCOMPARE(skin->edges.size() / 2, static_cast<std::size_t>(4 * (n + 1) + 4 * n));
      // Faces point outwards, so that the divergence theorem gives the volume with the right sign.
      QVERIFY(std::abs(enclosed_volume(*skin, *mesh_of(*frame).points) - n) < 1e-12);
    }
  }

  void faces_of_27_node_hexahedra_use_the_nodes_that_vtk_uses() {
    auto points = std::make_shared<std::vector<double>>(81);
    vtkNew<vtkTriQuadraticHexahedron> cell;
    const double* at = cell->GetParametricCoords();
    std::copy(at, at + 81, points->begin());
    auto connectivity = std::make_shared<std::vector<Index>>(27);
    for (std::size_t i = 0; i < 27; ++i) (*connectivity)[i] = static_cast<Index>(i);
    const MeshGeometry mesh{points, connectivity, std::make_shared<std::vector<Index>>(std::vector<Index>{0, 27}),
                            std::make_shared<std::vector<std::uint8_t>>(1, std::uint8_t{29})};
    const auto skin = make_surface(mesh);
    QVERIFY(skin.ok());
    QCOMPARE(skin->triangles.size() / 3, std::size_t{48});
    QCOMPARE(std::set<Index>(skin->nodes.begin(), skin->nodes.end()).count(26), std::size_t{0});  // the middle
    QVERIFY(std::abs(enclosed_volume(*skin, *points) - 1) < 1e-12);
  }

  void damaged_meshes_are_refused() {
    std::mt19937 random(3);
    const auto frame = sample::cubes(3);
    const MeshGeometry good = mesh_of(*frame);
    int refused = 0;
    for (int trial = 0; trial < 300; ++trial) {
      auto connectivity = std::make_shared<std::vector<Index>>(*good.connectivity);
      auto offsets = std::make_shared<std::vector<Index>>(*good.offsets);
      auto types = std::make_shared<std::vector<std::uint8_t>>(*good.types);
      switch (trial % 5) {
        case 0: (*connectivity)[random() % connectivity->size()] = 1000000; break;
        case 1: (*connectivity)[random() % connectivity->size()] = -5; break;
        case 2: (*offsets)[1 + random() % (offsets->size() - 1)] += 1 + static_cast<Index>(random() % 1000); break;
        case 3: offsets->pop_back(); break;
        default: (*types)[random() % types->size()] = 10; break;
      }
      refused += make_surface({good.points, connectivity, offsets, types}).ok() ? 0 : 1;
    }
    QCOMPARE(refused, 300);
    QVERIFY(!make_surface({}).ok());
  }
};

QTEST_APPLESS_MAIN(TestSurfaceMesh)
#include "test_surface_mesh.moc"
