// SPDX-License-Identifier: BSD-3-Clause
// Complete solutions of test problems: what the verification table, the tests and the bench have in common.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/exact.hpp"
#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/discretization/ground.hpp"
#include "engine/solvers/elastic_bem/discretization/waves.hpp"
#include "engine/solvers/elastic_bem/solving/foundation.hpp"

namespace conoid::elastic_bem {

/// A surface with its equations, ready for several frequencies. Throws Failure on what a case would report.
class TestBody {
 public:
  /// `groups`: conditions of named groups, in order 1, 2, …; everything else is condition 0, "enclosing" cells are −1. `compression`: that of
  /// the static row sums, 0: by every pair.
  TestBody(Mesh mesh, SurfaceOptions options, std::vector<std::pair<std::string, std::array<bool, 3>>> groups,
           Medium medium, Accuracy accuracy, Team& team, double compression = 0);
  [[nodiscard]] std::vector<BoundaryValues> solve(double omega, const std::vector<LoadValues>& cases,
                                                  SolveOptions options = {});
  /// Matrix, factors and residuals in single precision.
  [[nodiscard]] std::vector<BoundaryValues> solve_in_single(double omega, const std::vector<LoadValues>& cases);
  [[nodiscard]] std::vector<Complex3> inside(double omega, const std::vector<Vec3>& points,
                                             const BoundaryValues& values);
  [[nodiscard]] std::vector<Stress> stresses(double omega, const std::vector<Vec3>& points,
                                             const BoundaryValues& values);
  [[nodiscard]] const Surface& surface() const { return *surface_; }
  [[nodiscard]] const BoundarySystem& system() const { return *system_; }
  /// Its own image in the planes across these axes: parted by parities from here on.
  void part(const std::vector<int>& axes);
  [[nodiscard]] const Medium& medium() const { return medium_; }
  SolveFacts facts;  ///< of the last solve()
  /// What lies beyond the ground's rim at the frequency of the last solve(); null where it is not known.
  [[nodiscard]] const FarField* far() const { return far_.get(); }

