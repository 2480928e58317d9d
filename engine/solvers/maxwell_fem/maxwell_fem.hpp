// SPDX-License-Identifier: BSD-3-Clause
// The solver's face to the session. One advance() is a piece of work of a second or so: factors, a block of solves, a part of
// the radiation, the fields of a block; so a stop is heard between them.
//
// Several ranks compute a round of as many frequencies of a band as there are ranks (or groups that were asked for), or as are left of it: rank r belongs to group
// r modulo the number of groups, and a group computes one frequency. When all are done the leading rank has their answers and writes them
// one by one, in their order; so tables do not depend on the number of ranks.
#pragma once

#include "engine/solvers/maxwell_fem/discretization/layout.hpp"
#include "engine/solvers/maxwell_fem/discretization/mie.hpp"
#include "engine/solvers/maxwell_fem/problem.hpp"
#include "engine/solvers/maxwell_fem/solving/next_order.hpp"
#include "engine/solvers/maxwell_fem/solving/outcome.hpp"
#include "engine/solvers/maxwell_fem/solving/rational.hpp"
#include "engine/solvers/solver.hpp"
#include "engine/solvers/step_rounds.hpp"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace conoid::maxwell_fem {

[[nodiscard]] const SolverInfo& solver_info();

/// The points of a plane on which the field is shown, and where in the domain they lie.
struct PlanePoints {
  std::vector<Vec3> x;
  std::vector<Index> tet;       ///< that holds the point; −1: outside of S, −2: inside the body
  std::vector<Vec3> reference;  ///< in the tetrahedron
};
/// An error of code stopped where `stopped` says so.
[[nodiscard]] Result<PlanePoints> locate(const Domain& domain, const PlaneSetting& plane, const Stopped& stopped = {});

class MaxwellFem final : public Solver {
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
  /// The case as it is kept.
  [[nodiscard]] Reading<Problem>& read(const Case& input, const Mesh* mesh) const;
  /// Far-field amplitudes of one frequency that later tables need.
  struct Echo {
    double frequency = 0;
    std::vector<Complex> amplitude;  ///< monostatic: [direction][incident][seen]; else of the direction back
    double extinction = 0, scattering = 0;
  };

