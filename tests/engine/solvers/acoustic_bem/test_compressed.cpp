// SPDX-License-Identifier: BSD-3-Clause
// Compressed matrices: skeletons send what their clusters send, slices are those of whole matrices, marches agree and stay stable.
// labels: unit rows timeout300
#include <QTest>
#include <cmath>
#include <complex>
#include <cstdint>
#include <map>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile_pairs.hpp"
#include "engine/solvers/acoustic_bem/verify/room_scenes.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/solvers/acoustic_bem/verify/wall_scenes.hpp"
#include "engine/team/team.hpp"
#include "tests/all_rows.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

constexpr Index leaf_size = 24;
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

/// Long enough for far pairs on several levels.
Surface bar_by_clusters() {
  return std::move(*make_surface(
      *box_surface({.low = {-0.25, -0.25, -4}, .high = {0.25, 0.25, 4}, .divisions = {4, 4, 64}}), Ordering::clusters));
}

/// Bodies under conditions: what faces do, what reflects, what is inside.
enum class Under : std::uint8_t {
  rigid,
  soft,
  screen,
  caps,          ///< a sphere with a soft cap, the rest of ζ = 2
  rigid_ground,  ///< a sphere of ζ = 2 with a rigid cap over a rigid ground
  soft_ground,   ///< a rigid sphere over a soft ground
  room,          ///< one wall of ζ = 4, the others rigid
  rigid_room,
  standing_wall,       ///< a screen that stands on a rigid ground
  ball_in_rigid_room,  ///< a ball in a room
  remembering,         ///< a sphere with a rigid cap, the rest a wall that rings
  remembering_ground,  ///< the same over a rigid ground
  remembering_room,    ///< the same, a wall of which rings
  gas,                 ///< a ball and a half as large one beside it, of a fluid that is slower and lighter
  dense,               ///< a bar of a fluid that is faster and denser
  dense_ground,        ///< the same over a soft ground
};

Surface made_under(Under under) {
  Conditions conditions;
  Mesh ball = grouped_sphere(8, std::numbers::pi / 3);
  const auto lifted = [&] {
    for (Index p = 0; p < ball.point_count(); ++p) ball.mutable_points()[static_cast<std::size_t>(3 * p + 2)] += 1.3;
    return ball;
  };
  const auto made = [&](const Mesh& mesh) { return std::move(*make_surface(mesh, Ordering::clusters, 1, conditions)); };
  switch (under) {
    case Under::screen: return plate_by_clusters(6);
    case Under::caps:
      conditions.walls = {{"cap", WallKind::soft, 1, {}}, {"rest", WallKind::impedance, 2, {}}};
      return made(ball);
    case Under::rigid_ground:
      conditions.walls = {{"rest", WallKind::impedance, 2, {}}};
      conditions.ground = Ground{2, 0, true};
      return made(lifted());
    case Under::soft_ground: conditions.ground = Ground{2, 0, false}; return made(lifted());
    case Under::remembering:
      conditions.walls = {{"rest", WallKind::impedance, 1, {}, ringing_wall()}};
      return made(ball);
    case Under::remembering_ground:
      conditions.walls = {{"rest", WallKind::impedance, 1, {}, ringing_wall()}};
      conditions.ground = Ground{2, 0, true};
      return made(lifted());
    case Under::ball_in_rigid_room:
    case Under::remembering_room:
      if (under == Under::remembering_room) conditions.walls = {{"zmax", WallKind::impedance, 1, {}, ringing_wall()}};
      conditions.inside = true;
      return made(with_body(*box_surface({.low = {0, 0, 0}, .high = {3, 0.8, 0.8}, .divisions = {18, 5, 5}}),
                            *icosphere({.radius = 0.25, .divisions = 3}), {0.9, 0.35, 0.4}));
    case Under::room: conditions.walls = {{"zmax", WallKind::impedance, 4, {}}}; [[fallthrough]];
    case Under::rigid_room:
      conditions.inside = true;
      return made(*box_surface({.low = {0, 0, 0}, .high = {3, 0.8, 0.8}, .divisions = {18, 5, 5}}));
    case Under::standing_wall: {
      conditions.ground = Ground{1, -0.5, true};
      return std::move(*make_surface(*plate({.low = {-2, -0.5}, .high = {2, 0.5}, .divisions = {24, 6}}),
                                     Ordering::clusters, usual_rim_layers, conditions));
    }
    case Under::gas: {
      conditions.filling = Filling{0.7, 0.6};
      // 9 edges in the shortest wave within
      return made(with_body(*icosphere({.radius = 0.7, .divisions = 6}), *icosphere({.radius = 0.35, .divisions = 3}),
                            {2.4, 0.5, 0}));
    }
    case Under::dense_ground: conditions.ground = Ground{2, -0.4, false}; [[fallthrough]];
    case Under::dense:
      conditions.filling = Filling{1.5, 2};
      return made(*box_surface({.low = {0, 0, 0}, .high = {3, 0.6, 0.6}, .divisions = {18, 4, 4}}));
    default: return unit_sphere(8, true, Ordering::clusters);
  }
}

