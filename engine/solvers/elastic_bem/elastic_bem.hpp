// SPDX-License-Identifier: BSD-3-Clause
// The solver's face to the session: one frequency a step; several ranks compute one each at a time, or groups of them, which share
// compressed matrices.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/solvers/elastic_bem/discretization/far_ground.hpp"
#include "engine/solvers/elastic_bem/discretization/layered_surface.hpp"
#include "engine/solvers/elastic_bem/discretization/sites.hpp"
#include "engine/solvers/elastic_bem/problem.hpp"
#include "engine/solvers/solver.hpp"
#include "engine/solvers/step_rounds.hpp"

namespace conoid::elastic_bem {

[[nodiscard]] const SolverInfo& solver_info();

/// What one scene answers at one frequency.
struct Answer {
  std::vector<Complex> impedance;                ///< 6F × 6F
  std::vector<std::vector<Complex>> motions;     ///< of each shown case, 6F
  std::vector<BoundaryValues> scattered, total;  ///< of each shown case
  std::vector<std::vector<Complex3>> at_points;  ///< of each shown case: all observers
  std::vector<std::vector<Stress>> stresses;     ///< of each shown case: receivers in the medium
};

/// What is known of one frequency once it is computed.
struct Computed {
  Answer answer;
  std::vector<std::vector<Complex3>>
      alone;  ///< of each shown case, all observers: without trenches, where that is asked for
  SolveFacts facts, facts_alone;
};
[[nodiscard]] Parcel parcel_of(const Computed& computed);
[[nodiscard]] Computed computed_of(const Parcel& parcel);
/// Numbers of a parcel, about.
[[nodiscard]] double parcel_length(const Problem& problem, double points);

class ElasticBem final : public Solver {
 public:
  [[nodiscard]] std::vector<Diagnostic> check(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Status prepare(RunContext& context) override;
  [[nodiscard]] Result<Advanced> advance(RunContext& context) override;
  [[nodiscard]] std::vector<CatalogEntry> catalog() const override;
  void fill(FrameBuilder& builder) const override;
  void save(CheckpointWriter& writer) const override;
  void load(CheckpointReader& reader) override;
  [[nodiscard]] Status finish(RunContext& context) override;

 private:
  /// A scene with what does not depend on the frequency.
  struct Ready {
    /// One medium with its surface.
    struct Part {
      RegionView view;
      std::unique_ptr<FarRules<double>> rules;
      std::unique_ptr<FarRules<float>> rules_single;
      StaticDiagonal diagonal;
    };
    const Scene* scene = nullptr;
    std::vector<Part> parts;
    std::vector<Site> sites;
    std::vector<Whereabouts> places;
    [[nodiscard]] double seconds_sums() const;
    [[nodiscard]] double seconds_rigid() const;
    [[nodiscard]] Index summed_rows() const;
    std::unique_ptr<FarGround> far;  ///< null: what lies beyond the mesh is not known
  };
  /// The case as it is kept, for this offer; null on errors. Diagnostics (warnings too) go to `out`.
  [[nodiscard]] const Problem* read(const Case& input, const Mesh* mesh, const Offer& offer,
                                    std::vector<Diagnostic>& out) const;
  [[nodiscard]] Status make_ready(Ready& ready, const Scene& scene, RunContext& context);
  template <class Real>
  [[nodiscard]] Result<std::vector<BoundaryValues>> solve(const Ready& ready, double omega,
                                                          const std::vector<LoadValues>& cases, RunContext& context,
                                                          SolveFacts& facts, const FarField* far);
  [[nodiscard]] Status observe(const Ready& ready, const Harmonic& harmonic, const FarField* far,
                               const std::vector<std::optional<IncidentField>>& incident, RunContext& context,
                               Answer& out);
  /// At the receivers, by the forces of the places far beyond and the incident fields besides.
  void observe_stresses(const Ready& ready, const Harmonic& harmonic, const FarField* far,
                        const std::vector<std::vector<Complex3>>& forces,
                        const std::vector<std::optional<IncidentField>>& incident, RunContext& context, Answer& out);
  /// Incident fields at the points that lie on no element, by all threads.
  void add_incident_beside_elements(const Ready& ready, const std::vector<std::optional<IncidentField>>& incident,
                                    RunContext& context, Answer& out);
  [[nodiscard]] Result<Answer> answer(const Ready& ready, const Harmonic& harmonic, RunContext& context,
                                      SolveFacts& facts);
  /// The same on layered ground without a mesh (layered_answer.cpp).
  [[nodiscard]] Result<Answer> answer_on_layers(const Harmonic& harmonic, RunContext& context, SolveFacts& facts);
  [[nodiscard]] Status observe_on_layers(const LayeredSurface& ground, double omega, RunContext& context, Answer& out);
  [[nodiscard]] Status observe_stresses_on_layers(const LayeredSurface& ground, const Harmonic& harmonic,
                                                  RunContext& context, Answer& out);
  /// What loads make of the solutions: of unit motions of the foundations' nodes, then of the loads on held ones. `add_incident(case,
  /// values)` puts the incident field of a load in, where it has one. Errors as answers_of_heads().
  [[nodiscard]] Status superpose(const Surface& surface, std::span<const BoundaryValues> solved,
                                 const Harmonic& harmonic,
                                 const std::function<void(std::size_t, BoundaryValues&)>& add_incident,
                                 Answer& out) const;
  /// Displacements of all cases at point k, which lies on an element.
  void observe_on_element(const Surface& surface, const Site& site, std::size_t k, Answer& out) const;
  [[nodiscard]] Result<Parcel> compute(std::size_t frequency, RunContext& context);
  /// A round of frequencies, one a group of ranks; as StepRounds::bring().
  [[nodiscard]] Result<bool> bring_round(RunContext& context);
  /// This rank has what its group solves, and goes on to receivers.
  [[nodiscard]] bool leads_group() const { return !group_ || group_->leads(); }
  /// The leading rank's part of a step: tables, histories, the worst of all.
  void keep(Computed computed, const Harmonic& harmonic, RunContext& context);
  void count(const SolveFacts& facts);
  void write_solution(RunContext& context, const Harmonic& harmonic, const SolveFacts& facts);
  void write_rows(RunContext& context, const Harmonic& harmonic);
  void write_surface_waves(RunContext& context, const Harmonic& h);
  void write_impedance(RunContext& context, const Harmonic& harmonic);
  void write_compliances(RunContext& context, const Harmonic& harmonic);
  void write_motions(RunContext& context, const Harmonic& harmonic);
  /// Springs, dashpots and masses for the impedances of all frequencies.
  void write_lumped(RunContext& context) const;
  /// Traces and response spectra, once all frequencies are known.
  void write_histories(RunContext& context);
  void compare_exact(RunContext& context, const Harmonic& harmonic);
  [[nodiscard]] std::size_t shown() const { return names_.size(); }
  /// The team that computes: in deterministic runs one worker with the threads of all, as sums at nodes where the elements of
  /// several workers meet depend on who comes first.
  [[nodiscard]] Team& crew(RunContext& context);

  mutable KeptReading<Problem> reading_;  ///< from check() to prepare()
  std::unique_ptr<Problem> problem_;
  std::unique_ptr<Team> merged_;
  Ready main_, bare_;
  MeshGeometry geometry_;
  std::vector<Index> cells_;        ///< element of each cell of the geometry
  std::vector<std::string> names_;  ///< of shown cases: loads, else unit motions
  std::vector<Vec3> points_;        ///< receivers, then lines, then planes
  std::size_t step_ = 0;            ///< frequencies done
  SolveMemory memory_;
  Answer now_;
  StepRounds rounds_;
  Index groups_ = 0;                     ///< of ranks, in this round
  std::unique_ptr<Communicator> group_;  ///< those that share the matrices of a frequency; null: this one has its own
  bool leads_ = true;
  std::vector<std::vector<double>> insertion_;  ///< case, point
  std::vector<Complex> receiver_history_;       ///< step, shown case, receiver, component
  std::vector<double> line_history_;            ///< step, line points: amplitude of the first case
  std::vector<Complex> impedance_history_;      ///< step, 6F × 6F
  SolveFacts worst_;
  double exact_error_ = 0;
};

}  // namespace conoid::elastic_bem
