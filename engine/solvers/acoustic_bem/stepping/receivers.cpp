// SPDX-License-Identifier: BSD-3-Clause
// Row-vectors from the surface to receivers.
#include "engine/solvers/acoustic_bem/stepping/receivers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"
#include "engine/solvers/acoustic_bem/discretization/shell_moments.hpp"
#include "engine/solvers/acoustic_bem/kernels/receiver_lanes.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

constexpr Index slices_at_once = 256;  ///< of a panel, whose values a thread holds: some 4 MB

struct Setting {
  const Surface& surface;
  const Form& form;
  Rule rule;
};

/// What a surface carries: a pressure, and ∂_n p.
enum class Kind : std::uint8_t { pressure, sigma };

/// Where what a corner of a triangle sends is added: a column of the matrix, times a weight, so many steps later.
struct Target {
  Index column = 0;
  double weight = 1;
  Index later = 0;
};
using Targets = std::vector<Target>;

/// Triangles and images that send, with the targets of what their corners carry.
class Senders {
 public:
  explicit Senders(const Setting& setting) : delta_(setting.form.delta()), mean_edge_(setting.surface.mean_edge) {
    for (const RulePoint& q : setting.rule) {
      lambda_.insert(lambda_.end(), {q.lambda[0], q.lambda[1], q.lambda[2], 0.0});
      weight_.push_back(q.weight);
    }
  }
  void add(const Triangle& triangle, const std::array<Targets, 3>& pressure, const std::array<Targets, 3>& sigma) {
    for (const auto* corners : {&pressure, &sigma})
      for (const Targets& of : *corners) {
        targets_.insert(targets_.end(), of.begin(), of.end());
        begin_.push_back(targets_.size());
      }
    for (std::size_t q = 0; q < weight_.size(); ++q)
      for (std::size_t d = 0; d < 3; ++d) {
        double y = 0;
        for (std::size_t c = 0; c < 3; ++c) y += lambda_[4 * q + c] * triangle.corner[c][d];
        y_.push_back(y);
      }
    triangles_.push_back(&triangle);
    radius_ = std::max(radius_, triangle.radius);
  }
  [[nodiscard]] std::size_t size() const { return triangles_.size(); }
  [[nodiscard]] const Triangle& triangle(std::size_t s) const { return *triangles_[s]; }
  [[nodiscard]] std::span<const Target> targets(std::size_t s, Kind kind, std::size_t corner) const {
    return part(6 * s + (kind == Kind::pressure ? 0 : 3) + corner, 1);
  }
  [[nodiscard]] bool sends(std::size_t s, Kind kind) const {
    return !part(6 * s + (kind == Kind::pressure ? 0 : 3), 3).empty();
  }
  /// Anything to these columns.
  [[nodiscard]] bool sends_to(std::size_t s, Interval columns) const {
    return std::ranges::any_of(part(6 * s, 6),
                               [&](const Target& t) { return t.column >= columns.begin && t.column < columns.end; });
  }
  [[nodiscard]] LaneSender lanes(std::size_t s) const {
    const Triangle& T = *triangles_[s];
    return {static_cast<int>(weight_.size()), y_.data() + 3 * weight_.size() * s,      lambda_.data(), weight_.data(),
            T.area / (4 * std::numbers::pi),  {T.normal[0], T.normal[1], T.normal[2]}, delta_};
  }
  [[nodiscard]] double delta() const { return delta_; }
  /// Triangles nearer than this are integrated shell by shell.
  [[nodiscard]] double near() const { return mean_edge_; }
  /// Columns of any triangle at most.
  [[nodiscard]] std::size_t most_columns() const {
    return static_cast<std::size_t>(2 * radius_ / delta_) + 4 + cubic_columns;
  }

 private:
  [[nodiscard]] std::span<const Target> part(std::size_t first, std::size_t count) const {
    return std::span(targets_).subspan(begin_[first], begin_[first + count] - begin_[first]);
  }
  std::vector<const Triangle*> triangles_;
  Targets targets_;
  std::vector<std::size_t> begin_{0};  ///< of each triangle, kind and corner
  std::vector<double> y_, lambda_, weight_;
  double delta_, mean_edge_, radius_ = 0;
};

