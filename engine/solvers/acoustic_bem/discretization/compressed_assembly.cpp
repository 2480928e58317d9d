// SPDX-License-Identifier: BSD-3-Clause
// Skeletons, near slices, row-vectors of points, and far blocks for comparison.
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"
#include "engine/core/seconds_now.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <numeric>

#include <Eigen/Dense>

#include "engine/core/log.hpp"
#include "engine/solvers/acoustic_bem/discretization/far_kernel.hpp"
#include "engine/solvers/acoustic_bem/discretization/mean_pressure.hpp"
#include "engine/solvers/acoustic_bem/discretization/tile.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

namespace {

using Complex = std::complex<double>;

/// A far pair and a leaf of each, whose unknowns' block is compared.
struct FarSample {
  Index a = 0, b = 0, leaf_a = 0, leaf_b = 0;
};

/// Spread over all far pairs.
std::vector<FarSample> samples_of(const Skeletons& skeletons) {
  constexpr std::size_t most = 8;
  const auto& all = skeletons.far_pairs;
  const std::size_t some = std::min(most, all.size());
  std::vector<FarSample> out;
  for (std::size_t k = 0; k < some; ++k) {
    const auto [a, b] = all[(2 * k + 1) * all.size() / (2 * some)];
    FarSample sample{a, b, a, b};
    for (Index level = skeletons.level_of(a); level > 0; --level) {
      sample.leaf_a = skeletons.first_half(level, sample.leaf_a) + static_cast<Index>(k % 2);
      sample.leaf_b = skeletons.first_half(level, sample.leaf_b) + static_cast<Index>(k / 2 % 2);
    }
    out.push_back(sample);
  }
  return out;
}

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Weights with which the unknowns of a leaf send, or feel, by way of the points of a cluster that it is a part of.
RowMatrix weights_of(const Skeletons& skeletons, Index leaf, Index cluster, bool sending) {
  const auto own = [&](Index k, Index c) {
    const auto& weights = sending ? skeletons.sending(c) : skeletons.weights[static_cast<std::size_t>(c)];
    return Eigen::Map<const RowMatrix>(weights.data(), skeletons.parts(k, c).size(), skeletons.far.of(c).size());
  };
  RowMatrix out = own(0, leaf);
  for (Index k = 0, c = leaf; c != cluster; ++k) {
    const Index whole = skeletons.whole_of(k, c);
    const Index from = skeletons.far.of(c).begin - skeletons.parts(k + 1, whole).begin;
    out = (out * own(k + 1, whole).middleRows(from, skeletons.far.of(c).size())).eval();
    c = whole;
  }
  return out;
}

/// Σ_d v_d z^{start + d}
template <class Real>
Complex transformed(std::span<const Real> v, Index start, Complex z) {
  Complex sum = 0;
  for (std::size_t d = v.size(); d-- > 0;) sum = sum * z + static_cast<double>(v[d]);
  return sum * std::pow(z, static_cast<double>(start));
}

/// Σ_k M_k(i, j) z^k of the rows in a range.
template <class Real>
Eigen::MatrixXcd transformed(const Slices<Real>& slices, Interval rows, Interval cols, Complex z) {
  Eigen::MatrixXcd out = Eigen::MatrixXcd::Zero(rows.size(), cols.size());
  for (Index j = cols.begin; j < cols.end; ++j)
    slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      if (i >= rows.begin && i < rows.end) out(i - rows.begin, j - cols.begin) = transformed(v, start, z);
    });
  return out;
}

/// The same of all that a whole matrix of some unknowns is made of, what walls remember included.
template <class Real>
Eigen::MatrixXcd transformed(const Matrices<Real>& whole, Interval rows, Interval cols, Complex z) {
  Eigen::MatrixXcd out = transformed(whole.slices, rows, cols, z);
  for (Index c = 0; c < whole.memory.count(); ++c) {
    const MemoryColumn& column = whole.memory_columns[static_cast<std::size_t>(c)];
    if (column.unknown < cols.begin || column.unknown >= cols.end) continue;
    out.col(column.unknown - cols.begin) +=
        transformed(whole.memory, rows, {c, c + 1}, z) * whole.walls[static_cast<std::size_t>(column.wall)].transfer(z);
  }
  return out;
}

/// The same of points; of ranks (`cluster`) with columns of their own, all of it on each.
template <class Real>
Eigen::MatrixXcd transformed(const FarBlocks<Real>& far, const Skeletons& skeletons, std::span<const WallMemory> walls,
                             Interval rows, Interval cols, Complex z, Communicator* cluster) {
  Eigen::MatrixXcd out = Eigen::MatrixXcd::Zero(rows.size(), cols.size());
  for (Index band = 0; band < far.bands(); ++band) {
    if (const Interval own = far[band].rows; own.end <= rows.begin || own.begin >= rows.end) continue;
    far.for_each_row(band, [&](Index i, Index series, Index start, std::span<const Real> v) {
      Index j = series;
      Complex of = 1;
      if (series >= skeletons.size()) {
        j = skeletons.remembering[static_cast<std::size_t>(series - skeletons.size())];
        const WallMemory& wall = walls[static_cast<std::size_t>(skeletons.points[static_cast<std::size_t>(j)].memory)];
        of = wall.at_once() + wall.transfer(z);
      }
      if (i >= rows.begin && i < rows.end && j >= cols.begin && j < cols.end)
        out(i - rows.begin, j - cols.begin) += of * transformed(v, start, z);  // by both ways
    });
  }
  if (cluster != nullptr)
    cluster->sum(std::span(reinterpret_cast<double*>(out.data()), 2 * static_cast<std::size_t>(out.size())));
  return out;
}

