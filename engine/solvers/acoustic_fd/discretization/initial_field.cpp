// SPDX-License-Identifier: BSD-3-Clause
// Bells, samples, and what a solid remembers of a bell that has gone by.
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"

#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/discretization/cell_means.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {
namespace {

/// e^{x²} erfc(x). From 20 on by its asymptotic series, whose sixth term is 3e-12 there.
double scaled_erfc(double x) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  const double q = 1 / (2 * x * x);
  return (1 - q * (1 - 3 * q * (1 - 5 * q * (1 - 7 * q)))) / (x * std::sqrt(std::numbers::pi));
}

double bell(const Initial& f, double d) {
  return f.amplitude * std::exp(-0.5 * d * d / (f.width * f.width));
}

/// ∫ bell(d + u) e^{−u/λ} du/λ over u > 0.
double faded(const Initial& f, double d, double length) {
  const double x = (d / f.width + f.width / length) / std::numbers::sqrt2;
  const double share = f.amplitude * std::sqrt(std::numbers::pi / 2) * f.width / length;
  if (x > 0) return share * std::exp(-0.5 * d * d / (f.width * f.width)) * scaled_erfc(x);
  return share * std::exp(0.5 * f.width * f.width / (length * length) + d / length) * std::erfc(x);
}

/// How far ahead of the crest a place lies.
double ahead(const Initial& f, const Vec3& place) {
  const auto a = static_cast<std::size_t>(f.axis);
  return (f.direction < 0 ? -1 : 1) * (place[a] - f.centre[a]);
}

/// Of one axis: samples in, places out, and which samples a place takes.
struct AxisMeans {
  Velocity::Along from;
  std::vector<double> share;  ///< of a sample's part of the axis that lies in the grid
  Index count = 1;            ///< places
  double origin = 0, spacing = 1;
  std::vector<Index> first;  ///< sample of a place
  std::vector<std::vector<double>> weight;
  std::vector<double> part;  ///< of a place, for sums over the axis: in spacings of the samples
  [[nodiscard]] double sample(Index j) const { return from.origin + static_cast<double>(j) * from.spacing; }
};

bool lies_closer(const Velocity::Along& along, const Problem& p, std::size_t axis) {
  return p.grid.points[axis] > 1 && along.varies && along.spacing > 0 &&
         along.spacing <= 0.5 * p.grid.spacing[axis] * (1 + 1e-9);
}

/// Samples stay what they are.
void take_as_given(AxisMeans& m) {
  m.count = m.from.count;
  m.origin = m.from.origin;
  m.spacing = m.from.spacing;
  m.share.assign(static_cast<std::size_t>(m.count), 1.0);
  m.part = m.share;
  for (Index i = 0; i < m.count; ++i) {
    m.first.push_back(i);
    m.weight.push_back({1.0});
  }
}

