// SPDX-License-Identifier: BSD-3-Clause
// Compressed matrices: skeletons send what their clusters send, slices are those of whole matrices, marches agree and stay stable.
// labels: unit timeout300
#include <QTest>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile_pairs.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

constexpr Index cluster = 32;
constexpr double peak = 1.5;  ///< wave number of the pulse

/// All steps of a march in a plane wave.
template <class Real>
std::vector<double> answer(Matrices<Real> matrices, const Surface& surface, const Form& form, Index steps, Team& team) {
  March<Real> march(std::move(matrices), {.steps = 8});
  Excitation excitation{"wave", {}};
  Wave wave;
  wave.direction = vec::unit({0.3, 0.5, 0.8});
  wave.pulse = ricker_of(peak);
  excitation.waves.push_back(wave);
  set_onsets(excitation, surface.vertices, 1);
  RightHandSide l(surface, form, excitation);
  std::vector<double> out;
  while (march.step() < steps)
    march.advance(
        team,
        [&](Index n, Index, std::span<double> v) {
          l.triangles(n, {0, l.triangle_count()});
          l.gather({0, surface.unknowns}, v.data());
        },
        [&](Index) { out.insert(out.end(), march.current(0).begin(), march.current(0).end()); });
  return out;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0, norm = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    error += std::pow(a[k] - b[k], 2);
    norm += b[k] * b[k];
  }
  return std::sqrt(error / norm);
}

Surface plate_by_clusters(int n) {
  return std::move(
      *make_surface(*plate({.low = {-2, -0.5}, .high = {2, 0.5}, .divisions = {4 * n, n}}), Ordering::clusters));
}

}  // namespace

class TestCompressed : public QObject {
  Q_OBJECT
 private slots:
  void clusters_are_compact_and_halve();
  void skeletons_send_what_their_clusters_send();
  void slices_are_those_of_whole_matrices();
  void marches_agree_as_the_error_says_data();
  void marches_agree_as_the_error_says();
  void noise_dies_out();
  void a_march_goes_on_from_past_values_with_the_same_bits();
};

void TestCompressed::clusters_are_compact_and_halve() {
  const Surface s = unit_sphere(10, true, Ordering::clusters);
  const std::vector<Index> coarse = cluster_begins(s.unknowns, 128), fine = cluster_begins(s.unknowns, 64);
  QCOMPARE(coarse.back(), s.unknowns);
  for (const Index b : coarse) QVERIFY(std::find(fine.begin(), fine.end(), b) != fine.end());
  for (std::size_t k = 0; k + 1 < fine.size(); ++k) QVERIFY(fine[k + 1] - fine[k] <= 64 && fine[k + 1] > fine[k]);
  const Skeletons c = clusters_of(s, {.highest = 4, .least_gap = 0.3, .cluster = 64});
  // 64 of 1002 vertices are a sixteenth of the sphere: a cap of 29 degrees; halving makes them twice as long as wide at most.
  for (const double r : c.radius) QVERIFY2(r < 1, qPrintable(QString::number(r)));
  QVERIFY(c.any_far());
  for (Index a = 0; a < c.clusters(); ++a) {
    QVERIFY(c.near.wants(a, a));
    for (Index b = 0; b < c.clusters(); ++b) {
      QVERIFY(c.near.wants(a, b) == c.near.wants(b, a) && c.near.wants(a, b) != c.far.wants(a, b));
      if (!c.far.wants(a, b)) continue;
      for (Index i = c.near.of(a).begin; i < c.near.of(a).end; ++i)
        for (Index j = c.near.of(b).begin; j < c.near.of(b).end; ++j)
          QVERIFY(vec::distance(s.vertices[static_cast<std::size_t>(i)], s.vertices[static_cast<std::size_t>(j)]) >
                  0.3);
    }
  }
}

