// SPDX-License-Identifier: BSD-3-Clause
// Where a job of `conoid submit` computes, what is kept of it (JOB/job.json), and what a queue says of it.
#pragma once

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"

namespace conoid {

/// A machine: this one, or one that a command such as ssh reaches. The command is never kept beside a job: whoever gets its folder would run it.
struct JobPlace {
  std::string host;         ///< empty: this machine
  std::string ssh = "ssh";  ///< the words in front of the host
};
/// "It said: …", for hints.
[[nodiscard]] std::string said_by(std::string words);
/// Runs a line of the shell there, at most two minutes, and gives what it said. `what` is told in errors (remote): "put the job into the
/// queue". Blocks until then or until a stop is wished; any thread.
[[nodiscard]] Result<std::string> say_there(const JobPlace& place, const std::string& line, std::string_view what,
                                            const std::stop_token& stop = {});
/// The words, for a shell of this machine, that run a line of the shell there: `ssh -p 2222 host 'line'`.
[[nodiscard]] Result<std::string> words_there(const JobPlace& place, const std::string& line);

/// Runs a pipe of this machine's shell that carries files, a day at most. `what` is told in errors (remote). Blocks; any thread.
[[nodiscard]] Status run_pipe(const std::string& line, const std::string& what, const std::stop_token& stop);

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
  std::string says;  ///< the last line that it has written
  [[nodiscard]] bool is_over() const { return word != "waiting" && word != "running"; }
};
/// The line of the shell that ends a job. A process only where it still works in the job's folder: its number may be that of another by now.
[[nodiscard]] std::string end_of(const JobRecord& job);
/// The line of the shell that asks for a job, and its answer: lines "STATE|TIME|REASON" of squeue (or RUNNING of a process), a line
/// "--", the summary of the run as far as there is one, a line "--says", the end of what the job has written.
[[nodiscard]] std::string question_about(const JobRecord& job);
[[nodiscard]] JobState state_from(std::string_view answer);
/// The same of several jobs of one place in one go.
[[nodiscard]] std::string question_about(std::span<const JobRecord> jobs);
/// One a job; where the answer ends too early, "ended".
[[nodiscard]] std::vector<JobState> states_from(std::string_view answer, std::size_t jobs);

/// What a machine has to do: the jobs of everybody in its queue, and what the queue has to give; of a machine without a queue its load.
struct QueuedJob {
  std::string number, user, name;
  std::string word;  ///< "waiting", "running"
  std::string time, limit, nodes, why;
};
struct QueuePart {
  std::string name, state, nodes, limit, devices;
};
struct HostQueue {
  std::vector<QueuedJob> jobs;
  std::vector<QueuePart> parts;
  int cores = 0;    ///< of the machine that was asked
  double load = 0;  ///< processes that want one of them, mean of a minute
};
/// The line of the shell that asks a machine for that, and its answer: "cores load", "--", lines of squeue with eight parts, "--", lines of
/// sinfo with five.
[[nodiscard]] std::string question_about_queue(bool slurm);
/// Errors (remote): the answer is none, as where a queue was asked for and is not there.
[[nodiscard]] Result<HostQueue> queue_from(std::string_view answer, bool slurm);

}  // namespace conoid