/// Angle a step of what rings at about `angle` a step: by how much its phase is ahead in the later half.
double ringing(const std::vector<double>& v, double angle) {
  const std::size_t half = v.size() / 2;
  const auto part = [&](std::size_t from) {
    std::complex<double> sum = 0;
    for (std::size_t k = 0; k < half; ++k)
      sum += (1 - std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(half))) * v[from + k] *
             std::polar(1.0, -angle * static_cast<double>(from + k));
    return sum;
  };
  return angle + std::arg(part(half) / part(0)) / static_cast<double>(half);
}

Form form_under(Under under, const Surface& surface) {
  if (surface.filled()) return form_for(surface, FormName::N, 0.4 / std::min(1.0, surface.conditions.filling->c));
  return form_for(surface, under == Under::soft ? FormName::DC
                           : under == Under::screen || under == Under::room || under == Under::rigid_room ||
                                   under == Under::standing_wall
                               ? FormName::N
                               : FormName::NC);
}

Surface surface_under(Under under) {
  Surface out = made_under(under);
  set_wall_memory(out, form_under(under, out).dt);
  return out;
}

}  // namespace

class TestCompressed : public QObject {
  Q_OBJECT
 private slots:
  void clusters_are_compact_and_halve();
  void skeletons_send_what_their_clusters_send();
  void far_row_vectors_are_waves_in_the_band();
  void near_slices_are_those_of_whole_matrices();
  void marches_agree_as_the_error_says_data();
  void marches_agree_as_the_error_says();
  void noise_dies_out();
  void noise_that_rings_is_not_fed();
  void rooms_keep_their_mean_pressure();
  void a_march_goes_on_from_past_values_with_the_same_bits();
};

