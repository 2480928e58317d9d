// SPDX-License-Identifier: BSD-3-Clause
// Machines that jobs are given to, kept under names: how each is reached, whether it has a queue, what a job asks of it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/json.hpp"
#include "engine/session/jobs/job_place.hpp"

namespace conoid {

struct ComputeHost {
  std::string name;         ///< by which it is called here
  std::string host;         ///< as ssh knows it; empty: this machine
  std::string ssh = "ssh";  ///< the words in front of the host: "ssh -p 2222"
  bool slurm = false;       ///< jobs go into Slurm's queue; without, they start at once, detached
  int ranks = 1;            ///< processes of mpirun
  int threads = 0;          ///< of each rank; 0: all cores, or what the queue gives
  int devices = 0;          ///< GPUs a node, asked of the queue
  std::string time;         ///< asked of the queue, with a unit: "12h"; empty: the queue's own
  std::string partition, account;
  std::string program;  ///< the conoid that computes; empty: this one here, `conoid` elsewhere
  [[nodiscard]] JobPlace place() const { return {host, ssh}; }
  friend bool operator==(const ComputeHost&, const ComputeHost&) = default;
};

inline constexpr int most_ranks = 100000, most_threads = 65536, most_devices = 64;

/// As hosts.json and `conoid hosts --json` have it.
[[nodiscard]] Json json_of(const ComputeHost& host);

/// Seconds that a run is told to stop before its time in the queue is over.
inline constexpr double stop_notice = 300;

/// Seconds of a time as it is typed; 0 where none is given. Errors (command_line): no unit, or so little that a run would hardly compute.
[[nodiscard]] Result<double> queue_time(const std::string& typed);

/// Whether a job can be given to it, as far as that is seen from here. Errors (command_line) name the option of `conoid submit`.
[[nodiscard]] Status check_host(const ComputeHost& host);

/// $XDG_CONFIG_HOME/conoid/hosts.json, else below ~/.config; empty where there is no home.
[[nodiscard]] std::filesystem::path hosts_file();
/// Those that are kept, in their order; none where there is no file yet. Errors (invalid_input) say what is wrong in which entry.
[[nodiscard]] Result<std::vector<ComputeHost>> read_hosts(const std::filesystem::path& file = hosts_file());
/// Keeps one, in the place of that of its name if there is one.
[[nodiscard]] Status keep_host(const ComputeHost& host, const std::filesystem::path& file = hosts_file());
/// Errors (command_line): there is none of that name.
[[nodiscard]] Status forget_host(std::string_view name, const std::filesystem::path& file = hosts_file());
/// The one of a name. Errors (command_line) list those that are kept.
[[nodiscard]] Result<ComputeHost> host_named(std::string_view name, const std::filesystem::path& file = hosts_file());

}  // namespace conoid
