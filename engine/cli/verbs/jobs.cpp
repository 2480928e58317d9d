// SPDX-License-Identifier: BSD-3-Clause
// conoid jobs: what has become of jobs that `conoid submit` has made; results of other machines are brought here, jobs are cancelled.
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/job_place.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/child_process.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct JobsOptions {
  std::vector<std::string> jobs;
  std::string ssh = "ssh";
  bool fetch = false, cancel = false;
};

/// Folders that were named, else all of jobs/, the newest first.
std::vector<fs::path> folders_of(const JobsOptions& options) {
  std::vector<fs::path> out(options.jobs.begin(), options.jobs.end());
  if (!out.empty()) return out;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("jobs", ignored))
    if (fs::is_regular_file(entry.path() / job_file, ignored)) out.push_back(entry.path());
  std::sort(out.rbegin(), out.rend());
  return out;
}

/// Brings JOB/run of another machine beside the record here.
Status fetch(const JobPlace& place, const JobRecord& job, const fs::path& folder) {
  auto words = words_of_line(place.ssh);
  if (!words) return words.error();
  std::string remote;
  for (const std::string& word : *words) remote += option_word(word) + " ";
  remote += shell_word(job.host) + " " + shell_word("tar -C " + option_word(job.folder) + " -cf - run");
  const std::string line = fmt::format("set -o pipefail; {} | tar -C {} --no-same-owner -xf -", remote,
                                       shell_word(fs::absolute(folder).string()));
  RunLimits limits;
  limits.seconds = 24 * 3600;
  const auto done = run_program({"/bin/bash", "-c", line}, limits);
  if (!done) return done.error();
  if (WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0) return {};
  return make_error(
      ErrorCode::remote,
      fmt::format("could not bring the run of job {} from {}: {}", job.number, job.host, describe_end(done->status)),
      said_by(done->output));
}

Status cancel(const JobPlace& place, const JobRecord& job) {
  const std::string line = (job.queue.empty() ? "kill " : "scancel ") + job.number;
  const auto done = say_there(place, line, "cancel job " + job.number);
  return done ? Status() : Status(done.error());
}

Result<Json> look_at(const JobsOptions& options, const fs::path& folder) {
  const auto job = read_job(folder);
  if (!job) return job.error();
  const JobPlace place{job->host, options.ssh};
  if (options.cancel)
    if (Status done = cancel(place, *job); !done) return done.error();
  const auto answer = say_there(place, question_about(*job), "ask for job " + job->number);
  if (!answer) return answer.error();
  const JobState state = state_from(*answer);
  const bool far = !job->host.empty();
  if (options.fetch && far && state.is_over())
    if (Status brought = fetch(place, *job, folder); !brought) return brought.error();
  std::error_code ignored;
  const fs::path run = folder / "run";
  return Json({{"folder", fs::absolute(folder).string()},
               {"job", job->number},
               {"queue", job->queue},
               {"host", job->host},
               {"title", job->title},
               {"submitted", job->submitted},
               {"state", state.word},
               {"time", state.time},
               {"why", state.why},
               {"run", fs::is_directory(run, ignored) ? fs::absolute(run).string() : std::string()}});
}

Status jobs(const JobsOptions& options, Context& context) {
  const std::vector<fs::path> folders = folders_of(options);
  if (folders.empty() && !context.json) context.say("There are no jobs below jobs/. `conoid submit CASE` makes one.");
  if (options.cancel && options.jobs.empty())
    return make_error(ErrorCode::command_line, "--cancel: which job?", "Name its folder: conoid jobs jobs/… --cancel");
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows{{"job", "where", "state", "time", "", "folder"}};
  std::optional<Error> trouble;
  for (const fs::path& folder : folders) {
    auto one = look_at(options, folder);
    if (!one) {
      // The others are told nevertheless.
      if (folders.size() == 1) return one.error();
      rows.push_back({"?", "", "not known", "", one.error().text, short_path(folder)});
      list.push_back({{"folder", fs::absolute(folder).string()}, {"state", "unknown"}, {"why", one.error().text}});
      trouble = one.error();
      continue;
    }
    const auto text = [&](const char* key) { return (*one)[key].get<std::string>(); };
    rows.push_back({text("job"), text("host").empty() ? "here" : text("host"), text("state"), text("time"), text("why"),
                    short_path(folder)});
    list.push_back(std::move(*one));
  }
  if (rows.size() > 1) context.say("{}", aligned(rows));
  context.object({{"jobs", list}});
  return trouble && list.size() == 1 ? Status(*trouble) : Status();
}

void add_jobs(OptionSet verb, Context& context) {
  const auto options = std::make_shared<JobsOptions>();
  verb.value("JOB", options->jobs, "Folders of jobs (default: all below jobs/)").repeated();
  verb.flag("--fetch", options->fetch, "Bring runs of other machines that are over here, into JOB/run");
  verb.flag("--cancel", options->cancel,
            "Take the jobs out of the queue, or stop them; a run that had begun can be resumed");
  verb.value("--ssh", options->ssh, "How another machine is reached: \"ssh -p 2222\"").shown_default();
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] {
    if (Status done = jobs(*options, context); !done) context.fail(done.error());
  });
}

}  // namespace

Verb jobs_verb() {
  return {"jobs", "What has become of submitted jobs; bring their runs here, or cancel them",
          "  conoid jobs\n"
          "  conoid jobs jobs/20260102-030405-wall --fetch\n"
          "  conoid jobs jobs/20260102-030405-wall --cancel\n",
          add_jobs};
}

}  // namespace conoid::cli