/// Fields of simple and double layers with each unknown's function, at places and frequencies that were not sampled.
void TestCompressed::skeletons_send_what_their_clusters_send() {
  const Surface s = unit_sphere(10, true, Ordering::clusters);
  std::size_t before = 0;
  for (const double error : {1e-1, 1e-2, 1e-3}) {
    const Skeletons c = clusters_of(s, {.error = error, .highest = 5, .least_gap = 0.2, .cluster = 64});
    std::vector<std::int32_t> unknown;
    std::vector<double> weights;
    find_skeleton(s, c, 3, unknown, weights);
    QVERIFY2(unknown.size() > before && unknown.size() < 60, qPrintable(QString::number(unknown.size())));
    before = unknown.size();
    const Interval own = c.near.of(3);
    for (const double k : {0.0, 1.7, 4.9})
      for (const bool twice : {false, true}) {
        double wrong = 0, norm = 0;
        for (int t = 0; t < 40; ++t) {
          const Vec3 x =
              vec::axpy(c.radius[3] * (1.55 + 0.2 * t),
                        vec::unit({std::cos(1.0 * t), std::sin(2.0 * t), std::sin(0.7 * t + 0.1)}), c.centre[3]);
          std::vector<std::complex<double>> field(static_cast<std::size_t>(own.size()));
          for (const std::int32_t triangle : s.touching(own)) {
            const Triangle& T = s.triangles[static_cast<std::size_t>(triangle)];
            for (const RulePoint& q : triangle_rule(7)) {
              Vec3 y{};
              for (std::size_t a = 0; a < 3; ++a) y = vec::axpy(q.lambda[a], T.corner[a], y);
              const Vec3 r = vec::sub(x, y);
              const double R = vec::norm(r);
              std::complex<double> g = std::polar(q.weight * T.area / R, k * R);
              if (twice) g *= (1 / R - std::complex<double>(0, k)) * vec::dot(T.normal, r) / R;
              for_shares(s, T, own, [&](std::size_t a, Index i, double share) {
                field[static_cast<std::size_t>(i - own.begin)] += share * q.lambda[a] * g;
              });
            }
          }
          for (std::size_t i = 0; i < field.size(); ++i) {
            std::complex<double> sum = 0;
            for (std::size_t e = 0; e < unknown.size(); ++e)
              sum += weights[i * unknown.size() + e] * field[static_cast<std::size_t>(unknown[e] - own.begin)];
            wrong += std::norm(sum - field[i]);
            norm += std::norm(field[i]);
          }
        }
        // The error is that of the mean over kinds and frequencies: a single one may have the whole of it (here sixteen).
        QVERIFY2(std::sqrt(wrong / norm) < 4 * error,
                 qPrintable(QString("%1 at k %2 for %3").arg(std::sqrt(wrong / norm)).arg(k).arg(error)));
      }
  }
}

void TestCompressed::slices_are_those_of_whole_matrices() {
  Team team({{"cpu", 2, 1}});
  const Surface s = unit_sphere(8, true, Ordering::clusters);
  const Form form = form_for(s, FormName::NC);
  const Matrices<double> whole = assemble_all<double>(s, form, {}, team),
                         some = compressed_all<double>(s, form, 1e-3, peak, 32, 4, team);
  const Skeletons& k = *some.skeletons;
  QVERIFY(some.far.nonzeros() > 0 && some.slices.nonzeros() < whole.slices.nonzeros());
  using Key = std::pair<Index, Index>;
  std::map<Key, std::vector<double>> of;
  double largest = 0;
  for (Index j = 0; j < s.unknowns; ++j)
    whole.slices.for_each_row(j, [&](Index i, Index start, std::span<const double> v) {
      std::vector<double>& row = of[{i, j}];
      row.assign(static_cast<std::size_t>(start), 0);
      row.insert(row.end(), v.begin(), v.end());
      for (const double x : v) largest = std::max(largest, std::abs(x));
    });
  Index near = 0, far = 0;
  const auto same = [&](Index i, Index j, Index start, std::span<const double> v) {
    const std::vector<double>& row = of[{i, j}];
    QCOMPARE(row.size(), static_cast<std::size_t>(start) + v.size());
    for (std::size_t d = 0; d < v.size(); ++d)
      QVERIFY(std::abs(v[d] - row[static_cast<std::size_t>(start) + d]) < 1e-12 * largest);
  };
  for (Index j = 0; j < s.unknowns; ++j)
    some.slices.for_each_row(j, [&](Index i, Index start, std::span<const double> v) {
      same(i, j, start, v);
      ++near;
    });
  for (Index j = 0; j < k.size(); ++j)
    some.far.for_each_row(j, [&](Index i, Index start, std::span<const double> v) {
      same(k.unknown[static_cast<std::size_t>(i)], k.unknown[static_cast<std::size_t>(j)], start, v);
      ++far;
    });
  QCOMPARE(static_cast<double>(near), k.near.pairs());
  QCOMPARE(static_cast<double>(far), k.far.pairs());
  QVERIFY((whole.M0 - some.M0).norm() < 1e-13 * whole.M0.norm());
}

