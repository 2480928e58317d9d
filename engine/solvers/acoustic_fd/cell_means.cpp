// SPDX-License-Identifier: BSD-3-Clause
// Means of 1/(ρ c²) and ρ over the cells of the grid.
#include "engine/solvers/acoustic_fd/cell_means.hpp"

#include "engine/solvers/acoustic_fd/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace conoid::acoustic_fd {
namespace {

/// Where nodes of one axis lie and at which points, with which weights, the medium is looked at for each of them.
struct Rule {
  Index count = 1;
  double origin = 0, spacing = 1;
  std::vector<double> at, weight;
  std::vector<std::size_t> first{0};  ///< [i … i+1]: points of node i

  void begin_node() { first.push_back(at.size()); }
  void add(double place, double share) {
    at.push_back(place);
    weight.push_back(share);
    first.back() = at.size();
  }
};

using Fields = std::vector<const Velocity*>;

/// Its samples are at least as close as the nodes.
bool is_stepped(const Velocity::Along& along, double h) {
  return along.varies && along.spacing > 0 && along.spacing <= h * (1 + 1e-6);
}

bool is_averaged(const Velocity::Along& along, double h) {
  return along.varies && (along.spacing == 0 || is_stepped(along, h));
}

/// What lies d nodes away counts for a node: the mean over its cell, or sharper (cell_means.hpp).
double sharp_kernel(double d) {
  const auto hat = [](double x) { return std::max(0.0, 1 - std::abs(x)); };
  return 7.0 / 6 * hat(d) - (hat(d - 1) + hat(d + 1)) / 12;
}

/// Means along one axis: points between the jumps and the kernel's corners, one where the medium is constant between them, else
/// the three of Gauss; the kernel is linear there.
class CellRule {
 public:
  CellRule(const Grid& g, std::size_t axis, const Fields& fields) : axis_(axis), h_(g.spacing[axis]), fields_(fields) {
    for (const Velocity* field : fields) {
      const auto along = field->along(axis);
      curved_ |= along.curved;
      if (is_stepped(along, h_)) sharp_ = false;  // samples as close as the nodes are taken as they are
    }
  }
  /// The cell of a node between the faces `low` and `high`, which mirror.
  void add(Rule& rule, double node, double low, double high) {
    const double reach = sharp_ ? 2 * h_ : 0.5 * h_;
    piece(rule, node, std::max(low, node - reach), std::min(high, node + reach));
    if (node - reach < low) piece(rule, 2 * low - node, low, std::min(high, 2 * low - node + reach));
    if (node + reach > high) piece(rule, 2 * high - node, std::max(low, 2 * high - node - reach), high);
  }

