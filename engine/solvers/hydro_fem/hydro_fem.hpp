// SPDX-License-Identifier: BSD-3-Clause
// The solver hydro-fem: cases in; moving meshes with density, pressure and velocity, energies, tracers and line-outs out.
#pragma once

#include "engine/solvers/hydro_fem/output_view.hpp"
#include "engine/solvers/hydro_fem/problem.hpp"
#include "engine/solvers/solver.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace conoid::hydro_fem {

[[nodiscard]] const SolverInfo& solver_info();

class HydroFem final : public Solver {
 public:
  [[nodiscard]] std::vector<Diagnostic> check(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Status prepare(RunContext& context) override;
  /// A bundle of steps of about 50 ms that never crosses the moment of a results frame; `step` counts accepted steps.
  /// A collapse of the time step ends the march: the last accepted state gets its frame, and finish() returns
  /// ErrorCode::not_converged with zone and place.
  [[nodiscard]] Result<Advanced> advance(RunContext& context) override;
  [[nodiscard]] std::vector<CatalogEntry> catalog() const override;
  void fill(FrameBuilder& builder) const override;
  void save(CheckpointWriter& writer) const override;
  void load(CheckpointReader& reader) override;
  [[nodiscard]] Status finish(RunContext& context) override;

 private:
  /// Numbers that a resumed run goes on with.
  struct Sums {
    double energy_first = 0, energy_worst = 0;
    Index recorded = -1;  ///< the accepted step of the last row
    double shortest_step = 0;
  };

  /// How often a table of states did not hold what was asked of it.
  struct Outside {
    Index steps = 0, most = 0;  ///< accepted steps that had such points, and the most of them at once
    double first = 0;           ///< when [s]
  };

  /// How far a liquid was pulled, seen in the middles of zones at the moments of record().
  struct Tension {
    double most = 0, first = -1;  ///< [Pa]; when it was beyond what is told of [s], -1: never
  };

  /// Rows of the tables over time that are due up to a time and step: by absolute time or steps, never by the end of the run, which may
  /// move. Where the case has no rule every step up to `dense`, then one whenever the steps have grown by 1/dense; each `thinning`-th of
  /// a rule's.
  [[nodiscard]] Index marks(double time, Index step, Index dense, Index thinning) const;

  /// A row if one is due since a time and step, or if `anyway` and the step has none.
  void record(RunContext& context, double from, Index from_step, bool anyway);
  /// Counts and tells of points outside their tables; throws Failure(not_converged) where the case wants the run to end.
  void watch_tables();
  struct ZoneFound {
    double value = 0, zone = 0;
  };
  /// Of values in the middles of the zones of materials in numbers the largest, and the first zone that has it. Collective.
  [[nodiscard]] ZoneFound largest_in_zones(const std::function<double(const PointValues&, const FlatState&)>& what);
  /// Keeps the largest tension of stiffened gases, and tells of the first beyond a thousandth of γ p∞, ρ c² of a liquid without
  /// pressure. Collective.
  void watch_tension();
  /// Tells of the first zone of an ideal gas from which a power has taken more energy than it held. Collective.
  void watch_drain();
  [[nodiscard]] Advanced standing() const;
  void tell_start();
  void record_gauges(RunContext& context);
  void record_tracers(RunContext& context);
  void write_gauges(RunContext& context) const;
  void write_lines(RunContext& context, const State& state) const;
  void write_blast(RunContext& context, const State& state) const;
  void place_points();
  void record_front(RunContext& context);
  /// A blast whose shock runs into gas of one density, so that it can be found.
  [[nodiscard]] bool blast_in_uniform_gas() const { return problem_.setup.point_energy > 0 && problem_.uniform; }
  [[nodiscard]] double reach() const;

  mutable KeptReading<Problem> reading_;  ///< from check() to prepare()
  Problem problem_;
  Communicator* cluster_ = nullptr;
  std::unique_ptr<Operator> op_;
  std::unique_ptr<March> march_;
  std::unique_ptr<View> view_;
  std::vector<View::Spot> tracers_;
  std::optional<Gauges> gauges_;
  std::optional<InitialRun::Amounts> start_off_;  ///< of another run's mass and energy, relative
  std::optional<double> start_pressure_off_;      ///< likewise, of its pressures
  Sums sums_;
  Outside outside_;
  Tension tension_;
  double drained_ = -1;  ///< when a gas had less energy than none [s]; -1: never
  struct MassSolves {
    Index count = 0, iterations = 0;
  };
  MassSolves solves_before_;  ///< in the parts of the run before this one
  bool closed_ = true;        ///< no work is done from outside
  bool announced_ = false;
  std::optional<Error> collapse_;       ///< of the time step
  std::optional<double> exact_radius_;  ///< of the blast after one second
};

/// The shock of a blast in gas of one density: the outermost middle between the density ahead and the largest one, along
/// rays of length `reach` over the axes and diagonals. Rays that leave the material behind the shock do not count. Collective; of several
/// ranks the leading one gets it, the others zeros.
struct ShockFront {
  double radius = 0;  ///< mean over the rays; 0: no shock was found
  double spread = 0;  ///< largest minus smallest
};
[[nodiscard]] ShockFront shock_front(const View& view, const State& state, const Setup& setup, double reach,
                                     double density_ahead, int samples);

/// Measures of a blast against its exact solution at a time: see verify and finish. Collective, as shock_front().
struct BlastErrors {
  double exact_radius = 0;
  double radius = 0;         ///< mean over rays: outermost middle between the density ahead and the largest
  double radius_spread = 0;  ///< largest minus smallest over the rays
  double density_l2 = 0;     ///< sqrt(∫ (ρ - ρ_exact)² dV) over the moved zones
  double density_off = 0;    ///< the same over sqrt(∫ ρ_exact² dV)
};
[[nodiscard]] BlastErrors blast_errors(const Operator& op, const View& view, const State& state, const Setup& setup,
                                       double time, double gamma, double density, int dimension, double whole_energy);
/// Largest difference between a node and its mirror image over x = y, over the size of the grid; for square grids of
/// box_zones with equal zones along x and y. Collective, on the leading rank; 0 elsewhere.
[[nodiscard]] double asymmetry(const Operator& op, const State& state, std::array<Index, 3> zones, double size);

}  // namespace conoid::hydro_fem
