// SPDX-License-Identifier: BSD-3-Clause
// conoid report RUN…: one HTML file of a run, or of several beside each other: case, pictures, charts, numbers, resources, versions.
//
// Pictures and charts are drawn by the sibling program conoid-render, as `conoid render` has it do; without it the page says so.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "engine/cli/html_page.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/parts.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/resource_options.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/private_folder.hpp"
#include "engine/core/resources.hpp"
#include "engine/core/units.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/io/vtkhdf.hpp"
#include "engine/session/run_comparison.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;
using ReportRows = std::vector<std::vector<std::string>>;

struct ReportVerbOptions {
  std::vector<std::string> runs;
  std::string out;
};

constexpr std::size_t most_report_pictures =
    12;  // of fields, and of charts: a page stays one that a browser opens at once
constexpr std::size_t most_report_warnings = 100;
constexpr Bytes report_picture_limit = Bytes{16} << 20;

/// What one run's part of the page was made of.
struct ReportedRun {
  std::string folder, state;
  std::size_t pictures = 0, charts = 0;
  std::vector<std::string> notes;
};

Json report_json_of(const fs::path& file) {
  const auto text = read_file(file, RunFolder::json_limit);
  Json json = text ? read_json(*text, JsonComments::skipped) : Json();
  return json.is_discarded() ? Json() : json;
}

std::string report_text_of(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : "";
}

std::string report_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return number_text(value.get<double>());
  return compact_json(value);
}

/// Objects, and arrays that hold some, line by line; other arrays are one value.
void flatten_for_report(const Json& json, const std::string& path, ReportRows& rows) {
  const bool nested =
      json.is_array() && std::any_of(json.begin(), json.end(), [](const Json& j) { return j.is_object(); });
  if (json.is_object() && !json.empty()) {
    if (path.empty() || !json.contains("value") || json.size() > 3) {
      for (const auto& [key, value] : json.items())
        flatten_for_report(value, path.empty() ? key : fmt::format("{}.{}", path, key), rows);
      return;
    }
    std::string text = report_value(json["value"]);
    if (const std::string unit = report_text_of(json, "unit"); !unit.empty() && unit != "1") text += " " + unit;
    if (const std::string source = report_text_of(json, "source"); !source.empty()) text += " (" + source + ")";
    rows.push_back({path, text});
  } else if (nested) {
    for (std::size_t i = 0; i < json.size(); ++i) flatten_for_report(json[i], fmt::format("{}.{}", path, i), rows);
  } else {
    rows.push_back({path, report_value(json)});
  }
}

/// Amounts of memory and disk as a person reads them.
void name_bytes(ReportRows& rows) {
  for (auto& row : rows) {
    const bool amount = row[0].starts_with("peak_memory.") || row[0].ends_with("_memory") ||
                        row[0].ends_with(".disk") || row[0].ends_with(".streamed");
    if (amount && !row[1].empty() && row[1].find_first_not_of("0123456789") == std::string::npos)
      row[1] = format_bytes(static_cast<Bytes>(std::strtoull(row[1].c_str(), nullptr, 10)));
  }
}

/// The name of a key, in words.
std::string report_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// A picture by conoid-render, into `page`; false with a note where there is none.
bool draw_for_report(const fs::path& run, std::vector<std::string> what, const char* ending, const std::string& caption,
                     const PrivateFolder& scratch, HtmlPage& page, ReportedRun& told) {
  const fs::path file = scratch.path() / (std::string("picture.") + ending);
  std::vector<std::string> line = {(program_folder() / "conoid-render").string(), absolute_path(run).string()};
  line.insert(line.end(), what.begin(), what.end());
  line.push_back("--output=" + file.string());
  RunLimits limits;
  limits.seconds = 120;
  const auto done = run_program(line, limits);
  const auto bytes = done && done->status == 0 && !done->timed_out ? read_file(file, report_picture_limit)
                                                                   : Result<std::string>(std::string());
  if (!done || !bytes || bytes->empty()) {
    const std::string why = !done             ? done.error().render()
                            : done->timed_out ? "it took longer than 120 s"
                            : !bytes          ? bytes.error().render()
                                              : done->output;
    told.notes.push_back(fmt::format("'{}' could not be drawn: {}", caption, why));
    return false;
  }
  page.picture(std::string_view(ending) == "svg" ? "image/svg+xml" : "image/png", *bytes, caption);
  std::error_code ignored;
  fs::remove(file, ignored);
  return true;
}

