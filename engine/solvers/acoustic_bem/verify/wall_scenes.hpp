// SPDX-License-Identifier: BSD-3-Clause
// Short runs on bodies that move, absorb or yield, over grounds and in rooms, against exact answers. c = ρ = 1.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include "engine/solvers/acoustic_bem/discretization/drive.hpp"
#include "engine/solvers/acoustic_bem/discretization/excitation.hpp"
#include "engine/solvers/acoustic_bem/discretization/surface.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"

namespace conoid::acoustic_bem {

/// Unit sphere with its faces in groups: "cap" within `half_angle` of +z, "rest".
[[nodiscard]] Mesh grouped_sphere(int divisions, double half_angle);
/// Unit sphere of rings, one of them at `half_angle` from +z: the cap's border is a polygon of edges.
[[nodiscard]] Mesh ringed_sphere(int rings, double half_angle);

struct WallScene {
  Surface surface;
  Form form;
  std::vector<Wave> waves;  ///< onsets set here; images below a ground added
  std::vector<Motion> motions;
  std::vector<Vec3> places;
  double after = 10;  ///< length of the run after the pulse, in times at c = 1
};
struct WallSignals {
  std::vector<double> a_times, u_times;
  std::vector<std::vector<double>> a;  ///< [step][unknown]
  std::vector<std::vector<double>> u;  ///< [place][step]: scattered and radiated
  std::vector<Wave> waves;
  double t0 = 0;      ///< of the first wave or motion
  double energy = 0;  ///< given by motions
};
[[nodiscard]] WallSignals run_scene(WallScene scene, Team& team);

struct WallErrors {
  Index unknowns = 0;
  double h = 0, surface = 0,
         receiver = 0;  ///< relative L²; the receiver's is the worst of places on a ring and the axis
};
/// Motions by their Legendre coefficients: {1} pulsates, {0, 1} oscillates.
enum class SphereMotion : char { pulsating, oscillating, cap };
[[nodiscard]] WallErrors moving_sphere(int divisions, SphereMotion motion, Team& team);
/// All of it an impedance ζ; 0: soft, as a group.
[[nodiscard]] WallErrors absorbing_sphere(int divisions, double impedance, Team& team);

/// Σ u e^{iωt} Δt of a signal at even times, and of a pulse's samples.
[[nodiscard]] std::complex<double> transformed(const std::vector<double>& u, const std::vector<double>& times,
                                               double omega);
[[nodiscard]] std::complex<double> transformed(const Pulse& pulse, double t0, double dt, double omega);

/// A wall that rings and relaxes: β = 0.1 + 0.6/(s + 2) + (s + 0.3)/(s² + s + 9.25), c = 1; passive.
[[nodiscard]] RationalAdmittance ringing_wall();
struct SpectralErrors : WallErrors {
  std::vector<double> wave_numbers, of;  ///< of the pressure at the first place, over the exact one
};
/// A sphere all of such a wall: signals, and spectra of the first receiver (behind, at r = 3) at four wave numbers.
[[nodiscard]] SpectralErrors remembering_sphere(int divisions, const RationalAdmittance& wall, Team& team);
/// A duct of 1.2 × 0.4 × 0.4 with a piston at one end and the wall at the other, `divisions` elements a unit of length: spectra of the
/// pressure at x = 0.7 against plane waves with the wall's reflection (1 − β)/(1 + β).
/// `exact`: β(ω) under e^{jωt} that the wall stands for, if it is a fit.
[[nodiscard]] SpectralErrors absorbing_duct(int divisions, const RationalAdmittance& wall, Team& team,
                                            const std::function<std::complex<double>(double)>& exact = {});
/// The same with a porous layer of thickness 0.2 and f/resistivity = 0.048 to 0.16, fitted as a case's is, against Miki's law itself.
[[nodiscard]] SpectralErrors porous_duct(int divisions, Team& team);
/// What an ear hears of sources in all directions, at each wave number: `of` is the relative L² over directions.
struct HearingErrors : SpectralErrors {
  double dt = 0;
  std::vector<double> levels;  ///< largest over directions of |20 log10|p/p_exact||, dB
  std::vector<double> delays;  ///< largest of |arg(p/p_exact)|/ω
  std::vector<double> mean_levels,
      mean_delays;             ///< the same, root mean square over directions: of one, facets make more or less
  std::vector<double> spread;  ///< loudest direction over the most silent one, exact
  /// What the mesh and the step may cost at wave number `f`, relative to the loudest direction: e^{ikx} is off from the nearest functions that
  /// are linear on pieces of length h by (kh)²/√720 in the mean square, and linear between the steps by (ωΔt)²/12 in the mean.
  [[nodiscard]] double allowed(std::size_t f) const;
};
/// An ear, a cap of 0.35 rad of a rigid sphere, hearing sources at a distance of three radii in directions 30 degrees apart, against the
/// series over the same faces, at four wave numbers.
[[nodiscard]] HearingErrors hearing_sphere(int divisions, Team& team);
/// late_level_of_walls() with that wall beside the soft cap.
[[nodiscard]] double late_level_of_memory(int divisions, const RationalAdmittance& wall, Index steps, Team& team);

/// A sphere over the ground against two spheres with sources at both places: largest difference of surface values, over the peak.
/// `filling`: they hold another fluid.
[[nodiscard]] double sphere_over_ground(int divisions, bool rigid, Team& team,
                                        const std::optional<Filling>& filling = {});

/// A point source in a box, against image sources: relative L² at a receiver until sound has crossed the box a few times.
[[nodiscard]] WallErrors box_room(int divisions, Team& team);

/// max|a| over the peak after so many steps of noise: a sphere with a soft cap and the rest of impedance ζ (0: rigid).
[[nodiscard]] double late_level_of_walls(int divisions, double impedance, Index steps, Team& team);

}  // namespace conoid::acoustic_bem
