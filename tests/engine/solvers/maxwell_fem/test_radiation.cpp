// SPDX-License-Identifier: BSD-3-Clause
// The radiation kernels against the formulas, at odd sizes; the paper's loops; near pairs; a dipole.
// labels: unit
#include <QTest>
#include <cmath>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/kernels/reference.hpp"
#include "engine/solvers/maxwell_fem/maxwell_fem.hpp"
#include "engine/solvers/maxwell_fem/solving/amplitudes.hpp"
#include "engine/solvers/maxwell_fem/solving/far_field.hpp"
#include "engine/solvers/maxwell_fem/solving/radiation.hpp"
#include "engine/solvers/maxwell_fem/solving/rational.hpp"
#include "engine/solvers/maxwell_fem/solving/system.hpp"
#include "engine/solvers/maxwell_fem/verify/spheres.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::maxwell_fem;
using namespace conoid::vec;

namespace {

constexpr Complex j{0, 1};

struct Scene {
  Mesh mesh;
  Domain domain;
};

std::unique_ptr<Scene> scene(int divisions, int layers, bool curved = true) {
  SphereScene s;
  s.divisions = divisions;
  s.layers = layers;
  s.curved = curved;
  auto out = std::make_unique<Scene>();
  out->mesh = *sphere_mesh(s);
  out->domain = *make_domain(out->mesh, sphere_roles(s));
  return out;
}

std::vector<Complex> random_values(Index count) {
  std::mt19937 engine(5);
  std::normal_distribution<double> normal;
  std::vector<Complex> out(static_cast<std::size_t>(count));
  for (Complex& v : out) v = {normal(engine), normal(engine)};
  return out;
}

double difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double d = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    d += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(d / size);
}

/// Asked for at any look, a stop ends `work` at that look, or `again` looks later; looks are no rarer than `least` in all.
template <class Work>
void heard_at_once(const Work& work, Index least, Index again = 0) {
  Index looks = 0;
  const auto whole = work([&] {
    ++looks;
    return false;
  });
  QVERIFY(whole.ok());
  QVERIFY2(looks >= least, qPrintable(QString("%1 looks, %2 expected").arg(looks).arg(least)));
  for (Index at = 1; at <= looks; at += at < 8 ? 1 : 5) {
    Index count = 0;
    const auto given_up = work([&] { return ++count >= at; });
    QVERIFY(!given_up.ok());
    QVERIFY(given_up.error().code == ErrorCode::stopped);
    QVERIFY2(count <= at + again, qPrintable(QString("%1 looks after look %2").arg(count - at).arg(at)));
  }
}