/// Far blocks computed whole against those of the skeletons: ‖difference‖ / ‖block‖ of all of them, at the worst of five frequencies of
/// the band.
template <class Real>
Result<double> compared(const Surface& surface, const Form& form, const AssemblyOptions& options,
                        const Skeletons& skeletons, const FarBlocks<Real>& far, Communicator* cluster, Team& team,
                        const std::stop_token& stop) {
  const std::vector<FarSample> samples = samples_of(skeletons);
  std::vector<Index> clusters;
  for (const FarSample& s : samples) clusters.insert(clusters.end(), {s.leaf_a, s.leaf_b});
  std::sort(clusters.begin(), clusters.end());
  clusters.erase(std::unique(clusters.begin(), clusters.end()), clusters.end());
  const auto place = [&](Index c) { return std::lower_bound(clusters.begin(), clusters.end(), c) - clusters.begin(); };
  BlockPattern pattern;
  pattern.begin.push_back(0);
  std::vector<std::int32_t> unknowns;
  for (const Index c : clusters) {
    const Interval own = skeletons.near.of(c);
    for (Index i = own.begin; i < own.end; ++i) unknowns.push_back(static_cast<std::int32_t>(i));
    pattern.begin.push_back(static_cast<Index>(unknowns.size()));
  }
  pattern.wanted.assign(clusters.size() * clusters.size(), 0);
  for (const FarSample& s : samples) {
    const auto i = static_cast<std::size_t>(place(s.leaf_a)), j = static_cast<std::size_t>(place(s.leaf_b));
    pattern.wanted[i * clusters.size() + j] = pattern.wanted[j * clusters.size() + i] = 1;
  }
  const Surface some = with_unknowns(surface, unknowns);
  Assembly assembly(some, form, options, nullptr, &pattern);
  NoProgress quiet;
  if (const Status s = assembly.find_extents(team, quiet, stop); !s) return s.error();
  auto whole = assembly.assemble<double>(team, quiet, stop);
  if (!whole) return whole.error();
  double worst = 0;
  for (int f = 1; f <= 5; ++f) {
    const Complex z = std::polar(1.0, f * skeletons.options.highest / 5 * shortest_delta(surface, form));
    double error = 0, norm = 0;
    for (const FarSample& s : samples) {
      const RowMatrix ta = weights_of(skeletons, s.leaf_a, s.a, false),
                      tb = weights_of(skeletons, s.leaf_b, s.b, false),
                      from_a = weights_of(skeletons, s.leaf_a, s.a, true),
                      from_b = weights_of(skeletons, s.leaf_b, s.b, true);
      const auto add = [&](const Eigen::MatrixXcd& exact, const Eigen::MatrixXcd& approximate) {
        error += (exact - approximate).squaredNorm();
        norm += exact.squaredNorm();
      };
      const Interval pa = pattern.of(place(s.leaf_a)), pb = pattern.of(place(s.leaf_b)), fa = skeletons.far.of(s.a),
                     fb = skeletons.far.of(s.b);
      const auto by_points = [&](Interval to, Interval from) {
        return transformed(far, skeletons, surface.memory, to, from, z, cluster);
      };
      add(transformed(*whole, pa, pb, z), ta * by_points(fa, fb) * from_b.transpose());
      add(transformed(*whole, pb, pa, z), tb * by_points(fb, fa) * from_a.transpose());
    }
    log::debug("acoustic-bem: far blocks at {:.1f} of the band within {:.2g}, norm {:.3g}", 0.2 * f,
               std::sqrt(error / norm), std::sqrt(norm));
    worst = std::max(worst, std::sqrt(error / norm));
  }
  return worst;
}

}  // namespace

