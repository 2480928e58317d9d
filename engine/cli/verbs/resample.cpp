// SPDX-License-Identifier: BSD-3-Clause
// conoid resample FILE: a model of the medium, or traces, on another spacing; what a spacing does to waves.
#include <memory>

#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/session/offer.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

struct ResampleOptions {
  std::string file, out;
  std::vector<std::string> spacing;
  std::string interval, frequency, path;
  std::string quantity = "speed", filter = "sinc";
  int order = 0;
};

/// A positive quantity; 0 for an empty text.
Result<double> positive(const char* option, const std::string& text, const char* unit) {
  if (text.empty()) return 0.0;
  const auto q = parse_quantity(text, unit);
  if (!q) return make_error(ErrorCode::command_line, fmt::format("{}: {}", option, q.error().text), q.error().hint);
  if (!(q->value > 0))
    return make_error(ErrorCode::command_line, fmt::format("{}: expected more than 0, found '{}'", option, text),
                      fmt::format("Write for example {} \"10 {}\".", option, unit));
  return q->value;
}

void resample(const ResampleOptions& options, Context& context) {
  ResampleTask task;
  task.file = options.file;
  task.out = options.out;
  task.quantity = options.quantity;
  task.filter = options.filter;
  task.order = options.order;
  const auto wrong = [&](const char* text, const char* hint) {
    context.fail(make_error(ErrorCode::command_line, text, hint));
  };
  if (options.order % 2 != 0)
    return wrong("--order: the order is 2, 4, 6, 8, 10 or 12", "Leave it out for all of them.");
  if (options.spacing.size() != 1 && options.spacing.size() != 3 && !options.spacing.empty())
    return wrong("--spacing takes one distance, or three for x, y and z",
                 "Write for example --spacing 10m or --spacing 10m,10m,5m.");
  if (!options.spacing.empty() && !options.interval.empty())
    return wrong("--spacing is for models, --interval for traces", "Give one of them.");
  for (std::size_t a = 0; a < 3 && !options.spacing.empty(); ++a) {
    const auto value = positive("--spacing", options.spacing[options.spacing.size() == 3 ? a : 0], "m");
    if (!value) return context.fail(value.error());
    task.spacing[a] = *value;
  }
  const struct {
    const char* option;
    const std::string& text;
    const char* unit;
    double& value;
  } quantities[] = {{"--interval", options.interval, "s", task.interval},
                    {"--frequency", options.frequency, "Hz", task.frequency},
                    {"--path", options.path, "m", task.path}};
  for (const auto& q : quantities) {
    const auto value = positive(q.option, q.text, q.unit);
    if (!value) return context.fail(value.error());
    q.value = *value;
  }
  const SolverInfo* solver = nullptr;
  for (const SolverInfo* info : registered_solvers())
    if (info->resample != nullptr) solver = info;
  if (solver == nullptr)
    return context.fail(make_error(ErrorCode::command_line, "no solver of this program reads models",
                                   "`conoid list` shows the solvers that it has."));
  task.memory = make_offer().host.value;
  Json rows = Json::array();
  const Status done = solver->resample(task, [&](const ReportRow& row) {
    if (!row.text.empty()) context.say("{:<24}  {}", row.name, row.text);
    Json line = {{"name", row.name}, {"value", number_json(row.value)}, {"unit", row.unit}};
    if (row.name == "note") line["text"] = row.text;
    rows.push_back(std::move(line));
  });
  if (!done) return context.fail(done.error());
  Json json = {{"file", options.file}, {"rows", rows}};
  if (!options.out.empty()) {
    context.say("Written to {}", options.out);
    json["written"] = options.out;
  }
  context.object(json);
}

void add_resample(OptionSet verb, Context& context) {
  const auto options = std::make_shared<ResampleOptions>();
  verb.value("FILE", options->file,
             "Model (.sgy, .vti, .rsf, .h5, or the JSON header of raw floats or of a .npy) or traces (.sgy, .csv; with "
             "--interval)")
      .required();
  verb.value("--out,-o", options->out, "File to write, of the kind its ending says (default: the report alone)");
  verb.value("--spacing", options->spacing, "Models: new distance of the samples, or three: x,y,z").separated_by(',');
  verb.value("--interval", options->interval, "Traces: new interval");
  verb.value("--filter", options->filter, "sinc (sharp; rings beside jumps) or linear")
      .one_of({"sinc", "linear"})
      .shown_default();
  verb.value("--quantity", options->quantity, "What a model holds").one_of({"speed", "density"}).shown_default();
  verb.value("--frequency", options->frequency, "Highest frequency that matters: reports the error of wave speeds");
  verb.value("--order", options->order, "Of the scheme (default: report on all)").within(2, 12);
  verb.value("--path", options->path, "Way along which errors add up (default: the model's diagonal)");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] { resample(*options, context); });
}

}  // namespace

Verb resample_verb() {
  return {"resample", "Put a model or traces on another spacing and tell what it does to waves",
          "  conoid resample salt.sgy --spacing 10m --frequency 30Hz -o salt.json\n"
          "  conoid resample salt.sgy --frequency 30Hz --path 4km\n"
          "  conoid resample runs/latest/traces/shot-1.sgy --interval 4ms -o shot-1.sgy\n",
          add_resample};
}

}  // namespace conoid::cli
