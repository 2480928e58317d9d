// SPDX-License-Identifier: BSD-3-Clause
// Clusters by halving, fields on a sphere, and the interpolative decomposition of their Gram matrix.
#include "engine/solvers/acoustic_bem/discretization/skeletons.hpp"

#include <Eigen/Dense>
#include <algorithm>
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

/// What the unknowns of a cluster are spread over.
struct Senders {
  struct Point {
    Vec3 at{}, normal{};
    std::uint32_t begin = 0, end = 0;  ///< in `parts`
  };
  struct Part {
    std::uint32_t unknown = 0;  ///< of the cluster
    double weight = 0;          ///< its function times the rule's area
  };
  std::vector<Point> points;
  std::vector<Part> parts;

  Senders(const Surface& surface, Interval unknowns) {
    const Rule rule = triangle_rule(3);
    for (const std::int32_t t : surface.touching(unknowns)) {
      const Triangle& T = surface.triangles[static_cast<std::size_t>(t)];
      for (const RulePoint& q : rule) {
        Point p;
        p.normal = T.normal;
        for (std::size_t c = 0; c < 3; ++c) p.at = axpy(q.lambda[c], T.corner[c], p.at);
        p.begin = static_cast<std::uint32_t>(parts.size());
        for_shares(surface, T, unknowns, [&](std::size_t a, Index i, double share) {
          parts.push_back({static_cast<std::uint32_t>(i - unknowns.begin), share * q.lambda[a] * q.weight * T.area});
        });
        p.end = static_cast<std::uint32_t>(parts.size());
        points.push_back(p);
      }
    }
  }
};

/// ∑ over the samples of the products of the fields of two unknowns. Each frequency and kind of layer counts alike: its mean
/// square of an unknown is 1.
Eigen::MatrixXd gram(const Senders& senders, Index count, const Vec3& centre, double radius, double distance_to_far,
                     const SkeletonOptions& options) {
  using Complex = std::complex<double>;
  const double k_radius = options.highest * radius;
  // Terms of a field on the sphere: those of waves, and those that die out on the way there.
  const double terms = k_radius + std::log(1 / options.error) / std::log(distance_to_far / radius) + 2;
  const auto places = static_cast<std::size_t>(1.5 * terms * terms);
  const auto frequencies = static_cast<std::size_t>(std::ceil(2 * k_radius / std::numbers::pi * 1.25)) + 2;
  const double step = options.highest / static_cast<double>(frequencies - 1);
  std::vector<Eigen::MatrixXd> of(2 * frequencies, Eigen::MatrixXd::Zero(count, count));
  const std::vector<Vec3> around = directions(places);
  constexpr std::size_t at_once = 64;  // places
  // [frequency][kind]: rows Re, Im of each place
  std::vector<Samples> samples(2 * frequencies, Samples::Zero(count, 2 * at_once));
  for (std::size_t first = 0; first < places; first += at_once) {
    for (Samples& s : samples) s.setZero();
    for (std::size_t k = first; k < std::min(first + at_once, places); ++k) {
      const Vec3 x = axpy(distance_to_far, around[k], centre);
      const auto column = static_cast<Eigen::Index>(2 * (k - first));
      for (const Senders::Point& p : senders.points) {
        const Vec3 r = sub(x, p.at);
        const double R = norm(r), facing = dot(p.normal, r) / R;
        const Complex turn = std::polar(1.0, step * (R - distance_to_far));
        Complex g = 1 / R;
        for (std::size_t f = 0; f < frequencies; ++f, g *= turn) {
          const double wave = step * static_cast<double>(f);
          const Complex d = facing * (1 / R - Complex(0, wave)) * g;
          for (std::uint32_t e = p.begin; e < p.end; ++e) {
            const auto row = static_cast<Eigen::Index>(senders.parts[e].unknown);
            const double w = senders.parts[e].weight;
            samples[2 * f](row, column) += w * g.real();
            samples[2 * f](row, column + 1) += w * g.imag();
            samples[2 * f + 1](row, column) += w * d.real();
            samples[2 * f + 1](row, column + 1) += w * d.imag();
          }
        }
      }
    }
    for (std::size_t f = 0; f < of.size(); ++f) of[f].selfadjointView<Eigen::Lower>().rankUpdate(samples[f]);
  }
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(count, count);
  for (const Eigen::MatrixXd& m : of)
    if (const double trace = m.trace(); trace > 0) sum += static_cast<double>(count) / trace * m;
  return sum.selfadjointView<Eigen::Lower>();
}

}  // namespace

std::vector<Index> cluster_order(std::span<const Vec3> points) {
  std::vector<Index> order(points.size());
  std::iota(order.begin(), order.end(), Index{0});
  halve(points, order);
  return order;
}

std::vector<Index> cluster_begins(Index count, Index most) {
  std::vector<Index> out;
  const auto halve_count = [&](auto&& self, Index begin, Index some) -> void {
    if (some <= std::max<Index>(most, 16)) {
      out.push_back(begin);
      return;
    }
    self(self, begin, some / 2);
    self(self, begin + some / 2, some - some / 2);
  };
  halve_count(halve_count, 0, count);
  out.push_back(count);
  return out;
}

bool Skeletons::any_far() const {
  return std::find(near.wanted.begin(), near.wanted.end(), char{0}) != near.wanted.end();
}

