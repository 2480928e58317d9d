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

const MeshGeometry& mesh_of(const Frame& frame) {
  return std::get<MeshGeometry>(frame.parts.front().geometry);
}

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

  void curved_faces_are_drawn_finer_on_their_own_shape() {
    // A quarter of a cylinder of radius 1 as two faces of 9 nodes, and the same as 8 and 6 nodes: mid nodes on the circle.
    auto points = std::make_shared<std::vector<double>>();
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 5; ++i) {
        const double angle = i * 3.14159265358979323846 / 8;
        points->insert(points->end(), {std::cos(angle), std::sin(angle), 0.5 * j});
      }
    const auto node = [](int i, int j) { return static_cast<Index>(5 * j + i); };
    auto connectivity = std::make_shared<std::vector<Index>>();
    for (int c = 0; c < 2; ++c) {
      const int a = 2 * c;
      for (const Index k : {node(a, 0), node(a + 2, 0), node(a + 2, 2), node(a, 2), node(a + 1, 0), node(a + 2, 1),
                            node(a + 1, 2), node(a, 1), node(a + 1, 1)})
        connectivity->push_back(k);
    }
    const auto make = [&](std::vector<Index> nodes, std::vector<Index> ends, std::uint8_t type, int pieces) {
      const MeshGeometry mesh{points, std::make_shared<std::vector<Index>>(std::move(nodes)),
                              std::make_shared<std::vector<Index>>(ends),
                              std::make_shared<std::vector<std::uint8_t>>(ends.size() - 1, type)};
      auto skin = make_surface(mesh, pieces);
      if (!skin) qFatal("%s", skin.error().text.c_str());
      return std::move(skin).value();
    };
    const auto worst = [&](const SurfaceMesh& skin) {  // how far the middles of all edges are from the circle
      double far = 0;
      for (std::size_t e = 0; e < skin.edges.size(); e += 2) {
        double p[2];
        for (std::size_t k = 0; k < 2; ++k)
          p[k] = (skin.value(static_cast<std::size_t>(skin.edges[e]), points->data(), 3, k) +
                  skin.value(static_cast<std::size_t>(skin.edges[e + 1]), points->data(), 3, k)) /
                 2;
        far = std::max(far, std::abs(std::hypot(p[0], p[1]) - 1));
      }
      return far;
    };
    const SurfaceMesh coarse = make(*connectivity, {0, 9, 18}, 28, 1), fine = make(*connectivity, {0, 9, 18}, 28, 2);
    QCOMPARE(coarse.triangles.size() / 3, std::size_t{16});
    QCOMPARE(fine.triangles.size() / 3, std::size_t{64});
    // Flat pieces of half the length are four times nearer to the arc: 1 − cos(π/16) and 1 − cos(π/32).
    QVERIFY(std::abs(worst(coarse) - (1 - std::cos(3.14159265 / 16))) < 1e-6);
    QVERIFY(worst(fine) < 0.3 * worst(coarse));
    // The side between the two faces has one set of nodes: 9 × 5 places in all.
    QCOMPARE(fine.nodes.size(), std::size_t{45});
    // Any quadratic is met exactly between the points.
    std::vector<double> field;
    for (std::size_t k = 0; k < points->size() / 3; ++k) {
      const double s = std::atan2((*points)[3 * k + 1], (*points)[3 * k]), z = (*points)[3 * k + 2];
      field.push_back(s * s + z * z - s * z);
    }
    const auto meets = [&](const SurfaceMesh& skin, int steps) {
      int found = 0;
      for (std::size_t k = 0; k < skin.nodes.size(); ++k) {
        const double v = skin.value(k, field.data(), 1, 0);
        for (int i = 0; i <= 2 * steps; ++i)
          for (int j = 0; j <= steps; ++j) {
            const double s = i * 3.14159265358979323846 / 4 / steps, z = static_cast<double>(j) / steps;
            if (std::abs(v - (s * s + z * z - s * z)) < 1e-9) {
              ++found;
              i = 1000;
              break;
            }
          }
      }
      return found;
    };
    QCOMPARE(meets(fine, 4), 45);
    std::vector<Index> eight;
    for (std::size_t c = 0; c < 2; ++c)
      eight.insert(eight.end(), connectivity->begin() + static_cast<long>(9 * c),
                   connectivity->begin() + static_cast<long>(9 * c) + 8);
    const SurfaceMesh serendipity = make(eight, {0, 8, 16}, 23, 2);
    QCOMPARE(serendipity.triangles.size() / 3, std::size_t{64});
    QCOMPARE(meets(serendipity, 4), 45);
    const SurfaceMesh six =
        make({node(0, 0), node(2, 0), node(0, 2), node(1, 0), node(1, 1), node(0, 1)}, {0, 6}, 22, 2);
    QCOMPARE(six.triangles.size() / 3, std::size_t{16});
    QCOMPARE(meets(six, 4), 15);
  }

  void lines_alone_become_a_band() {
    // Two pieces of order 2 and one of order 1: five pieces, each with the cell that colours it.
    auto points = std::make_shared<std::vector<double>>();
    for (const double x : {0.0, 2.0, 1.0, 4.0, 3.0, 7.0}) points->insert(points->end(), {x, 0, 0});
    const auto connectivity = std::make_shared<std::vector<Index>>(std::vector<Index>{0, 1, 2, 1, 3, 4, 3, 5});
    const auto offsets = std::make_shared<std::vector<Index>>(std::vector<Index>{0, 3, 6, 8});
    const auto types = std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{21, 21, 3});
    const auto skin = make_surface({points, connectivity, offsets, types});
    QVERIFY(skin.ok() && !skin->has_volume_cells);
    QCOMPARE(skin->triangle_cell, (std::vector<Index>{0, 0, 0, 0, 1, 1, 1, 1, 2, 2}));
    QCOMPARE(skin->nodes.size(), std::size_t{12});
    QCOMPARE(skin->across.size(), skin->nodes.size());
    // The band is as long as the lines, and its two sides lie on the same points.
    double length = 0;
    for (std::size_t t = 0; t < skin->triangle_cell.size(); ++t) {
      std::set<Index> at;
      std::set<int> sides;
      for (std::size_t k = 0; k < 3; ++k) {
        const auto node = static_cast<std::size_t>(skin->triangles[3 * t + k]);
        at.insert(skin->nodes[node]);
        sides.insert(skin->across[node]);
      }
      QVERIFY(at.size() == 2 && sides == (std::set<int>{-1, 1}));
      length += std::abs((*points)[3 * static_cast<std::size_t>(*at.begin())] -
                         (*points)[3 * static_cast<std::size_t>(*at.rbegin())]) /
                2;
    }
    QCOMPARE(length, 7.0);
    // A line beside a surface stays a line.
    const auto mixed = make_surface({points, std::make_shared<std::vector<Index>>(std::vector<Index>{0, 1, 2, 0, 3}),
                                     std::make_shared<std::vector<Index>>(std::vector<Index>{0, 3, 5}),
                                     std::make_shared<std::vector<std::uint8_t>>(std::vector<std::uint8_t>{5, 3})});
    QVERIFY(mixed.ok() && mixed->across.empty());
    QCOMPARE(mixed->triangle_cell.size(), std::size_t{1});
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
