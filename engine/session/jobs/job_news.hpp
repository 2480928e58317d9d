// SPDX-License-Identifier: BSD-3-Clause
// What has become of jobs, their runs brought here, their end. The command `conoid jobs` and the window both ask here.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/session/jobs/compute_host.hpp"
#include "engine/session/jobs/job_place.hpp"

namespace conoid {

/// A job of a folder here, as far as it is known.
struct JobNews {
  std::filesystem::path folder;
  JobRecord record;                ///< as it was kept
  JobState state;                  ///< empty word: not asked yet
  std::optional<Error> trouble{};  ///< the record is damaged, or its machine did not answer
  [[nodiscard]] bool is_far() const { return !record.host.empty(); }
  /// The run as it lies here: computed here, or brought. Empty where there is none.
  [[nodiscard]] std::filesystem::path run() const;
  /// What was brought of a run that had not ended; empty where there is none.
  [[nodiscard]] std::filesystem::path so_far() const;
};

/// Folders below `jobs` that hold a job, the newest first.
[[nodiscard]] std::vector<std::filesystem::path> find_jobs(const std::filesystem::path& jobs);
/// What is known of a job without asking anybody: its record, and how it ended where its run lies here.
[[nodiscard]] JobNews job_at(const std::filesystem::path& folder);

/// How a host of a record is reached: the words in front of it.
using HowToReach = std::function<std::string(const std::string& host)>;
/// By the machines that are kept; "ssh" where none of them has that host.
[[nodiscard]] HowToReach reach_by(std::vector<ComputeHost> hosts);

/// Asks for the states, each machine once for all of its jobs, one machine after the other; any thread. Of a machine that does not answer its
/// jobs have the trouble.
void ask_for_jobs(std::vector<JobNews>& jobs, const HowToReach& reach, const std::stop_token& stop = {});

/// Brings the run of another machine into JOB/run, in the place of what was there. Of one that goes on, what there is so far without its
/// checkpoints goes into JOB/so-far: to be looked at, not to be gone on with. Nothing is lost where it breaks off. Blocks; any thread.
[[nodiscard]] Result<std::filesystem::path> bring_run(const JobNews& job, const HowToReach& reach,
                                                      const std::stop_token& stop = {});
/// Of a run that goes on and of which JOB/so-far was brought before: its charts, numbers, balance and log as they are now, into that. Its
/// fields stay as they came; a few files, so that it can be asked for every few seconds. Blocks; any thread.
[[nodiscard]] Result<std::filesystem::path> bring_charts(const JobNews& job, const HowToReach& reach,
                                                         const std::stop_token& stop = {});
/// Takes a job out of its queue, or stops it; a run that had begun can be resumed.
[[nodiscard]] Status cancel_job(const JobRecord& job, const HowToReach& reach, const std::stop_token& stop = {});
/// What a machine has to do.
[[nodiscard]] Result<HostQueue> ask_for_queue(const ComputeHost& host, const std::stop_token& stop = {});

}  // namespace conoid