/// Straight from E = G J − ∇g×M, ∇×E = −k² G M + ∇g×J and Ψ = n×∇×E + jk n×n×E.
std::vector<Complex> by_formula(const Domain& d, double k, const std::vector<Complex>& f, Index count) {
  const Index n = d.outer.size(), m = d.currents.size();
  std::vector<Complex> psi(static_cast<std::size_t>(2 * n * count));
  for (Index c = 0; c < count; ++c)
    for (Index p = 0; p < n; ++p) {
      const FacePoint& at = d.outer.point(p);
      std::array<Complex, 3> e{}, curl{};
      for (Index q = 0; q < m; ++q) {
        const FacePoint& from = d.currents.point(q);
        std::array<Complex, 3> current{}, magnetic{};
        for (int t = 0; t < 2; ++t) {
          const Complex minus = f[c * 4 * m + 2 * q + t], plus = f[c * 4 * m + 2 * m + 2 * q + t];
          for (int a = 0; a < 3; ++a) {
            const double along = t == 0 ? from.t1[a] : from.t2[a];
            current[a] += along * 0.5 * (minus + plus);
            magnetic[a] += along * 0.5 / k * (minus - plus);
          }
        }
        const Vec3 way = sub(at.x, from.x);
        const double r = norm(way);
        const Vec3 h = scale(1 / r, way);
        const Complex g = std::exp(-j * k * r) / (4 * std::numbers::pi * r);
        const auto times = [&](const std::array<Complex, 3>& a) {
          const Complex along = h[0] * a[0] + h[1] * a[1] + h[2] * a[2];
          std::array<Complex, 3> out;
          for (int x = 0; x < 3; ++x)
            out[x] = g * ((1.0 - j / (k * r) - 1 / (k * r * k * r)) * a[x] +
                          (-1.0 + 3.0 * j / (k * r) + 3 / (k * r * k * r)) * h[x] * along);
          return out;
        };
        const auto across = [&](const std::array<Complex, 3>& a) {
          const Complex s = -(j * k + 1 / r) * g;
          return std::array<Complex, 3>{s * (h[1] * a[2] - h[2] * a[1]), s * (h[2] * a[0] - h[0] * a[2]),
                                        s * (h[0] * a[1] - h[1] * a[0])};
        };
        const auto gj = times(current), gm = times(magnetic), xj = across(current), xm = across(magnetic);
        for (int a = 0; a < 3; ++a) {
          e[a] += gj[a] - xm[a];
          curl[a] += xj[a] - k * k * gm[a];
        }
      }
      const auto crossed = [&](const std::array<Complex, 3>& a) {
        const Vec3& v = at.normal;
        return std::array<Complex, 3>{v[1] * a[2] - v[2] * a[1], v[2] * a[0] - v[0] * a[2], v[0] * a[1] - v[1] * a[0]};
      };
      const auto nc = crossed(curl), nne = crossed(crossed(e));
      Complex one = 0, two = 0;
      for (int a = 0; a < 3; ++a) {
        one += at.t1[a] * (nc[a] + j * k * nne[a]);
        two += at.t2[a] * (nc[a] + j * k * nne[a]);
      }
      const double w = std::sqrt(d.outer.weight(p) / 2);
      psi[c * 2 * n + p] = w * (one + j * two);
      psi[c * 2 * n + n + p] = w * (one - j * two);
    }
  return psi;
}

}  // namespace

class TestRadiation : public QObject {
  Q_OBJECT

 private slots:
  void every_kernel_and_loop_equals_the_formulas() {
    const auto s = scene(1, 2);
    const Domain& d = s->domain;
    for (double k : {1.0, 7.3}) {
      for (Index count : {1, 2, 13}) {
        const auto f = random_values(4 * d.currents.size() * count);
        const auto wanted = by_formula(d, k, f, count);
        for (InstructionSet level : {InstructionSet::base, InstructionSet::avx2, InstructionSet::avx512}) {
          const Radiation radiation(d, k, 2, 0, level);
          for (const char* workers : {"one", "two"}) {
            Team team =
                std::string(workers) == "one" ? Team({{"cpu", 2, 1}}) : Team({{"a", 1, 1}, {"b", 1, 1}}, "fixed");
            for (RadiationLoop loop : {RadiationLoop::automatic, RadiationLoop::blocked, RadiationLoop::fused,
                                       RadiationLoop::omp_inner, RadiationLoop::omp_outer, RadiationLoop::omp_rhs}) {
              std::vector<Complex> psi(wanted.size());
              radiation.apply(team, f, count, psi, loop);
              QVERIFY2(
                  difference(psi, wanted) < 1e-12,
                  qPrintable(
                      QString("loop %1 level %2: %3").arg(int(loop)).arg(int(level)).arg(difference(psi, wanted))));
            }
          }
        }
      }
    }
  }

