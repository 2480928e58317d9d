// SPDX-License-Identifier: BSD-3-Clause
// Means of 1/(ρ c²) and ρ over the cells of the grid.
#include "engine/solvers/acoustic_fd/discretization/cell_means.hpp"

#include "engine/models/model.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace conoid::acoustic_fd {

double sharp_mean(double d) {
  const auto hat = [](double x) { return std::max(0.0, 1 - std::abs(x)); };
  return 7.0 / 6 * hat(d) - (hat(d - 1) + hat(d + 1)) / 12;
}

namespace {

/// Where nodes of one axis lie, at which points the medium is looked at along it, and with which weights a node takes them.
struct Rule {
  Index count = 1;
  double origin = 0, spacing = 1;
  std::vector<double> at;             ///< points, upwards
  std::vector<std::size_t> begin;     ///< first point of node i
  std::vector<double> weight;         ///< of its points, one after the other
  std::vector<std::size_t> first{0};  ///< [i … i+1]: weights of node i
  void add(std::size_t point, std::span<const double> weights) {
    begin.push_back(point);
    weight.insert(weight.end(), weights.begin(), weights.end());
    first.push_back(weight.size());
  }
  [[nodiscard]] std::size_t points(std::size_t i) const { return first[i + 1] - first[i]; }
  [[nodiscard]] std::size_t end(std::size_t i) const { return begin[i] + points(i); }
};

using Fields = std::vector<const Velocity*>;

/// Its samples are at least as close as the nodes.
bool is_stepped(const Velocity::Along& along, double h) {
  return along.varies && along.spacing > 0 && along.spacing <= h * (1 + 1e-6);
}

bool is_averaged(const Velocity::Along& along, double h) {
  return along.varies && (along.spacing == 0 || is_stepped(along, h));
}

/// Samples that lie on the nodes, one each: a mean would only blur what they say.
bool is_given_at_nodes(const Velocity::Along& along, const Grid& g, std::size_t axis) {
  const double h = g.spacing[axis], nodes = (along.origin - g.origin[axis]) / h;
  return std::abs(along.spacing - h) <= 1e-6 * h && std::abs(nodes - std::round(nodes)) < 1e-3;
}

/// Means along one axis. Between two jumps the medium is constant: one point there, with the integral of the kernel as its weight. Where it
/// varies between jumps too, the three of Gauss in every piece in which the kernels of all nodes are linear.
class CellRule {
 public:
  CellRule(const Grid& g, std::size_t axis, const Fields& fields)
      : h_(g.spacing[axis]), low_(g.origin[axis]), high_(g.upper(axis)) {
    bool sharp = true, curved = false;
    std::vector<double> jumps;
    for (const Velocity* field : fields) {
      const auto along = field->along(axis);
      if (!along.varies) continue;
      if (is_stepped(along, h_) && is_given_at_nodes(along, g, axis)) sharp = false;
      if (is_averaged(along, h_)) field->jumps(axis, low_, high_, jumps);
      curved |= along.curved || !is_averaged(along, h_);
    }
    sharp_ = sharp;
    reach_ = sharp ? 2 * h_ : 0.5 * h_;
    std::vector<double> cuts = jumps;
    for (Index i = 0; i <= g.points[axis]; ++i)
      if (const double at = g.at(axis, i) - (sharp ? 0 : 0.5 * h_); at > low_ && at < high_) cuts.push_back(at);
    for (auto* list : {&jumps, &cuts}) {
      list->insert(list->end(), {low_, high_});
      std::sort(list->begin(), list->end());
    }
    std::size_t interval = 0;
    for (std::size_t n = 0; n + 1 < cuts.size(); ++n) {
      const double middle = 0.5 * (cuts[n] + cuts[n + 1]), half = 0.5 * (cuts[n + 1] - cuts[n]);
      if (half < 1e-12 * h_) continue;
      if (curved) {
        for (const auto& [place, share] :
             {std::pair{-std::sqrt(0.6), 5.0 / 18}, {0.0, 8.0 / 18}, {std::sqrt(0.6), 5.0 / 18}}) {
          pieces_.push_back({middle + half * place, 2 * half / h_ * share, points_.size()});
          points_.push_back(pieces_.back().middle);
        }
        continue;
      }
      bool next = points_.empty();
      for (; interval + 1 < jumps.size() && jumps[interval + 1] <= middle; ++interval) next = true;
      if (next) points_.push_back(0.5 * (jumps[interval] + jumps[interval + 1]));
      pieces_.push_back({middle, 2 * half / h_, points_.size() - 1});
    }
  }
  [[nodiscard]] const std::vector<double>& points() const { return points_; }
  /// The cell of a node; the faces mirror.
  void add(Rule& rule, double node) {
    auto from = std::lower_bound(pieces_.begin(), pieces_.end(), node - reach_ - 1e-9 * h_,
                                 [](const Piece& piece, double place) { return piece.middle < place; });
    if (from == pieces_.end()) --from;
    const std::size_t begin = from->point;
    weights_.clear();
    for (; from != pieces_.end() && from->middle <= node + reach_; ++from) {
      const auto kernel = [&](double centre) {
        const double d = (from->middle - centre) / h_;
        return sharp_ ? sharp_mean(d) : std::abs(d) < 0.5 ? 1.0 : 0.0;
      };
      weights_.resize(from->point - begin + 1);
      weights_.back() += from->share * (kernel(node) + kernel(2 * low_ - node) + kernel(2 * high_ - node));
    }
    rule.add(begin, weights_);
  }

