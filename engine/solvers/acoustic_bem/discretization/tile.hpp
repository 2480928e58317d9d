// SPDX-License-Identifier: BSD-3-Clause
// One tile of the convolution matrices while it is being computed, and the triangles around it as SIMD lanes.
#pragma once

#include <Eigen/SparseCore>
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/quadrature.hpp"

namespace conoid::acoustic_bem {

/// Rule in the form the lane kernels read.
struct PackedRule {
  explicit PackedRule(const Rule& rule);
  std::vector<double> lambda, weight;
  [[nodiscard]] LaneRule view() const { return {static_cast<int>(weight.size()), lambda.data(), weight.data()}; }
};

/// How close two triangles are: which outer rule they need. Thin: near, and on opposite sheets of a body.
enum class Closeness : char { far, near, thin };

/// Outer triangles as lanes with the points of the rules.
class OuterSet {
 public:
  OuterSet(const Surface& surface, std::vector<std::int32_t> triangles, const PackedRule& far, const PackedRule& near,
           const PackedRule& thin, int lanes);
  [[nodiscard]] std::size_t size() const { return triangles_.size(); }
  [[nodiscard]] std::int32_t triangle(std::size_t k) const { return triangles_[k]; }
  [[nodiscard]] LaneOuter far() const;
  /// The k-th triangles of `picked` (at most `lanes`, the rest filled up with the last) as a batch with a rule's points.
  [[nodiscard]] LaneOuter batch(const std::size_t* picked, std::size_t count, const PackedRule& rule);
  /// close[k] = how close triangle k is to the source.
  void classify(const Triangle& source, std::vector<Closeness>& close) const;

 private:
  std::vector<std::int32_t> triangles_;
  std::size_t lanes_ = 1, stride_ = 0;
  std::vector<double> far_points_, corners_, normal_, curl_, scale_, centroid_;  // centroid and radius: 4 rows
  std::vector<double> batch_;
};

[[nodiscard]] LaneSource lane_source(const Triangle& t);

/// Row-vectors of rows × cols in double, k ≥ 0.
struct Block {
  Interval rows, cols;
  std::vector<std::uint32_t> offset;
  std::vector<double> values;
  const Extents* extents = nullptr;

  void reset(Interval row_range, Interval col_range, const Extents& e);
  /// Pointer to M_k(i, j) for k = extents.first.
  [[nodiscard]] double* at(Index i, Index j) {
    return values.data() + offset[static_cast<std::size_t>((j - cols.begin) * rows.size() + i - rows.begin)];
  }
  [[nodiscard]] Index first(Index i, Index j) const { return extents->first[extents->entry(i, j)]; }
  [[nodiscard]] Index last(Index i, Index j) const { return extents->last[extents->entry(i, j)]; }
};

/// What a thread needs for its tiles.
struct TileSpace {
  Block block, mirror;
  std::vector<double> direct, transposed, work, first, last;
  std::vector<double> direct_sigma,
      transposed_sigma;  ///< of densities ∂_n p, where faces are soft or have an impedance
  std::vector<double> unused;
  std::vector<Closeness> close;
  std::vector<std::size_t> picked, picked_thin;
  std::uint64_t evaluations = 0;
  std::vector<Eigen::Triplet<double>> m0;
  double seconds = 0;
};

/// c₂Δt of the fluid that fills bodies; the smaller and the larger one of both cΔt (form.delta() where nothing is filled).
[[nodiscard]] inline double delta_inside(const Surface& surface, const Form& form) {
  return surface.conditions.filling->c * form.dt;
}
[[nodiscard]] inline double shortest_delta(const Surface& surface, const Form& form) {
  return surface.filled() ? std::min(form.delta(), delta_inside(surface, form)) : form.delta();
}
[[nodiscard]] inline double longest_delta(const Surface& surface, const Form& form) {
  return surface.filled() ? std::max(form.delta(), delta_inside(surface, form)) : form.delta();
}

/// Shells of any pair of triangles, and room.
[[nodiscard]] inline std::size_t most_shells_of(const Surface& surface, const Form& form) {
  return static_cast<std::size_t>(2 * surface.longest_edge / shortest_delta(surface, form)) + 4;
}

/// The form of what is tested at a triangle.
[[nodiscard]] inline Form form_at(const Surface& surface, const Form& form, std::size_t triangle) {
  return surface.is_plain(triangle) ? form.plain() : form;
}

/// Triangles whose tests have one form, and those that have the other; the first list alone where all are alike.
[[nodiscard]] std::array<std::vector<std::int32_t>, 2> by_form(const Surface& surface,
                                                               std::span<const std::int32_t> triangles);

/// Everything the sweeps share.
///
/// On faces with an impedance or soft ones ∂_n p = σ acts beside the pressure. Its equation is that of DC (with α = γ = 0 beside N),
/// S_k, constant over the steps: at a vertex with a pressure σⁿ = (aⁿ − aⁿ⁻¹)/(ζ cΔt), so that M_k += (S_k − S_{k−1})/(ζ cΔt),
/// S restricted to the face; at one with p = 0 the unknown is cΔt σⁿ, so that its columns are S_k/(cΔt) over its soft faces alone.
struct TileContext {
  const Surface& surface;
  Form form;
  PackedRule far, near, thin;
  const LaneKernels& kernels;
  std::size_t most_shells;  ///< of any pair
};

// Bodies filled with another fluid have rows and columns of their own: filled_tiles.hpp.

/// The rules and kernels that the options ask for.
[[nodiscard]] TileContext tile_context(const Surface& surface, const Form& form, const AssemblyOptions& options);

/// First pass over all pairs (outer triangle of `rows`, source triangle of `cols`): widens both mirror entries.
void sweep_extents(const TileContext& context, TileSpace& space, Interval rows, Interval cols, Extents& extents,
                   const std::stop_token& stop);
/// Second pass: adds the pairs' matrices to `direct` (rows × cols) and `transposed` (cols × rows), which may be one.
void sweep_pairs(const TileContext& context, TileSpace& space, Block& direct, Block& transposed,
                 const std::stop_token& stop);
/// Terms of the P1 mass matrix: (α⁺/2) G in M_0 and (α⁻/2) G in M_1 (NC, not at plain triangles), (Δ/2) G in M_0 (DC).
void add_mass(const TileContext& context, Block& block);

}  // namespace conoid::acoustic_bem
