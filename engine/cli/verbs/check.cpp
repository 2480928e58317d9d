// SPDX-License-Identifier: BSD-3-Clause
// conoid check CASE: everything that can be said about a case without running it.
#include <algorithm>
#include <memory>

#include <fmt/ranges.h>

#include "engine/cli/inputs.hpp"
#include "engine/cli/resource_options.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/core/units.hpp"
#include "engine/session/session.hpp"

namespace conoid::cli {
namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::string> set;
  int ranks = 0;  ///< 0: those of mpirun
  ResourceOptions resources;
};

std::string streaming_words(const Estimate& e) {
  if (e.streams.empty()) return "nothing, all fits in memory";
  std::string out = fmt::format("{}, {}", format_bytes(e.streamed), e.streams);
  if (e.slower >= 1.05) out += fmt::format("; about {:.2g} times as long as in memory", e.slower);
  return out;
}

void print(const CheckReport& report, const std::string& title, Context& context) {
  for (const Diagnostic& d : report.diagnostics) {
    if (d.severity == Severity::error)
      print_error(d);
    else
      context.write(d.render());
  }
  if (context.exit != 0) return;
  if (!report.estimated) return context.say("{}: nothing is wrong in what could be looked at.", title);
  context.say("{}: the case is sound.", title);
  const Estimate& e = report.estimate;
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : e.details) rows.push_back({name, value});
  const RunPlan& plan = report.plan;
  rows.push_back(
      {"memory", fmt::format("{} of {} that may be used{}", format_bytes(e.host_memory),
                             format_bytes(plan.offer.host.value), plan.offer.place.ranks > 1 ? ", by each rank" : "")});
  rows.push_back({"device memory", e.device_memory > 0 ? fmt::format("up to {} of {}", format_bytes(e.device_memory),
                                                                     fmt::join(plan.team.devices(), ", "))
                                                       : std::string("none: the processors compute")});
  rows.push_back({"disk", format_bytes(e.disk)});
  rows.push_back({"streams", streaming_words(e)});
  const bool told = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.front() == "steps"; });
  if (e.steps > 0 && !told) rows.push_back({"steps", fmt::format("{}", e.steps)});
  rows.push_back(
      {"time", fmt::format("{}{}{}", e.seconds > 0 ? "about " + format_duration(e.expected_seconds()) : "not known",
                           e.basis.empty() ? ""
                           : e.seconds > 0 ? ", "
                                           : ": ",
                           e.basis)});
  for (const PhaseEstimate& phase : e.phases)
    if (e.phases.size() > 1)
      rows.push_back({"  of that " + phase.name, fmt::format("about {}{}{}", format_duration(phase.seconds),
                                                             phase.by.empty() ? "" : ", by ", phase.by)});
  context.write(aligned(rows, "  "));
  // What `run` logs as its options.
  rows.clear();
  for (const RunPlan::Row& row : plan.rows()) rows.push_back({row.name, fmt::format("{} ({})", row.value, row.source)});
  context.say("`conoid run` takes:");
  context.write(aligned(rows, "  "));
}

/// Where rank 0 of a run stands: among so many ranks of this machine that share its processors, or among those that have been started.
Result<RankPlace> place_of_run(int ranks) {
  if (ranks > 0) return RankPlace{0, ranks, 0, ranks, 0, ranks};
  const auto cluster = world();
  if (!cluster) return cluster.error();
  return place_of(**cluster);
}

void check(const CheckOptions& options, Context& context) {
  auto document = read_case(options.file);
  if (!document) return context.fail(document.error());
  for (const std::string& assignment : options.set)
    if (const Status set = apply_set(*document, assignment); !set) return context.fail(set.error());
  const auto request = request_of(options.resources);
  if (!request) return context.fail(request.error());
  const auto place = place_of_run(options.ranks);
  if (!place) return context.fail(place.error());
  CheckReport report = check_case(*document, {.flags = *request, .place = *place});
  for (Diagnostic& d : report.diagnostics) d = at_its_flag(std::move(d), options.set);
  for (const Diagnostic& d : report.diagnostics)
    if (d.severity == Severity::error && context.exit == 0) context.exit = static_cast<int>(d.code);
  print(report, document->file().string(), context);

  Json diagnostics = Json::array();
  for (const Diagnostic& d : report.diagnostics) diagnostics.push_back(to_json(d));
  Json details = Json::object();
  for (const auto& [name, value] : report.estimate.details) details[name] = value;
  Json phases = Json::object();
  for (const PhaseEstimate& phase : report.estimate.phases)
    phases[phase.name] = {{"seconds", phase.seconds}, {"by", phase.by}};
  context.object({{"ok", context.exit == 0},
                  {"exit", context.exit},
                  {"diagnostics", diagnostics},
                  {"estimate",
                   {{"host_memory", report.estimate.host_memory},
                    {"host_budget", report.plan.offer.host.value},
                    {"device_memory", report.estimate.device_memory},
                    {"devices", report.plan.team.devices()},
                    {"disk", report.estimate.disk},
                    {"streamed", report.estimate.streamed},
                    {"streams", report.estimate.streams},
                    {"slower", report.estimate.slower},
                    {"steps", report.estimate.steps},
                    {"seconds", report.estimate.expected_seconds()},
                    {"phases", phases},
                    {"basis", report.estimate.basis},
                    {"details", details}}},
                  {"resources", report.estimated ? report.plan.resources() : Json(nullptr)},
                  {"options", report.estimated ? report.plan.options() : Json(nullptr)}});
}

void add_check(OptionSet verb, Context& context) {
  const auto options = std::make_shared<CheckOptions>();
  verb.value("CASE", options->file, "Case file, or a folder with a case.json").required();
  verb.value("--set", options->set, "Change a value of the case: PATH=VALUE, may be repeated").repeated();
  verb.value("--ranks", options->ranks,
             "What a run of so many ranks on this machine takes, each its share (else those that mpirun has started)")
      .within(1, 65536);
  add_resource_options(verb, options->resources);
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] { check(*options, context); });
}

}  // namespace

Verb check_verb() {
  return {"check", "Say what is wrong with a case and what it will take",
          "  conoid check case.json\n"
          "  conoid check case.json --set grid.spacing=\"5 m\" --json\n"
          "  conoid check case.json --workers cuda:0,cpu --threads 8 --memory host=16GiB,device=4GiB\n",
          add_check};
}

}  // namespace conoid::cli
