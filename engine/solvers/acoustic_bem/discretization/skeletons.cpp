// SPDX-License-Identifier: BSD-3-Clause
// Clusters by halving, fields on a sphere, and the interpolative decompositions of their Gram matrices.
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile_pairs.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"

namespace conoid::acoustic_bem {

using namespace conoid::vec;

namespace {

using Samples = Eigen::MatrixXd;

void halve(std::span<const Vec3> points, std::span<Index> order) {
  if (order.size() <= 16) return;
  Vec3 low = points[static_cast<std::size_t>(order[0])], high = low;
  for (const Index k : order)
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], points[static_cast<std::size_t>(k)][d]);
      high[d] = std::max(high[d], points[static_cast<std::size_t>(k)][d]);
    }
  std::size_t axis = 0;
  for (std::size_t d = 1; d < 3; ++d)
    if (high[d] - low[d] > high[axis] - low[axis]) axis = d;
  std::sort(order.begin(), order.end(), [&](Index a, Index b) {
    const double x = points[static_cast<std::size_t>(a)][axis], y = points[static_cast<std::size_t>(b)][axis];
    return x != y ? x < y : a < b;
  });
  const std::size_t half = order.size() / 2;
  halve(points, order.first(half));
  halve(points, order.subspan(half));
}

/// Places all around, evenly: Fibonacci's spiral.
std::vector<Vec3> directions(std::size_t count) {
  std::vector<Vec3> out;
  const double turn = std::numbers::pi * (3 - std::sqrt(5.0));
  for (std::size_t k = 0; k < count; ++k) {
    const double z = 1 - (2 * static_cast<double>(k) + 1) / static_cast<double>(count), r = std::sqrt(1 - z * z);
    const double angle = turn * static_cast<double>(k);
    out.push_back({r * std::cos(angle), r * std::sin(angle), z});
  }
  return out;
}

/// Points that send to the sphere, each for some of the rows: those that are to be told, and those from which a skeleton is chosen.
struct Senders {
  struct Point {
    Vec3 at{}, normal{};
    std::uint32_t begin = 0, end = 0;  ///< in `parts`
    std::uint16_t kind = 0;            ///< among those of the cluster
  };
  struct Part {
    std::uint32_t row = 0;
    double weight = 0;
  };
  std::vector<Point> points;
  std::vector<Part> parts;
  Index rows = 0;
  Index told = 0;                     ///< the first rows
  Index first_candidate = 0;          ///< the rows from there on
  std::vector<SkeletonPoint> places;  ///< of the candidates
  std::vector<std::uint16_t> kinds;   ///< of faces

  void add(const Vec3& at, const Vec3& normal, std::uint16_t kind, auto&& each_part) {
    auto own = std::find(kinds.begin(), kinds.end(), kind);
    if (own == kinds.end()) own = kinds.insert(own, kind);
    Point p{at, normal, static_cast<std::uint32_t>(parts.size()), 0, static_cast<std::uint16_t>(own - kinds.begin())};
    each_part();
    p.end = static_cast<std::uint32_t>(parts.size());
    points.push_back(p);
  }
  /// Columns of a place and frequency.
  [[nodiscard]] Eigen::Index columns() const { return 4 * static_cast<Eigen::Index>(kinds.size()); }
};

/// The middle of a face.
SkeletonPoint point_of(const Surface& surface, std::size_t triangle) {
  const Triangle& T = surface.triangles[triangle];
  SkeletonPoint out{T.centroid, T.normal, {}, 0, -1, false};
  if (surface.filled()) {
    out.density = triangle >= surface.faces();
    out.body = surface.body_of[triangle % surface.faces()];
    out.kind = static_cast<std::uint16_t>(2 * out.body + (out.density ? 1 : 0));
    return out;
  }
  out.plain = surface.is_plain(triangle);
  out.kind = out.plain ? 1 : 0;
  const auto wall = surface.has_walls() ? surface.wall[triangle] : std::int16_t{-1};
  if (surface.remembers(wall)) out.memory = wall;
  if (!surface.is_wall(triangle) && out.memory < 0) return out;
  out.kind = static_cast<std::uint16_t>(2 * (wall + 1) + (out.plain ? 1 : 0));
  out.sends = surface.soft[triangle] != 0
                  ? Density{0, 1, 0}
                  : Density{1, surface.admittance[triangle], surface.admittance_before[triangle]};
  return out;
}

