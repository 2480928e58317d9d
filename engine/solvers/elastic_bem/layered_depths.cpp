// SPDX-License-Identifier: BSD-3-Clause
// Paths of the Hankel integrals, tables.
#include "engine/solvers/elastic_bem/layered_depths.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/solvers/elastic_bem/bessel.hpp"
#include "engine/solvers/elastic_bem/quadrature.hpp"
#include "engine/team/parallel_for.hpp"

namespace conoid::elastic_bem {

using namespace conoid::vec;

namespace {

constexpr Complex i1{0, 1};
constexpr int gauss = 10;  ///< points of a panel

/// Points of the quadrature for the distances of a group, no more than twice the nearest one where the path turns.
class DepthPoints {
 public:
  DepthPoints(const BuriedCompliance& f, double height, double nearest, double farthest, int threads) {
    plan(f, height, nearest, farthest);
    evaluate(f, axis_, threads);
    for (auto& side : turned_) evaluate(f, side, threads);
  }
  /// Counts alone.
  DepthPoints(const BuriedCompliance& f, double height, double nearest, double farthest) {
    plan(f, height, nearest, farthest);
  }
  [[nodiscard]] double count() const {
    return static_cast<double>(axis_.points.size() + turned_[0].points.size() + turned_[1].points.size());
  }

  [[nodiscard]] DepthResponse at(double r) const {
    DepthResponse out{};
    const auto add = [&](const DepthResponse& f, const BesselValues& j, Complex by) {
      out[0] += f[0] * (j.f0 * by);
      out[1] += f[1] * (j.f1 * by);
      out[2] += f[2] * (j.f1 * by);
      out[3] += f[3] * (j.f0 * by);
      out[4] += f[4] * (j.f2 * by);
    };
    for (std::size_t n = 0; n < axis_.points.size(); ++n)
      add(axis_.values[n], bessel_values(axis_.points[n].first * r), 1.0);
    for (std::size_t s = 0; s < 2; ++s) {
      const double sign = s == 0 ? 1 : -1;
      for (std::size_t n = 0; n < turned_[s].points.size(); ++n) {
        const Complex w = turned_[s].points[n].first * r;
        add(turned_[s].values[n], hankel_values(w, sign), 0.5 * std::exp(sign * i1 * w));
      }
    }
    return out;
  }

 private:
  struct Path {
    std::vector<std::pair<Complex, Complex>> points;  ///< wave number, weight
    std::vector<DepthResponse> values;                ///< with the weight
  };

  void plan(const BuriedCompliance& f, double highest, double nearest, double farthest) {
    const double fastest = f.highest_wave_number(), deep = f.apart();
    // As on the surface: branch points up to k_S of the slowest medium, poles up to 1.15 of it, anything near 0.
    double at = 0;
    if (fastest > 0) {
      const double past = 1.6 * fastest, height = std::min(highest, 3 / farthest),
                   panel = std::min(1.2 * height, 4 / farthest);
      const Complex up(0.5 * height, height), over(past, height);
      double share = std::ldexp(1.0, -10);
      straight(0, share * up, panel);
      for (; share < 1; share *= 2) straight(share * up, 2 * share * up, panel);
      straight(up, over, panel);
      straight(over, past, panel);
      at = past;
    }
    const double end = deep > 0 ? decayed / deep : 1e300,
                 turn = nearest > 0 ? std::max({at, (far_argument + 1) / nearest, 6 / f.thinnest()}) : 1e300,
                 last = std::min(std::max(at, end), turn),
                 least = 0.25 / std::max(f.deepest(), std::max(deep, 0.25 * farthest));
    while (at < last) {
      const double width = std::min(std::max(0.5 * at, at > 0 ? 0 : least), 4 / farthest),
                   next = std::min(at + width, last);
      straight(at, next, width * 1.001);
      at = next;
    }
    if (!(turn < end)) return;
    // On k = k_0 + s/(deep ∓ ir) the product e^{±ikr} e^{−k deep} falls as e^{−s}, and as e^{−0.7 s} or faster at the other distances.
    const double middle = std::sqrt(nearest * farthest);
    for (std::size_t side = 0; side < 2; ++side) {
      const Complex way_on = 1.0 / Complex(deep, side == 0 ? -middle : middle);
      for (int n = 0; n < turned_panels; ++n)
        for (const GaussPoint& g : gauss_points(gauss))
          turned_[side].points.emplace_back(at + 4 * (n + g.x) * way_on, 4 * g.w * way_on);
    }
  }

