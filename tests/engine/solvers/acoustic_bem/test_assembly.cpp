// SPDX-License-Identifier: BSD-3-Clause
// Convolution matrices: their sums over k, symmetry, support, definiteness, and equality with pair-by-pair assembly.
// labels: unit
#include <Eigen/Eigenvalues>
#include <QTest>
#include <cmath>
#include <map>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/pair_reference.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

Team one_worker(int threads = 2) {
  return Team({{"cpu", threads, 1}});
}

/// Pair by pair with the references only, no tiles, no slices, no lag.
std::map<Index, Eigen::MatrixXd> plain_matrices(const Surface& s, const Form& form) {
  std::map<Index, Eigen::MatrixXd> M;
  const auto N = s.unknowns;
  const auto at = [&](Index k) -> Eigen::MatrixXd& {
    auto& m = M[k];
    if (m.size() == 0) m = Eigen::MatrixXd::Zero(N, N);
    return m;
  };
  const Rule far = triangle_rule(3), near = split_rule(triangle_rule(6), 1);
  for (const Triangle& T : s.triangles)
    for (const Triangle& S : s.triangles) {
      const double gap = vec::distance(T.centroid, S.centroid) - T.radius - S.radius;
      const bool apart = gap > std::max(T.radius, S.radius) * (1 + 1e-8);
      const PairMatrices p = pair_reference(T, S, apart ? far : near, form);
      for (std::size_t k = 0; k < p.direct.size(); ++k)
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t b = 0; b < 3; ++b) {
            if (T.vertex[a] >= N || S.vertex[b] >= N) continue;
            at(p.first + static_cast<Index>(k))(T.vertex[a], S.vertex[b]) += p.direct[k][3 * a + b];
            at(p.first + static_cast<Index>(k))(S.vertex[b], T.vertex[a]) += p.transposed[k][3 * a + b];
          }
    }
  if (form.combined())
    for (const Triangle& T : s.triangles)
      for (Index i : T.vertex)
        for (Index j : T.vertex) {
          const double g = T.area / 12 * (i == j ? 2 : 1);
          at(0)(i, j) += g * (form.rigid() ? 0.5 * form.alpha_plus() : 0.5 * form.delta());
          if (form.rigid()) at(1)(i, j) += g * 0.5 * form.alpha_minus();
        }
  return M;
}

}  // namespace

class TestAssembly : public QObject {
  Q_OBJECT

 private slots:
  void thin_bodies_get_the_rule_they_need() {
    // A plate of 1 × 1 × 0.1 with edges of a half: opposite sheets are a fifth of an edge apart.
    const Surface plate =
        *make_surface(*box_surface({.low = {0, 0, 0}, .high = {1, 1, 0.1}, .divisions = {2, 2, 1}}), Ordering::hilbert);
    const double thin = thinness(plate);
    QVERIFY2(thin > 0.2 && thin < 0.35, qPrintable(QString::number(thin)));
    QCOMPARE(thinness(unit_sphere(4)), 1.0);
    QCOMPARE(splits_for(1), 1);
    QCOMPARE(splits_for(thin), 2);
    QCOMPARE(splits_for(1e-9), 4);
    // Against a rule far beyond: the automatic one must be several times closer than the plain near rule.
    Team team = one_worker();
    const Form f = form_for(plate, FormName::NC, 0.4);
    const auto with = [&](int splits) {
      return assemble_all<double>(plate, f, {.thin_splits = splits, .lag2 = false}, team);
    };
    const Matrices<double> truth = with(4), plain = with(1), fine = with(splits_for(thin));
    QVERIFY(fine.evaluations > plain.evaluations);
    double off_plain = 0, off_fine = 0, size = 0;
    for (Index k = 0; k <= truth.slices.columns(); ++k) {
      const Eigen::MatrixXd M = dense_matrix(truth, k);
      size += M.squaredNorm();
      off_plain += (dense_matrix(plain, k) - M).squaredNorm();
      off_fine += (dense_matrix(fine, k) - M).squaredNorm();
    }
    off_plain = std::sqrt(off_plain / size);
    off_fine = std::sqrt(off_fine / size);
    QVERIFY2(off_fine < off_plain / 3 && off_fine < 1e-3,
             qPrintable(QString("plain %1, automatic %2").arg(off_plain).arg(off_fine)));
  }

  void tiles_equal_pair_by_pair_data() {
    QTest::addColumn<int>("form");
    for (FormName f : {FormName::N, FormName::NC, FormName::D, FormName::DC})
      QTest::addRow("%s", std::string(name_of(f)).c_str()) << static_cast<int>(f);
  }
  void tiles_equal_pair_by_pair() {
    QFETCH(int, form);
    Team team = one_worker();
    // 268 vertices make two panels and three tiles. Large steps keep the plain assembly short.
    const bool large = static_cast<FormName>(form) == FormName::NC;
    const Mesh box = *box_surface({.low = {0, 0, 0}, .high = {1, 1.07, 0.91}, .divisions = {7, 7, 6}});
    const Surface s = large ? *make_surface(box, Ordering::hilbert) : unit_sphere(2);
    const Form f = form_for(s, static_cast<FormName>(form), large ? 1.3 : 0.53);
    const Matrices<double> m = assemble_all<double>(s, f, {.lag2 = false}, team);
    const auto want = plain_matrices(s, f);
    double largest = 0, worst = 0;
    for (const auto& [k, M] : want) {
      largest = std::max(largest, M.cwiseAbs().maxCoeff());
      worst = std::max(worst, (dense_matrix(m, k) - M).cwiseAbs().maxCoeff());
    }
    QCOMPARE(m.slices.columns(), want.rbegin()->first);
    QVERIFY2(worst < 1e-12 * largest, qPrintable(QString::number(worst / largest)));
  }

