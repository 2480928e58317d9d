// SPDX-License-Identifier: BSD-3-Clause
// Flag before case before environment before default.
#include "engine/session/effective.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include <fmt/core.h>

#include "conoid/config.hpp"
#include "engine/core/units.hpp"

namespace conoid {
namespace {

/// Whether the document itself says something at this place (a schema's default does not count).
bool written(const Case& input, const char* pointer) {
  const Json& json = input.document().json();
  const Json::json_pointer place(pointer);
  return json.contains(place) && !json.at(place).is_null();
}

/// A positive number of an environment variable; 0 when it is absent or no number. "4,2" (nested OpenMP) counts as 4.
int from_environment(const char* name) {
  const char* text = std::getenv(name);
  if (!text) return 0;
  int value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  return std::max(0, value);
}

std::string joined(const std::vector<WorkerSpec>& workers) {
  std::string out;
  for (const WorkerSpec& w : workers) out += fmt::format("{}{}:{}", out.empty() ? "" : ",", w.name, w.threads);
  return out;
}

std::pair<int, std::string> threads_of(const SessionOptions& options, const Case& input, const Machine& machine) {
  if (options.threads > 0) return {options.threads, "flag"};
  if (written(input, "/compute/threads"))
    if (const auto n = input["compute"]["threads"].integer(); n > 0) return {static_cast<int>(n), "case"};
  for (const char* name : {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"})
    if (const int n = from_environment(name); n > 0) return {n, fmt::format("environment {}", name)};
  return {std::max(1, machine.cores), "default"};
}

std::pair<Bytes, std::string> memory_of(const SessionOptions& options, const Case& input, const Machine& machine,
                                        int ranks) {
  if (options.host_memory) return {*options.host_memory, "flag"};
  if (written(input, "/compute/memory/host"))
    return {static_cast<Bytes>(input["compute"]["memory"]["host"].integer()), "case"};
  const Bytes free = machine.free_memory > 0 ? machine.free_memory : machine.memory;
  return {free / 4 * 3 / static_cast<Bytes>(std::max(1, ranks)), "default"};
}

}  // namespace

std::string Effective::text() const {
  std::string out;
  for (const EffectiveOption& o : table)
    out += fmt::format("{}{} = {} ({})", out.empty() ? "" : ", ", o.name, o.value, o.source);
  return out;
}

Json Effective::json() const {
  Json out = Json::object();
  for (const EffectiveOption& o : table) out[o.name] = Json{{"value", o.value}, {"source", o.source}};
  return out;
}

Result<Effective> effective_options(const SessionOptions& options, const Case& input, const SolverInfo& solver,
                                    const Machine& machine, int ranks, double seconds) {
  Effective out;
  const auto [threads, threads_source] = threads_of(options, input, machine);

  std::string workers = "auto";
  std::string workers_source = "default";
  if (written(input, "/compute/workers")) {
    workers = input["compute"]["workers"].text();
    workers_source = "case";
  }
  if (!options.workers.empty()) {
    workers = options.workers;
    workers_source = "flag";
  }
  // Devices are not even looked for where nothing would run on them.
  const bool automatic = workers == "auto", on_processors = automatic && !solver.runs_on_devices();
  auto specs = parse_workers(on_processors ? "cpu" : workers, threads);
  if (!specs) return specs.error();
  out.workers = std::move(*specs);
  const auto on_device = [](const WorkerSpec& w) { return !w.device.empty(); };
  if (automatic)
    out.workers = worth_their_start(std::move(out.workers), threads, seconds);
  else if (!solver.runs_on_devices() && std::ranges::any_of(out.workers, on_device))
    out.warnings.push_back(
        make_warning(fmt::format("'{}' names a device, but no part of {} runs on devices", workers, solver.id),
                     "It takes a thread from the processors for nothing: leave it out, as --workers auto does.",
                     workers_source == "case" ? input.document().place("/compute/workers") : Place{}));
  const bool budget = written(input, "/compute/memory/device");
  const Bytes device_memory = budget ? static_cast<Bytes>(input["compute"]["memory"]["device"].integer()) : 0;
  for (WorkerSpec& w : out.workers)
    if (!w.device.empty()) w.device_memory = device_memory;

  std::string balancer_source = "default";
  if (written(input, "/compute/balancer")) {
    out.balancer = input["compute"]["balancer"].text();
    balancer_source = "case";
  }
  const auto [memory, memory_source] = memory_of(options, input, machine, ranks);
  out.host_memory = memory;

  std::string checkpoint_source = "default";
  const Values checkpoints = input["output"]["checkpoints"];
  out.checkpoint_every = checkpoints["every_seconds"].number();
  if (written(input, "/output/checkpoints/every_seconds")) checkpoint_source = "case";

  out.table = {{"solver", input.solver(), "case"},
               {"workers", joined(out.workers), workers_source},
               {"threads", fmt::format("{}", threads), threads_source},
               {"ranks", fmt::format("{}", ranks), ranks > 1 ? "environment" : "default"},
               {"balancer", out.balancer, balancer_source},
               {"host memory", format_bytes(out.host_memory), memory_source},
               {"checkpoint every", format_duration(out.checkpoint_every), checkpoint_source}};
  if (budget) out.table.push_back({"device memory", format_bytes(device_memory), "case"});
  for (const char* name : {"OMP_PLACES", "CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID"})
    if (const char* value = std::getenv(name)) out.table.push_back({name, value, "environment"});
  return out;
}

}  // namespace conoid