void TestCompressed::clusters_are_compact_and_halve() {
  const Surface s = bar_by_clusters();
  const std::vector<Index> coarse = cluster_begins(s.unknowns, 128), fine = cluster_begins(s.unknowns, 64);
  QCOMPARE(coarse.back(), s.unknowns);
  for (const Index b : coarse) QVERIFY(std::find(fine.begin(), fine.end(), b) != fine.end());
  for (std::size_t k = 0; k + 1 < fine.size(); ++k) QVERIFY(fine[k + 1] - fine[k] <= 64 && fine[k + 1] > fine[k]);
  const Skeletons c = clusters_of(s, {.highest = 4, .least_gap = 0.3, .cluster = 64});
  QCOMPARE(c.clusters(), 2 * c.leaves() - 1);
  // Of 1026 vertices 64 are half a unit of the bar.
  for (Index k = 0; k < c.leaves(); ++k) QVERIFY(c.radius[static_cast<std::size_t>(k)] < 0.7);
  QVERIFY(c.any_far());
  // Each pair of unknowns is near, or far at one level; far ones lie apart.
  std::vector<int> times(static_cast<std::size_t>(s.unknowns * s.unknowns), 0);
  const auto unknowns_of = [&](Index cluster) {
    Index k = 0;
    while (cluster >= c.level(k).end) ++k;
    const Index width = Index{1} << k, first = (cluster - c.level(k).begin) * width;
    return Interval{c.near.of(first).begin, c.near.of(first + width - 1).end};
  };
  const auto note = [&](Interval rows, Interval cols, bool far) {
    for (Index i = rows.begin; i < rows.end; ++i)
      for (Index j = cols.begin; j < cols.end; ++j) {
        ++times[static_cast<std::size_t>(i * s.unknowns + j)];
        QVERIFY(!far ||
                vec::distance(s.vertices[static_cast<std::size_t>(i)], s.vertices[static_cast<std::size_t>(j)]) > 0.3);
      }
  };
  for (Index a = 0; a < c.leaves(); ++a)
    for (Index b = 0; b < c.leaves(); ++b) {
      QVERIFY(c.near.wants(a, a) && c.near.wants(a, b) == c.near.wants(b, a));
      if (c.near.wants(a, b)) note(c.near.of(a), c.near.of(b), false);
    }
  bool above = false;  // some pairs are far before they are cut into leaves
  for (const auto& [a, b] : c.far_pairs) {
    above = above || a >= c.leaves();
    note(unknowns_of(a), unknowns_of(b), true);
    note(unknowns_of(b), unknowns_of(a), true);
  }
  QVERIFY(above);
  QVERIFY(std::all_of(times.begin(), times.end(), [](int k) { return k == 1; }));
}

/// Fields of simple and double layers with each unknown's function, at places and frequencies that were not sampled: from the points of a
/// leaf, and from those of what it is a half of.
void TestCompressed::skeletons_send_what_their_clusters_send() {
  Team team({{"cpu", 2, 1}});
  const Surface s = bar_by_clusters();
  std::size_t before = 0;
  for (const double error : {1e-1, 1e-2, 1e-3}) {
    const Skeletons c =
        std::move(*find_skeletons(s, {.error = error, .highest = 5, .least_gap = 0.2, .cluster = 64}, team, {}));
    const Index leaf = 6, whole = c.whole_of(0, leaf);
    const Interval own = c.near.of(leaf), parts = c.parts(1, whole);
    QVERIFY(!c.far.of(whole).empty());
    const auto some = static_cast<std::size_t>(c.far.of(leaf).size());
    QVERIFY2(some > before && some < 60, qPrintable(QString::number(some)));
    before = some;
    for (const bool joined : {false, true}) {
      const Index cluster = joined ? whole : leaf;
      const auto at = static_cast<std::size_t>(cluster);
      const Interval points = c.far.of(cluster);
      const auto weight = [&](Index i, Index p) {
        const auto& own_weights = c.weights[static_cast<std::size_t>(leaf)];
        const auto first = static_cast<std::size_t>(i) * some;
        if (!joined) return own_weights[first + static_cast<std::size_t>(p)];
        double sum = 0;
        for (std::size_t e = 0; e < some; ++e)
          sum += own_weights[first + e] *
                 c.weights[at][(static_cast<std::size_t>(c.far.of(leaf).begin - parts.begin) + e) *
                                   static_cast<std::size_t>(points.size()) +
                               static_cast<std::size_t>(p)];
        return sum;
      };
      for (const double k : {0.0, 1.7, 4.9})
        for (const bool twice : {false, true}) {
          double wrong = 0, norm = 0;
          for (int t = 0; t < 40; ++t) {
            const Vec3 x =
                vec::axpy(c.radius[at] * (1.55 + 0.2 * t),
                          vec::unit({std::cos(1.0 * t), std::sin(2.0 * t), std::sin(0.7 * t + 0.1)}), c.centre[at]);
            const auto sent = [&](const Vec3& y, const Vec3& normal, double area) {
              const Vec3 r = vec::sub(x, y);
              const double R = vec::norm(r);
              std::complex<double> g = std::polar(area / R, k * R);
              if (twice) g *= (1 / R - std::complex<double>(0, k)) * vec::dot(normal, r) / R;
              return g;
            };
            std::vector<std::complex<double>> field(static_cast<std::size_t>(own.size()));
            for (const std::int32_t triangle : s.touching(own)) {
              const Triangle& T = s.triangles[static_cast<std::size_t>(triangle)];
              for (const RulePoint& q : triangle_rule(7)) {
                Vec3 y{};
                for (std::size_t a = 0; a < 3; ++a) y = vec::axpy(q.lambda[a], T.corner[a], y);
                const std::complex<double> g = sent(y, T.normal, q.weight * T.area);
                for_shares(s, T, own, [&](std::size_t a, Index i, double share) {
                  field[static_cast<std::size_t>(i - own.begin)] += share * q.lambda[a] * g;
                });
              }
            }
            for (Index i = 0; i < own.size(); ++i) {
              std::complex<double> sum = 0;
              for (Index p = 0; p < points.size(); ++p) {
                const SkeletonPoint& y = c.points[static_cast<std::size_t>(points.begin + p)];
                sum += weight(i, p) * sent(y.at, y.normal, 1);
              }
              wrong += std::norm(sum - field[static_cast<std::size_t>(i)]);
              norm += std::norm(field[static_cast<std::size_t>(i)]);
            }
          }
          // The error is that of the mean over kinds and frequencies: a single one may have the whole of it (here sixteen); two levels add.
          QVERIFY2(
              std::sqrt(wrong / norm) < (joined ? 8 : 4) * error,
              qPrintable(QString("%1 at k %2 for %3, %4").arg(std::sqrt(wrong / norm)).arg(k).arg(error).arg(joined)));
        }
    }
  }
}