  void compressed_blocks_keep_their_tolerance() {
    const auto s = scene(5, 2);
    const Domain& d = s->domain;
    Team team({{"cpu", 2, 1}});
    for (double tolerance : {1e-3, 1e-6}) {
      Radiation radiation(d, 2.5, 2, 0);
      radiation.compress(tolerance, 2);
      QVERIFY(radiation.compressed()->bytes() < radiation.compressed()->dense_bytes() / 2);
      // 70: more than a stretch of columns.
      for (Index count : tolerance > 1e-4 ? std::vector<Index>{1, 70} : std::vector<Index>{1, 7}) {
        const auto f = random_values(4 * d.currents.size() * count);
        std::vector<Complex> exact(static_cast<std::size_t>(2 * d.outer.size() * count)), psi(exact), alone(exact);
        radiation.apply(team, f, count, exact);
        radiation.apply(team, f, count, psi, RadiationLoop::compressed);
        QVERIFY2(difference(psi, exact) < tolerance, qPrintable(QString::number(difference(psi, exact))));
        Team one({{"cpu", 1, 1}});
        radiation.apply(one, f, count, alone, RadiationLoop::compressed);
        QVERIFY(alone == psi);
      }
    }
  }

  /// Each of three ranks makes its rows alone: together they are the operator, and each holds about a third of it.
  void ranks_make_rows_of_their_own_of_compressed_blocks() {
    const auto s = scene(5, 2);
    const Domain& d = s->domain;
    Team team({{"cpu", 2, 1}});
    Radiation whole(d, 2.5, 2);
    whole.compress(1e-6, 2);
    const Index count = 3;
    const auto f = random_values(4 * d.currents.size() * count);
    std::vector<Complex> exact(static_cast<std::size_t>(2 * d.outer.size() * count)), sum(exact);
    whole.apply(team, f, count, exact, RadiationLoop::compressed);
    for (int rank = 0; rank < 3; ++rank) {
      Radiation part(d, 2.5, 2);
      part.compress(1e-6, 2, rank, 3);
      const double share =
          static_cast<double>(part.compressed()->bytes()) / static_cast<double>(whole.compressed()->bytes());
      QVERIFY2(share > 0.2 && share < 0.45, qPrintable(QString::number(share)));
      std::vector<Complex> psi(exact.size(), 7);
      part.apply(team, f, count, psi, RadiationLoop::compressed);
      for (std::size_t i = 0; i < psi.size(); ++i) sum[i] += psi[i];
    }
    // Blocks that a boundary between ranks cuts are smaller ones.
    QVERIFY2(difference(sum, exact) < 2e-6, qPrintable(QString::number(difference(sum, exact))));
  }

  void near_pairs_reach_the_exact_field_of_a_dipole() {
    // Currents of a dipole inside S' (order-2 interpolation on curved faces); its field on S, close by, with and without care.
    const double k = 1;
    double before = 0, with_care = 0, without = 0;
    for (int divisions : {2, 4}) {
      const auto s = scene(divisions, 4);
      const Domain& d = s->domain;
      const Vec3 place{0.2, -0.1, 0.15}, moment{0.3, 0.5, -0.8};
      const auto electric = [&](const Vec3& x) {
        const Coupling c = coupling(x, place, k);
        return Complex3{c.g[0] * moment[0] + c.g[3] * moment[1] + c.g[4] * moment[2],
                        c.g[3] * moment[0] + c.g[1] * moment[1] + c.g[5] * moment[2],
                        c.g[4] * moment[0] + c.g[5] * moment[1] + c.g[2] * moment[2]};
      };
      const auto curl = [&](const Vec3& x) {
        const auto g = coupling(x, place, k).gradient;
        return Complex3{g[1] * moment[2] - g[2] * moment[1], g[2] * moment[0] - g[0] * moment[2],
                        g[0] * moment[1] - g[1] * moment[0]};
      };
      const auto on = [](const Vec3& t, const Complex3& v) { return t[0] * v[0] + t[1] * v[1] + t[2] * v[2]; };
      const Index m = d.currents.size(), n = d.outer.size();
      std::vector<Complex> f(static_cast<std::size_t>(4 * m)), wanted(static_cast<std::size_t>(2 * n)),
          psi(wanted.size());
      for (Index q = 0; q < m; ++q) {
        const FacePoint& p = d.currents.point(q);
        const auto e = electric(p.x), c = curl(p.x);
        const double w = d.currents.weight(q);
        const Complex j1 = -on(p.t2, c), j2 = on(p.t1, c), m1 = on(p.t2, e), m2 = -on(p.t1, e);
        f[2 * q] = w * (j1 + k * m1);
        f[2 * q + 1] = w * (j2 + k * m2);
        f[2 * m + 2 * q] = w * (j1 - k * m1);
        f[2 * m + 2 * q + 1] = w * (j2 - k * m2);
      }
      for (Index p = 0; p < n; ++p) {
        const FacePoint& at = d.outer.point(p);
        const auto e = electric(at.x), c = curl(at.x);
        const Complex one = -on(at.t2, c) - j * k * on(at.t1, e), two = on(at.t1, c) - j * k * on(at.t2, e);
        const double w = std::sqrt(d.outer.weight(p) / 2);
        wanted[p] = w * (one + j * two);
        wanted[n + p] = w * (one - j * two);
      }
      Team team({{"cpu", 2, 1}});
      Radiation(d, k, 2).apply(team, f, 1, psi);
      with_care = difference(psi, wanted);
      Radiation(d, k, 2, 0).apply(team, f, 1, psi);
      without = difference(psi, wanted);
      if (divisions == 2) before = with_care;
    }
    // The rule's own error at 1.5 diameters is what stays.
    QVERIFY2(with_care < 5e-4, qPrintable(QString::number(with_care)));
    QVERIFY2(before / with_care > 2, qPrintable(QString("%1 %2").arg(before).arg(with_care)));
    QVERIFY2(with_care < without, qPrintable(QString("%1 %2").arg(with_care).arg(without)));
  }