/// Unknowns, spread over their triangles, and the middles of these triangles, times their areas.
Senders senders_of_leaf(const Surface& surface, Interval unknowns) {
  Senders out;
  out.told = out.first_candidate = out.rows = unknowns.size();
  const Rule rule = triangle_rule(3);
  for (const std::int32_t t : surface.touching(unknowns)) {
    const Triangle& T = surface.triangles[static_cast<std::size_t>(t)];
    const SkeletonPoint middle = point_of(surface, static_cast<std::size_t>(t));
    for (const RulePoint& q : rule) {
      Vec3 at{};
      for (std::size_t c = 0; c < 3; ++c) at = axpy(q.lambda[c], T.corner[c], at);
      out.add(at, T.normal, middle.kind, [&] {
        for_shares(surface, T, unknowns, [&](std::size_t a, Index i, double share) {
          out.parts.push_back(
              {static_cast<std::uint32_t>(i - unknowns.begin), share * q.lambda[a] * q.weight * T.area});
        });
      });
    }
    out.add(T.centroid, T.normal, middle.kind, [&] {
      out.parts.push_back({static_cast<std::uint32_t>(out.rows), T.area});
    });
    out.places.push_back(middle);
    ++out.rows;
  }
  return out;
}

/// The points of both halves, as strong as what goes by way of them.
Senders senders_of_halves(const Skeleton& first, const Skeleton& second) {
  Senders out;
  for (const Skeleton* half : {&first, &second})
    for (std::size_t s = 0; s < half->points.size(); ++s) {
      const SkeletonPoint& p = half->points[s];
      out.add(p.at, p.normal, p.kind, [&] {
        out.parts.push_back({static_cast<std::uint32_t>(out.rows), half->strength[s]});
      });
      out.places.push_back(p);
      ++out.rows;
    }
  out.told = out.rows;
  return out;
}

/// Where and at which frequencies fields are sampled.
struct Sampling {
  Vec3 centre{};
  double distance = 0;  ///< of the sphere's places
  double step = 0;      ///< of wave numbers
  std::size_t frequencies = 0, places = 0;

  Sampling(const SkeletonOptions& options, const Vec3& middle, double radius)
      : centre(middle), distance(radius + std::max(options.separation * radius, options.least_gap)) {
    const double k_radius = options.highest * radius;
    // Terms of a field on the sphere: those of waves, and those that die out on the way there.
    const double terms = k_radius + std::log(1 / options.error) / std::log(distance / radius) + 2;
    places = static_cast<std::size_t>(1.5 * terms * terms);
    frequencies = static_cast<std::size_t>(std::ceil(2 * k_radius / std::numbers::pi * 1.25)) + 2;
    step = options.highest / static_cast<double>(frequencies - 1);
  }
};

/// What all rows send to x as simple and double layers at a frequency: columns Re, Im of the former, Re, Im of the latter, kind after kind.
void add_fields(const Senders& senders, const Sampling& sampling, const Vec3& x, std::size_t frequency,
                const std::array<double, 2>& scales, Samples& samples, Eigen::Index column) {
  using Complex = std::complex<double>;
  const double wave = sampling.step * static_cast<double>(frequency);
  for (const Senders::Point& p : senders.points) {
    const Vec3 r = sub(x, p.at);
    const double R = norm(r), facing = dot(p.normal, r) / R;
    const Complex g = std::polar(1 / R, wave * (R - sampling.distance)),
                  d = scales[1] * facing * (1 / R - Complex(0, wave)) * g;
    const Eigen::Index own = column + 4 * static_cast<Eigen::Index>(p.kind);
    for (std::uint32_t e = p.begin; e < p.end; ++e) {
      const auto row = static_cast<Eigen::Index>(senders.parts[e].row);
      const double w = senders.parts[e].weight;
      samples(row, own) += w * scales[0] * g.real();
      samples(row, own + 1) += w * scales[0] * g.imag();
      samples(row, own + 2) += w * d.real();
      samples(row, own + 3) += w * d.imag();
    }
  }
}

