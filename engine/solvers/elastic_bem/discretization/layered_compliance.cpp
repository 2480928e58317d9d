// SPDX-License-Identifier: BSD-3-Clause
// LayerWaves up and down in each layer, layers on each other.
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "engine/solvers/elastic_bem/discretization/layer_waves.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/team/parallel_for.hpp"

namespace conoid::elastic_bem {

namespace {

/// Loads over displacements on top of a layer, or displacements over loads, from what is below it: its stiffness, none for rock. `bottom`, if any:
/// displacements of its bottom over those on top (of the stiffness).
Square2 on_top(const LayerWaves& waves, Complex thickness, const std::optional<Square2>& below, bool compliance,
               Square2* bottom = nullptr) {
  Square2 d0, t0, dh, th;
  waves.down(0, d0, t0);
  waves.down(thickness, dh, th);
  std::array<std::array<Complex, 4>, 4> a;
  std::array<Vector2, 4> b{Vector2{1, 0}, Vector2{0, 1}, Vector2{}, Vector2{}};
  // Columns: two that go down, with 1 on top, two that go up, with 1 at the bottom.
  const Square2 du = mirrored(dh, false), tu = mirrored(th, true), d1 = mirrored(d0, false), t1 = mirrored(t0, true);
  std::array<std::array<Complex, 4>, 2> found{};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      const Complex d = j < 2 ? d0[i][j] : du[i][j - 2], t = j < 2 ? t0[i][j] : tu[i][j - 2];
      a[i][j] = compliance ? t : d;
      found[i][j] = compliance ? d : t;
      const auto at = [&](const Square2& first, const Square2& second, std::size_t row) {
        return j < 2 ? first[row][j] : second[row][j - 2];
      };
      a[2 + i][j] =
          below ? at(th, t1, i) - (*below)[i][0] * at(dh, d1, 0) - (*below)[i][1] * at(dh, d1, 1) : at(dh, d1, i);
    }
  eliminate(a, b);
  Square2 out{};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j)
      for (std::size_t k = 0; k < 4; ++k) out[i][j] += found[i][k] * b[k][j];
  if (bottom != nullptr)
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        (*bottom)[i][j] = dh[i][0] * b[0][j] + dh[i][1] * b[1][j] + d1[i][0] * b[2][j] + d1[i][1] * b[3][j];
  return out;
}

/// The same of motion across: μb of the layer, e^{−bkh}, the stiffness below, none for rock.
struct Across {
  Complex stiffness, bottom;
  Across(Complex own, Complex decay, const std::optional<Complex>& below) {
    const Complex reflected = below ? (own - *below) / (own + *below) : Complex(-1), twice = decay * decay;
    stiffness = own * (1.0 - reflected * twice) / (1.0 + reflected * twice);
    bottom = decay * (1.0 + reflected) / (1.0 + reflected * twice);
  }
};

/// Seen from below: w and p_z change their signs.
Square2 turned_over(const Square2& m) {
  return {Vector2{m[0][0], -m[0][1]}, Vector2{-m[1][0], m[1][1]}};
}

SurfaceCompliance half_space_compliance(const LayerWaves& waves) {
  Square2 d, t;
  waves.down(0, d, t);
  const Square2 f = product2(d, inverse2(t));
  return {f[1][1], f[0][1], f[0][0], 1.0 / (waves.stiffness * waves.b)};
}

}  // namespace

LayeredCompliance::LayeredCompliance(const SoilProfile& profile, double omega) {
  for (const SoilLayer& l : profile.layers) {
    layers_.push_back({Harmonic(l.medium, omega), l.thickness});
    highest_ = std::max(highest_, std::abs(layers_.back().harmonic.kS));
    depth_ += l.thickness;
  }
  if (profile.half_space) {
    below_ = Harmonic(*profile.half_space, omega);
    highest_ = std::max(highest_, std::abs(below_->kS));
  }
  // Taylor's coefficients as means over a circle; the nearest singularity is the branch point s = 1 (or 1/κ² above it).
  constexpr int points = 32;
  constexpr double radius = 0.25;
  const double kappa2 = top().kappa * top().kappa;
  for (int n = 0; n < points; ++n) {
    const Complex turn = std::polar(1.0, 2 * std::numbers::pi * (n + 0.5) / points);
    const SurfaceCompliance f = half_space_compliance(LayerWaves(kappa2, radius * turn));
    Complex weight = 1.0 / points;
    for (SurfaceCompliance& c : limits_) {
      c.zz += weight * f.zz;
      c.rz += weight * f.rz;
      c.rr += weight * f.rr;
      c.tt += weight * f.tt;
      weight /= radius * turn;
    }
  }
  for (SurfaceCompliance& c : limits_)
    for (Complex* v : {&c.zz, &c.rz, &c.rr, &c.tt}) *v = v->real();
}

