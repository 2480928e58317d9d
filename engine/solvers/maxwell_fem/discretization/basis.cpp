// SPDX-License-Identifier: BSD-3-Clause
// Shape functions by their formulas.
#include "engine/solvers/maxwell_fem/discretization/basis.hpp"

#include "engine/core/vec3.hpp"

namespace conoid::maxwell_fem {

using namespace conoid::vec;

BasisValues nedelec(int order, const Vec3& at) {
  const std::array<double, 4> lambda{1 - at[0] - at[1] - at[2], at[0], at[1], at[2]};
  constexpr std::array<Vec3, 4> grad{{{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const auto whitney = [&](int i, int j) { return sub(scale(lambda[i], grad[j]), scale(lambda[j], grad[i])); };
  BasisValues out{};
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = local_edges[e];
    out.value[e] = whitney(i, j);
    out.curl[e] = scale(2, cross(grad[i], grad[j]));
  }
  if (order == 1) return out;
  for (int e = 0; e < 6; ++e) {
    const auto [i, j] = local_edges[e];
    out.value[6 + e] = add(scale(lambda[i], grad[j]), scale(lambda[j], grad[i]));
    out.curl[6 + e] = {};
  }
  for (int f = 0; f < 4; ++f) {
    const auto [i, j, k] = local_faces[f];
    const auto put = [&](int at_unknown, int factor, int a, int b) {  // λ_factor N_ab
      const Vec3 n = whitney(a, b);
      out.value[at_unknown] = scale(lambda[factor], n);
      out.curl[at_unknown] = add(cross(grad[factor], n), scale(2 * lambda[factor], cross(grad[a], grad[b])));
    };
    put(12 + 2 * f, k, i, j);
    put(13 + 2 * f, j, i, k);
  }
  return out;
}

FaceUnknowns face_unknowns(int order, int face) {
  FaceUnknowns out{{}, 0};
  const auto& corners = local_faces[face];
  for (int e = 0; e < 6; ++e) {
    int shared = 0;
    for (int c : corners) shared += c == local_edges[e][0] || c == local_edges[e][1];
    if (shared < 2) continue;
    out.local[out.count++] = e;
    if (order == 2) out.local[out.count++] = 6 + e;
  }
  if (order == 2) {
    out.local[out.count++] = 12 + 2 * face;
    out.local[out.count++] = 13 + 2 * face;
  }
  return out;
}

}  // namespace conoid::maxwell_fem
