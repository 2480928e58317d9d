// SPDX-License-Identifier: BSD-3-Clause
// Kernels over lanes against the paper's form A_z, F_z = A_z B^T by plain loops, on odd counts of curved zones.
// labels: unit
#include "engine/solvers/hydro_fem/kernels/reference.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/hydro_fem/support.hpp"

#include <QTest>

using namespace conoid;
using namespace conoid::hydro_fem;
using namespace conoid::hydro_fem::testing;

namespace {

std::vector<const ZoneKernels*> kernels_here() {
  std::vector<const ZoneKernels*> out{&zone_kernels_base()};
  const Machine m = this_machine();
  if (m.avx2) out.push_back(&zone_kernels_avx2());
  if (m.avx512) out.push_back(&zone_kernels_avx512());
  return out;
}

}  // namespace

class TestKernelsEqualReference : public QObject {
  Q_OBJECT

  static void compare(const Setup& setup, const ZoneKernels& kernels, const QString& what) {
    Team team({WorkerSpec{"cpu", 1, 1}});
    Operator op(setup, kernels, team);
    const State& s = op.initial();
    const int dim = op.space().dim, W = kernels.lanes;
    const reference::ZoneTables tables(op.tables(), dim);
    const double step = op.update(s);
    if (setup.corner_matrices)
      op.kernels().corner.times_one(op.data(), {0, op.batches()});
    else
      op.kernels().force(op.data(), {0, op.batches()});
    const std::vector<double> terms(op.data().node_terms,
                                    op.data().node_terms + op.batches() * dim * op.space().zone_nodes * W);
    PagedVector de;
    op.energy_rate(s, s.v, 0, de);
    double least = 1e300, largest_force = 0, off_force = 0, largest_power = 0, off_power = 0;
    double largest_matrix = 0, off_matrix = 0;
    std::vector<double> A;
    if (setup.corner_matrices) A.resize(static_cast<std::size_t>(dim * tables.nodes * tables.points * W) + 8);
    for (Index lane = 0; lane < static_cast<Index>(op.lane_zones().size()); ++lane) {
      const Index zone = op.lane_zones()[static_cast<std::size_t>(lane)];
      const auto truth =
          reference::zone_force(op.data(), tables, op.space(), W, lane, s.x.data(), s.v.data(), s.e.data());
      least = std::min(least, truth.step);
      if (setup.corner_matrices) {
        // Lanes of a batch are aligned in the solver's own arrays; here in the middle of a vector.
        auto* at = reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(A.data()) + 63) / 64 * 64);
        op.kernels().corner.matrix(op.data(), lane / W, at);
        for (std::size_t i = 0; i < truth.A.a.size(); ++i) {
          largest_matrix = std::max(largest_matrix, std::abs(truth.A.a[i]));
          off_matrix = std::max(
              off_matrix,
              std::abs(truth.A.a[i] - at[i * static_cast<std::size_t>(W) + static_cast<std::size_t>(lane % W)]));
        }
        const double* F = op.data().F + lane / W * static_cast<Index>(truth.F.a.size()) * W + lane % W;
        for (std::size_t i = 0; i < truth.F.a.size(); ++i) {
          largest_matrix = std::max(largest_matrix, std::abs(truth.F.a[i]));
          off_matrix = std::max(off_matrix, std::abs(truth.F.a[i] - F[i * static_cast<std::size_t>(W)]));
        }
      }
      const auto force = reference::times_one(truth.F);
      std::vector<double> v(force.size());
      for (int c = 0; c < dim; ++c)
        for (int i = 0; i < tables.nodes; ++i) {
          const auto at = static_cast<std::size_t>(c * tables.nodes + i);
          v[at] = s.v[static_cast<std::size_t>(c * op.space().nodes +
                                               op.space().map[static_cast<std::size_t>(zone * tables.nodes + i)])];
          const double mine =
              terms[static_cast<std::size_t>((lane / W * dim * tables.nodes + c * tables.nodes + i) * W + lane % W)];
          largest_force = std::max(largest_force, std::abs(force[at]));
          off_force = std::max(off_force, std::abs(force[at] - mine));
        }
      // M_e de = F^T v.
      const auto power = reference::transposed_times(truth.F, v);
      for (int i = 0; i < tables.energies; ++i) {
        double mine = 0;
        for (int q = 0; q < tables.points; ++q) {
          double rate = 0;
          for (int j = 0; j < tables.energies; ++j)
            rate += tables.phi(q, j) * de[static_cast<std::size_t>(zone * tables.energies + j)];
          mine += op.data().mass[(lane / W * tables.points + q) * W + lane % W] * tables.phi(q, i) * rate;
        }
        largest_power = std::max(largest_power, std::abs(power[static_cast<std::size_t>(i)]));
        off_power = std::max(off_power, std::abs(power[static_cast<std::size_t>(i)] - mine));
      }
    }
    // Eigenvectors of nearly double eigenvalues are determined to the square root of round-off only; everything else to
    // round-off times the number of points.
    const double tolerance = 2e-8;
    QVERIFY2(off_matrix <= tolerance * largest_matrix,
             qPrintable(what + QString(" corner matrices %1 of %2").arg(off_matrix).arg(largest_matrix)));
    QVERIFY2(largest_force > 1e-3 && off_force <= tolerance * largest_force,
             qPrintable(what + QString(" force %1 of %2").arg(off_force).arg(largest_force)));
    QVERIFY2(largest_power > 1e-3 && off_power <= tolerance * largest_power,
             qPrintable(what + QString(" power %1 of %2").arg(off_power).arg(largest_power)));
    QVERIFY2(std::abs(step / least - 1) < 1e-7, qPrintable(what + QString(" step %1 for %2").arg(step).arg(least)));
  }

 private slots:
  void stress_forces_and_power() {
    std::mt19937 random(20120606);
    for (const ZoneKernels* kernels : kernels_here())
      for (int dim = 1; dim <= 3; ++dim)
        for (int k = 1; k <= (dim == 3 ? 4 : 6); ++k)
          for (const int turns : turns_in(dim)) {
            Setup s = lively(dim, k, turns, random);
            s.vorticity_switch = k % 2 == 0;
            s.viscosity_vanishes = (k + dim) % 2 == 0;
            const QString what = QString("%1, %2D, k = %3, turns %4").arg(kernels->name).arg(dim).arg(k).arg(turns);
            compare(s, *kernels, what);
            if (k > 3) continue;
            s.corner_matrices = true;
            compare(s, *kernels, what + ", corner matrices");
          }
  }

  void velocities_that_die_out_are_rest() {
    // Ahead of a signal in cold gas velocities fall by a digit or two a zone, without an end: their squares must not be divided by.
    std::mt19937 random(170);
    for (const ZoneKernels* kernels : kernels_here())
      for (int dim = 1; dim <= 3; ++dim)
        for (const double length : {1.0, 1e9}) {
          Setup s = lively(dim, 2, 0, random);
          s.density = [](const Vec3&, int) { return 1.0; };
          s.energy = [](const Vec3&, int) { return 1.0; };
          s.mesh.curve = [length, bent = s.mesh.curve](const Vec3& x) {
            Vec3 y = bent(x);
            for (double& c : y) c *= length;
            return y;
          };
          s.velocity = [length](const Vec3& x, int) {
            const double a = x[0] / length, b = x[1] / length, c = x[2] / length;
            return Vec3{std::sin(3 * a + b), std::cos(a - 2 * c), std::sin(2 * b + c)};
          };
          Team team({WorkerSpec{"cpu", 1, 1}});
          Operator op(s, *kernels, team);
          State state = op.initial();
          const PagedVector once = state.v;
          for (double& v : state.v) v = 0;
          const double at_rest = op.update(state);
          const std::span<const double> stress(
              op.data().S, static_cast<std::size_t>(op.batches() * op.data().zone_points * dim * dim * kernels->lanes));
          const std::vector<double> pressure(stress.begin(), stress.end());
          double size = 0;
          for (const double p : pressure) size = std::max(size, std::abs(p));
          for (int power = -20; power >= -320; --power) {
            for (std::size_t i = 0; i < once.size(); ++i) state.v[i] = once[i] * std::pow(10.0, power);
            const double step = op.update(state);
            double off = 0;
            for (std::size_t i = 0; i < pressure.size(); ++i)
              off = std::isfinite(stress[i]) ? std::max(off, std::abs(stress[i] - pressure[i])) : 1e300;
            // The direction of strongest compression says how wide a zone is for the viscosity: by no more than zones are uneven.
            QVERIFY2(
                step > 0.2 * at_rest && step < 5 * at_rest && off < 1e-12 * size,
                qPrintable(QString("%1, %2D, velocities of 1e%3, lengths of %4: step %5 for %6, stress %7 of %8 off")
                               .arg(kernels->name)
                               .arg(dim)
                               .arg(power)
                               .arg(length)
                               .arg(step)
                               .arg(at_rest)
                               .arg(off)
                               .arg(size)));
          }
        }
  }

  void mass_matrices() {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> value(-1, 1);
    for (const ZoneKernels* kernels : kernels_here())
      for (int dim = 1; dim <= 3; ++dim)
        for (int k = 1; k <= 3; ++k)
          for (const bool plain : {false, true}) {  // plain: straight zones of one density, the tensor form
            Setup s = lively(dim, k, 0, random);
            if (plain) {
              s.mesh.curve = nullptr;
              s.density = [](const Vec3&, int r) { return r ? 3.0 : 0.5; };
            }
            Team team({WorkerSpec{"cpu", 1, 1}});
            Operator op(s, *kernels, team);
            // A zone of one dimension and order 1 is always straight and of one density.
            if (plain || dim > 1 || k > 1) QCOMPARE(op.data().uniform[0] > 0, plain);
            const Space& space = op.space();
            PagedVector p(static_cast<std::size_t>(space.nodes * dim)), y, truth(p.size(), 0);
            for (double& x : p) x = value(random);
            op.multiply_mass(p, dim, y);
            const reference::ZoneTables tables(op.tables(), dim);
            for (std::size_t lane = 0; lane < op.lane_zones().size(); ++lane) {
              const Index zone = op.lane_zones()[lane];
              if (lane % static_cast<std::size_t>(kernels->lanes) > 0 && op.lane_zones()[lane - 1] == zone) continue;
              const Matrix M = reference::zone_mass(op.data(), tables, kernels->lanes, static_cast<Index>(lane));
              const Index* map = &space.map[static_cast<std::size_t>(zone * space.zone_nodes)];
              for (int c = 0; c < dim; ++c)
                for (int i = 0; i < M.rows; ++i)
                  for (int j = 0; j < M.cols; ++j)
                    truth[static_cast<std::size_t>(c * space.nodes + map[i])] +=
                        M(i, j) * p[static_cast<std::size_t>(c * space.nodes + map[j])];
            }
            double largest = 0, off = 0;
            for (std::size_t i = 0; i < y.size(); ++i) {
              largest = std::max(largest, std::abs(truth[i]));
              off = std::max(off, std::abs(truth[i] - y[i]));
            }
            QVERIFY2(
                off < 1e-13 * largest * 10,
                qPrintable(
                    QString("%1, %2D, k = %3: %4 of %5").arg(kernels->name).arg(dim).arg(k).arg(off).arg(largest)));
          }
  }

  /// Σ R^T W S K^-1 S W R over the zones: K the product of one-dimensional masses, S² its diagonal over that of the zone, W the zone's share
  /// of the mass's diagonal at a node.
  void preconditioner_is_a_sum_of_zone_inverses() {
    std::mt19937 random(6);
    std::uniform_real_distribution<double> value(-1, 1);
    for (const ZoneKernels* kernels : kernels_here())
      for (int dim = 1; dim <= 3; ++dim)
        for (int k = 1; k <= (dim == 3 ? 3 : 5); ++k)
          for (const int turns : turns_in(dim))
            for (const bool plain : {false, true}) {
              Setup s = lively(dim, k, turns, random);
              if (plain) {
                s.mesh.curve = nullptr;
                s.density = [](const Vec3&, int r) { return r ? 3.0 : 0.5; };
              }
              Team team({WorkerSpec{"cpu", 1, 1}});
              Operator op(s, *kernels, team);
              const Space& space = op.space();
              PagedVector r(static_cast<std::size_t>(space.nodes * dim)), z, truth(r.size(), 0);
              for (double& x : r) x = value(random);
              op.precondition(r, dim, z);
              const reference::ZoneTables tables(op.tables(), dim);
              const int n = space.zone_nodes, N = k + 1;
              Matrix K{n, n, std::vector<double>(static_cast<std::size_t>(n * n), 1)};
              for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                  for (int d = 0, a = i, b = j; d < dim; ++d, a /= N, b /= N) K(i, j) *= op.tables().M(a % N, b % N);
              const Matrix inverse_of_K = inverse(K);
              for (std::size_t lane = 0; lane < op.lane_zones().size(); ++lane) {
                const Index zone = op.lane_zones()[lane];
                if (lane % static_cast<std::size_t>(kernels->lanes) > 0 && op.lane_zones()[lane - 1] == zone) continue;
                const Matrix M = reference::zone_mass(op.data(), tables, kernels->lanes, static_cast<Index>(lane));
                const Index* map = &space.map[static_cast<std::size_t>(zone * n)];
                std::vector<double> weight(static_cast<std::size_t>(n));  // W S
                for (int i = 0; i < n; ++i)
                  weight[static_cast<std::size_t>(i)] =
                      M(i, i) * op.inverse_diagonal()[static_cast<std::size_t>(map[i])] * std::sqrt(K(i, i) / M(i, i));
                for (int c = 0; c < dim; ++c)
                  for (int i = 0; i < n; ++i)
                    for (int j = 0; j < n; ++j)
                      truth[static_cast<std::size_t>(c * space.nodes + map[i])] +=
                          weight[static_cast<std::size_t>(i)] * inverse_of_K(i, j) *
                          weight[static_cast<std::size_t>(j)] * r[static_cast<std::size_t>(c * space.nodes + map[j])];
              }
              double largest = 0, off = 0;
              for (std::size_t i = 0; i < z.size(); ++i) {
                largest = std::max(largest, std::abs(truth[i]));
                off = std::max(off, std::abs(truth[i] - z[i]));
              }
              QVERIFY2(
                  off < 1e-12 * largest,
                  qPrintable(
                      QString("%1, %2D, k = %3: %4 of %5").arg(kernels->name).arg(dim).arg(k).arg(off).arg(largest)));
            }
  }

  /// Straight zones of one density: the condition is at most (4/3)^dim, so that n iterations leave 2 ((√κ-1)/(√κ+1))^n of the error.
  void iterations_of_a_solve_are_bounded() {
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= 4; ++k) {
        Setup s = flows::sedov(dim, k, dim == 3 ? 4 : 8, 1, 0.25);
        s.mass_tolerance = 1e-10;
        Team team({WorkerSpec{"cpu", 1, 1}});
        Operator op(s, best_kernels(), team);
        PagedVector a;
        (void)op.update(op.initial());
        op.acceleration(op.initial(), a);
        const double root = std::pow(4.0 / 3, 0.5 * dim);
        const double bound = std::log(2 / s.mass_tolerance * root) / std::log((root + 1) / (root - 1));
        const auto taken = static_cast<double>(op.times().iterations);
        QVERIFY2(taken > 2 && taken <= std::ceil(bound),
                 qPrintable(QString("%1D, order %2: %3 of %4").arg(dim).arg(k).arg(taken).arg(bound)));
      }
  }

  /// Between straight zones each of one density a solve keeps momentum to round-off, however roughly it ends.
  void a_rough_solve_keeps_momentum() {
    std::mt19937 random(8);
    for (int dim = 1; dim <= 3; ++dim)
      for (int k = 1; k <= 3; ++k) {
        Setup s = lively(dim, k, 0, random);
        s.mesh = box_zones(dim, {flows::line(0, 1, 4), flows::line(0, 2, 3), flows::line(0, 1, 3)});
        for (std::size_t i = 0; i < s.mesh.region.size(); ++i) s.mesh.region[i] = i % 3 == 0 ? 1 : 0;
        s.density = [](const Vec3&, int r) { return r ? 8.0 : 0.5; };
        s.mass_tolerance = 1e-2;
        Team team({WorkerSpec{"cpu", 1, 1}});
        Operator op(s, best_kernels(), team);
        PagedVector a, momentum;
        (void)op.update(op.initial());
        op.acceleration(op.initial(), a);
        op.multiply_mass(a, dim, momentum);
        double sum = 0, size = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(op.space().nodes); ++i) {
          sum += momentum[i];
          size += std::abs(momentum[i]);
        }
        QVERIFY2(size > 0 && std::abs(sum) < 1e-13 * size,
                 qPrintable(QString("%1D, order %2: %3 of %4").arg(dim).arg(k).arg(sum).arg(size)));
      }
  }

  void mass_is_symmetric_positive_and_sums_to_the_mass() {
    std::mt19937 random(77);
    std::uniform_real_distribution<double> value(-1, 1);
    for (int dim = 1; dim <= 3; ++dim) {
      const Setup s = lively(dim, 3, 0, random);
      Team team({WorkerSpec{"cpu", 1, 1}});
      Operator op(s, best_kernels(), team);
      const auto n = static_cast<std::size_t>(op.space().nodes);
      PagedVector one(n, 1), p(n), q(n), m1, mp, mq;
      for (std::size_t i = 0; i < n; ++i) {
        p[i] = value(random);
        q[i] = value(random);
      }
      op.multiply_mass(one, 1, m1);
      op.multiply_mass(p, 1, mp);
      op.multiply_mass(q, 1, mq);
      double total = 0, pp = 0, pq = 0, qp = 0;
      for (std::size_t i = 0; i < n; ++i) {
        total += m1[i];
        pp += p[i] * mp[i];
        pq += p[i] * mq[i];
        qp += q[i] * mp[i];
      }
      QVERIFY(std::abs(total / op.total_mass() - 1) < 1e-13);
      QVERIFY(pp > 0);
      QVERIFY(std::abs(pq - qp) < 1e-13 * pp);
    }
  }

  void eigenvalues_at_their_worst() {
    // Triple, double, flat and stretched: the step must follow the smallest singular value.
    for (const ZoneKernels* kernels : kernels_here())
      for (const auto& size : {Vec3{1, 1, 1}, Vec3{1, 1, 1e-6}, Vec3{1, 1e-5, 1e-5}, Vec3{1e4, 1, 3}, Vec3{2, 2, 5}}) {
        Setup s;
        s.k = 1;
        s.mesh = box_zones(3, {flows::line(0, size[0], 1), flows::line(0, size[1], 1), flows::line(0, size[2], 1)});
        s.materials = {stiffened_gas(1.4)};
        s.density = [](const Vec3&, int) { return 1.0; };
        s.energy = [](const Vec3&, int) { return 1 / 0.56; };  // c = 1
        s.boundaries.resize(6);
        s.viscosity = false;
        Team team({WorkerSpec{"cpu", 1, 1}});
        Operator op(s, *kernels, team);
        const double smallest = std::min({size[0], size[1], size[2]});
        const double step = op.update(op.initial());
        QVERIFY2(std::abs(step / smallest - 1) < 1e-7,
                 qPrintable(QString("%1: %2 for %3").arg(kernels->name).arg(step).arg(smallest)));
      }
  }
};

QTEST_APPLESS_MAIN(TestKernelsEqualReference)
#include "test_kernels_equal_reference.moc"