double LayeredCompliance::top_thickness() const {
  return layers_.empty() ? std::numeric_limits<double>::infinity() : layers_.front().thickness;
}

SurfaceCompliance LayeredCompliance::at(Complex k) const {
  const Complex mu = top().mu;
  std::optional<Square2> below;
  std::optional<Complex> across;
  if (below_) {
    const LayerWaves waves(*below_, k, below_->mu / mu);
    if (layers_.empty()) return half_space_compliance(waves);
    below = waves.half_space();
    across = waves.stiffness * waves.b;
  }
  for (std::size_t n = layers_.size(); n-- > 0;) {
    const LayerWaves waves(layers_[n].harmonic, k, layers_[n].harmonic.mu / mu);
    const Complex thickness = k * layers_[n].thickness;
    across = Across(waves.stiffness * waves.b, std::exp(-waves.b * thickness), across).stiffness;
    below = on_top(waves, thickness, below, n == 0);
  }
  return {(*below)[1][1], (*below)[0][1], (*below)[0][0], 1.0 / *across};
}

double path_height(const LayeredCompliance& f, int threads) {
  const double fastest = f.highest_wave_number();
  if (!(fastest > 0) || !(f.depth() > 0)) return 0.4 * fastest;
  // Between two heights that give the same integrals there is no pole. At 0.7 of the higher one poles above it are far enough for ten digits.
  constexpr int heights = 7;
  constexpr double highest = 0.57, used = 0.7, past = 1.6, same = 1e-7;
  std::array<std::array<Complex, 4>, heights> sums{};
  std::array<double, 4> size{};
  for (int n = heights; n-- > 0;) {
    const double h = std::ldexp(highest, -n);
    std::vector<std::pair<Complex, Complex>> points;
    const auto straight = [&](Complex from, Complex to) {
      const int panels = std::max(1, static_cast<int>(std::ceil(std::abs(to - from) / (1.2 * h))));
      const Complex step = (to - from) / static_cast<double>(panels);
      for (int k = 0; k < panels; ++k)
        for (const GaussPoint& g : gauss_points(10))
          points.emplace_back(from + (static_cast<double>(k) + g.x) * step, g.w * step);
    };
    const Complex up(0.5 * h, h), over(past, h);
    double share = std::ldexp(1.0, -10);
    straight(0, share * up);
    for (; share < 1; share *= 2) straight(share * up, 2 * share * up);
    straight(up, over);
    straight(over, past);
    std::vector<SurfaceCompliance> values(points.size());
    parallel_for(threads, {0, static_cast<Index>(points.size())}, 32, [&](Index k) {
      values[static_cast<std::size_t>(k)] = f.at(fastest * points[static_cast<std::size_t>(k)].first);
    });
    auto& sum = sums[static_cast<std::size_t>(n)];
    for (std::size_t k = 0; k < points.size(); ++k) {
      const Complex parts[4] = {values[k].zz, values[k].rz, values[k].rr, values[k].tt};
      for (std::size_t c = 0; c < 4; ++c) {
        sum[c] += points[k].second * parts[c];
        if (n + 1 == heights) size[c] += std::abs(points[k].second * parts[c]);
      }
    }
    if (n + 1 == heights) continue;
    for (std::size_t c = 0; c < 4; ++c)
      if (std::abs(sum[c] - sums[static_cast<std::size_t>(n) + 1][c]) > same * size[c])
        return used * std::ldexp(highest, -(n + 1)) * fastest;
  }
  return used * highest * fastest;
}

