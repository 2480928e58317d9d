// SPDX-License-Identifier: BSD-3-Clause
// Hankel integrals and their table.
#include "engine/solvers/elastic_bem/discretization/layered_surface.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/depth_path.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/team/parallel_for.hpp"

namespace conoid::elastic_bem {

namespace {

/// What is put off: weights of c = 0, |k_S|, 2|k_S| for the four integrals.
struct PutOff {
  double c = 0;  ///< |k_S|
  std::array<Complex, 3> v{}, u{}, a{}, b{};

  explicit PutOff(const LayeredCompliance& f) {
    const Harmonic& top = f.top();
    c = std::abs(top.kS);
    const Complex turn = c > 0 ? top.kS * top.kS / (c * c) : Complex(0);
    const auto& l = f.limits();
    // −first (w_1 + 4 w_2) = c_1 k_S²/|k_S|², second (w_1 + 16 w_2) = c_2 (k_S²/|k_S|²)².
    const auto weights = [&](Complex c0, Complex c1, Complex c2, double first, double second) {
      const Complex one = -c1 * turn / first, two = c2 * turn * turn / second;
      const Complex w2 = (two - one) / 12.0, w1 = one - 4.0 * w2;
      return std::array<Complex, 3>{c0 - w1 - w2, w1, w2};
    };
    const auto sum = [&](std::size_t n) { return 0.5 * (l[n].rr + l[n].tt); };
    const auto difference = [&](std::size_t n) { return -0.5 * (l[n].rr - l[n].tt); };
    v = weights(l[0].zz, l[1].zz, l[2].zz, 0.5, 0.375);
    u = weights(l[0].rz, l[1].rz, l[2].rz, 1, 1);
    a = weights(sum(0), sum(1), sum(2), 0.5, 0.375);
    b = weights(difference(0), difference(1), difference(2), 1.5, 1.875);
  }

  /// f less what is put off, at k.
  [[nodiscard]] SurfaceResponse rest(const SurfaceCompliance& f, Complex k) const {
    SurfaceResponse out{f.zz - v[0], f.rz - u[0], 0.5 * (f.rr + f.tt) - a[0], -0.5 * (f.rr - f.tt) - b[0]};
    for (std::size_t n = 1; n < 3; ++n) {
      const double own = c * static_cast<double>(n);
      const Complex square = k * k / (k * k + own * own), root = std::sqrt(square);
      out.v -= v[n] * root;
      out.u -= u[n] * square;
      out.a -= a[n] * root;
      out.b -= b[n] * square * root;
    }
    return out;
  }
  /// Its integrals.
  [[nodiscard]] SurfaceResponse at(double r) const {
    SurfaceResponse out{v[0], u[0], a[0], b[0]};
    for (std::size_t n = 1; n < 3; ++n) {
      const double x = c * static_cast<double>(n) * r, e = std::exp(-x);
      out.v += v[n] * e;
      out.u += u[n] * (x > 0 && x < 600 ? x * std::cyl_bessel_k(1, x) : x > 0 ? 0.0 : 1.0);
      out.a += a[n] * e;
      out.b += b[n] * e * (1 + x);
    }
    return out;
  }
};

/// Points of the quadrature for distances between two, with what is integrated there but for the Bessel functions.
class HankelPoints {
 public:
  /// `highest`: path_height().
  HankelPoints(const LayeredCompliance& f, double highest, double nearest, double farthest, int threads) : put_off_(f) {
    const double fastest = f.highest_wave_number(), thickness = f.top_thickness(), own = std::abs(f.top().kS);
    if (!(fastest > 0) && !(f.depth() > 0)) return;
    // Branch points up to k_S of the slowest medium, poles of surface waves up to 1.15 of it, 1.5 for ν near −1.
    double at = 0;
    if (fastest > 0) {
      const double past = 1.6 * fastest, height = std::min(highest, 3 / farthest),
                   panel = std::min(1.2 * height, 4 / farthest);
      // Singularities may lie anywhere between 0 and there: panels shrink towards 0.
      const Complex up(0.5 * height, height);
      double share = std::ldexp(1.0, -10);
      straight(0, share * up, panel);
      for (; share < 1; share *= 2) straight(share * up, 2 * share * up, panel);
      const Complex over(past, height);
      straight(up, over, panel);
      straight(over, past, panel);
      at = past;
    }
    // What is left falls as (k_S/k)⁶ and as e^{−2kh}; without waves the first panel is as short as layers ask for.
    const double last = std::max(25 * own, thickness < 1e300 ? 13 / thickness : 0.0),
                 least = f.depth() > 0 ? 0.25 / f.depth() : 0,
                 turn = nearest > 0 ? std::max(at, settled / nearest) : 1e300;
    const double end = std::min(last, turn);
    while (at < end) {
      const double width = std::min(std::max(0.5 * at, at > 0 ? 0 : least), 4 / farthest),
                   next = std::min(at + width, end);
      straight(at, next, width * 1.001);
      at = next;
    }
    on_axis_ = points_.size();
    if (turn < last)
      for (const double side : {1.0, -1.0}) {
        const Complex way_on(0, side / std::sqrt(nearest * farthest));
        for (int n = 0; n < turned_panels; ++n)
          for (const GaussPoint& g : gauss_points(10))
            points_.emplace_back(at + 4 * (n + g.x) * way_on, 4 * g.w * way_on);
      }
    values_.resize(points_.size());
    parallel_for(threads, {0, static_cast<Index>(points_.size())}, 32, [&](Index n) {
      const auto& [k, weight] = points_[static_cast<std::size_t>(n)];
      SurfaceResponse v = put_off_.rest(f.at(k), k);
      for (Complex* part : {&v.v, &v.u, &v.a, &v.b}) *part *= weight;
      values_[static_cast<std::size_t>(n)] = v;
    });
  }

