// SPDX-License-Identifier: BSD-3-Clause
// Jobs where they compute.
#include "engine/cli/job_place.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "engine/cli/output.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/json.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

constexpr Bytes most_record = Bytes{64} << 10;
constexpr std::string_view divider = "--";

std::string_view line_of(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

bool is_number(std::string_view text) {
  constexpr std::size_t most_digits = 18;
  return !text.empty() && text.size() <= most_digits && text[0] != '0' &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

std::string option_word(std::string_view word) {
  const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
  const std::string_view rest = word.substr(dashes);
  return std::string(word.substr(0, dashes)) + (rest.empty() ? "" : shell_word(rest));
}

std::string said_by(std::string words) {
  while (!words.empty() && words.back() == '\n') words.pop_back();
  return words.empty() ? "It said nothing." : "It said: " + words;
}

Result<std::string> say_there(const JobPlace& place, const std::string& line, std::string_view what) {
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
  auto done = run_program(command, limits);
  if (!done) return done.error();
  if (!done->timed_out && WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0) return done->output;
  const std::string where = place.host.empty() ? "" : fmt::format(" on {}", place.host);
  return make_error(ErrorCode::remote,
                    fmt::format("could not {}{}: {}", what, where,
                                done->timed_out ? "no answer within 2 min" : describe_end(done->status)),
                    said_by(done->errors));
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
  const auto text_at = [&](const char* key) {
    const auto it = json.is_object() ? json.find(key) : json.end();
    return json.is_object() && it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
  };
  JobRecord out{text_at("job"),    text_at("queue"), text_at("host"),
                text_at("folder"), text_at("title"), text_at("submitted")};
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

std::string question_about(const JobRecord& job) {
  const std::string run = job.host.empty() ? shell_word(job.folder) : option_word(job.folder);
  const std::string asked = job.queue.empty() ? fmt::format("kill -0 {} 2>/dev/null && echo 'RUNNING||'", job.number)
                                              : fmt::format("squeue -h -j {} -o '%T|%M|%R' 2>/dev/null", job.number);
  return fmt::format("{}; echo '{}'; head -c 1000000 {}/run/summary.json 2>/dev/null; true", asked, divider, run);
}

JobState state_from(std::string_view answer) {
  JobState out;
  std::string_view rest = answer;
  for (bool first = true; !rest.empty();) {
    const std::string_view line = line_of(rest);
    if (line == divider) break;
    if (line.empty() || !first) continue;
    first = false;
    const std::size_t one = std::min(line.find('|'), line.size());
    const std::size_t two = std::min(line.find('|', std::min(one + 1, line.size())), line.size());
    const std::string_view word = line.substr(0, one);
    const bool waits = word == "PENDING" || word == "CONFIGURING" || word == "SUSPENDED" || word.starts_with("REQUEUE");
    out.word = waits ? "waiting" : "running";
    if (one < line.size()) out.time = line.substr(one + 1, two - one - 1);
    if (two < line.size()) out.why = line.substr(two + 1);
  }
  if (!out.word.empty()) return out;
  const Json summary = read_json(rest);
  const auto state = summary.is_object() ? summary.find("state") : summary.end();
  out.word = summary.is_object() && state != summary.end() && state->is_string() ? state->get<std::string>() : "ended";
  if (out.word.empty() || out.word == "running" || out.word == "waiting")
    out.word = "ended";  // of a run that was killed
  return out;
}

}  // namespace conoid::cli