Surface with_unknowns(const Surface& surface, std::span<const std::int32_t> unknowns) {
  Surface out = surface;
  out.unknowns = static_cast<Index>(unknowns.size());
  std::vector<std::int32_t> number(static_cast<std::size_t>(surface.unknowns), -1);
  out.touch.clear();
  out.touch_begin.assign(1, 0);
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    const auto old = static_cast<std::size_t>(unknowns[k]);
    number[old] = static_cast<std::int32_t>(k);
    out.touch.insert(out.touch.end(), surface.touch.begin() + surface.touch_begin[old],
                     surface.touch.begin() + surface.touch_begin[old + 1]);
    out.touch_begin.push_back(static_cast<std::int32_t>(out.touch.size()));
  }
  out.share.clear();
  out.share_begin.assign(1, 0);
  for (std::size_t v = 0; v < surface.vertices.size(); ++v) {
    for (const Share& part : surface.shares(static_cast<std::int32_t>(v)))
      if (const std::int32_t k = number[static_cast<std::size_t>(part.unknown)]; k >= 0)
        out.share.push_back({k, part.weight});
    out.share_begin.push_back(static_cast<std::int32_t>(out.share.size()));
  }
  out.memory_columns.clear();
  for (const MemoryColumn& c : surface.memory_columns)
    if (const std::int32_t k = number[static_cast<std::size_t>(c.unknown)]; k >= 0)
      out.memory_columns.push_back({k, c.wall});
  std::sort(out.memory_columns.begin(), out.memory_columns.end(), [](const MemoryColumn& a, const MemoryColumn& b) {
    return std::pair(a.unknown, a.wall) < std::pair(b.unknown, b.wall);
  });
  return out;
}

namespace {

/// The columns of points of this rank.
Interval own_points(const Skeletons& skeletons, Communicator* cluster) {
  if (cluster == nullptr || cluster->size() == 1) return {0, skeletons.size()};
  return share_of_slices(skeletons.far.slice_pairs(), cluster->rank(), cluster->size());
}

}  // namespace

template <class Real>
Result<Matrices<Real>> assemble_compressed(const Surface& surface, const Form& form, const AssemblyOptions& options,
                                           const SkeletonOptions& skeleton_options,
                                           const std::function<Status(Bytes)>& room, Communicator* cluster, Team& team,
                                           Progress& progress, const std::stop_token& stop) {
  const double begin = seconds_now();
  auto found = find_skeletons(surface, skeleton_options, team, stop);
  if (!found) return found.error();
  const double after_skeletons = seconds_now();
  const auto skeletons = std::make_shared<const Skeletons>(std::move(*found));
  Assembly near(surface, form, options, cluster, &skeletons->near);
  if (const Status s = near.find_extents(team, progress, stop); !s) return s.error();
  const Interval own = own_points(*skeletons, cluster);
  const Bytes near_bytes = near.slice_bytes(sizeof(Real), team);
  const double remembered = near_memory_pairs(surface, skeletons->near) / skeletons->near.pairs();
  if (const Status s = room(FarBlocks<Real>::expected(*skeletons, own) + near_bytes +
                            static_cast<Bytes>(remembered * static_cast<double>(near_bytes)));
      !s)
    return s.error();
  const double after_extents = seconds_now();
  auto out = near.template assemble<Real>(team, progress, stop);
  if (!out) return out.error();
  out->skeletons = skeletons;
  const double after_near = seconds_now();
  if (skeletons->any_far()) {
    auto between = FarBlocks<Real>::make(*skeletons, form, own, team, stop);
    if (!between) return between.error();
    out->far = std::move(*between);
  }
  if (holds_mean_pressure(surface)) keep_mean_pressure(*out, cluster, team);
  if (!skeletons->any_far()) return out;
  const double after_far = seconds_now();
  const auto error = compared(surface, form, options, *skeletons, out->far, cluster, team, stop);
  if (!error) return error.error();
  out->far_error = *error;
  if (cluster != nullptr && !cluster->leads()) return out;
  log::info(
      "acoustic-bem: {} clusters on {} levels, skeletons of {:.1f} points for {:.1f} unknowns, {:.3g} pairs of "
      "unknowns "
      "near and {:.3g} of points of {:.3g} in all; far blocks within {:.2g}",
      skeletons->leaves(), skeletons->levels(),
      static_cast<double>(skeletons->far.begin[static_cast<std::size_t>(skeletons->leaves())]) /
          static_cast<double>(skeletons->leaves()),
      static_cast<double>(surface.unknowns) / static_cast<double>(skeletons->leaves()), skeletons->near.pairs(),
      skeletons->far.pairs(), std::pow(static_cast<double>(surface.unknowns), 2), out->far_error);
  log::info(
      "acoustic-bem: {:.2f} s for skeletons, {:.2f} for extents, {:.2f} for near clusters, {:.2f} for far ones, "
      "{:.2f} to compare",
      after_skeletons - begin, after_extents - after_skeletons, after_near - after_extents, after_far - after_near,
      seconds_now() - after_far);
  return out;
}

template Result<Matrices<float>> assemble_compressed(const Surface&, const Form&, const AssemblyOptions&,
                                                     const SkeletonOptions&, const std::function<Status(Bytes)>&,
                                                     Communicator*, Team&, Progress&, const std::stop_token&);
template Result<Matrices<double>> assemble_compressed(const Surface&, const Form&, const AssemblyOptions&,
                                                      const SkeletonOptions&, const std::function<Status(Bytes)>&,
                                                      Communicator*, Team&, Progress&, const std::stop_token&);

}  // namespace conoid::acoustic_bem
