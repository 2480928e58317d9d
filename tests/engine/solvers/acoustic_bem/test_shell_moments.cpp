// SPDX-License-Identifier: BSD-3-Clause
// Closed-form shell moments: against area, solid angle and independent quadrature; lane kernels against the reference, those of
// receivers against what they are exact for.
// labels: unit
#include <QTest>
#include <cmath>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/pair_reference.hpp"
#include "engine/solvers/acoustic_bem/discretization/shell_moments.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile.hpp"
#include "engine/solvers/acoustic_bem/kernels/receiver_lanes.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;
using namespace conoid::vec;

namespace {

struct Sample {
  std::mt19937 engine{20240611};
  double uniform(double a, double b) { return std::uniform_real_distribution<>(a, b)(engine); }
  Vec3 point(double r) { return {uniform(-r, r), uniform(-r, r), uniform(-r, r)}; }
  Triangle triangle() {
    for (;;) {
      const Triangle t = make_triangle(point(1), point(1), point(1));
      if (t.area > 0.1) return t;
    }
  }
};

/// Van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983) 125–126; sign: positive above the triangle.
double solid_angle(const Triangle& t, const Vec3& x) {
  const Vec3 a = sub(t.corner[0], x), b = sub(t.corner[1], x), c = sub(t.corner[2], x);
  const double la = norm(a), lb = norm(b), lc = norm(c);
  const double omega = 2 * std::atan2(triple(a, b, c), la * lb * lc + dot(a, b) * lc + dot(a, c) * lb + dot(b, c) * la);
  return -omega;
}

/// Points in general position, inside over the plane, nearly in the plane, in the plane outside and inside.
std::vector<Vec3> observers(Sample& random, const Triangle& t) {
  std::vector<Vec3> out;
  for (int k = 0; k < 4; ++k) out.push_back(random.point(2.5));
  out.push_back(axpy(0.3, t.normal, t.centroid));
  out.push_back(axpy(-1e-6, t.normal, t.centroid));
  out.push_back(t.centroid);
  out.push_back(axpy(1.7, sub(t.corner[1], t.corner[0]), t.corner[2]));  // in the plane, outside
  out.push_back(t.corner[1]);
  return out;
}

}  // namespace

class TestShellMoments : public QObject {
  Q_OBJECT

 private slots:
  /// Surface values that are cubics in time are interpolated exactly, whatever the distance and the registers.
  void points_receive_cubics_in_time_exactly() {
    Sample random;
    const Rule rule = triangle_rule(7);
    constexpr double delta = 0.3;
    const auto p = [](double s) { return 1 + 0.3 * s - 0.02 * s * s + 1e-3 * s * s * s; };
    const auto slope = [](double s) { return 0.3 - 0.04 * s + 3e-3 * s * s; };
    for (const int widest : {2, 4, 8})
      for (int k = 0; k < 20; ++k) {
        const Triangle T = random.triangle();
        const ReceiverLanes& kernels = receiver_lanes(widest);
        const auto W = static_cast<std::size_t>(kernels.lanes);
        std::vector<double> y, lambda, weight, x(3 * W), first(W), last(W);
        std::vector<Vec3> at;
        for (const RulePoint& q : rule) {
          Vec3 point{};
          for (std::size_t c = 0; c < 3; ++c) point = axpy(q.lambda[c], T.corner[c], point);
          y.insert(y.end(), point.begin(), point.end());
          lambda.insert(lambda.end(), {q.lambda[0], q.lambda[1], q.lambda[2], 0.0});
          weight.push_back(q.weight);
        }
        for (std::size_t t = 0; t < W; ++t) {
          at.push_back(axpy(random.uniform(3, 9), T.normal, random.point(4)));
          for (std::size_t d = 0; d < 3; ++d) x[d * W + t] = at[t][d];
        }
        const LaneSender sender{7,
                                y.data(),
                                lambda.data(),
                                weight.data(),
                                T.area / (4 * std::numbers::pi),
                                {T.normal[0], T.normal[1], T.normal[2]},
                                delta};
        for (const bool of_sigma : {false, true}) {
          const double early = of_sigma ? 0.5 : 0;
          constexpr std::size_t most = 24;
          std::vector<double> out(4 * most * W, 0.0);
          kernels.range(sender, x.data(), W, early, first.data(), last.data());
          kernels.values(sender, x.data(), W, early, of_sigma, first.data(), last.data(), most, out.data());
          for (std::size_t t = 0; t < W; ++t) {
            QVERIFY(last[t] - first[t] + 1 <= static_cast<double>(most));
            for (std::size_t b = 0; b < 3; ++b) {
              double got = 0, expected = 0, size = 0;
              for (auto c = first[t]; c <= last[t]; ++c) {
                const double v = out[4 * (most * t + static_cast<std::size_t>(c - first[t])) + b] * p(-c - early);
                got += v;
                size += std::abs(v);
              }
              for (std::size_t q = 0; q < rule.size(); ++q) {
                const Vec3 to = sub(at[t], {y[3 * q], y[3 * q + 1], y[3 * q + 2]});
                const double R = norm(to), s = R / delta,
                             w = rule[q].weight * T.area / (4 * std::numbers::pi) * rule[q].lambda[b];
                expected += of_sigma ? -w / R * p(-s) : w * dot(T.normal, to) / (R * R * R) * (p(-s) + s * slope(-s));
              }
              QVERIFY2(std::abs(got - expected) < 1e-13 * size, qPrintable(QString::number(got - expected)));
            }
          }
        }
      }
  }

