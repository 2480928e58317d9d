// SPDX-License-Identifier: BSD-3-Clause
// Screens: what layers at the rim gain; sheets that meet along an edge; faces turned; where points lie; what facets lose.
// labels: unit timeout300
#include <Eigen/LU>
#include <QTest>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <map>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/facets.hpp"
#include "engine/solvers/acoustic_bem/discretization/places.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/solvers/acoustic_bem/verify/screens.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

Mesh cube(int n, double low = -0.5, double high = 0.5) {
  return *box_surface({.low = {low, low, low}, .high = {high, high, high}, .divisions = {n, n, n}});
}

/// Some cells of a surface mesh run the other way round.
Mesh shuffled(const Mesh& mesh) {
  std::mt19937 random(7);
  Mesh out;
  for (Index p = 0; p < mesh.point_count(); ++p) out.add_point(mesh.point(p));
  for (Index c = 0; c < mesh.cell_count(); ++c) {
    std::vector<Index> n(mesh.nodes(c).begin(), mesh.nodes(c).end());
    if (random() % 3 == 0) std::reverse(n.begin(), n.end());
    out.add_cell(mesh.shape(c), n);
  }
  return out;
}

/// A cube of n divisions with a wall across it at z = 1/2 − 1/3: three sheets meet along the wall's edges.
Mesh divided_cube(int n) {
  Mesh mesh = cube(n);
  const double level = 0.5 - 1.0 / 3;
  std::map<std::array<long, 2>, Index> at;
  const auto key = [&](const Vec3& x) {
    return std::array<long, 2>{std::lround((x[0] + 0.5) * n), std::lround((x[1] + 0.5) * n)};
  };
  for (Index p = 0; p < mesh.point_count(); ++p)
    if (const Vec3 x = mesh.point(p); std::abs(x[2] - level) < 1e-9) at[key(x)] = p;
  const auto point = [&](int i, int j) {
    const Vec3 x{1.0 * i / n - 0.5, 1.0 * j / n - 0.5, level};
    const auto [found, fresh] = at.try_emplace(key(x), Index{-1});
    if (fresh) found->second = mesh.add_point(x);
    return found->second;
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Index a = point(i, j), b = point(i + 1, j), c = point(i + 1, j + 1), d = point(i, j + 1);
      mesh.add_cell(CellShape::triangle3, {a, b, c});
      mesh.add_cell(CellShape::triangle3, {a, c, d});
    }
  return mesh;
}

/// Spherical shell with a hole of the given half-angle: |pressure in the middle| under a plane wave along the axis, by an equation of
/// the second kind. Velocities v in the hole have coefficients v_n = ∫_0^α G(φ) cos((n+½)φ) dφ (Abel's transform: smooth G
/// give the rim's singularity), and equal pressures on both sides πG(φ) + Σ ((n+½)c_n − 2) v_n cos((n+½)φ) = Σ p_n cos((n+½)φ),
/// c_n = j_n/(k j_n') − h_n/(k h_n'), p_n of the wave on the closed sphere. G by even Legendre polynomials of φ/α, which
/// are spherical Bessel functions of (n+½)α.
double pressure_in_the_middle(double k, double alpha, int functions) {
  using Complex = std::complex<double>;
  constexpr int terms = 1500, exact = 25;
  Eigen::MatrixXcd matrix = Eigen::MatrixXcd::Zero(functions, functions);
  Eigen::VectorXcd right = Eigen::VectorXcd::Zero(functions), first = right;
  double j0_slope = 0;
  for (int m = 0; m < functions; ++m) matrix(m, m) = std::numbers::pi * alpha / (4 * m + 1);
  for (int n = 0; n < terms; ++n) {
    Complex c, p = 0;
    const auto order = static_cast<unsigned>(n);
    if (n <= exact) {
      const double j = std::sph_bessel(order, k), y = std::sph_neumann(order, k),
                   dj = n / k * j - std::sph_bessel(order + 1, k), dy = n / k * y - std::sph_neumann(order + 1, k);
      if (n == 0) j0_slope = dj;
      const Complex h{j, y}, dh{dj, dy};
      c = j / (k * dj) - h / (k * dh);
      p = (2.0 * n + 1) * std::pow(Complex{0, -1}, n) * Complex{0, 1} / (k * k * dh);
    } else {  // beginnings of both series
      const double a = -k * k / (2 * (2 * n + 3)), b = k * k / (2 * (2 * n - 1));
      c = (1 + a) / (n + (n + 2) * a) - (1 + b) / (-(n + 1) + (1 - n) * b);
    }
    Eigen::VectorXd q(functions);
    for (int m = 0; m < functions; ++m)
      q[m] = alpha * (m % 2 == 0 ? 1 : -1) * std::sph_bessel(static_cast<unsigned>(2 * m), (n + 0.5) * alpha);
    matrix += ((n + 0.5) * c - 2.0) * (q * q.transpose());
    right += p * q;
    if (n == 0) first = q.cast<Complex>();
  }
  const Eigen::VectorXcd g = matrix.partialPivLu().solve(right);
  return std::abs(0.5 * first.cwiseProduct(g).sum() / (k * j0_slope));
}

}  // namespace