/// Points as lanes, filled up with the last one, and what some of them receive from a triangle.
class PointLanes {
 public:
  PointLanes(const std::vector<Vec3>& points, const Senders& senders)
      : points_(points), senders_(senders), kernels_(receiver_lanes()),
        lanes_(static_cast<std::size_t>(kernels_.lanes)), most_(senders.most_columns()), x_(3 * lanes_), first_(lanes_),
        last_(lanes_), near_(lanes_), far_first_(lanes_), values_(4 * lanes_ * most_) {}
  [[nodiscard]] std::size_t lanes() const { return lanes_; }
  /// The points from `begin` on, up to `end` at most.
  void move_to(std::size_t begin, std::size_t end) {
    begin_ = begin;
    count_ = std::min(lanes_, end - begin);
    for (std::size_t t = 0; t < lanes_; ++t)
      for (std::size_t d = 0; d < 3; ++d) x_[d * lanes_ + t] = points_[begin + std::min(t, count_ - 1)][d];
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// Columns first(t) … last(t) of what each point receives: delay + receiver_lag.
  void range(std::size_t s, Kind kind) {
    const Triangle& T = senders_.triangle(s);
    const double reach = T.radius + senders_.near();
    bool far = false;
    for (std::size_t t = 0; t < lanes_; ++t) {
      near_[t] = distance(point(t), T.centroid) < reach ? 1 : 0;
      far = far || near_[t] == 0;
    }
    if (far) kernels_.range(senders_.lanes(s), x_.data(), lanes_, early(kind), first_.data(), last_.data());
    for (std::size_t t = 0; t < lanes_; ++t)
      if (near_[t] != 0) {
        const ShellRange shells = shell_range(T, point(t), senders_.delta());
        first_[t] = static_cast<double>(shells.first);
        last_[t] = static_cast<double>(shells.last + (kind == Kind::pressure ? 1 : 0));
      }
  }
  [[nodiscard]] Index first(std::size_t t) const { return static_cast<Index>(first_[t]) + receiver_lag; }
  [[nodiscard]] Index last(std::size_t t) const { return static_cast<Index>(last_[t]) + receiver_lag; }
  /// range(), and the values of corner b: value(t, b)[4 (column − first(t))].
  void values(std::size_t s, Kind kind) {
    range(s, kind);
    bool far = false;
    for (std::size_t t = 0; t < lanes_; ++t) {
      double* const row = values_.data() + 4 * most_ * t;
      std::fill_n(row, 4 * (last(t) - first(t) + 1), 0.0);
      far_first_[t] = near_[t] != 0 ? last_[t] + 1 : first_[t];
      far = far || near_[t] == 0;
      if (near_[t] != 0) add_shells(s, kind, t, row);
    }
    if (far)
      kernels_.values(senders_.lanes(s), x_.data(), lanes_, early(kind), kind == Kind::sigma, far_first_.data(),
                      last_.data(), most_, values_.data());
  }
  [[nodiscard]] const double* value(std::size_t t, std::size_t corner) const {
    return values_.data() + 4 * most_ * t + corner;
  }

 private:
  [[nodiscard]] static double early(Kind kind) { return kind == Kind::sigma ? 0.5 : 0; }
  [[nodiscard]] Vec3 point(std::size_t t) const { return {x_[t], x_[lanes_ + t], x_[2 * lanes_ + t]}; }
  /// u(x, t_n) = 1/4π Σ k_m^b [(m+1) a^{n−m} − m a^{n−m−1}] − 1/4π Σ s_m^b σ^{n−m}
  void add_shells(std::size_t s, Kind kind, std::size_t t, double* row) const {
    constexpr double over = 1 / (4 * std::numbers::pi);
    const Triangle& T = senders_.triangle(s);
    const ShellRange shells = shell_range(T, point(t), senders_.delta());
    for (Index m = shells.first; m <= shells.last; ++m, row += 4) {
      const ShellMoments k = shell_moments(T, point(t), senders_.delta(), m);
      for (std::size_t b = 0; b < 3; ++b) {
        if (kind == Kind::sigma) {
          row[b] -= k.s[b] * over;
          continue;
        }
        row[b] += k.k[b] * static_cast<double>(m + 1) * over;
        row[4 + b] -= k.k[b] * static_cast<double>(m) * over;
      }
    }
  }

  const std::vector<Vec3>& points_;
  const Senders& senders_;
  const ReceiverLanes& kernels_;
  std::size_t lanes_, most_, begin_ = 0, count_ = 0;
  std::vector<double> x_, first_, last_;
  std::vector<char> near_;
  std::vector<double> far_first_, values_;
};

/// Seconds of a thread for all rows, about.
double cost_of(const Senders& senders, Index rows) {
  return 1e-7 * static_cast<double>(rows) * static_cast<double>(senders.size());
}

/// Columns of each row-vector, slice by slice.
struct RowColumns {
  Index rows;
  std::vector<std::uint16_t> first, last;
  [[nodiscard]] std::size_t at(Index row, Index slice) const { return static_cast<std::size_t>(slice * rows + row); }
};

RowColumns find_columns(const Senders& senders, const std::vector<Vec3>& points, Index slices, Team& team) {
  const auto rows = static_cast<Index>(points.size());
  const auto entries = static_cast<std::size_t>(rows * slices);
  RowColumns out{rows, std::vector<std::uint16_t>(entries, std::numeric_limits<std::uint16_t>::max()),
                 std::vector<std::uint16_t>(entries, 0)};
  constexpr Index at_once = 32;  // points of a chunk: their columns of a slice fill a cache line
  for_range(team, "receiver extents", (rows + at_once - 1) / at_once, 1, cost_of(senders, rows), [&](Interval chunks) {
    PointLanes lanes(points, senders);
    const auto end = static_cast<std::size_t>(std::min(chunks.end * at_once, rows));
    for (auto begin = static_cast<std::size_t>(chunks.begin * at_once); begin < end; begin += lanes.lanes()) {
      lanes.move_to(begin, end);
      for (std::size_t s = 0; s < senders.size(); ++s)
        for (const Kind kind : {Kind::pressure, Kind::sigma}) {
          if (!senders.sends(s, kind)) continue;
          lanes.range(s, kind);
          for (std::size_t b = 0; b < 3; ++b)
            for (const Target& to : senders.targets(s, kind, b)) {
              const std::size_t entry = out.at(static_cast<Index>(begin), to.column);
              for (std::size_t t = 0; t < lanes.count(); ++t) {
                const auto low = static_cast<std::uint16_t>(lanes.first(t) + to.later),
                           high = static_cast<std::uint16_t>(lanes.last(t) + to.later);
                out.first[entry + t] = std::min(out.first[entry + t], low);
                out.last[entry + t] = std::max(out.last[entry + t], high);
              }
            }
        }
    }
  });
  return out;
}

/// Row-vectors of some slices of a panel, filled by all that its points receive.
class PanelRows {
 public:
  PanelRows(const RowColumns& columns, Interval rows, Interval slices)
      : columns_(columns), rows_(rows), slices_(slices),
        offset_(static_cast<std::size_t>(rows.size() * slices.size())) {
    std::uint32_t total = 0;
    for (Index j = slices.begin; j < slices.end; ++j)
      for (Index r = rows.begin; r < rows.end; ++r) {
        offset_[place(r, j)] = total;
        const std::size_t entry = columns.at(r, j);
        if (columns.last[entry] >= columns.first[entry])
          total += static_cast<std::uint32_t>(columns.last[entry] - columns.first[entry]) + 1;
      }
    values_.assign(total, 0);
  }
  [[nodiscard]] double* at(Index row, Index slice, Index column) {
    return values_.data() + offset_[place(row, slice)] + (column - columns_.first[columns_.at(row, slice)]);
  }
  void add(const Senders& senders, std::size_t s, Kind kind, PointLanes& lanes, Index begin) {
    lanes.values(s, kind);
    for (std::size_t b = 0; b < 3; ++b)
      for (const Target& to : senders.targets(s, kind, b)) {
        if (to.column < slices_.begin || to.column >= slices_.end) continue;
        for (std::size_t t = 0; t < lanes.count(); ++t) {
          const double* const from = lanes.value(t, b);
          const Index first = lanes.first(t), count = lanes.last(t) - first + 1;
          double* const row = at(begin + static_cast<Index>(t), to.column, first + to.later);
          for (Index c = 0; c < count; ++c) row[c] += to.weight * from[4 * c];
        }
      }
  }