/// Of each frequency and kind of layer, what brings the mean square of a row that is told to 1: each counts alike.
std::vector<std::array<double, 2>> sample_scales(const Senders& senders, const Sampling& sampling) {
  std::vector<std::array<double, 2>> out;
  const std::vector<Vec3> around = directions(8);
  for (std::size_t f = 0; f < sampling.frequencies; ++f) {
    std::array<double, 2> squares{};
    Samples samples = Samples::Zero(senders.rows, senders.columns());
    for (const Vec3& toward : around) {
      samples.setZero();
      add_fields(senders, sampling, axpy(sampling.distance, toward, sampling.centre), f, {1, 1}, samples, 0);
      for (Eigen::Index column = 0; column < samples.cols(); column += 2)
        squares[column % 4 == 0 ? 0 : 1] += samples.topRows(senders.told).middleCols(column, 2).squaredNorm();
    }
    for (double& s : squares) s = s > 0 ? std::sqrt(static_cast<double>(senders.told) / s) : 0;
    out.push_back(squares);
  }
  return out;
}

/// Sums over the samples of the products of the fields of two rows. A place has one of the frequencies: there are many times as many
/// places as points in a skeleton, and each frequency has places all around.
Eigen::MatrixXd gram(const Senders& senders, const Sampling& sampling) {
  const std::vector<std::array<double, 2>> scales = sample_scales(senders, sampling);
  const std::vector<Vec3> around = directions(sampling.places);
  constexpr std::size_t at_once = 64;  // places
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(senders.rows, senders.rows);
  Samples samples = Samples::Zero(senders.rows, senders.columns() * static_cast<Eigen::Index>(at_once));
  std::uint32_t random = 1;
  for (std::size_t first = 0; first < around.size(); first += at_once) {
    samples.setZero();
    for (std::size_t k = first; k < std::min(first + at_once, around.size()); ++k) {
      random = random * 1664525U + 1013904223U;  // any order without a period on the spiral
      const std::size_t f = (random >> 16) % sampling.frequencies;
      add_fields(senders, sampling, axpy(sampling.distance, around[k], sampling.centre), f, scales[f], samples,
                 senders.columns() * static_cast<Eigen::Index>(k - first));
    }
    sum.selfadjointView<Eigen::Lower>().rankUpdate(samples);
  }
  return sum.selfadjointView<Eigen::Lower>();
}

/// Candidates and the weights with which they tell the rows.
struct Chosen {
  std::vector<Eigen::Index> rows;
  Eigen::MatrixXd weights;  ///< [candidate][told row]
};

/// Cholesky factors with pivots among the candidates, G ≈ Lᵀ L, row of L by row: the decomposition by orthogonalised columns, until what is
/// left of the rows that are told is small.
Chosen chosen(const Eigen::MatrixXd& G, const Senders& senders, double error) {
  const auto told = static_cast<Eigen::Index>(senders.told), from = static_cast<Eigen::Index>(senders.first_candidate),
             all = G.rows(), most = all - from;
  Chosen out;
  Eigen::MatrixXd L(most, all);
  Eigen::VectorXd rest = G.diagonal();
  const double least = error * error * rest.head(told).sum(), tiny = 1e-13 * rest.maxCoeff();
  while (static_cast<Eigen::Index>(out.rows.size()) < most && rest.head(told).sum() > least) {
    Eigen::Index p = 0;
    if (!(rest.tail(all - from).maxCoeff(&p) > tiny)) break;
    p += from;
    const auto r = static_cast<Eigen::Index>(out.rows.size());
    Eigen::VectorXd row = G.col(p);
    if (r > 0) row -= L.topRows(r).transpose() * L.col(p).head(r);
    row /= std::sqrt(rest(p));
    L.row(r) = row.transpose();
    rest = (rest - row.cwiseAbs2()).cwiseMax(0);
    out.rows.push_back(p);
    for (const Eigen::Index done : out.rows) rest(done) = 0;
  }
  const auto r = static_cast<Eigen::Index>(out.rows.size());
  Eigen::MatrixXd own(r, r);
  for (Eigen::Index s = 0; s < r; ++s) own.col(s) = L.col(out.rows[static_cast<std::size_t>(s)]).head(r);
  out.weights = own.triangularView<Eigen::Upper>().solve(L.topRows(r).leftCols(told));
  return out;
}

