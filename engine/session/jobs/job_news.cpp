// SPDX-License-Identifier: BSD-3-Clause
// Asking machines for jobs.
#include "engine/session/jobs/job_news.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/json_values.hpp"
#include "engine/core/shell_word.hpp"

namespace conoid {
namespace {

namespace fs = std::filesystem;

/// A folder with a case in it, else nothing.
fs::path run_in(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "case.json", ignored) ? folder : fs::path();
}

}  // namespace

fs::path JobNews::run() const {
  return run_in(folder / "run");
}
fs::path JobNews::so_far() const {
  return run_in(folder / "so-far");
}

std::vector<fs::path> find_jobs(const fs::path& jobs) {
  std::vector<fs::path> out;
  std::error_code code, ignored;
  for (fs::directory_iterator it(jobs, fs::directory_options::skip_permission_denied, code), end; !code && it != end;
       it.increment(code))
    if (fs::is_regular_file(it->path() / job_file, ignored)) out.push_back(it->path());
  std::sort(out.rbegin(), out.rend());
  return out;
}

JobNews job_at(const fs::path& folder) {
  JobNews out;
  out.folder = absolute_path(folder).lexically_normal();
  auto record = read_job(folder);
  if (!record) {
    out.trouble = record.error();
    return out;
  }
  out.record = std::move(*record);
  constexpr Bytes most_summary = Bytes{16} << 20;
  // Of another machine a run is brought into JOB/run when it is over; here it may go on again, which its process or queue tells.
  if (out.is_far())
    if (const auto text = read_file(out.folder / "run" / "summary.json", most_summary))
      out.state.word = text_at(read_json(*text), "state");
  return out;
}

HowToReach reach_by(std::vector<ComputeHost> hosts) {
  return [hosts = std::move(hosts)](const std::string& host) {
    const auto it = std::find_if(hosts.begin(), hosts.end(), [&](const ComputeHost& h) { return h.host == host; });
    return it == hosts.end() || host.empty() ? std::string("ssh") : it->ssh;
  };
}

void ask_for_jobs(std::vector<JobNews>& jobs, const HowToReach& reach, const std::stop_token& stop) {
  std::map<std::string, std::vector<JobNews*>> places;
  for (JobNews& job : jobs)
    if (!job.record.number.empty()) places[job.record.host].push_back(&job);
  for (auto& [host, list] : places) {
    if (stop.stop_requested()) return;
    std::vector<JobRecord> records;
    for (const JobNews* job : list) records.push_back(job->record);
    const std::string what =
        list.size() == 1 ? "ask for job " + records[0].number : fmt::format("ask for {} jobs", list.size());
    const auto answer = say_there({host, reach(host)}, question_about(records), what, stop);
    if (!answer) {
      for (JobNews* job : list) job->trouble = answer.error();
      continue;
    }
    auto states = states_from(*answer, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i]->trouble.reset();
      list[i]->state = std::move(states[i]);
    }
  }
}

Result<fs::path> bring_run(const JobNews& job, const HowToReach& reach, const std::stop_token& stop) {
  const JobRecord& record = job.record;
  const bool over = job.state.is_over();
  const fs::path target = job.folder / (over ? "run" : "so-far"), coming = job.folder / ".coming";
  std::error_code code;
  fs::remove_all(coming, code);
  fs::create_directories(coming, code);
  if (code) return system_error("make the folder", coming.string(), code.value());
  // tar ends with 1 where a file grew while it was read.
  const std::string pack = fmt::format("tar -C {}{} -cf - run; [ $? -le {} ]", option_word(record.folder),
                                       over ? "" : " --exclude=run/checkpoints --exclude=run/.lock", over ? 0 : 1);
  const auto far = words_there({record.host, reach(record.host)}, pack);
  if (!far) return far.error();
  if (Status done = run_pipe(fmt::format("{} | tar -C {} --no-same-owner -xf -", *far, shell_word(coming.string())),
                             fmt::format("bring the run of job {} from {}", record.number, record.host), stop);
      !done) {
    fs::remove_all(coming, code);
    return done.error();
  }
  const fs::path old = job.folder / ".replaced";
  fs::remove_all(old, code);
  fs::rename(target, old, code);  // none was there the first time
  fs::rename(coming / "run", target, code);
  if (code) {
    std::error_code ignored;
    fs::rename(old, target, ignored);
    return system_error("move what was brought to", target.string(), code.value());
  }
  fs::remove_all(old, code);
  fs::remove_all(coming, code);
  if (over) fs::remove_all(job.folder / "so-far", code);
  return target;
}

Result<fs::path> bring_charts(const JobNews& job, const HowToReach& reach, const std::stop_token& stop) {
  const JobRecord& record = job.record;
  const fs::path target = job.so_far(), coming = job.folder / ".news";
  if (target.empty())
    return make_error(ErrorCode::invalid_input, "nothing was brought of the run of job " + record.number,
                      "Bring it first: its charts are kept up to date then.");
  std::error_code code;
  fs::remove_all(coming, code);
  fs::create_directories(coming, code);
  if (code) return system_error("make the folder", coming.string(), code.value());
  // What a run has not written yet is not there, and a file may grow while it is read: tar tells of both.
  const std::string pack = fmt::format(
      "tar -C {} -cf - run/charts run/summary.json run/telemetry.csv run/log.jsonl 2>/dev/null; [ $? -le 2 ]",
      option_word(record.folder));
  const auto far = words_there({record.host, reach(record.host)}, pack);
  if (!far) return far.error();
  const Status done = run_pipe(fmt::format("{} | tar -C {} --no-same-owner -xf -", *far, shell_word(coming.string())),
                               fmt::format("bring the charts of job {} from {}", record.number, record.host), stop);
  std::vector<fs::path> files;
  if (done)
    for (const auto& entry : fs::recursive_directory_iterator(coming / "run", code))
      if (entry.is_regular_file(code) && !entry.is_symlink(code)) files.push_back(entry.path());
  for (const fs::path& file : files) {
    const fs::path place = target / fs::relative(file, coming / "run");
    fs::create_directories(place.parent_path(), code);
    fs::rename(file, place, code);  // one by one: who reads meanwhile has each file whole
    if (code) break;
  }
  const std::error_code moved = code;
  fs::remove_all(coming, code);
  if (!done) return done.error();
  if (!files.empty() && moved) return system_error("move what was brought to", target.string(), moved.value());
  return target;
}

Status cancel_job(const JobRecord& job, const HowToReach& reach, const std::stop_token& stop) {
  const auto done = say_there({job.host, reach(job.host)}, end_of(job), "cancel job " + job.number, stop);
  return done ? Status() : Status(done.error());
}

Result<HostQueue> ask_for_queue(const ComputeHost& host, const std::stop_token& stop) {
  const auto answer = say_there(host.place(), question_about_queue(host.slurm), "ask for the queue", stop);
  return answer ? queue_from(*answer, host.slurm) : Result<HostQueue>(answer.error());
}

}  // namespace conoid
