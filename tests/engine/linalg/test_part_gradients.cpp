// SPDX-License-Identifier: BSD-3-Clause
// Parts of a section solve one system together: the exact solution, the same bits and iterations for any workers, and no answer for a
// matrix that is not for conjugate gradients.
// labels: unit
// links: conoid_linalg
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <QTest>

#include "engine/linalg/part_gradients.hpp"
#include "engine/team/team.hpp"

using namespace conoid;

namespace {

constexpr Index points = 1000, block = 16, blocks = (points + block - 1) / block;

/// (1 + 2F) x_i − F (x_{i−1} + x_{i+1}) = b_i, ends zero. Items are blocks.
class Diffusion final : public Section {
 public:
  explicit Diffusion(double fourier) : fourier_(fourier), sums_(blocks, {0, blocks}) {
    for (auto* v : {&x, &r_, &p_, &q_, &wanted, &b_}) v->assign(points, 0.0);
    for (Index i = 0; i < points; ++i) wanted[at(i)] = std::sin(0.37 * static_cast<double>(i * i % 101));
    for (Index i = 0; i < points; ++i) b_[at(i)] = times(wanted, i);
  }
  [[nodiscard]] std::string_view name() const override { return "conjugate gradients"; }
  [[nodiscard]] Index items() const override { return blocks; }
  void body(Part& part) override {
    const ConjugateEnd end = conjugate_gradients(
        part, *alone_, sums_, [&](GradientPass pass, double factor) { one(part, pass, factor); }, [&] { ++exchanges; },
        1e-28, 5 * points);
    part.meet([&] { found = end; });
  }

  std::vector<double> x, wanted;
  ConjugateEnd found;
  Index exchanges = 0;

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] double times(const std::vector<double>& v, Index i) const {
    const double left = i > 0 ? v[at(i - 1)] : 0, right = i + 1 < points ? v[at(i + 1)] : 0;
    return (1 + 2 * fourier_) * v[at(i)] - fourier_ * (left + right);
  }
  void one(Part& part, GradientPass pass, double factor) {
    for (Index k = part.items().begin; k < part.items().end; ++k) {
      double sum = 0;
      for (Index i = k * block; i < std::min(points, (k + 1) * block); ++i) switch (pass) {
          case GradientPass::start:
            r_[at(i)] = p_[at(i)] = b_[at(i)];
            sum += r_[at(i)] * r_[at(i)];
            break;
          case GradientPass::product:
            q_[at(i)] = times(p_, i);
            sum += p_[at(i)] * q_[at(i)];
            break;
          case GradientPass::update:
            x[at(i)] += factor * p_[at(i)];
            r_[at(i)] -= factor * q_[at(i)];
            sum += r_[at(i)] * r_[at(i)];
            break;
          case GradientPass::direction: p_[at(i)] = r_[at(i)] + factor * p_[at(i)]; break;
          case GradientPass::collect: break;
        }
      if (pass != GradientPass::direction) sums_.own()[at(k)] = sum;
    }
  }

  double fourier_;
  std::unique_ptr<Communicator> alone_ = single_rank();
  PartSums sums_;
  std::vector<double> r_, p_, q_, b_;
};

}  // namespace

class TestPartGradients : public QObject {
  Q_OBJECT
 private slots:
  void any_workers_find_the_same_bits_of_the_solution() {
    std::vector<double> first;
    Index iterations = 0;
    for (const std::size_t workers : {1U, 2U, 3U, 7U}) {
      Team team(std::vector<WorkerSpec>(workers, WorkerSpec{"cpu", 1, 1, {}, 0}));
      Diffusion system(30);
      team.run(system);
      QVERIFY(system.found.converged && system.found.iterations > 10);
      QCOMPARE(system.exchanges, system.found.iterations);  // by one part, before each product
      double worst = 0;
      for (std::size_t i = 0; i < system.x.size(); ++i)
        worst = std::max(worst, std::abs(system.x[i] - system.wanted[i]));
      // The residual is 1e-14 of b, whose size is about that of A; its smallest eigenvalue is 1, the largest 121.
      QVERIFY2(worst < 1e-14 * 121 * std::sqrt(static_cast<double>(points)), std::to_string(worst).c_str());
      if (first.empty()) first = system.x, iterations = system.found.iterations;
      QCOMPARE(system.x, first);
      QCOMPARE(system.found.iterations, iterations);
    }
  }

  void an_indefinite_matrix_has_no_answer() {
    Team team(std::vector<WorkerSpec>(3, WorkerSpec{"cpu", 1, 1, {}, 0}));
    Diffusion system(-3);
    team.run(system);
    QVERIFY(!system.found.converged);
  }
};

QTEST_APPLESS_MAIN(TestPartGradients)
#include "test_part_gradients.moc"