  /// Begins a round at next_, with its groups of ranks; or goes on to the mesh of its band, which is a piece by itself.
  [[nodiscard]] Status begin_round(RunContext& context);
  /// What a checkpoint holds of the frequency of this group.
  void take_up();
  /// A piece of the round on this rank, and what came of it on all; true: answers wait.
  [[nodiscard]] Result<bool> compute_round(RunContext& context);
  [[nodiscard]] Status keep(RunContext& context);
  /// Whether only the reciprocity asks for one more wave, and which.
  void choose_check_wave();
  [[nodiscard]] Parcel under_way() const;
  /// The mesh of a band of frequencies, and all that hangs on it.
  [[nodiscard]] Status enter_band(std::size_t band);
  void note_mesh(RunContext& context) const;
  [[nodiscard]] std::size_t band_of(std::size_t frequency) const;
  void place_on_device(DirectOptions& direct, RunContext& context) const;
  [[nodiscard]] Status factorise_frequency(RunContext& context);
  [[nodiscard]] Status begin_frequency(RunContext& context);
  [[nodiscard]] Status choose_waves(RunContext& context);
  [[nodiscard]] bool devices_radiate(RunContext& context) const;
  [[nodiscard]] Index ranks_without_device(RunContext& context) const;
  [[nodiscard]] Result<RadiationLoop> choose_loop(RunContext& context);
  /// Tells what is begun; `stopped` where a stop was asked for, after which nothing is.
  [[nodiscard]] Status begin_phase(RunContext& context, const char* name, Index total = 0, const char* unit = "");
  [[nodiscard]] Status piece(RunContext& context);
  [[nodiscard]] Status piece_of_iteration(RunContext& context);
  [[nodiscard]] Status begin_batch(RunContext& context);
  void note_iteration(RunContext& context);
  [[nodiscard]] Status collect_block(RunContext& context);
  /// Error bars: residuals of a block on the next order, and what they come to.
  [[nodiscard]] Status add_residuals(std::span<const Complex> u, Index count, RunContext& context);
  [[nodiscard]] Status find_changes(RunContext& context);
  void end_batch(RunContext& context);
  void write_iterations(RunContext& context);
  [[nodiscard]] std::vector<Direction> sphere_directions() const;
  [[nodiscard]] Result<FarFields> far_fields(RunContext& context) const;
  using CutErrors = std::vector<std::pair<double, double>>;  ///< cross section, exact one
  [[nodiscard]] bool one_table() const;                      ///< of all frequencies
  [[nodiscard]] std::string suffix() const;                  ///< of the tables of one frequency
  [[nodiscard]] std::vector<Column> leading_columns(bool with_incidence) const;
  [[nodiscard]] std::vector<double> leading_values(bool with_incidence, std::size_t incidence) const;
  [[nodiscard]] FarAmplitude mixed(std::span<const FarAmplitude> far, std::size_t direction, std::size_t wave) const;
  /// |δF| of a wave, seen where it comes from with a polarisation; `elsewhere`: from anywhere, of about that size.
  [[nodiscard]] double change_back(std::size_t wave, bool seen_horizontal) const;
  [[nodiscard]] double change_elsewhere(std::size_t wave) const;
  void write_error_bars(RunContext& context, const FarFields& far_fields);
  void write_mean_errors(Results& out, const CutErrors& errors) const;
  void write_cut(RunContext& context, const Cut& cut, std::span<const FarAmplitude> far, CutErrors& errors);
  void write_far_field(RunContext& context, const FarFields& far_fields);
  void judge_optical_theorem(Results& out, const FarAmplitude& forward) const;
  void judge_reciprocity(Results& out, double mismatch) const;
  [[nodiscard]] Status end_frequency(RunContext& context);
  [[nodiscard]] Status write_frequency(RunContext& context);
  void write_cuts(RunContext& context, const FarFields& far_fields);
  void write_monostatic(RunContext& context, const FarFields& far_fields);
  void write_checks(RunContext& context, const FarFields& far_fields);
  /// A computed frequency of a fast sweep: amplitudes(), and forward F of the first wave; where error bars are made what F of the echo back
  /// may be off by, of the first direction's waves.
  struct Sample {
    double frequency = 0;
    std::vector<Complex> y;
    std::vector<double> off;
  };
  void begin_order();
  void remember();
  [[nodiscard]] std::vector<SweepSample> scaled_samples(std::size_t most) const;
  void extend_order(Communicator& all);
  void write_sweep(RunContext& context);
  void take_fitted(std::size_t frequency, std::span<const Complex> values);
  void write_sweep_errors(Results& out, const RationalFit& fit);
  /// F of all waves of one frequency in the order of the table of amplitudes: [wave][back, cuts, sphere][V, H].
  [[nodiscard]] std::vector<Complex> amplitudes() const;
  [[nodiscard]] std::vector<Direction> seen_from() const;  ///< directions of each wave there, but for the one back
  void write_amplitudes(Results& out, double frequency, std::span<const Complex> values) const;
  [[nodiscard]] Status write_ffe(const std::filesystem::path& folder, double frequency, std::size_t number,
                                 std::span<const Complex> values) const;
  void write_isar(Results& out) const;
  void write_facts(Results& out, const OutcomeFacts& facts) const;
  /// What all frequencies took, the one that is under way as far as it is.
  void write_seconds(Results& out) const;
  /// Of dipoles, in output_antenna.cpp. The field that acts on them, of a block that begins with them.
  [[nodiscard]] Status collect_dipoles(std::span<const Complex> u, std::span<const Complex> f, Index count,
                                       RunContext& context);
  /// Adds what they radiate by themselves to what the body scatters; where the sum is largest, and what flows out.
  void add_dipoles(FarFields& far) const;
  [[nodiscard]] FarAmplitude far_of_dipoles(const Direction& to, RunContext& context) const;
  void find_strongest(RunContext& context);
  void find_flux(RunContext& context);
  [[nodiscard]] double reach() const;  ///< of S' and dipoles about the middle of S', m
  [[nodiscard]] bool loses() const;    ///< whether anything that is there absorbs
  struct Powers {
    double radiated = 0, given = 0, alone = 0;  ///< W
    [[nodiscard]] double directivity(double amplitude_squared) const;
    [[nodiscard]] double gain(double amplitude_squared) const;
  };
  [[nodiscard]] Powers powers(const FarFields& far) const;
  void write_antenna(RunContext& context, const FarFields& far);
  void write_directivity(RunContext& context, const Cut& cut, std::span<const FarAmplitude> far, const Powers& powers,
                         CutErrors& errors);
  void write_directivity_sphere(RunContext& context, const FarFields& far, const Powers& powers);
  void judge_powers(Results& out, const Powers& powers) const;
  [[nodiscard]] Status show(const Incident& wave, std::span<const Complex> u, std::span<const Complex> f,
                            RunContext& context);
  [[nodiscard]] Status prepare_view(const std::stop_token& stop);
  /// What frames show, on its way to the leading rank and there.
  [[nodiscard]] std::vector<std::vector<std::complex<float>>> shown_fields() const;
  void show_fields(const std::vector<std::vector<std::complex<float>>>& fields);
  [[nodiscard]] double frequency() const { return problem_.frequencies[frequency_]; }
  [[nodiscard]] double k() const;
  [[nodiscard]] std::string at_frequency() const;  ///< " at 2 GHz" when there are several
  [[nodiscard]] Index batch_size() const;