  void shells_add_up_to_area_and_solid_angle() {
    Sample random;
    for (int k = 0; k < 40; ++k) {
      const Triangle t = random.triangle();
      const double delta = random.uniform(0.05, 0.7);
      for (const Vec3& x : observers(random, t)) {
        const ShellRange r = shell_range(t, x, delta);
        double area = 0, angle = 0;
        for (Index m = r.first; m <= r.last; ++m) {
          const ShellMoments s = shell_moments(t, x, delta, m);
          area += s.q1;
          angle += s.k[0] + s.k[1] + s.k[2];
        }
        QVERIFY(std::abs(area - t.area) < 1e-13 * t.area);
        // On the triangle's own plane the solid angle jumps; the value there is zero by convention.
        if (std::abs(dot(t.normal, sub(x, t.corner[0]))) > 1e-9)
          QVERIFY(std::abs(angle - solid_angle(t, x)) < 2e-13);
        else
          QVERIFY(angle == 0);
      }
    }
  }

  void single_shell_agrees_with_quadrature() {
    // A fine split rule on the clipped integrand: first order in the size of the parts that the sphere cuts.
    Sample random;
    const Rule rule = split_rule(triangle_rule(3), 8);
    for (int k = 0; k < 6; ++k) {
      const Triangle t = random.triangle();
      const Vec3 x = axpy(0.4 + 0.3 * k, t.normal, random.point(1));
      const double delta = random.uniform(0.2, 0.4);
      const ShellRange r = shell_range(t, x, delta);
      const Index m = (r.first + r.last) / 2;
      ShellMoments sum;
      for (const RulePoint& q : rule) {
        Vec3 y{};
        for (std::size_t c = 0; c < 3; ++c) y = axpy(q.lambda[c], t.corner[c], y);
        const double R = distance(x, y);
        if (R < static_cast<double>(m) * delta || R >= static_cast<double>(m + 1) * delta) continue;
        const double w = q.weight * t.area;
        for (std::size_t b = 0; b < 3; ++b) {
          sum.s[b] += w * q.lambda[b] / R;
          sum.k[b] += w * q.lambda[b] * dot(t.normal, sub(x, y)) / (R * R * R);
        }
        sum.q1 += w;
        sum.q2 += w * R;
      }
      const ShellMoments exact = shell_moments(t, x, delta, m);
      // Parts are h/256 wide; a shell's two rims of length ≲ 4 miscount parts at random: error ≪ 1e-3 of the area.
      for (std::size_t b = 0; b < 3; ++b) {
        QVERIFY(std::abs(exact.s[b] - sum.s[b]) < 1e-3 * t.area);
        QVERIFY(std::abs(exact.k[b] - sum.k[b]) < 3e-3 * t.area);
      }
      QVERIFY(std::abs(exact.q1 - sum.q1) < 1e-3 * t.area);
      QVERIFY(std::abs(exact.q2 - sum.q2) < 1e-3 * t.area);
    }
  }

