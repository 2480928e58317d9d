// SPDX-License-Identifier: BSD-3-Clause
// Skeletons, near slices, slices of skeletons, and far blocks for comparison.
#include "engine/solvers/acoustic_bem/discretization/compressed_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>

#include <Eigen/Dense>

#include "engine/core/log.hpp"

namespace conoid::acoustic_bem {

namespace {

using Complex = std::complex<double>;

/// Far pairs of clusters whose blocks are compared: spread over all of them.
std::vector<std::pair<Index, Index>> sampled_pairs(const Skeletons& skeletons) {
  constexpr std::size_t most = 8;
  std::vector<std::pair<Index, Index>> all, out;
  for (Index a = 0; a < skeletons.clusters(); ++a)
    for (Index b = a + 1; b < skeletons.clusters(); ++b)
      if (skeletons.far.wants(a, b)) all.emplace_back(a, b);
  const std::size_t some = std::min(most, all.size());
  for (std::size_t k = 0; k < some; ++k) out.push_back(all[(2 * k + 1) * all.size() / (2 * some)]);
  return out;
}

/// Σ_k M_k(i, j) z^k of the rows in a range.
template <class Real>
Eigen::MatrixXcd transformed(const Slices<Real>& slices, Interval rows, Interval cols, Complex z) {
  Eigen::MatrixXcd out = Eigen::MatrixXcd::Zero(rows.size(), cols.size());
  for (Index j = cols.begin; j < cols.end; ++j)
    slices.for_each_row(j, [&](Index i, Index start, std::span<const Real> v) {
      if (i < rows.begin || i >= rows.end) return;
      Complex sum = 0;
      for (std::size_t d = v.size(); d-- > 0;) sum = sum * z + static_cast<double>(v[d]);
      out(i - rows.begin, j - cols.begin) = sum * std::pow(z, static_cast<double>(start));
    });
  return out;
}

/// Far blocks computed whole against those of the skeletons: ‖difference‖ / ‖block‖ of all of them, at the worst of five frequencies of
/// the band.
template <class Real>
Result<double> compared(const Surface& surface, const Form& form, const AssemblyOptions& options,
                        const Skeletons& skeletons, const Slices<Real>& far, Team& team, const std::stop_token& stop) {
  const auto pairs = sampled_pairs(skeletons);
  std::vector<Index> clusters;
  for (const auto& [a, b] : pairs) clusters.insert(clusters.end(), {a, b});
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
  for (const auto& [a, b] : pairs) {
    const auto i = static_cast<std::size_t>(place(a)), j = static_cast<std::size_t>(place(b));
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
    const Complex z = std::polar(1.0, f * skeletons.options.highest / 5 * form.delta());
    double error = 0, norm = 0;
    const auto weights = [&](Index c) {
      using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      return Eigen::Map<const Rows>(skeletons.weights[static_cast<std::size_t>(c)].data(), skeletons.near.of(c).size(),
                                    skeletons.far.of(c).size());
    };
    for (const auto& [a, b] : pairs)
      for (const auto& [row, column] : {std::pair{a, b}, std::pair{b, a}}) {
        const Eigen::MatrixXcd exact = transformed(whole->slices, pattern.of(place(row)), pattern.of(place(column)), z),
                               between = transformed(far, skeletons.far.of(row), skeletons.far.of(column), z);
        error += (exact - weights(row) * between * weights(column).transpose()).squaredNorm();
        norm += exact.squaredNorm();
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
  return out;
}

template <class Real>
Result<Matrices<Real>> assemble_compressed(const Surface& surface, const Form& form, const AssemblyOptions& options,
                                           const SkeletonOptions& skeleton_options,
                                           const std::function<Status(Bytes)>& room, Team& team, Progress& progress,
                                           const std::stop_token& stop) {
  auto found = find_skeletons(surface, skeleton_options, team, stop);
  if (!found) return found.error();
  const auto skeletons = std::make_shared<const Skeletons>(std::move(*found));
  std::optional<Surface> of_skeletons;
  std::optional<Assembly> far;
  Bytes needed = 0;
  if (skeletons->any_far()) {
    of_skeletons = with_unknowns(surface, skeletons->unknown);
    far.emplace(*of_skeletons, form, options, nullptr, &skeletons->far);
    if (const Status s = far->find_extents(team, progress, stop); !s) return s.error();
    needed = far->slice_bytes(sizeof(Real));
  }
  Assembly near(surface, form, options, nullptr, &skeletons->near);
  if (const Status s = near.find_extents(team, progress, stop); !s) return s.error();
  if (const Status s = room(needed + near.slice_bytes(sizeof(Real))); !s) return s.error();
  auto out = near.template assemble<Real>(team, progress, stop);
  if (!out) return out.error();
  out->skeletons = skeletons;
  if (!far) return out;
  auto between = far->template assemble<Real>(team, progress, stop);
  if (!between) return between.error();
  out->far = std::move(between->slices);
  out->evaluations += between->evaluations;
  out->seconds += between->seconds;
  const auto error = compared(surface, form, options, *skeletons, out->far, team, stop);
  if (!error) return error.error();
  out->far_error = *error;
  log::info(
      "acoustic-bem: {} clusters, skeletons of {:.1f} unknowns on average, {:.3g} pairs of unknowns near and {:.3g} of "
      "skeletons of {:.3g} in all; far blocks within {:.2g}",
      skeletons->clusters(), static_cast<double>(skeletons->size()) / static_cast<double>(skeletons->clusters()),
      skeletons->near.pairs(), skeletons->far.pairs(), std::pow(static_cast<double>(surface.unknowns), 2),
      out->far_error);
  return out;
}

template Result<Matrices<float>> assemble_compressed(const Surface&, const Form&, const AssemblyOptions&,
                                                     const SkeletonOptions&, const std::function<Status(Bytes)>&, Team&,
                                                     Progress&, const std::stop_token&);
template Result<Matrices<double>> assemble_compressed(const Surface&, const Form&, const AssemblyOptions&,
                                                      const SkeletonOptions&, const std::function<Status(Bytes)>&,
                                                      Team&, Progress&, const std::stop_token&);

}  // namespace conoid::acoustic_bem