  void far_field_is_the_limit_of_the_near_field() {
    const auto s = scene(2, 2);
    const Domain& d = s->domain;
    const double k = 1.3, r = 4000;
    const auto f = random_values(4 * d.currents.size());
    const std::vector<Direction> directions{{0.3, 0.2}, {1.9, 4.0}, {3.1, 1}};
    const auto far = far_field(d, k, f, 1, directions, 1);
    for (std::size_t a = 0; a < directions.size(); ++a) {
      const Vec3 x = scale(r, directions[a].radial());
      const auto e = near_field(d, k, f, std::span(&x, 1), 1);
      const Complex factor = r * std::exp(j * k * r);
      const Vec3 t = directions[a].theta_hat(), p = directions[a].phi_hat();
      const Complex along_t = factor * (t[0] * e[0] + t[1] * e[1] + t[2] * e[2]),
                    along_p = factor * (p[0] * e[0] + p[1] * e[1] + p[2] * e[2]);
      const double size = std::hypot(std::abs(far[a].theta), std::abs(far[a].phi));
      QVERIFY(std::abs(along_t - far[a].theta) < 2e-3 * size);
      QVERIFY(std::abs(along_p - far[a].phi) < 2e-3 * size);
    }
  }

  void a_part_of_the_surface_radiates_alone() {
    const auto s = scene(1, 2);
    const Domain& d = s->domain;
    Team team({{"cpu", 2, 1}});
    Radiation radiation(d, 1.2, 2);
    radiation.compress(1e-9, 2);
    const Index count = 7, n = d.outer.size(), faces = d.outer.faces();
    const auto f = random_values(4 * d.currents.size() * count);
    for (RadiationLoop loop : {RadiationLoop::blocked, RadiationLoop::fused, RadiationLoop::omp_inner,
                               RadiationLoop::omp_outer, RadiationLoop::omp_rhs, RadiationLoop::compressed}) {
      std::vector<Complex> whole(static_cast<std::size_t>(2 * n * count)), sum(whole.size());
      radiation.apply(team, f, count, whole, loop);
      for (Index part = 0; part < 3; ++part) {
        std::vector<Complex> psi(whole.size());
        radiation.apply(team, f, count, psi, loop, {part * faces / 3, (part + 1) * faces / 3});
        for (std::size_t i = 0; i < psi.size(); ++i) sum[i] += psi[i];
      }
      QVERIFY2(difference(sum, whole) < 1e-13, qPrintable(QString("loop %1").arg(static_cast<int>(loop))));
    }
  }

