// SPDX-License-Identifier: BSD-3-Clause
// Sweeps over the pairs of triangles of one tile.
#include "engine/solvers/acoustic_bem/discretization/tile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/filled_tiles.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile_pairs.hpp"

namespace conoid::acoustic_bem {

PackedRule::PackedRule(const Rule& rule) {
  for (const RulePoint& p : rule) {
    lambda.insert(lambda.end(), p.lambda.begin(), p.lambda.end());
    weight.push_back(p.weight);
  }
}

LaneSource lane_source(const Triangle& t) {
  LaneSource s{};
  for (std::size_t d = 0; d < 3; ++d) {
    s.corner0[d] = t.corner[0][d];
    s.normal[d] = t.normal[d];
    s.centroid[d] = t.centroid[d];
    s.length[d] = t.length[d];
    for (std::size_t e = 0; e < 3; ++e) {
      s.gradient[e][d] = t.gradient[e][d];
      s.curl[e][d] = t.curl[e][d];
      s.tangent[e][d] = t.tangent[e][d];
      s.outward[e][d] = t.outward[e][d];
      s.corner[e][d] = t.corner[e][d];
    }
  }
  for (std::size_t e = 0; e < 3; ++e)
    for (std::size_t b = 0; b < 3; ++b) s.gu[e][b] = vec::dot(t.gradient[b], t.outward[e]);
  s.radius = t.radius;
  return s;
}

TileContext tile_context(const Surface& surface, const Form& form, const AssemblyOptions& options) {
  return {
      surface,
      form,
      PackedRule(triangle_rule(options.far_points)),
      PackedRule(split_rule(triangle_rule(options.near_points), options.near_splits)),
      PackedRule(split_rule(triangle_rule(options.near_points), std::max(options.near_splits, options.thin_splits))),
      lane_kernels(options.widest),
      most_shells_of(surface, form)};
}

OuterSet::OuterSet(const Surface& surface, std::vector<std::int32_t> triangles, const PackedRule& far,
                   const PackedRule& near, const PackedRule& thin, int lanes)
    : triangles_(std::move(triangles)), lanes_(static_cast<std::size_t>(lanes)) {
  stride_ = (triangles_.size() + lanes_ - 1) / lanes_ * lanes_;
  far_points_.assign(3 * far.weight.size() * stride_, 0.0);
  corners_.assign(9 * stride_, 0.0);
  normal_.assign(3 * stride_, 0.0);
  curl_.assign(9 * stride_, 0.0);
  scale_.assign(stride_, 0.0);
  centroid_.assign(4 * stride_, 0.0);
  batch_.assign((3 * std::max(near.weight.size(), thin.weight.size()) + 13) * lanes_, 0.0);
  for (std::size_t k = 0; k < stride_; ++k) {
    const Triangle& t = surface.triangles[static_cast<std::size_t>(triangles_[std::min(k, triangles_.size() - 1)])];
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t q = 0; q < far.weight.size(); ++q) {
        double x = 0;
        for (std::size_t c = 0; c < 3; ++c) x += far.lambda[3 * q + c] * t.corner[c][d];
        far_points_[(3 * q + d) * stride_ + k] = x;
      }
      for (std::size_t c = 0; c < 3; ++c) {
        corners_[(3 * c + d) * stride_ + k] = t.corner[c][d];
        curl_[(3 * c + d) * stride_ + k] = t.curl[c][d];
      }
      normal_[d * stride_ + k] = t.normal[d];
      centroid_[d * stride_ + k] = t.centroid[d];
    }
    centroid_[3 * stride_ + k] = t.radius;
    scale_[k] = t.area / (4 * std::numbers::pi);
  }
}

LaneOuter OuterSet::far() const {
  return {far_points_.data(), normal_.data(), curl_.data(), scale_.data(), stride_};
}

