// SPDX-License-Identifier: BSD-3-Clause
// SIMD kernels equal the reference at odd sizes in both precisions; stress kernels are derivatives; rules integrate.
// labels: unit
#include <QTest>
#include <cmath>
#include <numbers>
#include <random>

#include "engine/mesh/generators.hpp"
#include "engine/solvers/elastic_bem/discretization/assembly.hpp"
#include "engine/solvers/elastic_bem/discretization/surface_loads.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::elastic_bem;

namespace {

constexpr double pi = std::numbers::pi;

template <class Real>
double far_error(int bytes, double beta, double omega, Part part, int nodes, std::mt19937& random) {
  const LaneKernels<Real>& k = lane_kernels<Real>(bytes);
  Medium medium;
  medium.nu = 0.3;
  medium.beta = beta;
  const Harmonic h(medium, omega);
  std::uniform_real_distribution<double> u(-1, 1);
  std::uniform_int_distribution<int> size(1, 21);
  const int count = size(random), stride = count + 3;
  const auto n = static_cast<std::size_t>(stride), lanes = static_cast<std::size_t>(k.lanes);
  std::vector<Real> x(n), y(n), z(n), nx(n), ny(n), nz(n), w(n), shape(n * static_cast<std::size_t>(nodes)),
      p(3 * lanes), out(static_cast<std::size_t>(nodes) * lane_values * lanes);
  for (std::size_t q = 0; q < n; ++q) {
    x[q] = static_cast<Real>(2 + u(random));
    y[q] = static_cast<Real>(u(random));
    z[q] = static_cast<Real>(u(random));
    const double a = u(random), b = u(random), c = u(random), l = std::sqrt(a * a + b * b + c * c);
    w[q] = static_cast<Real>(0.5 + 0.2 * u(random));
    nx[q] = static_cast<Real>(a / l) * w[q];
    ny[q] = static_cast<Real>(b / l) * w[q];
    nz[q] = static_cast<Real>(c / l) * w[q];
  }
  for (Real& s : shape) s = static_cast<Real>(u(random));
  for (Real& c : p) c = static_cast<Real>(0.3 * u(random));
  const LanePoints<Real> points{count,     nodes,     n,         x.data(), y.data(),    z.data(),
                                nx.data(), ny.data(), nz.data(), w.data(), shape.data()};
  k.far(lane_medium<Real>(h), points, p.data(), p.data() + lanes, p.data() + 2 * lanes, part, true, out.data());
  double worst = 0;
  for (std::size_t l = 0; l < lanes; ++l)
    for (int a = 0; a < nodes; ++a) {
      Matrix3 t{}, v{};
      double size_t_ = 0, size_u = 0;
      for (std::size_t q = 0; q < static_cast<std::size_t>(count); ++q) {
        const double weight = w[q],
                     s = nodes == 1 ? 1 : static_cast<double>(shape[static_cast<std::size_t>(a) * n + q]);
        const Kernels e = kernels(h, {p[l], p[lanes + l], p[2 * lanes + l]}, {x[q], y[q], z[q]},
                                  {nx[q] / weight, ny[q] / weight, nz[q] / weight}, part);
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j) {
            t[i][j] += 4 * pi * weight * s * e.t[i][j];
            v[i][j] += 4 * pi * h.mu * weight * s * e.u[i][j];
            size_t_ += std::abs(4 * pi * weight * e.t[i][j]) / 9;
            size_u += std::abs(4 * pi * h.mu * weight * e.u[i][j]) / 9;
          }
      }
      constexpr std::size_t symmetric[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
      const auto at = [&](std::size_t value) {
        return static_cast<double>(out[(static_cast<std::size_t>(a) * lane_values + value) * lanes + l]);
      };
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          const std::size_t o = lane_t + 2 * (3 * i + j), q = 2 * symmetric[i][j];
          worst = std::max(worst, std::abs(Complex(at(o), at(o + 1)) - t[i][j]) / size_t_);
          if (part != Part::fixed) worst = std::max(worst, std::abs(Complex(at(q), at(q + 1)) - v[i][j]) / size_u);
        }
    }
  return worst;
}

}  // namespace

class TestKernels : public QObject {
  Q_OBJECT

