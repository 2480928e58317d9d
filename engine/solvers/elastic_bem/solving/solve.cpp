// SPDX-License-Identifier: BSD-3-Clause
// One solution of the boundary element equations, step by step, and what it gives on the boundary.
#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "engine/core/seconds_now.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/solving/solution.hpp"

namespace conoid::elastic_bem {
namespace {

/// Where the mesh fades out, its displacement is made up by the far field. `s`: the ground, whose nodes and tractions come first.
void blend(const FarField& far, const Surface& s, const std::vector<std::array<Index, 3>>& unknown_traction,
           BoundaryValues& v) {
  const auto tractions = static_cast<Index>(s.traction_node.size());
  const std::vector<Complex3> forces = far.forces({v.traction.begin(), v.traction.begin() + tractions},
                                                  {v.displacement.begin(), v.displacement.begin() + s.node_count()});
  const auto n = static_cast<std::size_t>(3 * s.node_count());
  for (std::size_t k = 0; k < s.nodes.size(); ++k)
    for (std::size_t d = 0; d < 3; ++d) {
      if (!(s.window[k] < 1) || unknown_traction[k][d] >= 0) continue;
      Complex& u = v.displacement[k][d];
      u *= s.window[k];
      for (std::size_t p = 0; p < forces.size(); ++p)
        for (std::size_t j = 0; j < 3; ++j) u += far.faded()[(3 * p + j) * n + d * s.nodes.size() + k] * forces[p][j];
    }
}

}  // namespace

template <class Real>
std::vector<BoundaryValues> BoundarySystem::Solution<Real>::boundary_values() const {
  std::vector<BoundaryValues> out(cases_.size());
  for (Index c = 0; c < columns_; ++c) {
    BoundaryValues& v = out[static_cast<std::size_t>(c)];
    const LoadValues& load = cases_[static_cast<std::size_t>(c)];
    v.displacement =
        load.displacement.empty() ? std::vector<Complex3>(static_cast<std::size_t>(m_)) : load.displacement;
    v.traction = load.traction.empty() ? std::vector<Complex3>(s_.traction_node.size()) : load.traction;
    const auto& motion = accelerated_[static_cast<std::size_t>(c)];
    for (Index k = 0; k < m_; ++k)
      for (std::size_t d = 0; d < 3; ++d) {
        const auto found = [&](Index node) {
          return x_[static_cast<std::size_t>(c * n_ + static_cast<Index>(d) * m_ + node)];
        };
        if (const Index other = partner(k); other >= 0) {
          const auto node = static_cast<std::size_t>(k),
                     place = static_cast<std::size_t>(s_.node_tractions[node].front());
          v.displacement[node][d] = found(std::min(k, other));
          v.traction[place][d] = (k < other ? 1.0 : -1.0) * traction_unit_ * found(std::max(k, other));
          const RegionRows& rows = parts_[load.incident_region].rows;
          if (!load.incident_displacement.empty() && k >= rows.first_node &&
              k < rows.first_node + rows.surface->node_count()) {
            v.displacement[node][d] -= load.incident_displacement[node][d];
            v.traction[place][d] -= load.incident_traction[place][d];
          }
          continue;
        }
        const Complex value = found(k);
        const Index traction = system_.unknown_traction_[static_cast<std::size_t>(k)][d];
        if (traction < 0) {
          Complex& u = v.displacement[static_cast<std::size_t>(k)][d];
          u = value;
          for (std::size_t q = 0; q < motion.size(); ++q)
            u += motion[q] * free_.at(q, s_.nodes[static_cast<std::size_t>(k)])[d];
        } else {
          v.traction[static_cast<std::size_t>(traction)][d] = value * traction_unit_;
        }
      }
    if (far_ != nullptr) blend(*far_, *parts_.front().rows.surface, system_.unknown_traction_, v);
  }
  return out;
}

template <class Real>
Result<std::vector<BoundaryValues>> BoundarySystem::solve(
    Team& team, const Harmonic& harmonic, const FarRules<Real>& rules, std::span<const std::array<double, 9>> diagonal,
    const std::vector<LoadValues>& cases, const SolveOptions& options, SolveFacts& facts, Progress& progress,
    std::stop_token stop, SolveMemory* memory, const FarField* far) const {
  const RegionMedium<Real> one{harmonic, &rules, diagonal};
  return solve<Real>(team, std::span(&one, 1), cases, options, facts, progress, stop, memory, far);
}

template <class Real>
Result<std::vector<BoundaryValues>> BoundarySystem::solve(Team& team, std::span<const RegionMedium<Real>> media,
                                                          const std::vector<LoadValues>& cases,
                                                          const SolveOptions& options, SolveFacts& facts,
                                                          Progress& progress, std::stop_token stop, SolveMemory* memory,
                                                          const FarField* far) const {
  Solution<Real> solution(*this, team, media, cases, options, facts, stop, memory, far);
  // With interior equations the residual is that of the plain solution, which they replace.
  facts.residual_asked = solution.has_interior() ? 0 : solution.asked();
  if (auto status = solution.assemble(progress); !status) return status.error();
  const double begin = seconds_now();
  progress.begin("solution", 0, "");
  solution.complete();
  solution.right_hand_sides();
  if (auto status = solution.accelerate(); !status) return status.error();
  if (auto status = options.method == Method::compressed ? solution.solve_compressed()
                    : options.method == Method::gmres    ? solution.solve_by_gmres()
                                                         : solution.solve_by_factors();
      !status)
    return status.error();
  if (solution.has_interior() && options.method != Method::compressed)
    if (auto status = solution.add_interior_equations(); !status) return status.error();
  progress.end();
  facts.seconds_solve += seconds_now() - begin;
  if (!(facts.residual < 1e-3))
    return make_error(ErrorCode::not_converged,
                      fmt::format("the linear system was solved to a residual of {:.2g} only", facts.residual),
                      "Use parameters.solution \"direct\", and check the boundary conditions.");
  return solution.boundary_values();
}

template Result<std::vector<BoundaryValues>> BoundarySystem::solve<double>(
    Team&, const Harmonic&, const FarRules<double>&, std::span<const std::array<double, 9>>,
    const std::vector<LoadValues>&, const SolveOptions&, SolveFacts&, Progress&, std::stop_token, SolveMemory*,
    const FarField*) const;
template Result<std::vector<BoundaryValues>> BoundarySystem::solve<float>(
    Team&, const Harmonic&, const FarRules<float>&, std::span<const std::array<double, 9>>,
    const std::vector<LoadValues>&, const SolveOptions&, SolveFacts&, Progress&, std::stop_token, SolveMemory*,
    const FarField*) const;

template Result<std::vector<BoundaryValues>> BoundarySystem::solve<double>(Team&, std::span<const RegionMedium<double>>,
                                                                           const std::vector<LoadValues>&,
                                                                           const SolveOptions&, SolveFacts&, Progress&,
                                                                           std::stop_token, SolveMemory*,
                                                                           const FarField*) const;
template Result<std::vector<BoundaryValues>> BoundarySystem::solve<float>(Team&, std::span<const RegionMedium<float>>,
                                                                          const std::vector<LoadValues>&,
                                                                          const SolveOptions&, SolveFacts&, Progress&,
                                                                          std::stop_token, SolveMemory*,
                                                                          const FarField*) const;

}  // namespace conoid::elastic_bem