  void a_stop_is_heard_in_every_loop_of_the_preparation() {
    SphereScene s;
    s.divisions = 10;
    s.layers = 3;
    const Mesh mesh = *sphere_mesh(s);
    const Domain domain = *make_domain(mesh, sphere_roles(s));
    const auto tets = static_cast<Index>(domain.space.tets().size());
    QVERIFY(tets > 2 * 4096);
    const Index blocks = (tets + 4095) / 4096;
    // Every loop over all tetrahedra asks before each block of them, the one over pairs of faces before each hundred thousand.
    const Index pairs = domain.outer.faces() * domain.currents.faces() / 100000;
    heard_at_once([&](const Stopped& stopped) { return make_domain(mesh, sphere_roles(s), stopped); },
                  4 * blocks + pairs);

    double radius = 0;
    for (Index q = 0; q < domain.outer.size(); ++q) radius = std::max(radius, norm(domain.outer.point(q).x));
    PlaneSetting plane;
    plane.points = {31, 1, 31};
    plane.origin = {-2.1 * radius, 0, -2.1 * radius};
    plane.spacing = {0.14 * radius, 1, 0.14 * radius};
    const PlanePoints points = *locate(domain, plane);
    const auto unknown = std::count_if(points.tet.begin(), points.tet.end(), [](Index t) { return t < 0; });
    QVERIFY(unknown > 400 && unknown < 961);
    heard_at_once([&](const Stopped& stopped) { return locate(domain, plane, stopped); },
                  blocks + 961 * domain.outer.faces() / 100000);
  }

  void a_stop_is_heard_in_every_loop_of_the_assembly() {
    // The matrix, then the projection onto S' (its mass matrix) and the functionals of J, then in the mixed form the projection of
    // the wave. What leaves a loop of the matrix asks once more behind it.
    const auto s = scene(3, 2);
    const auto tets = static_cast<Index>(s->domain.space.tets().size());
    const Index rows = s->domain.free_unknowns, blocks = (s->domain.currents.faces() + 4095) / 4096;
    Index outside = 0;
    for (Index t = 0; t < tets; t += 256) outside += s->domain.outside[t] ? 1 : 0;
    QVERIFY(outside > 0);
    heard_at_once(
        [&](const Stopped& stopped) {
          System system(s->domain, {Medium{}, Medium{}, Medium{}}, 1, FieldForm::mixed, 1);
          return system.factor({}, stopped);
        },
        (rows + 4095) / 4096 + (tets + 511) / 512 + 1 + 2 * blocks + outside + 2 * blocks, 2);
  }