 private:
  struct Piece {
    double middle, share;
    std::size_t point;
  };
  double h_, low_, high_, reach_ = 0;
  bool sharp_ = true;
  std::vector<double> points_, weights_;
  std::vector<Piece> pieces_;
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
  constexpr std::array only{1.0};
  Rule rule;
  if (g.points[axis] == 1) {  // nothing varies along it
    rule.origin = g.origin[axis];
    rule.at.push_back(rule.origin);
    rule.add(0, only);
    return rule;
  }
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
      rule.at.push_back(rule.origin + static_cast<double>(i) * rule.spacing);
      rule.add(static_cast<std::size_t>(i), only);
    }
    return rule;
  }
  const Interval nodes = nodes_of_interest(g, axis, fields);
  rule.count = nodes.size();
  rule.origin = g.at(axis, nodes.begin);
  rule.spacing = h;
  if (!averaged) {
    for (Index i = nodes.begin; i < nodes.end; ++i) {
      rule.at.push_back(g.at(axis, i));
      rule.add(rule.at.size() - 1, only);
    }
    return rule;
  }
  CellRule cell(g, axis, fields);
  rule.at = cell.points();
  for (Index i = nodes.begin; i < nodes.end; ++i) cell.add(rule, g.at(axis, i));
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

  /// Buffers of one thread; of every point of z, and of every point of y and z.
  struct Buffers {
    std::vector<double> c, rho, slowness, mass, line_slowness, line_mass;
  };
  /// Rows of nodes [first, last) of y in the plane x, axis by axis: sums over the points of x, of y, of z. `take` gets row, node of z, speed
  /// and density.
  template <class Take>
  void rows(Index x, Index first, Index last, Buffers& b, Take&& take) const {
    const auto &rx = rules[0], &ry = rules[1], &rz = rules[2];
    const auto i = static_cast<std::size_t>(x), points = rz.at.size();
    std::size_t low = ry.at.size(), high = 0;
    for (auto j = static_cast<std::size_t>(first); j < static_cast<std::size_t>(last); ++j) {
      low = std::min(low, ry.begin[j]);
      high = std::max(high, ry.end(j));
    }
    for (auto* plane : {&b.c, &b.rho, &b.slowness, &b.mass}) plane->assign((high - low) * points, 0.0);
    for (std::size_t p = low; p < high; ++p) {
      const std::size_t row = (p - low) * points;
      const std::span<double> c(b.c.data() + row, points), rho(b.rho.data() + row, points);
      double *slowness = b.slowness.data() + row, *mass = b.mass.data() + row;
      std::fill(rho.begin(), rho.end(), 1.0);
      for (std::size_t a = 0; a < rx.points(i); ++a) {
        const double x_at = rx.at[rx.begin[i] + a], share = rx.weight[rx.first[i] + a];
        speed->values(x_at, ry.at[p], rz.at, speed_stepped, c);
        if (density) density->values(x_at, ry.at[p], rz.at, density_stepped, rho);
        for (std::size_t n = 0; n < points; ++n) slowness[n] += share / (rho[n] * c[n] * c[n]);
        if (density)
          for (std::size_t n = 0; n < points; ++n) mass[n] += share / std::sqrt(std::sqrt(rho[n]));
      }
    }
    const double least = 1 / (fastest * fastest);
    for (auto j = static_cast<std::size_t>(first); j < static_cast<std::size_t>(last); ++j) {
      const std::size_t row = (ry.begin[j] - low) * points;
      b.line_slowness.assign(points, 0.0);
      b.line_mass.assign(points, 0.0);
      for (std::size_t a = 0; a < ry.points(j); ++a) {
        const double share = ry.weight[ry.first[j] + a];
        const double *slowness = b.slowness.data() + row + a * points, *mass = b.mass.data() + row + a * points;
        for (std::size_t n = 0; n < points; ++n) {
          b.line_slowness[n] += share * slowness[n];
          b.line_mass[n] += share * mass[n];
        }
      }
      const bool single = rx.points(i) == 1 && ry.points(j) == 1;
      for (std::size_t k = 0; k < static_cast<std::size_t>(rz.count); ++k) {
        if (single && rz.points(k) == 1) {  // to the last bit
          take(j, k, b.c[row + rz.begin[k]], b.rho[row + rz.begin[k]]);
          continue;
        }
        double slowness = 0, root = 0;
        for (std::size_t n = 0; n < rz.points(k); ++n) {
          slowness += rz.weight[rz.first[k] + n] * b.line_slowness[rz.begin[k] + n];
          root += rz.weight[rz.first[k] + n] * b.line_mass[rz.begin[k] + n];
        }
        // Means of a kernel that is negative in places could leave the range.
        const double rho = density ? std::clamp(root > 0 ? 1 / (root * root * root * root) : density_range.highest,
                                                density_range.lowest, density_range.highest)
                                   : 1;
        take(j, k, 1 / std::sqrt(std::max(least, slowness * rho)), rho);
      }
    }
  }
};