BuriedCompliance::BuriedCompliance(const SoilProfile& profile, double omega, double depth, double load_depth)
    : top_(profile.top(), omega), thinnest_(std::numeric_limits<double>::infinity()),
      apart_(std::abs(depth - load_depth)) {
  if (profile.half_space) {
    below_ = Harmonic(*profile.half_space, omega);
    highest_ = std::abs(below_->kS);
  }
  // Cuts closer to a border than round-off are on it.
  double at = 0;
  const double low = std::min(depth, load_depth), high = std::max(depth, load_depth);
  const auto pass = [&](double cut, const Harmonic& harmonic) {
    if (cut > at + 1e-12 * cut) {
      layers_.push_back({harmonic, cut - at});
      at = cut;
    }
    if (cut == depth) here_ = layers_.size();
    if (cut == load_depth) load_ = layers_.size();
  };
  pass(low <= 0 ? low : 0, top_);
  pass(high <= 0 ? high : 0, top_);
  for (const SoilLayer& l : profile.layers) {
    const Harmonic harmonic(l.medium, omega);
    const double top = deepest_, end = deepest_ + l.thickness;
    for (const double cut : {low, high})
      if (cut > top && cut <= end) pass(cut, harmonic);
    pass(end, harmonic);
    deepest_ = end;
    highest_ = std::max(highest_, std::abs(harmonic.kS));
    thinnest_ = std::min(thinnest_, l.thickness);
  }
  if (below_)
    for (const double cut : {low, high})
      if (cut > deepest_) pass(cut, *below_);
  deepest_ = std::max(deepest_, high);
}

DepthCompliance BuriedCompliance::at(Complex k, DepthCompliance* tractions) const {
  const Complex mu = top_.mu;
  std::optional<Square2> stiffness;
  std::optional<Complex> across;
  Square2 carried{Vector2{1, 0}, Vector2{0, 1}}, beyond{};  // and the stiffness of what is beyond the depth
  Complex carried_across = 1, beyond_across = 0;
  // One side at a time, towards the loads; displacements are carried the other way.
  const auto add = [&](std::size_t n, bool carries) {
    const LayerWaves waves(layers_[n].harmonic, k, layers_[n].harmonic.mu / mu);
    const Complex thickness = k * layers_[n].thickness;
    Square2 bottom;
    stiffness = on_top(waves, thickness, stiffness, false, carries ? &bottom : nullptr);
    const Across other(waves.stiffness * waves.b, std::exp(-waves.b * thickness), across);
    across = other.stiffness;
    if (!carries) return;
    carried = product2(carried, bottom);
    carried_across *= other.bottom;
  };
  if (below_) {
    const LayerWaves waves(*below_, k, below_->mu / mu);
    stiffness = waves.half_space();
    across = waves.stiffness * waves.b;
  }
  const auto keep = [&](std::size_t depth) {
    if (depth != here_ || !stiffness) return;
    beyond = *stiffness;
    beyond_across = *across;
  };
  keep(layers_.size());
  for (std::size_t n = layers_.size(); n-- > load_;) {
    add(n, n < here_);
    keep(n);
  }
  Square2 whole = *stiffness;
  Complex whole_across = *across;
  stiffness = Square2{};
  across = 0;
  keep(0);
  for (std::size_t n = 0; n < load_; ++n) {
    add(n, n >= here_);
    keep(n + 1);
  }
  const Square2 above = turned_over(*stiffness);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) whole[i][j] += above[i][j];
  whole_across += *across;
  const Square2 g = product2(here_ < load_ ? turned_over(carried) : carried, inverse2(whole));
  if (tractions != nullptr) {
    // What pulls at the ground above is what its stiffness takes, what pulls down at the plane the opposite of what the ground below takes.
    const bool above_it = here_ <= load_;
    const double sign = above_it ? 1 : -1;
    const Square2 t = product2(above_it ? turned_over(beyond) : beyond, g);
    *tractions = {sign * t[1][1], sign * t[0][1], sign * t[1][0], sign * t[0][0],
                  sign * beyond_across * carried_across / whole_across};
  }
  return {g[1][1], g[0][1], g[1][0], g[0][0], carried_across / whole_across};
}

}  // namespace conoid::elastic_bem