  void straight(Complex from, Complex to, double panel) {
    const int panels = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / panel)));
    const Complex step = (to - from) / static_cast<double>(panels);
    for (int n = 0; n < panels; ++n)
      for (const GaussPoint& g : gauss_points(gauss))
        axis_.points.emplace_back(from + (static_cast<double>(n) + g.x) * step, g.w * step);
  }

  static void evaluate(const BuriedCompliance& f, Path& path, int threads) {
    path.values.resize(path.points.size());
    parallel_for(threads, {0, static_cast<Index>(path.points.size())}, 32, [&](Index n) {
      const auto& [k, weight] = path.points[static_cast<std::size_t>(n)];
      const DepthCompliance g = f.at(k);
      path.values[static_cast<std::size_t>(n)] = {weight * g.zz, weight * g.rz, weight * g.zr,
                                                  0.5 * weight * (g.rr + g.tt), -0.5 * weight * (g.rr - g.tt)};
    });
  }

  static constexpr int turned_panels = 12;
  Path axis_;
  std::array<Path, 2> turned_;
};

/// Panels [first, last) that share a quadrature: within a factor of two, the first one alone.
std::size_t group_end(const std::vector<double>& ends, std::size_t first) {
  std::size_t last = first + 1;
  while (last + 1 < ends.size() && ends[last + 1] <= 2 * ends[first]) ++last;
  return last;
}

}  // namespace

DepthResponse depth_response(const BuriedCompliance& compliance, double height, double r) {
  return DepthPoints(compliance, height, r, r > 0 ? r : compliance.apart(), 1).at(r);
}

std::vector<double> LayeredDepths::panel_ends(const BuriedCompliance& f, double nearest, double farthest) {
  const double deep = f.apart(), fastest = f.highest_wave_number(), longest = fastest > 0 ? 3.4 / fastest : 1e300;
  std::vector<double> out{0.999 * nearest};
  const double last = std::max(1.001 * farthest, 1e-3 * deep);
  while (out.back() < last) {
    const double at = out.back(), end = at + std::min(0.5 * std::hypot(at, deep), longest);
    out.push_back(end > last - 0.1 * (end - at) ? last : end);
  }
  return out;
}

LayeredDepths::LayeredDepths(const SoilProfile& profile, double omega, double height, double depth, double load_depth,
                             double nearest, double farthest, int threads)
    : compliance_(profile, omega, depth, load_depth), panels_(panel_ends(compliance_, nearest, farthest)) {
  const auto& ends = panels_.ends();
  constexpr std::size_t degree = decltype(panels_)::degree;
  for (std::size_t first = 0; first < panels_.count();) {
    const std::size_t last = group_end(ends, first);
    const DepthPoints integrals(compliance_, height, ends[first], ends[last], threads);
    parallel_for(threads, {0, static_cast<Index>((last - first) * degree)}, 1, [&](Index n) {
      const auto panel = first + static_cast<std::size_t>(n) / degree, q = static_cast<std::size_t>(n) % degree;
      const double r = panels_.place(panel, q), way = std::hypot(r, compliance_.apart());
      const DepthResponse v = integrals.at(r);
      auto& out = panels_.value(panel, q);
      for (std::size_t c = 0; c < 5; ++c) {
        out[2 * c] = way * v[c].real();
        out[2 * c + 1] = way * v[c].imag();
      }
    });
    first = last;
  }
  panels_.fit();
}

DepthResponse LayeredDepths::at(double r) const {
  const auto f = panels_.at(r);
  const double way = std::hypot(r, compliance_.apart());
  DepthResponse out{};
  for (std::size_t k = 0; k < 5; ++k) out[k] = {f[2 * k] / way, f[2 * k + 1] / way};
  return out;
}

std::array<Complex, 3> LayeredDepths::displacement(const Vec3& offset, const Vec3& down, const Vec3& force) const {
  const double r = norm(offset), F = dot(force, down);
  const auto [v, u, c, a, b] = at(r);
  // Straight above and below all directions are the same: U, C and B are zero.
  const Vec3 e = r > 0 ? scale(1 / r, offset) : Vec3{};
  const double along = dot(e, force);
  std::array<Complex, 3> out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double f = force[i] - F * down[i];
    out[i] = (F * (v * down[i] + u * e[i]) + a * f + b * (2 * e[i] * along - f) - c * along * down[i]) /
             (2 * std::numbers::pi * compliance_.top().mu);
  }
  return out;
}

LayeredDepths::Work LayeredDepths::work(const BuriedCompliance& f, double height, double nearest, double farthest) {
  const std::vector<double> ends = panel_ends(f, nearest, farthest);
  Work out;
  for (std::size_t first = 0; first + 1 < ends.size();) {
    const std::size_t last = group_end(ends, first);
    const double numbers = DepthPoints(f, height, ends[first], ends[last]).count();
    out.wave_numbers += numbers;
    out.bessel_values += numbers * static_cast<double>((last - first) * decltype(panels_)::degree);
    first = last;
  }
  return out;
}

}  // namespace conoid::elastic_bem