  mutable KeptReading<Problem> reading_;  ///< from check() to prepare()
  Problem problem_;
  std::vector<Band> bands_;
  std::size_t band_ = 0;               ///< whose mesh this is
  std::shared_ptr<const Mesh> given_;  ///< the case's
  Communicator* cluster_ = nullptr;
  std::unique_ptr<Communicator> own_group_;
  std::size_t most_groups_ = 1;    ///< of ranks: frequencies of a round at most
  Communicator* group_ = nullptr;  ///< the ranks that compute this frequency: cluster_ or own_group_
  std::shared_ptr<const Mesh> mesh_;
  Domain domain_;
  std::unique_ptr<System> system_;
  bool told_of_idle_ranks_ = false, told_of_ranks_without_device_ = false;
  bool factored_on_device_ = false;  ///< or was to be
  std::unique_ptr<Radiation> radiation_;
  std::unique_ptr<Truncation> truncation_;
  std::unique_ptr<NextOrder> next_order_;  ///< while error bars are made

  std::vector<std::size_t> order_;  ///< frequencies that are computed, in this order
  std::vector<Sample> samples_;     ///< of a fast sweep, on the leading rank
  std::size_t newest_ = 1;          ///< of those that were computed at once
  int agreed_ = 0;                  ///< times in a row that they changed nothing
  double sweep_error_ = 0;
  std::size_t next_ = 0;       ///< place in order_ of the frequency to be written next; those before are in the tables
  std::size_t round_ = 0;      ///< frequencies that are computed at once from next_ on; 0: a round is to begin
  std::size_t frequency_ = 0;  ///< of this group, or that which is being written
  Outcome outcome_;            ///< of this group's frequency so far
  bool done_ = false;          ///< all of it
  StepRounds rounds_;
  std::map<std::size_t, Parcel>
      interrupted_;  ///< frequencies of a checkpoint that were under way and are not taken up yet

  Index first_ = 0;                 ///< of the batch among outcome_.solved
  std::vector<Incident> waves_;     ///< of the case at this frequency
  std::vector<Complex> currents_;   ///< F of the solved ones so far
  std::optional<PlaneWave> check_;  ///< one more wave, for reciprocity, where the case has a single one
  Direction check_from_;
  BlockGcr::State restored_;  ///< from a checkpoint, for the next batch
  std::stop_token stop_;      ///< of the run: what is saved after a stop must be written fast
  Index collected_ = 0;       ///< columns of the batch whose currents are in currents_
  Index steps_ = 0, iterations_ = 0;
  OutcomeFacts all_;  ///< sums, or the worst, of all frequencies that are written
  bool finished_ = false;
  std::vector<Echo> echoes_;

  MeshGeometry volume_, surface_;
  std::vector<PlanePoints> plane_points_;
  Index shown_step_ = -1;  ///< when the fields below were computed, of the frequency shown_; −1: not yet
  double shown_ = 0;
  std::vector<float> electric_, surface_current_;  ///< (re, im) × 3: at mesh points, on the cells of the surface
  std::vector<Index> cell_of_face_;                ///< of the surface: both sides of a sheet are one cell
  std::vector<std::vector<float>> plane_fields_;
};

}  // namespace conoid::maxwell_fem
