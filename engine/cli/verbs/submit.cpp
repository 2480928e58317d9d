// SPDX-License-Identifier: BSD-3-Clause
// conoid submit CASE: a folder with the case, its files and a job's script, here or on another machine, and the job in its queue.
//
// JOB/case.json JOB/files/… JOB/job.sh JOB/job.json (its number and place) JOB/job.out JOB/run (the run folder)
#include <sys/wait.h>

#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>

#include "engine/case/case.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/job_place.hpp"
#include "engine/cli/job_script.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/resource_options.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/core/utc.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct SubmitOptions {
  std::string file, out, host, ssh = "ssh", program, time, partition, account, script;
  std::vector<std::string> set;
  int ranks = 1, devices = 0;
  bool slurm = false, dry = false;
  ResourceOptions resources;
};

constexpr double notice = 300;  ///< seconds before the end at which a run is told to stop
constexpr double shortest = 2 * notice;

/// The case as it is to be computed, sound as far as its schema sees.
Result<CaseDocument> case_to_submit(const SubmitOptions& options) {
  auto document = read_case(options.file);
  if (!document) return document.error();
  for (const std::string& assignment : options.set)
    if (Status set = apply_set(*document, assignment); !set) return set.error();
  const Json* id = document->find("/solver");
  const SolverInfo* info = id != nullptr && id->is_string() ? find_solver(id->get<std::string>()) : nullptr;
  if (info == nullptr)
    return make_error(ErrorCode::invalid_input, "the case names no solver that is known",
                      "`conoid list` shows them; `conoid check` says more.", document->place("/solver"));
  const auto schema = Schema::for_solver(info->id, info->schema);
  if (!schema) return schema.error();
  for (const Diagnostic& d : validate(*document, *schema))
    if (d.severity == Severity::error) return at_its_flag(d, options.set);
  for (const Diagnostic& d : check_files(*document, *schema))
    if (d.severity == Severity::error) return d;
  return document;
}

/// A file beside the case: a second name of it where both lie on one disk, else a copy.
Status bring(const fs::path& from, const fs::path& to) {
  std::error_code code;
  const fs::path real = fs::canonical(from, code);
  if (code) return system_error("read", from.string(), code.value());
  fs::create_hard_link(real, to, code);
  if (code) {
    code.clear();
    fs::copy_file(real, to, code);
  }
  return code ? Status(system_error("copy", from.string(), code.value())) : Status();
}

/// What is read of an earlier run, copied: should that run go on, the job begins with what it was.
Status bring_run(const fs::path& from, const fs::path& to) {
  std::error_code code;
  fs::create_directories(to, code);
  if (code) return system_error("make the folder", to.string(), code.value());
  for (const char* name : {"case.json", "results.vtkhdf"}) {
    fs::copy_file(from / name, to / name, code);
    if (code) return system_error("copy", (from / name).string(), code.value());
  }
  return {};
}

/// The case and what it names, in a folder that can travel. Files keep their names; of two of one name the second has a number.
Status write_case(CaseDocument document, const fs::path& folder) {
  const SolverInfo* info = find_solver(document.find("/solver")->get<std::string>());
  const auto schema = Schema::for_solver(info->id, info->schema);
  if (!schema) return schema.error();
  std::map<std::string, std::string> brought;  // from where, as what
  std::map<std::string, int> names;
  for (const CaseFile& file : files_of(document, *schema)) {
    const auto [at, fresh] = brought.try_emplace(file.path.string());
    if (fresh) {
      std::error_code code;
      fs::create_directories(folder / "files", code);
      if (code) return system_error("make the folder", (folder / "files").string(), code.value());
      const fs::path last = file.path.lexically_normal();  // "runs/." and "runs/" have no name at their end
      const std::string name = (last.has_filename() ? last : last.parent_path()).filename().string();
      const int same = names[name]++;
      at->second = "files/" + (same == 0 ? "" : std::to_string(same) + "-") + name;
      const bool run = file.kind == run_folder_kind;
      if (Status copied = run ? bring_run(file.path, folder / at->second) : bring(file.path, folder / at->second);
          !copied)
        return copied;
    }
    if (Status set = document.set_json(file.pointer, at->second); !set) return set;
  }
  return document.save(folder / "case.json");
}

/// Seconds of --time; 0 where none is given.
Result<double> time_asked(const SubmitOptions& options) {
  if (options.time.empty()) return 0.0;
  const auto time = parse_quantity(options.time, "s");
  if (!time || !(time->value > 0) || time->typed.empty())
    return make_error(ErrorCode::command_line, fmt::format("--time: expected a duration, found '{}'", options.time),
                      "Give it with its unit: --time 90min, --time 12h, --time 2d.");
  if (time->value < shortest)
    return make_error(
        ErrorCode::command_line,
        fmt::format("--time {}: a job of less than {} would hardly compute", options.time, format_duration(shortest)),
        fmt::format("A run is told to stop {} before the end.", format_duration(notice)));
  return time->value;
}