/// Fields of the last frame and what the mesh is.
void report_fields(const fs::path& run, bool can_draw, const PrivateFolder& scratch, HtmlPage& page,
                   ReportedRun& told) {
  const auto reader = VtkhdfReader::open(run);
  if (!reader) {
    told.notes.push_back("no fields: " + reader.error().render());
    return;
  }
  if ((*reader)->frames().empty()) {
    told.notes.push_back("no fields: no frame was kept");
    return;
  }
  ReportRows facts{{"part", "kind", "points", "cells"}};
  const std::size_t last = (*reader)->frames().size() - 1;
  if (const auto frame = (*reader)->read(last); frame) {
    for (const FramePart& part : (*frame)->parts) {
      if (const auto* image = std::get_if<ImageGeometry>(&part.geometry)) {
        const auto& n = image->points;
        Index cells = 1;
        for (const Index points : n) cells *= std::max<Index>(points - 1, 1);
        facts.push_back({part.name, fmt::format("grid {} x {} x {}", n[0], n[1], n[2]),
                         std::to_string(n[0] * n[1] * n[2]), std::to_string(cells)});
      } else if (const auto* mesh = std::get_if<MeshGeometry>(&part.geometry); mesh->points && mesh->types) {
        facts.push_back(
            {part.name, "mesh", std::to_string(mesh->points->size() / 3), std::to_string(mesh->types->size())});
      }
    }
  } else {
    told.notes.push_back("the last frame cannot be read: " + frame.error().render());
  }
  page.heading(2, "Mesh and grids, as kept with the fields");
  page.table(facts);
  const StoredFrame& shown = (*reader)->frames()[last];
  page.heading(2, "Fields");
  page.paragraph(fmt::format("Last frame ({} kept): step {}, {}.", (*reader)->frames().size(), shown.step,
                             shown.axis == FrameAxis::time        ? number_text(shown.value) + " s"
                             : shown.axis == FrameAxis::frequency ? number_text(shown.value) + " Hz"
                                                                  : "iteration " + number_text(shown.value)));
  if (!can_draw) return;
  std::size_t fields = 0;
  page.begin_pictures();
  for (const StoredPart& part : (*reader)->parts())
    for (const FieldInfo& field : part.fields) {
      if (++fields > most_report_pictures) continue;
      const std::string unit = field.unit.empty() || field.unit == "1" ? "" : " [" + field.unit + "]";
      told.pictures += draw_for_report(run, {"--field=" + field.name, "--part=" + part.name, "--size=900x600"}, "png",
                                       report_words(field.name) + unit + ", " + part.name, scratch, page, told)
                           ? 1
                           : 0;
    }
  page.end_pictures();
  if (fields > most_report_pictures)
    told.notes.push_back(
        fmt::format("{} of {} fields are shown; `conoid render` draws the others", most_report_pictures, fields));
}

void report_charts(const fs::path& run, const PrivateFolder& scratch, HtmlPage& page, ReportedRun& told) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it(run / "charts", code), end; !code && it != end; it.increment(code))
    if (it->path().extension() == ".csv") names.push_back(it->path().stem().string());
  std::sort(names.begin(), names.end());
  std::vector<std::pair<std::string, std::string>> shown;  // id and title
  for (const std::string& name : names) {
    const auto table = read_table(run / "charts" / (name + ".csv"));
    if (!table) told.notes.push_back(table.error().render());
    if (!table || table->info.form == ChartForm::none || table->table.rows() == 0) continue;
    shown.emplace_back(name, table->info.title.empty() ? report_words(name) : table->info.title);
  }
  if (shown.empty()) return;
  page.heading(2, "Charts");
  page.begin_pictures();
  for (std::size_t i = 0; i < std::min(shown.size(), most_report_pictures); ++i)
    told.charts += draw_for_report(run, {"--chart=" + shown[i].first, "--size=900x600"}, "svg", shown[i].second,
                                   scratch, page, told)
                       ? 1
                       : 0;
  page.end_pictures();
  if (shown.size() > most_report_pictures)
    told.notes.push_back(fmt::format("{} of {} charts are shown", most_report_pictures, shown.size()));
}