/// Made, or not yet.
class Medium final : public CellMeans {
 public:
  Medium(const Problem& p, const Fields& fields)
      : speed_(p.velocity), density_(fields.size() > 1 ? p.density : nullptr),
        means_(std::make_unique<Means>(p, fields)), box_(means_->box()) {
    const Vec3 upper{p.grid.upper(0), p.grid.upper(1), p.grid.upper(2)};
    for (std::size_t q = 0; q < (density_ ? 2U : 1U); ++q)
      range_[q] = (q == 0 ? speed_ : density_)->range(p.grid.origin, upper);
    // Along one axis as doubles; in files there are enough of them for floats.
    doubles_ = std::count_if(box_.shape.begin(), box_.shape.end(), [](Index n) { return n > 1; }) <= 1;
  }
  void make() override {
    if (!means_) return;
    if (doubles_)
      take<double>();
    else
      take<float>();
    means_.reset();
    speed_.reset();
    density_.reset();
  }
  [[nodiscard]] Bytes source_bytes() const override {
    return (speed_ ? speed_->bytes() : 0) + (density_ ? density_->bytes() : 0);
  }
  [[nodiscard]] const ModelBox& box() const { return box_; }
  [[nodiscard]] Bytes bytes() const {
    return static_cast<Bytes>(box_.shape[0] * box_.shape[1] * box_.shape[2]) *
           (doubles_ ? sizeof(double) : sizeof(float));
  }
  [[nodiscard]] const Velocity* made(std::size_t quantity) const { return made_[quantity].get(); }
  [[nodiscard]] SpeedRange range(std::size_t quantity) const { return range_[quantity]; }
  /// Of one place, from the nodes around it.
  [[nodiscard]] double at(std::size_t quantity, double x, double y, double z) const {
    const SamplePlace px = between_samples(box_, 0, x), py = between_samples(box_, 1, y),
                      pz = between_samples(box_, 2, z);
    Means::Buffers buffers;
    std::array<std::array<std::array<double, 2>, 2>, 2> node{};
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 2; ++j)
        means_->rows(px.index[i], py.index[j], py.index[j] + 1, buffers,
                     [&](std::size_t, std::size_t k, double speed, double density) {
                       const double value = quantity == 0 ? speed : density;
                       for (std::size_t side = 0; side < 2; ++side)
                         if (static_cast<Index>(k) == pz.index[side])
                           node[i][j][side] = doubles_ ? value : static_cast<double>(static_cast<float>(value));
                     });
    const auto side = [](const SamplePlace& place, Index i) { return i == place.index[0] ? 0U : 1U; };
    return trilinear(px, py, pz,
                     [&](Index i, Index j, Index k) { return node[side(px, i)][side(py, j)][side(pz, k)]; });
  }

 private:
  template <class V>
  void take() {
    const Means& means = *means_;
    const Index ny = box_.shape[1], nz = box_.shape[2], rows = box_.shape[0] * ny;
    std::vector<V> c, rho;
    try {
      c.resize(static_cast<std::size_t>(rows * nz));
      if (means.density) rho.resize(c.size());
    } catch (const std::bad_alloc&) {
      throw Failure(make_error(ErrorCode::resources, "no memory for the means of the medium over the cells of the grid",
                               "Use a coarser grid, or a model that covers less."));
    }
    constexpr Index block = 32;  // rows of y at a time: neighbours share points
    const Index blocks = (ny + block - 1) / block;
    in_chunks(0, {0, box_.shape[0] * blocks}, 4, [&](Interval some, int) {
      Means::Buffers buffers;
      for (Index n = some.begin; n < some.end; ++n) {
        const Index x = n / blocks, first = n % blocks * block;
        means.rows(x, first, std::min(ny, first + block), buffers,
                   [&](std::size_t y, std::size_t z, double speed, double density) {
                     const auto to = static_cast<std::size_t>((x * ny + static_cast<Index>(y)) * nz) + z;
                     c[to] = static_cast<V>(speed);
                     if (means.density) rho[to] = static_cast<V>(density);
                   });
      }
    });
    const auto field = [&](std::vector<V>&& values) {
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      const SpeedRange range{static_cast<double>(*low), static_cast<double>(*high)};
      return sampled_velocity(box_, {ny * nz, nz, 1}, std::move(values), range);
    };
    made_[0] = field(std::move(c));
    if (means.density) made_[1] = field(std::move(rho));
  }

  std::shared_ptr<const Velocity> speed_, density_;  ///< until the means are made
  std::unique_ptr<Means> means_;                     ///< the same
  ModelBox box_;
  std::array<SpeedRange, 2> range_{};
  bool doubles_ = false;
  std::array<std::shared_ptr<const Velocity>, 2> made_;
};