  void sums_over_k_vanish_on_constants() {
    // φ = A + Bt, constant in space, is in the kernel of form N, exactly.
    Team team = one_worker();
    for (const Surface& s : {unit_sphere(3), unit_cube(4), cup()}) {
      const Matrices<double> m = assemble_all<double>(s, form_for(s, FormName::N), {}, team);
      const Eigen::VectorXd one = Eigen::VectorXd::Ones(s.unknowns);
      const double scale = (dense_matrix(m, 0) * one).cwiseAbs().maxCoeff();
      Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(s.unknowns, s.unknowns), moment = sum;
      for (Index k = 0; k <= m.slices.columns(); ++k) {
        const Eigen::MatrixXd M = dense_matrix(m, k);
        QVERIFY((M - M.transpose()).cwiseAbs().maxCoeff() < 1e-13 * scale * static_cast<double>(s.unknowns));
        sum += M;
        moment += static_cast<double>(k) * M;
      }
      QVERIFY((sum * one).cwiseAbs().maxCoeff() < 2e-13 * scale);
      QVERIFY((moment * one).cwiseAbs().maxCoeff() < 2e-12 * scale);
    }
  }

  void m0_is_positive_definite_and_well_scaled() {
    Team team = one_worker();
    for (FormName name : {FormName::NC, FormName::DC, FormName::D})
      for (const Surface& s : {unit_sphere(3), unit_cube(4), bar(1), cup()}) {
        const Form f = form_for(s, name);
        const Matrices<double> m = assemble_all<double>(s, f, {}, team);
        const Eigen::MatrixXd M0 = dense_matrix(m, 0);
        QVERIFY((M0 - M0.transpose()).cwiseAbs().maxCoeff() <= 1e-14 * M0.cwiseAbs().maxCoeff());
        const Eigen::VectorXd d = M0.diagonal().cwiseSqrt().cwiseInverse();
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(d.asDiagonal() * M0 * d.asDiagonal());
        QVERIFY(eigen.eigenvalues().minCoeff() > 0);
        const double condition = eigen.eigenvalues().maxCoeff() / eigen.eigenvalues().minCoeff();
        QVERIFY2(condition < 8, qPrintable(QString::number(condition)));
        QVERIFY(m.skew < 0.05);
      }
  }

  void support_follows_the_light_cone() {
    Team team = one_worker();
    const Surface s = unit_sphere(6);
    const Form f = form_for(s, FormName::NC, 0.35);
    const Matrices<double> m = assemble_all<double>(s, f, {}, team);
    const auto bound = static_cast<Index>(2 + s.diameter / f.delta());
    QVERIFY(m.slices.columns() == bound || m.slices.columns() == bound - 1);
    const double average = static_cast<double>(m.slices.nonzeros()) / std::pow(static_cast<double>(s.unknowns), 2);
    QVERIFY2(average > 9 && average < 10.5, qPrintable(QString::number(average)));
    QVERIFY(m.slices.longest() <= 16);
  }

  void single_precision_is_double_rounded() {
    Team team = one_worker();
    const Surface s = unit_cube(4);
    const Form f = form_for(s, FormName::NC);
    const Matrices<double> d = assemble_all<double>(s, f, {}, team);
    const Matrices<float> single = assemble_all<float>(s, f, {}, team);
    for (Index k = 0; k <= d.slices.columns(); ++k) {
      const Eigen::MatrixXd a = dense_matrix(d, k), b = dense_matrix(single, k);
      QVERIFY((a - b).cwiseAbs().maxCoeff() <= 6e-8 * a.cwiseAbs().maxCoeff());
    }
  }

  void threads_and_lanes_do_not_matter() {
    const Surface s = unit_sphere(6);
    const Form f = form_for(s, FormName::NC);
    Team one = one_worker(1), two({{"cpu", 1, 1}, {"cpu", 2, 1}});
    const Matrices<double> a = assemble_all<double>(s, f, {}, one), b = assemble_all<double>(s, f, {.widest = 2}, two);
    const double scale = dense_matrix(a, 0).cwiseAbs().maxCoeff();
    for (Index k = 0; k <= a.slices.columns(); ++k)
      QVERIFY((dense_matrix(a, k) - dense_matrix(b, k)).cwiseAbs().maxCoeff() < 1e-12 * scale);
  }
};

QTEST_APPLESS_MAIN(TestAssembly)
#include "test_assembly.moc"
