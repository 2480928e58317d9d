// SPDX-License-Identifier: BSD-3-Clause
// Shape functions, element matrices and the numbering.
// labels: unit
#include <QTest>
#include <cmath>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/order.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/solvers/maxwell_fem/discretization/elements.hpp"
#include "engine/solvers/maxwell_fem/discretization/patch.hpp"
#include "engine/solvers/maxwell_fem/solving/next_order.hpp"

#include <Eigen/Dense>

using namespace conoid;
using namespace conoid::maxwell_fem;
using namespace conoid::vec;

namespace {

Mesh bent_box(bool curved) {
  Mesh m = *box({.divisions = {2, 2, 2}, .simplices = true});
  if (curved) m = to_order2(m);
  // A smooth bend of all points.
  for (Index p = 0; p < m.point_count(); ++p) {
    auto& x = m.mutable_points();
    const double a = x[3 * p], b = x[3 * p + 1], c = x[3 * p + 2];
    if (curved) {
      x[3 * p] = a + 0.06 * std::sin(2 * b + c);
      x[3 * p + 1] = b + 0.05 * a * c;
      x[3 * p + 2] = c + 0.04 * std::cos(3 * a);
    } else {
      x[3 * p] = a + 0.3 * b;
      x[3 * p + 1] = b - 0.2 * c;
    }
  }
  return m;
}

double largest_difference(const ElementMatrix& a, const ElementMatrix& b, int n) {
  double out = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) out = std::max(out, std::abs(a[i][j] - b[i][j]));
  return out;
}

}  // namespace

class TestElements : public QObject {
  Q_OBJECT

 private slots:
  void functions_are_independent_and_contain_the_polynomials() {
    // Order 1 contains constants, order 2 all linear vector fields: 3 and 12 fields.
    for (int order : {1, 2}) {
      const int n = unknowns_of(order), fields = order == 1 ? 3 : 12;
      Eigen::MatrixXd basis(3 * 64, n), wanted(3 * 64, fields);
      int row = 0;
      for (const QuadraturePoint& q : quadrature(CellShape::tet4, 4)) {
        const BasisValues b = nedelec(order, q.at);
        for (int d = 0; d < 3; ++d, ++row) {
          for (int i = 0; i < n; ++i) basis(row, i) = b.value[i][d];
          for (int f = 0; f < fields; ++f) {
            const double monomial = f / 3 == 0 ? 1 : q.at[f / 3 - 1];
            wanted(row, f) = f % 3 == d ? monomial : 0;
          }
        }
      }
      Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(basis);
      QCOMPARE(qr.rank(), n);
      QVERIFY((basis * qr.solve(wanted) - wanted).norm() < 1e-12);
    }
  }

  void functions_of_the_next_order_add_to_it_what_it_takes() {
    for (int order : {1, 2}) {
      const int own = unknowns_of(order), added = added_functions(order, {0, 0, 0}).count, n = own + added;
      QCOMPARE(n, order == 1 ? 20 : 45);
      // Order 3 contains all quadratic vector fields, order 2 the linear ones.
      const int monomials = order == 1 ? 4 : 10;
      Eigen::MatrixXd basis(3 * 125, n), wanted(3 * 125, 3 * monomials);
      int row = 0;
      for (const QuadraturePoint& q : quadrature(CellShape::tet4, 5)) {
        const BasisValues b = nedelec(order, q.at);
        const AddedValues a = added_functions(order, q.at);
        const auto& x = q.at;
        const std::array<double, 10> m{1,           x[0],        x[1],        x[2],        x[0] * x[0],
                                       x[1] * x[1], x[2] * x[2], x[0] * x[1], x[0] * x[2], x[1] * x[2]};
        for (int d = 0; d < 3; ++d, ++row) {
          for (int i = 0; i < n; ++i) basis(row, i) = i < own ? b.value[i][d] : a.value[i - own][d];
          for (int f = 0; f < 3 * monomials; ++f) wanted(row, f) = f % 3 == d ? m[f / 3] : 0;
        }
      }
      Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(basis);
      qr.setThreshold(1e-9);
      QCOMPARE(qr.rank(), n);
      QVERIFY((basis * qr.solve(wanted) - wanted).norm() < 1e-11);
      // Curls by differences.
      const Vec3 at{0.21, 0.33, 0.17};
      constexpr double h = 1e-5;
      std::array<AddedValues, 6> near;
      for (int d = 0; d < 3; ++d)
        for (int side : {0, 1}) {
          Vec3 there = at;
          there[d] += side == 0 ? -h : h;
          near[2 * d + side] = added_functions(order, there);
        }
      const AddedValues here = added_functions(order, at);
      for (int i = 0; i < added; ++i)
        for (int d = 0; d < 3; ++d) {
          const int e = (d + 1) % 3, f = (d + 2) % 3;
          const double curl = (near[2 * e + 1].value[i][f] - near[2 * e].value[i][f] - near[2 * f + 1].value[i][e] +
                               near[2 * f].value[i][e]) /
                              (2 * h);
          QVERIFY(std::abs(curl - here.curl[i][d]) < 1e-8);
        }
      // On the face opposite of corner 0 only its own functions and those of its edges have a tangential trace.
      const Vec3 on_face{0.3, 0.25, 0.45};
      const AddedValues trace = added_functions(order, on_face);
      const Vec3 normal{1, 1, 1};
      const int on = order == 1 ? 2 : 4;
      for (int i = 0; i < added; ++i) {
        const bool its = (i < 6 && local_edges[i][0] != 0) || (i >= 6 + 3 * on && i < 6 + 4 * on);
        const double size = norm(cross(normal, trace.value[i]));
        QVERIFY(its ? size > 1e-3 : size < 1e-14);
      }
    }
  }

