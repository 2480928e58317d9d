// SPDX-License-Identifier: BSD-3-Clause
// Nédélec's tetrahedra of the first kind, order 1 (6 unknowns) and 2 (20 unknowns), on the reference cell.
//
// J.-C. Nédélec, Numer. Math. 35 (1980) 315. Barycentric coordinates λ with the corners sorted by their number in the mesh,
// so that shared edges and faces agree without signs:
//   0–5   edges i<j   N_ij = λ_i ∇λ_j − λ_j ∇λ_i
//   6–11  edges i<j   G_ij = ∇(λ_i λ_j)                       (order 2)
//   12–19 faces i<j<k λ_k N_ij, λ_j N_ik                      (order 2)
#pragma once

#include "engine/core/types.hpp"

#include <array>

namespace conoid::maxwell_fem {

inline constexpr int most_unknowns = 20;
inline constexpr std::array<std::array<int, 2>, 6> local_edges{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
inline constexpr std::array<std::array<int, 3>, 4> local_faces{{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}}};
/// Corner opposite of each face.
inline constexpr std::array<int, 4> opposite_corner{3, 2, 1, 0};

[[nodiscard]] constexpr int unknowns_of(int order) {
  return order == 1 ? 6 : 20;
}

/// Values and curls at one reference point (r, s, t) = (λ_1, λ_2, λ_3).
struct BasisValues {
  std::array<Vec3, most_unknowns> value;
  std::array<Vec3, most_unknowns> curl;
};
[[nodiscard]] BasisValues nedelec(int order, const Vec3& reference);

/// Local unknowns whose tangential trace lives on a face: its three edges (and the face's two): 3 or 8 of them.
struct FaceUnknowns {
  std::array<int, 8> local;
  int count;
};
[[nodiscard]] FaceUnknowns face_unknowns(int order, int face);

}  // namespace conoid::maxwell_fem