void TestCompressed::marches_agree_as_the_error_says_data() {
  QTest::addColumn<int>("body");
  QTest::newRow("rigid sphere, NC") << 0;
  QTest::newRow("soft sphere, DC") << 1;
  QTest::newRow("screen, N, with layers at its rim") << 2;
}

void TestCompressed::marches_agree_as_the_error_says() {
  QFETCH(int, body);
  Team team({{"cpu", 2, 1}});
  const Surface s = body == 2 ? plate_by_clusters(8) : unit_sphere(10, true, Ordering::clusters);
  const Form form = form_for(s, body == 0 ? FormName::NC : body == 1 ? FormName::DC : FormName::N);
  constexpr Index steps = 96;
  const std::vector<double> truth = answer(assemble_all<double>(s, form, {}, team), s, form, steps, team);
  double last = HUGE_VAL;
  for (const double error : {3e-2, 1e-3}) {
    Matrices<double> m = compressed_all<double>(s, form, error, peak, cluster, 8, team);
    QVERIFY(m.far.nonzeros() > 0 && m.far_error > 0);
    // What far blocks are off, and what the march is: of all that acts far clusters are less than a tenth.
    // A single frequency may have the error of all of six, of both kinds, from both sides; and steps send what no band has, some 1e-3.
    QVERIFY2(m.far_error < 5 * error + 3e-3, qPrintable(QString::number(m.far_error)));
    const double off = difference(answer(std::move(m), s, form, steps, team), truth);
    qInfo("error %g: the march is off by %.2e", error, off);
    QVERIFY2(off < 0.1 * error && off > 1e-9 && off < last, qPrintable(QString::number(off)));
    last = off;
  }
}

void TestCompressed::noise_dies_out() {
  Team team({{"cpu", 2, 1}});
  for (const int body : {0, 1, 2}) {
    const Surface s = body == 2 ? plate_by_clusters(8) : unit_sphere(8, true, Ordering::clusters);
    const Form form = form_for(s, body == 0 ? FormName::NC : body == 1 ? FormName::DC : FormName::N);
    Matrices<double> m = compressed_all<double>(s, form, 1e-2, peak, cluster, 8, team);
    QVERIFY(m.far.nonzeros() > 0);
    const LateLevels late = late_levels(std::move(m), s, form, 20, {2000}, team);
    QVERIFY2(late.level[0] < 1e-12, qPrintable(QString("%1: %2").arg(body).arg(late.level[0])));
  }
}

void TestCompressed::a_march_goes_on_from_past_values_with_the_same_bits() {
  Team team({{"cpu", 2, 1}});
  const Surface s = unit_sphere(8, true, Ordering::clusters);
  const Form form = form_for(s, FormName::NC);
  const auto l = [](Index n, Index, std::span<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = std::sin(0.37 * static_cast<double>(n) + 0.11 * static_cast<double>(i)) *
             std::exp(-0.05 * static_cast<double>(n));
  };
  const auto made = [&] {
    return std::make_unique<March<float>>(compressed_all<float>(s, form, 1e-2, peak, cluster, 8, team),
                                          MarchOptions{.steps = 8});
  };
  const auto whole = made(), again = made();
  for (int g = 0; g < 6; ++g) whole->advance(team, l);
  for (int g = 0; g < 3; ++g) again->advance(team, l);
  const auto resumed = made();
  std::vector<float> past(static_cast<std::size_t>(again->histories()[0].reach() + 1)), all;
  for (Index j = 0; j < s.unknowns; ++j) {
    again->histories()[0].save(j, past);
    all.insert(all.end(), past.begin(), past.end());
  }
  resumed->histories()[0].load(again->step(), all);
  resumed->restore_current();
  for (int g = 0; g < 3; ++g) resumed->advance(team, l);
  QVERIFY(std::ranges::equal(whole->current(0), resumed->current(0)));
}

QTEST_APPLESS_MAIN(TestCompressed)
#include "test_compressed.moc"