/// `row_scale`: by which a row that is told was multiplied; `candidate_scale` likewise.
Skeleton skeleton_from(const Chosen& from, const Senders& senders, std::span<const double> row_scale,
                       std::span<const double> candidate_scale, std::span<const double> part_strength) {
  Skeleton out;
  const auto told = static_cast<std::size_t>(senders.told), r = from.rows.size();
  out.weights.resize(told * r);
  out.strength.assign(r, 0);
  for (std::size_t s = 0; s < r; ++s) {
    const auto candidate = static_cast<std::size_t>(from.rows[s]) - static_cast<std::size_t>(senders.first_candidate);
    out.points.push_back(senders.places[candidate]);
    for (std::size_t j = 0; j < told; ++j) {
      const double w = from.weights(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(j)) *
                       candidate_scale[candidate] / (row_scale.empty() ? 1 : row_scale[j]);
      out.weights[j * r + s] = w;
      out.strength[s] += std::pow(w * (part_strength.empty() ? 1 : part_strength[j]), 2);
    }
    out.strength[s] = std::sqrt(out.strength[s]);
  }
  return out;
}

}  // namespace

std::vector<Index> cluster_order(std::span<const Vec3> points) {
  std::vector<Index> order(points.size());
  std::iota(order.begin(), order.end(), Index{0});
  halve(points, order);
  return order;
}

std::vector<Index> cluster_begins(Index count, Index most, Index each) {
  std::vector<Index> out{0, count};
  const auto largest = [&] {
    Index size = 0;
    for (std::size_t k = 0; k + 1 < out.size(); ++k) size = std::max(size, out[k + 1] - out[k]);
    return size;
  };
  while (largest() > std::max<Index>(most, 16)) {
    std::vector<Index> halves;
    for (std::size_t k = 0; k + 1 < out.size(); ++k) {
      halves.push_back(out[k]);
      halves.push_back(out[k] + (out[k + 1] - out[k]) / 2 / each * each);
    }
    halves.push_back(count);
    out = std::move(halves);
  }
  return out;
}

namespace {

/// The sphere around the box of all triangles of some unknowns.
std::pair<Vec3, double> sphere_around(const Surface& surface, Interval unknowns) {
  const std::vector<std::int32_t> triangles = surface.touching(unknowns);
  Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  const auto corners = [&](auto&& f) {
    for (const std::int32_t t : triangles)
      for (const Vec3& x : surface.triangles[static_cast<std::size_t>(t)].corner) f(x);
  };
  corners([&](const Vec3& x) {
    for (std::size_t d = 0; d < 3; ++d) {
      low[d] = std::min(low[d], x[d]);
      high[d] = std::max(high[d], x[d]);
    }
  });
  const Vec3 centre = scale(0.5, add(low, high));
  double radius = 0;
  corners([&](const Vec3& x) { radius = std::max(radius, distance(x, centre)); });
  return {centre, radius};
}

/// Clusters whose skeletons far pairs need: their own, or those of what they are halves of.
std::vector<char> needed_clusters(const Skeletons& clusters) {
  std::vector<char> out(static_cast<std::size_t>(clusters.clusters()), 0);
  for (const auto& [a, b] : clusters.far_pairs) out[static_cast<std::size_t>(a)] = out[static_cast<std::size_t>(b)] = 1;
  for (Index k = clusters.levels() - 1; k > 0; --k)
    for (Index c = clusters.level(k).begin; c < clusters.level(k).end; ++c)
      if (out[static_cast<std::size_t>(c)] != 0)
        for (const Index half : {Index{0}, Index{1}})
          out[static_cast<std::size_t>(clusters.first_half(k, c) + half)] = 1;
  return out;
}

}  // namespace

