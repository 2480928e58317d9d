// SPDX-License-Identifier: BSD-3-Clause
// Row-vectors from the surface to receivers.
#include "engine/solvers/acoustic_bem/receivers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/quadrature.hpp"
#include "engine/solvers/acoustic_bem/ranges.hpp"
#include "engine/solvers/acoustic_bem/shell_moments.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

constexpr Index scratch_values = 4'000'000;  ///< of a thread, about

struct Setting {
  const Surface& surface;
  const Form& form;
  Rule rule;
};

/// Calls add(unknown, column, value) for all that `x` receives from one triangle; column = delay + receiver_lag.
template <class Add>
void receive(const Setting& s, const Triangle& T, const Vec3& x, Add&& add_to) {
  const auto add = [&](std::int32_t vertex, Index column, double value) {
    for (const Share& part : s.surface.shares(vertex)) add_to(Index{part.unknown}, column, part.weight * value);
  };
  const double delta = s.form.delta();
  const bool rigid = s.form.rigid();
  const double gap = distance(x, T.centroid) - T.radius;
  if (gap < s.surface.mean_edge) {
    // u(x, t_n) = 1/4π Σ k_m^b [(m+1) a^{n−m} − m a^{n−m−1}] (rigid), −1/4π Σ s_m^b σ^{n−m} (soft)
    const ShellRange range = shell_range(T, x, delta);
    for (Index m = range.first; m <= range.last; ++m) {
      const ShellMoments k = shell_moments(T, x, delta, m);
      for (std::size_t b = 0; b < 3; ++b) {
        if (rigid) {
          add(T.vertex[b], m + receiver_lag, k.k[b] * static_cast<double>(m + 1) / (4 * std::numbers::pi));
          add(T.vertex[b], m + 1 + receiver_lag, -k.k[b] * static_cast<double>(m) / (4 * std::numbers::pi));
        } else {
          add(T.vertex[b], m + receiver_lag, -k.s[b] / (4 * std::numbers::pi));
        }
      }
    }
    return;
  }
  for (const RulePoint& q : s.rule) {
    Vec3 y{};
    for (std::size_t c = 0; c < 3; ++c) y = axpy(q.lambda[c], T.corner[c], y);
    const Vec3 to = sub(x, y);
    const double R = norm(to), w = q.weight * T.area / (4 * std::numbers::pi * R);
    // Time in steps before t_n; the soft unknown's samples lie half a step earlier.
    const double late = R / delta - (rigid ? 0 : 0.5);
    const double ceiling = std::ceil(late), f = ceiling - late;
    const auto k0 = static_cast<Index>(ceiling);
    // Lagrange on the nodes m−1 … m+2, m = n − k0, at m + f.
    const double L[4] = {-f * (f - 1) * (f - 2) / 6, (f + 1) * (f - 1) * (f - 2) / 2, -(f + 1) * f * (f - 2) / 2,
                         (f + 1) * f * (f - 1) / 6};
    const double dL[4] = {-(3 * f * f - 6 * f + 2) / 6, (3 * f * f - 4 * f - 1) / 2, -(3 * f * f - 2 * f - 2) / 2,
                          (3 * f * f - 1) / 6};
    const double cosine = dot(T.normal, to) / R;
    for (int node = 0; node < 4; ++node) {
      const Index delay = k0 + 1 - node;
      const double v = rigid ? w * cosine / R * (L[node] + R / delta * dL[node]) : -w * L[node];
      for (std::size_t b = 0; b < 3; ++b) add(T.vertex[b], delay + receiver_lag, q.lambda[b] * v);
    }
  }
}

}  // namespace

Index receiver_columns(const Surface& surface, const Form& form, const std::vector<Vec3>& points) {
  double farthest = 0;
  for (const Vec3& x : points)
    for (const Vec3& v : surface.vertices) farthest = std::max(farthest, distance(x, v));
  return static_cast<Index>(farthest / form.delta()) + 4 + receiver_lag;
}