 private:
  [[nodiscard]] std::size_t place(Index row, Index slice) const {
    return static_cast<std::size_t>((slice - slices_.begin) * rows_.size() + row - rows_.begin);
  }
  const RowColumns& columns_;
  Interval rows_, slices_;
  std::vector<std::uint32_t> offset_;
  std::vector<double> values_;
};

/// Row-vectors from the columns of a matrix to points. Some slices of a panel at a time, so that what a thread adds to stays in its
/// cache; triangles on the borders are computed again.
template <class Real>
void fill_rows(Slices<Real>& matrix, const Senders& senders, const std::vector<Vec3>& points, Team& team) {
  const Index R = matrix.rows(), N = matrix.count();
  const double cost = cost_of(senders, R);
  const RowColumns columns = find_columns(senders, points, N, team);
  const auto rows = static_cast<std::size_t>(R);
  for_range(team, "receiver extents", N, 16, cost / 4, [&](Interval own) {
    for (Index j = own.begin; j < own.end; ++j) {
      const std::size_t begin = columns.at(0, j);
      matrix.lay_out(j, std::span(columns.first).subspan(begin, rows), std::span(columns.last).subspan(begin, rows));
      matrix.allocate(j);
    }
  });
  const Index pieces = (N + slices_at_once - 1) / slices_at_once;
  for_range(team, "receivers", matrix.panels() * pieces, 1, cost, [&](Interval work) {
    PointLanes lanes(points, senders);
    const auto width = static_cast<Index>(lanes.lanes());
    for (Index k = work.begin; k < work.end; ++k) {
      const Index panel = k / pieces, begin = panel * panel_rows, end = std::min(begin + panel_rows, R);
      const Interval own{k % pieces * slices_at_once, std::min((k % pieces + 1) * slices_at_once, N)};
      PanelRows some(columns, {begin, end}, own);
      std::vector<std::size_t> sending;
      for (std::size_t s = 0; s < senders.size(); ++s)
        if (senders.sends_to(s, own)) sending.push_back(s);
      for (Index r = begin; r < end; r += width) {
        lanes.move_to(static_cast<std::size_t>(r), static_cast<std::size_t>(end));
        for (const std::size_t s : sending)
          for (const Kind kind : {Kind::pressure, Kind::sigma})
            if (senders.sends(s, kind)) some.add(senders, s, kind, lanes, r);
      }
      for (Index j = own.begin; j < own.end; ++j)
        matrix.fill(j, panel, [&](Index row, Index column) { return some.at(row, j, column); });
    }
  });
}

/// What all triangles send to the columns of unknowns.
Senders senders_of_unknowns(const Setting& setting) {
  const Surface& surface = setting.surface;
  const bool rigid = setting.form.rigid();
  Senders out(setting);
  const auto add = [&](std::size_t t, const Triangle& T, double factor) {
    std::array<Targets, 3> pressure, sigma;
    for (std::size_t b = 0; b < 3; ++b) {
      const std::int32_t vertex = T.vertex[b];
      const Density of = rigid && surface.is_wall(t) ? density_of(surface, t, vertex) : Density{};
      for (const Share& part : surface.shares(vertex)) {
        const double weight = factor * part.weight;
        if (!rigid) sigma[b].push_back({part.unknown, weight, 0});
        if (rigid && surface.carries_pressure(vertex)) pressure[b].push_back({part.unknown, weight, 0});
        if (of.now != 0) sigma[b].push_back({part.unknown, weight * of.now / setting.form.delta(), 0});
        if (of.before != 0) sigma[b].push_back({part.unknown, weight * of.before / setting.form.delta(), 1});
      }
    }
    out.add(T, pressure, sigma);
  };
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    add(t, surface.triangles[t], 1);
    if (!surface.images.empty()) add(t, surface.images[t], surface.image_sign());
  }
  return out;
}