 private slots:
  void lanes_equal_the_reference() {
    std::mt19937 random(5);
    for (int bytes : {16, 32, 64})
      for (double beta : {0.0, 0.04})
        for (double omega : {1e-6, 0.05, 0.7, 4.0, 40.0})
          for (Part part : {Part::dynamic, Part::difference, Part::fixed})
            for (int nodes : {1, 3, 4, 6, 8, 9}) {
              const double twice = far_error<double>(bytes, beta, omega, part, nodes, random);
              QVERIFY2(
                  twice < 1e-12,
                  qPrintable(QString("%1 %2 %3 nodes %4: %5").arg(bytes).arg(beta).arg(omega).arg(nodes).arg(twice)));
              const double single = far_error<float>(bytes, beta, omega, part, nodes, random);
              QVERIFY2(
                  single < 3e-5,
                  qPrintable(
                      QString("single %1 %2 %3 nodes %4: %5").arg(bytes).arg(beta).arg(omega).arg(nodes).arg(single)));
            }
  }
  void one_point_equals_the_same_in_parts() {
    // `split` is u* of the whole kernel and t* of the difference in one go.
    std::mt19937 random(7);
    std::uniform_real_distribution<double> u(-1, 1);
    for (int bytes : {16, 32, 64})
      for (double beta : {0.0, 0.04})
        for (double omega : {1e-6, 0.05, 0.7, 4.0, 40.0}) {
          const LaneKernels<double>& k = lane_kernels<double>(bytes);
          Medium medium;
          medium.nu = 0.3;
          medium.beta = beta;
          const auto m = lane_medium<double>(Harmonic(medium, omega));
          const std::size_t n = 3 * static_cast<std::size_t>(k.lanes);
          std::vector<double> a(8 * n);
          for (double& v : a) v = u(random);
          const LanePoints<double> points{static_cast<int>(n), 1,         n,         &a[0],     &a[n],    &a[2 * n],
                                          &a[3 * n],           &a[4 * n], &a[5 * n], &a[6 * n], &a[7 * n]};
          std::array<double, lane_values> whole{}, difference{}, split{};
          k.near(m, points, nullptr, Part::dynamic, true, whole.data());
          k.near(m, points, nullptr, Part::difference, false, difference.data());
          k.near(m, points, nullptr, Part::split, true, split.data());
          double size_u = 0, size_t_ = 0;
          for (std::size_t q = 0; q < lane_values; ++q)
            (q < lane_t ? size_u : size_t_) += std::abs(q < lane_t ? whole[q] : difference[q]);
          for (std::size_t q = 0; q < lane_values; ++q) {
            const double off =
                q < lane_t ? std::abs(split[q] - whole[q]) / size_u : std::abs(split[q] - difference[q]) / size_t_;
            QVERIFY2(off < 1e-12,
                     qPrintable(QString("%1 %2 %3 value %4: %5").arg(bytes).arg(beta).arg(omega).arg(q).arg(off)));
          }
        }
  }
  void series_and_closed_form_meet() {
    Medium m;
    m.nu = 0.2;
    m.beta = 0.03;
    const Harmonic h(m, 1);
    for (double r : {0.9, 1.0, 1.5, 3.0}) {
      const Radial a = radial_closed(h, r), b = radial_series(h, r);
      QVERIFY(std::abs(a.psi - b.psi) < 1e-13 && std::abs(a.d2chi - b.d2chi) < 1e-11);
    }
  }
  void stress_kernels_are_derivatives() {
    Medium m;
    m.nu = 0.3;
    const Harmonic h(m, 2);
    const Vec3 to{1.1, 0.2, -0.4}, n{0.6, 0, 0.8};
    const StressKernels s = stress_kernels(h, {0, 0, 0}, to, n);
    const double step = 1e-3;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          // Hooke's law on u_i(ξ) = u*_ik t_k − t*_ik u_k, differenced with respect to ξ.
          const auto slope = [&](bool traction, std::size_t a, std::size_t l) {
            const auto at = [&](double q) {
              Vec3 from{};
              from[l] = q * step;
              const Kernels e = kernels(h, from, to, n);
              return traction ? e.t[a][k] : e.u[a][k];
            };
            return (at(-2) - 8.0 * at(-1) + 8.0 * at(1) - at(2)) / (12 * step);
          };
          Complex d = h.mu * (slope(false, i, j) + slope(false, j, i)),
                  t = h.mu * (slope(true, i, j) + slope(true, j, i));
          if (i == j)
            for (std::size_t l = 0; l < 3; ++l) {
              d += h.lambda * slope(false, l, l);
              t += h.lambda * slope(true, l, l);
            }
          QVERIFY(std::abs(d - s.d[k][i][j]) < 1e-9);
          QVERIFY(std::abs(t - s.s[k][i][j]) < 1e-9);
        }
  }
  void singular_and_near_rules_integrate_one_over_r() {
    Element e;
    e.shape = CellShape::quad4;
    e.x = {Vec3{0, 0, 0}, Vec3{3, 0, 0}, Vec3{3, 1, 0}, Vec3{0, 1, 0}};
    e.centre = {1.5, 0.5, 0};
    e.size = 3;
    e.length = {3, 1};
    const auto corner = [](double a, double b) {
      return a * std::asinh(b / a) + b * std::asinh(a / b);
    };  // ∫∫ 1/r from a corner
    const double x = 0.7, y = 0.2;
    const double exact = corner(x, y) + corner(3 - x, y) + corner(x, 1 - y) + corner(3 - x, 1 - y);
    for (double target : {1e-5, 1e-8}) {
      PointSet set;
      singular_rule(e, x / 3, y, target, 0, set);
      double sum = 0;
      for (std::size_t q = 0; q < set.w.size(); ++q) sum += set.w[q] / std::hypot(set.x[q] - x, set.y[q] - y);
      QVERIFY2(std::abs(sum / exact - 1) < target, qPrintable(QString::number(sum / exact - 1)));
    }
    // Solid angle of the rectangle from a point close above it.
    const double height = 0.01;
    PointSet set;
    near_rule(e, {x, y, height}, 1e-8, 0, set);
    double angle = 0;
    for (std::size_t q = 0; q < set.w.size(); ++q) {
      const double dx = set.x[q] - x, dy = set.y[q] - y, r = std::sqrt(dx * dx + dy * dy + height * height);
      angle += set.w[q] * height / (r * r * r);
    }
    const auto quarter = [&](double a, double b) {
      return std::atan(a * b / (height * std::sqrt(a * a + b * b + height * height)));
    };
    const double solid = quarter(x, y) + quarter(3 - x, y) + quarter(x, 1 - y) + quarter(3 - x, 1 - y);
    QVERIFY2(std::abs(angle / solid - 1) < 1e-6, qPrintable(QString::number(angle / solid - 1)));
  }
  void values_go_to_their_columns() {
    const auto check = []<class Real>(Real) {
      for (int bytes : {16, 32, 64})
        for (PutMode mode : {PutMode::add, PutMode::set, PutMode::stream})
          for (std::ptrdiff_t row : {0, 1, 16}) {  // aligned and not
            const LaneKernels<Real>& k = lane_kernels<Real>(bytes);
            const auto lanes = static_cast<std::size_t>(k.lanes);
            std::vector<Real> block(4 * lanes);
            for (std::size_t q = 0; q < block.size(); ++q) block[q] = static_cast<Real>(q * q % 11) - 5;
            constexpr std::size_t rows = 64;
            alignas(64) std::complex<Real> column[2 * rows];
            for (auto& c : column) c = {1, 2};
            const LanePut<Real> entries[2] = {{2, {3, 1}, column}, {0, {Real(-0.5), 0}, column + rows}};
            k.put(block.data(), entries, 2, row, mode);
            k.fence();
            for (std::size_t e = 0; e < 2; ++e)
              for (std::size_t r = 0; r < rows; ++r) {
                const std::size_t l = r - static_cast<std::size_t>(row);
                std::complex<Real> want{1, 2};
                if (r >= static_cast<std::size_t>(row) && l < lanes) {
                  const std::complex<Real> v(block[entries[e].value * lanes + l],
                                             block[(entries[e].value + 1) * lanes + l]);
                  want = entries[e].scale * v + (mode == PutMode::add ? want : std::complex<Real>(0));
                }
                if (column[e * rows + r] != want) return false;
              }
          }
      return true;
    };
    QVERIFY(check(0.0));
    QVERIFY(check(0.0F));
  }
  void columns_of_one_owner_need_no_zeros() {
    // A bent strip: odd rows, near pairs, several rules. Several workers must agree with one.
    BoxSurfaceOptions box;
    box.divisions = {5, 3, 1};
    box.quads = true;
    SurfaceOptions o;
    o.domain = Domain::inside;
    for (const bool constant : {true, false}) {
      o.constant = constant;
      o.discontinuous = !constant;
      const Surface cube = make_surface(*box_surface(box), o).value();
      QVERIFY(one_owner(cube));
      Medium medium;
      medium.nu = 0.3;
      const Harmonic h(medium, 1);
      const Accuracy accuracy{1e-5, false};
      const FarRules<double> rules(cube, accuracy, std::abs(h.kS), false);
      Bytes kept = static_cast<Bytes>(cube.active) * sizeof(Index);  // what check counts
      for (Index k = 0; k < cube.active; ++k)
        for (const auto& one : rules.classes(k))
          kept += sizeof one + static_cast<Bytes>(one.padded) *
                                   static_cast<Bytes>(7 + cube.elements[static_cast<std::size_t>(k)].nodes) *
                                   sizeof(double);
      QCOMPARE(FarRules<double>::bytes(cube, accuracy, std::abs(h.kS), false), kept);
      const auto m = static_cast<std::size_t>(cube.node_count()), t = cube.traction_node.size(), rows = 3 * m;
      const auto assembled = [&](std::vector<WorkerSpec> workers, double before) {
        std::vector<std::complex<double>> all(rows * 3 * (m + t), before);
        Targets<double> targets;
        for (std::size_t k = 0; k < m + t; ++k) {
          std::array<Target<double>, 3> of;
          for (std::size_t d = 0; d < 3; ++d) of[d] = {all.data() + (3 * k + d) * rows, 1};
          (k < m ? targets.h : targets.g).push_back(of);
        }
        Team team(std::move(workers));
        assemble_pairs<double>(team, cube, rules, accuracy, h, {cube.nodes, true}, targets);
        return all;
      };
      const auto clean = assembled({{"cpu", 1, 1}}, 0), dirty = assembled({{"cpu", 1, 1}, {"cpu", 2, 1}}, std::nan(""));
      double worst = 0, size = 0;
      for (std::size_t k = 0; k < clean.size(); ++k) {
        QVERIFY(std::isfinite(dirty[k].real()) && std::isfinite(dirty[k].imag()));
        worst = std::max(worst, std::abs(clean[k] - dirty[k]));
        size = std::max(size, std::abs(clean[k]));
      }
      QVERIFY(size > 0 && worst <= 1e-13 * size);
    }
    o.discontinuous = false;
    QVERIFY(!one_owner(make_surface(*box_surface(box), o).value()));
  }
  void creases_break_and_smooth_surfaces_hold_together() {
    BoxSurfaceOptions box;
    box.divisions = {3, 3, 3};
    box.quads = true;
    box.order = 2;
    SurfaceOptions o;
    o.domain = Domain::inside;
    const Surface cube = make_surface(*box_surface(box), o).value();
    QCOMPARE(cube.node_count(), Index{6 * 49});  // 7 × 7 a face, nothing shared across edges
    QVERIFY(std::all_of(cube.planar.begin(), cube.planar.end(), [](bool p) { return p; }));
    CubeSphereOptions sphere;
    sphere.divisions = 3;
    sphere.order = 2;
    const Surface ball = make_surface(*cube_sphere(sphere), {}).value();
    QCOMPARE(ball.node_count(), Index{4 * 6 * 9 + 2});
    QVERIFY(ball.hollow.front());
    QCOMPARE(ball.discontinuous, Index{0});
  }
  void a_force_within_a_half_space_leaves_its_surface_free() {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> u(-1, 1);
    const Vec3 up{0.6, 0, 0.8}, across{0, 1, 0}, along{0.8, 0, -0.6};
    const double level = 0.4, depth = 1.3;
    const auto at = [&](double x, double y, double z) {
      Vec3 out{};
      for (std::size_t d = 0; d < 3; ++d) out[d] = x * along[d] + y * across[d] + (level - z) * up[d];
      return out;
    };
    const auto length = [](const std::array<Complex, 3>& v) {
      return std::sqrt(std::norm(v[0]) + std::norm(v[1]) + std::norm(v[2]));
    };
    for (const double beta : {0.0, 0.05})
      for (const double omega : {0.0, 1e-3, 0.4, 2.0, 9.0})
        for (const double r : {0.0, 0.7, 30.0}) {
          Medium medium;
          medium.nu = 0.3;
          medium.beta = beta;
          const Harmonic h(medium, omega);
          const Vec3 force{u(random), u(random), u(random)}, from = at(0, 0, depth);
          const IncidentField whole = IncidentField::buried_force(from, force, up, level, h),
                              free = IncidentField::point_force(from, force, h);
          // A normal a little off that of the surface, so that the integrals are asked; a step into the medium by the same.
          const double tilt = 1e-7;
          Vec3 normal = up;
          for (std::size_t d = 0; d < 3; ++d) normal[d] += tilt * along[d];
          const Vec3 x = at(0.8 * r, 0.6 * r, 0);
          const auto left = whole.traction(x, normal), own = free.traction(x, normal);
          // tilt times stresses along the surface, which far away exceed the traction of the full space by up to a few r/d.
          QVERIFY2(length(left) < 30 * tilt * (1 + r / depth) * length(own),
                   qPrintable(QString("%1 %2 %3: %4").arg(beta).arg(omega).arg(r).arg(length(left) / length(own))));
          // Reciprocity with a force at another depth, and the table of the surface.
          const Vec3 y = at(0.8 * r + 0.2, 0.6 * r, 0.3);
          const auto there = whole.displacement(y);
          Complex a = 0, b = 0;
          const Vec3 other{0.3, -0.5, 0.8};
          const auto back = IncidentField::buried_force(y, other, up, level, h).displacement(from);
          for (std::size_t d = 0; d < 3; ++d) {
            a += there[d] * other[d];
            b += back[d] * force[d];
          }
          QVERIFY(std::abs(a - b) < 1e-9 * length(there));
          const auto on = whole.displacement(x), beside = whole.displacement(at(0.8 * r, 0.6 * r, 1e-7));
          double apart = 0;
          for (std::size_t d = 0; d < 3; ++d) apart = std::max(apart, std::abs(on[d] - beside[d]));
          QVERIFY2(apart < 1e-5 * length(on), qPrintable(QString("%1 %2: %3").arg(omega).arg(r).arg(apart)));
        }
  }
  void a_damped_surface_under_loads_comes_to_rest_far_away() {
    // Nothing falls more slowly than a P wave: e^{−|Im k_P| r}, times k_S r for what the response is relative to.
    Medium medium;
    medium.nu = 0.3;
    medium.beta = 0.2;
    const Harmonic h(medium, 1);
    for (const double z : {60.0, 100.0, 150.0}) {
      const SurfaceResponse s = surface_response(medium.nu, z * h.kS / std::abs(h.kS));
      const double most = z * std::exp(h.kappa * h.kS.imag() / std::abs(h.kS) * z);
      for (const Complex v : {s.v, s.u, s.a, s.b})
        QVERIFY2(std::abs(v) < most, qPrintable(QString::number(std::abs(v))));
    }
  }
  void flat_faces_need_no_row_sums() {
    // ½ and a contour against rigid-body sums over the closed cube.
    BoxSurfaceOptions box;
    box.divisions = {2, 2, 2};
    box.quads = true;
    box.order = 2;
    SurfaceOptions o;
    o.domain = Domain::inside;
    const Surface cube = make_surface(*box_surface(box), o).value();
    Team team({{"cpu", 2, 1}});
    const auto sums = static_diagonal(team, cube, {1e-8, false}, 0.3, true),
               direct = static_diagonal(team, cube, {1e-8, false}, 0.3);
    QCOMPARE(direct.summed_rows, Index{0});
    double worst = 0;
    for (std::size_t n = 0; n < sums.blocks.size(); ++n)
      for (std::size_t q = 0; q < 9; ++q) worst = std::max(worst, std::abs(sums.blocks[n][q] - direct.blocks[n][q]));
    QVERIFY2(worst < 1e-5, qPrintable(QString::number(worst)));
  }
};

QTEST_GUILESS_MAIN(TestKernels)
#include "test_kernels.moc"