/// Row-vectors of two points are, in the band, what the steps make of waves; and gather nothing above it.
void TestCompressed::far_row_vectors_are_waves_in_the_band() {
  const SkeletonPoint x{{3.1, 0.4, -0.7}, vec::unit({0.2, 0.9, 0.5})}, y{{0.2, -0.3, 0.1}, vec::unit({0.7, -0.4, 0.3})};
  const Vec3 r = vec::sub(x.at, y.at);
  const double R = vec::norm(r), a = vec::dot(x.normal, r) / R, b = vec::dot(y.normal, r) / R,
               nn = vec::dot(x.normal, y.normal), highest = 5;
  for (const FormName name : {FormName::N, FormName::NC, FormName::DC})
    for (const double error : {1e-2, 1e-4}) {
      Form form{.name = name, .c = 1, .dt = 0.06, .alpha = 1, .gamma = 0.4};
      const double delta = form.delta();
      std::array<double, FarKernel::columns> v{};
      const Index first = FarKernel(form, highest, error).row_vector(x, y, v);
      QVERIFY(static_cast<double>(first) * delta > R - 5 * delta);
      double largest = 0, off = 0;
      for (double k = 0; k <= highest; k += 0.1) {
        using C = std::complex<double>;
        const double theta = k * delta, s = k > 0 ? std::sin(theta / 2) / (theta / 2) : 1;
        const C i(0, 1), z = std::exp(i * theta), G = std::exp(i * (k * R)) / (4 * std::numbers::pi * R),
                         dG = G * (i * k - 1 / R), ddG = G * (-k * k - 2.0 * i * k / R + 2 / (R * R)),
                         both = -((nn - a * b) / R * dG + a * b * ddG),
                         steps = form.alpha_plus() + form.alpha_minus() * z;
        C wanted = -delta * s * s * s * std::exp(0.5 * i * theta) * both;
        if (name == FormName::NC) wanted += steps * s * s * b * dG;
        if (name == FormName::DC) wanted = steps * s * std::exp(-0.5 * i * theta) * G + delta * s * s * a * dG;
        C got = 0;
        for (std::size_t d = 0; d < v.size(); ++d)
          got += v[d] * std::pow(z, static_cast<double>(first) + static_cast<double>(d));
        largest = std::max(largest, std::abs(wanted));
        off = std::max(off, std::abs(got - wanted));
      }
      QVERIFY2(off < error * largest, qPrintable(QString("%1 for %2").arg(off / largest).arg(error)));
      QVERIFY(off > 0);
    }
}