 private:
  void piece(Rule& rule, double centre, double lower, double upper) {
    cuts_.assign({lower, upper});
    for (const Velocity* field : fields_)
      if (is_averaged(field->along(axis_), h_)) field->jumps(axis_, lower, upper, cuts_);
    for (int n = -2; sharp_ && n <= 2; ++n)
      if (const double at = centre + n * h_; at > lower && at < upper) cuts_.push_back(at);
    std::sort(cuts_.begin(), cuts_.end());
    for (std::size_t n = 0; n + 1 < cuts_.size(); ++n) {
      const double middle = 0.5 * (cuts_[n] + cuts_[n + 1]), half = 0.5 * (cuts_[n + 1] - cuts_[n]);
      const auto point = [&](double place, double share) {
        rule.add(place, 2 * half / h_ * share * (sharp_ ? sharp_kernel((place - centre) / h_) : 1));
      };
      if (half < 1e-12 * h_) continue;
      if (!curved_) {
        point(middle, 1);
        continue;
      }
      point(middle - half * std::sqrt(0.6), 5.0 / 18);
      point(middle, 8.0 / 18);
      point(middle + half * std::sqrt(0.6), 5.0 / 18);
    }
  }
  std::size_t axis_;
  double h_;
  const Fields& fields_;
  bool curved_ = false, sharp_ = true;
  std::vector<double> cuts_;
};

/// Nodes whose cells meet samples; the ends hold beyond.
Interval nodes_of_interest(const Grid& g, std::size_t axis, const Fields& fields) {
  Interval out{g.points[axis], 0};
  for (const Velocity* field : fields) {
    const auto along = field->along(axis);
    if (!along.varies) continue;
    if (along.spacing == 0) return {0, g.points[axis]};
    const double last = along.origin + static_cast<double>(along.count - 1) * along.spacing, h = g.spacing[axis];
    const double low = std::floor((along.origin - g.origin[axis]) / h) - 2,
                 high = std::ceil((last - g.origin[axis]) / h) + 3;
    const auto most = static_cast<double>(g.points[axis]);
    out.begin = std::min(out.begin, static_cast<Index>(std::clamp(low, 0.0, most - 1)));
    out.end = std::max(out.end, static_cast<Index>(std::clamp(high, 1.0, most)));
  }
  return out;
}

Rule rule_of(const Grid& g, std::size_t axis, const Fields& fields) {
  const double h = g.spacing[axis];
  Rule rule;
  bool varies = false, averaged = false, alike = true;
  Velocity::Along samples;
  for (const Velocity* field : fields) {
    const auto along = field->along(axis);
    if (!along.varies) continue;
    alike = alike && along.spacing > 0 && (!varies || samples == along);
    samples = along;
    varies = true;
    averaged |= is_averaged(along, h);
  }
  if (!varies || (!averaged && alike)) {  // samples farther apart than nodes stay what they are
    rule.count = varies ? samples.count : 1;
    rule.origin = varies ? samples.origin : g.origin[axis];
    rule.spacing = varies ? samples.spacing : h;
    for (Index i = 0; i < rule.count; ++i) {
      rule.begin_node();
      rule.add(rule.origin + static_cast<double>(i) * rule.spacing, 1);
    }
    return rule;
  }
  const Interval nodes = nodes_of_interest(g, axis, fields);
  rule.count = nodes.size();
  rule.origin = g.at(axis, nodes.begin);
  rule.spacing = h;
  CellRule cell(g, axis, fields);
  for (Index i = nodes.begin; i < nodes.end; ++i) {
    rule.begin_node();
    if (averaged)
      cell.add(rule, g.at(axis, i), g.origin[axis], g.upper(axis));
    else
      rule.add(g.at(axis, i), 1);
  }
  return rule;
}

/// Means at all nodes of three rules: speeds, and densities where there are any.
struct Means {
  std::array<Rule, 3> rules;
  const Velocity *speed, *density;
  std::array<bool, 3> speed_stepped, density_stepped;
  double fastest;            ///< that a node may have
  SpeedRange density_range;  ///< likewise

  Means(const Problem& p, const Fields& fields)
      : speed(fields[0]), density(fields.size() > 1 ? fields[1] : nullptr), fastest(overshoot * p.speed.highest) {
    const Grid& g = p.grid;
    if (density) {
      const SpeedRange range = density->range(g.origin, {g.upper(0), g.upper(1), g.upper(2)});
      density_range = {range.lowest / overshoot, range.highest * overshoot};
    }
    for (std::size_t a = 0; a < 3; ++a) {
      rules[a] = rule_of(g, a, fields);
      speed_stepped[a] = is_stepped(speed->along(a), g.spacing[a]);
      density_stepped[a] = density && is_stepped(density->along(a), g.spacing[a]);
    }
  }
  [[nodiscard]] ModelBox box() const {
    ModelBox out;
    for (std::size_t a = 0; a < 3; ++a) {
      out.shape[a] = rules[a].count;
      out.spacing[a] = rules[a].spacing;
      out.origin[a] = rules[a].origin;
    }
    return out;
  }

