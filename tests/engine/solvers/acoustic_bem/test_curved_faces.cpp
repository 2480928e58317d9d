// SPDX-License-Identifier: BSD-3-Clause
// Corners of curved bodies are moved until the volume is that of the curved surface; flat sides, true edges, rims and junctions stay.
// labels: unit
#include <QTest>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/curved_faces.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

double volume_of(const Mesh& mesh) {
  return signed_volume(*make_surface(mesh, Ordering::given));
}

/// A spheroid with its corners on the surface.
Mesh spheroid(int divisions, double along) {
  Mesh mesh = *icosphere({.radius = 1, .divisions = divisions});
  for (std::size_t k = 2; k < mesh.mutable_points().size(); k += 3) mesh.mutable_points()[k] *= along;
  return mesh;
}

Mesh cylinder(int around, int rings) {
  std::vector<std::array<double, 2>> profile{{0, 0}, {0.5, 0}};
  for (int k = 0; k <= rings; ++k) profile.push_back({1, 2.0 * k / rings});
  profile.push_back({0.5, 2});
  profile.push_back({0, 2});
  return *revolution({.profile = profile, .around = around});
}

}  // namespace

class TestCurvedFaces : public QObject {
  Q_OBJECT
 private slots:
  /// What flat faces lose falls with the square of the edge; what is left is less than a tenth, and falls with its fourth power but for tips
  /// so coarse that their edges count as true ones.
  void volumes_come_back() {
    for (const double along : {1.0, 7.0}) {
      const double exact = 4 * std::numbers::pi / 3 * along;
      double left[2] = {};
      for (int k = 0; k < 2; ++k) {
        const Mesh flat = spheroid(4 << k, along);
        const double lost = 1 - volume_of(flat) / exact;
        left[k] = std::abs(1 - volume_of(with_curved_faces(flat)->mesh) / exact);
        QVERIFY2(lost > 0.005 && left[k] < 0.1 * lost, qPrintable(QString("%1 of %2").arg(left[k]).arg(lost)));
      }
      QVERIFY2(left[1] < (along > 1 ? 0.3 : 0.12) * left[0],
               qPrintable(QString("%1 after %2").arg(left[1]).arg(left[0])));
    }
  }
  void rooms_and_faces_turned_round_are_alike() {
    Mesh mesh = spheroid(4, 2);
    const auto want = with_curved_faces(mesh);
    std::vector<Index>& nodes = mesh.mutable_connectivity();
    for (std::size_t t = 0; t < nodes.size(); t += 3)
      if (t % 2 == 0) std::swap(nodes[t], nodes[t + 1]);
    const auto got = with_curved_faces(mesh);
    for (Index p = 0; p < mesh.point_count(); ++p)
      for (std::size_t d = 0; d < 3; ++d) QVERIFY(std::abs(got->mesh.point(p)[d] - want->mesh.point(p)[d]) < 1e-14);
    QVERIFY(want->farthest > 0.01);
  }
  /// Half a spheroid on a ground goes where that with its image does.
  void bodies_on_a_ground_have_their_image() {
    std::vector<std::array<double, 2>> profile;
    for (int k = 0; k <= 8; ++k)
      profile.push_back(
          {k % 8 == 0 ? 0.0 : std::sin(k * std::numbers::pi / 8), -2 * std::cos(k * std::numbers::pi / 8)});
    const Mesh whole = *revolution({.profile = profile, .around = 8});
    // The lower half is the mirrored upper one; points in the ground are common to both.
    Mesh one, both;
    std::map<Index, Index> upper, lower;
    for (Index p = 0; p < whole.point_count(); ++p)
      if (const Vec3 x = whole.point(p); x[2] > -1e-9) {
        const bool in_ground = x[2] < 1e-9;
        upper[p] = one.add_point({x[0], x[1], in_ground ? 0 : x[2]});
      }
    for (const auto& [p, q] : upper) both.add_point(one.point(q));
    for (const auto& [p, q] : upper) {
      const Vec3 x = one.point(q);
      lower[p] = x[2] > 0 ? both.add_point({x[0], x[1], -x[2]}) : q;
    }
    for (Index c = 0; c < whole.cell_count(); ++c) {
      const auto n = whole.nodes(c);
      if (!upper.contains(n[0]) || !upper.contains(n[1]) || !upper.contains(n[2])) continue;
      one.add_cell(CellShape::triangle3, {upper[n[0]], upper[n[1]], upper[n[2]]});
      both.add_cell(CellShape::triangle3, {upper[n[0]], upper[n[1]], upper[n[2]]});
      both.add_cell(CellShape::triangle3, {lower[n[0]], lower[n[2]], lower[n[1]]});
    }
    const auto want = with_curved_faces(both);
    for (const bool rigid : {true, false}) {
      const auto got = with_curved_faces(one, Ground{.axis = 2, .height = 0, .rigid = rigid});
      QVERIFY(got->farthest > 0.01);
      for (Index p = 0; p < one.point_count(); ++p)
        for (std::size_t d = 0; d < 3; ++d) QVERIFY(std::abs(got->mesh.point(p)[d] - want->mesh.point(p)[d]) < 1e-12);
    }
  }
  void flat_sides_stay() {
    const Mesh box = *box_surface({.low = {0, 0, 0}, .high = {1, 2, 3}, .divisions = {2, 3, 4}});
    QVERIFY(with_curved_faces(box)->farthest < 1e-15);
    const Mesh sheet = *plate({.low = {-1, -1}, .high = {1, 1}, .divisions = {4, 4}, .level = 0});
    QCOMPARE(with_curved_faces(sheet)->farthest, 0.0);
  }
  /// The side goes outwards by the mean gap of its chords, L²/12 of a prism; its caps stay where they are, and edges stay edges.
  void cylinders_keep_their_caps() {
    const Mesh flat = cylinder(16, 4);
    const Mesh curved = with_curved_faces(flat)->mesh;
    double caps = 0;
    for (Index p = 0; p < flat.point_count(); ++p) {
      const Vec3 a = flat.point(p), b = curved.point(p);
      if (a[2] < 1e-9 || a[2] > 2 - 1e-9) caps = std::max(caps, std::abs(a[2] - b[2]));
    }
    QVERIFY2(caps < 1e-3, qPrintable(QString::number(caps)));
    const double exact = 2 * std::numbers::pi, lost = 1 - volume_of(flat) / exact,
                 left = std::abs(1 - volume_of(curved) / exact);
    QVERIFY2(lost > 0.02 && left < 0.15 * lost, qPrintable(QString("%1 of %2").arg(left).arg(lost)));
  }
  /// A piece of a sphere, open: its rim stays.
  void rims_stay() {
    Mesh sheet = *plate({.low = {-0.5, -0.5}, .high = {0.5, 0.5}, .divisions = {6, 6}, .level = 0});
    std::vector<double>& x = sheet.mutable_points();
    for (std::size_t k = 0; k < x.size(); k += 3) x[k + 2] = std::sqrt(1 - x[k] * x[k] - x[k + 1] * x[k + 1]);
    const Mesh curved = with_curved_faces(sheet)->mesh;
    for (Index p = 0; p < sheet.point_count(); ++p) {
      const Vec3 a = sheet.point(p), b = curved.point(p);
      const bool rim = std::max(std::abs(a[0]), std::abs(a[1])) > 0.499;
      const double out = std::hypot(b[0], b[1], b[2]) - 1;
      if (rim)
        QCOMPARE(b, a);
      else
        QVERIFY2(out > 0.001 && out < 0.01, qPrintable(QString::number(out)));  // L²/8 of edges of 0.17 to 0.24
    }
  }
};

QTEST_APPLESS_MAIN(TestCurvedFaces)
#include "test_curved_faces.moc"