 private:
  template <class Real>
  [[nodiscard]] std::vector<BoundaryValues> solve_in(double omega, const std::vector<LoadValues>& cases,
                                                     SolveOptions options);
  Mesh mesh_;
  std::unique_ptr<Surface> surface_;
  std::optional<BoundarySystem> system_;
  Medium medium_;
  Accuracy accuracy_;
  Team& team_;
  SurfaceOptions options_;
  StaticDiagonal diagonal_;
  SolveMemory memory_;
  std::unique_ptr<FarGround> ground_;
  std::unique_ptr<FarField> far_;
};

/// Cube-sphere cavity of radius 1; `order` 0: constant elements on flat quads, 1: linear, 2: quadratic.
[[nodiscard]] TestBody cavity(int divisions, int order, double nu, double target, Team& team);
/// Largest error of u_r under internal pressure over the exact value.
[[nodiscard]] double cavity_pressure_error(TestBody& body, double ks, Chief chief = Chief::automatic,
                                           Method method = Method::mixed);
/// Relative L² error of the wall's displacement under a P wave along z.
[[nodiscard]] double cavity_wave_error(TestBody& body, double kp);

/// The same under an SV or SH wave in an oblique direction.
[[nodiscard]] double cavity_shear_error(TestBody& body, WaveKind kind, double ks);
/// Largest error of the six stresses at points around the cavity under pressure, over the largest of them.
[[nodiscard]] double cavity_stress_error(TestBody& body, double ks);
/// The same on the wall, at the middle of every element.
[[nodiscard]] double cavity_wall_stress_error(TestBody& body, double ks);
/// The same in the medium, `away` sizes of an element from the wall: beside middles, sides and corners of elements.
[[nodiscard]] double cavity_close_stress_error(TestBody& body, double ks, double away);
/// A vertical force runs along a strip of damped ground at 0.6 c_S: error of u_z beside it against superposed point forces.
[[nodiscard]] double moving_load_error(Team& team);
/// Two square foundations six half-widths apart on damped ground.
struct TwoFoundations {
  double asymmetry = 0;  ///< of the 12 × 12 impedance over its largest entry
  double unlike = 0;     ///< vertical impedances of the two, relative difference: they are mirror images
  double through =
      0;  ///< motion of one under a force on the other against ground without end, relative error; no friction
};
[[nodiscard]] TwoFoundations two_foundations(Team& team);
/// Solid angle of a unit square from a point at the height `height` above it, by the rule for near points: relative error.
[[nodiscard]] double near_rule_error(double height, double target);

/// Column 1 × 1 × L fixed at z = 0, traction 1 along z at the end: relative error of the mean end displacement.
[[nodiscard]] double column_error(bool rollers, double nu, double beta, double frequency, double length, int along,
                                  int order, bool constant, Team& team);

/// Rigid disc of radius 1: smooth (vertical, rocking) or tangential (horizontal, torsion) impedance at a0 over μ.
struct DiscSetting {
  double nu = 1.0 / 3;
  Contact contact = Contact::smooth;
  bool fine = true;  ///< graded quadratic; else constant elements
  double extent = 6;
  double rock = 0;  ///< depth of rigid rock; 0: none
  double beta = 0;
};
[[nodiscard]] TestBody disc(const DiscSetting& setting, Team& team);
[[nodiscard]] std::vector<Complex> foundation_impedance(TestBody& body, Contact contact, double omega);

/// Amplitudes of a massless rigid body of radius 1 under an SH wave of amplitude 1 along x.
struct WaveMotion {
  double motion = 0, rotation = 0;
};
[[nodiscard]] WaveMotion sphere_under_wave(double a0, Team& team);
/// Half of a sphere in the ground, the wave grazing it, at several k_S a; `fine`: finer mesh, ground to 8 radii instead of 5.
[[nodiscard]] std::vector<WaveMotion> hemisphere_under_wave(const std::vector<double>& a0, bool fine, Team& team);
/// Static K_h/μa of a welded rigid hemisphere, ground to `extent` radii.
[[nodiscard]] double embedded_stiffness(double extent, Team& team);
/// Static impedance over μ of a welded rigid cylinder of radius 1, as deep, about the middle of its base; ν = 1/4.
[[nodiscard]] std::vector<Complex> embedded_cylinder(Team& team);
/// A floating pile of radius 1 in soil of ν = 0.4, ρ = 1.
struct PileSetting {
  double length = 10;
  double stiffness = 100;  ///< Young's modulus over that of the soil
  double omega = 0.002;    ///< over c_S of the soil without damping
  double beta = 0;         ///< of the soil
  double density = 0;
};
/// The same, over μ, of its head; sections stay normal to the axis.
[[nodiscard]] std::vector<Complex> pile_stiffness(const PileSetting& setting, Team& team);
/// Displacement of a free sphere under even pressure against that at rest, and under an even traction against its acceleration.
[[nodiscard]] double free_sphere_error(double omega, Team& team);
[[nodiscard]] double thrown_sphere_error(double omega, Team& team);
/// surface_response() against a table.
[[nodiscard]] double surface_response_error();
/// The table of surface_response() against it, down to tables of k_S r = 0 alone.
[[nodiscard]] double surface_table_error();
/// An even pressure on a disc of radius 1, ground to 5: errors of u_z on the mesh, its faded part too, and beside it.
[[nodiscard]] std::vector<double> far_receivers_error(double omega, Team& team);

/// Errors (relative to the largest) of the 240-element example at its internal points.
[[nodiscard]] double example_240_error(Team& team, bool single = false);

/// A half, quarter or eighth whose mirror images make it whole: an eighth of a cavity, a quarter of a box of quads or triangles
/// that is held below, a quarter of flat ground. `order` as of cavity().
enum class SymmetricBody { cavity, triangles, box, ground };
[[nodiscard]] Mesh symmetric_part(SymmetricBody body, int order);
/// Under loads without symmetry, by parities and all equations at once: largest difference over the largest value; unknowns, and those of
/// the largest parity.
struct Parted {
  double error = 0;
  Index unknowns = 0, largest = 0;
};
[[nodiscard]] Parted parted_answer(SymmetricBody body, int order, double omega, Team& team);

/// Bodies of which compressed and dense matrices are compared: a cavity (also in a nearly incompressible medium), ground that fades, a
/// column held below, the same held by nothing. `order` as of cavity(); `length`: what lengths are over those of the others.
enum class CompressedBody { cavity, incompressible, ground, held_box, free_box };
[[nodiscard]] TestBody compressed_body(CompressedBody body, int divisions, int order, Team& team,
                                       double compression = 0, double length = 1);
/// Two loads by both at ω/`length`: largest relative L2 difference of displacements and tractions, and what either solution tells of itself.
struct Compressed {
  double error = 0;
  Index unknowns = 0;
  SolveFacts facts, dense;
};
[[nodiscard]] Compressed compressed_answer(CompressedBody body, int divisions, int order, double omega,
                                           double tolerance, Team& team, double length = 1);

/// A sphere of radius 1 of another medium in the full space under a P wave, k_P a outside: relative L2 error of the displacement of the
/// interface, and of that at points in the sphere and around it. `order` as of cavity(); `stiffness`, `density` over those outside.
struct InclusionSetting {
  int divisions = 3, order = 2;
  double kp = 1, stiffness = 4, density = 1.5;
  Chief chief = Chief::automatic;
  Method method = Method::mixed;
};
[[nodiscard]] std::array<double, 2> inclusion_wave_error(const InclusionSetting& setting, Team& team);
/// A sphere of radius 1 with a core of radius 0.5, under pressure: largest error of u_r on both surfaces over the exact value outside.
[[nodiscard]] double layered_sphere_error(int divisions, int order, double omega, Team& team);
/// Two cubes of different media on each other between rollers, loaded at the end: relative error of its displacement. `apart`: the
/// upper one's stiffness over the lower one's.
[[nodiscard]] double layered_column_error(double apart, double omega, int divisions, int order, Team& team);
/// Rigid disc on a layer of twice its radius over a half-space: impedance as foundation_impedance(), over the layer's μ. `half_space` over
/// the layer's stiffness; densities are alike.
[[nodiscard]] std::vector<Complex> disc_over_half_space(double half_space, double a0, double beta, double extent,
                                                        Contact contact, Team& team);

/// Forces in the medium: two points of a free box, motion of one along i under a force on the other along j against the other way round,
/// relative to the largest; and the mean motion of a square of damped ground under a force below it, against the exact field of an even pressure on
/// the square (relative error).
[[nodiscard]] double point_force_asymmetry(Team& team);
[[nodiscard]] double buried_force_error(Team& team);
/// The same mean by the field of a force in a half-space, without a mesh; and what a held square of ground to three radii feels of a force
/// beside and below it, against ground to ten radii.
[[nodiscard]] double half_space_force_error();
[[nodiscard]] double held_square_reach_error(Team& team);

/// Waves in layered ground without a mesh (layered_waves.hpp), relative errors. Layers of one medium against the half-space, all kinds and angles:
/// displacements and tractions.
[[nodiscard]] double layered_wave_half_space_error(double beta);
/// A layer over a half-space under upright waves and SH waves of any angle, 2A cos q_1 z/(cos q_1 H + i alpha sin q_1 H); over rock.
[[nodiscard]] double layered_wave_column_error();
/// Traction on the surface, jumps of displacement and traction across interfaces, power through a level without damping.
[[nodiscard]] std::array<double, 3> layered_wave_balance();
/// Rigid rock against rock that is 1e10 times as stiff as the ground (impedances 1e7 of each other).
[[nodiscard]] double layered_wave_rock_error();

/// Rayleigh and Love waves of layered ground (layered_modes.hpp), relative errors. Layers of one medium against the half-space's Rayleigh wave:
/// displacements and tractions.
[[nodiscard]] double surface_wave_half_space_error(double beta);
/// Three layers of the Earth's crust, modes 0 to 2 of both kinds at periods of 0.5 to 40 s: speeds against another program's.
[[nodiscard]] double surface_wave_speed_error();
/// A layer over a half-space, Love waves: against the roots of mu_1 q_1 tan q_1 H = mu_2 sqrt(k² - k_S2²), by one Newton step of it.
[[nodiscard]] double love_wave_error(double beta);
/// All media with one damping: against k(ω/sqrt(1 + 2 i beta)), continued from undamped waves of real frequencies.
[[nodiscard]] double damped_surface_wave_error();
/// Traction on the surface, jumps across interfaces (over the largest), power through an upright plane over energy against dω/dk.
[[nodiscard]] std::array<double, 3> surface_wave_balance();

/// Stresses in layered ground without a mesh (layered_stresses.hpp), over their largest component. Layers of one medium against the field of a force
/// in the half-space: integrals, table.
[[nodiscard]] std::array<double, 2> layered_stress_half_space_error(double beta, double omega);
/// At rest under a force on the surface.
[[nodiscard]] double boussinesq_stress_error();
/// In soft and stiff layers over a half-space and rock, by differences of the sixth order: equilibrium (a length), Hooke's law.
[[nodiscard]] std::array<double, 2> layered_stress_balance(double omega);
/// Tractions on the surface; their jumps across interfaces.
[[nodiscard]] std::array<double, 2> layered_stress_border_error();

/// A soft layer of saturated clay, a stiff one above and one below it that waves run along.
[[nodiscard]] SoilProfile unlike_layers(double beta, bool rock);
/// Two layers of 0.4 and 1.5 m over a half-space, all of one medium: what is known of the half-space holds.
[[nodiscard]] inline SoilProfile half_space_in_layers(const Medium& m) {
  SoilProfile out;
  out.layers = {{m, 0.4}, {m, 1.5}};
  out.half_space = m;
  return out;
}
/// Layered ground without a mesh (layered_system.hpp). Rigid disc of radius 1, `around` elements a quarter of the circle: impedance over μ of
/// the uppermost medium.
[[nodiscard]] std::vector<Complex> disc_on_profile(const SoilProfile& profile, double omega, Contact contact,
                                                   int around, Team& team);
/// Two welded rectangles beside each other: asymmetry of their 12 × 12 impedance over its largest entry.
[[nodiscard]] double foundations_on_profile_asymmetry(const SoilProfile& profile, double omega, Team& team);
/// Surface functions of layers of one medium against those of the half-space, r = 1e-4 to 50: integrals, table.
[[nodiscard]] std::array<double, 2> layered_response_error(double beta, double omega);
/// Compliance of layers over rock and over a half-space against columns (waves straight down) and Love waves, exact.
[[nodiscard]] double layered_column_compliance_error();
/// Forces and points at several depths of layers of one medium against the field of a force in the half-space, on and off borders, offsets 0 to 40:
/// integrals, table, over the largest component there.
[[nodiscard]] std::array<double, 2> buried_response_error(double beta, double omega);
/// Depths exchanged, in soft and stiff layers over a half-space or rock: over the largest function.
[[nodiscard]] double buried_asymmetry(double omega);
/// Loads and displacements within a layer over rock and over a half-space against columns (waves straight down), exact.
[[nodiscard]] double buried_column_error();
/// Below the lowest frequency of an undamped layer on rock nothing carries energy away: the part out of phase over the part in phase.
[[nodiscard]] double buried_cutoff_error();
/// Soft layers with a mode that does not travel at k = (0.26 + 0.36i) k_S: tables of depths and of the surface against a path close to the axis, which
/// is below it.
[[nodiscard]] std::array<double, 2> crossed_modes_error();

/// Impedance of a welded rigid hemisphere of radius 1 in a hemispherical filling of radius 2 in the ground, over μ = 1.
[[nodiscard]] std::vector<Complex> hemisphere_in_filling(const Medium& soil, const Medium& filling, double omega,
                                                         Team& team);
/// The same hemisphere in the soil itself.
[[nodiscard]] std::vector<Complex> hemisphere_in_soil(const Medium& soil, double omega, Team& team);
/// K_t, exact: half of that of a sphere in a spherical filling, whose middle plane torsion leaves free of traction.
[[nodiscard]] Complex torsion_in_filling(const Medium& soil, const Medium& filling, double omega);

/// Largest error over the largest motion of a trace made of frequencies, and what the frequencies that are not among them may be at most.
struct HistoryError {
  double error = 0, limit = 0;
};
/// ∫_0^τ of C. L. Pekeris' motion times 32πμr/F, τ = c_S t/r.
[[nodiscard]] double pekeris_integral(double tau);
/// The surface of a half-space under a pulse of force on it, against C. L. Pekeris' closed form, ν = 1/4; one straight below, against Cagniard's.
[[nodiscard]] HistoryError surface_history_error();
[[nodiscard]] HistoryError history_above_error(double nu);

}  // namespace conoid::elastic_bem