  /// Between the two distances.
  [[nodiscard]] SurfaceResponse at(double r) const {
    SurfaceResponse sum{};
    for (std::size_t n = 0; n < points_.size(); ++n) {
      const Complex w = points_[n].first * r;
      BesselValues j;
      if (n < on_axis_) {
        j = bessel_values(w);
      } else {
        const double sign = w.imag() > 0 ? 1 : -1;
        j = hankel_values(w, sign);
        const Complex by = 0.5 * std::exp(sign * Complex(0, 1) * w);
        for (Complex* v : {&j.f0, &j.f1, &j.f2}) *v *= by;
      }
      const SurfaceResponse& f = values_[n];
      sum.v += f.v * j.f0;
      sum.u += f.u * j.f1;
      sum.a += f.a * j.f0;
      sum.b += f.b * j.f2;
    }
    SurfaceResponse out = put_off_.at(r);
    out.v += r * sum.v;
    out.u += r * sum.u;
    out.a += r * sum.a;
    out.b += r * sum.b;
    return out;
  }

 private:
  void straight(Complex from, Complex to, double panel) {
    const int panels = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / panel)));
    const Complex step = (to - from) / static_cast<double>(panels);
    for (int n = 0; n < panels; ++n)
      for (const GaussPoint& g : gauss_points(10))
        points_.emplace_back(from + (static_cast<double>(n) + g.x) * step, g.w * step);
  }

  PutOff put_off_;
  std::vector<std::pair<Complex, Complex>> points_;  ///< wave number, weight
  std::size_t on_axis_ = 0;                          ///< those after them are for Hankel's functions
  std::vector<SurfaceResponse> values_;
};

/// Near 0 the functions have terms as (cr)² log cr; further out singularities at r = 0 and ±2ih, and waves.
std::vector<double> panel_ends(const LayeredCompliance& f, double farthest) {
  if (!(farthest > 0)) return {0};
  const double fastest = f.highest_wave_number(), thickness = f.top_thickness();
  double end = std::min({farthest, 0.05 * thickness, fastest > 0 ? 1e-4 / fastest : farthest});
  const double longest = fastest > 0 ? 3.4 / fastest : farthest;
  std::vector<double> ends{0, end};
  while (end < farthest) {
    end = std::min(farthest, end + std::min(end, longest));
    ends.push_back(end);
  }
  return ends;
}

}  // namespace

SurfaceResponse layered_response(const LayeredCompliance& compliance, double r) {
  return HankelPoints(compliance, path_height(compliance, 1), r, r, 1).at(r);
}

LayeredSurface::LayeredSurface(const SoilProfile& profile, double omega, double farthest, int threads)
    : compliance_(profile, omega), height_(path_height(compliance_, threads)),
      panels_(panel_ends(compliance_, farthest)) {
  // Panels within a factor of two share the points of the quadrature.
  const auto& ends = panels_.ends();
  constexpr std::size_t degree = decltype(panels_)::degree;
  for (std::size_t first = 0; first < panels_.count();) {
    std::size_t last = first + 1;
    while (last < panels_.count() && ends[last + 1] <= 2 * ends[first + 1]) ++last;
    const HankelPoints integrals(compliance_, height_, ends[first], ends[last], threads);
    parallel_for(threads, {0, static_cast<Index>((last - first) * degree)}, 1, [&](Index n) {
      const auto panel = first + static_cast<std::size_t>(n) / degree, q = static_cast<std::size_t>(n) % degree;
      const SurfaceResponse v = integrals.at(panels_.place(panel, q));
      panels_.value(panel, q) = {v.v.real(), v.v.imag(), v.u.real(), v.u.imag(),
                                 v.a.real(), v.a.imag(), v.b.real(), v.b.imag()};
    });
    first = last;
  }
  panels_.fit();
}

double LayeredSurface::wave_number() const {
  return std::max(compliance_.highest_wave_number(), 2 / compliance_.top_thickness());
}

SurfaceResponse LayeredSurface::at(double r) const {
  const auto f = panels_.at(r);
  return {{f[0], f[1]}, {f[2], f[3]}, {f[4], f[5]}, {f[6], f[7]}};
}

}  // namespace conoid::elastic_bem
