// SPDX-License-Identifier: BSD-3-Clause
// Flag before case before settings before environment before default.
#include "engine/session/offer.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>

#include <fmt/format.h>

#include "conoid/config.hpp"
#include "engine/core/units.hpp"
#include "engine/solvers/registry.hpp"
#include "engine/team/affinity.hpp"
#include "engine/team/device.hpp"
#include "engine/team/driver_memory.hpp"
#include "engine/team/team.hpp"

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
  const char* const end = text + std::strlen(text);
  text += std::strspn(text, " \t+");  // OpenMP takes them
  const auto read = std::from_chars(text, end, value);
  const char* const behind = read.ptr + std::strspn(read.ptr, " \t");
  return behind == end || *behind == ',' ? std::max(0, value) : 0;
}

/// In the order in which they count.
constexpr const char* thread_variables[] = {"OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK"};

/// Variables that would have said how many threads, had they been numbers.
std::vector<Diagnostic> unread_threads(const Offer& offer) {
  std::vector<Diagnostic> out;
  if (offer.threads.said() && !offer.threads.source.starts_with("environment")) return out;
  for (const char* name : thread_variables) {
    if (from_environment(name) > 0) break;
    if (const char* text = std::getenv(name); text && *text != '\0')
      out.push_back(make_warning(
          fmt::format("the environment's {} = '{:.40}' is no number of threads and says nothing", name, text),
          fmt::format("Write a whole number above 0, or --threads {}.", offer.threads.value)));
  }
  return out;
}

/// Threads where neither flag nor case nor settings name a number: of each rank its part of the processors that it shares with others.
Offered<int> threads_here(const Machine& machine, const RankPlace& place = {}) {
  for (const char* name : thread_variables)
    if (const int n = from_environment(name); n > 0) return {n, fmt::format("environment {}", name)};
  return {std::max(1, machine.cores / std::max(1, place.sharers)), "default"};
}

/// The case's own word, for what a schema has under "compute".
class CaseWords {
 public:
  explicit CaseWords(const Case& input) : input_(input), compute_(input["compute"]) {}
  [[nodiscard]] std::optional<std::string> text(const char* key) const {
    if (!written(input_, fmt::format("/compute/{}", key).c_str())) return {};
    return compute_[key].text();
  }
  [[nodiscard]] std::optional<std::int64_t> number(const char* key) const {
    if (!written(input_, fmt::format("/compute/{}", key).c_str())) return {};
    return compute_[key].integer();
  }
  [[nodiscard]] std::optional<Bytes> memory(const char* level) const {
    if (!written(input_, fmt::format("/compute/memory/{}", level).c_str())) return {};
    return static_cast<Bytes>(compute_["memory"][level].integer());
  }
  [[nodiscard]] std::optional<bool> flag(const char* key) const {
    if (!written(input_, fmt::format("/compute/{}", key).c_str())) return {};
    return compute_[key].boolean();
  }

 private:
  const Case& input_;
  Values compute_;
};

/// The first of flag, case and settings that says something; else what is there already.
template <class T>
void take(Offered<T>& into, const std::optional<T>& flag, const std::optional<T>& of_case,
          const std::optional<T>& setting) {
  if (flag)
    into = {*flag, "flag"};
  else if (of_case)
    into = {*of_case, "case"};
  else if (setting)
    into = {*setting, "settings"};
}