AxisMeans axis_means(const Velocity& samples, const Problem& p, std::size_t axis) {
  AxisMeans m;
  m.from = samples.along(axis);
  if (!lies_closer(m.from, p, axis)) {
    take_as_given(m);
    return m;
  }
  const Grid& g = p.grid;
  const double h = g.spacing[axis], s = m.from.spacing, low = g.origin[axis], high = g.upper(axis);
  const std::array<double, 2> sign{static_cast<double>(p.faces[2 * axis].image_sign()),
                                   static_cast<double>(p.faces[2 * axis + 1].image_sign())};
  const auto share = [&](double x) {
    const double begin = sign[0] != 0 ? std::max(x - 0.5 * s, low) : x - 0.5 * s,
                 end = sign[1] != 0 ? std::min(x + 0.5 * s, high) : x + 0.5 * s;
    return std::max(0.0, end - begin) / s;
  };
  const auto weight_of = [&](double x, double at, double below, double above) {
    return share(x) * (sharp_mean((x - at) / h) + below * sharp_mean((2 * low - x - at) / h) +
                       above * sharp_mean((2 * high - x - at) / h));
  };
  for (Index j = 0; j < m.from.count; ++j) m.share.push_back(share(m.sample(j)));
  // A place of zero on either side, so that nodes at the ends lie within.
  const auto node = [&](double at) { return (at - low) / h; };
  const auto last = static_cast<double>(g.points[axis] - 1);
  const auto lowest = static_cast<Index>(std::clamp(std::floor(node(m.sample(0))) - 2, 0.0, last)) - 1,
             highest = static_cast<Index>(std::clamp(std::ceil(node(m.sample(m.from.count - 1))) + 2, 0.0, last)) + 1;
  m.count = highest - lowest + 1;
  m.origin = g.at(axis, lowest);
  m.spacing = h;
  for (Index i = lowest; i <= highest; ++i) {
    const double at = g.at(axis, i);
    const auto begin =
                   std::clamp<Index>(static_cast<Index>(std::ceil((at - 2 * h - m.from.origin) / s)), 0, m.from.count),
               end = std::clamp<Index>(static_cast<Index>(std::floor((at + 2 * h - m.from.origin) / s)) + 1, begin,
                                       m.from.count);
    m.first.push_back(begin);
    std::vector<double>& weight = m.weight.emplace_back();
    const bool inside = i > lowest && i < highest;
    m.part.push_back(!inside ? 0
                             : h / s *
                                   (i == 0                                    ? (sign[0] != 0 ? 0.5 : 1)
                                    : i == g.points[axis] - 1 && sign[1] != 0 ? 0.5
                                                                              : 1));
    if (!inside) continue;
    double whole = 0;  // of samples that go on for ever, of one sign
    for (double n = std::ceil((at - 2 * h - m.from.origin) / s); m.from.origin + n * s <= at + 2 * h; n += 1)
      whole += weight_of(m.from.origin + n * s, at, std::abs(sign[0]), std::abs(sign[1]));
    for (Index j = begin; j < end; ++j) weight.push_back(weight_of(m.sample(j), at, sign[0], sign[1]) / whole);
  }
  return m;
}

}  // namespace

InitialMeans means_at_nodes(const Velocity& samples, const Problem& problem) {
  bool closer = false;
  for (std::size_t a = 0; a < 3; ++a) closer |= lies_closer(samples.along(a), problem, a);
  if (!closer) return {};
  const std::array<AxisMeans, 3> m{axis_means(samples, problem, 0), axis_means(samples, problem, 1),
                                   axis_means(samples, problem, 2)};
  const Index ny = m[1].count, nz = m[2].count, plane = ny * nz, in_y = m[1].from.count, in_z = m[2].from.count;
  const auto at = [](Index i) { return static_cast<std::size_t>(i); };
  std::vector<float> planes(at(m[0].from.count * plane), 0.0F), out(at(m[0].count * plane), 0.0F);
  std::vector<double> given(at(m[0].from.count), 0.0), taken(at(m[0].count), 0.0);
  in_chunks(0, {0, m[0].from.count}, 1, [&](Interval some, int) {  // along z and y
    std::vector<double> row(at(in_z)), rows(at(in_y * nz));
    for (Index x = some.begin; x < some.end; ++x) {
      for (Index y = 0; y < in_y; ++y) {
        samples.row(m[0].sample(x), m[1].sample(y), m[2].from.origin, m[2].from.spacing, row);
        double squares = 0;
        for (Index z = 0; z < in_z; ++z) squares += m[2].share[at(z)] * row[at(z)] * row[at(z)];
        given[at(x)] += m[0].share[at(x)] * m[1].share[at(y)] * squares;
        for (Index z = 0; z < nz; ++z) {
          double sum = 0;
          for (std::size_t n = 0; n < m[2].weight[at(z)].size(); ++n)
            sum += m[2].weight[at(z)][n] * row[at(m[2].first[at(z)]) + n];
          rows[at(y * nz + z)] = sum;
        }
      }
      for (Index y = 0; y < ny; ++y)
        for (std::size_t n = 0; n < m[1].weight[at(y)].size(); ++n) {
          const double w = m[1].weight[at(y)][n];
          const double* const from = rows.data() + (m[1].first[at(y)] + static_cast<Index>(n)) * nz;
          for (Index z = 0; z < nz; ++z) planes[at(x * plane + y * nz + z)] += static_cast<float>(w * from[z]);
        }
    }
  });
  in_chunks(0, {0, m[0].count}, 1, [&](Interval some, int) {
    for (Index x = some.begin; x < some.end; ++x)
      for (Index i = 0; i < plane; ++i) {
        double sum = 0;
        for (std::size_t n = 0; n < m[0].weight[at(x)].size(); ++n)
          sum += m[0].weight[at(x)][n] *
                 static_cast<double>(planes[at((m[0].first[at(x)] + static_cast<Index>(n)) * plane + i)]);
        out[at(x * plane + i)] = static_cast<float>(sum);
        taken[at(x)] += m[0].part[at(x)] * m[1].part[at(i / nz)] * m[2].part[at(i % nz)] * sum * sum;
      }
  });
  double before = 0, after = 0;
  for (const double value : given) before += value;
  for (const double value : taken) after += value;
  const auto [least, most] = std::minmax_element(out.begin(), out.end());
  const SpeedRange range{static_cast<double>(*least), static_cast<double>(*most)};
  ModelBox box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.shape[a] = m[a].count;
    box.spacing[a] = m[a].spacing;
    box.origin[a] = m[a].origin;
  }
  return {sampled_velocity(box, {plane, nz, 1}, std::move(out), range), before > 0 ? after / before : 1};
}

