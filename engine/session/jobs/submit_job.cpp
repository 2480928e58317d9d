// SPDX-License-Identifier: BSD-3-Clause
// From a case to a job in a queue.
#include "engine/session/jobs/submit_job.hpp"

#include <algorithm>
#include <cctype>
#include <ctime>
#include <map>

#include <fmt/format.h>

#include "engine/case/case.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/shell_word.hpp"
#include "engine/core/utc.hpp"
#include "engine/session/jobs/job_script.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid {
namespace {

namespace fs = std::filesystem;

Result<Schema> schema_of(const CaseDocument& document) {
  const Json* id = document.find("/solver");
  const SolverInfo* info = id != nullptr && id->is_string() ? find_solver(id->get<std::string>()) : nullptr;
  if (info == nullptr)
    return make_error(ErrorCode::invalid_input, "the case names no solver that is known",
                      "`conoid list` shows them; `conoid check` says more.", document.place("/solver"));
  return Schema::for_solver(info->id, info->schema);
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
  const auto schema = schema_of(document);
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

/// The folder of the job where it is computed: as it is here, or below conoid-jobs/ of the home there.
std::string folder_there(const JobRequest& request, const fs::path& folder) {
  return request.at.host.empty() ? fs::absolute(folder).string() : "conoid-jobs/" + folder.filename().string();
}

/// Brings the folder to the host, through tar: nothing is written over there.
Status send(const JobRequest& request, const fs::path& folder, const std::stop_token& stop) {
  const std::string target = folder_there(request, folder);
  const auto unpack =
      words_there(request.at.place(), fmt::format("mkdir -p conoid-jobs && mkdir {0} && tar -C {0} -xf -", target));
  if (!unpack) return unpack.error();
  return run_pipe(fmt::format("tar -C {} -chf - . | {}", shell_word(folder.string()), *unpack),
                  fmt::format("bring the job's folder to {}", request.at.host), stop);
}

/// Puts the job into the queue, or starts it detached from whoever asks; its number.
Result<std::string> start_job(const JobRequest& request, const std::string& folder, const std::stop_token& stop) {
  const std::string at = request.at.host.empty() ? shell_word(folder) : folder;
  const bool slurm = request.at.slurm;
  auto answer =
      say_there(request.at.place(),
                slurm ? fmt::format("cd {} && sbatch --parsable job.sh", at)
                      : fmt::format("cd {} && {{ setsid nohup bash job.sh >>job.out 2>&1 </dev/null & echo $!; }}", at),
                slurm ? "put the job into the queue" : "start the job", stop);
  if (!answer) {
    Error error = answer.error();
    if (slurm && error.hint.find("not found") != std::string::npos)
      error.hint += "\n  Slurm is not there; without --slurm the job is started at once.";
    return error;
  }
  std::string number = *answer;  // "17" or "17;cluster"
  number.erase(std::min(number.find_first_of(";\n"), number.size()));
  return number;
}

/// A name that shells and tar take as it is.
bool is_plain(std::string_view name) {
  return !name.empty() && name[0] != '-' && name[0] != '.' &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; });
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

}  // namespace

Status check_to_submit(const CaseDocument& document) {
  const auto schema = schema_of(document);
  if (!schema) return schema.error();
  for (const Diagnostic& d : validate(document, *schema))
    if (d.severity == Severity::error) return d;
  for (const Diagnostic& d : check_files(document, *schema))
    if (d.severity == Severity::error) return d;
  return {};
}

std::string job_name(const CaseDocument& document) {
  const Json* title = document.find("/title");
  return plain_name(title != nullptr && title->is_string() ? title->get<std::string>() : "case");
}

Result<std::string> job_script(const JobRequest& request, const std::string& name) {
  const ComputeHost& at = request.at;
  const fs::path own = resources_folder() / "jobs" / (at.slurm ? "slurm.sh" : "plain.sh");
  const auto text = read_file(request.script.empty() ? own : fs::path(request.script), Bytes{1} << 20);
  if (!text) return text.error();
  const auto time = queue_time(at.time);
  if (!time) return time.error();
  std::string program = at.program;
  if (program.empty()) program = at.host.empty() ? (program_folder() / "conoid").string() : "conoid";
  std::string command = shell_word(program), words;
  if (at.ranks > 1) command = fmt::format("mpirun -n {} {}", at.ranks, command);
  std::vector<std::string> options = request.words;
  if (at.threads > 0) options.insert(options.end(), {"--threads", fmt::format("{}", at.threads)});
  for (const std::string& word : options) words += (words.empty() ? "" : " ") + option_word(word);
  const auto number = [](int n) { return n > 0 ? std::to_string(n) : std::string(); };
  auto filled = fill_template(*text, {{"name", name},
                                      {"ranks", number(at.ranks)},
                                      {"threads", number(at.threads)},
                                      {"devices", number(at.devices)},
                                      {"time", *time > 0 ? slurm_time(*time) : ""},
                                      {"partition", at.partition},
                                      {"account", at.account},
                                      {"notice", fmt::format("{:.0f}", stop_notice)},
                                      {"command", command},
                                      {"options", words}});
  if (!filled && !request.script.empty()) {
    Error error = filled.error();
    error.place.file = request.script;
    return error;
  }
  return filled;
}

std::string job_folder_name(const std::string& name) {
  return fmt::format("{}-{}", utc_stamp(std::time(nullptr)), name);
}

Result<JobRecord> submit_job(const CaseDocument& document, const JobRequest& request, const fs::path& folder,
                             const std::stop_token& stop) {
  if (Status sound = check_host(request.at); !sound) return sound.error();
  const std::string name = job_name(document);
  const auto script = job_script(request, name);
  if (!script) return script.error();
  const std::string last = folder.filename().string();
  if (!request.at.host.empty() && !is_plain(last))
    return make_error(ErrorCode::command_line,
                      fmt::format("--out: '{}' is no plain name for a folder on another machine", last),
                      "Use letters, digits, '.', '_' and '-'.");
  if (Status made = make_folder(folder); !made) return made.error();
  if (Status written = write_case(document, folder); !written) return written.error();
  if (Status written = write_file_atomically(folder / "job.sh", *script); !written) return written.error();
  if (!request.at.host.empty())
    if (Status sent = send(request, folder, stop); !sent) return sent.error();
  const std::string at = folder_there(request, folder);
  const auto number = start_job(request, at, stop);
  if (!number) return number.error();
  JobRecord record{*number, request.at.slurm ? "slurm" : "", request.at.host, at, name, utc_stamp(std::time(nullptr))};
  if (Status kept = write_job(folder, record); !kept) return kept.error();
  return record;
}

}  // namespace conoid