  /// Buffers of one thread.
  struct Row {
    std::vector<double> c, rho, slowness, mass;
  };
  /// One row of nodes.
  void row(Index x, Index y, Row& r) const {
    const auto &rx = rules[0], &ry = rules[1], &rz = rules[2];
    const auto nz = static_cast<std::size_t>(rz.count), points = rz.at.size();
    r.c.resize(points);
    r.rho.assign(points, 1.0);
    r.slowness.assign(nz, 0.0);
    r.mass.assign(nz, 0.0);
    const auto i = static_cast<std::size_t>(x), j = static_cast<std::size_t>(y);
    for (std::size_t a = rx.first[i]; a < rx.first[i + 1]; ++a)
      for (std::size_t b = ry.first[j]; b < ry.first[j + 1]; ++b) {
        speed->values(rx.at[a], ry.at[b], rz.at, speed_stepped, r.c);
        if (density) density->values(rx.at[a], ry.at[b], rz.at, density_stepped, r.rho);
        const double share = rx.weight[a] * ry.weight[b];
        for (std::size_t k = 0; k < nz; ++k)
          for (std::size_t n = rz.first[k]; n < rz.first[k + 1]; ++n) {
            const double w = share * rz.weight[n];
            r.slowness[k] += w / (r.rho[n] * r.c[n] * r.c[n]);
            r.mass[k] += w * r.rho[n];
          }
      }
    const bool single = rx.first[i + 1] - rx.first[i] == 1 && ry.first[j + 1] - ry.first[j] == 1;
    for (std::size_t k = 0; k < nz; ++k) {
      const bool one = single && rz.first[k + 1] - rz.first[k] == 1;  // to the last bit
      if (one) {
        r.slowness[k] = r.c[rz.first[k]];
        r.mass[k] = r.rho[rz.first[k]];
        continue;
      }
      if (density) r.mass[k] = std::clamp(r.mass[k], density_range.lowest, density_range.highest);
      const double least = 1 / (fastest * fastest);
      r.slowness[k] = 1 / std::sqrt(std::max(least, r.slowness[k] * r.mass[k]));
    }
  }
};

template <class V>
void take_means(const Means& means, Problem& problem) {
  const ModelBox box = means.box();
  const Index ny = box.shape[1], nz = box.shape[2], rows = box.shape[0] * ny;
  std::vector<V> c, rho;
  try {
    c.resize(static_cast<std::size_t>(rows * nz));
    if (means.density) rho.resize(c.size());
  } catch (const std::bad_alloc&) {
    throw Failure(make_error(ErrorCode::resources, "no memory for the means of the medium over the cells of the grid",
                             "Use a coarser grid, or a model that covers less."));
  }
#pragma omp parallel
  {
    Means::Row r;
#pragma omp for schedule(static)
    for (Index n = 0; n < rows; ++n) {
      means.row(n / ny, n % ny, r);
      const auto to = n * nz;
      std::transform(r.slowness.begin(), r.slowness.end(), c.begin() + to, [](double v) { return static_cast<V>(v); });
      if (means.density)
        std::transform(r.mass.begin(), r.mass.end(), rho.begin() + to, [](double v) { return static_cast<V>(v); });
    }
  }
  const auto field = [&](std::vector<V>&& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const SpeedRange range{static_cast<double>(*low), static_cast<double>(*high)};
    return sampled_velocity(box, {ny * nz, nz, 1}, std::move(values), range);
  };
  problem.velocity = field(std::move(c));
  if (means.density) problem.density = field(std::move(rho));
}

}  // namespace

void average_medium(Problem& problem) {
  if (!problem.velocity) return;
  Fields fields{problem.velocity.get()};
  if (problem.density && !problem.density->constant()) fields.push_back(problem.density.get());
  bool averaged = false;
  for (const Velocity* field : fields)
    for (std::size_t a = 0; a < 3; ++a) averaged |= is_averaged(field->along(a), problem.grid.spacing[a]);
  if (!averaged) return;
  const Means means(problem, fields);
  int axes = 0;
  for (const Rule& rule : means.rules) axes += rule.count > 1 ? 1 : 0;
  if (axes <= 1)
    take_means<double>(means, problem);
  else
    take_means<float>(means, problem);
}

}  // namespace conoid::acoustic_fd
