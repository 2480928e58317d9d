// SPDX-License-Identifier: BSD-3-Clause
// Small complete runs on test bodies: what the verification tables and the tests have in common.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "engine/mesh/mesh.hpp"
#include "engine/solvers/acoustic_bem/discretization/assembly.hpp"
#include "engine/solvers/acoustic_bem/discretization/excitation.hpp"
#include "engine/solvers/acoustic_bem/stepping/march.hpp"
#include "engine/solvers/acoustic_bem/stepping/spectrum.hpp"

namespace conoid::acoustic_bem {

/// Unit sphere with 10 d² + 2 vertices, flat faces with the ball's volume.
[[nodiscard]] Surface unit_sphere(int divisions, bool equal_volume = true, Ordering ordering = Ordering::hilbert);
/// Cube of side 1 about the origin with n divisions an edge.
[[nodiscard]] Surface unit_cube(int n);
/// 1 × 1 × 10 bar.
[[nodiscard]] Surface bar(int n);
/// A box open at the top with thick walls: a cavity of resonances of its own.
[[nodiscard]] Surface cup();

/// cΔt = ratio · h, c = 1; γ = 1/ℓ_max for the combined forms.
[[nodiscard]] Form form_for(const Surface& surface, FormName name, double ratio = 0.4);

/// Ricker pulse that peaks at wave number k, c = 1.
[[nodiscard]] Pulse ricker_of(double k);

/// By which errors fall with the mean edges of two meshes.
template <class Errors>
[[nodiscard]] double order(double coarse, double fine, const Errors& a, const Errors& b) {
  return std::log(coarse / fine) / std::log(a.h / b.h);
}

struct SphereErrors {
  Index unknowns = 0;
  double h = 0;
  double surface = 0;  ///< relative L², vertices and time
  /// Back (0,0,−3), forward (0,0,3), side (3,0,0), near (1.5,0,−1.5). The last two stand for rings of 16 places about the
  /// axis of the wave, on which the exact signal is one: their root mean square. At a single place the facets' pattern
  /// adds to the error or takes from it, by up to half.
  std::array<double, 4> receivers{};
  Index longest = 0;  ///< row-vector
  double average = 0;
  Index columns = 0;
  double skew = 0;
  double seconds_assembly = 0, seconds_march = 0;
  std::uint64_t evaluations = 0;
  double ts_error_db = 0;  ///< largest over ka 0.5 … 4.49, back, side and forward
  // Of compressed matrices:
  double far_error = 0;    ///< of far blocks, as those tell that were computed whole
  double row_vectors = 1;  ///< over those of whole matrices
};

struct SphereSetting {
  int divisions = 4;
  FormName form = FormName::NC;
  bool equal_volume = true;
  double ratio = 0.4;
  double point_source = 0;  ///< distance on −z; 0: plane wave along +z
  bool target_strength = false;
  int grouped = 8;
  double compression = 0;  ///< error of compressed matrices; 0: whole ones
  Index cluster = 256;     ///< unknowns in theirs
};
[[nodiscard]] SphereErrors sphere_errors(const SphereSetting& setting, Team& team);

/// max|a| over the peak after the given steps, excited by a pulse (`noise` = 0) or by noise during so many steps.
struct LateLevels {
  Index unknowns = 0;
  std::vector<double> level;
};
[[nodiscard]] LateLevels late_levels(const Surface& surface, const Form& form, int noise, std::vector<Index> steps,
                                     Team& team);
/// The same with these matrices of the surface.
[[nodiscard]] LateLevels late_levels(Matrices<double> matrices, const Surface& surface, const Form& form, int noise,
                                     std::vector<Index> steps, Team& team);

/// Compressed to this error up to where a pulse of ricker_of(k) ends, in clusters of up to `cluster` unknowns. The surface is ordered by
/// clusters.
template <class Real>
[[nodiscard]] Matrices<Real> compressed_all(const Surface& surface, const Form& form, double error, double k,
                                            Index cluster, int grouped, Team& team);

/// A source inside a closed rigid body as "incident" field of form N: outside, the scattered field is exactly minus its
/// field. Largest relative L² error over four receivers.
[[nodiscard]] double interior_source_error(const Surface& surface, Team& team);

/// Receiver signals of a body for an oblique plane wave.
[[nodiscard]] std::vector<double> body_receivers(const Surface& surface, const Form& form, double k,
                                                 const std::vector<Vec3>& receivers, double span, Team& team);

/// Echoes of plane waves from twelve places about the unit sphere (of equal volume), solved for at ka 0.5, 1.5 and 3, and what the sphere sends in 62 directions
/// of one of them, against the series.
struct EchoErrors {
  Index unknowns = 0;
  double h = 0;
  double monostatic_db = 0;  ///< worst echo
  double directivity = 0;    ///< far field in all directions, relative L²
  double allowed = 0,
         allowed_db = 0;  ///< what mesh and step allow of these: (kh)²/√720 + (ωΔt)²/12 of the mean over directions
  double transformed = 0;  ///< right-hand side of a plane wave against the sum over the steps of a pulse, relative L²
};
[[nodiscard]] EchoErrors echoing_sphere(int divisions, FormName form, Team& team);

/// A rigid spheroid of semi-axes 1, 1 and 7 with its corners on the true surface, made curved (curved_faces.hpp), in a wave of wave number
/// spheroid_wave_number along its axis: target strength backwards, dB over 1.
struct SpheroidEcho {
  Index unknowns = 0;
  double level = 0;
};
/// 38 kHz on 140 x 20 mm in water of 1477.3 m/s.
inline constexpr double spheroid_wave_number = 1.6161987522698456;
/// By rings of sources within (method of fundamental solutions), the same to 1e-5 dB with 80 and 140 rings at 0.6 of the width.
inline constexpr double spheroid_level = -29.16626;
[[nodiscard]] SpheroidEcho spheroid_echo(int divisions, Team& team);

}  // namespace conoid::acoustic_bem
