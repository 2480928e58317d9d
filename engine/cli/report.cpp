// SPDX-License-Identifier: BSD-3-Clause
// The end of a run in a few tidy lines.
#include "engine/cli/report.hpp"

#include <algorithm>

#include "engine/cli/progress_view.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/units.hpp"
#include "engine/io/run_folder.hpp"

namespace conoid::cli {
namespace fs = std::filesystem;
namespace {

double number_of(const Json& json, const char* pointer) {
  const Json::json_pointer place(pointer);
  return json.contains(place) && json.at(place).is_number() ? json.at(place).get<double>() : 0;
}

std::string entry_text(const Json& entry) {
  const Json& value = entry.contains("value") ? entry["value"] : entry;
  const std::string unit = entry.contains("unit") && entry["unit"].is_string() ? entry["unit"].get<std::string>() : "";
  const std::string text = value.is_number()   ? number_text(value.get<double>())
                           : value.is_string() ? value.get<std::string>()
                                               : compact_json(value);
  if (unit == "B" && value.is_number()) return format_bytes(static_cast<Bytes>(std::max(0.0, value.get<double>())));
  return unit.empty() || unit == "1" ? text : text + " " + unit;
}

void cost_rows(const Json& summary, std::vector<std::vector<std::string>>& rows) {
  std::string time;
  for (const char* stage : {"prepare", "march", "frames", "checkpoints", "finish"})
    if (const double s = number_of(summary, (std::string("/seconds/") + stage).c_str()); s >= 0.0005)
      time += fmt::format("{}{} {}", time.empty() ? "" : ", ", stage, format_duration(s));
  if (const double s = number_of(summary, "/seconds/checkpoints_beside"); s >= 0.0005)
    time += fmt::format("{}beside them checkpoints {}", time.empty() ? "" : "; ", format_duration(s));
  rows.push_back({"steps", fmt::format("{:.0f}", number_of(summary, "/steps"))});
  if (!time.empty()) rows.push_back({"time", time});
  if (const double rate = number_of(summary, "/rate/items_per_second"); rate > 0)
    rows.push_back({"rate", rate_text(rate, summary["rate"].value("item", ""))});
  rows.push_back({"memory", format_bytes(static_cast<Bytes>(number_of(summary, "/peak_memory/host")))});
}

void next_steps(const Report& report, double frames, const Context& context) {
  const std::string run = shell_word(short_path(report.folder));
  if (report.last.state == SessionState::stopped) context.say("Go on with:  conoid resume {}", run);
  if (frames <= 0 || report.first_field.empty()) return;
  context.say("See it with: conoid render {} --field {} -o {}.png", run, report.first_field, report.first_field);
}

}  // namespace

int exit_code_of(const StateEvent& last) {
  if (last.state == SessionState::finished) return 0;
  if (last.state == SessionState::stopped) return static_cast<int>(ErrorCode::stopped);
  return static_cast<int>(last.error ? last.error->code : ErrorCode::internal);
}

std::string short_path(const fs::path& path) {
  std::error_code code;
  const fs::path relative = fs::relative(path, fs::current_path(code), code);
  return code || relative.empty() || relative.string().starts_with("..") ? path.string() : relative.string();
}

Json read_summary(const fs::path& folder) {
  const auto text = read_file(folder / "summary.json", RunFolder::json_limit);
  if (!text) return nullptr;
  Json json = read_json(*text);
  return json.is_object() ? json : Json(nullptr);
}

void print(const Report& report, const Context& context) {
  const StateEvent& last = report.last;
  const Json summary = report.folder.empty() ? Json() : read_summary(report.folder);
  if (context.json) {
    Json out = {{"state", name_of(last.state)}, {"exit", exit_code_of(last)}};
    if (!report.folder.empty()) out["run"] = report.folder.string();
    if (last.error) out["error"] = to_json(*last.error);
    Json diagnostics = Json::array();
    for (const Diagnostic& d : report.diagnostics) diagnostics.push_back(to_json(d));
    if (!diagnostics.empty()) out["diagnostics"] = diagnostics;
    if (!summary.is_null()) out["summary"] = summary;
    context.object(out);
  }
  if (!summary.is_object()) {
    if (last.state == SessionState::stopped) context.say("Stopped before anything was computed.");
    // A failed run without a summary has said why already.
    if (last.error && report.folder.empty() && report.diagnostics.empty() && talks() &&
        last.error->code == ErrorCode::remote)
      print_error(*last.error);
    return;
  }
  const char* verb = last.state == SessionState::finished  ? "Finished"
                     : last.state == SessionState::stopped ? "Stopped"
                                                           : "Failed";
  context.say("{} after {}: {}", verb, format_duration(number_of(summary, "/seconds/total")),
              short_path(report.folder));
  std::vector<std::vector<std::string>> rows;
  cost_rows(summary, rows);
  if (summary.contains("numbers"))
    for (const auto& [name, entry] : summary["numbers"].items())
      if (name != "steps") rows.push_back({name, entry_text(entry)});  // told above
  for (const auto& [id, count] : report.table_rows)
    rows.push_back({fmt::format("charts/{}.csv", id), fmt::format("{} rows", count)});
  const double frames = number_of(summary, "/frames");
  if (frames > 0)
    rows.push_back({"results.vtkhdf", fmt::format("{:.0f} {}", frames, frames == 1 ? "frame" : "frames")});
  context.write(aligned(rows, "  "));
  next_steps(report, frames, context);
}

}  // namespace conoid::cli