LaneOuter OuterSet::batch(const std::size_t* picked, std::size_t count, const PackedRule& rule) {
  const std::size_t points = rule.weight.size(), W = lanes_;
  double* const normal = batch_.data() + 3 * points * W;
  double* const curl = normal + 3 * W;
  double* const scale = curl + 9 * W;
  for (std::size_t t = 0; t < W; ++t) {
    const std::size_t k = picked[std::min(t, count - 1)];
    for (std::size_t q = 0; q < points; ++q)
      for (std::size_t d = 0; d < 3; ++d) {
        double x = 0;
        for (std::size_t c = 0; c < 3; ++c) x += rule.lambda[3 * q + c] * corners_[(3 * c + d) * stride_ + k];
        batch_[(3 * q + d) * W + t] = x;
      }
    for (std::size_t d = 0; d < 3; ++d) normal[d * W + t] = normal_[d * stride_ + k];
    for (std::size_t d = 0; d < 9; ++d) curl[d * W + t] = curl_[d * stride_ + k];
    scale[t] = scale_[k];
  }
  return {batch_.data(), normal, curl, scale, W};
}

void OuterSet::classify(const Triangle& s, std::vector<Closeness>& close) const {
  close.resize(stride_);
  const double* const x = centroid_.data();
  const double* const y = x + stride_;
  const double* const z = y + stride_;
  const double* const r = z + stride_;
  // On regular grids many pairs lie exactly on the border: the factor makes them near whatever the rounding.
  for (std::size_t k = 0; k < stride_; ++k) {
    const double dx = x[k] - s.centroid[0], dy = y[k] - s.centroid[1], dz = z[k] - s.centroid[2];
    const double reach = (r[k] + s.radius + std::max(r[k], s.radius)) * (1 + 1e-9);
    const double facing =
        normal_[k] * s.normal[0] + normal_[stride_ + k] * s.normal[1] + normal_[2 * stride_ + k] * s.normal[2];
    close[k] = dx * dx + dy * dy + dz * dz > reach * reach ? Closeness::far
               : facing < -0.5                             ? Closeness::thin
                                                           : Closeness::near;
  }
}

void Block::reset(Interval row_range, Interval col_range, const Extents& e) {
  rows = row_range;
  cols = col_range;
  extents = &e;
  offset.resize(static_cast<std::size_t>(rows.size() * cols.size()));
  std::uint32_t total = 0;
  std::size_t at_entry = 0;
  for (Index j = cols.begin; j < cols.end; ++j)
    for (Index i = rows.begin; i < rows.end; ++i) {
      offset[at_entry++] = total;
      total += static_cast<std::uint32_t>(last(i, j) - first(i, j) + 1);
    }
  values.assign(total, 0.0);
}

void reserve(TileSpace& space, const TileContext& context) {
  const auto W = static_cast<std::size_t>(context.kernels.lanes);
  space.first.resize(W);
  space.last.resize(W);
  space.direct.resize((context.most_shells + 2) * 9 * W);
  space.transposed.resize(space.direct.size());
  space.work.resize(context.most_shells * 20 * W);
  if (!context.surface.has_walls()) return;
  if (!context.surface.plain.empty()) space.unused.resize(space.direct.size());
  space.direct_sigma.resize(space.direct.size());
  space.transposed_sigma.resize(space.direct.size());
}

namespace {

/// Adds what a density does to a row-vector: `count` columns of pressure at `p` and, one column fewer, of ∂_n p at `sigma`.
void add_density(double* to, const Density& of, double weight, double per_delta, const double* p, const double* sigma,
                 std::size_t count, std::size_t stride) {
  for (std::size_t c = 0; c < count; ++c) to[c] += weight * of.pressure * p[c * stride];
  if (of.now == 0) return;
  for (std::size_t c = 0; c + 1 < count; ++c) {
    to[c] += weight * per_delta * of.now * sigma[c * stride];
    to[c + 1] += weight * per_delta * of.before * sigma[c * stride];
  }
}

/// Columns of the entries rows × cols of a tile, and the outer triangles of each row.
class TileExtents {
 public:
  TileExtents(const Surface& surface, const OuterSet& outer, Interval rows, Interval cols)
      : low(outer.size()), high(outer.size()), surface_(surface), rows_(rows), cols_(cols),
        row_low_(static_cast<std::size_t>(rows.size())), row_high_(row_low_.size()),
        first_(row_low_.size() * static_cast<std::size_t>(cols.size()), std::numeric_limits<std::uint16_t>::max()),
        last_(first_.size(), 0) {
    std::vector<std::vector<std::uint32_t>> of(row_low_.size());
    for (std::size_t k = 0; k < outer.size(); ++k)
      for_shares(surface, surface.triangles[static_cast<std::size_t>(outer.triangle(k))], rows,
                 [&](std::size_t, Index i, double) {
                   of[static_cast<std::size_t>(i - rows.begin)].push_back(static_cast<std::uint32_t>(k));
                 });
    for (const auto& list : of) {
      outer_.insert(outer_.end(), list.begin(), list.end());
      begin_.push_back(outer_.size());
    }
  }
  /// Of each outer triangle with the source at hand.
  std::vector<std::uint16_t> low, high;

