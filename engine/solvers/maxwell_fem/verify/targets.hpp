// SPDX-License-Identifier: BSD-3-Clause
// Radar targets without an exact solution: symmetry, reciprocity and energy of the NASA almond and the ogive.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/maxwell_fem/discretization/elements.hpp"
#include "engine/solvers/test_run.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace conoid::maxwell_fem {

/// Shapes of A. C. Woo, H. T. G. Wang, M. J. Schuh, M. L. Sanders, IEEE Antennas Propag. Mag. 35 (1) (1993) 84, axis x.
enum class Target : std::uint8_t { almond, ogive, cone_sphere };
/// Triangles of order 1, or of order 2 with every node on the formula.
[[nodiscard]] Result<Mesh> target_surface(Target target, double edge, int order = 1);

struct TargetOutcome {
  Index tets = 0, unknowns = 0, iterations = 0;
  double mirror = 0;           ///< dB between the echoes at +φ and −φ, both polarisations
  double reciprocity = 0;      ///< relative difference of the two ways
  double optical_theorem = 0;  ///< relative difference of extinction and scattering
};
[[nodiscard]] Result<TargetOutcome> run_target(Target target, double frequency, const RowWorkers& workers);

/// A can of ka = 1 whose surface, given as triangles in groups, has impedances of 1/4 and 4 times that of vacuum in turns, a quarter
/// of it each: turned by a quarter about its axis it is its own dual, and such a body sends nothing back along the axis (I. V. Lindell,
/// A. Sihvola, P. Ylä-Oijala, H. Wallén, IEEE Trans. Antennas Propag. 57 (2009) 2725).
struct SelfDualOutcome {
  double back = 0;     ///< |F| back along the axis over that of the same can with 1/4 all over
  double crossed = 0;  ///< the same with two of the quarters of 4 given to 1/4: what a wrong group would leave
};
[[nodiscard]] Result<SelfDualOutcome> run_self_dual(const RowWorkers& workers);

/// A gmsh script: a disc of radius 0.1 m in the plane z = 0, group "disc", in a ball of air up to S, "outer"; elements of this share of
/// the radius at its rim.
[[nodiscard]] std::string disc_script(double rim);
struct DiscOutcome {
  Index unknowns = 0;
  double off = 0;  ///< the broadside echo over the exact one (disc_amplitude()), dB
};
/// That disc as a conductor, as a case has it, with so many layers at its rim.
[[nodiscard]] Result<DiscOutcome> run_disc(double rim, int layers, double ka, const RowWorkers& workers);

struct DuctOutcome {
  Index unknowns = 0;
  std::array<Complex, 2> far{};  ///< VV, HH, seen at 45 degrees off the opening, where the wave comes from, V
  std::array<double, 2> bar{};   ///< what elements of the next order change there, as a run says it, V
  bool settled = false;
};
/// A duct of zero-thickness walls, of this square width and length in wavelengths, closed at one end, elements of this size; with layers at its
/// edges or none.
[[nodiscard]] Result<DuctOutcome> run_duct(double width, double length, double edge, int layers, bool bar,
                                           const RowWorkers& workers);

/// The almond of order 2 with the program's own S at 3.5 GHz, monostatic in its plane every 10 degrees from the tip, against the
/// moment method's values of problem III-A of the Austin RCS Benchmark Suite (The University of Texas at Austin, reference data
/// "III.A.s1.fx1", ARCHIE-AIM): mean |difference| in dB, where the echo is not 25 dB below the largest (a null of HH at 130 degrees).
struct PublishedOutcome {
  Index tets = 0, unknowns = 0;
  double vv = 0, hh = 0;            ///< means
  double most_vv = 0, most_hh = 0;  ///< largest
};
[[nodiscard]] Result<PublishedOutcome> run_published_almond(const RowWorkers& workers);

/// The cone-sphere at 0.869 GHz, every 10 degrees from its round end, against an electric field integral equation for bodies of
/// revolution (Galerkin, triangles along the outline, modes 0 to 5, 102 segments graded towards the tip; within 0.07 dB of 60). It was
/// written for this row alone and shares nothing with this program. Differences as above; the mesh has eight rings at the tip that halve.
[[nodiscard]] Result<PublishedOutcome> run_cone_sphere(const RowWorkers& workers);

}  // namespace conoid::maxwell_fem
