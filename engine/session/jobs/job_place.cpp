// SPDX-License-Identifier: BSD-3-Clause
// Jobs where they compute.
#include "engine/session/jobs/job_place.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/json_values.hpp"
#include "engine/core/shell_word.hpp"

namespace conoid {
namespace {

namespace fs = std::filesystem;

constexpr Bytes most_record = Bytes{64} << 10;
constexpr std::string_view divider = "--", says_divider = "--says", next_job = "--next";
constexpr std::size_t most_shown = 240;  // characters of what a job has said

std::string_view line_of(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

/// What a job says goes on one line of a window or a terminal: without signs that move a cursor, and no longer than that takes.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, most_shown)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

/// The parts of a line between the signs "|", as many as are wanted; those that lack are empty, the last has the rest.
template <std::size_t n>
std::array<std::string, n> parts_of(std::string_view line) {
  std::array<std::string, n> out;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t end = i + 1 == n ? line.size() : std::min(line.find('|'), line.size());
    out[i] = shown(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return out;
}

/// As Slurm names states.
std::string word_of(std::string_view state) {
  const bool waits =
      state == "PENDING" || state == "CONFIGURING" || state == "SUSPENDED" || state.starts_with("REQUEUE");
  return waits ? "waiting" : "running";
}

std::string folder_of(const JobRecord& job) {
  return job.host.empty() ? shell_word(job.folder) : option_word(job.folder);
}

/// Whether the process of a job without a queue is there. One of its number that works elsewhere is another: numbers come again.
std::string is_there(const JobRecord& job) {
  return fmt::format("kill -0 {0} 2>/dev/null && [ \"$(readlink /proc/{0}/cwd)\" = \"$(cd {1} && pwd -P)\" ]",
                     job.number, folder_of(job));
}

bool is_number(std::string_view text) {
  constexpr std::size_t most_digits = 18;
  return !text.empty() && text.size() <= most_digits && text[0] != '0' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string said_by(std::string words) {
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words.empty() ? "It said nothing." : "It said: " + words;
}

Result<std::string> say_there(const JobPlace& place, const std::string& line, std::string_view what,
                              const std::stop_token& stop) {
  std::vector<std::string> command;
  if (place.host.empty()) {
    command = {"/bin/sh", "-c", line};
  } else {
    auto words = words_of_line(place.ssh);
    if (!words) return words.error();
    command = std::move(*words);
    command.push_back(place.host);
    command.push_back(line);
  }
  RunLimits limits;
  limits.seconds = 120;
  limits.merge_errors = false;
  limits.stop = stop;
  limits.output = Bytes{8} << 20;
  auto done = run_program(command, limits);
  if (!done) return done.error();
  if (!done->timed_out && !done->stopped && WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0)
    return done->output;
  const std::string where = place.host.empty() ? "" : fmt::format(" on {}", place.host);
  return make_error(ErrorCode::remote,
                    fmt::format("could not {}{}: {}", what, where,
                                done->stopped     ? "given up"
                                : done->timed_out ? "no answer within 2 min"
                                                  : describe_end(done->status)),
                    said_by(done->errors));
}

Result<std::string> words_there(const JobPlace& place, const std::string& line) {
  const auto words = words_of_line(place.ssh);
  if (!words) return words.error();
  std::string out;
  for (const std::string& word : *words) out += option_word(word) + " ";
  return out + shell_word(place.host) + " " + shell_word(line);
}

Status run_pipe(const std::string& line, const std::string& what, const std::stop_token& stop) {
  RunLimits limits;
  limits.seconds = 24 * 3600;
  limits.stop = stop;
  const auto done = run_program({"/bin/bash", "-c", "set -o pipefail; " + line}, limits);
  if (!done) return done.error();
  if (!done->stopped && WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0) return {};
  return make_error(ErrorCode::remote,
                    fmt::format("could not {}: {}", what, done->stopped ? "given up" : describe_end(done->status)),
                    said_by(done->output));
}

Status write_job(const fs::path& folder, const JobRecord& job) {
  const Json json = {{"job", job.number},    {"queue", job.queue}, {"host", job.host},
                     {"folder", job.folder}, {"title", job.title}, {"submitted", job.submitted}};
  return write_file_atomically(folder / job_file, json.dump(1) + "\n");
}

Result<JobRecord> job_from(std::string_view text, const std::string& file) {
  const Json json = read_json(text);
  const auto wrong = [&](const char* key, const char* expected) {
    return make_error(
        ErrorCode::invalid_input, fmt::format("\"{}\": expected {}", key, expected),
        "`conoid submit` writes this file; a job whose file is damaged is looked for in its queue by hand.",
        {file, 0, std::string("/") + key});
  };
  const auto text_of = [&](const char* key) { return text_at(json, key); };
  JobRecord out{text_of("job"),    text_of("queue"), text_of("host"),
                text_of("folder"), text_of("title"), text_of("submitted")};
  if (!is_number(out.number)) return wrong("job", "the job's number in its queue");
  if (!out.queue.empty() && out.queue != "slurm") return wrong("queue", "\"slurm\" or nothing");
  if (out.host.starts_with("-")) return wrong("host", "the name of a machine");
  if (out.folder.empty()) return wrong("folder", "where the job lies");
  return out;
}

Result<JobRecord> read_job(const fs::path& folder) {
  const fs::path file = folder / job_file;
  const auto text = read_file(file, most_record);
  if (!text) {
    Error error = text.error();
    error.hint = "A job is a folder that `conoid submit` has made.";
    return error;
  }
  auto out = job_from(*text, file.string());
  // A folder of this machine may have been moved.
  if (out && out->host.empty()) out->folder = fs::absolute(folder).string();
  return out;
}

std::string end_of(const JobRecord& job) {
  if (!job.queue.empty()) return "scancel " + job.number;
  return fmt::format("if {}; then kill {}; fi", is_there(job), job.number);
}

std::string question_about(const JobRecord& job) {
  const std::string folder = folder_of(job);
  const std::string asked = job.queue.empty() ? fmt::format("if {}; then echo 'RUNNING||'; fi", is_there(job))
                                              : fmt::format("squeue -h -j {} -o '%T|%M|%R' 2>/dev/null", job.number);
  return fmt::format(
      "{0}; echo '{1}'; head -c 1000000 {2}/run/summary.json 2>/dev/null; echo; echo '{3}'; "
      "tail -c 2000 {2}/job.out 2>/dev/null | tail -n 1; true",
      asked, divider, folder, says_divider);
}

JobState state_from(std::string_view answer) {
  JobState out;
  std::string_view rest = answer;
  for (bool first = true; !rest.empty();) {
    const std::string_view line = line_of(rest);
    if (line == divider) break;
    if (line.empty() || !first) continue;
    first = false;
    auto [state, time, why] = parts_of<3>(line);
    out = {word_of(state), std::move(time), std::move(why), {}};
  }
  const std::string mark = fmt::format("\n{}\n", says_divider);
  const std::size_t end = std::min(rest.find(mark), rest.size());
  if (end < rest.size())
    out.says = shown(rest.substr(end + mark.size(), rest.find('\n', end + mark.size()) - end - mark.size()));
  if (!out.word.empty()) return out;
  out.word = text_at(read_json(rest.substr(0, end)), "state");
  if (out.word.empty() || out.word == "running" || out.word == "waiting")
    out.word = "ended";  // of a run that was killed
  return out;
}

std::string question_about(std::span<const JobRecord> jobs) {
  std::string out;
  for (const JobRecord& job : jobs) out += fmt::format("{}; echo; echo '{}'; ", question_about(job), next_job);
  return out + "true";
}

std::vector<JobState> states_from(std::string_view answer, std::size_t jobs) {
  const std::string mark = fmt::format("\n{}\n", next_job);
  std::vector<JobState> out;
  while (out.size() < jobs) {
    const std::size_t end = std::min(answer.find(mark), answer.size());
    out.push_back(state_from(answer.substr(0, end)));
    answer.remove_prefix(std::min(end + mark.size(), answer.size()));
  }
  return out;
}

std::string question_about_queue(bool slurm) {
  const std::string machine = "echo \"$(nproc 2>/dev/null) $(cut -d' ' -f1 /proc/loadavg 2>/dev/null)\"";
  if (!slurm) return machine;
  return fmt::format(
      "{0}; echo '{1}'; squeue -h -o '%i|%u|%j|%T|%M|%l|%D|%R' && echo '{1}' && sinfo -h -o '%P|%a %T|%D|%l|%G'",
      machine, divider);
}

Result<HostQueue> queue_from(std::string_view answer, bool slurm) {
  HostQueue out;
  std::string_view rest = answer;
  const std::string first(line_of(rest));
  char* after = nullptr;
  out.cores = static_cast<int>(std::clamp(std::strtol(first.c_str(), &after, 10), 0L, 1L << 20));
  out.load = std::strtod(after, nullptr);
  if (!(out.load >= 0 && out.load < 1e9)) out.load = 0;
  int dividers = 0;
  while (!rest.empty()) {
    const std::string_view line = line_of(rest);
    if (line == divider) {
      ++dividers;
    } else if (line.empty()) {
      continue;
    } else if (dividers == 1) {
      auto p = parts_of<8>(line);
      out.jobs.push_back({p[0], p[1], p[2], word_of(p[3]), p[4], p[5], p[6], p[7]});
    } else if (dividers == 2) {
      auto p = parts_of<5>(line);
      out.parts.push_back({p[0], p[1], p[2], p[3], p[4]});
    }
  }
  if (slurm ? dividers != 2 : out.cores == 0)
    return make_error(ErrorCode::remote, "the machine's answer cannot be understood",
                      slurm ? "Is Slurm there (squeue, sinfo)? Without it keep the machine without a queue."
                            : "It wants a Linux shell with nproc and /proc/loadavg.");
  return out;
}

}  // namespace conoid
