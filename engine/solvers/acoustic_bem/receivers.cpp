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

/// Calls pressure(corner, column, value) and sigma(corner, column, value) for what `x` receives from the pressure and from ∂_n p at
/// the corners of one triangle; column = delay + receiver_lag, ∂_n p that of the step that ends there. Either may be left out.
template <class Pressure, class Sigma>
void receive(const Setting& s, const Triangle& T, const Vec3& x, bool with_pressure, bool with_sigma,
             Pressure&& pressure, Sigma&& sigma) {
  const double delta = s.form.delta(), over = 1 / (4 * std::numbers::pi);
  const double gap = distance(x, T.centroid) - T.radius;
  if (gap < s.surface.mean_edge) {
    // u(x, t_n) = 1/4π Σ k_m^b [(m+1) a^{n−m} − m a^{n−m−1}] − 1/4π Σ s_m^b σ^{n−m}
    const ShellRange range = shell_range(T, x, delta);
    for (Index m = range.first; m <= range.last; ++m) {
      const ShellMoments k = shell_moments(T, x, delta, m);
      for (std::size_t b = 0; b < 3; ++b) {
        if (with_pressure) {
          pressure(b, m + receiver_lag, k.k[b] * static_cast<double>(m + 1) * over);
          pressure(b, m + 1 + receiver_lag, -k.k[b] * static_cast<double>(m) * over);
        }
        if (with_sigma) sigma(b, m + receiver_lag, -k.s[b] * over);
      }
    }
    return;
  }
  for (const RulePoint& q : s.rule) {
    Vec3 y{};
    for (std::size_t c = 0; c < 3; ++c) y = axpy(q.lambda[c], T.corner[c], y);
    const Vec3 to = sub(x, y);
    const double R = norm(to), w = q.weight * T.area * over / R, cosine = dot(T.normal, to) / R;
    for (const bool of_sigma : {false, true}) {
      if (!(of_sigma ? with_sigma : with_pressure)) continue;
      // Time in steps before t_n; samples of ∂_n p lie half a step earlier.
      const double late = R / delta - (of_sigma ? 0.5 : 0);
      const double ceiling = std::ceil(late), f = ceiling - late;
      const auto k0 = static_cast<Index>(ceiling);
      // Lagrange on the nodes m−1 … m+2, m = n − k0, at m + f.
      const double L[4] = {-f * (f - 1) * (f - 2) / 6, (f + 1) * (f - 1) * (f - 2) / 2, -(f + 1) * f * (f - 2) / 2,
                           (f + 1) * f * (f - 1) / 6};
      const double dL[4] = {-(3 * f * f - 6 * f + 2) / 6, (3 * f * f - 4 * f - 1) / 2, -(3 * f * f - 2 * f - 2) / 2,
                            (3 * f * f - 1) / 6};
      for (int node = 0; node < 4; ++node) {
        const Index column = k0 + 1 - node + receiver_lag;
        for (std::size_t b = 0; b < 3; ++b) {
          if (of_sigma)
            sigma(b, column, -w * L[node] * q.lambda[b]);
          else
            pressure(b, column, w * cosine / R * (L[node] + R / delta * dL[node]) * q.lambda[b]);
        }
      }
    }
  }
}

/// Calls add(unknown, column, value) for all that `x` receives from one triangle and its image.
template <class Add>
void receive(const Setting& s, std::size_t triangle, const Vec3& x, Add&& add_to) {
  const bool rigid = s.form.rigid(), wall = s.surface.is_wall(triangle);
  const auto from = [&](const Triangle& T, double factor) {
    const auto add = [&](std::size_t corner, Index column, double value) {
      for (const Share& part : s.surface.shares(T.vertex[corner]))
        add_to(Index{part.unknown}, column, part.weight * value);
    };
    receive(
        s, T, x, rigid, !rigid || wall,
        [&](std::size_t b, Index column, double v) {
          if (s.surface.carries_pressure(T.vertex[b])) add(b, column, factor * v);
        },
        [&](std::size_t b, Index column, double v) {
          if (!rigid) return add(b, column, factor * v);
          const Density of = density_of(s.surface, triangle, T.vertex[b]);
          if (of.now != 0) add(b, column, factor * of.now / s.form.delta() * v);
          if (of.before != 0) add(b, column + 1, factor * of.before / s.form.delta() * v);
        });
  };
  from(s.surface.triangles[triangle], 1);
  if (!s.surface.images.empty()) from(s.surface.images[triangle], s.surface.image_sign());
}

