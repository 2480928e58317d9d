// SPDX-License-Identifier: BSD-3-Clause
// What a march in memory and one over the disk have alike: the energy of planes, and how many steps are recorded at once.
#pragma once

#include "engine/solvers/acoustic_fd/kernels/patch.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/team/balancer.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace conoid::acoustic_fd {

/// The energies of all planes of the grid, in which nodes on reflecting faces count half (Problem::face_share()). Planes may be put by
/// several threads at once.
class EnergySums {
 public:
  explicit EnergySums(const Problem& problem)
      : problem_(problem), wz_(static_cast<std::size_t>(problem.grid.points[2]), 1.0),
        sums_(static_cast<std::size_t>(2 * problem.grid.points[0]), 0.0) {
    wz_.front() *= problem.face_share(4);
    wz_.back() *= problem.face_share(5);
  }
  /// `x`: of the whole grid.
  void put(Index x, double kinetic, double potential) {
    const double wx = x == 0 ? problem_.face_share(0) : x == problem_.grid.points[0] - 1 ? problem_.face_share(1) : 1.0;
    sums_[static_cast<std::size_t>(2 * x)] = wx * kinetic;
    sums_[static_cast<std::size_t>(2 * x + 1)] = wx * potential;
  }
  /// Of a Field at level k; `local`: its number of plane x.
  template <class Field>
  void put_plane(const Field& field, Index k, Index local, Index x) {
    double kinetic = 0, potential = 0;
    field.plane_energy(k, local, wz_, problem_.face_share(2), problem_.face_share(3), kinetic, potential);
    put(x, kinetic, potential);
  }
  [[nodiscard]] std::span<double> of_planes() { return sums_; }
  [[nodiscard]] Energy energy() const { return Energy::of(sums_, problem_.grid.spacing); }

 private:
  const Problem& problem_;
  std::vector<double> wz_, sums_;
};

/// Of `steps` steps of so many planes, by the plain cell (kernels/patch.hpp); layers and sources are left out. Levels are carried through fast memory `levels` steps at a time;
/// up to 1: each step reads and writes them.
[[nodiscard]] inline Work work_of_steps(const Problem& problem, Index planes, Index steps, double levels) {
  const auto& n = problem.grid.points;
  const int radius = problem.order / 2;
  const double s = radius, scaled = problem.density && !problem.density->constant() ? 1 : 0;
  const double updates = static_cast<double>(steps) * static_cast<double>(planes) * static_cast<double>(n[1] * n[2]);
  const double flops = (equal_spacings(problem.grid.stencil_spacing()) ? 7 : 9) * s + 5 + 2 * scaled;
  const double model = (problem.medium_varies() ? 1 : 0) + scaled;
  const double values = levels > 1 ? (4 + model) / levels : 3 + model;
  return {updates * flops, updates * values * (problem.double_precision ? 8 : 4)};
}

/// Of at most `steps`: as many as receiver values of one band are kept of, of `bytes` each level; the same on all ranks, which exchange
/// between bands. Collective.
[[nodiscard]] inline Index steps_of_band(Index steps, const March::Recorder& recorder, Index bytes,
                                         Communicator& cluster) {
  constexpr Index most = Index{256} << 20;
  const Index fits = most / std::max<Index>(1, bytes) * recorder.every;
  return static_cast<Index>(cluster.minimum(static_cast<double>(std::clamp<Index>(fits, 1, steps))));
}

}  // namespace conoid::acoustic_fd