/// The script's text. Words of the command that computes: mpirun where there are several ranks.
Result<std::string> script_of(const SubmitOptions& options, const std::string& name) {
  const fs::path own = resources_folder() / "jobs" / (options.slurm ? "slurm.sh" : "plain.sh");
  const auto text = read_file(options.script.empty() ? own : fs::path(options.script), Bytes{1} << 20);
  if (!text) return text.error();
  const auto time = time_asked(options);
  if (!time) return time.error();
  std::string program = options.program;
  std::error_code ignored;
  if (program.empty()) program = options.host.empty() ? fs::read_symlink("/proc/self/exe", ignored).string() : "conoid";
  std::string command = shell_word(program), words;
  if (options.ranks > 1) command = fmt::format("mpirun -n {} {}", options.ranks, command);
  for (const std::string& word : words_of(options.resources, 0))
    words += (words.empty() ? "" : " ") + option_word(word);
  const auto number = [](int n) { return n > 0 ? std::to_string(n) : std::string(); };
  auto filled = fill_template(*text, {{"name", name},
                                      {"ranks", number(options.ranks)},
                                      {"threads", number(options.resources.threads)},
                                      {"devices", number(options.devices)},
                                      {"time", *time > 0 ? slurm_time(*time) : ""},
                                      {"partition", options.partition},
                                      {"account", options.account},
                                      {"notice", fmt::format("{:.0f}", notice)},
                                      {"command", command},
                                      {"options", words}});
  if (!filled && !options.script.empty()) {
    Error error = filled.error();
    error.place.file = options.script;
    return error;
  }
  return filled;
}

/// Runs a line of the shell where the job is to be, and gives what it said.
Result<std::string> there(const SubmitOptions& options, const std::string& line, std::string_view what) {
  return say_there({options.host, options.ssh}, line, what);
}

/// The folder of the job where it is computed: as it is here, or below conoid-jobs/ of the home there.
std::string folder_there(const SubmitOptions& options, const fs::path& folder) {
  return options.host.empty() ? fs::absolute(folder).string() : "conoid-jobs/" + folder.filename().string();
}

/// Brings the folder to the host, through tar: nothing is written over there.
Status send(const SubmitOptions& options, const fs::path& folder) {
  const std::string target = folder_there(options, folder);
  auto words = words_of_line(options.ssh);
  if (!words) return words.error();
  std::string remote;
  for (const std::string& word : *words) remote += option_word(word) + " ";
  remote += shell_word(options.host) + " ";
  const std::string unpack = fmt::format("mkdir -p conoid-jobs && mkdir {0} && tar -C {0} -xf -", target);
  const std::string line = fmt::format("set -o pipefail; tar -C {} -chf - . | {}{}", shell_word(folder.string()),
                                       remote, shell_word(unpack));
  RunLimits limits;
  limits.seconds = 24 * 3600;
  auto done = run_program({"/bin/bash", "-c", line}, limits);
  if (!done) return done.error();
  if (WIFEXITED(done->status) && WEXITSTATUS(done->status) == 0) return {};
  return make_error(ErrorCode::remote,
                    fmt::format("could not bring the job's folder to {}: {}", options.host, describe_end(done->status)),
                    said_by(done->output));
}

/// Puts the job into the queue, or starts it detached from this terminal; its number.
Result<std::string> start_job(const SubmitOptions& options, const std::string& folder) {
  const std::string at = options.host.empty() ? shell_word(folder) : folder;
  auto answer =
      options.slurm
          ? there(options, fmt::format("cd {} && sbatch --parsable job.sh", at), "put the job into the queue")
          : there(options,
                  fmt::format("cd {} && {{ setsid nohup bash job.sh >>job.out 2>&1 </dev/null & echo $!; }}", at),
                  "start the job");
  if (!answer) {
    Error error = answer.error();
    if (options.slurm && error.hint.find("not found") != std::string::npos)
      error.hint += "\n  Slurm is not there; without --slurm the job is started at once.";
    return error;
  }
  std::string number = *answer;  // "17" or "17;cluster"
  number.erase(std::min(number.find_first_of(";\n"), number.size()));
  return number;
}

std::string default_folder(const std::string& name) {
  return fmt::format("jobs/{}-{}", utc_stamp(std::time(nullptr)), name);
}

/// Makes the folder, which must not be there.
Status make_folder(const fs::path& folder) {
  std::error_code code;
  if (fs::exists(folder, code))
    return make_error(ErrorCode::file, fmt::format("'{}' exists; nothing is written over", folder.string()),
                      "Give another folder with --out.");
  fs::create_directories(folder, code);
  return code ? Status(system_error("make the folder", folder.string(), code.value())) : Status();
}

