// SPDX-License-Identifier: BSD-3-Clause
// conoid submit CASE: a job of a case, here or on another machine, in a queue or at once (engine/session/jobs/submit_job.hpp).
#include <filesystem>
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/resource_options.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/session/jobs/submit_job.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  std::string file, out, on, script;
  std::vector<std::string> set;
  ComputeHost at;
  bool dry = false;
  ResourceOptions resources;
};

/// The kept machine, with what was typed besides; without --on what was typed alone.
Result<ComputeHost> host_of(const SubmitOptions& options) {
  const ComputeHost& typed = options.at;
  if (options.on.empty()) return typed;
  auto out = host_named(options.on);
  if (!out) return out;
  if (!typed.host.empty() && typed.host != out->host)
    return make_error(ErrorCode::command_line,
                      fmt::format("--on {} and --host {} are two machines", options.on, typed.host),
                      "Name one of them.");
  const ComputeHost usual;
  if (typed.ssh != usual.ssh) out->ssh = typed.ssh;
  out->slurm = out->slurm || typed.slurm;
  if (typed.ranks != usual.ranks) out->ranks = typed.ranks;
  if (typed.devices != usual.devices) out->devices = typed.devices;
  for (const auto part : {&ComputeHost::time, &ComputeHost::partition, &ComputeHost::account, &ComputeHost::program})
    if (!(typed.*part).empty()) (*out).*part = typed.*part;
  return out;
}

void tell(const ComputeHost& at, const JobRecord& job, Context& context) {
  const std::string far = at.host.empty() ? "" : fmt::format("{} {} ", at.ssh, at.host);
  const std::string file =
      at.host.empty() ? shell_word(short_path(fs::path(job.folder) / "job.out")) : job.folder + "/job.out";
  context.say("Job {}{}: {}", job.number, at.host.empty() ? "" : " on " + at.host,
              at.host.empty() ? short_path(job.folder) : job.folder);
  if (at.slurm) context.say("  its state     {}squeue -j {}", far, job.number);
  context.say("  what it says  {}tail -f {}", far, file);
  context.say("  stop it       {}{} {}", far, at.slurm ? "scancel" : "kill", job.number);
  if (!at.host.empty())
    context.say("  bring it here rsync -a {}:{}/run/ RUN", at.host, job.folder);
  else
    context.say("  look at it    conoid-gui {}", shell_word(short_path(fs::path(job.folder) / "run")));
}

Status submit(const SubmitOptions& options, Context& context) {
  auto host = host_of(options);
  if (!host) return host.error();
  if (options.resources.threads > 0) host->threads = options.resources.threads;
  if (Status sound = check_host(*host); !sound) return sound;
  auto document = read_case(options.file);
  if (!document) return document.error();
  for (const std::string& assignment : options.set)
    if (Status set = apply_set(*document, assignment); !set) return set;
  if (Status sound = check_to_submit(*document); !sound) return at_its_flag(sound.error(), options.set);
  // Of this machine the program that is asked computes, whatever it is called.
  std::error_code ignored;
  if (host->program.empty() && host->host.empty()) host->program = fs::read_symlink("/proc/self/exe", ignored).string();
  ResourceOptions others = options.resources;
  others.threads = 0;
  const JobRequest request{*host, options.script, words_of(others, 0)};
  const std::string name = job_name(*document);
  if (options.dry) {
    const auto script = job_script(request, name);
    if (!script) return script.error();
    context.write(*script);
    context.object({{"script", *script}});
    return {};
  }
  const fs::path folder = options.out.empty() ? fs::path("jobs") / job_folder_name(name) : fs::path(options.out);
  const auto job = submit_job(*document, request, folder);
  if (!job) return job.error();
  if (!context.json) tell(*host, *job, context);
  context.object({{"job", job->number}, {"folder", job->folder}, {"host", job->host}, {"queue", job->queue}});
  return {};
}

void add_submit(OptionSet verb, Context& context) {
  const auto options = std::make_shared<SubmitOptions>();
  verb.value("CASE", options->file, "Case file, or a folder with a case.json").required();
  verb.value("--on", options->on, "A machine that `conoid hosts` keeps, with what is kept of it");
  verb.value("--host", options->at.host, "Machine to compute on, as ssh knows it (default: this one)");
  verb.flag("--slurm", options->at.slurm, "Put the job into Slurm's queue; without, it starts at once, detached");
  verb.value("--ranks", options->at.ranks, "Processes of mpirun").within(1, most_ranks);
  verb.value("--devices", options->at.devices, "GPUs a node, asked of the queue").within(0, most_devices);
  verb.value("--time", options->at.time,
             "Time asked of the queue, 12h; the run stops 5 min before and is queued again");
  verb.value("--partition", options->at.partition, "Partition of the queue");
  verb.value("--account", options->at.account, "Account that the queue charges");
  verb.value("--out", options->out, "Folder of the job to make (default: jobs/<UTC time>-<title>)");
  verb.value("--set", options->set, "Change a value of the case: PATH=VALUE, may be repeated").repeated();
  verb.value("--program", options->at.program,
             "The conoid that computes (default: this one; on another machine, 'conoid')");
  verb.value("--template", options->script, "Script to fill in place of the program's own (`--dry-run` shows that)");
  verb.value("--ssh", options->at.ssh, "How the other machine is reached: \"ssh -p 2222\"").shown_default();
  verb.flag("--dry-run", options->dry, "Show the script and do nothing");
  add_resource_options(verb, options->resources);
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] {
    if (Status done = submit(*options, context); !done) context.fail(done.error());
  });
}

}  // namespace

Verb submit_verb() {
  return {"submit", "Compute a case as a job: in a cluster's queue, on another machine, or detached from the terminal",
          "  conoid submit case.json --slurm --ranks 4 --threads 16 --time 12h\n"
          "  conoid submit case.json --host me@cluster --slurm --devices 1 --time 90min\n"
          "  conoid submit case.json --host workstation\n"
          "  conoid submit case.json --on cluster --time 6h\n"
          "  conoid submit case.json --slurm --dry-run\n",
          add_submit};
}

}  // namespace conoid::cli
