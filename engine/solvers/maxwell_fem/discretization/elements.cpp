// SPDX-License-Identifier: BSD-3-Clause
// Element matrices.
#include "engine/solvers/maxwell_fem/discretization/elements.hpp"

#include "engine/core/vec3.hpp"
#include "engine/mesh/shape_functions.hpp"

#include <cmath>

namespace conoid::maxwell_fem {

using namespace conoid::vec;

Elements::Elements(int order) : order_(order), size_(unknowns_of(order)) {
  for (const QuadraturePoint& q : quadrature(CellShape::tet4, 4)) {  // degree 4 and more
    const BasisValues b = nedelec(order, q.at);
    for (int i = 0; i < size_; ++i)
      for (int j = 0; j < size_; ++j)
        for (int a = 0; a < 3; ++a)
          for (int c = 0; c < 3; ++c) {
            mass_[a][c][i][j] += q.weight * b.value[i][a] * b.value[j][c];
            curl_[a][c][i][j] += q.weight * b.curl[i][a] * b.curl[j][c];
          }
  }
}

ElementMatrix Elements::matrix(const Space& space, Index tet, const Medium& medium, double k) const {
  if (space.tets()[tet].curved) return by_quadrature(space, tet, medium, k, order_ == 1 ? 4 : 5);
  const Map m = space.map(tet, {0.25, 0.25, 0.25});
  const double size = std::abs(m.determinant);
  std::array<Vec3, 3> inverse{};  // rows of J⁻¹ = J⁻ᵀ e_a
  for (int a = 0; a < 3; ++a) {
    Vec3 e{};
    e[a] = 1;
    inverse[a] = m.covariant(e);
  }
  ElementMatrix out{};
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      Complex stiff = 0, mass = 0;
      for (int d = 0; d < 3; ++d) {
        stiff += m.columns[a][d] * m.columns[b][d] / medium.mu[d];
        mass += inverse[a][d] * inverse[b][d] * medium.epsilon[d];
      }
      stiff /= size;
      mass *= k * k * size;
      for (int i = 0; i < size_; ++i)
        for (int j = i; j < size_; ++j) out[i][j] += stiff * curl_[a][b][i][j] - mass * mass_[a][b][i][j];
    }
  for (int i = 0; i < size_; ++i)
    for (int j = 0; j < i; ++j) out[i][j] = out[j][i];
  return out;
}

ElementMatrix Elements::by_quadrature(const Space& space, Index tet, const Medium& medium, double k, int points) const {
  ElementMatrix out{};
  std::array<Complex, 3> inverse_mu;
  for (int d = 0; d < 3; ++d) inverse_mu[d] = 1.0 / medium.mu[d];
  for (const QuadraturePoint& q : quadrature(CellShape::tet4, points)) {
    const BasisValues b = nedelec(order_, q.at);
    const Map m = space.map(tet, q.at);
    const double w = q.weight * std::abs(m.determinant);
    std::array<Vec3, most_unknowns> value{}, curl{};
    for (int i = 0; i < size_; ++i) {
      value[i] = m.covariant(b.value[i]);
      curl[i] = m.curl(b.curl[i]);
    }
    for (int i = 0; i < size_; ++i) {
      std::array<Complex, 3> stiff, mass;
      for (int d = 0; d < 3; ++d) {
        stiff[d] = w * curl[i][d] * inverse_mu[d];
        mass[d] = w * k * k * value[i][d] * medium.epsilon[d];
      }
      for (int j = i; j < size_; ++j)
        for (int d = 0; d < 3; ++d) out[i][j] += stiff[d] * curl[j][d] - mass[d] * value[j][d];
    }
  }
  for (int i = 0; i < size_; ++i)
    for (int j = 0; j < i; ++j) out[i][j] = out[j][i];
  return out;
}

}  // namespace conoid::maxwell_fem