/// Speed (0) or density (1) of a medium.
class Mean final : public Velocity {
 public:
  Mean(std::shared_ptr<const Medium> medium, std::size_t quantity) : medium_(std::move(medium)), quantity_(quantity) {}
  void row(double x, double y, double z0, double dz, std::span<double> out) const override {
    if (const Velocity* const made = medium_->made(quantity_)) return made->row(x, y, z0, dz, out);
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = medium_->at(quantity_, x, y, z0 + static_cast<double>(k) * dz);
  }
  [[nodiscard]] SpeedRange range(const Vec3& lower, const Vec3& upper) const override {
    const Velocity* const made = medium_->made(quantity_);
    return made ? made->range(lower, upper) : medium_->range(quantity_);
  }
  [[nodiscard]] bool bounds(Vec3& lower, Vec3& upper) const override {
    const ModelBox& box = medium_->box();
    lower = box.origin;
    for (std::size_t a = 0; a < 3; ++a)
      upper[a] = box.origin[a] + static_cast<double>(box.shape[a] - 1) * box.spacing[a];
    return true;
  }
  [[nodiscard]] Bytes bytes() const override { return medium_->bytes(); }
  [[nodiscard]] Along along(std::size_t axis) const override {
    const ModelBox& box = medium_->box();
    return {box.shape[axis] > 1, false, box.spacing[axis], box.origin[axis], box.shape[axis]};
  }

 private:
  std::shared_ptr<const Medium> medium_;
  std::size_t quantity_;
};

}  // namespace

std::shared_ptr<CellMeans> means_of_medium(Problem& problem) {
  if (!problem.velocity) return nullptr;
  Fields fields{problem.velocity.get()};
  if (problem.density && !problem.density->constant()) fields.push_back(problem.density.get());
  bool averaged = false;
  for (const Velocity* field : fields)
    for (std::size_t a = 0; a < 3; ++a) averaged |= is_averaged(field->along(a), problem.grid.spacing[a]);
  if (!averaged) return nullptr;
  auto medium = std::make_shared<Medium>(problem, fields);
  problem.velocity = std::make_shared<Mean>(medium, 0);
  if (fields.size() > 1) problem.density = std::make_shared<Mean>(medium, 1);
  return medium;
}

void average_medium(Problem& problem) {
  if (const auto means = means_of_medium(problem)) means->make();
}

}  // namespace conoid::acoustic_fd