/// The case of the run folder, which has what --set changed, with what else was said for the run. From any folder: relative paths in it
/// count from where the run was started.
std::string command_that_repeats(const fs::path& run, const Json& about) {
  ResourceOptions said;
  if (about.is_object() && about.contains("flags") && about["flags"].is_object()) {
    const Json& flags = about["flags"];
    said.workers = report_text_of(flags, "workers");
    said.memory = report_text_of(flags, "memory");
    if (flags.contains("threads") && flags["threads"].is_number_integer()) said.threads = flags["threads"].get<int>();
    said.deterministic = flags.contains("deterministic") && flags["deterministic"] == true;
  }
  std::string line;
  if (about.is_object() && about.contains("ranks") && about["ranks"].is_number_integer())
    if (const auto ranks = about["ranks"].get<std::int64_t>(); ranks > 1) line = fmt::format("mpirun -n {} ", ranks);
  line += "conoid run " + shell_word(absolute_path(run).string());
  // A run folder may be from elsewhere: all but a bare name of an option is quoted.
  const auto is_option = [](const std::string& word) {
    return word.starts_with("--") && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
  };
  for (const std::string& word : words_of(said, 0)) line += " " + (is_option(word) ? word : shell_word(word));
  return line;
}

void report_warnings(const fs::path& run, HtmlPage& page, ReportedRun& told) {
  const auto log = read_file(run / "log.jsonl", Bytes{256} << 20);
  if (!log) return told.notes.push_back("no log: " + log.error().render());
  ReportRows rows{{"after", "level", "message"}};
  std::size_t all = 0;
  std::istringstream lines(*log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("\"level\":\"info\"") != std::string::npos) continue;
    const Json entry = read_json(line);
    const std::string level = report_text_of(entry, "level");
    if (level.empty() || level == "info" || level == "debug" || ++all > most_report_warnings) continue;
    const bool timed = entry.contains("t") && entry["t"].is_number();
    rows.push_back({timed ? format_duration(entry["t"].get<double>()) : "", level, report_text_of(entry, "text")});
  }
  page.heading(2, "Warnings of the log");
  if (rows.size() < 2) page.paragraph("None.");
  page.table(rows);
  if (all > most_report_warnings)
    page.paragraph(fmt::format("The first {} of {}; all are in log.jsonl.", most_report_warnings, all));
}

/// What phases took beside what they were expected to take.
ReportRows foreseen_phases(const Json& summary) {
  ReportRows out{{"phase", "foreseen, s", "taken, s"}};
  const Json::json_pointer phases("/foreseen/phases");
  if (!summary.is_object() || !summary.contains(phases)) return out;
  for (const auto& [name, times] : summary.at(phases).items())
    if (times.is_object() && times.contains("foreseen") && times.contains("taken"))
      out.push_back({name, report_value(times["foreseen"]), report_value(times["taken"])});
  return out;
}

