// SPDX-License-Identifier: BSD-3-Clause
// An approximate inverse of the compressed equations of several regions: clusters hold the nodes of all regions that meet there, so that both
// sides of an interface, whose unknowns are a displacement and a traction, are solved for together.
#pragma once

#include "engine/solvers/elastic_bem/solving/compressed_equations.hpp"

namespace conoid::elastic_bem {

class JoinedPreconditioner {
 public:
  /// A region's rows, which are those of nodes from `first_node` on; column k is `factor[k]` times that of the unknown `place[k]` (component,
  /// node of all regions). Outlives this.
  struct Rows {
    const CompressedColumns* matrix = nullptr;
    Index first_node = 0, nodes = 0;
    std::span<const EquationColumn> columns;
    std::span<const Index> place;
    std::span<const Complex> factor;
  };
  /// `ranks`: that share it, null: none. `surface`: of all regions; `whole`: all equations, in the order of the unknowns. Errors: singular clusters (not_converged).
  [[nodiscard]] static Result<std::unique_ptr<JoinedPreconditioner>> make(
      const Surface& surface, std::vector<Rows> rows, const ClusterPreconditioner<std::complex<float>>::Operator& whole,
      int threads, int library_threads, Communicator* ranks);
  /// x ≈ A⁻¹ y.
  void solve(const Complex* y, Index count, Complex* x) const { inverse_->solve(y, count, x); }
  [[nodiscard]] Bytes bytes() const { return inverse_->bytes(); }

 private:
  JoinedPreconditioner(const Surface& surface, std::vector<Rows> rows);
  void block(const ClusterTree::Cluster& cluster, std::complex<float>* out) const;

  const Surface& surface_;
  std::vector<Rows> rows_;
  std::vector<std::vector<Index>> columns_;  ///< of each unknown: region, column, pair after pair
  std::vector<char> moves_;                  ///< whether an unknown is a displacement
  std::vector<Index> region_;                ///< of each node
  ClusterTree tree_;
  std::optional<ClusterPreconditioner<std::complex<float>>> inverse_;
};

}  // namespace conoid::elastic_bem