Skeletons clusters_of(const Surface& surface, const SkeletonOptions& options) {
  Skeletons out;
  out.options = options;
  out.near.begin = cluster_begins(surface.unknowns, options.cluster);
  const Index count = out.clusters();
  out.far.begin.assign(static_cast<std::size_t>(count) + 1, 0);
  for (Index c = 0; c < count; ++c) {
    const std::vector<std::int32_t> triangles = surface.touching(out.near.of(c));
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
    out.centre.push_back(centre);
    out.radius.push_back(radius);
  }
  for (Index a = 0; a < count; ++a)
    for (Index b = 0; b < count; ++b) {
      const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
      const double gap = distance(out.centre[i], out.centre[j]) - out.radius[i] - out.radius[j];
      const bool far = gap > options.least_gap && gap > options.separation * std::max(out.radius[i], out.radius[j]);
      out.near.wanted.push_back(far ? 0 : 1);
      out.far.wanted.push_back(far ? 1 : 0);
    }
  return out;
}

void find_skeleton(const Surface& surface, const Skeletons& clusters, Index cluster, std::vector<std::int32_t>& unknown,
                   std::vector<double>& weights) {
  const SkeletonOptions& options = clusters.options;
  const Interval own = clusters.near.of(cluster);
  const auto c = static_cast<std::size_t>(cluster);
  const auto n = static_cast<Eigen::Index>(own.size());
  const double radius = clusters.radius[c];
  const double distance_to_far = radius + std::max(options.separation * radius, options.least_gap);
  Eigen::MatrixXd G = gram(Senders(surface, own), own.size(), clusters.centre[c], radius, distance_to_far, options);
  // Cholesky factors with pivots: G ≈ Lᵀ L, rows of L one by one, is the decomposition by orthogonalised columns.
  std::vector<Eigen::Index> pivot;
  Eigen::MatrixXd L(n, n);
  Eigen::VectorXd rest = G.diagonal();
  const double least = options.error * options.error * rest.sum();
  while (static_cast<Eigen::Index>(pivot.size()) < n && rest.sum() > least) {
    Eigen::Index p = 0;
    if (!(rest.maxCoeff(&p) > 0)) break;
    const auto r = static_cast<Eigen::Index>(pivot.size());
    Eigen::VectorXd row = G.col(p);
    if (r > 0) row -= L.topRows(r).transpose() * L.col(p).head(r);
    row /= std::sqrt(rest(p));
    L.row(r) = row.transpose();
    rest -= row.cwiseAbs2();
    rest = rest.cwiseMax(0);
    pivot.push_back(p);
    for (const Eigen::Index done : pivot) rest(done) = 0;
  }
  const auto r = static_cast<Eigen::Index>(pivot.size());
  Eigen::MatrixXd own_part(r, r);
  for (Eigen::Index s = 0; s < r; ++s) own_part.col(s) = L.col(pivot[static_cast<std::size_t>(s)]).head(r);
  const Eigen::MatrixXd T = own_part.triangularView<Eigen::Upper>().solve(L.topRows(r));
  unknown.clear();
  for (const Eigen::Index p : pivot) unknown.push_back(static_cast<std::int32_t>(own.begin + p));
  weights.assign(static_cast<std::size_t>(n * r), 0);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index s = 0; s < r; ++s) weights[static_cast<std::size_t>(i * r + s)] = T(s, i);
}

Result<Skeletons> find_skeletons(const Surface& surface, const SkeletonOptions& options, Team& team,
                                 const std::stop_token& stop) {
  Skeletons out = clusters_of(surface, options);
  std::vector<std::vector<std::int32_t>> unknown(static_cast<std::size_t>(out.clusters()));
  out.weights.resize(unknown.size());
  for_range(team, "skeletons", out.clusters(), 1, 0.2 * static_cast<double>(out.clusters()), [&](Interval some) {
    for (Index c = some.begin; c < some.end && !stop.stop_requested(); ++c)
      find_skeleton(surface, out, c, unknown[static_cast<std::size_t>(c)], out.weights[static_cast<std::size_t>(c)]);
  });
  if (stop.stop_requested()) return make_error(ErrorCode::stopped, "Stopped while skeletons were sought.");
  for (std::size_t c = 0; c < unknown.size(); ++c) {
    out.unknown.insert(out.unknown.end(), unknown[c].begin(), unknown[c].end());
    out.far.begin[c + 1] = out.size();
  }
  return out;
}

CompressedCount count_compressed(const Surface& surface, const SkeletonOptions& options) {
  const Skeletons clusters = clusters_of(surface, options);
  constexpr Index samples = 5;
  const Index count = clusters.clusters(), some = std::min(samples, count);
  double rank = 0, of = 0;
  for (Index k = 0; k < some; ++k) {
    std::vector<std::int32_t> unknown;
    std::vector<double> weights;
    const Index c = (2 * k + 1) * count / (2 * some);
    find_skeleton(surface, clusters, c, unknown, weights);
    rank += static_cast<double>(unknown.size());
    of += static_cast<double>(clusters.near.of(c).size());
  }
  CompressedCount out;
  out.clusters = count;
  out.near_pairs = clusters.near.pairs();
  const auto n = static_cast<double>(surface.unknowns);
  const double share = rank / of;
  out.skeleton = share * n;
  out.far_pairs = share * share * (n * n - out.near_pairs);
  return out;
}

}  // namespace conoid::acoustic_bem
