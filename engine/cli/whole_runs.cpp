// SPDX-License-Identifier: BSD-3-Clause
// `conoid run` of samples, and what their summaries say.
#include "engine/cli/whole_runs.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "engine/cli/inputs.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/private_folder.hpp"
#include "engine/core/resources.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

constexpr double longest_sample = 60;  // seconds on two cores, as its card says

/// Of each solver the one to be timed.
std::vector<SampleCase> samples_to_time(bool quick, const std::vector<std::string>& solvers) {
  std::map<std::string, SampleCase> chosen;
  for (SampleCase& sample : sample_cases()) {
    if (find_solver(sample.solver) == nullptr || sample.seconds <= 0 || sample.seconds > longest_sample) continue;
    if (!solvers.empty() && std::find(solvers.begin(), solvers.end(), sample.solver) == solvers.end()) continue;
    const auto known = chosen.find(sample.solver);
    if (known == chosen.end() ||
        (quick ? sample.seconds < known->second.seconds : sample.seconds > known->second.seconds))
      chosen[sample.solver] = std::move(sample);
  }
  std::vector<SampleCase> out;
  out.reserve(chosen.size());
  for (auto& [solver, sample] : chosen) out.push_back(std::move(sample));
  return out;
}

double seconds_of(const Json& json, const char* name) {
  return json.is_object() && json.contains(name) && json[name].is_number() ? json[name].get<double>() : 0;
}

Result<WholeRun> run_whole(const SampleCase& sample, const ResourceOptions& resources, int threads) {
  const PrivateFolder scratch(temporary_folder(), "conoid-bench");
  if (scratch.path().empty())
    return make_error(ErrorCode::file, fmt::format("there is no room for a run in '{}'", temporary_folder().string()),
                      "Name a folder that can be written to by TMPDIR.");
  RunLimits limits;
  limits.seconds = 3600;
  limits.output = Bytes{16} << 20;
  limits.keep_end = false;
  limits.merge_errors = false;
  std::vector<std::string> words = {(program_folder() / "conoid").string(), "run",   sample.file.string(), "--out",
                                    (scratch.path() / "run").string(),      "--json"};
  const std::vector<std::string> said = words_of(resources, threads);
  words.insert(words.end(), said.begin(), said.end());
  const auto done = run_program(words, limits);
  if (!done) return done.error();
  const Json told = read_json(done->output);
  if (!WIFEXITED(done->status) || WEXITSTATUS(done->status) != 0 || !told.is_object() || !told.contains("summary"))
    return make_error(ErrorCode::not_converged,
                      fmt::format("the sample '{}' could not be run with {} threads: {}", sample.name, threads,
                                  done->timed_out ? "it took longer than an hour" : done->errors),
                      fmt::format("Try: conoid new {0} && conoid run {0}", sample.name));
  const Json& summary = told["summary"];
  WholeRun out;
  out.solver = sample.solver;
  out.sample = sample.name;
  out.title = sample.title;
  out.threads = threads;
  if (summary.contains("rate") && summary["rate"].is_object()) {
    out.items_per_second = seconds_of(summary["rate"], "items_per_second");
    out.item = summary["rate"].value("item", "");
  }
  out.seconds = summary.value("seconds", Json::object());
  if (const double total = seconds_of(out.seconds, "total"); out.items_per_second <= 0 && total > 0) {
    out.items_per_second = 1 / total;
    out.item = "run";
  }
  if (summary.contains("peak_memory") && summary["peak_memory"].is_object())
    out.memory = static_cast<Bytes>(std::max(0.0, seconds_of(summary["peak_memory"], "host")));
  return out;
}

}  // namespace

Json to_json(const WholeRun& run) {
  return {{"solver", run.solver},   {"sample", run.sample},   {"title", run.title},
          {"item", run.item},       {"threads", run.threads}, {"items_per_second", run.items_per_second},
          {"seconds", run.seconds}, {"memory", run.memory}};
}

Status measure_whole_runs(const TestRun& how, const ResourceOptions& resources, const std::vector<std::string>& solvers,
                          const std::function<void(const BenchRow&, const WholeRun&)>& sink) {
  std::vector<int> counts;
  for (int n = 1; n < how.threads; n *= 2) counts.push_back(n);
  counts.push_back(how.threads);
  for (const SampleCase& sample : samples_to_time(how.quick, solvers)) {
    double alone = 0;  // rate of one thread
    for (const int threads : counts) {
      const std::string name = fmt::format("run {}, {} thread{}", sample.name, threads, threads == 1 ? "" : "s");
      if (!how.wants(name)) continue;
      const auto run = run_whole(sample, resources, threads);
      if (!run) return run.error();
      if (threads == 1) alone = run->items_per_second;
      BenchRow row;
      row.name = name;
      row.value = run->items_per_second;
      row.unit = run->item.empty() ? "1/s" : run->item + "/s";
      if (threads > 1 && alone > 0) {
        row.ratio = run->items_per_second / (threads * alone);
        row.against = fmt::format("{} x 1 thread", threads);
      }
      sink(row, *run);
    }
  }
  return {};
}

}  // namespace conoid::cli
