// SPDX-License-Identifier: BSD-3-Clause
// Matrices of one tetrahedron: curl-curl and mass, with complex diagonal material tensors.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/space.hpp"

#include <complex>
#include <vector>

namespace conoid::maxwell_fem {

using Complex = std::complex<double>;
using Tensor = std::array<Complex, 3>;  ///< diagonal

/// Relative permittivity and permeability, e^{+jωt}: losses have negative imaginary parts.
struct Medium {
  Tensor epsilon{1.0, 1.0, 1.0};
  Tensor mu{1.0, 1.0, 1.0};
};

using ElementMatrix = std::array<std::array<Complex, most_unknowns>, most_unknowns>;

/// Straight cells by exact reference integrals, curved ones by quadrature. Thread-safe after construction.
class Elements {
 public:
  explicit Elements(int order);
  /// ∫ μ⁻¹ ∇×W·∇×E − k² ∫ ε W·E
  [[nodiscard]] ElementMatrix matrix(const Space& space, Index tet, const Medium& medium, double k) const;
  /// The same by plain quadrature with `points` a direction: the reference for tests, and for curved cells.
  [[nodiscard]] ElementMatrix by_quadrature(const Space& space, Index tet, const Medium& medium, double k,
                                            int points) const;

 private:
  using Real = std::array<std::array<double, most_unknowns>, most_unknowns>;
  int order_, size_;
  std::array<std::array<Real, 3>, 3> mass_{}, curl_{};  ///< [a][b]: ∫ Ŵ_a Ŵ_b over the reference cell
};

}  // namespace conoid::maxwell_fem
