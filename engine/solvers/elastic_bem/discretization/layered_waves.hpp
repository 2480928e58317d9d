// SPDX-License-Identifier: BSD-3-Clause
// The free field of plane waves in layered ground: what comes from the half-space below, what the layers make of it and send back.
//
// All waves share the horizontal wave number of the incident one (Snell's law). In each layer three of them, P, SV and SH, go down and three
// go up, each with the amplitude 1 where it comes from, so that no exponential grows; the half-space has three that go down beside the
// incident one. No traction on the surface, displacements and tractions that go on across the interfaces (N. A. Haskell, Bull. Seismol. Soc. Am.
// 43 (1953) 17), all amplitudes from one banded system (as the stiffness matrices of E. Kausel, J. M. Roësset, ibid. 71 (1981) 1743, are
// assembled, with amplitudes in the place of displacements: a layer at one of its own frequencies has no stiffness, but amplitudes). Rayleigh and
// Love waves are what these equations allow without an incident wave.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/elastic_bem/discretization/banded_system.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_compliance.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"

namespace conoid::elastic_bem {

/// Thread-safe after it was made.
class LayeredWave {
 public:
  /// `setting`: kind, direction, amplitude (m), `up` and `level` of the surface. Over a half-space the amplitude is that of the incident wave on top
  /// of the half-space, straight below the origin; an upright wave moves an outcrop of the half-space by twice that. On rigid rock it is the motion of
  /// the rock, which only an upright wave moves as a whole. Without layers all kinds, a Rayleigh wave too, are those of waves.hpp. At rest (ω = 0) the limit of ever longer waves. Errors: a Rayleigh wave on layers,
  /// a wave that does not rise to the surface, an oblique one on rock, and, without damping, a frequency of a layer on rock itself.
  [[nodiscard]] static Result<LayeredWave> make(const SoilProfile& profile, const WaveSetting& setting, double omega);
  /// At points of the ground; on an interface tractions are continuous on its plane alone, and others are those of the layer above.
  [[nodiscard]] std::array<Complex, 3> displacement(const Vec3& x) const;
  /// σ·n.
  [[nodiscard]] std::array<Complex, 3> traction(const Vec3& x, const Vec3& n) const;

 private:
  using Vector = std::array<Complex, 3>;
  struct Part {
    PlaneWave wave;
    double from;  ///< depth at which its amplitude is that of the wave
  };
  struct Layer {
    Harmonic harmonic;
    double bottom;  ///< depth
    std::vector<Part> parts;
  };
  explicit LayeredWave(const WaveSetting& setting) : axes_(setting), level_(setting.level) {}
  void add_layers(const SoilProfile& profile, double omega, Complex kh);
  [[nodiscard]] BandedSystem equations() const;
  [[nodiscard]] Status solve(const WaveSetting& setting, bool rock);
  [[nodiscard]] static Result<LayeredWave> make_mode(const SoilProfile& profile, const WaveSetting& setting,
                                                     double omega);
  [[nodiscard]] Status solve_mode(const WaveSetting& setting);
  void take(const std::vector<Complex>& amplitude);
  [[nodiscard]] const Layer& layer_at(double depth) const;
  [[nodiscard]] double depth_of(const Vec3& x) const { return level_ - vec::dot(x, axes_.up); }
  /// e^{−ik·(x − its point)}.
  [[nodiscard]] Complex phase(const Part& part, const Vec3& x) const;

  WaveAxes axes_;
  double level_ = 0;
  std::vector<Layer> layers_;                ///< the half-space last, if any
  std::optional<IncidentField> half_space_;  ///< instead, where there are no layers
};

}  // namespace conoid::elastic_bem