class TestScreens : public QObject {
  Q_OBJECT
  Team team_{{{"cpu", 2, 1}}};

 private slots:
  void layers_at_the_rim_take_its_error_away() {
    const ScreenError plain = disc_in_stream(5, 1, team_), cut = disc_in_stream(5, usual_rim_layers, team_),
                      finer = disc_in_stream(5, 6, team_);
    QCOMPARE(cut.unknowns, plain.unknowns);
    const QByteArray found =
        QByteArray::number(plain.value) + " " + QByteArray::number(cut.value) + " " + QByteArray::number(finer.value);
    // In energy, √x on [0, 1] by linear functions on 4 and 6 layers is 35 and 105 times better than by one.
    QVERIFY2(std::abs(cut.value) < 0.06 * std::abs(plain.value), found.constData());
    QVERIFY2(std::abs(finer.value) < 0.6 * std::abs(cut.value), found.constData());
  }

  /// The table's exact value, found by another equation than the one that it comes from.
  void the_resonance_of_the_table_is_that_of_a_second_equation() {
    for (const int functions : {2, 4}) {
      const auto p = [&](double k) { return pressure_in_the_middle(k, std::numbers::pi / 6, functions); };
      double best = 0.54;
      for (double step = 1e-3; step > 1e-7; step /= 4)
        while (true) {
          if (p(best + step) > p(best))
            best += step;
          else if (p(best - step) > p(best))
            best -= step;
          else
            break;
        }
      QVERIFY2(std::abs(best - shell_resonance_exact) < 5e-6, QByteArray::number(best, 'g', 8).constData());
    }
  }

  void layers_keep_the_surface_and_its_unknowns() {
    const Mesh mesh = disc(5);
    const Surface plain = *make_surface(mesh, Ordering::hilbert, 1), cut = *make_surface(mesh, Ordering::hilbert, 5);
    QCOMPARE(cut.unknowns, plain.unknowns);
    QVERIFY(std::abs(cut.area / plain.area - 1) < 1e-13);
    QCOMPARE(cut.mean_edge, plain.mean_edge);
    for (const Triangle& t : cut.triangles) {
      QVERIFY(t.area > 0);
      QVERIFY(t.normal[2] > 0.999);
    }
    for (Index v = 0; v < cut.unknowns; ++v) {
      QCOMPARE(cut.shares(static_cast<std::int32_t>(v)).size(), std::size_t{1});
      QCOMPARE(cut.mesh_point[static_cast<std::size_t>(v)], plain.mesh_point[static_cast<std::size_t>(v)]);
    }
  }

  /// A source behind walls: outside, form N gives exactly minus its field, whatever stands inside the body.
  void sheets_that_meet_along_an_edge_share_their_jumps() {
    const Surface s = *make_surface(divided_cube(6), Ordering::hilbert);
    QVERIFY(s.bodies.empty());
    const double open = interior_source_error(*make_surface(cube(6), Ordering::hilbert), team_),
                 divided = interior_source_error(s, team_);
    QVERIFY2(divided < 2 * open, (QByteArray::number(open) + " " + QByteArray::number(divided)).constData());
  }

  void at_a_junction_the_jumps_add_up_to_nothing() {
    const Surface s = *make_surface(divided_cube(3), Ordering::hilbert);
    // Per point of a junction two values are free: with three sheets round it, one is given by the two others.
    std::map<Index, int> values;
    for (const Index p : s.mesh_point) ++values[p];
    int junctions = 0;
    for (std::size_t v = 0; v < s.mesh_point.size(); ++v) {
      const auto shares = s.shares(static_cast<std::int32_t>(v));
      if (values[s.mesh_point[v]] == 1) continue;
      QCOMPARE(values[s.mesh_point[v]], 3);
      junctions += shares.size() == 2;
      for (const Share& part : shares) QCOMPARE(std::abs(part.weight), 1.0);
    }
    QCOMPARE(junctions, 12);
  }

  void faces_are_turned_outwards() {
    const Mesh good = cube(3), bad = shuffled(good);
    QCOMPARE(make_surface(good, Ordering::given)->turned, Index{0});
    const Surface s = *make_surface(bad, Ordering::given);
    QVERIFY(s.turned > 0);
    for (const Triangle& t : s.triangles) QVERIFY(vec::dot(t.normal, t.centroid) > 0);
    const Surface sheet = *make_surface(shuffled(disc(3)), Ordering::given);
    for (const Triangle& t : sheet.triangles) QCOMPARE(t.normal[2], sheet.triangles.front().normal[2]);
    const auto told = check_surface(bad, true, "NC");
    QCOMPARE(told.size(), std::size_t{1});
    QCOMPARE(told[0].severity, Severity::warning);
  }

