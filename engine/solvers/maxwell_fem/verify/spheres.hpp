// SPDX-License-Identifier: BSD-3-Clause
// Spheres with exact solutions, run from mesh to cross section: for the verification table and tests.
#pragma once

#include "engine/core/error.hpp"
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/problem.hpp"
#include "engine/solvers/maxwell_fem/solving/truncation.hpp"
#include "engine/solvers/test_run.hpp"

#include <memory>
#include <optional>

namespace conoid::maxwell_fem {

struct SphereScene {
  double ka = 1;          ///< of the core
  double distance = 0.1;  ///< from the body to S, in wavelengths
  int divisions = 4, layers = 2;
  int order = 2;
  bool curved = true;
  bool on_body = false;        ///< S' is the body's surface, else one layer off
  std::optional<Medium> core;  ///< none: a conductor
  double kb = 0;               ///< > ka: a coat up to there
  Medium coat;
  int coat_layers = 1;
  FieldForm form = FieldForm::total;
  bool magnetic = false;         ///< PMC core
  std::optional<Complex> eta{};  ///< surface impedance of the core over that of vacuum
  std::optional<Complex>
      shell{};  ///< resistance over that of vacuum of a sheet at the core's surface, on both sides of which is vacuum
  std::optional<Complex>
      half{};        ///< of a conductor: surface impedance over that of vacuum where z < 0; no exact series
  bool bar = false;  ///< what the next order would change
  int terms = 0;     ///< of the exact series, at least
  DirectMethod direct = DirectMethod::automatic;
  TruncationOptions truncation{TruncationMethod::fixed_point, 1e-4, 60, RadiationLoop::automatic, 64};
};

struct SphereOutcome {
  Index tets = 0, unknowns = 0, iterations = 0;
  bool converged = false, diverged = false;
  double ratio = 0;     ///< of the last two corrections
  double mean_db = 0;   ///< mean |difference| of the cross section over both planes, 1° steps, thinned to 2°
  double back_db = 0;   ///< |difference| of the backscattered cross section
  double relative = 0;  ///< L2 of the far-field amplitude over both planes, against the exact one
  double extinction = 0,
         scattering = 0;  ///< σ_ext/πa², σ_sca/πa² (a: outer radius) by the optical theorem and by integration
  double exact_extinction = 0, exact_scattering = 0;
  double edge = 0;  ///< longest, in wavelengths
  /// Where the scene asks for error bars: rms of the error of the far field over both planes, and what is said of it; the change of the
  /// far field back by the next order, and the error of that without and with it. All in volts.
  double off = 0, change = 0, change_back = 0;
  std::array<double, 2> back{};
};

/// The options with the loop that these workers run, as the solver chooses it: devices have a part in the radiation where there are any.
[[nodiscard]] TruncationOptions for_workers(TruncationOptions options, const RowWorkers& workers);

/// Wave along +z, E along x; the outer radius is kb/k with k = 1/m.
[[nodiscard]] Result<SphereOutcome> run_sphere(const SphereScene& scene, const RowWorkers& workers);
/// A sphere as a case has it: S, rows, bands and elements are the program's choice. Of one of the frequencies; `surface`: the
/// body's (or null: problem.sphere), of this outer radius.
[[nodiscard]] Result<SphereOutcome> run_as_case(const Problem& problem, std::size_t frequency,
                                                std::shared_ptr<const Mesh> surface, double radius,
                                                const SphereSeries& exact, const RowWorkers& workers);
/// Exact series of the scene.
[[nodiscard]] SphereSeries exact_series(const SphereScene& scene);
/// The scene's mesh (k = 1/m).
[[nodiscard]] Result<Mesh> sphere_mesh(const SphereScene& scene);
/// Boundary roles and regions of that mesh: "body", "outer", "currents", "core", "coat".
[[nodiscard]] DomainOptions sphere_roles(const SphereScene& scene);

}  // namespace conoid::maxwell_fem
