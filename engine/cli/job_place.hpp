// SPDX-License-Identifier: BSD-3-Clause
// Where a job of `conoid submit` computes, what is kept of it (JOB/job.json), and what a queue says of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"

namespace conoid::cli {

/// A machine: this one, or one that a command such as ssh reaches. The command is never kept in a file: whoever gets the file would run it.
struct JobPlace {
  std::string host;         ///< empty: this machine
  std::string ssh = "ssh";  ///< the words in front of the host
};
/// A word for a shell whose dashes in front are meant: of an option.
[[nodiscard]] std::string option_word(std::string_view word);
/// "It said: …", for hints.
[[nodiscard]] std::string said_by(std::string words);
/// Runs a line of the shell there, at most two minutes, and gives what it said. `what` is told in errors (remote): "put the job into the
/// queue". Blocks; any thread.
[[nodiscard]] Result<std::string> say_there(const JobPlace& place, const std::string& line, std::string_view what);

/// What is kept beside a job's case.
struct JobRecord {
  std::string number;  ///< of the queue, or of the process
  std::string queue;   ///< "slurm"; empty: started at once
  std::string host;
  std::string folder;  ///< where it lies on the host; of this machine its own place
  std::string title;
  std::string submitted;  ///< UTC
};
inline constexpr const char* job_file = "job.json";
[[nodiscard]] Status write_job(const std::filesystem::path& folder, const JobRecord& job);
/// Errors (invalid_input) name the key: a number is digits, a host is no option, a queue is known.
[[nodiscard]] Result<JobRecord> read_job(const std::filesystem::path& folder);
/// The same of a file's text.
[[nodiscard]] Result<JobRecord> job_from(std::string_view json, const std::string& file);

/// "waiting", "running", as the run's summary says ("finished", "stopped", "failed"), or "ended" where it left no summary.
struct JobState {
  std::string word;
  std::string time;  ///< since it runs, as the queue says it
  std::string why;   ///< where it runs, or what it waits for
  [[nodiscard]] bool is_over() const { return word != "waiting" && word != "running"; }
};
/// The line of the shell that asks for a job, and its answer: lines "STATE|TIME|REASON" of squeue (or RUNNING of a process), a line
/// "--", the summary of the run as far as there is one.
[[nodiscard]] std::string question_about(const JobRecord& job);
[[nodiscard]] JobState state_from(std::string_view answer);

}  // namespace conoid::cli
