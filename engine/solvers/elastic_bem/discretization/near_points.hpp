// SPDX-License-Identifier: BSD-3-Clause
// Quadrature points around one collocation point as the lane kernels want them: relative to it, padded. For the assembly only.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/quadrature.hpp"
#include "engine/solvers/elastic_bem/kernels/lanes.hpp"

namespace conoid::elastic_bem {

/// Values of one block of lanes, of all nodes of an element.
template <class Real>
struct alignas(64) Block {
  Real v[static_cast<std::size_t>(most_nodes * lane_values) * 16];
};

/// A PointSet as lanes want it: relative to the collocation point, padded.
template <class Real>
class NearPoints {
 public:
  const LanePoints<Real>& fill(const PointSet& p, const Vec3& at, int lanes, int only = -1, bool complement = false) {
    const auto n = static_cast<std::size_t>(p.count());
    const std::size_t padded =
        (n + static_cast<std::size_t>(lanes) - 1) / static_cast<std::size_t>(lanes) * static_cast<std::size_t>(lanes);
    const int nodes = only >= 0 ? 1 : p.nodes;
    values_.assign(padded * static_cast<std::size_t>(7 + nodes), Real(0));
    Real* a[7];
    for (std::size_t k = 0; k < 7; ++k) a[k] = values_.data() + k * padded;
    for (std::size_t q = 0; q < padded; ++q) {
      const std::size_t f = std::min(q, n - 1);
      a[0][q] = static_cast<Real>(p.x[f] - at[0]);
      a[1][q] = static_cast<Real>(p.y[f] - at[1]);
      a[2][q] = static_cast<Real>(p.z[f] - at[2]);
      if (q >= n) continue;
      double factor = 1;
      if (only >= 0) {
        factor = p.shape[q][static_cast<std::size_t>(only)];
        if (complement) factor = 1 - factor;
      }
      a[3][q] = static_cast<Real>(p.nx[q] * factor);
      a[4][q] = static_cast<Real>(p.ny[q] * factor);
      a[5][q] = static_cast<Real>(p.nz[q] * factor);
      a[6][q] = static_cast<Real>(p.w[q] * factor);
      if (only < 0)
        for (std::size_t k = 0; k < static_cast<std::size_t>(nodes); ++k)
          values_[(7 + k) * padded + q] = static_cast<Real>(p.shape[q][k]);
    }
    points_ = {static_cast<int>(padded),   nodes, padded, a[0], a[1], a[2], a[3], a[4], a[5], a[6],
               values_.data() + 7 * padded};
    return points_;
  }

  /// singular_rule() about the node of a constant affine element, without the detour over a PointSet.
  const LanePoints<Real>& fill_affine(const Element& e, double target, double wave_number, int lanes) {
    const auto p = e.node_at(0);
    const auto [along, radial] = singular_orders(e, target, wave_number);
    pieces_.clear();
    singular_pieces(e, p[0], p[1], pieces_);
    count_ = pieces_.size() * static_cast<std::size_t>(along * radial);
    const auto w = static_cast<std::size_t>(lanes), n = (count_ + w - 1) / w * w;
    if (values_.size() < 8 * n) values_.resize(8 * n);
    Real* a = values_.data();
    const double size = vec::norm(e.flat_area);
    const Vec3 normal = vec::scale(1 / size, e.flat_area);
    std::size_t q = 0;
    for (const SingularPiece& piece : pieces_)
      for (const GaussPoint& v : gauss_points(along)) {
        const double r = piece.a[0] + v.x * (piece.b[0] - piece.a[0]) - p[0],
                     s = piece.a[1] + v.x * (piece.b[1] - piece.a[1]) - p[1];
        const Vec3 way = vec::axpy(r, e.along_r, vec::scale(s, e.along_s));
        for (const GaussPoint& t : gauss_points(radial)) {
          for (std::size_t d = 0; d < 3; ++d) a[d * n + q] = static_cast<Real>(t.x * way[d]);
          a[6 * n + q] = static_cast<Real>(v.w * t.w * t.x * piece.area * size);
          ++q;
        }
      }
    for (; q < n; ++q) {
      for (std::size_t d = 0; d < 3; ++d) a[d * n + q] = a[d * n];
      a[6 * n + q] = 0;
    }
    for (std::size_t d = 0; d < 3; ++d)
      for (q = 0; q < n; ++q) a[(3 + d) * n + q] = static_cast<Real>(normal[d]) * a[6 * n + q];
    std::fill_n(a + 7 * n, n, Real(1));
    points_ = {static_cast<int>(n), 1, n, a, a + n, a + 2 * n, a + 3 * n, a + 4 * n, a + 5 * n, a + 6 * n, a + 7 * n};
    return points_;
  }
  [[nodiscard]] double count() const { return static_cast<double>(count_); }

 private:
  std::vector<Real> values_;
  std::vector<SingularPiece> pieces_;
  std::size_t count_ = 0;
  LanePoints<Real> points_;
};

}  // namespace conoid::elastic_bem
