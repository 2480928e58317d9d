// SPDX-License-Identifier: BSD-3-Clause
// Point forces on the free surface of a half-space and the displacements that they make on it (H. Lamb 1904).
//
// With q = k/k_S, α² = q² − κ², β² = q² − 1, R = (2q² − 1)² − 4q²αβ, z = k_S r and d the unit vector into the ground:
//   P along d:        u = k_S P/(2πμ*) [V d + U e],  V = ∫ −α/R J_0(qz) q dq,  U = ∫ (2q² − 1 − 2αβ)/R J_1(qz) q² dq
//   Q on the surface: u = k_S/(2πμ*) [A Q + B (2 e (e·Q) − Q) − U (e·Q) d],
//                     A = ½∫ (1/β − β/R) J_0 q dq,  B = ½∫ (1/β + β/R) J_2 q dq,
// e from the force to the point. All four depend on ν and z alone, so one table serves every frequency. For z → 0 they are those of
// J. Boussinesq and V. Cerruti: zV = 1 − ν, zU = −(1 − 2ν)/2, zA = 1 − ν/2, zB = ν/2.
#pragma once

#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/elastic_bem/kernels/fundamental.hpp"

namespace conoid::elastic_bem {

/// The four functions times z.
struct SurfaceResponse {
  Complex v, u, a, b;
};

/// Component i of the displacement at `offset` from a unit force along j, of these functions there; μ* of the surface's medium, `down`
/// into the ground, `offset` along the surface and not zero.
[[nodiscard]] Matrix3 surface_displacement(const SurfaceResponse& response, Complex mu, const Vec3& offset,
                                           const Vec3& down);

/// By quadrature on a path above the poles, the static part in closed form; about seven digits for |z| ≤ 500. Damping turns z
/// into the lower half-plane, by less than a quarter turn.
[[nodiscard]] SurfaceResponse surface_response(double nu, Complex z);

/// A table along the ray of z that the damping of a medium gives. Thread-safe after it was made.
class SurfaceLoads {
 public:
  /// For ν and k_S of any frequency above zero; `farthest`: largest |k_S| r. Beyond it the last value holds.
  SurfaceLoads(double nu, Complex kS, double farthest, int threads = 1);
  /// Component i of the displacement at `offset` from a unit force along j; `down` into the ground, `offset` along the surface and not
  /// zero.
  [[nodiscard]] Matrix3 displacement(const Harmonic& h, const Vec3& offset, const Vec3& down) const;
  [[nodiscard]] double farthest() const { return step_ * static_cast<double>(table_.size() - 1); }

 private:
  [[nodiscard]] SurfaceResponse at(double z) const;
  static constexpr double step_ = 0.2;
  std::vector<SurfaceResponse> table_;  ///< at |z| = 0, step, 2 step, …
};

}  // namespace conoid::elastic_bem