Skeletons clusters_of(const Surface& surface, const SkeletonOptions& options) {
  Skeletons out;
  out.options = options;
  out.ground = surface.conditions.ground;
  out.filling = surface.conditions.filling;
  out.near.begin = cluster_begins(surface.unknowns, options.cluster, surface.filled() ? 2 : 1);
  const Index leaves = out.leaves();
  out.level_begin.push_back(0);
  for (Index some = leaves; some > 0; some /= 2) {
    for (Index c = 0; c < some; ++c) {
      const Index width = leaves / some;
      const auto [centre, radius] = sphere_around(surface, {out.near.begin[static_cast<std::size_t>(c * width)],
                                                            out.near.begin[static_cast<std::size_t>((c + 1) * width)]});
      out.centre.push_back(centre);
      out.radius.push_back(radius);
    }
    out.level_begin.push_back(out.level_begin.back() + some);
  }
  const auto all = static_cast<std::size_t>(out.clusters());
  out.far.begin.assign(all + 1, 0);
  out.far.wanted.assign(all * all, 0);
  out.near.wanted.assign(static_cast<std::size_t>(leaves * leaves), 0);
  // From the root down: far pairs, and the halves of others.
  const auto look = [&](auto&& self, Index k, Index a, Index b) -> void {
    const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
    const double gap = distance(out.centre[i], out.centre[j]) - out.radius[i] - out.radius[j];
    if (a != b && gap > options.least_gap && gap > options.separation * std::max(out.radius[i], out.radius[j])) {
      out.far.wanted[i * all + j] = out.far.wanted[j * all + i] = 1;
      out.far_pairs.emplace_back(a, b);
      return;
    }
    if (k == 0) {
      const auto n = static_cast<std::size_t>(leaves);
      out.near.wanted[i * n + j] = out.near.wanted[j * n + i] = 1;
      return;
    }
    const Index first = out.first_half(k, a), second = out.first_half(k, b);
    for (Index p = 0; p < 2; ++p)
      for (Index q = a == b ? p : 0; q < 2; ++q) self(self, k - 1, first + p, second + q);
  };
  const Index root = out.clusters() - 1;
  look(look, out.levels() - 1, root, root);
  return out;
}

namespace {

/// Those whose values are ∂_n p.
std::vector<char> soft_unknowns(const Surface& surface, Interval own) {
  std::vector<char> out(static_cast<std::size_t>(own.size()), 0);
  for (const std::int32_t t : surface.touching(own))
    for (const std::int32_t v : surface.triangles[static_cast<std::size_t>(t)].vertex)
      for (const Share& part : surface.shares(v))
        if (part.unknown >= own.begin && part.unknown < own.end && !surface.carries_pressure(v))
          out[static_cast<std::size_t>(part.unknown - own.begin)] = 1;
  return out;
}

}  // namespace

Skeleton leaf_skeleton(const Surface& surface, const Skeletons& clusters, Index leaf) {
  const auto c = static_cast<std::size_t>(leaf);
  const Interval own = clusters.near.of(leaf);
  const Senders senders = senders_of_leaf(surface, own);
  const Eigen::MatrixXd G = gram(senders, Sampling(clusters.options, clusters.centre[c], clusters.radius[c]));
  std::vector<double> areas;
  for (const std::int32_t t : surface.touching(own))
    areas.push_back(surface.triangles[static_cast<std::size_t>(t)].area);
  Skeleton out = skeleton_from(chosen(G, senders, clusters.options.error), senders, {}, areas, {});
  if (std::none_of(out.points.begin(), out.points.end(), [](const SkeletonPoint& p) { return p.sends.pressure == 0; }))
    return out;
  out.sends = out.weights;
  const std::vector<char> soft = soft_unknowns(surface, own);
  for (std::size_t i = 0; i < soft.size(); ++i)
    for (std::size_t s = 0; s < out.points.size(); ++s)
      if ((soft[i] != 0) != (out.points[s].sends.pressure == 0)) out.sends[i * out.points.size() + s] = 0;
  return out;
}

Skeleton joined_skeleton(const Skeletons& clusters, Index cluster, const Skeleton& first, const Skeleton& second) {
  const auto c = static_cast<std::size_t>(cluster);
  const Senders senders = senders_of_halves(first, second);
  const Eigen::MatrixXd G = gram(senders, Sampling(clusters.options, clusters.centre[c], clusters.radius[c]));
  std::vector<double> strength = first.strength;
  strength.insert(strength.end(), second.strength.begin(), second.strength.end());
  return skeleton_from(chosen(G, senders, clusters.options.error), senders, strength, strength, strength);
}