/// Row-vectors from the columns of a matrix to points: `from(triangle, x, add(column, delay, value))` calls add() for all that x receives from one
/// triangle, `touches(triangle, columns)` says whether that is anything of these columns.
template <class Real, class From, class Touches>
void fill_rows(Slices<Real>& matrix, const Setting& setting, const std::vector<Vec3>& points, Team& team, From&& from,
               Touches&& touches) {
  const Surface& surface = setting.surface;
  const Index R = matrix.rows(), N = matrix.count();
  const double cost = 3e-8 * static_cast<double>(R) * static_cast<double>(setting.rule.size()) *
                      static_cast<double>(surface.triangles.size());
  // Columns of each row-vector, slice by slice.
  std::vector<std::uint16_t> first(static_cast<std::size_t>(R * N), std::numeric_limits<std::uint16_t>::max()),
      last(first.size(), 0);
  const auto entry = [&](Index r, Index j) { return static_cast<std::size_t>(j * R + r); };
  for_range(team, "receiver extents", R, 1, cost, [&](Interval rows) {
    for (Index r = rows.begin; r < rows.end; ++r)
      for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        from(t, points[static_cast<std::size_t>(r)], [&](Index j, Index k, double) {
          auto& low = first[entry(r, j)];
          auto& high = last[entry(r, j)];
          low = std::min(low, static_cast<std::uint16_t>(k));
          high = std::max(high, static_cast<std::uint16_t>(k));
        });
  });
  const auto rows = static_cast<std::size_t>(R);
  for (Index j = 0; j < N; ++j) {
    matrix.lay_out(j, std::span(first).subspan(entry(0, j), rows), std::span(last).subspan(entry(0, j), rows));
    matrix.allocate(j);
  }
  // Some slices of a panel at a time, so that a thread's scratch stays small; triangles on the borders are computed twice.
  const Index at_once = std::clamp<Index>(scratch_values / panel_rows / 8, 1, N), pieces = (N + at_once - 1) / at_once;
  for_range(team, "receivers", matrix.panels() * pieces, 1, cost, [&](Interval work) {
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
      for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        if (!touches(t, own)) continue;
        for (Index r = begin; r < end; ++r)
          from(t, points[static_cast<std::size_t>(r)], [&](Index j, Index column, double v) {
            if (mine(j)) at(r, j)[column - first[entry(r, j)]] += v;
          });
      }
      for (Index j = own.begin; j < own.end; ++j)
        matrix.fill(j, panel, [&](Index r, Index column) { return at(r, j) + (column - first[entry(r, j)]); });
    }
  });
}

}  // namespace

Index receiver_columns(const Surface& surface, const Form& form, const std::vector<Vec3>& points) {
  double farthest = 0;
  for (const Vec3& x : points)
    for (const Vec3& v : surface.vertices) {
      farthest = std::max(farthest, distance(x, v));
      if (const auto& ground = surface.conditions.ground)
        farthest = std::max(farthest, distance(x, ground->mirrored(v)));
    }
  // What faces send of themselves reaches a column further.
  return static_cast<Index>(farthest / form.delta()) + (surface.conditions.walls.empty() ? 4 : 5) + receiver_lag;
}

std::vector<double> received_of_motion(const Surface& surface, const Form& form, const std::vector<Vec3>& points,
                                       std::span<const double> weights, Index columns, Team& team, int quadrature) {
  const Setting setting{surface, form, triangle_rule(quadrature)};
  const auto R = static_cast<Index>(points.size());
  std::vector<double> out(static_cast<std::size_t>(R * columns), 0);
  const double cost = 3e-8 * static_cast<double>(R) * static_cast<double>(setting.rule.size()) *
                      static_cast<double>(surface.triangles.size());
  for_range(team, "receivers", R, 1, cost, [&](Interval rows) {
    for (Index r = rows.begin; r < rows.end; ++r)
      for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        if (weights[t] == 0) continue;
        const auto from = [&](const Triangle& T, double factor) {
          receive(
              setting, T, points[static_cast<std::size_t>(r)], false, true, [](std::size_t, Index, double) {},
              [&](std::size_t, Index column, double v) {
                out[static_cast<std::size_t>(r * columns + column)] += factor * v;
              });
        };
        from(surface.triangles[t], weights[t]);
        if (!surface.images.empty()) from(surface.images[t], weights[t] * surface.image_sign());
      }
  });
  return out;
}