  /// Three conducting spheres, each by its exact series, seen over 30 degrees and 4 GHz: they stand where they stand.
  void an_image_shows_three_spheres_where_they_stand() {
    const std::vector<Vec3> places{{0.3, 0.1, 0}, {-0.25, -0.3, 0}, {0, 0.35, 0}};
    const double a = 0.02;
    Cut sweep;
    sweep.phi_runs = true;
    sweep.fixed = std::numbers::pi / 2;
    for (int n = 0; n <= 60; ++n) sweep.angles.push_back((40 + 0.5 * n) * std::numbers::pi / 180);
    std::vector<double> frequencies;
    std::vector<Complex> echo;
    for (int n = 0; n <= 40; ++n) {
      const double f = 6e9 + 1e8 * n, k = 2 * std::numbers::pi * f / light_speed;
      frequencies.push_back(f);
      const Complex one = conducting_sphere(k * a).s2(-1) / (j * k);
      for (std::size_t m = 0; m < sweep.angles.size(); ++m) {
        Complex sum = 0;
        for (const Vec3& x : places)
          sum += one * std::polar(1.0, 2 * k * conoid::vec::dot(sweep.direction(m).radial(), x));
        echo.push_back(sum);
      }
    }
    const int points = 120;
    const IsarImage image = isar_image(frequencies, sweep, echo, 1.2, points);
    QVERIFY2(image.range_width > 1.4 && image.cross_width > 1.7, "the image does not repeat within the square");
    std::vector<double> level = image.level;
    std::vector<bool> found(places.size(), false);
    for (std::size_t n = 0; n < places.size(); ++n) {
      const auto peak = static_cast<std::size_t>(std::max_element(level.begin(), level.end()) - level.begin());
      const double u = image.at[peak % points], v = image.at[peak / points];
      for (std::size_t p = 0; p < places.size(); ++p) {
        // The echo of a sphere comes from its front.
        const double du = u - conoid::vec::dot(places[p], image.down) - a,
                     dv = v - conoid::vec::dot(places[p], image.across);
        if (std::hypot(du, dv) > 0.02) continue;
        QVERIFY(!found[p]);
        found[p] = true;
      }
      for (std::size_t q = 0; q < level.size(); ++q)
        if (std::hypot(image.at[q % points] - u, image.at[q / points] - v) < 0.12) level[q] = -300;
    }
    QVERIFY(found[0] && found[1] && found[2]);
    const double rest = *std::max_element(level.begin(), level.end()),
                 most = *std::max_element(image.level.begin(), image.level.end());
    QVERIFY2(rest < most - 15, qPrintable(QString("%1 %2").arg(rest).arg(most)));
  }

  /// A ball of permittivity 38 through its resonances and a conductor, by their series with what an iteration leaves: 1001 frequencies from
  /// a dozen.
  void few_frequencies_give_a_sweep() {
    for (const double epsilon : {38.0, 0.0}) {
      const double from = epsilon > 0 ? 0.45 : 1, to = epsilon > 0 ? 0.75 : 3;
      unsigned state = 1;
      const auto noise = [&] {
        state = state * 1664525U + 1013904223U;
        return 2 * (state / 4294967296.0) - 1;
      };
      const auto values = [&](double ka, double error) {
        const SphereSeries s = epsilon > 0 ? homogeneous_sphere(ka, epsilon, 1) : conducting_sphere(ka);
        std::vector<Complex> out;
        double most = 0;
        for (int n = 0; n <= 36; ++n)
          for (const Complex z :
               {s.s2(-std::cos(n * std::numbers::pi / 36)), s.s1(-std::cos(n * std::numbers::pi / 36))}) {
            out.push_back(z / ka);
            most = std::max(most, std::abs(out.back()));
          }
        for (Complex& z : out) z += error * most * Complex(noise(), noise());
        return out;
      };
      std::vector<double> grid;
      for (int n = 0; n <= 1000; ++n) grid.push_back(from + (to - from) * n / 1000);
      std::vector<SweepSample> samples;
      for (std::size_t n = 0; n <= 1000; n += 250) samples.push_back({grid[n], values(grid[n], 1e-5)});
      const double tolerance = std::pow(10, 0.1 / 20) - 1;
      for (int agreed = 0; samples.size() < 16;) {
        const SweepPlan plan = plan_sweep(grid, samples, 1, tolerance, 1);
        agreed = plan.error <= tolerance ? agreed + 1 : 0;
        if (agreed == 2) break;
        samples.push_back({grid[plan.next.at(0)], values(grid[plan.next.at(0)], 1e-5)});
      }
      const RationalFit fit(samples, 0.05 * tolerance);
      double worst = 0;
      for (const double x : grid)
        worst = std::max(worst, std::abs(20 * std::log10(std::abs(fit.at(x)[0] / values(x, 0)[0]))));
      QVERIFY2(samples.size() <= 15 && worst < 0.02,
               qPrintable(QString("%1 samples, %2 dB").arg(samples.size()).arg(worst)));
    }
  }

