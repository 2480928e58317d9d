// SPDX-License-Identifier: BSD-3-Clause
// Foundations and loads on layered ground without a mesh of the ground: u = ∫ G t dS over the footprints alone.
//
// G are the displacements of the ground's surface under forces on it (layered_surface.hpp): free of traction beside the footprints, so that
// nothing else has unknowns. Tractions are those of the elements' field functions, displacements are met at the nodes (the contact problem
// of J. E. Luco, R. A. Westmann, J. Appl. Mech. 39 (1972) 527, by collocation). Where a traction is given, it loads the ground.
#pragma once

#include <span>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/layered_depths.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_stresses.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_surface.hpp"
#include "engine/solvers/elastic_bem/solving/system.hpp"

namespace conoid::elastic_bem {

/// Solves for the unknown tractions, all cases at once, in double precision, and gives the displacements of all nodes. The surface is level,
/// `down` ±z; its conditions are those of `system`. Errors: stopped, a singular matrix (two nodes at one place), a reciprocal condition below 1e-12.
/// The same bits for any number of threads where `options.deterministic`.
[[nodiscard]] Result<std::vector<BoundaryValues>> solve_layered(
    const BoundarySystem& system, const LayeredSurface& ground, const Vec3& down, const std::vector<LoadValues>& cases,
    const SolveOptions& options, int threads, SolveFacts& facts, Progress& progress, std::stop_token stop = {});
/// Bytes that it holds at its peak.
[[nodiscard]] Bytes layered_bytes(const BoundarySystem& system);
/// Values of the table that it takes, about.
[[nodiscard]] double layered_evaluations(const Surface& surface, double wave_number, const Accuracy& accuracy);

/// Displacements at points of the ground's surface: out[case][point].
[[nodiscard]] std::vector<std::vector<Complex3>> layered_displacements(
    const Surface& surface, const LayeredSurface& ground, const Vec3& down, std::span<const Vec3> points,
    std::span<const BoundaryValues> cases, const Accuracy& accuracy, int threads, std::stop_token stop = {});

/// The same at points of one depth: `ground` with forces at the surface, for all of distances_to_footprints(); `wave_number`: LayeredSurface's.
[[nodiscard]] std::vector<std::vector<Complex3>> layered_displacements(const Surface& surface,
                                                                       const LayeredDepths& ground, double wave_number,
                                                                       const Vec3& down, std::span<const Vec3> points,
                                                                       std::span<const BoundaryValues> cases,
                                                                       const Accuracy& accuracy, int threads,
                                                                       std::stop_token stop = {});
/// Stresses at points of one depth that lie on no element; `ground` for all of distances_to_footprints().
[[nodiscard]] std::vector<std::vector<Stress>> layered_stresses(const Surface& surface, const LayeredStresses& ground,
                                                                double wave_number, const Vec3& down,
                                                                std::span<const Vec3> points,
                                                                std::span<const BoundaryValues> cases,
                                                                const Accuracy& accuracy, int threads,
                                                                std::stop_token stop = {});
/// Bounds of the distances along the surface between points and elements: from 0 on where a point may be below one.
[[nodiscard]] std::array<double, 2> distances_to_footprints(const Surface& surface, std::span<const Vec3> points);

}  // namespace conoid::elastic_bem