  void places_are_told_apart() {
    Mesh two = cube(4);
    const Mesh small = cube(2, 2, 2.5);
    for (Index p = 0; p < small.point_count(); ++p) two.add_point(small.point(p));
    for (Index c = 0; c < small.cell_count(); ++c) {
      std::vector<Index> n(small.nodes(c).begin(), small.nodes(c).end());
      for (Index& p : n) p += two.point_count() - small.point_count();
      two.add_cell(small.shape(c), n);
    }
    const Surface s = *make_surface(two, Ordering::hilbert);
    QCOMPARE(s.bodies.size(), std::size_t{2});
    const PlaceFinder places(s, true);
    const auto side = [&](const Vec3& x) { return places.of(x).side; };
    QCOMPARE(side({0, 0, 0}), Side::inside);
    QCOMPARE(side({2.25, 2.25, 2.25}), Side::inside);
    QCOMPARE(side({0.1, 0.2, 0.5}), Side::on_body);
    QCOMPARE(side({0.1, 0.5, 0.5}), Side::on_body);
    QCOMPARE(side({0.5, 0.5, 0.5}), Side::on_body);
    QCOMPARE(side({0.1, 0.2, 0.499}), Side::on_body);
    QCOMPARE(side({0.1, 0.2, 0.45}), Side::inside);
    QCOMPARE(side({0.1, 0.2, 0.501}), Side::outside);
    QCOMPARE(side({1, 1, 1}), Side::outside);
    QCOMPARE(side({1, 0, 0.5}), Side::outside);
    QCOMPARE(PlaceFinder(s, false).of({0, 0, 0}).side, Side::outside);
    QCOMPARE(PlaceFinder(s, false).of({0.1, 0.2, 0.5}).side, Side::on_screen);
    const Surface sheet = *make_surface(disc(3), Ordering::hilbert);
    QCOMPARE(PlaceFinder(sheet, true).of({0.1, 0.2, 0}).side, Side::on_screen);
    QCOMPARE(PlaceFinder(sheet, true).of({0.1, 0.2, 0.01}).side, Side::outside);
  }

  void facets_tell_what_they_lose() {
    const Facets sphere = facets_of(unit_sphere(4, false));
    const double lost = 1 - signed_volume(unit_sphere(4, false)) / (4 * 3.141592653589793 / 3);
    QVERIFY2(std::abs(sphere.lost_volume / lost - 1) < 0.1, QByteArray::number(sphere.lost_volume / lost).constData());
    QVERIFY(sphere.missing_angle < 0.2);
    // Stretched triangles, also on a body in whose inside the sound is.
    for (const bool inside : {false, true}) {
      Conditions conditions;
      conditions.inside = inside;
      const Surface needle = *make_surface(*ellipsoid({.semi_axes = {1, 1, 7}, .divisions = 12}), Ordering::hilbert,
                                           usual_rim_layers, conditions);
      const double of_needle = 1 - std::abs(signed_volume(needle)) / (7 * 4 * 3.141592653589793 / 3),
                   told = facets_of(needle).lost_volume;
      QVERIFY2(std::abs(told / of_needle - 1) < 0.2, QByteArray::number(told / of_needle).constData());
    }
    QVERIFY(std::abs(facets_of(unit_cube(3)).lost_volume) < 1e-14);
    QVERIFY(facets_of(unit_cube(3)).missing_angle < 1e-12);
    QVERIFY(facets_of(*make_surface(*ellipsoid({.semi_axes = {1, 1, 7}, .divisions = 6}), Ordering::hilbert))
                .missing_angle > 0.6);
  }

  void matrices_do_not_depend_on_the_threads() {
    const Surface s = unit_sphere(6);
    const Form form = form_for(s, FormName::NC);
    // Many threads have tiles cut into pieces.
    for (const int threads : {3, 16}) {
      Team one({{"cpu", 1, 1}}), many({{"cpu", threads, 1}});
      const auto a = assemble_all<double>(s, form, {}, one), b = assemble_all<double>(s, form, {}, many);
      QVERIFY(std::abs(a.skew - b.skew) < 1e-12 * a.skew);
      QVERIFY(b.evaluations > a.evaluations);
      for (Index k = 0; k < a.slices.columns(); ++k) QVERIFY(dense_matrix(a, k) == dense_matrix(b, k));
    }
  }
};

QTEST_APPLESS_MAIN(TestScreens)
#include "test_screens.moc"