template <class Real>
Receivers<Real>::Receivers(const Surface& surface, const Form& form, const std::vector<Vec3>& points, int steps,
                           Team& team, int quadrature)
    : matrix_(static_cast<Index>(points.size()), surface.unknowns), steps_(steps) {
  const Setting setting{surface, form, triangle_rule(quadrature)};
  const Index R = matrix_.rows(), N = surface.unknowns;
  const double cost = 3e-8 * static_cast<double>(R) * static_cast<double>(setting.rule.size()) *
                      static_cast<double>(surface.triangles.size());
  // Columns of each row-vector, slice by slice.
  std::vector<std::uint16_t> first(static_cast<std::size_t>(R * N), std::numeric_limits<std::uint16_t>::max()),
      last(first.size(), 0);
  const auto entry = [&](Index r, Index j) { return static_cast<std::size_t>(j * R + r); };
  for_range(team, "receiver extents", R, 1, cost, [&](Interval rows) {
    for (Index r = rows.begin; r < rows.end; ++r)
      for (const Triangle& T : surface.triangles)
        receive(setting, T, points[static_cast<std::size_t>(r)], [&](Index j, Index k, double) {
          auto& low = first[entry(r, j)];
          auto& high = last[entry(r, j)];
          low = std::min(low, static_cast<std::uint16_t>(k));
          high = std::max(high, static_cast<std::uint16_t>(k));
        });
  });
  const auto rows = static_cast<std::size_t>(R);
  for (Index j = 0; j < N; ++j) {
    matrix_.lay_out(j, std::span(first).subspan(entry(0, j), rows), std::span(last).subspan(entry(0, j), rows));
    matrix_.allocate(j);
  }
  // Some slices of a panel at a time, so that a thread's scratch stays small; triangles on the borders are computed twice.
  const Index at_once = std::clamp<Index>(scratch_values / panel_rows / 8, 1, N), pieces = (N + at_once - 1) / at_once;
  for_range(team, "receivers", matrix_.panels() * pieces, 1, cost, [&](Interval work) {
    std::vector<double> values;
    std::vector<std::uint32_t> offset;
    for (Index k = work.begin; k < work.end; ++k) {
      const Index panel = k / pieces, begin = panel * panel_rows, end = std::min(begin + panel_rows, R);
      const Interval own{k % pieces * at_once, std::min((k % pieces + 1) * at_once, N)};
      const auto place = [&](Index r, Index j) {
        return static_cast<std::size_t>((j - own.begin) * (end - begin) + r - begin);
      };
      offset.assign(static_cast<std::size_t>((end - begin) * own.size()), 0);
      std::uint32_t total = 0;
      for (Index j = own.begin; j < own.end; ++j)
        for (Index r = begin; r < end; ++r) {
          offset[place(r, j)] = total;
          if (last[entry(r, j)] >= first[entry(r, j)])
            total += static_cast<std::uint32_t>(last[entry(r, j)] - first[entry(r, j)]) + 1;
        }
      values.assign(total, 0);
      const auto at = [&](Index r, Index j) { return values.data() + offset[place(r, j)]; };
      const auto mine = [&](Index j) { return j >= own.begin && j < own.end; };
      for (const Triangle& T : surface.triangles) {
        if (std::none_of(T.vertex.begin(), T.vertex.end(), [&](std::int32_t v) {
              return std::ranges::any_of(surface.shares(v), [&](const Share& part) { return mine(part.unknown); });
            }))
          continue;
        for (Index r = begin; r < end; ++r)
          receive(setting, T, points[static_cast<std::size_t>(r)], [&](Index j, Index column, double v) {
            if (mine(j)) at(r, j)[column - first[entry(r, j)]] += v;
          });
      }
      for (Index j = own.begin; j < own.end; ++j)
        matrix_.fill(j, panel, [&](Index r, Index column) { return at(r, j) + (column - first[entry(r, j)]); });
    }
  });
  summation_ = std::make_unique<Summation<Real>>("receivers", matrix_, steps);
}

template <class Real>
void Receivers<Real>::evaluate(Team& team, std::span<const History<Real>> runs, std::vector<double>& out) {
  summation_->add_up(team, runs, steps_, out);
}

template class Receivers<float>;
template class Receivers<double>;

}  // namespace conoid::acoustic_bem
