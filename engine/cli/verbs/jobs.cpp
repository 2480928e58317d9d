// SPDX-License-Identifier: BSD-3-Clause
// conoid jobs: what has become of jobs that were submitted; results of other machines are brought here, jobs are cancelled
// (engine/session/jobs/job_news.hpp).
#include <filesystem>
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/session/jobs/job_news.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct JobsOptions {
  std::vector<std::string> jobs;
  std::string ssh;
  bool fetch = false, cancel = false;
};

Result<HowToReach> reach_of(const JobsOptions& options) {
  if (!options.ssh.empty()) return HowToReach([ssh = options.ssh](const std::string&) { return ssh; });
  auto hosts = read_hosts();
  return hosts ? Result<HowToReach>(reach_by(std::move(*hosts))) : Result<HowToReach>(hosts.error());
}

Json json_of(const JobNews& job) {
  if (job.trouble) return {{"folder", job.folder.string()}, {"state", "unknown"}, {"why", job.trouble->text}};
  return {{"folder", job.folder.string()}, {"job", job.record.number},  {"queue", job.record.queue},
          {"host", job.record.host},       {"title", job.record.title}, {"submitted", job.record.submitted},
          {"state", job.state.word},       {"time", job.state.time},    {"why", job.state.why},
          {"says", job.state.says},        {"run", job.run().string()}, {"so_far", job.so_far().string()}};
}

std::vector<std::string> row_of(const JobNews& job) {
  if (job.trouble) return {"?", job.record.host, "not known", "", job.trouble->text, short_path(job.folder)};
  return {job.record.number,     job.is_far() ? job.record.host : "here", job.state.word, job.state.time, job.state.why,
          short_path(job.folder)};
}

Status jobs(const JobsOptions& options, Context& context) {
  const std::vector<fs::path> folders =
      options.jobs.empty() ? find_jobs("jobs") : std::vector<fs::path>(options.jobs.begin(), options.jobs.end());
  if (folders.empty() && !context.json) context.say("There are no jobs below jobs/. `conoid submit CASE` makes one.");
  if (options.cancel && options.jobs.empty())
    return make_error(ErrorCode::command_line, "--cancel: which job?", "Name its folder: conoid jobs jobs/… --cancel");
  const auto reach = reach_of(options);
  if (!reach) return reach.error();
  std::vector<JobNews> news;
  for (const fs::path& folder : folders) {
    news.push_back(job_at(folder));
    if (options.cancel && !news.back().trouble)
      if (Status done = cancel_job(news.back().record, *reach); !done) return done;
  }
  ask_for_jobs(news, *reach);
  std::error_code ignored;
  if (options.fetch)
    for (JobNews& job : news) {
      if (!job.is_far() || job.trouble || job.state.word == "waiting") continue;
      if (const auto brought = bring_run(job, *reach); !brought) job.trouble = brought.error();
    }
  // The others are told nevertheless.
  if (news.size() == 1 && news[0].trouble) return *news[0].trouble;
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows{{"job", "where", "state", "time", "", "folder"}};
  for (const JobNews& job : news) {
    rows.push_back(row_of(job));
    list.push_back(json_of(job));
  }
  if (rows.size() > 1) context.say("{}", aligned(rows));
  context.object({{"jobs", list}});
  return {};
}

void add_jobs(OptionSet verb, Context& context) {
  const auto options = std::make_shared<JobsOptions>();
  verb.value("JOB", options->jobs, "Folders of jobs (default: all below jobs/)").repeated();
  verb.flag("--fetch", options->fetch,
            "Bring runs of other machines here: into JOB/run; of one that goes on what there is, into JOB/so-far");
  verb.flag("--cancel", options->cancel,
            "Take the jobs out of the queue, or stop them; a run that had begun can be resumed");
  verb.value("--ssh", options->ssh,
             "How another machine is reached: \"ssh -p 2222\" (default: as `conoid hosts` keeps it, else ssh)");
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