std::optional<std::string> said(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
std::optional<int> said(int number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

/// What a run may take of a device: most of it, or what was said if that is less; a part of it where several ranks have it.
Bytes budget_of(const DeviceInfo& device, const Offered<Bytes>& asked, Bytes sharers) {
  const Bytes most = std::min(device.memory, device.free_memory) / 10 * 9 / sharers;
  return asked.value > 0 ? std::min(asked.value, most) : most;
}

/// Of several ranks each has one device: the ranks of a machine take them in turn. How many of them have this rank's.
Bytes share_devices(std::vector<WorkerSpec>& workers, const RankPlace& place, int threads) {
  if (place.ranks <= 1) return 1;
  const auto is_device = [](const WorkerSpec& w) { return !w.device.empty(); };
  const auto count = std::count_if(workers.begin(), workers.end(), is_device);
  if (count == 0) return 1;
  const auto sharers = static_cast<Bytes>((place.local_ranks - place.local_rank % count + count - 1) / count);
  if (count == 1) return sharers;
  auto mine = place.local_rank % count;
  auto at = workers.begin();
  for (; at != workers.end(); ++at)
    if (is_device(*at) && mine-- == 0) break;
  const auto first = std::find_if(workers.begin(), workers.end(), is_device);
  std::iter_swap(first, at);
  workers = with_fewer_devices(std::move(workers), 1, threads);
  return sharers;
}

Status add_devices(Offer& offer, Bytes sharers) {
  for (WorkerSpec& worker : offer.workers) {
    if (worker.device.empty()) continue;
    const std::size_t colon = worker.device.find(':');
    const auto found = find_devices(std::string_view(worker.device).substr(0, colon));
    if (!found) return found.error();
    const auto index = static_cast<std::size_t>(std::atoi(worker.device.c_str() + colon + 1));
    if (index >= found->size())
      return make_error(ErrorCode::resources, fmt::format("there is no device {}", worker.device),
                        "`conoid devices` lists what is here.");
    offer.devices.push_back((*found)[index]);
    worker.device_memory = budget_of(offer.devices.back(), offer.device, sharers);
  }
  return {};
}

/// The workers of these words, each device with what may be taken of it; threads that they say themselves count.
Status add_workers(Offer& offer, const std::string& words) {
  auto workers = parse_workers(words, offer.threads.value);
  if (!workers) return workers.error();
  offer.workers = std::move(*workers);
  const Bytes sharers = share_devices(offer.workers, offer.place, offer.threads.value);
  // "cpu:1" has one thread whatever else was said.
  if (const int named = offer.team_threads(); !offer.automatic && named != offer.threads.value)
    offer.threads = {named, offer.who.source};
  return add_devices(offer, sharers);
}

/// Bytes that may still be written where results go; 0: nobody knows.
Bytes disk_free(std::filesystem::path folder) {
  std::error_code code;
  folder = std::filesystem::absolute(folder.empty() ? "." : folder, code);
  while (!code && !std::filesystem::exists(folder, code) && folder.has_relative_path()) folder = folder.parent_path();
  const auto space = std::filesystem::space(folder, code);
  return code || space.available == static_cast<std::uintmax_t>(-1) ? 0 : static_cast<Bytes>(space.available);
}

}  // namespace

Result<Offer> make_offer(const Case& input, const OfferSources& sources) {
  Offer out;
  const ResourceRequest &flags = sources.flags, &settings = sources.settings;
  const CaseWords words(input);
  out.machine = this_machine();
  out.place = sources.place;

  out.threads = threads_here(out.machine, out.place);
  std::optional<int> threads;
  if (const auto n = words.number("threads"); n && *n > 0) threads = static_cast<int>(*n);
  take(out.threads, said(flags.threads), threads, said(settings.threads));
  take(out.who, said(flags.workers), words.text("workers"), said(settings.workers));
  take(out.balancer, {}, words.text("balancer"), {});
  if (const auto n = words.number("groups"); n && *n > 0) out.groups = {static_cast<int>(*n), "case"};
  take(out.deterministic, flags.deterministic, words.flag("deterministic"), settings.deterministic);
  out.host.value = share_of_free_memory(out.machine, out.place);
  take(out.host, flags.host, words.memory("host"), settings.host);
  take(out.device, flags.device, words.memory("device"), settings.device);
  out.disk.value = disk_free(sources.results);

  // Devices are not even looked for where nothing would run on them.
  const SolverInfo* solver = find_solver(input.solver());
  out.automatic = out.who.value == "auto";
  const bool processors = out.automatic && (solver == nullptr || !solver->runs_on_devices());
  if (const Status workers = add_workers(out, processors ? "cpu" : out.who.value); !workers) {
    Error error = workers.error();
    if (out.who.source == "case") error.place = input.document().place("/compute/workers");
    return error;
  }
  return out;
}

bool names_workers(const CaseDocument& document) {
  return document.find("/compute/workers") != nullptr;
}

Offer make_offer(const ResourceRequest& flags) {
  Offer out;
  out.machine = this_machine();
  out.threads = threads_here(out.machine);
  take(out.threads, said(flags.threads), {}, {});
  out.host.value = share_of_free_memory(out.machine, out.place);
  take(out.host, flags.host, {}, {});
  take(out.device, flags.device, {}, {});
  take(out.deterministic, flags.deterministic, {}, {});
  out.who = {"cpu", "default"};
  out.automatic = false;
  out.workers = {WorkerSpec{"cpu", out.threads.value, 1, {}, 0}};
  return out;
}

Result<Offer> make_table_offer(const ResourceRequest& flags) {
  Offer out = make_offer(flags);
  if (flags.workers.empty()) return out;
  out.who = {flags.workers, "flag"};
  out.automatic = flags.workers == "auto";
  if (const Status workers = add_workers(out, flags.workers); !workers) return workers.error();
  return out;
}

RankPlace place_of(Communicator& cluster) {
  RankPlace out;
  out.rank = cluster.rank();
  out.ranks = cluster.size();
  if (out.ranks == 1) return out;
  // Containers of one machine have names of their own, but one kernel.
  std::string machine;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), machine);
  const std::string host = this_machine().host;
  if (machine.empty()) machine = host;
  // How many ranks before this one, and how many in all, are of the same group.
  const auto among = [&](const std::string& group, int& place, int& count) {
    const std::uint64_t mine = std::hash<std::string>{}(group);
    const std::vector<std::uint64_t> all = cluster.all_gather_values(std::span<const std::uint64_t>(&mine, 1));
    place = static_cast<int>(std::count(all.begin(), all.begin() + out.rank, mine));
    count = static_cast<int>(std::count(all.begin(), all.end(), mine));
  };
  among(machine, out.local_rank, out.local_ranks);
  // Containers have processors of their own; a launcher may have bound each rank to some.
  among(fmt::format("{} {} {}", machine, host, fmt::join(places_of_this_thread(), " ")), out.sharer, out.sharers);
  return out;
}