template <class Real>
Receivers<Real>::Receivers(const Surface& surface, const Form& form, const std::vector<Vec3>& points, int steps,
                           Team& team, int quadrature)
    : matrix_(static_cast<Index>(points.size()), surface.unknowns), steps_(steps) {
  const Setting setting{surface, form, triangle_rule(quadrature)};
  fill_rows(
      matrix_, setting, points, team, [&](std::size_t t, const Vec3& x, auto&& add) { receive(setting, t, x, add); },
      [&](std::size_t t, Interval own) {
        return std::ranges::any_of(surface.triangles[t].vertex, [&](std::int32_t v) {
          return std::ranges::any_of(surface.shares(v), [&](const Share& part) {
            return part.unknown >= own.begin && part.unknown < own.end;
          });
        });
      });
  summation_ = std::make_unique<Summation<Real>>("receivers", matrix_, steps);
  if (!starts_fit_devices(matrix_, steps)) summation_->keep_on_processors();
  if (surface.memory_columns.empty()) return;
  walls_ = Slices<Real>(matrix_.rows(), static_cast<Index>(surface.memory_columns.size()));
  // The density of step n is ν of the step before, over cΔt.
  const auto each_column = [&](std::size_t t, std::size_t corner, auto&& f) {
    const std::int16_t wall = surface.wall[t];
    const std::int32_t vertex = surface.triangles[t].vertex[corner];
    if (wall < 0 || !surface.carries_pressure(vertex)) return;
    for (const Share& part : surface.shares(vertex))
      if (const Index c = surface.memory_column(part.unknown, wall); c >= 0) f(c, part.weight);
  };
  fill_rows(
      walls_, setting, points, team,
      [&](std::size_t t, const Vec3& x, auto&& add) {
        const auto from = [&](const Triangle& T, std::array<std::size_t, 3> corners, double factor) {
          receive(
              setting, T, x, false, true, [](std::size_t, Index, double) {},
              [&](std::size_t b, Index column, double v) {
                each_column(t, corners[b],
                            [&](Index c, double weight) { add(c, column + 1, factor * weight / form.delta() * v); });
              });
        };
        if (surface.wall[t] < 0 || !surface.conditions.walls[static_cast<std::size_t>(surface.wall[t])].admittance)
          return;
        from(surface.triangles[t], {0, 1, 2}, 1);
        if (!surface.images.empty()) from(surface.images[t], {0, 2, 1}, surface.image_sign());
      },
      [&](std::size_t t, Interval own) {
        bool any = false;
        for (std::size_t corner = 0; corner < 3; ++corner)
          each_column(t, corner, [&](Index c, double) { any = any || (c >= own.begin && c < own.end); });
        return any;
      });
  of_walls_ = std::make_unique<Summation<Real>>("wall memory", walls_, steps);
  of_walls_->keep_on_processors();
}

template <class Real>
void Receivers<Real>::evaluate(Team& team, std::span<const History<Real>> runs, std::vector<double>& out,
                               std::span<const History<Real>> memory) {
  summation_->add_up(team, runs, steps_, out);
  if (!of_walls_) return;
  std::vector<double> more;
  of_walls_->add_up(team, memory, steps_, more);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] += more[k];
}

template <class Real>
std::vector<std::complex<double>> Receivers<Real>::transformed(double omega, double dt,
                                                               std::span<const std::complex<double>> a,
                                                               std::span<const std::complex<double>> memory) const {
  std::vector<std::complex<double>> out(static_cast<std::size_t>(count())), turn;
  for (Index k = 0; k <= std::max(matrix_.columns(), walls_.columns()); ++k)
    turn.push_back(std::polar(1.0, omega * dt * static_cast<double>(k - receiver_lag)));
  const auto add = [&](const Slices<Real>& matrix, std::span<const std::complex<double>> values) {
    for (Index j = 0; j < matrix.count(); ++j)
      matrix.for_each_row(j, [&](Index r, Index start, std::span<const Real> v) {
        std::complex<double> sum = 0;
        for (std::size_t d = 0; d < v.size(); ++d)
          sum += static_cast<double>(v[d]) * turn[static_cast<std::size_t>(start) + d];
        out[static_cast<std::size_t>(r)] += sum * values[static_cast<std::size_t>(j)];
      });
  };
  add(matrix_, a);
  add(walls_, memory);
  return out;
}

template class Receivers<float>;
template class Receivers<double>;

}  // namespace conoid::acoustic_bem