ReportedRun report_run(const fs::path& run, const PrivateFolder& scratch, HtmlPage& page) {
  ReportedRun told;
  told.folder = run.string();
  const Json summary = read_summary(run), about = report_json_of(run / "run.json"),
             the_case = report_json_of(run / "case.json");
  told.state = report_text_of(summary, "state");
  std::string title = report_text_of(the_case, "title");
  if (title.empty()) title = run.filename().string();
  page.heading(1, title);
  page.paragraph(fmt::format("Run {}, solver {}, started {} on {}", absolute_path(run).filename().string(),
                             report_text_of(the_case, "solver"), report_text_of(about, "started"),
                             report_text_of(about, "host")));
  if (told.state.empty()) {
    told.state = "unknown";
    page.notice("This run has not ended, or it was killed: it has no summary. What it has kept so far is shown.");
  } else if (told.state != "finished") {
    const std::string why = summary.contains("error") ? report_text_of(summary["error"], "text") : "";
    page.notice(
        fmt::format("This run is not complete, its state is '{}'.{}{}", told.state, why.empty() ? "" : "\n", why));
  }
  const auto section = [&](const char* heading, const ReportRows& rows) {
    if (rows.size() < 2) return;
    page.heading(2, heading);
    page.table(rows);
  };
  ReportRows numbers{{"number", "value", "unit"}};
  if (summary.is_object() && summary.contains("numbers") && summary["numbers"].is_object())
    for (const auto& [name, entry] : summary["numbers"].items()) {
      if (!entry.is_object() || !entry.contains("value")) continue;
      const std::string unit = report_text_of(entry, "unit");
      numbers.push_back({report_words(name), report_value(entry["value"]), unit == "1" ? "" : unit});
    }
  section("Result numbers", numbers);
  ReportRows checks{{"about", "what the run says"}};
  if (summary.is_object() && summary.contains("texts") && summary["texts"].is_object())
    for (const auto& [name, text] : summary["texts"].items())
      checks.push_back({report_words(name), report_value(text)});
  section("Checks and remarks", checks);

  const bool can_draw = ::access((program_folder() / "conoid-render").c_str(), X_OK) == 0;
  if (!can_draw)
    told.notes.emplace_back("no pictures: the program conoid-render is not beside conoid (builds with VTK have it)");
  report_fields(run, can_draw, scratch, page, told);
  if (can_draw) report_charts(run, scratch, page, told);

  ReportRows keys{{"key", "value"}};
  flatten_for_report(the_case, "", keys);
  section("Case", keys);
  page.paragraph("Numbers without a unit are in the SI unit of their key.");
  page.begin_details("case.json");
  page.code(indented_json(the_case));
  page.end_details();

  ReportRows resources{{"what", "value"}};
  if (about.is_object() && about.contains("options")) flatten_for_report(about["options"], "", resources);
  if (summary.is_object()) {
    for (const char* key : {"machine", "peak_memory", "ranks", "steps", "resumed"})
      if (summary.contains(key)) flatten_for_report(summary[key], key, resources);
    // Who took what stands above; what was foreseen, here.
    if (summary.contains("resources") && summary["resources"].is_object() && summary["resources"].contains("needs"))
      flatten_for_report(summary["resources"]["needs"], "foreseen", resources);
  }
  name_bytes(resources);
  section("Resources", resources);
  for (const auto& [key, heading] :
       std::initializer_list<std::pair<const char*, const char*>>{{"seconds", "Times"}, {"phases", "Phases"}}) {
    ReportRows times{{"part", "seconds"}};
    if (summary.is_object() && summary.contains(key)) flatten_for_report(summary[key], "", times);
    section(heading, times);
  }
  section("Foreseen", foreseen_phases(summary));
  report_warnings(run, page, told);
  page.heading(2, "The same again");
  page.code(command_that_repeats(run, about));
  if (about.is_object() && about.contains("trusted") && about["trusted"] == true)
    page.paragraph(
        "Its geometry script was let start programs, read and write files. Add --trust if you trust it, too.");
  page.paragraph("Computed by conoid " + report_text_of(about, "conoid") + ".");
  if (!told.notes.empty()) {
    page.heading(2, "What is not shown");
    for (const std::string& note : told.notes) page.paragraph(note);
  }
  return told;
}

void report_differences(const fs::path& first, const fs::path& second, HtmlPage& page) {
  const std::string a = absolute_path(first).filename().string(), b = absolute_path(second).filename().string();
  page.heading(2, fmt::format("{} and {}", a, b));
  const auto compared = compare_runs(first, second, {false, "last"});
  if (!compared) return page.paragraph(compared.error().render());
  ReportRows keys{{"key", a, b}}, numbers{{"number", "unit", a, b}};
  for (const KeyDifference& key : compared->keys) keys.push_back({key.pointer, key.first, key.second});
  const auto number = [](const std::optional<double>& value) { return value ? number_text(*value) : std::string(); };
  for (const NumberPair& n : compared->numbers)
    numbers.push_back({report_words(n.name), n.unit == "1" ? "" : n.unit, number(n.first), number(n.second)});
  if (compared->keys.empty()) page.paragraph("The cases are the same.");
  page.table(keys);
  page.table(numbers);
  for (const std::string& note : compared->notes) page.paragraph(note);
}