  /// What `check` tells of the factors' memory, of a layer around a conductor and a ball, against what the factors take: on 16 threads
  /// their subtrees wait for parents with two to three times the memory of one.
  void memory_of_factors_is_foreseen_for_any_number_of_threads() {
    if (!own_fronts({})) QSKIP("this processor has no kernels of our own fronts");
    for (const bool ball : {false, true}) {
      SphereScene s;
      s.ka = 2;
      if (ball) s.core = Medium{2.0, 1.0};
      const Mesh mesh = *sphere_mesh(s);
      const Domain domain = *make_domain(mesh, sphere_roles(s));
      const SymmetricMatrix matrix = System(domain, {Medium{}, Medium{}, Medium{}}, 1, FieldForm::total, 1).matrix();
      for (const int threads : {1, 16}) {
        DirectOptions o;
        o.threads = threads;
        const ExpectedFactors expected = expected_factors(matrix.size, ball ? 0 : s.layers, o);
        const auto made = factorise(matrix, o);
        QVERIFY(made.ok());
        const auto foreseen = static_cast<double>(expected.bytes + expected.waiting),
                   real = static_cast<double>((*made)->facts().bytes);
        QVERIFY2(
            std::abs(foreseen / real - 1) < 0.2,
            qPrintable(QString("%1 threads: %2 of %3 MiB").arg(threads).arg(foreseen / 1048576).arg(real / 1048576)));
        const double entries = expected.entries / static_cast<double>((*made)->facts().entries);
        QVERIFY2(std::abs(entries - 1) < 0.11, qPrintable(QString::number(entries)));
      }
    }
  }

  void ffe_files_hold_grids_with_theta_fastest() {
    FfeBlock block{
        "V", "cut", 1e9, 2, 1, {{0, 0}, {std::numbers::pi / 2, 0}}, {{Complex(1, -2), 0}, {0, Complex(0, 0.5)}}};
    const std::string text = ffe_text(std::span(&block, 1));
    QVERIFY(text.starts_with("##File Type: Far field\n##File Format: 3\n"));
    for (const char* line :
         {"#Frequency:   1.0000000000E+09\n", "#No. of Theta Samples: 2\n", "#No. of Phi Samples: 1\n"})
      QVERIFY2(text.find(line) != std::string::npos, line);
    QVERIFY(text.find("9.00000000E+01") != std::string::npos);
    QVERIFY(text.find("6.28318531E+01") != std::string::npos);  // 4 pi |1 - 2j|^2
  }

  void range_profile_finds_the_front_of_a_sphere() {
    // Over a wide band the echo of a large conducting sphere comes from its front, a/2 strong, and later from the wave that
    // creeps around it.
    const double a = 0.15;
    std::vector<double> frequencies;
    std::vector<Complex> echo;
    for (int i = 0; i <= 80; ++i) {
      const double f = 1e9 + 1e8 * i, k = 2 * std::numbers::pi * f / light_speed;
      frequencies.push_back(f);
      echo.push_back(conducting_sphere(k * a).s2(-1) / (j * k));
    }
    const RangeProfile p = range_profile(frequencies, echo, 600);
    std::size_t peak = 0;
    for (std::size_t i = 0; i < p.level.size(); ++i)
      if (p.level[i] > p.level[peak]) peak = i;
    QVERIFY2(std::abs(p.range[peak] + a) < 0.005, qPrintable(QString::number(p.range[peak])));
    QVERIFY2(std::abs(p.level[peak] - 20 * std::log10(a / 2)) < 0.3, qPrintable(QString::number(p.level[peak])));
    double creeping = -300, quiet = -300;
    for (std::size_t i = 0; i < p.level.size(); ++i) {
      if (std::abs(p.range[i] - std::numbers::pi / 2 * a) < 0.03) creeping = std::max(creeping, p.level[i]);
      if (std::abs(p.range[i] + 0.5) < 0.1) quiet = std::max(quiet, p.level[i]);  // in front of it: nothing
    }
    QVERIFY2(creeping > quiet + 10 && creeping < p.level[peak] - 10,
             qPrintable(QString("%1 %2").arg(creeping).arg(quiet)));
  }
};

QTEST_APPLESS_MAIN(TestRadiation)
#include "test_radiation.moc"
