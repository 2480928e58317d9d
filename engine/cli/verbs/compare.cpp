// SPDX-License-Identifier: BSD-3-Clause
// conoid compare RUN RUN: what their cases say differently, result numbers side by side, how far charts and fields are apart.
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/session/run_comparison.hpp"

namespace conoid::cli {
namespace {

struct CompareVerbOptions {
  std::string first, second;
  std::string frames = "last";
  bool no_fields = false;
};

constexpr std::size_t most_text = 48;

/// What is long is shown by its beginning.
std::string short_text(const std::string& text) {
  if (text.empty()) return "not given";
  return text.size() <= most_text ? text : text.substr(0, most_text) + "…";
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : name + " [" + unit + "]";
}

std::string percent(double apart, double scale) {
  if (apart == 0) return "0";
  if (!(scale > 0)) return "–";
  return number_text(100 * apart / scale) + " %";
}

Json distance_json(const Distance& d) {
  return {{"values", d.values},
          {"largest", number_json(d.largest)},
          {"scale", number_json(d.scale)},
          {"rms", number_json(d.rms)},
          {"rms_scale", number_json(d.rms_scale)}};
}

void say_comparison(const RunComparison& c, const Context& context) {
  using Rows = std::vector<std::vector<std::string>>;
  const auto table = [&](const char* title, const Rows& rows) {
    if (rows.size() < 2) return;
    context.say("{}", title);
    context.write(aligned(rows, "  "));
  };
  Rows keys{{"key", "first", "second"}};
  for (const KeyDifference& key : c.keys) keys.push_back({key.pointer, short_text(key.first), short_text(key.second)});
  if (c.keys.empty()) context.say("The cases are the same.");
  table("Case", keys);
  Rows numbers{{"number", "first", "second", "second - first"}};
  std::size_t equal = 0;
  for (const NumberPair& n : c.numbers) {
    if (n.first && n.second && *n.first == *n.second) {
      ++equal;
      continue;
    }
    const bool both = n.first && n.second;
    numbers.push_back({with_unit(n.name, n.unit), n.first ? number_text(*n.first) : "–",
                       n.second ? number_text(*n.second) : "–",
                       both ? percent(*n.second - *n.first, std::abs(*n.first)) : ""});
  }
  table("Result numbers", numbers);
  if (equal > 0) context.say("{} {} equal.", equal, equal == 1 ? "result number is" : "result numbers are");
  const auto apart = [](const Distance& d, bool interpolated) {
    return std::vector<std::string>{number_text(d.largest), percent(d.largest, d.scale), percent(d.rms, d.rms_scale),
                                    std::to_string(d.values) + (interpolated ? ", interpolated" : "")};
  };
  const auto add = [](Rows& rows, std::vector<std::string> head, const std::vector<std::string>& rest) {
    head.insert(head.end(), rest.begin(), rest.end());
    rows.push_back(std::move(head));
  };
  Rows curves{{"curve", "largest difference", "of largest", "rms of rms", "values"}};
  for (const CurveDistance& curve : c.curves)
    add(curves, {with_unit(curve.table + ": " + curve.column, curve.unit)}, apart(curve.distance, curve.interpolated));
  table("Charts", curves);
  Rows fields{{"field", "at", "largest difference", "of largest", "rms of rms", "values"}};
  for (const FieldDistance& field : c.fields)
    add(fields,
        {with_unit(field.part + ": " + field.field, field.unit),
         field.moment_first == field.moment_second
             ? number_text(field.moment_first)
             : number_text(field.moment_first) + " and " + number_text(field.moment_second)},
        apart(field.distance, field.interpolated));
  table("Fields", fields);
  for (const std::string& note : c.notes) context.say("Note: {}.", note);
}

void run_compare(const CompareVerbOptions& options, Context& context) {
  const auto first = run_folder_named(options.first);
  if (!first) return context.fail(first.error());
  const auto second = run_folder_named(options.second);
  if (!second) return context.fail(second.error());
  const auto compared = compare_runs(*first, *second, {!options.no_fields, options.frames});
  if (!compared) return context.fail(compared.error());
  if (!context.json) say_comparison(*compared, context);
  Json keys = Json::array(), numbers = Json::array(), curves = Json::array(), fields = Json::array();
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  const auto number = [](const std::optional<double>& value) { return value ? number_json(*value) : Json(); };
  for (const KeyDifference& key : compared->keys)
    keys.push_back({{"key", key.pointer}, {"first", text(key.first)}, {"second", text(key.second)}});
  for (const NumberPair& n : compared->numbers)
    numbers.push_back({{"name", n.name}, {"unit", n.unit}, {"first", number(n.first)}, {"second", number(n.second)}});
  for (const CurveDistance& curve : compared->curves) {
    Json row{{"table", curve.table}, {"column", curve.column}, {"unit", curve.unit}};
    row["interpolated"] = curve.interpolated;
    row.update(distance_json(curve.distance));
    curves.push_back(std::move(row));
  }
  for (const FieldDistance& field : compared->fields) {
    Json row{{"part", field.part}, {"field", field.field}, {"unit", field.unit}};
    row["first_at"] = number_json(field.moment_first);
    row["second_at"] = number_json(field.moment_second);
    row["interpolated"] = field.interpolated;
    row.update(distance_json(field.distance));
    fields.push_back(std::move(row));
  }
  context.object({{"first", first->string()},
                  {"second", second->string()},
                  {"keys", keys},
                  {"numbers", numbers},
                  {"curves", curves},
                  {"fields", fields},
                  {"notes", compared->notes}});
}

void add_compare(OptionSet verb, Context& context) {
  const auto options = std::make_shared<CompareVerbOptions>();
  verb.value("FIRST", options->first, "Run folder, its name below runs/, or 'latest'").required();
  verb.value("SECOND", options->second, "The other run").required();
  verb.value("--frames", options->frames,
             "Frames of the first run, each compared with the nearest of the second: all, last, 3,7, 0.1s:0.3s")
      .shown_default();
  verb.flag("--no-fields", options->no_fields, "Cases, numbers and charts only");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] { run_compare(*options, context); });
}

}  // namespace

Verb compare_verb() {
  return {"compare", "Say how far two runs are apart",
          "  conoid compare runs/coarse runs/fine\n"
          "  conoid compare runs/one latest --frames all --json\n",
          add_compare};
}

}  // namespace conoid::cli
