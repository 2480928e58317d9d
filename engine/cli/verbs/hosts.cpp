// SPDX-License-Identifier: BSD-3-Clause
// conoid hosts: machines that jobs are given to, kept under names, and what their queues have to do (engine/session/jobs/compute_host.hpp).
#include <memory>

#include "engine/cli/output.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/session/jobs/job_news.hpp"

namespace conoid::cli {
namespace {

struct HostsOptions {
  ComputeHost at;
  bool keep = false, forget = false;
};

Status list_all(Context& context) {
  const auto hosts = read_hosts();
  if (!hosts) return hosts.error();
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows{{"name", "machine", "queue", "ranks", "threads", "devices", "time"}};
  const auto number = [](int n) { return n > 0 ? std::to_string(n) : std::string("–"); };
  for (const ComputeHost& one : *hosts) {
    list.push_back(json_of(one));
    rows.push_back({one.name, one.host.empty() ? "here" : one.host, one.slurm ? "Slurm" : "–", number(one.ranks),
                    number(one.threads), number(one.devices), one.time.empty() ? "–" : one.time});
  }
  if (hosts->empty())
    context.say("No machine is kept. `conoid hosts NAME --keep --host me@cluster --slurm` keeps one.");
  else
    context.say("{}", aligned(rows));
  context.object({{"hosts", list}});
  return {};
}

Status show_queue(const std::string& name, Context& context) {
  const auto host = host_named(name);
  if (!host) return host.error();
  const auto queue = ask_for_queue(*host);
  if (!queue) return queue.error();
  context.say("{}: {} cores, load {:.1f}", host->host.empty() ? "this machine" : host->host, queue->cores, queue->load);
  Json jobs = Json::array(), parts = Json::array();
  std::vector<std::vector<std::string>> rows{{"partition", "state", "nodes", "time limit", "devices"}};
  for (const QueuePart& one : queue->parts) {
    rows.push_back({one.name, one.state, one.nodes, one.limit, one.devices});
    parts.push_back({{"name", one.name},
                     {"state", one.state},
                     {"nodes", one.nodes},
                     {"limit", one.limit},
                     {"devices", one.devices}});
  }
  if (rows.size() > 1) context.say("{}", aligned(rows, "  "));
  rows = {{"job", "user", "name", "state", "time", "limit", "nodes", ""}};
  for (const QueuedJob& one : queue->jobs) {
    rows.push_back({one.number, one.user, one.name, one.word, one.time, one.limit, one.nodes, one.why});
    jobs.push_back({{"job", one.number},
                    {"user", one.user},
                    {"name", one.name},
                    {"state", one.word},
                    {"time", one.time},
                    {"limit", one.limit},
                    {"nodes", one.nodes},
                    {"why", one.why}});
  }
  if (rows.size() > 1)
    context.say("{}", aligned(rows, "  "));
  else if (host->slurm)
    context.say("  The queue is empty.");
  context.object({{"cores", queue->cores}, {"load", number_json(queue->load)}, {"partitions", parts}, {"jobs", jobs}});
  return {};
}

Status hosts(const HostsOptions& options, Context& context) {
  if (options.keep && options.forget)
    return make_error(ErrorCode::command_line, "--keep and --forget at once", "One of them.");
  if (options.keep) {
    if (Status kept = keep_host(options.at); !kept) return kept;
    context.say("Kept: conoid submit CASE --on {}", shell_word(options.at.name));
    context.object(json_of(options.at));
    return {};
  }
  if (options.forget) {
    if (Status gone = forget_host(options.at.name); !gone) return gone;
    context.object({{"forgotten", options.at.name}});
    return {};
  }
  return options.at.name.empty() ? list_all(context) : show_queue(options.at.name, context);
}

void add_hosts(OptionSet verb, Context& context) {
  const auto options = std::make_shared<HostsOptions>();
  ComputeHost& at = options->at;
  verb.value("NAME", at.name, "A kept machine: what it has to do (default: all that are kept)");
  verb.flag("--keep", options->keep, "Keep the machine that the options below describe under this name");
  verb.flag("--forget", options->forget, "Keep it no longer; its jobs stay");
  verb.value("--host", at.host, "The machine, as ssh knows it (default: this one)");
  verb.value("--ssh", at.ssh, "How it is reached: \"ssh -p 2222\"").shown_default();
  verb.flag("--slurm", at.slurm, "Jobs go into Slurm's queue; without, they start at once, detached");
  verb.value("--ranks", at.ranks, "Processes of mpirun").within(1, most_ranks);
  verb.value("--threads", at.threads, "Threads of each (default: all cores, or what the queue gives)")
      .within(1, most_threads);
  verb.value("--devices", at.devices, "GPUs a node, asked of the queue").within(0, most_devices);
  verb.value("--time", at.time, "Time asked of the queue: 12h");
  verb.value("--partition", at.partition, "Partition of the queue");
  verb.value("--account", at.account, "Account that the queue charges");
  verb.value("--program", at.program, "The conoid that computes there (default: 'conoid')");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] {
    if (Status done = hosts(*options, context); !done) context.fail(done.error());
  });
}

}  // namespace

Verb hosts_verb() {
  return {"hosts", "Machines that jobs are given to: keep them under names, and see what their queues have to do",
          "  conoid hosts cluster --keep --host me@cluster --slurm --ranks 4 --time 12h\n"
          "  conoid hosts\n"
          "  conoid hosts cluster\n"
          "  conoid submit case.json --on cluster\n"
          "  conoid hosts cluster --forget\n",
          add_hosts};
}

}  // namespace conoid::cli
