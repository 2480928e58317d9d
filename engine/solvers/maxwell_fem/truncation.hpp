// SPDX-License-Identifier: BSD-3-Clause
// FE-IIEE: the boundary data on S found by iteration between the interior problem and the radiation of S' (L. E. García-Castillo
// et al., Comput. Methods Appl. Mech. Eng. 194 (2005) 637).
//
// With M = R C K⁻¹ (−B) (interior solution, currents on S', radiation to S) the data satisfy Ψ = Ψ_0 + M Ψ. fixed_point: the
// paper's iteration, in residual form δ ← M δ, Ψ ← Ψ + δ. gmres: the same operator, (I − M) Ψ = Ψ_0, which converges where the
// plain iteration diverges (electrically large bodies with S close by).
#pragma once

#include "engine/linalg/gmres.hpp"
#include "engine/solvers/maxwell_fem/radiation.hpp"
#include "engine/solvers/maxwell_fem/system.hpp"

#include <memory>
#include <vector>

namespace conoid::maxwell_fem {

enum class TruncationMethod : std::uint8_t { fixed_point, gmres };

struct TruncationOptions {
  TruncationMethod method = TruncationMethod::gmres;
  double tolerance =
      1e-3;  ///< of ‖Ψ_{i+1} − Ψ_i‖/‖Ψ_{i+1}‖ (fixed point) or of the residual (GMRES), each right-hand side
  Index longest = 30;
  RadiationLoop loop = RadiationLoop::automatic;
  Index block = 64;  ///< right-hand sides that are solved at once: bounds the memory of fields
};

/// Seconds spent so far.
struct TruncationTimes {
  double solve = 0, radiate = 0;
};

class Truncation {
 public:
  /// `system` must be factored; both must outlive this.
  Truncation(System& system, const Radiation& radiation, const TruncationOptions& options)
      : system_(&system), radiation_(&radiation), options_(options) {}

  [[nodiscard]] Status start(Team& team, std::vector<PlaneWave> waves);
  /// Goes on from data found earlier (columns of the same waves).
  void restore(std::span<const Complex> psi, Index iterations);
  /// One application of the operator to all columns that have not converged.
  [[nodiscard]] Status step(Team& team);
  [[nodiscard]] bool finished() const { return active_.empty(); }
  [[nodiscard]] bool converged() const { return !diverged_ && largest_residual() <= options_.tolerance; }
  [[nodiscard]] bool diverged() const { return diverged_; }

  [[nodiscard]] const std::vector<PlaneWave>& waves() const { return waves_; }
  [[nodiscard]] Index iterations() const { return iterations_; }
  [[nodiscard]] Index active() const { return static_cast<Index>(active_.size()); }
  [[nodiscard]] Index iterations_of(Index column) const { return steps_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] double residual(Index column) const { return residual_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] double largest_residual() const;
  /// ‖δ_{i+1}‖/‖δ_i‖ of the last step of column 0: of the fixed point, its rate of convergence.
  [[nodiscard]] double last_ratio() const { return last_ratio_; }
  [[nodiscard]] const TruncationTimes& times() const { return times_; }

  /// Ψ as it stands, columns.
  [[nodiscard]] std::vector<Complex> psi() const;
  /// Fields (unknowns, PEC included) of columns [first, first + count) for the data psi(), and their currents.
  [[nodiscard]] Status fields(std::span<const Complex> psi, Index first, Index count, std::vector<Complex>& u,
                              std::vector<Complex>& f);

 private:
  [[nodiscard]] Status apply(Team& team, std::span<const Complex> in, Index count, std::vector<Complex>& out);

  System* system_;
  const Radiation* radiation_;
  TruncationOptions options_;
  std::vector<PlaneWave> waves_;
  std::vector<Index> active_, steps_;
  std::vector<double> residual_, norms_;
  std::vector<Complex> psi_, delta_;  ///< fixed point: Ψ of all columns, δ of the active ones
  std::vector<Complex> base_;         ///< GMRES: Ψ it started from
  std::vector<double> scale_;         ///< GMRES: size of the residual it started from, over that of Ψ_0
  std::unique_ptr<LockstepGmres> gmres_;
  std::vector<Complex> start_;  ///< Ψ_0
  Index iterations_ = 0;
  double last_ratio_ = 0;
  bool diverged_ = false;
  TruncationTimes times_;
};

}  // namespace conoid::maxwell_fem