/// Near row-vectors are those of whole matrices; so is M_0.
void TestCompressed::near_slices_are_those_of_whole_matrices() {
  Team team({{"cpu", 2, 1}});
  const Surface s = unit_sphere(7, true, Ordering::clusters);
  const Form form = form_for(s, FormName::NC);
  const Matrices<double> whole = assemble_all<double>(s, form, {}, team),
                         some = compressed_all<double>(s, form, 1e-3, peak, leaf_size, 4, team);
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
  for (Index j = 0; j < s.unknowns; ++j)
    some.slices.for_each_row(j, [&](Index i, Index start, std::span<const double> v) {
      const std::vector<double>& row = of[{i, j}];
      QCOMPARE(row.size(), static_cast<std::size_t>(start) + v.size());
      for (std::size_t d = 0; d < v.size(); ++d)
        QVERIFY(std::abs(v[d] - row[static_cast<std::size_t>(start) + d]) < 1e-12 * largest);
      ++near;
    });
  for (Index b = 0; b < some.far.bands(); ++b)
    some.far.for_each_row(b, [&](Index, Index, Index, std::span<const double>) { ++far; });
  QCOMPARE(static_cast<double>(near), k.near.pairs());
  QCOMPARE(static_cast<double>(far), k.far.pairs());
  QVERIFY((whole.M0 - some.M0).norm() < 1e-13 * whole.M0.norm());
}

void TestCompressed::marches_agree_as_the_error_says_data() {
  QTest::addColumn<Under>("under");
  QTest::newRow("sphere with a soft cap, the rest of an impedance") << Under::caps;
  QTest::newRow("room with a wall of an impedance") << Under::room;
  QTest::newRow("screen on a rigid ground") << Under::standing_wall;
  QTest::newRow("bar of a denser fluid") << Under::dense;
  QTest::newRow("ball in a room, one of whose walls rings") << Under::remembering_room;
  if (!all_rows()) return;
  QTest::newRow("rigid sphere, NC") << Under::rigid;
  QTest::newRow("soft sphere, DC") << Under::soft;
  QTest::newRow("screen, N, with layers at its rim") << Under::screen;
  QTest::newRow("sphere of an impedance with a rigid cap over a rigid ground") << Under::rigid_ground;
  QTest::newRow("rigid sphere over a soft ground") << Under::soft_ground;
  QTest::newRow("sphere with a wall that rings over a rigid ground") << Under::remembering_ground;
  QTest::newRow("two bodies of gas") << Under::gas;
  QTest::newRow("bar of a denser fluid over a soft ground") << Under::dense_ground;
}

