// SPDX-License-Identifier: BSD-3-Clause
// The solver acoustic-fd: cases in, pressure on a grid, traces and energies out.
#pragma once

#include "engine/solvers/acoustic_fd/case.hpp"
#include "engine/solvers/acoustic_fd/discretization/exact.hpp"
#include "engine/solvers/acoustic_fd/discretization/trace_filter.hpp"
#include "engine/solvers/acoustic_fd/stepping/image.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/solvers/acoustic_fd/stepping/shot_batch.hpp"
#include "engine/solvers/reading.hpp"
#include "engine/solvers/solver.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace conoid {
namespace acoustic_fd {

[[nodiscard]] const SolverInfo& solver_info();

class AcousticFd final : public Solver {
 public:
  [[nodiscard]] std::vector<Diagnostic> check(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Result<Estimate> estimate(const Case& input, const Mesh* mesh, const Offer& offer) const override;
  [[nodiscard]] Status prepare(RunContext& context) override;
  /// A bundle of steps that takes about 50 ms and never crosses the step of a results frame; `step` counts time steps.
  [[nodiscard]] Result<Advanced> advance(RunContext& context) override;
  [[nodiscard]] std::vector<CatalogEntry> catalog() const override;
  void fill(FrameBuilder& builder) const override;
  void save(CheckpointWriter& writer) const override;
  void load(CheckpointReader& reader) override;
  [[nodiscard]] Status finish(RunContext& context) override;

 private:
  friend class ShotBatch;  // parts of a run are solvers of some of its shots

  /// Of a check, and of the estimate and the run that follow it.
  [[nodiscard]] Reading<Setup>& read(const Case& input) const;

  /// From silence, of the shots of `setup`. `several`: the case has more than one, whose tables are named by shots. `speaks`: to the log.
  [[nodiscard]] Status begin(RunContext& context, Setup setup, bool several, bool speaks);
  [[nodiscard]] Status begin_all(RunContext& context, int parts);
  /// There is no march any more.
  [[nodiscard]] bool is_over() const;
  /// Where the march has come to its end, the next one from silence.
  [[nodiscard]] Status begin_due_march();
  /// Where a run of `all` steps stands after so many, shots and passes one after the other.
  [[nodiscard]] Advanced standing(Index done, Index all) const;
  /// The step of the march at which a bundle ends, in a run of `all` steps.
  [[nodiscard]] Index next_stop(const FrameMarks& marks, Index all) const;
  [[nodiscard]] Status advance_to(RunContext& context, Index end);
  [[nodiscard]] Index nodes() const { return setup_.problem.grid.cells(); }
  [[nodiscard]] double time_step() const { return setup_.problem.dt; }
  [[nodiscard]] Bytes march_bytes_held() const { return march_->bytes(); }

  void expect_same_rows(const CheckpointReader& reader) const;
  void load_flows(const CheckpointReader& reader);
  [[nodiscard]] std::string missing_flow_text() const;
  struct Line {  ///< a row of receivers drawn as a gather
    std::string name;
    std::size_t first = 0, count = 0;
    std::size_t every = 1;      ///< of its receivers in the gather
    std::vector<double> scale;  ///< of the drawn receivers; empty: no gather
    TableInfo plain, gather;
  };
  /// Numbers that a resumed run goes on with.
  struct Sums {
    double energy_first = 0, energy_last = 0;
    double closed_first = 0,
           closed_worst = 0;  ///< total energy after the sources have ended, largest change since
    double peak = 0;
  };

  /// Marches of a shot: without an image forwards alone.
  enum class Pass : Index { observe, forward, backward };

  /// The problem of one march of a shot, from silence, and its tables.
  [[nodiscard]] Status begin_shot(std::size_t number, Pass pass);
  /// Problem and signals of a march; what it records.
  void set_problem();
  void set_filter();
  [[nodiscard]] Status start_march();
  [[nodiscard]] Status write_segy_file(RunContext& context) const;
  /// Steps of all shots so far.
  [[nodiscard]] Index steps_of_run() const;
  /// The same, shots of the case that march beside this run counted as well.
  [[nodiscard]] Index steps_of_case() const;
  [[nodiscard]] std::string of_shot(std::string_view id) const;
  void head_tables();
  void record(std::vector<std::vector<double>>& batch) const;
  void step_together();
  [[nodiscard]] std::shared_ptr<const Signal> stepped(const std::shared_ptr<const Signal>& signal);
  /// Recorded levels into the filter, and the rows that have become ready into the tables; `ends`: no further level will come.
  void append_traces(RunContext& context, std::vector<std::vector<double>>& batch, bool ends);
  /// Slopes at receivers become particle velocities.
  void integrate_slopes(std::span<double> traces);
  void append_row(RunContext& context, double t, std::span<const double> traces);
  [[nodiscard]] Status append_energy(RunContext& context);
  /// Last rows of the traces, the energy of the last step, traces as SEG-Y.
  [[nodiscard]] Status end_shot(RunContext& context);

  // Images (image_run.cpp).
  struct Misfit {
    double misfit = 0, observed = 0;  ///< ½ Δ Σ (d − d_obs)² and ½ Δ Σ d_obs²
  };
  /// The march under way is this one, and at its end.
  [[nodiscard]] bool has_ended(Pass pass) const;
  [[nodiscard]] Misfit take_misfit() { return std::exchange(shot_misfit_, {}); }
  void add_misfit(const Misfit& of_shot);
  [[nodiscard]] Status prepare_image(RunContext& context);
  [[nodiscard]] Pass first_pass() const;
  /// The march that follows this one, of this shot or the next; false: there is none.
  [[nodiscard]] bool after_this(std::size_t& shot, Pass& pass) const;
  [[nodiscard]] bool recording() const { return pass_ == Pass::forward; }  ///< tables are written
  [[nodiscard]] Index image_stop(Index k) const;
  void take_image();
  [[nodiscard]] Status read_observed_of_shot();
  /// The march has come to its end: residual and misfit of one forwards.
  [[nodiscard]] Status end_pass(RunContext& context);
  [[nodiscard]] Status compare_traces(RunContext& context);
  void set_sources_of_receivers();
  void save_image(CheckpointWriter& writer) const;
  void load_image(CheckpointReader& reader, std::size_t shot, Pass pass);
  /// Values of all ranks, [z][y][x], from those of this one; null on ranks that do not lead.
  using Join = std::function<std::shared_ptr<const std::vector<float>>(std::vector<float>&&)>;
  void add_image_fields(FrameBuilder& builder, const March::Cut& cut, const Join& join,
                        std::vector<Field>& fields) const;
  /// Values that stay as they are, found once for each cut: append_row(x, y, values) adds those of a row of its nodes along z.
  [[nodiscard]] conoid::Field lasting(const FieldInfo& info, std::string_view name, const March::Cut& cut,
                                      const Join& join,
                                      const std::function<void(Index, Index, std::vector<float>&)>& append_row) const;
  [[nodiscard]] FieldInfo image_field() const;
  [[nodiscard]] static FieldInfo illumination_field();
  void add_part(FrameBuilder& builder, std::string_view name, const March::Cut& cut) const;
  [[nodiscard]] March::Cut volume_cut(Index limit) const;
  [[nodiscard]] March::Cut plane_cut(std::size_t normal, Index limit) const;

  std::optional<RunContext> given_;  ///< of a case with several shots, and its setup: a checkpoint may want other parts
  std::unique_ptr<Setup> given_setup_;
  mutable KeptReading<Setup> reading_;  ///< from check() to prepare()
  std::unique_ptr<ShotBatch> batch_;    ///< of several shots at the same time, which have all that follows themselves
  bool several_ = false, speaks_ = true;
  Setup setup_;
  Problem problem_;       ///< of the shot under way
  std::size_t shot_ = 0;  ///< index into setup_.shots
  Pass pass_ = Pass::forward;
  Problem marched_;  ///< problem_ with signals as the steps should have them
  std::map<const Signal*, std::shared_ptr<const Signal>> stepped_;
  std::unique_ptr<TraceFilter> filter_;  ///< table 0: rows of the tables, 1: samples of SEG-Y; none without receivers
  std::vector<float> gather_;            ///< all traces of the shot, [sample][receiver]; only where SEG-Y is wanted
  std::unique_ptr<March> march_;
  Problem imaged_;  ///< whose medium waves of the image go through; it outlives imaging_
  ImagePlan image_plan_;
  std::unique_ptr<Imaging> imaging_;
  ObservedShot observed_;              ///< from files
  std::size_t image_table_ = 0;        ///< of the filter: at the times of the observed traces
  std::vector<double> observed_rows_;  ///< where the case's own medium gives them; [row][receiver]
  std::vector<double> image_rows_;     ///< of the march under way
  std::vector<double> sent_back_;      ///< what receivers send, [level][receiver of pressure]
  Misfit shot_misfit_, misfit_;        ///< of the shot until it is added, and of all shots that were
  Communicator* cluster_ = nullptr;
  Team* team_ = nullptr;
  std::vector<ExactTrace> exact_;  ///< one a receiver, or empty
  TableInfo receivers_table_, velocity_table_, flow_table_;
  std::vector<double>
      integrals_;  ///< of every slope: the velocity and the slopes of the last three levels; empty: no level yet
  std::vector<double> flows_;  ///< of every slope: ∫ p v dt so far, J/m²
  double flows_from_ = 0;      ///< their lower limit, s; above 0 after a checkpoint that did not keep them
  std::vector<Line> lines_;
  std::vector<double> trace_sums_;  ///< Σ(p − exact)², Σ exact² a receiver
  Sums sums_;
  double sources_end_ = 0;
  bool closed_ = false;  ///< no face absorbs
  Index bundle_ = 1;
  mutable std::map<std::string, std::shared_ptr<const std::vector<float>>> lasting_fields_;
};

}  // namespace acoustic_fd
}  // namespace conoid