/// What walls send of what they remember: the density of step n is ν of the step before, over cΔt.
Senders senders_of_memory(const Setting& setting) {
  const Surface& surface = setting.surface;
  Senders out(setting);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const std::int16_t wall = surface.wall[t];
    if (wall < 0 || !surface.conditions.walls[static_cast<std::size_t>(wall)].admittance) continue;
    const auto add = [&](const Triangle& T, const std::array<std::size_t, 3>& corners, double factor) {
      std::array<Targets, 3> sigma;
      for (std::size_t b = 0; b < 3; ++b) {
        const std::int32_t vertex = surface.triangles[t].vertex[corners[b]];
        if (!surface.carries_pressure(vertex)) continue;
        for (const Share& part : surface.shares(vertex))
          if (const Index c = surface.memory_column(part.unknown, wall); c >= 0)
            sigma[b].push_back({c, factor * part.weight / setting.form.delta(), 1});
      }
      out.add(T, {}, sigma);
    };
    add(surface.triangles[t], {0, 1, 2}, 1);
    if (!surface.images.empty()) add(surface.images[t], {0, 2, 1}, surface.image_sign());
  }
  return out;
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
  Senders senders(setting);
  const auto add = [&](const Triangle& T, double weight) {
    senders.add(T, {}, {Targets{{0, weight, 0}}, Targets{{0, weight, 0}}, Targets{{0, weight, 0}}});
  };
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    if (weights[t] == 0) continue;
    add(surface.triangles[t], weights[t]);
    if (!surface.images.empty()) add(surface.images[t], weights[t] * surface.image_sign());
  }
  if (senders.size() == 0) return out;
  for_range(team, "receivers", R, 8, cost_of(senders, R), [&](Interval rows) {
    PointLanes lanes(points, senders);
    const auto end = static_cast<std::size_t>(rows.end);
    for (auto begin = static_cast<std::size_t>(rows.begin); begin < end; begin += lanes.lanes()) {
      lanes.move_to(begin, end);
      for (std::size_t s = 0; s < senders.size(); ++s) {
        lanes.values(s, Kind::sigma);
        for (std::size_t b = 0; b < 3; ++b) {
          const double weight = senders.targets(s, Kind::sigma, b)[0].weight;
          for (std::size_t t = 0; t < lanes.count(); ++t) {
            double* const row = out.data() + static_cast<Index>(begin + t) * columns + lanes.first(t);
            for (Index c = 0; c <= lanes.last(t) - lanes.first(t); ++c) row[c] += weight * lanes.value(t, b)[4 * c];
          }
        }
      }
    }
  });
  return out;
}