  void lanes_agree_with_reference_data() {
    QTest::addColumn<int>("lanes");
    for (int lanes : {2, 4, 8}) QTest::addRow("%d lanes", lanes) << lanes;
  }
  void lanes_agree_with_reference() {
    QFETCH(int, lanes);
    const LaneKernels& kernels = lane_kernels(lanes);
    if (kernels.lanes != lanes) QSKIP("this processor has narrower lanes");
    Sample random;
    const PackedRule far(triangle_rule(3)), near(split_rule(triangle_rule(6), 1));
    for (FormName name : {FormName::N, FormName::NC, FormName::D, FormName::DC})
      for (int round = 0; round < 12; ++round) {
        Form form{name, 1.0, random.uniform(0.1, 0.6), random.uniform(0.5, 2), random.uniform(0, 1)};
        Surface surface;  // only its triangles are used; one touches the source, one equals it, one lies in its plane
        for (int k = 0; k < 11; ++k) surface.triangles.push_back(random.triangle());
        const Triangle source = random.triangle();
        surface.triangles[0] = source;
        surface.triangles[1] = make_triangle(source.corner[1], source.corner[0], random.point(1));
        const Vec3 shift = sub(source.corner[1], source.corner[2]);
        surface.triangles[2] =
            make_triangle(add(source.corner[0], shift), add(source.corner[1], shift), add(source.corner[2], shift));
        std::vector<std::int32_t> list;
        for (int k = 0; k < 11; ++k) list.push_back(k);
        OuterSet outer(surface, list, far, near, near, lanes);
        const std::size_t W = static_cast<std::size_t>(lanes), shells = 120;
        std::vector<double> first(W), last(W), direct((shells + 2) * 9 * W), transposed(direct.size()),
            work(shells * 20 * W);
        const LaneResult result{first.data(), last.data(), direct.data(), transposed.data(), work.data()};
        const bool use_near = round % 2 == 0;
        const Rule rule = use_near ? split_rule(triangle_rule(6), 1) : triangle_rule(3);
        for (std::size_t begin = 0; begin < outer.size(); begin += W) {
          std::vector<std::size_t> picked;
          for (std::size_t k = begin; k < std::min(begin + W, outer.size()); ++k) picked.push_back(k);
          if (use_near)
            kernels.pair(lane_source(source), outer.batch(picked.data(), picked.size(), near), 0, near.view(),
                         form.lanes(), result);
          else
            kernels.pair(lane_source(source), outer.far(), begin, far.view(), form.lanes(), result);
          for (std::size_t t = 0; t < picked.size(); ++t) {
            const PairMatrices want = pair_reference(surface.triangles[picked[t]], source, rule, form);
            QCOMPARE(static_cast<Index>(first[t]), want.first);
            QCOMPARE(static_cast<std::size_t>(last[t] - first[t]) + 1 + static_cast<std::size_t>(form.reach()),
                     want.direct.size());
            // Cancellation between shells of moments of size ~1, times (m+1) ≤ 100.
            for (std::size_t k = 0; k < want.direct.size(); ++k)
              for (std::size_t ab = 0; ab < 9; ++ab) {
                QVERIFY(std::abs(direct[(k * 9 + ab) * W + t] - want.direct[k][ab]) < 1e-12);
                QVERIFY(std::abs(transposed[(k * 9 + ab) * W + t] - want.transposed[k][ab]) < 1e-12);
              }
          }
        }
      }
  }
};

QTEST_APPLESS_MAIN(TestShellMoments)
#include "test_shell_moments.moc"
