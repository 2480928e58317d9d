// SPDX-License-Identifier: BSD-3-Clause
// One implicit step: conjugate gradients over blocks, a halo of one point to each side, sums in the order of blocks.
#include "implicit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>

#include "engine/team/loop_phase.hpp"
#include "engine/team/team.hpp"

namespace conoid::heat_rod {
namespace {

std::size_t u(Index i) {
  return static_cast<std::size_t>(i);
}

/// Blocks of a rank, in shares that differ by at most one.
Interval share(Index blocks, Index rank, Index ranks) {
  return {blocks * rank / ranks, blocks * (rank + 1) / ranks};
}

}  // namespace

Interval Implicit::points(Index b) const {
  return {1 + b * block, 1 + std::min(inner_, (b + 1) * block)};
}

Implicit::Implicit(Index cells, double fourier, Communicator& cluster)
    : inner_(cells - 1), fourier_(fourier), cluster_(cluster),
      blocks_(share((inner_ + block - 1) / block, cluster.rank(), cluster.size())),
      sums_((inner_ + block - 1) / block, blocks_), r_(u(cells + 1)), z_(u(cells + 1)), p_(u(cells + 1)),
      q_(u(cells + 1)) {
  std::vector<Interval> parts;
  for (int rank = 0; rank < cluster.size(); ++rank) {
    const Interval blocks = share((inner_ + block - 1) / block, rank, cluster.size());
    parts.push_back({1 + std::min(inner_, blocks.begin * block), 1 + std::min(inner_, blocks.end * block)});
  }
  // What this rank reads of others: the point before its first and the one behind its last, unless they are the ends of the rod.
  const Interval mine = parts[u(cluster.rank())];
  std::vector<Index> wanted;
  if (!mine.empty() && mine.begin > 1) wanted.push_back(mine.begin - 1);
  if (!mine.empty() && mine.end <= inner_) wanted.push_back(mine.end);
  halo_ = Halo::of_partition(cluster, parts, wanted);
  // A block's matrix is tridiagonal with the same entries in each row: all blocks share one list of pivots.
  double pivot = 1 + 2 * fourier;
  for (Index i = 0; i < block; ++i) {
    pivots_.push_back(pivot);
    pivot = 1 + 2 * fourier - fourier * fourier / pivot;
  }
}

Index Implicit::step(Team& team, std::vector<double>& values) {
  // `body(block)` for the blocks of this rank, which the team shares among its workers.
  const auto pass = [&](std::string_view name, const std::function<void(Index)>& body) {
    LoopPhase phase(name, blocks_.size(), 64, [&](Interval some) {
      for (Index b = some.begin; b < some.end; ++b) body(blocks_.begin + b);
    });
    team.run(phase);
  };
  const auto dot = [this](Index b, const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (Index i = points(b).begin; i < points(b).end; ++i) sum += x[u(i)] * y[u(i)];
    sums_.at(b) = sum;
  };
  // M is A without what couples blocks: forward and back along one block (Thomas), then the block's part of r·z.
  const auto precondition = [&](Index b) {
    const Interval of = points(b);
    for (Index i = of.begin; i < of.end; ++i)
      z_[u(i)] = r_[u(i)] + (i > of.begin ? fourier_ / pivots_[u(i - of.begin - 1)] * z_[u(i - 1)] : 0);
    for (Index i = of.end - 1; i >= of.begin; --i)
      z_[u(i)] = (z_[u(i)] + (i + 1 < of.end ? fourier_ * z_[u(i + 1)] : 0)) / pivots_[u(i - of.begin)];
    dot(b, r_, z_);
  };
  const auto times = [&](const std::vector<double>& x, Index i) {
    return (1 + 2 * fourier_) * x[u(i)] - fourier_ * (x[u(i - 1)] + x[u(i + 1)]);
  };
  // The step before is the first guess; it is whole on every rank, so that its residual needs no exchange.
  pass("residual", [&](Index b) {
    for (Index i = points(b).begin; i < points(b).end; ++i) r_[u(i)] = values[u(i)] - times(values, i);
    precondition(b);
    std::copy_n(z_.begin() + points(b).begin, points(b).size(), p_.begin() + points(b).begin);
  });
  double rz = sums_.total(cluster_);
  const double enough = 1e-30 * rz;
  Index iterations = 0;
  for (; rz > enough && rz > 0; ++iterations) {
    if (iterations > 10 * inner_ + 100 || !std::isfinite(rz)) return -1;
    halo_.start_values(p_);
    halo_.finish_values(p_);
    pass("product", [&](Index b) {
      for (Index i = points(b).begin; i < points(b).end; ++i) q_[u(i)] = times(p_, i);
      dot(b, p_, q_);
    });
    const double alpha = rz / sums_.total(cluster_);
    pass("update", [&](Index b) {
      for (Index i = points(b).begin; i < points(b).end; ++i) {
        values[u(i)] += alpha * p_[u(i)];
        r_[u(i)] -= alpha * q_[u(i)];
      }
      precondition(b);
    });
    const double before = rz;
    rz = sums_.total(cluster_);
    pass("direction", [&](Index b) {
      for (Index i = points(b).begin; i < points(b).end; ++i) p_[u(i)] = z_[u(i)] + rz / before * p_[u(i)];
    });
  }
  // All ranks keep the whole rod: frames, tables and the next first guess read it anywhere.
  const Index begin = 1 + std::min(inner_, blocks_.begin * block), end = 1 + std::min(inner_, blocks_.end * block);
  const auto all =
      cluster_.all_gather_values<double>(std::span<const double>(values).subspan(u(begin), u(end - begin)));
  std::copy(all.begin(), all.end(), values.begin() + 1);
  return iterations;
}

}  // namespace conoid::heat_rod