namespace {

/// Of groups that were said: what is wrong with them for this case and these ranks.
std::optional<Diagnostic> wrong_groups(const Offer& offer, const GroupUse& use, const Place& place) {
  const int said = offer.groups.value, ranks = offer.place.ranks;
  const std::vector<int> fit = use.fitting(ranks);
  if (said == 0 || std::ranges::find(fit, said) != fit.end()) return {};
  if (ranks == 1)
    return make_warning(fmt::format("{} groups of ranks, and a single rank, which computes all", said),
                        fmt::format("Start the run with several: mpirun -n {} conoid run …", said), place);
  const std::string reason = said > ranks                          ? "a group has a rank at least"
                             : said < use.least || said > use.most ? use.why
                                                                   : "groups are of one size";
  Error error = make_error(
      ErrorCode::invalid_input,
      fmt::format("{} ranks cannot form {} group{}: {}", ranks, said, said == 1 ? "" : "s", reason),
      fmt::format("What fits: 0 (as many as the case can use){}{}.", fit.empty() ? "" : ", ", fmt::join(fit, ", ")));
  error.place = place;
  return error;
}

}  // namespace

RunPlan plan_run(const Offer& offer, const Case& input, const Estimate& estimate) {
  RunPlan out;
  out.offer = offer;
  out.estimate = estimate;
  out.team = choose_team(offer, estimate.use, estimate.seconds);
  out.diagnostics = unread_threads(offer);
  const std::string& solver = input.solver();
  if (auto wrong = wrong_groups(offer, estimate.groups, input.document().place("/compute/groups")))
    out.diagnostics.push_back(std::move(*wrong));
  const Place place = offer.who.source == "case" ? input.document().place("/compute/workers") : Place{};
  if (out.team.devices().empty()) {
    out.estimate.device_memory = 0;
  } else if (const SolverInfo* info = find_solver(solver); !info || !info->runs_on_devices()) {
    out.estimate.device_memory = 0;
    out.diagnostics.push_back(make_warning(
        fmt::format("'{}' names a device, but no part of {} runs on devices", offer.who.value, solver),
        "It takes a thread from the processors for nothing: leave it out, as --workers auto does.", place));
  } else if (!out.team.idle.empty()) {
    out.diagnostics.push_back(make_warning(
        fmt::format("'{}' names devices that do not make this case faster: {}", offer.who.value, out.team.idle),
        "They are taken as named; leave them out, as --workers auto does.", place));
  }
  if (std::ranges::any_of(out.team.devices(), [](const std::string& name) { return name.starts_with("cuda"); }))
    out.estimate.host_memory += host_memory_of_cuda;
  if (out.estimate.host_memory > offer.host.value)
    out.diagnostics.push_back(
        make_error(ErrorCode::resources,
                   fmt::format("this case needs about {} of memory, but {} may be used",
                               format_bytes(out.estimate.host_memory), format_bytes(offer.host.value)),
                   "Use a smaller grid or a coarser mesh, raise --memory host=…, or take a machine with more memory."));
  if (offer.disk.value > 0 && estimate.disk > offer.disk.value)
    out.diagnostics.push_back(
        make_warning(fmt::format("this case writes about {}, but {} are free where its results go",
                                 format_bytes(estimate.disk), format_bytes(offer.disk.value)),
                     "Keep fewer frames, or choose another place with --out."));

  out.checkpoint_every = input["output"]["checkpoints"]["every_seconds"].number();
  out.checkpoint_source = written(input, "/output/checkpoints/every_seconds") ? "case" : "default";
  return out;
}