void TestCompressed::marches_agree_as_the_error_says() {
  QFETCH(Under, under);
  Team team({{"cpu", 2, 1}});
  const Surface s = surface_under(under);
  const Form form = form_under(under, s);
  constexpr Index steps = 96;
  const std::vector<double> truth = answer(assemble_all<double>(s, form, {}, team), s, form, steps, team);
  double last = HUGE_VAL;
  for (const double error : {3e-2, 1e-3}) {
    Matrices<double> m = compressed_all<double>(s, form, error, peak, leaf_size, 8, team);
    QVERIFY(m.far.nonzeros() > 0 && m.far_error > 0);
    // What far blocks are off, and what the march is: of all that acts far clusters are less than a tenth. A single frequency may have the error
    // of all of six, of both kinds, from both sides. Whole blocks that face each other hold besides what steps of hats and means take for this
    // frequency, the one above by a sampling rate, where the band's end is θ a step: (θ/2π)³ of ω² (2π/θ)², which row-vectors in the band leave out.
    const double alias = ricker_of(peak).highest_frequency() * form.dt;
    QVERIFY2(m.far_error < 5 * error + 1.2 * alias, qPrintable(QString::number(m.far_error)));
    const double off = difference(answer(std::move(m), s, form, steps, team), truth);
    qInfo("error %g: the march is off by %.2e", error, off);
    QVERIFY2(off < 0.1 * error && off > 1e-9 && off < last, qPrintable(QString::number(off)));
    last = off;
  }
}

void TestCompressed::noise_dies_out() {
  Team team({{"cpu", 2, 1}});
  const std::vector<Under> all{Under::standing_wall, Under::rigid,        Under::soft,        Under::screen,
                               Under::caps,          Under::rigid_ground, Under::soft_ground, Under::remembering};
  for (const Under under : all_rows() ? all : std::vector{all.front()}) {
    const Surface s = surface_under(under);
    const Form form = form_under(under, s);
    Matrices<double> m = compressed_all<double>(s, form, 1e-2, peak, leaf_size, 8, team);
    QVERIFY(m.far.nonzeros() > 0);
    const LateLevels late = late_levels(std::move(m), s, form, 20, {2000}, team);
    QVERIFY2(late.level[0] < 1e-12, qPrintable(QString("%1: %2").arg(static_cast<int>(under)).arg(late.level[0])));
  }
}

/// Filled bodies: noise leaves what whole matrices leave, and no more.
void TestCompressed::noise_that_rings_is_not_fed() {
  Team team({{"cpu", 2, 1}});
  for (const Under under : all_rows() ? std::vector{Under::gas, Under::dense} : std::vector{Under::dense}) {
    const Surface s = surface_under(under);
    const Form form = form_under(under, s);
    const std::vector<Index> steps{600, 2000};
    const LateLevels whole = late_levels(assemble_all<double>(s, form, {}, team), s, form, 20, steps, team),
                     some = late_levels(compressed_all<double>(s, form, 1e-2, peak, leaf_size, 8, team), s, form, 20,
                                        steps, team);
    const QString told = QString("%1: %2 %3, whole %4 %5")
                             .arg(static_cast<int>(under))
                             .arg(some.level[0])
                             .arg(some.level[1])
                             .arg(whole.level[0])
                             .arg(whole.level[1]);
    qInfo("%s", qPrintable(told));
    for (std::size_t k = 0; k < steps.size(); ++k)
      QVERIFY2(some.level[k] < 1.3 * whole.level[k] + 1e-12, qPrintable(told));
  }
}

