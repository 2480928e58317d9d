// SPDX-License-Identifier: BSD-3-Clause
// From a document to a solver that is ready to prepare: schema, resources, mesh, the solver's own rules, the
// estimate, the plan of the run.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid {

/// What could be made of a document. With errors among `diagnostics` the later members are missing.
struct Setup {
  std::vector<Diagnostic> diagnostics;
  const SolverInfo* info = nullptr;
  Case input;
  std::shared_ptr<const Mesh> mesh;  ///< null when the case has no mesh
  std::unique_ptr<Solver> solver;
  Offer offer;
  Estimate estimate;
  RunPlan plan;
  bool looked_at = false;  ///< the solver has found no error, and estimate and plan are there
  bool unmeshed = false;   ///< the case names a geometry that has no mesh yet, and none was to be made
  [[nodiscard]] bool ok() const { return solver && !has_errors(diagnostics); }
};

/// Whether a geometry that a case names may be meshed. Looking at a case executes nothing.
enum class Meshing { never, confined, trusted };

/// The solver that looked at a case before: what it keeps of one (reading.hpp) serves the next.
struct KeptSolver {
  const SolverInfo* info = nullptr;
  std::unique_ptr<Solver> solver;
};

/// Never throws: what goes wrong inside becomes a diagnostic. A geometry without a mesh that may not be meshed is a warning, and
/// what needs the mesh is left out.
[[nodiscard]] Setup set_up(const CaseDocument& document, Progress& progress, std::stop_token stop = {},
                           Meshing meshing = Meshing::confined, const OfferSources& sources = {});
/// The same with `kept` as solver where it is of the case's kind, which afterwards is the one that was taken, `out.solver` null.
[[nodiscard]] Setup look_at(const CaseDocument& document, Progress& progress, KeptSolver& kept, Meshing meshing,
                            const OfferSources& sources);

/// The geometry that a case names and that has no mesh yet; empty when there is none.
[[nodiscard]] std::filesystem::path unmeshed_geometry(const Case& input);

/// The mesh a case names, repaired as it says; null when it names none. `notes` gets what was done to it.
[[nodiscard]] Result<std::shared_ptr<const Mesh>> mesh_of(const Case& input, std::stop_token stop = {},
                                                          std::vector<Diagnostic>* notes = nullptr,
                                                          Meshing meshing = Meshing::confined);

}  // namespace conoid
