// SPDX-License-Identifier: BSD-3-Clause
// A run as its folder tells it: tables, numbers, phases, log, balance of workers, and which frames were kept.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/model/run_parts.hpp"
#include "engine/session/session.hpp"

namespace conoid::app {

struct StoredRun {
  std::filesystem::path folder;
  std::string title;
  std::string solver;                          ///< its id
  std::string case_file;                       ///< what was run, as run.json says
  std::string started;                         ///< ISO 8601, UTC
  SessionState state = SessionState::stopped;  ///< stopped as well for a run whose program went away
  bool computing = false;                      ///< somebody computes in its folder now, whatever `state` says
  double seconds = 0;                          ///< of wall time
  Index steps = 0;
  std::vector<RunTable> tables;
  std::vector<NumberEvent> numbers;
  std::vector<RunPhase> phases;
  std::vector<WorkerSpec> workers;
  std::vector<BalanceSample> balance;
  MachineRates rates{};                    ///< of the machine it ran on; zeros: not measured
  std::vector<MachineRates> device_rates;  ///< one a worker, zeros of processors
  std::vector<LogLine> log;
  std::vector<StoredFrame> frames;
  std::size_t first_shown = 0;                             ///< of frames: the one to open on
  std::vector<std::pair<std::string, FieldInfo>> catalog;  ///< part, field
  std::shared_ptr<VtkhdfReader> reader;                    ///< null when no fields were kept
};

/// Reads everything but the frames. A run folder must hold a case.json; whatever else is missing or damaged is left out
/// and said in `log`. May be called from any thread.
[[nodiscard]] Result<StoredRun> read_stored_run(const std::filesystem::path& folder);

/// What is drawn of a run but its fields: card, tables, balance and log. Catalog, frames and reader stay empty.
[[nodiscard]] Result<StoredRun> read_run_curves(const std::filesystem::path& folder);

/// What a list of runs needs, from run.json and summary.json alone: quick. Tables, frames and log stay empty.
[[nodiscard]] Result<StoredRun> read_run_card(const std::filesystem::path& folder);

/// The phases and their seconds from summary.json; none while there is no such file. Reads one small file.
[[nodiscard]] std::vector<RunPhase> read_phases(const std::filesystem::path& folder);

}  // namespace conoid::app
