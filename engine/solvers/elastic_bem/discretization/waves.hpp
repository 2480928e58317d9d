// SPDX-License-Identifier: BSD-3-Clause
// Incident fields: plane P, SV and SH waves in the full space, the same with their reflections at a flat free surface, and
// Rayleigh waves: sums of (possibly inhomogeneous) plane waves d e^{-ik·x}; and the field of a force at a point of the full space or
// of a half-space.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/solvers/elastic_bem/discretization/reflected_force.hpp"
#include "engine/solvers/elastic_bem/kernels/medium.hpp"

namespace conoid::elastic_bem {

enum class WaveKind { p, sv, sh, rayleigh, love };
/// Along the surface, not from below.
[[nodiscard]] constexpr bool is_surface_wave(WaveKind kind) {
  return kind == WaveKind::rayleigh || kind == WaveKind::love;
}

struct WaveSetting {
  WaveKind kind = WaveKind::p;
  Vec3 direction{0, 0, 1};  ///< where it travels; of surface waves its horizontal part
  double amplitude = 1;     ///< displacement, m (at the surface: vertical of Rayleigh waves, across of Love waves)
  int mode = 0;             ///< of surface waves in layers: 0 is the slowest one
  bool half_space = false;  ///< with reflections at the surface
  Vec3 up{0, 0, 1};         ///< outward normal of the surface
  double level = 0;         ///< up · x on the surface
};

/// A plane wave d e^{-ik·x}, perhaps an inhomogeneous one.
struct PlaneWave {
  std::array<Complex, 3> k{}, d{};
  /// σ·n at the origin: −i [λ (k·d) n + μ ((d·n) k + (k·n) d)].
  [[nodiscard]] std::array<Complex, 3> traction(Complex lambda, Complex mu, const Vec3& n) const;
};

/// The directions of a wave below a level surface: horizontally `along` (any where the wave is upright) and `across`, and its `way`.
struct WaveAxes {
  Vec3 up{}, down{}, along{}, across{}, way{};
  explicit WaveAxes(const WaveSetting& setting);
  /// A surface wave that has no direction along the surface.
  [[nodiscard]] static Status along_surface(const WaveSetting& setting);
  /// Of the incident wave's displacement.
  [[nodiscard]] Vec3 polarisation(WaveKind kind) const;
  /// P, SV and SH waves of unit amplitude and the horizontal wave number kh, that go down with the vertical wave numbers qp and qs; with
  /// −qp and −qs: up.
  [[nodiscard]] std::array<PlaneWave, 3> waves(const Harmonic& harmonic, Complex kh, Complex qp, Complex qs) const;
};
/// √ of a squared vertical wave number whose wave decays (or travels) downwards.
[[nodiscard]] Complex downward_root(Complex square);

/// A field that satisfies the equation of motion everywhere but at a point force (with half_space: also no traction on the surface).
class IncidentField {
 public:
  /// At rest the limit of ever longer waves. Errors: a half-space wave that does not come from below; a surface wave without a direction along the
  /// surface; one that needs layers.
  [[nodiscard]] static Result<IncidentField> make(const WaveSetting& setting, const Harmonic& harmonic);
  /// Of a force in the full space (Stokes); infinite at its point.
  [[nodiscard]] static IncidentField point_force(const Vec3& at, const Vec3& force, const Harmonic& harmonic);
  /// The same in a half-space, with what its free surface reflects. `up`: its outward normal; `level`: up · x on it, which the force
  /// lies below.
  [[nodiscard]] static IncidentField buried_force(const Vec3& at, const Vec3& force, const Vec3& up, double level,
                                                  const Harmonic& harmonic);
  [[nodiscard]] std::array<Complex, 3> displacement(const Vec3& x) const;
  /// σ·n.
  [[nodiscard]] std::array<Complex, 3> traction(const Vec3& x, const Vec3& n) const;

 private:
  using Vector = std::array<Complex, 3>;
  struct Source {
    Harmonic harmonic;
    Vec3 at, force;
  };
  Complex lambda_, mu_;
  std::vector<PlaneWave> terms_;
  std::optional<Source> source_;
  std::shared_ptr<const ReflectedForce> reflected_;
};

}  // namespace conoid::elastic_bem