Result<Skeletons> find_skeletons(const Surface& surface, const SkeletonOptions& options, Team& team,
                                 const std::stop_token& stop) {
  Skeletons out = clusters_of(surface, options);
  std::vector<Skeleton> found(static_cast<std::size_t>(out.clusters()));
  const std::vector<char> needed = needed_clusters(out);
  for (Index k = 0; k < out.levels(); ++k) {
    const Interval level = out.level(k);
    for_range(team, "skeletons", level.size(), 1, 0.1 * static_cast<double>(level.size()), [&](Interval some) {
      for (Index c = level.begin + some.begin; c < level.begin + some.end && !stop.stop_requested(); ++c) {
        if (needed[static_cast<std::size_t>(c)] == 0) continue;
        Skeleton& mine = found[static_cast<std::size_t>(c)];
        if (k == 0) {
          mine = leaf_skeleton(surface, out, c);
        } else {
          const auto half = static_cast<std::size_t>(out.first_half(k, c));
          mine = joined_skeleton(out, c, found[half], found[half + 1]);
        }
      }
    });
    if (stop.stop_requested()) return make_error(ErrorCode::stopped, "Stopped while skeletons were sought.");
  }
  for (std::size_t c = 0; c < found.size(); ++c) {
    out.points.insert(out.points.end(), found[c].points.begin(), found[c].points.end());
    out.far.begin[c + 1] = out.size();
    out.weights.push_back(std::move(found[c].weights));
    out.sends.push_back(std::move(found[c].sends));
  }
  if (surface.memory_columns.empty()) return out;
  for (Index p = 0; p < out.size(); ++p) {
    const bool remembers = out.points[static_cast<std::size_t>(p)].memory >= 0;
    out.series_of.push_back(remembers ? static_cast<std::int32_t>(out.series()) : -1);
    if (remembers) out.remembering.push_back(static_cast<std::int32_t>(p));
  }
  return out;
}

double near_memory_pairs(const Surface& surface, const BlockPattern& near) {
  std::vector<double> columns(static_cast<std::size_t>(near.clusters()), 0);
  for (const MemoryColumn& c : surface.memory_columns) ++columns[static_cast<std::size_t>(near.cluster_of(c.unknown))];
  double out = 0;
  for (Index a = 0; a < near.clusters(); ++a)
    for (Index b = 0; b < near.clusters(); ++b)
      if (near.wants(a, b)) out += static_cast<double>(near.of(a).size()) * columns[static_cast<std::size_t>(b)];
  return out;
}

CompressedCount count_compressed(const Surface& surface, const SkeletonOptions& options) {
  const Skeletons clusters = clusters_of(surface, options);
  const std::vector<char> needed = needed_clusters(clusters);
  CompressedCount out;
  out.clusters = clusters.leaves();
  out.near_pairs = clusters.near.pairs();
  out.near_memory = near_memory_pairs(surface, clusters.near);
  // Skeletons of some subtrees, level by level as far as they go; above them sizes go on growing as they did.
  constexpr Index depth = 2, samples = 3;
  const Index levels = clusters.levels(), known = std::min(depth, levels - 1);
  std::vector<double> sum(static_cast<std::size_t>(known) + 1, 0), count(sum);
  double points_seen = 0, remembering = 0;
  const auto find = [&](auto&& self, Index k, Index c) -> Skeleton {
    Skeleton mine;
    if (k == 0) {
      mine = leaf_skeleton(surface, clusters, c);
    } else {
      const Index half = clusters.first_half(k, c);
      const Skeleton first = self(self, k - 1, half), second = self(self, k - 1, half + 1);
      mine = joined_skeleton(clusters, c, first, second);
    }
    sum[static_cast<std::size_t>(k)] += static_cast<double>(mine.points.size());
    ++count[static_cast<std::size_t>(k)];
    for (const SkeletonPoint& p : mine.points) ++points_seen, remembering += p.memory >= 0 ? 1 : 0;
    return mine;
  };
  const Interval top = clusters.level(known);
  const Index some = std::min(samples, top.size());
  for (Index k = 0; k < some; ++k) find(find, known, top.begin + (2 * k + 1) * top.size() / (2 * some));
  std::vector<double> size;
  for (Index k = 0; k < levels; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (k <= known)
      size.push_back(sum[at] / count[at]);
    else
      size.push_back(size[at - 1] * (at > 1 ? size[at - 1] / size[at - 2] : 2));
    for (Index c = clusters.level(k).begin; c < clusters.level(k).end; ++c)
      out.skeleton += needed[static_cast<std::size_t>(c)] != 0 ? size[at] : 0;
  }
  out.of_leaf = size[0];
  const double series = points_seen > 0 ? 1 + remembering / points_seen : 1;
  for (const auto& [a, b] : clusters.far_pairs) {
    const double points = size[static_cast<std::size_t>(clusters.level_of(a))];
    out.far_pairs += 2 * static_cast<double>(clusters.ways()) * series * points * points;
  }
  return out;
}

}  // namespace conoid::acoustic_bem
