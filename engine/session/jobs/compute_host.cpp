// SPDX-License-Identifier: BSD-3-Clause
// Kept machines.
#include "engine/session/jobs/compute_host.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/json_values.hpp"
#include "engine/core/units.hpp"

namespace conoid {
namespace {

namespace fs = std::filesystem;

constexpr Bytes most_hosts_file = Bytes{1} << 20;

/// A whole number of an entry; one that is missing is `fallback`, one that cannot be is −1.
int number_at(const Json& json, const char* key, int fallback, int most) {
  const auto it = json.find(key);
  if (it == json.end()) return fallback;
  if (!it->is_number_integer() || it->get<std::int64_t>() < 0 || it->get<std::int64_t>() > most) return -1;
  return it->get<int>();
}

Error wrong(const ComputeHost& host, const Error& what, const fs::path& file) {
  Error error = what;
  error.code = ErrorCode::invalid_input;
  error.text = fmt::format("the machine '{}': {}", host.name, what.text);
  error.place.file = file.string();
  return error;
}

Status write_hosts(const std::vector<ComputeHost>& hosts, const fs::path& file) {
  if (file.empty())
    return make_error(ErrorCode::file, "there is no home to keep machines in", "Set HOME or XDG_CONFIG_HOME.");
  Json list = Json::array();
  for (const ComputeHost& one : hosts) list.push_back(json_of(one));
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  return write_file_atomically(file, indented_json({{"hosts", std::move(list)}}) + "\n");
}

}  // namespace

Json json_of(const ComputeHost& host) {
  return {{"name", host.name},
          {"host", host.host},
          {"ssh", host.ssh},
          {"queue", host.slurm ? "slurm" : ""},
          {"ranks", host.ranks},
          {"threads", host.threads},
          {"devices", host.devices},
          {"time", host.time},
          {"partition", host.partition},
          {"account", host.account},
          {"program", host.program}};
}

Result<double> queue_time(const std::string& typed) {
  constexpr double shortest = 2 * stop_notice;
  if (typed.empty()) return 0.0;
  const auto time = parse_quantity(typed, "s");
  if (!time || !(time->value > 0) || time->typed.empty())
    return make_error(ErrorCode::command_line, fmt::format("--time: expected a duration, found '{}'", typed),
                      "Give it with its unit: --time 90min, --time 12h, --time 2d.");
  if (time->value < shortest)
    return make_error(
        ErrorCode::command_line,
        fmt::format("--time {}: a job of less than {} would hardly compute", typed, format_duration(shortest)),
        fmt::format("A run is told to stop {} before the end.", format_duration(stop_notice)));
  return time->value;
}

Status check_host(const ComputeHost& host) {
  if (host.host.starts_with("-") || host.host.find_first_of(" \t\n") != std::string::npos)
    return make_error(ErrorCode::command_line, fmt::format("--host: '{}' is no host", host.host),
                      "Example: me@cluster");
  if (!host.host.empty()) {
    const auto words = words_of_line(host.ssh);
    if (!words) return words.error();
    if (words->empty())
      return make_error(ErrorCode::command_line, "--ssh: expected the words that reach the machine, found nothing",
                        "Example: --ssh \"ssh -p 2222\"");
  }
  const auto within = [](int value, int low, int high, const char* option) {
    return value >= low && value <= high
               ? Status()
               : Status(make_error(ErrorCode::command_line,
                                   fmt::format("{}: expected a whole number from {} to {}", option, low, high),
                                   "Leave it out for the usual."));
  };
  if (Status ranks = within(host.ranks, 1, most_ranks, "--ranks"); !ranks) return ranks;
  if (Status threads = within(host.threads, 0, most_threads, "--threads"); !threads) return threads;
  if (Status devices = within(host.devices, 0, most_devices, "--devices"); !devices) return devices;
  if (!host.slurm && (!host.time.empty() || !host.partition.empty() || !host.account.empty() || host.devices > 0))
    return make_error(
        ErrorCode::command_line, "--time, --partition, --account and --devices are asked of a queue",
        "Add --slurm, or leave them out: without a queue the job starts at once and takes what is there.");
  const auto time = queue_time(host.time);
  return time ? Status() : Status(time.error());
}

fs::path hosts_file() {
  const char* config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return fs::path(config) / "conoid" / "hosts.json";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home != '\0' ? fs::path(home) / ".config" / "conoid" / "hosts.json" : fs::path();
}

Result<std::vector<ComputeHost>> read_hosts(const fs::path& file) {
  std::vector<ComputeHost> out;
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return out;
  const auto text = read_file(file, most_hosts_file);
  if (!text) return text.error();
  const Json json = read_json(*text);
  const auto list = json.is_object() ? json.find("hosts") : json.end();
  if (!json.is_object() || list == json.end() || !list->is_array())
    return make_error(ErrorCode::invalid_input, "expected {\"hosts\": […]}",
                      "`conoid hosts NAME --keep …` writes this file.", {file.string(), 0, {}});
  for (const Json& entry : *list) {
    if (!entry.is_object())
      return make_error(ErrorCode::invalid_input, "expected an object for each machine", "Remove what is none.",
                        {file.string(), 0, "/hosts"});
    ComputeHost one;
    one.name = text_at(entry, "name");
    one.host = text_at(entry, "host");
    if (entry.contains("ssh")) one.ssh = text_at(entry, "ssh");
    one.slurm = text_at(entry, "queue") == "slurm";
    one.ranks = number_at(entry, "ranks", 1, most_ranks);
    one.threads = number_at(entry, "threads", 0, most_threads);
    one.devices = number_at(entry, "devices", 0, most_devices);
    one.time = text_at(entry, "time");
    one.partition = text_at(entry, "partition");
    one.account = text_at(entry, "account");
    one.program = text_at(entry, "program");
    if (one.name.empty())
      return make_error(ErrorCode::invalid_input, "a machine without a name", "Each has a \"name\".",
                        {file.string(), 0, "/hosts"});
    if (const Status sound = check_host(one); !sound) return wrong(one, sound.error(), file);
    out.push_back(std::move(one));
  }
  return out;
}

Status keep_host(const ComputeHost& host, const fs::path& file) {
  if (host.name.empty() || host.name.find_first_of("\n\t") != std::string::npos || host.name.starts_with("-"))
    return make_error(ErrorCode::command_line, "a machine wants a name to be kept under",
                      "Example: conoid hosts cluster --keep --host me@cluster --slurm");
  if (Status sound = check_host(host); !sound) return sound;
  auto hosts = read_hosts(file);
  if (!hosts) return hosts.error();
  const auto same = std::find_if(hosts->begin(), hosts->end(), [&](const auto& h) { return h.name == host.name; });
  same == hosts->end() ? hosts->push_back(host) : static_cast<void>(*same = host);
  return write_hosts(*hosts, file);
}

Status forget_host(std::string_view name, const fs::path& file) {
  const auto there = host_named(name, file);
  if (!there) return there.error();
  auto hosts = read_hosts(file);
  if (!hosts) return hosts.error();
  std::erase_if(*hosts, [&](const ComputeHost& h) { return h.name == name; });
  return write_hosts(*hosts, file);
}

Result<ComputeHost> host_named(std::string_view name, const fs::path& file) {
  auto hosts = read_hosts(file);
  if (!hosts) return hosts.error();
  std::string known;
  for (ComputeHost& one : *hosts) {
    if (one.name == name) return std::move(one);
    known += (known.empty() ? "" : ", ") + one.name;
  }
  return make_error(ErrorCode::command_line, fmt::format("there is no machine kept as '{}'", name),
                    known.empty() ? "`conoid hosts NAME --keep --host me@cluster --slurm` keeps one."
                                  : fmt::format("Kept are: {}.", known));
}

}  // namespace conoid