std::vector<RunPlan::Row> RunPlan::rows() const {
  std::vector<Row> out = {
      {"workers", text_of(team.workers), offer.who.source},
      {"threads", fmt::format("{}", offer.threads.value), offer.threads.source},
      {"ranks", fmt::format("{}", offer.place.ranks), offer.place.ranks > 1 ? "environment" : "default"},
      {"balancer", offer.balancer.value, offer.balancer.source},
      {"host memory", format_bytes(offer.host.value), offer.host.source}};
  if (const Bytes device = team.device_memory(); device > 0)
    out.push_back({"device memory", format_bytes(device), offer.device.source});
  if (offer.groups.said()) out.push_back({"groups", fmt::format("{}", offer.groups.value), offer.groups.source});
  if (offer.deterministic.value) out.push_back({"deterministic", "yes", offer.deterministic.source});
  if (!team.left_out.empty()) out.push_back({"left out", team.left_out, "auto"});
  out.push_back({"checkpoint every", format_duration(checkpoint_every), checkpoint_source});
  for (const char* name : {"OMP_PLACES", "CUDA_VISIBLE_DEVICES", "SLURM_JOB_ID"})
    if (const char* value = std::getenv(name)) out.push_back({name, value, "environment"});
  return out;
}

std::string RunPlan::text() const {
  std::string out;
  for (const Row& row : rows())
    out += fmt::format("{}{} = {} ({})", out.empty() ? "" : ", ", row.name, row.value, row.source);
  return out;
}

Json RunPlan::options() const {
  Json out = Json::object();
  for (const Row& row : rows()) out[row.name] = Json{{"value", row.value}, {"source", row.source}};
  return out;
}

Json RunPlan::resources() const {
  Json workers = Json::array();
  for (const WorkerSpec& w : team.workers) {
    workers.push_back({{"name", w.name}, {"threads", w.threads}});
    if (!w.device.empty()) workers.back()["memory"] = w.device_memory;
  }
  const auto sourced = [](const auto& value) { return Json{{"value", value.value}, {"source", value.source}}; };
  return {{"workers", {{"value", workers}, {"source", offer.who.source}, {"left_out", team.left_out}}},
          {"threads", sourced(offer.threads)},
          {"host_memory", sourced(offer.host)},
          {"device_memory", {{"value", team.device_memory()}, {"source", offer.device.source}}},
          {"deterministic", sourced(offer.deterministic)},
          {"ranks", offer.place.ranks},
          {"groups", sourced(offer.groups)},
          {"local_ranks", offer.place.local_ranks},
          {"needs",
           {{"host_memory", estimate.host_memory},
            {"device_memory", estimate.device_memory},
            {"disk", estimate.disk},
            {"streamed", estimate.streamed},
            {"streams", estimate.streams},
            {"slower", estimate.slower},
            {"steps", estimate.steps}}}};
}

Bytes still_free(const RankPlace& place) {
  return share_of_free_memory(this_machine(), place);
}

}  // namespace conoid