  /// All pairs with this source are in `low` and `high`.
  void add(const Triangle& source) {
    for (std::size_t i = 0; i < row_low_.size(); ++i) {
      auto l = std::numeric_limits<std::uint16_t>::max();
      std::uint16_t h = 0;
      for (std::size_t e = begin_[i]; e < begin_[i + 1]; ++e) {
        l = std::min(l, low[outer_[e]]);
        h = std::max(h, high[outer_[e]]);
      }
      row_low_[i] = l;
      row_high_[i] = h;
    }
    for_shares(surface_, source, cols_, [&](std::size_t, Index j, double) {
      const std::size_t column = static_cast<std::size_t>(j - cols_.begin) * row_low_.size();
      for (std::size_t i = 0; i < row_low_.size(); ++i) {
        first_[column + i] = std::min(first_[column + i], row_low_[i]);
        last_[column + i] = std::max(last_[column + i], row_high_[i]);
      }
    });
  }
  /// Widens both mirror entries.
  void put(Extents& extents) const {
    std::size_t at = 0;
    for (Index j = cols_.begin; j < cols_.end; ++j)
      for (Index i = rows_.begin; i < rows_.end; ++i, ++at)
        for (const std::size_t entry : {extents.entry(i, j), extents.entry(j, i)}) {
          extents.first[entry] = std::min(extents.first[entry], first_[at]);
          extents.last[entry] = std::max(extents.last[entry], last_[at]);
        }
  }

 private:
  const Surface& surface_;
  Interval rows_, cols_;
  std::vector<std::uint32_t> outer_;   ///< row after row
  std::vector<std::size_t> begin_{0};  ///< of each row in outer_
  std::vector<std::uint16_t> row_low_, row_high_, first_, last_;
};

}  // namespace

void sweep_extents(const TileContext& context, TileSpace& space, Interval rows, Interval cols, Extents& extents,
                   const std::stop_token& stop) {
  reserve(space, context);
  const Surface& surface = context.surface;
  OuterSet outer(surface, surface.touching(rows), context.far, context.near, context.thin, context.kernels.lanes);
  TileExtents found(surface, outer, rows, cols);
  const auto W = static_cast<std::size_t>(context.kernels.lanes);
  for (std::int32_t s : surface.touching(cols)) {
    if (stop.stop_requested()) return;
    if (surface.filled() && static_cast<std::size_t>(s) >= surface.faces()) continue;  // as its first
    for_images(surface, s, [&](const Triangle& S, double) {
      const LaneSource source = lane_source(S);
      const bool image = &S != &surface.triangles[static_cast<std::size_t>(s)];  // in the fluid around alone
      bool again = false;  // the second fluid widens what the first has
      const auto note = [&](std::size_t k, std::size_t lane) {
        const auto low = static_cast<std::uint16_t>(space.first[lane]),
                   high = static_cast<std::uint16_t>(space.last[lane] + context.form.reach());
        if (again && !inside_one_body(surface, s, outer.triangle(k))) return;
        found.low[k] = again ? std::min(found.low[k], low) : low;
        found.high[k] = again ? std::max(found.high[k], high) : high;
      };
      const auto with = [&](double delta) {
        for_batches(
            context, space, outer, S,
            [&](std::size_t begin) {
              context.kernels.range(source, outer.far(), begin, context.far.view(), delta, space.first.data(),
                                    space.last.data());
              for (std::size_t t = 0; t < W && begin + t < outer.size(); ++t)
                if (space.close[begin + t] == Closeness::far) note(begin + t, t);
            },
            [&](const std::size_t* picked, std::size_t count, const PackedRule& rule) {
              context.kernels.range(source, outer.batch(picked, count, rule), 0, rule.view(), delta, space.first.data(),
                                    space.last.data());
              for (std::size_t t = 0; t < count; ++t) note(picked[t], t);
            });
      };
      with(context.form.delta());
      if (again = surface.filled() && !image; again) with(delta_inside(surface, context.form));
      found.add(S);
      if (surface.filled()) found.add(surface.triangles[static_cast<std::size_t>(s) + surface.faces()]);
    });
  }
  found.put(extents);
}

