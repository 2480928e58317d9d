// SPDX-License-Identifier: BSD-3-Clause
// conoid check CASE: everything that can be said about a case without running it.
#include <algorithm>
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/session/session.hpp"

namespace conoid::cli {
namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::string> set;
};

void print(const CheckReport& report, const std::string& title, Context& context) {
  for (const Diagnostic& d : report.diagnostics) {
    if (d.severity == Severity::error)
      print_error(d);
    else
      context.write(d.render());
  }
  if (context.exit != 0) return;
  context.say("{}: the case is sound.", title);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, value] : report.details) rows.push_back({name, value});
  rows.push_back({"memory", format_bytes(report.host_memory)});
  if (report.disk > 0) rows.push_back({"disk", format_bytes(report.disk)});
  const bool told = std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.front() == "steps"; });
  if (report.steps > 0 && !told) rows.push_back({"steps", fmt::format("{}", report.steps)});
  if (report.seconds > 0) rows.push_back({"time", "about " + format_duration(report.seconds)});
  context.write(aligned(rows, "  "));
}

void check(const CheckOptions& options, Context& context) {
  auto document = read_case(options.file);
  if (!document) return context.fail(document.error());
  for (const std::string& assignment : options.set)
    if (const Status set = apply_set(*document, assignment); !set) return context.fail(set.error());
  const CheckReport report = check_case(*document);
  for (const Diagnostic& d : report.diagnostics)
    if (d.severity == Severity::error && context.exit == 0) context.exit = static_cast<int>(d.code);
  print(report, document->file().string(), context);

  Json diagnostics = Json::array();
  for (const Diagnostic& d : report.diagnostics) diagnostics.push_back(to_json(d));
  Json details = Json::object();
  for (const auto& [name, value] : report.details) details[name] = value;
  context.object({{"ok", context.exit == 0},
                  {"exit", context.exit},
                  {"diagnostics", diagnostics},
                  {"estimate",
                   {{"host_memory", report.host_memory},
                    {"disk", report.disk},
                    {"steps", report.steps},
                    {"seconds", report.seconds},
                    {"details", details}}}});
}

void add_check(OptionSet verb, Context& context) {
  const auto options = std::make_shared<CheckOptions>();
  verb.value("CASE", options->file, "Case file, or a folder with a case.json").required();
  verb.value("--set", options->set, "Change a value of the case: PATH=VALUE, may be repeated").repeated();
  verb.flag("--json", context.json, "One JSON object on stdout, text on stderr");
  verb.on_use([options, &context] { check(*options, context); });
}

}  // namespace

Verb check_verb() {
  return {"check", "Say what is wrong with a case and what it will take",
          "  conoid check case.json\n"
          "  conoid check case.json --set grid.spacing=\"5 m\" --json\n",
          add_check};
}

}  // namespace conoid::cli