void tell(const SubmitOptions& options, const std::string& number, const std::string& folder, Context& context) {
  const std::string far = options.host.empty() ? "" : fmt::format("{} {} ", options.ssh, options.host);
  const std::string file =
      options.host.empty() ? shell_word(short_path(fs::path(folder) / "job.out")) : folder + "/job.out";
  context.say("Job {}{}: {}", number, options.host.empty() ? "" : " on " + options.host,
              options.host.empty() ? short_path(folder) : folder);
  if (options.slurm) context.say("  its state     {}squeue -j {}", far, number);
  context.say("  what it says  {}tail -f {}", far, file);
  context.say("  stop it       {}{} {}", far, options.slurm ? "scancel" : "kill", number);
  if (!options.host.empty())
    context.say("  bring it here rsync -a {}:{}/run/ RUN", options.host, folder);
  else
    context.say("  look at it    conoid-gui {}", shell_word(short_path(fs::path(folder) / "run")));
}

Status check_words(const SubmitOptions& options) {
  if (options.host.starts_with("-"))
    return make_error(ErrorCode::command_line, fmt::format("--host: '{}' is no host", options.host),
                      "Example: me@cluster");
  if (!options.slurm &&
      (!options.time.empty() || !options.partition.empty() || !options.account.empty() || options.devices > 0))
    return make_error(
        ErrorCode::command_line, "--time, --partition, --account and --devices are asked of a queue",
        "Add --slurm, or leave them out: without a queue the job starts at once and takes what is there.");
  return {};
}

Status submit(const SubmitOptions& options, Context& context) {
  if (Status words = check_words(options); !words) return words;
  const auto document = case_to_submit(options);
  if (!document) return document.error();
  const Json* title = document->find("/title");
  const std::string name = plain_name(title != nullptr && title->is_string() ? title->get<std::string>() : "case");
  const auto script = script_of(options, name);
  if (!script) return script.error();
  if (options.dry) {
    context.write(*script);
    context.object({{"script", *script}});
    return {};
  }
  const fs::path folder = options.out.empty() ? fs::path(default_folder(name)) : fs::path(options.out);
  if (!options.host.empty() && plain_name(folder.filename().string()) != folder.filename().string())
    return make_error(
        ErrorCode::command_line,
        fmt::format("--out: '{}' is no plain name for a folder on another machine", folder.filename().string()),
        "Use letters, digits, '.', '_' and '-'.");
  if (Status made = make_folder(folder); !made) return made;
  if (Status written = write_case(*document, folder); !written) return written;
  if (Status written = write_file_atomically(folder / "job.sh", *script); !written) return written;
  if (!options.host.empty())
    if (Status sent = send(options, folder); !sent) return sent;
  const std::string at = folder_there(options, folder);
  const auto number = start_job(options, at);
  if (!number) return number.error();
  const JobRecord record{*number, options.slurm ? "slurm" : "", options.host, at, name, utc_stamp(std::time(nullptr))};
  if (Status kept = write_job(folder, record); !kept) return kept;
  if (!context.json) tell(options, *number, at, context);
  context.object({{"job", *number}, {"folder", at}, {"host", options.host}, {"queue", options.slurm ? "slurm" : ""}});
  return {};
}

void add_submit(OptionSet verb, Context& context) {
  const auto options = std::make_shared<SubmitOptions>();
  verb.value("CASE", options->file, "Case file, or a folder with a case.json").required();
  verb.value("--host", options->host, "Machine to compute on, as ssh knows it (default: this one)");
  verb.flag("--slurm", options->slurm, "Put the job into Slurm's queue; without, it starts at once, detached");
  verb.value("--ranks", options->ranks, "Processes of mpirun").within(1, 100000);
  verb.value("--devices", options->devices, "GPUs a node, asked of the queue").within(0, 64);
  verb.value("--time", options->time, "Time asked of the queue, 12h; the run stops 5 min before and is queued again");
  verb.value("--partition", options->partition, "Partition of the queue");
  verb.value("--account", options->account, "Account that the queue charges");
  verb.value("--out", options->out, "Folder of the job to make (default: jobs/<UTC time>-<title>)");
  verb.value("--set", options->set, "Change a value of the case: PATH=VALUE, may be repeated").repeated();
  verb.value("--program", options->program,
             "The conoid that computes (default: this one; on another machine, 'conoid')");
  verb.value("--template", options->script, "Script to fill in place of the program's own (`--dry-run` shows that)");
  verb.value("--ssh", options->ssh, "How the other machine is reached: \"ssh -p 2222\"").shown_default();
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
          "  conoid submit case.json --slurm --dry-run\n",
          add_submit};
}

}  // namespace conoid::cli
