// SPDX-License-Identifier: BSD-3-Clause
// What rows add up to, and where it is taken from.
#include "engine/solvers/acoustic_bem/discretization/mean_pressure.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/solvers/acoustic_bem/discretization/skeleton_passes.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

namespace {

/// Σ_k M_k of far clusters, of this rank's columns, on ones: what passes up to the points, across, and down to the unknowns. What walls remember
/// has series that are zero then.
template <class Real>
std::vector<double> far_on_ones(const Skeletons& skeletons, const FarBlocks<Real>& far) {
  const auto points = static_cast<std::size_t>(skeletons.size()),
             unknowns = static_cast<std::size_t>(skeletons.unknowns());
  std::vector<double> sent(points, 0), felt(points, 0), out(unknowns, 0);
  const auto each = [&](Index level, const std::function<void(Index)>& f) {
    for (Index c = skeletons.level(level).begin; c < skeletons.level(level).end; ++c) f(c);
  };
  send_up<double>(skeletons, std::vector<double>(unknowns, 1), sent, each);
  for (Index band = 0; band < far.bands(); ++band)
    far.for_each_row(band, [&](Index i, Index j, Index, std::span<const Real> v) {
      if (j >= skeletons.size()) return;
      felt[static_cast<std::size_t>(i)] += std::accumulate(v.begin(), v.end(), 0.0) * sent[static_cast<std::size_t>(j)];
    });
  feel_down<double>(skeletons, felt, out, each);
  return out;
}

/// Σ_k M_k, k ≥ 1, of slices in memory on value(slice), added. Sums go block by block, however many threads there are.
template <class Real, class F>
void add_slices_on(const Slices<Real>& slices, const F& value, Team& team, std::vector<double>& out) {
  constexpr Index blocks = 64;
  const auto rows = static_cast<std::size_t>(slices.rows());
  std::vector<std::vector<double>> of(static_cast<std::size_t>(blocks));
  for_range(team, "mean pressure", blocks, 1, 2e-9 * static_cast<double>(slices.nonzeros()), [&](Interval some) {
    for (Index b = some.begin; b < some.end; ++b) {
      std::vector<double>& sums = of[static_cast<std::size_t>(b)];
      sums.assign(rows, 0);
      for (Index j = b * slices.count() / blocks; j < (b + 1) * slices.count() / blocks; ++j)
        slices.for_each_row(j, [&](Index i, Index, std::span<const Real> v) {
          sums[static_cast<std::size_t>(i)] += value(j) * std::accumulate(v.begin(), v.end(), 0.0);
        });
    }
  });
  for (const std::vector<double>& sums : of)
    std::transform(sums.begin(), sums.end(), out.begin(), out.begin(), std::plus<>());
}

}  // namespace

bool holds_mean_pressure(const Surface& surface) {
  const bool any_soft = std::any_of(surface.soft.begin(), surface.soft.end(), [](char soft) { return soft != 0; });
  return surface.conditions.inside && !any_soft;
}

template <class Real>
void keep_mean_pressure(Matrices<Real>& matrices, Communicator* cluster, Team& team) {
  Slices<Real>& slices = matrices.slices;
  std::vector<double> rest(static_cast<std::size_t>(slices.rows()), 0);
  add_slices_on(
      slices, [](Index) { return 1.0; }, team, rest);
  // What walls remember of a pressure that has stayed as it is for ever.
  const auto remembered = [&](Index column) {
    const auto& of = matrices.memory_columns[static_cast<std::size_t>(matrices.memory.first() + column)];
    return matrices.walls[static_cast<std::size_t>(of.wall)].transfer(1).real();
  };
  if (!matrices.memory_columns.empty()) add_slices_on(matrices.memory, remembered, team, rest);
  if (matrices.skeletons && matrices.skeletons->any_far()) {
    const std::vector<double> far = far_on_ones(*matrices.skeletons, matrices.far);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += far[i];
  }
  if (cluster != nullptr) cluster->sum(rest);
  const Eigen::VectorXd of_m0 = matrices.M0 * Eigen::VectorXd::Ones(matrices.M0.cols());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] += of_m0(static_cast<Eigen::Index>(i));
  std::vector<double> taken(rest.size(), 0), row;  // by M_1, as it is stored
  for (Index j = 0; j < slices.count(); ++j) {
    const Index i = slices.first() + j;
    slices.for_each_row(j, [&](Index at, Index start, std::span<const Real> v) {
      if (at != i) return;
      verify(start == 1, "an unknown meets itself from the first step on");
      row.assign(v.begin(), v.end());
    });
    const double before = row.at(0);
    row[0] -= 0.5 * rest[static_cast<std::size_t>(i)];
    taken[static_cast<std::size_t>(i)] = static_cast<double>(static_cast<Real>(row[0])) - before;
    slices.fill_rows(j, slices.panel_of(i), {i, i + 1}, [&](Index, Index) { return row.data(); });
  }
  if (cluster != nullptr) cluster->sum(taken);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    matrices.M0.coeffRef(at, at) -= rest[i] + taken[i];
  }
}

template void keep_mean_pressure(Matrices<float>&, Communicator*, Team&);
template void keep_mean_pressure(Matrices<double>&, Communicator*, Team&);

}  // namespace conoid::acoustic_bem
