// SPDX-License-Identifier: BSD-3-Clause
// Values of the boundary element matrices for a compressed one: blocks of rows (collocation points) and columns, each integrated by the rules
// of the dense assembly. In a far block every element has one rule, so that values are those of a smooth function of the row.
#pragma once

#include <atomic>
#include <vector>

#include "engine/linalg/compressed_matrix.hpp"
#include "engine/solvers/elastic_bem/discretization/assembly.hpp"

namespace conoid::elastic_bem {

/// One column of the equations: of H at a node or of G at a traction node, times a factor.
struct EquationColumn {
  bool traction = false;
  Index node = 0;  ///< displacement or traction node
  std::size_t component = 0;
  Complex factor{1};
};

/// Columns gathered at points, three a point (those that are not asked for are zero).
struct ColumnPoints {
  struct Use {
    Index point = -1;
    unsigned components = 0;  ///< bits
  };
  ColumnPoints(const Surface& surface, std::span<const EquationColumn> columns, bool points_are_nodes);
  std::vector<Use> node, traction;  ///< where the columns of a displacement node, of a traction node go
  Complex node_factor{1}, traction_factor{1};
  std::vector<Vec3> at;
  std::vector<double> reach;   ///< of the elements around a point
  std::vector<Index> node_of;  ///< displacement node of each point
  std::vector<Index> entry;    ///< of each column: component × points + point
  [[nodiscard]] Index points() const { return static_cast<Index>(at.size()); }
};

template <class Real>
class KernelValues final : public MatrixSource {
 public:
  /// All must outlive it; `diagonal`: assemble_singular()'s.
  KernelValues(const Surface& surface, const FarRules<Real>& rules, const Accuracy& accuracy, const Harmonic& harmonic,
               std::span<const std::array<double, 9>> diagonal, const ColumnPoints& columns);
  [[nodiscard]] std::unique_ptr<CrossBlock> far(std::span<const Index> rows,
                                                std::span<const Index> columns) const override;
  void near(std::span<const Index> rows, std::span<const Index> columns, Complex* out) const override;
  [[nodiscard]] AssemblyWork work() const { return {far_.load(), near_.load()}; }

 private:
  class FarBlock;
  class NearSink;
  /// An element that some columns of a block need, and where in the block the values of its nodes go (−1: nowhere).
  struct Piece {
    Index element = 0;
    std::array<Index, most_nodes> node{}, traction{};  ///< number of the point in the block
    bool with_u = false;
  };
  [[nodiscard]] std::vector<Piece> parts(std::span<const Index> columns) const;
  void near_rows(const Piece& part, std::span<const Index> rows, NearSink& sink) const;

  const Surface& surface_;
  const FarRules<Real>& rules_;
  const Accuracy& accuracy_;
  const Harmonic& harmonic_;
  std::span<const std::array<double, 9>> diagonal_;
  const ColumnPoints& columns_;
  const LaneMedium<Real> medium_;
  const LaneKernels<Real>& kernels_;
  std::complex<Real> node_factor_, traction_factor_;  ///< with those of the kernels
  mutable std::atomic<double> far_{0}, near_{0};
};

}  // namespace conoid::elastic_bem
