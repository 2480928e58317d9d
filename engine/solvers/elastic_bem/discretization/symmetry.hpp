// SPDX-License-Identifier: BSD-3-Clause
// Planes of symmetry x = 0, y = 0, z = 0 of a surface: half, quarter and eighth meshes made whole, and equations that fall apart.
//
// Where geometry and conditions are their own mirror images in k planes, the equations commute with the 2^k products of reflections g,
// which move node i to node g i and turn the sign of the components across the planes. A solution is then the sum of 2^k parts, each even
// or odd in every plane, whose values at one node of every orbit give those at all of them: part p has the matrix
//   A_p[i, j] = Σ_{j' = g j} σ_p(g, component) A[i, j'],  i, j: one node an orbit,
// of about n / 2^k unknowns (fewer at nodes on a plane, where components that are odd vanish). Loads need no symmetry: they are
// parted in the same way (J.-P. Serre, Linear Representations of Finite Groups, 2.6, for the group of commuting reflections).
#pragma once

#include <complex>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/linalg/dense.hpp"
#include "engine/solvers/elastic_bem/discretization/surface.hpp"

namespace conoid {
class CpuWorker;
}

namespace conoid::elastic_bem {

/// The mesh and its image in the plane through the origin across `axis` (0 to 2); groups go along. A mesh with points on both sides comes
/// back as it is. Errors (invalid_input): cells in the plane, an open mesh without an edge in it, points that nearly lie in it.
[[nodiscard]] Result<Mesh> completed_by_mirror(const Mesh& mesh, int axis);

/// The place at the image of each, mirrored across every axis d with bit d of `planes`, up to `tolerance`; −1: there is none.
[[nodiscard]] std::vector<Index> mirror_images(std::span<const Vec3> places, unsigned planes, double tolerance);

/// One of the 2^k products of reflections: what a vector field's component d turns into, and the node at the image of each.
struct Mirror {
  unsigned planes = 0;  ///< bit d: across axis d
  std::vector<Index> node;
  [[nodiscard]] double sign(std::size_t component) const { return (planes >> component & 1U) != 0 ? -1 : 1; }
};
/// Those of a surface that is its own image in the planes across `axes`; the first leaves all as it is. Error (invalid_input): a node
/// without image.
[[nodiscard]] Result<std::vector<Mirror>> mirrors_of(const Surface& surface, std::span<const int> axes);
/// The same of another surface's nodes behind those that are there; both by the same axes.
void append(std::vector<Mirror>& mirrors, const std::vector<Mirror>& others);

/// The unknowns of one parity.
struct Parity {
  std::vector<Index> rows;  ///< of the whole system, one of each orbit: component d of node k at d·m + k
  struct Term {
    Index row = 0;
    double sign = 1;
  };
  std::vector<Term> terms;      ///< the orbit of each unknown
  std::vector<Index> first{0};  ///< where its terms begin
  [[nodiscard]] Index size() const { return static_cast<Index>(rows.size()); }
  [[nodiscard]] std::span<const Term> orbit(Index unknown) const {
    const auto k = static_cast<std::size_t>(unknown);
    return {terms.data() + first[k], static_cast<std::size_t>(first[k + 1] - first[k])};
  }
};

/// Unknowns of the largest, 0: there are none.
[[nodiscard]] Index largest_parity(const std::vector<Parity>& parities);

/// The parities of a surface that is its own image, by all of its mirrors_of(). `kind` of component d of node k, at d·m + k: what is unknown
/// there, the same for images. Error (invalid_input): a node whose image is of another kind.
[[nodiscard]] Result<std::vector<Parity>> parities_of(const Surface& surface, std::span<const Mirror> mirrors,
                                                      std::span<const char> kind);

/// Factors of the parities that right-hand sides have a part in: those of others are not made, and solutions have none there.
/// One thread at a time.
template <class F>
class ParityFactors {
 public:
  /// Factorises a matrix of so many unknowns in place.
  using Factorise = std::function<Result<dense::Lu<F>>(F* matrix, Index size)>;
  /// Of the n × n matrix `a`, column by column, for `columns` right-hand sides `f`. `row_of`: the row of the equation at the node and
  /// component of each unknown, empty: its own number; it and `room`, entries() of them, outlive this. Errors are those of `by`.
  template <class C>
  [[nodiscard]] static Result<ParityFactors> factorise(const std::vector<Parity>& parities,
                                                       std::span<const Index> row_of, std::span<const C> a, Index n,
                                                       std::span<const std::complex<double>> f, Index columns,
                                                       std::span<F> room, const CpuWorker& threads,
                                                       const Factorise& by);
  [[nodiscard]] static Index entries(const std::vector<Parity>& parities);
  void solve(std::vector<F>& right, Index columns) const;
  [[nodiscard]] double reciprocal_condition() const;  ///< the least
  [[nodiscard]] double operations() const;            ///< of the factorisations

 private:
  struct Part {
    const Parity* parity;
    dense::Lu<F> lu;
  };
  [[nodiscard]] std::size_t row(Index unknown) const {
    return static_cast<std::size_t>(row_of_.empty() ? unknown : row_of_[static_cast<std::size_t>(unknown)]);
  }
  Index n_ = 0;
  std::span<const Index> row_of_;
  std::vector<Part> parts_;
};

}  // namespace conoid::elastic_bem