fs::path printing_program() {
  return program_folder() / "conoid-gui";
}

Status print_report(const fs::path& page, const fs::path& pdf) {
  RunLimits limits;
  limits.seconds = 300;
  const auto done =
      run_program({printing_program().string(), page.string(), "--paper", absolute_path(pdf).string()}, limits);
  if (!done) return done.error();
  if (!done->timed_out && done->status == 0) return {};
  return make_error(ErrorCode::file, fmt::format("'{}' could not be written", pdf.string()),
                    "Give -o FILE.html and print that page from a browser.");
}

Status write_report(const ReportVerbOptions& options, Context& context) {
  std::vector<fs::path> runs;
  for (const std::string& name : options.runs) {
    auto run = run_folder_named(name);
    if (!run) return run.error();
    runs.push_back(*run);
  }
  fs::path out = options.out;
  const std::string name = absolute_path(runs.front()).filename().string() + "-report.html";
  std::error_code code;
  if (out.empty())
    out = name;
  else if (fs::is_directory(out, code))
    out /= name;
  const bool paper = out.extension() == ".pdf";
  if (paper && !fs::exists(printing_program(), code))
    return make_error(ErrorCode::resources,
                      fmt::format("'{}': a report becomes PDF by conoid-gui, which is not installed", out.string()),
                      "Give -o FILE.html and print that page from a browser; it has a style for paper.");
  if (!paper && out.extension() != ".html" && out.extension() != ".htm")
    return make_error(
        ErrorCode::command_line,
        fmt::format("-o: expected a file that ends in .html or .pdf, or a folder that is there, found '{}'",
                    out.string()),
        "For example -o report.html.");
  const PrivateFolder scratch(temporary_folder(), "conoid-report");
  if (scratch.path().empty())
    return make_error(ErrorCode::file,
                      fmt::format("there is no room for pictures in '{}'", temporary_folder().string()),
                      "Name a folder that can be written to by TMPDIR.");
  std::string title = report_text_of(report_json_of(runs.front() / "case.json"), "title");
  HtmlPage page(title.empty() ? name : title);
  if (runs.size() > 1) {
    page.heading(1, fmt::format("{} runs", runs.size()));
    for (std::size_t i = 1; i < runs.size(); ++i) report_differences(runs[0], runs[i], page);
  }
  Json told = Json::array();
  for (const fs::path& run : runs) {
    const ReportedRun one = report_run(run, scratch, page);
    told.push_back({{"run", one.folder},
                    {"state", one.state},
                    {"pictures", one.pictures},
                    {"charts", one.charts},
                    {"notes", one.notes}});
    if (!context.json)
      for (const std::string& note : one.notes) context.say("Note: {}", note);
  }
  page.heading(2, "Versions");
  page.begin_details("conoid --version --json, of the program that wrote this page");
  page.code(indented_json(parts_of_program()));
  page.end_details();
  const fs::path written_to = paper ? scratch.path() / "page.html" : out;
  if (auto written = write_file_atomically(written_to, page.text()); !written) return written.error();
  if (paper)
    if (auto printed = print_report(written_to, out); !printed) return printed.error();
  if (!context.json) context.say("Report: {}", short_path(out));
  context.object({{"report", absolute_path(out).string()}, {"runs", told}});
  return {};
}

void add_report(OptionSet verb, Context& context) {
  const auto options = std::make_shared<ReportVerbOptions>();
  verb.value("RUN", options->runs,
             "Run folders, names below runs/, or 'latest'; of several, how they differ stands first")
      .required();
  verb.value("-o,--out", options->out, "HTML or PDF file to write, or a folder for it (default: RUN-report.html here)");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] {
    if (auto status = write_report(*options, context); !status) context.fail(status.error());
  });
}

}  // namespace

Verb report_verb() {
  return {"report", "Write one page (HTML or PDF) of a run: case, pictures, charts, numbers, resources",
          "  conoid report latest\n"
          "  conoid report runs/short -o short.html\n"
          "  conoid report runs/short -o short.pdf\n"
          "  conoid report runs/coarse runs/fine -o both.html --json\n",
          add_report};
}

}  // namespace conoid::cli