template <class Real>
Receivers<Real>::Receivers(const Surface& surface, const Form& form, const std::vector<Vec3>& points, int steps,
                           Team& team, int quadrature)
    : matrix_(static_cast<Index>(points.size()), surface.unknowns), steps_(steps) {
  const Setting setting{surface, form, triangle_rule(quadrature)};
  fill_rows(matrix_, senders_of_unknowns(setting), points, team);
  summation_ = std::make_unique<Summation<Real>>("receivers", matrix_, steps);
  if (!starts_fit_devices(matrix_, steps)) summation_->keep_on_processors();
  if (surface.memory_columns.empty()) return;
  walls_ = Slices<Real>(matrix_.rows(), static_cast<Index>(surface.memory_columns.size()));
  fill_rows(walls_, senders_of_memory(setting), points, team);
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
std::vector<std::complex<double>> Receivers<Real>::transformed(Team& team, double omega, double dt,
                                                               std::span<const std::complex<double>> a,
                                                               std::span<const std::complex<double>> memory) const {
  std::vector<std::complex<double>> out(static_cast<std::size_t>(count())), turn;
  for (Index k = 0; k <= std::max(matrix_.columns(), walls_.columns()); ++k)
    turn.push_back(std::polar(1.0, omega * dt * static_cast<double>(k - receiver_lag)));
  const auto add = [&](const Slices<Real>& matrix, std::span<const std::complex<double>> values) {
    for_range(
        team, "frequencies", matrix.panels(), 1, 3e-9 * static_cast<double>(matrix.nonzeros()), [&](Interval some) {
          for (Index panel = some.begin; panel < some.end; ++panel)
            for (Index j = 0; j < matrix.count(); ++j) {
              const Slice<Real>& slice = matrix[j];
              const Real* const first = slice.values.data() + slice.panels[static_cast<std::size_t>(panel)].values;
              matrix.for_each_row(j, panel, first, [&](Index r, Index start, std::span<const Real> v) {
                std::complex<double> sum = 0;
                for (std::size_t d = 0; d < v.size(); ++d)
                  sum += static_cast<double>(v[d]) * turn[static_cast<std::size_t>(start) + d];
                out[static_cast<std::size_t>(r)] += sum * values[static_cast<std::size_t>(j)];
              });
            }
        });
  };
  add(matrix_, a);
  add(walls_, memory);
  return out;
}

template class Receivers<float>;
template class Receivers<double>;

}  // namespace conoid::acoustic_bem