/// The mean over the walls: of a room with a wall of ζ = 4 it stays, of a rigid one it grows as evenly as whole matrices let it; and the lowest mode of the
/// rigid one has half a wave along it.
void TestCompressed::rooms_keep_their_mean_pressure() {
  Team team({{"cpu", 2, 1}});
  const auto marched = [&](Matrices<double> matrices, const Surface& s) {
    std::array<std::vector<double>, 2> means_and_modes;
    March<double> march(std::move(matrices), {.steps = 8});
    std::mt19937 random(4711);
    std::uniform_real_distribution<double> uniform(-1, 1);
    while (march.step() < 5000)
      march.advance(
          team,
          [&](Index n, Index, std::span<double> v) {
            for (double& e : v) e = n <= 20 ? uniform(random) * s.area / static_cast<double>(v.size()) : 0;
          },
          [&](Index) {
            double mean = 0, mode = 0;
            for (std::size_t i = 0; i < s.vertices.size(); ++i) {
              const double p = march.current(0)[i] / static_cast<double>(s.unknowns);
              mean += p;
              mode += p * std::cos(std::numbers::pi * s.vertices[i][0] / 3);
            }
            means_and_modes[0].push_back(mean);
            means_and_modes[1].push_back(mode);
          });
    return means_and_modes;
  };
  for (const Under under :
       all_rows() ? std::vector{Under::rigid_room, Under::room, Under::ball_in_rigid_room, Under::remembering_room}
                  : std::vector{Under::ball_in_rigid_room}) {
    const Surface s = surface_under(under);
    const Form form = form_under(under, s);
    const auto whole = marched(assemble_all<double>(s, form, {}, team), s);
    constexpr double error = 1e-2;
    Matrices<double> m = compressed_all<double>(s, form, error, peak, leaf_size, 8, team);
    QVERIFY(m.far.nonzeros() > 0);
    const auto some = marched(std::move(m), s);
    // What noise leaves to the mean goes by way of far blocks for a part; once it has died out the mean is on a line of one slope.
    const auto rate = [](const std::vector<double>& mean, std::size_t n) { return (mean[n + 999] - mean[n]) / 999; };
    const double scale = whole[0].back(), told = rate(some[0], 4000), wanted = rate(whole[0], 4000);
    qInfo("mean %.8g, whole %.8g; slope %.8g, whole %.8g", some[0].back(), scale, told, wanted);
    QVERIFY(std::abs(some[0].back() - scale) < 0.1 * error * scale);
    QVERIFY(std::abs(told - wanted) < 0.1 * error * scale / 5000);
    if (under != Under::rigid_room) continue;
    const double angle = form.delta() * std::numbers::pi / 3,
                 of_whole = ringing({whole[1].begin() + 1000, whole[1].end()}, angle),
                 of_some = ringing({some[1].begin() + 1000, some[1].end()}, angle);
    qInfo("lowest mode: %.6g, whole %.6g", of_some / angle, of_whole / angle);
    QVERIFY(std::abs(of_whole / angle - 1) < 0.01);
    QVERIFY(std::abs(of_some / of_whole - 1) < 0.1 * error);
  }
}

void TestCompressed::a_march_goes_on_from_past_values_with_the_same_bits() {
  Team team({{"cpu", 2, 1}});
  const Surface s = surface_under(Under::remembering);
  const Form form = form_under(Under::remembering, s);
  const auto l = [](Index n, Index, std::span<double> v) {
    for (std::size_t i = 0; i < v.size(); ++i)
      v[i] = std::sin(0.37 * static_cast<double>(n) + 0.11 * static_cast<double>(i)) *
             std::exp(-0.05 * static_cast<double>(n));
  };
  const Matrices<float> matrices = compressed_all<float>(s, form, 1e-2, peak, leaf_size, 8, team);
  const auto made = [&] { return std::make_unique<March<float>>(Matrices<float>(matrices), MarchOptions{.steps = 8}); };
  const auto whole = made(), resumed = made();
  for (int g = 0; g < 3; ++g) whole->advance(team, l);
  const auto take_over = [&](History<float>& to, const History<float>& from, Index count) {
    std::vector<float> past(static_cast<std::size_t>(from.reach() + 1)), all;
    for (Index j = 0; j < count; ++j) {
      from.save(j, past);
      all.insert(all.end(), past.begin(), past.end());
    }
    to.load(whole->step(), all);
  };
  take_over(resumed->histories()[0], whole->histories()[0], s.unknowns);
  take_over(resumed->memory_histories()[0], whole->memory_histories()[0],
            static_cast<Index>(whole->matrices().memory_columns.size()));
  resumed->poles() = whole->poles();
  resumed->restore_current();
  for (int g = 0; g < 3; ++g) {
    whole->advance(team, l);
    resumed->advance(team, l);
  }
  QVERIFY(std::ranges::equal(whole->current(0), resumed->current(0)));
}

QTEST_APPLESS_MAIN(TestCompressed)
#include "test_compressed.moc"
