// SPDX-License-Identifier: BSD-3-Clause
// What a solver is to the rest of the program: one class, one schema, one table of exact numbers.
//
// Order of calls, all on the engine thread and on every rank alike:
//   check → estimate → prepare → [load] → (advance, fill, save)* → finish
// A solver never opens threads of its own beyond the team, never reads the clock for decisions, and keeps no globals.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/core/progress.hpp"
#include "engine/core/types.hpp"
#include "engine/io/checkpoint.hpp"
#include "engine/io/frame.hpp"
#include "engine/io/results.hpp"
#include "engine/mesh/mesh.hpp"
#include "engine/solvers/estimate.hpp"
#include "engine/solvers/frame_marks.hpp"
#include "engine/solvers/test_run.hpp"
#include "engine/team/offer.hpp"

namespace conoid {

class Team;

/// Everything a solver may touch. References outlive the solver.
struct RunContext {
  const Case& input;
  std::shared_ptr<const Mesh> mesh;  ///< null when the case has no "mesh" section
  Team& team;
  const Offer& offer;  ///< what this rank may take: workers, threads, memory
  Communicator& cluster;
  Results& results;
  Progress& progress;
  std::stop_token stop;  ///< long preparations look at it about every 0.3 s and return ErrorCode::stopped
  FrameMarks marks{};    ///< of the results frames to come: where a bundle of steps ends
};

/// One field that fill() can deliver.
struct CatalogEntry {
  std::string part;
  FieldInfo field;
};

class Solver {
 public:
  virtual ~Solver() = default;

  /// Everything wrong with the case that the schema cannot say: stability, resolution, groups, closedness. `mesh` is
  /// null when the case has none. Cheap; no allocation of the size of the problem. Resources are those of the offer: neither the case
  /// nor the system is asked for them.
  [[nodiscard]] virtual std::vector<Diagnostic> check(const Case& input, const Mesh* mesh,
                                                      const Offer& offer) const = 0;
  [[nodiscard]] virtual Result<Estimate> estimate(const Case& input, const Mesh* mesh, const Offer& offer) const = 0;
  /// Spaces, matrices, factorisation: from nothing to the state before the first step.
  [[nodiscard]] virtual Status prepare(RunContext& context) = 0;
  /// One time step (or a bundle of up to ~50 ms of steps, which ends where `context.marks` has a frame due), one frequency, one
  /// truncation iteration.
  [[nodiscard]] virtual Result<Advanced> advance(RunContext& context) = 0;
  /// The fields fill() can deliver; valid after prepare().
  [[nodiscard]] virtual std::vector<CatalogEntry> catalog() const = 0;
  /// Fills what the builder's request wants. Collective: with several ranks only rank 0's builder receives parts.
  virtual void fill(FrameBuilder& builder) const = 0;
  /// State that load() needs to go on exactly. Called between advances.
  virtual void save(CheckpointWriter& writer) const = 0;
  virtual void load(CheckpointReader& reader) = 0;  ///< after prepare()
  /// Far fields, spectra, cross sections, summary numbers. Also called after a stop, on what there is.
  [[nodiscard]] virtual Status finish(RunContext& context) = 0;
};

/// What `conoid resample` asks for; SI units.
struct ResampleTask {
  std::filesystem::path file;
  std::filesystem::path out;        ///< empty: the report alone
  std::string quantity;             ///< of a model: "speed", "density"
  std::array<double, 3> spacing{};  ///< models: the new distances along x, y, z; 0 = as they are
  double interval = 0;              ///< > 0: the file holds traces, and this is their new interval
  std::string filter = "sinc";      ///< or "linear"
  double frequency = 0;             ///< the highest that matters; 0 = no report on waves
  double path = 0;                  ///< along which their error adds up; 0 = the diagonal of the model
  int order = 0;                    ///< of the scheme; 0 = all
  Bytes memory = 0;                 ///< that it may take
};
/// One line of its report: the text for a person, the value (SI, of this unit) for a program; NaN where there is none.
struct ReportRow {
  std::string name, text;
  double value = 0;
  std::string unit;
};
using ReportSink = std::function<void(ReportRow)>;

/// What computes a phase of a solver beside the processors of one process, and where what it works on may lie besides memory.
/// README's matrix, `conoid list` and the window read these; a test holds them against what computes.
struct Capability {
  std::string_view phase;      ///< as Phase::name() and Team::note() say it
  bool device = false;         ///< one device
  bool devices = false;        ///< several, together
  bool ranks = false;          ///< several processes
  std::string_view windows{};  ///< "disk", "device", "disk and device", or empty
};

struct SolverInfo {
  std::string_view id;       ///< "acoustic-fd"
  std::string_view title;    ///< "Acoustic waves, finite differences"
  std::string_view summary;  ///< one sentence for lists
  std::string_view schema;   ///< parameters.json
  std::unique_ptr<Solver> (*make)() = nullptr;
  Status (*verify)(const TestRun&, const VerifySink&) = nullptr;  ///< null: none yet
  Status (*bench)(const TestRun&, const BenchSink&) = nullptr;
  /// Models and traces in files, on another spacing; null: the solver has none.
  Status (*resample)(const ResampleTask&, const ReportSink&) = nullptr;
  std::span<const Capability> capabilities{};  ///< by phase, all of them
  /// The tables and figures of the paper that the method comes from, in the paper's order; null: none yet.
  Status (*paper)(const TestRun&, const BenchSink&) = nullptr;
  [[nodiscard]] bool runs_on_devices() const {
    return std::ranges::any_of(capabilities, [](const Capability& c) { return c.device; });
  }
};

}  // namespace conoid