namespace {

/// The pairs of one source triangle (or its image, times `factor`) with all outer ones, which have one form.
class PairSweep {
 public:
  PairSweep(const TileContext& context, TileSpace& space, OuterSet& outer, Block& direct, Block& transposed)
      : context_(context), space_(space), outer_(outer), direct_(direct), transposed_(transposed),
        form_(form_at(context.surface, context.form, static_cast<std::size_t>(outer.triangle(0))).lanes()),
        sigma_form_(form_at(context.surface, context.form, static_cast<std::size_t>(outer.triangle(0))).sigma_lanes()) {
  }

  void source(std::int32_t s, const Triangle& S, double factor) {
    const auto W = static_cast<std::size_t>(context_.kernels.lanes);
    const LaneSource source = lane_source(S);
    const bool wall = context_.surface.is_wall(static_cast<std::size_t>(s));
    const LaneForm sigma_of_source =
        form_at(context_.surface, context_.form, static_cast<std::size_t>(s)).sigma_lanes();
    const auto pair = [&](const LaneOuter& outer, std::size_t begin, const PackedRule& rule, bool with_sigma) {
      context_.kernels.pair(source, outer, begin, rule.view(), form_, result(space_.direct, space_.transposed));
      if (!with_sigma) return;
      context_.kernels.pair(source, outer, begin, rule.view(), sigma_form_,
                            result(space_.direct_sigma, space_.transposed_sigma));
      // What is tested at the source's corners has the source's form. Of the pressure this says the outer one alone, whose tests get the double layer.
      if (sigma_of_source.alpha_plus != sigma_form_.alpha_plus ||
          sigma_of_source.alpha_minus != sigma_form_.alpha_minus)
        context_.kernels.pair(source, outer, begin, rule.view(), sigma_of_source,
                              result(space_.unused, space_.transposed_sigma));
    };
    const auto outer_wall = [&](std::size_t k) {
      return context_.surface.is_wall(static_cast<std::size_t>(outer_.triangle(k)));
    };
    for_batches(
        context_, space_, outer_, S,
        [&](std::size_t begin) {
          const std::size_t end = std::min(begin + W, outer_.size());
          bool sigma = wall;
          for (std::size_t k = begin; k < end && context_.surface.has_walls(); ++k) sigma = sigma || outer_wall(k);
          pair(outer_.far(), begin, context_.far, sigma);
          for (std::size_t k = begin; k < end; ++k)
            if (space_.close[k] == Closeness::far) {
              scatter(s, S, factor, k, k - begin);
              space_.evaluations += context_.far.weight.size() * (sigma ? 2 : 1);
            }
        },
        [&](const std::size_t* picked, std::size_t count, const PackedRule& rule) {
          bool sigma = wall;
          for (std::size_t t = 0; t < count && context_.surface.has_walls(); ++t)
            sigma = sigma || outer_wall(picked[t]);
          pair(outer_.batch(picked, count, rule), 0, rule, sigma);
          for (std::size_t t = 0; t < count; ++t) scatter(s, S, factor, picked[t], t);
          space_.evaluations += count * rule.weight.size() * (sigma ? 2 : 1);
        });
  }

 private:
  [[nodiscard]] LaneResult result(std::vector<double>& direct, std::vector<double>& transposed) {
    return {space_.first.data(), space_.last.data(), direct.data(), transposed.data(), space_.work.data()};
  }