double initial_pressure(const Initial& f, const Vec3& place) {
  if (f.kind == Initial::Kind::none) return 0;
  if (f.kind == Initial::Kind::plane) return bell(f, ahead(f, place));
  if (f.kind == Initial::Kind::file) {
    Vec3 low, high;
    if (f.samples->bounds(low, high))
      for (std::size_t a = 0; a < 3; ++a)
        if (place[a] < low[a] || place[a] > high[a]) return 0;
    double value = 0;
    f.samples->row(place[0], place[1], place[2], 0, std::span(&value, 1));
    return f.amplitude * value;
  }
  double square = 0;
  for (std::size_t a = 0; a < 3; ++a) square += (place[a] - f.centre[a]) * (place[a] - f.centre[a]);
  return bell(f, std::sqrt(square));
}

namespace {
/// c_U over the speed of the initial wave.
double own_stiffening(const Problem& problem) {
  return problem.initial.stiffening > 0 ? problem.initial.stiffening : problem.stiffening;
}
}  // namespace

double pressure_before(const Problem& problem, const Vec3& place, double speed) {
  const Initial& f = problem.initial;
  if (f.kind != Initial::Kind::plane) return initial_pressure(f, place);
  const double d = ahead(f, place), dt = problem.dt;
  if (f.direction == 0) return 0.5 * (bell(f, d - speed * dt) + bell(f, d + speed * dt));
  const double stiff = own_stiffening(problem), compliance = stiff * stiff, phase = speed / stiff;
  double p = bell(f, d + phase * (1 + 0.5 * (compliance - 1) / compliance) * dt);
  const double between = d + 0.5 * phase * dt;  // half a step before
  for (const Relaxation& r : problem.relaxations)
    p -= 0.5 * dt * r.share / (compliance * r.time) * (faded(f, between, phase * r.time) - bell(f, between));
  return p;
}

double initial_memory(const Problem& problem, const Relaxation& relaxation, const Vec3& place, double speed) {
  const Initial& f = problem.initial;
  if (f.kind != Initial::Kind::plane || f.direction == 0) return initial_pressure(f, place);
  return faded(f, ahead(f, place), speed / own_stiffening(problem) * relaxation.time);
}

double initial_velocity(const Problem& problem, const Vec3& place, const Vec3& direction, double speed,
                        double density) {
  const Initial& f = problem.initial;
  if (f.kind != Initial::Kind::plane || f.direction == 0) return 0;
  double strain = initial_pressure(f, place);
  for (const Relaxation& r : problem.relaxations) strain += r.share * initial_memory(problem, r, place, speed);
  return direction[static_cast<std::size_t>(f.axis)] * f.direction * strain /
         (density * speed * own_stiffening(problem));
}

}  // namespace conoid::acoustic_fd
