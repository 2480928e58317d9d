// SPDX-License-Identifier: BSD-3-Clause
// Density as a potential.
#include "engine/solvers/acoustic_fd/discretization/medium.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace conoid::acoustic_fd {
Index node_that_counts(const Problem& p, std::size_t axis, Index i) {
  const Index last = p.grid.points[axis] - 1;
  if (i < 0) return p.faces[2 * axis].image_sign() != 0 ? std::min(-i, last) : 0;
  if (i > last) return p.faces[2 * axis + 1].image_sign() != 0 ? std::max<Index>(2 * last - i, 0) : last;
  return i;
}

void pressure_factor(const Problem& problem, Index x, Index y, Index z0, Index step, std::span<double> out) {
  if (!problem.density) {
    std::fill(out.begin(), out.end(), 1.0);
    return;
  }
  const Grid& g = problem.grid;
  problem.density->row(g.at(0, node_that_counts(problem, 0, x)), g.at(1, node_that_counts(problem, 1, y)), g.at(2, z0),
                       static_cast<double>(step) * g.spacing[2], out);
  for (double& v : out) v = std::sqrt(v / problem.reference_density);
}

void density_potential(const Problem& problem, const Stencil& stencil, Index x, Index y, std::span<double> out) {
  const auto nz = static_cast<Index>(out.size());
  const Index s = stencil.radius;
  const Vec3 h = problem.grid.stencil_spacing();
  std::vector<double> centre(static_cast<std::size_t>(nz)), other(static_cast<std::size_t>(nz));
  pressure_factor(problem, x, y, 0, 1, centre);
  const double ry = (h[0] / h[1]) * (h[0] / h[1]), rz = (h[0] / h[2]) * (h[0] / h[2]);
  for (Index z = 0; z < nz; ++z) {
    double sum = stencil.weight[0] * (1 + ry + rz);
    for (Index i = 1; i <= s; ++i)
      for (const Index to : {z - i, z + i})
        sum += stencil.weight[static_cast<std::size_t>(i)] * rz * centre[static_cast<std::size_t>(z)] /
               centre[static_cast<std::size_t>(node_that_counts(problem, 2, to))];
    out[static_cast<std::size_t>(z)] = sum;
  }
  const auto add = [&](Index to_x, Index to_y, double weight) {
    pressure_factor(problem, to_x, to_y, 0, 1, other);
    for (std::size_t z = 0; z < out.size(); ++z) out[z] += weight * centre[z] / other[z];
  };
  for (Index i = 1; i <= s; ++i)
    for (const Index d : {-i, i}) {
      const double w = stencil.weight[static_cast<std::size_t>(i)];
      add(x + d, y, w);
      add(x, y + d, w * ry);
    }
}

void density_stretch(const Problem& problem, const Stencil& stencil, std::size_t axis, Index x, Index y,
                     std::span<double> potential, std::span<double> slope) {
  const std::size_t nz = potential.size();
  std::vector<double> centre(nz), low(nz), high(nz);
  pressure_factor(problem, x, y, 0, 1, centre);
  std::fill(potential.begin(), potential.end(), stencil.weight[0]);
  std::fill(slope.begin(), slope.end(), 0.0);
  for (Index i = 1; i <= stencil.radius; ++i) {
    const double w = stencil.weight[static_cast<std::size_t>(i)], d = stencil.slope[static_cast<std::size_t>(i)];
    if (axis < 2) {
      pressure_factor(problem, x - (axis == 0 ? i : 0), y - (axis == 1 ? i : 0), 0, 1, low);
      pressure_factor(problem, x + (axis == 0 ? i : 0), y + (axis == 1 ? i : 0), 0, 1, high);
    } else {
      const auto at = [&](Index z) { return centre[static_cast<std::size_t>(node_that_counts(problem, 2, z))]; };
      for (std::size_t z = 0; z < nz; ++z) {
        low[z] = at(static_cast<Index>(z) - i);
        high[z] = at(static_cast<Index>(z) + i);
      }
    }
    for (std::size_t z = 0; z < nz; ++z) {
      potential[z] += w * (centre[z] / low[z] + centre[z] / high[z]);
      slope[z] += d * (centre[z] / high[z] - centre[z] / low[z]);
    }
  }
}

double potential_bound(const Stencil& stencil, const Vec3& spacing, double lowest, double highest) {
  // V h² = Σ C_i (√(ρ/ρ_n) − 1) over all neighbours: largest with √(ρ_max/ρ_min) where C_i > 0, smallest where C_i < 0.
  const double root = std::sqrt(highest / lowest);
  double sum = 0;
  for (int i = 1; i <= stencil.radius; ++i) {
    const double w = stencil.weight[static_cast<std::size_t>(i)];
    sum += 2 * (w > 0 ? w * (root - 1) : -w * (1 - 1 / root));
  }
  double axes = 0;
  for (const double h : spacing) axes += (spacing[0] / h) * (spacing[0] / h);
  return sum * axes;
}

double density_step_share(const Stencil& stencil, const Vec3& spacing, double lowest, double highest) {
  double sum = 0;
  for (const double h : spacing) sum += spectral_radius(stencil) * (spacing[0] / h) * (spacing[0] / h);
  return std::sqrt(sum / (sum + potential_bound(stencil, spacing, lowest, highest)));
}

}  // namespace conoid::acoustic_fd