  void curls_are_the_derivatives_of_the_values() {
    const Vec3 at{0.21, 0.33, 0.17};
    const double h = 1e-5;
    const BasisValues b = nedelec(2, at);
    for (int i = 0; i < 20; ++i) {
      Vec3 derivative[3];
      for (int d = 0; d < 3; ++d) {
        Vec3 up = at, down = at;
        up[d] += h;
        down[d] -= h;
        derivative[d] = scale(1 / (2 * h), sub(nedelec(2, up).value[i], nedelec(2, down).value[i]));
      }
      const Vec3 curl{derivative[1][2] - derivative[2][1], derivative[2][0] - derivative[0][2],
                      derivative[0][1] - derivative[1][0]};
      QVERIFY(distance(curl, b.curl[i]) < 1e-9);
    }
  }

  void straight_matrices_equal_quadrature() {
    const Mesh m = bent_box(false);
    const Medium medium{{Complex(2, -0.3), 3.0, Complex(1.5, -1)}, {1.2, Complex(2, -0.1), 1.0}};
    for (int order : {1, 2}) {
      const Space space = *Space::make(m, order);
      const Elements elements(order);
      for (Index t = 0; t < static_cast<Index>(space.tets().size()); t += 5) {
        QVERIFY(!space.tets()[t].curved);
        QVERIFY(largest_difference(elements.matrix(space, t, medium, 1.7),
                                   elements.by_quadrature(space, t, medium, 1.7, 6), unknowns_of(order)) < 1e-12);
      }
    }
  }

  void curved_matrices_converge_in_the_number_of_points() {
    const Mesh m = bent_box(true);
    const Space space = *Space::make(m, 2);
    const Elements elements(2);
    int curved = 0;
    for (Index t = 0; t < static_cast<Index>(space.tets().size()); t += 7) {
      curved += space.tets()[t].curved;
      QVERIFY(largest_difference(elements.matrix(space, t, {}, 1), elements.by_quadrature(space, t, {}, 1, 6), 20) <
              2e-5);
    }
    QVERIFY(curved > 0);
  }

  void gradients_have_no_curl_energy() {
    // The order-2 space holds the gradients of the P2 functions: the null space of curl-curl has at least points + edges − 1.
    const Mesh m = *box({.divisions = {1, 1, 1}, .simplices = true});
    const Space space = *Space::make(m, 2);
    Eigen::MatrixXd k = Eigen::MatrixXd::Zero(space.unknowns(), space.unknowns());
    const Elements elements(2);
    for (Index t = 0; t < static_cast<Index>(space.tets().size()); ++t) {
      const auto e = elements.matrix(space, t, {}, 0);
      const auto all = space.unknowns_of_tet(t);
      for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 20; ++j) k(all[i], all[j]) += e[i][j].real();
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(k);
    Index zero = 0;
    for (Index i = 0; i < k.rows(); ++i) {
      QVERIFY(eigen.eigenvalues()[i] > -1e-10);
      zero += eigen.eigenvalues()[i] < 1e-10;
    }
    QCOMPARE(zero, m.point_count() + space.edge_count() - 1);
  }

  void tangential_traces_agree_on_both_sides_of_curved_faces() {
    const Mesh m = bent_box(true);
    const Space space = *Space::make(m, 2);
    for (Index f = 0; f < space.face_count(); ++f) {
      const auto& s = space.sides(f);
      if (s.tet[1] < 0) continue;
      const Patch one(space, {{s.tet[0], s.local[0], false}}), two(space, {{s.tet[1], s.local[1], true}});
      const FaceTraces a = one.traces(space, 0, true), b = two.traces(space, 0, true);
      for (int q = 0; q < face_points; ++q) {
        QVERIFY(distance(one.point(q).x, two.point(q).x) < 1e-14);
        QVERIFY(distance(one.point(q).normal, two.point(q).normal) < 1e-13);
      }
      for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j)
          if (a.unknowns[i] == b.unknowns[j])
            for (int q = 0; q < face_points; ++q)
              for (int d = 0; d < 2; ++d) QVERIFY(std::abs(a.value[i][q][d] - b.value[j][q][d]) < 1e-12);
    }
  }
};

QTEST_APPLESS_MAIN(TestElements)
#include "test_elements.moc"
