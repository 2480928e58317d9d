// SPDX-License-Identifier: BSD-3-Clause
// FE-IIEE: the boundary data on S found by iteration between the interior problem and the radiation of S' (L. E. García-Castillo
// et al., Comput. Methods Appl. Mech. Eng. 194 (2005) 637).
//
// With M = R C K⁻¹ (−B) (interior solution, currents on S', radiation to S) the data satisfy Ψ = Ψ_0 + M Ψ. fixed_point: the
// paper's iteration, in residual form δ ← M δ, Ψ ← Ψ + δ. gmres: the same operator, (I − M) Ψ = Ψ_0, which converges where the
// plain iteration diverges (electrically large bodies with S close by); all right-hand sides share one space (block_gcr.hpp).
//
// With several ranks each holds the whole matrix. Where they share its factors they solve together, and each finds the currents of some
// right-hand sides; else they share the right-hand sides of the solves. They share the elements of S of the radiation (of a compressed operator each has made the rows of its own part alone), and add up what they found, so that all ranks
// iterate on the same numbers.
#pragma once

#include "engine/cluster/communicator.hpp"
#include "engine/linalg/block_gcr.hpp"
#include "engine/solvers/maxwell_fem/solving/radiation.hpp"
#include "engine/solvers/maxwell_fem/solving/system.hpp"

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
  Index block = 64;               ///< right-hand sides that are solved at once: bounds the memory of fields
  Bytes memory = Bytes{2} << 30;  ///< of the Krylov space
  std::stop_token stop = {};      ///< the same as the system's and the radiation's
};

/// Seconds spent so far.
struct TruncationTimes {
  double solve = 0, radiate = 0;
};

class Truncation {
 public:
  /// `system` must be factored; all must outlive this. `cluster` null: a single rank.
  Truncation(System& system, const Radiation& radiation, const TruncationOptions& options,
             Communicator* cluster = nullptr)
      : system_(&system), radiation_(&radiation), options_(options), cluster_(cluster) {}

  /// After a stop (an error of code stopped) of start() nothing is of use; of piece(), state() is as if it had not been called,
  /// or as after its end.
  [[nodiscard]] Status start(Team& team, std::vector<Incident> waves);
  /// A piece of an iteration of a second or so (a block of solves, a part of S), so that a stop is heard; true: with it an
  /// iteration of all columns that have not converged came to its end.
  [[nodiscard]] Result<bool> piece(Team& team);
  /// A whole iteration, or what is left of one.
  [[nodiscard]] Status step(Team& team);
  [[nodiscard]] bool finished() const { return active_.empty(); }
  [[nodiscard]] bool converged() const { return !diverged_ && largest_residual() <= options_.tolerance; }
  [[nodiscard]] bool diverged() const { return diverged_; }

  [[nodiscard]] const std::vector<Incident>& waves() const { return waves_; }
  [[nodiscard]] Index iterations() const { return iterations_; }
  [[nodiscard]] Index active() const { return static_cast<Index>(active_.size()); }
  /// Columns to which the operator was applied so far, summed over iterations.
  [[nodiscard]] Index applications() const { return applications_; }
  [[nodiscard]] double residual(Index column) const { return residual_[static_cast<std::size_t>(column)]; }
  [[nodiscard]] double largest_residual() const;
  /// ‖δ_{i+1}‖/‖δ_i‖ of the last step of column 0: of the fixed point, its rate of convergence.
  [[nodiscard]] double last_ratio() const { return last_ratio_; }
  [[nodiscard]] const TruncationTimes& times() const { return times_; }
  /// Right-hand sides that this rank took part in solving so far.
  [[nodiscard]] Index solved() const { return solved_; }

  /// Where the iteration stands at its last whole step. Of at most `most` bytes beyond Ψ and its residuals: a larger Krylov
  /// space is left out.
  [[nodiscard]] BlockGcr::State state(Bytes most) const;
  /// Goes on from there, after start() with the same waves. False: it does not belong to them; nothing has changed.
  [[nodiscard]] bool restore(const BlockGcr::State& state);

  /// Ψ as it stands, columns.
  [[nodiscard]] const std::vector<Complex>& psi() const { return gcr_ ? gcr_->solution() : psi_; }
  /// Fields (unknowns, PEC included) of columns [first, first + count) for the data psi(), and their currents.
  [[nodiscard]] Status fields(std::span<const Complex> psi, Index first, Index count, std::vector<Complex>& u,
                              std::vector<Complex>& f);

 private:
  /// M applied to some columns, under way.
  struct Product {
    std::span<const Complex> in;
    Index count = 0, solved = 0, radiated = 0;  ///< columns of this rank, elements of S of this rank
    std::vector<Complex> f, out;
  };
  [[nodiscard]] Status solve_block(Product& p);
  void radiate_part(Team& team, Product& p);
  [[nodiscard]] Status still_wanted();
  [[nodiscard]] Interval mine(Index count) const;
  void add_up(std::vector<Complex>& values) const;
  [[nodiscard]] Status take(std::vector<Complex> product);

  System* system_;
  const Radiation* radiation_;
  TruncationOptions options_;
  Communicator* cluster_;
  std::vector<Incident> waves_;
  std::vector<Index> active_, steps_;
  std::vector<double> residual_, norms_;
  std::vector<Complex> psi_, delta_;  ///< fixed point: Ψ of all columns, δ of the active ones
  std::unique_ptr<BlockGcr> gcr_;     ///< the other method
  std::unique_ptr<Product> product_;
  std::vector<Complex> fields_, currents_;  ///< of a block, of a product; kept, since pages from the system take long
  int threads_ = 1;
  Index iterations_ = 0, applications_ = 0, solved_ = 0;
  double last_ratio_ = 0;
  bool diverged_ = false;
  TruncationTimes times_;
};

}  // namespace conoid::maxwell_fem