  void scatter(std::int32_t s, const Triangle& S, double factor, std::size_t k, std::size_t lane) {
    const Surface& surface = context_.surface;
    const auto W = static_cast<std::size_t>(context_.kernels.lanes);
    const auto t = static_cast<std::size_t>(outer_.triangle(k));
    const Triangle& T = surface.triangles[t];
    const auto low = static_cast<Index>(space_.first[lane]);
    const auto count = static_cast<std::size_t>(space_.last[lane] - space_.first[lane]) + 1 +
                       static_cast<std::size_t>(context_.form.reach());
    const bool walls = surface.has_walls();
    for_shares(surface, T, direct_.rows, [&](std::size_t a, Index i, double of_row) {
      for_shares(surface, S, direct_.cols, [&](std::size_t b, Index j, double of_column) {
        const std::size_t at = (3 * a + b) * W + lane;
        const double* const d = space_.direct.data() + at;
        const double* const u = space_.transposed.data() + at;
        double* const to = direct_.at(i, j) + (low - direct_.first(i, j));
        double* const from = transposed_.at(j, i) + (low - transposed_.first(j, i));
        const double weight = factor * of_row * of_column;
        if (walls) {
          const double per_delta = 1 / form_.delta;
          add_density(to, density_of(surface, static_cast<std::size_t>(s), S.vertex[b]), weight, per_delta, d,
                      space_.direct_sigma.data() + at, count, 9 * W);
          add_density(from, density_of(surface, t, T.vertex[a]), weight, per_delta, u,
                      space_.transposed_sigma.data() + at, count, 9 * W);
          return;
        }
        if (weight != 1) {
          for (std::size_t c = 0; c < count; ++c) to[c] += weight * d[c * 9 * W];
          for (std::size_t c = 0; c < count; ++c) from[c] += weight * u[c * 9 * W];
          return;
        }
        for (std::size_t c = 0; c < count; ++c) to[c] += d[c * 9 * W];
        for (std::size_t c = 0; c < count; ++c) from[c] += u[c * 9 * W];
      });
    });
  }

  const TileContext& context_;
  TileSpace& space_;
  OuterSet& outer_;
  Block &direct_, &transposed_;
  LaneForm form_, sigma_form_;
};

}  // namespace

void sweep_pairs(const TileContext& context, TileSpace& space, Block& direct, Block& transposed,
                 const std::stop_token& stop) {
  reserve(space, context);
  const Surface& surface = context.surface;
  if (surface.filled()) return sweep_filled_pairs(context, space, direct, transposed, stop);
  for (const std::vector<std::int32_t>& alike : by_form(surface, surface.touching(direct.rows))) {
    if (alike.empty()) continue;
    OuterSet outer(surface, alike, context.far, context.near, context.thin, context.kernels.lanes);
    PairSweep sweep(context, space, outer, direct, transposed);
    for (std::int32_t s : surface.touching(direct.cols)) {
      if (stop.stop_requested()) return;
      for_images(surface, s, [&](const Triangle& S, double factor) { sweep.source(s, S, factor); });
    }
  }
}

std::array<std::vector<std::int32_t>, 2> by_form(const Surface& surface, std::span<const std::int32_t> triangles) {
  std::array<std::vector<std::int32_t>, 2> out;
  for (const std::int32_t t : triangles) out[surface.is_plain(static_cast<std::size_t>(t)) ? 1 : 0].push_back(t);
  return out;
}

void add_mass(const TileContext& context, Block& block) {
  const Surface& surface = context.surface;
  if ((!context.form.combined() && !surface.has_walls()) || surface.filled()) return;
  const bool rigid = context.form.rigid();
  for (std::int32_t k : surface.touching(block.rows)) {
    const bool combined = context.form.combined() && !surface.is_plain(static_cast<std::size_t>(k));
    const double now = !rigid ? 0.5 * context.form.delta() : combined ? 0.5 * context.form.alpha_plus() : 0;
    const double before = rigid && combined ? 0.5 * context.form.alpha_minus() : 0;
    const Triangle& T = surface.triangles[static_cast<std::size_t>(k)];
    for_shares(surface, T, block.rows, [&](std::size_t a, Index i, double of_row) {
      for_shares(surface, T, block.cols, [&](std::size_t b, Index j, double of_column) {
        const double g = of_row * of_column * T.area / 12 * (a == b ? 2 : 1);
        const Density of = density_of(surface, static_cast<std::size_t>(k), T.vertex[b]);
        double* const v = block.at(i, j);
        v[0] +=
            (now * of.pressure + 0.5 * of.now) * g;  // the pair shares a triangle, so its row-vector starts at k = 0
        if (rigid) v[1] += (before * of.pressure + 0.5 * of.before) * g;
      });
    });
  }
}

}  // namespace conoid::acoustic_bem
