// SPDX-License-Identifier: BSD-3-Clause
// conoid sweep CASE --over PATH=a:step:b: one run a point, each a process of its own, and one table of all their numbers.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>

#include "engine/case/case.hpp"
#include "engine/case/former_names.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/run_here.hpp"
#include "engine/cli/signals.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/units.hpp"
#include "engine/core/utc.hpp"
#include "engine/io/csv.hpp"
#include "engine/session/offer.hpp"
#include "engine/session/prolong.hpp"
#include "engine/solvers/registry.hpp"

extern char** environ;

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  std::string file;
  std::vector<std::string> over, set;
  std::string out;
  int jobs = 1;
  RunOptions run;
};

struct Point {
  SweepPoint set;
  fs::path folder;
  pid_t process = -1;
  int exit = -1;
};

std::string swept_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

/// The program's own path: /proc/self/exe stays right when the folder is not in PATH.
Result<pid_t> start(const SweepOptions& options, const Point& point, int threads) {
  std::vector<std::string> words = {"conoid",     "run", options.file, "--out", point.folder.string(),
                                    "--progress", "none"};
  for (const std::string& assignment : options.set) words.insert(words.end(), {"--set", assignment});
  for (const auto& [pointer, value] : point.set.set) {
    words.emplace_back("--set");
    words.push_back(fmt::format("{}={}", pointer, json_text(value)));
  }
  for (std::string& word : words_of(options.run.resources, threads)) words.push_back(std::move(word));
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // The points' reports would drown the sweep's own; their errors stay visible.
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int failed = ::posix_spawn(&process, "/proc/self/exe", &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return system_error("start", "conoid run", failed);
  return process;
}

/// The numbers of all points, in the order of first appearance.
std::vector<Column> number_columns(const std::vector<Point>& points) {
  std::vector<Column> out;
  for (const Point& point : points) {
    const Json summary = read_summary(point.folder);
    if (!summary.is_object() || !summary.contains("numbers")) continue;
    for (const auto& [name, entry] : summary["numbers"].items()) {
      const std::string& key = name;
      if (std::none_of(out.begin(), out.end(), [&](const Column& c) { return c.name == key; }))
        out.push_back({name, entry.value("unit", "") == "1" ? "" : entry.value("unit", ""), {}});
    }
  }
  return out;
}

/// What was swept, with the units in which the table holds it.
std::vector<Column> swept_columns(const CaseDocument& document, const Point& first) {
  std::vector<Column> out;
  for (const auto& [pointer, value] : first.set.set) {
    const Json node = schema_of(document).node(pointer, first.set.document.json());
    const std::string unit = node.is_object() ? node.value("unit", "") : "";
    out.push_back({pointer, unit == "1" ? "" : unit, {}});
  }
  return out;
}

/// A swept value as a number in the unit of its column; a text where it is none.
std::string swept_number(const Json& value, const Column& column) {
  if (value.is_string())
    if (const auto read = parse_quantity(value.get<std::string>(), column.unit.empty() ? "1" : column.unit))
      return fmt::format("{}", read->value);
  return csv_field(swept_text(value));
}

std::string table_of(const std::vector<Point>& points, const std::vector<Column>& swept,
                     const std::vector<Column>& numbers) {
  std::string out = "# definition: one row a point of the sweep; exit is the exit code of its run\r\n";
  std::vector<std::string> cells = {"point"};
  for (const Column& column : swept) cells.push_back(csv_field(csv_heading(column)));
  for (const Column& column : numbers) cells.push_back(csv_field(csv_heading(column)));
  cells.insert(cells.end(), {"seconds[s]", "exit", "run"});
  auto line = [&out](const std::vector<std::string>& row) {
    for (std::size_t c = 0; c < row.size(); ++c) out += (c ? "," : "") + row[c];
    out += "\r\n";
  };
  line(cells);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Json summary = read_summary(points[p].folder);
    auto number = [&summary](const std::string& pointer) -> std::string {
      const Json::json_pointer place(pointer);
      if (!summary.is_object() || !summary.contains(place) || !summary.at(place).is_number()) return "";
      return json_text(summary.at(place));
    };
    cells = {fmt::format("{}", p + 1)};
    for (std::size_t k = 0; k < points[p].set.set.size() && k < swept.size(); ++k)
      cells.push_back(swept_number(points[p].set.set[k].second, swept[k]));
    for (const Column& column : numbers) cells.push_back(number(pointer_join("/numbers", column.name) + "/value"));
    cells.insert(cells.end(), {number("/seconds/total"), fmt::format("{}", points[p].exit),
                               csv_field(points[p].folder.filename().string())});
    line(cells);
  }
  return out;
}

Result<fs::path> sweep_folder(const SweepOptions& options) {
  std::error_code code;
  fs::path folder = options.out;
  if (folder.empty()) folder = fs::path("runs") / fmt::format("{}-sweep", utc_stamp(std::time(nullptr)));
  fs::create_directories(folder, code);
  if (code) return system_error("make the folder", folder.string(), code.value());
  if (!fs::is_empty(folder, code) || code)
    return make_error(ErrorCode::file,
                      fmt::format("the folder '{}' is not empty; nothing was written", folder.string()),
                      "Choose a new folder with --out.");
  return absolute_path(folder).lexically_normal();
}

/// Runs all points, `jobs` at a time; stops starting new ones when asked to stop.
Status run_points(const SweepOptions& options, std::vector<Point>& points, const SignalWatch& signals,
                  const Context& context) {
  // Points that are computed at a time share the threads of this machine.
  const int typed = options.run.resources.threads,
            threads = typed == 0 && options.jobs > 1 ? std::max(1, make_offer().threads.value / options.jobs) : typed;
  std::size_t next = 0;
  int active = 0;
  auto finish_one = [&] {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, 0);
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (points[p].process != ended) continue;
      --active;
      points[p].process = -1;
      points[p].exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      const Json summary = read_summary(points[p].folder);
      const double seconds =
          summary.is_object() && summary.contains("seconds") ? summary["seconds"].value("total", 0.0) : 0.0;
      std::string text;
      for (const auto& [pointer, value] : points[p].set.set)
        text += fmt::format("  {} = {}", pointer, swept_text(value));
      context.say("{}/{}{}  {}", p + 1, points.size(), text,
                  points[p].exit == 0 ? format_duration(seconds) : fmt::format("exit {}", points[p].exit));
    }
  };
  while (next < points.size() || active > 0) {
    const bool stopping = signals.stop().stop_requested();
    if (stopping)
      for (const Point& point : points)
        if (point.process > 0) ::kill(point.process, SIGTERM);
    if (!stopping && next < points.size() && active < options.jobs) {
      Point& point = points[next++];
      const auto process = start(options, point, threads);
      if (!process) return process.error();
      point.process = *process;
      ++active;
      continue;
    }
    if (active == 0) break;
    finish_one();
  }
  return {};
}

void sweep(const SweepOptions& options, Context& context) {
  auto document = read_case(options.file);
  if (!document) return context.fail(document.error());
  for (const std::string& assignment : options.set)
    if (const Status set = apply_set(*document, assignment); !set) return context.fail(set.error());
  if (const auto errors = errors_of_settings(*document, options.set); !errors.empty())
    return context.fail(errors.back());
  std::vector<SweepAxis> axes;
  for (const std::string& text : options.over) {
    auto axis = parse_sweep_axis(text);
    if (!axis) return context.fail(axis.error());
    if (const Status named = take_names_of(*document, schema_of(*document), axis->pointer); !named)
      return context.fail(named.error());
    axes.push_back(std::move(*axis));
  }
  auto expanded = expand_sweep(*document, axes);
  if (!expanded) return context.fail(expanded.error());
  const auto folder = sweep_folder(options);
  if (!folder) return context.fail(folder.error());
  std::vector<Point> points;
  for (SweepPoint& point : *expanded) {
    points.push_back({std::move(point), *folder / fmt::format("point-{:04}", points.size() + 1), -1, -1});
  }
  context.say("{} points in {}", points.size(), short_path(*folder));
  SignalWatch signals;
  const Status ran = run_points(options, points, signals, context);
  const fs::path table = *folder / "sweep.csv";
  if (const Status written = write_file_atomically(
          table, table_of(points, swept_columns(*document, points.front()), number_columns(points)));
      !written)
    return context.fail(written.error());
  if (!ran) return context.fail(ran.error());
  for (const Point& point : points)
    if (point.exit > 0 && context.exit == 0) context.exit = point.exit;
  if (signals.stop().stop_requested()) context.exit = static_cast<int>(ErrorCode::stopped);
  context.say("Table: {}", short_path(table));
  context.say("Chart: conoid render {} --chart sweep -o sweep.png", short_path(*folder));
  Json json = Json::array();
  for (const Point& point : points) {
    Json set = Json::object();
    for (const auto& [pointer, value] : point.set.set) set[pointer] = value;
    json.push_back({{"set", set}, {"run", point.folder.string()}, {"exit", point.exit}});
  }
  context.object({{"exit", context.exit}, {"folder", folder->string()}, {"table", table.string()}, {"points", json}});
}

void add_sweep(OptionSet verb, Context& context) {
  const auto options = std::make_shared<SweepOptions>();
  verb.value("CASE", options->file, "Case file, or a folder with a case.json").required();
  verb.value("--over", options->over, "PATH=a:step:b or PATH=a,b,c; may be repeated (all combinations)")
      .required()
      .repeated();
  verb.value("--set", options->set, "Change a value of the case for all points: PATH=VALUE, may be repeated")
      .repeated();
  verb.value("--out", options->out, "Folder to make (default: runs/<UTC time>-sweep)");
  verb.value("--jobs", options->jobs, "Runs at a time").within(1, 4096).shown_default();
  add_run_options(verb, options->run, context);
  verb.on_use([options, &context] { sweep(*options, context); });
}

}  // namespace

Verb sweep_verb() {
  return {
      "sweep", "Run a case for many values of a parameter",
      "  conoid sweep case.json --over source.frequency=1e3:500:5e3\n"
      "  conoid sweep case.json --over discretisation.order=2,4,6,8 --jobs 2\n"
      "  conoid sweep case.json --over source.frequency=1e3:500:5e3 --over mesh.size=0.1,0.2 --set output.frames=0\n",
      add_sweep};
}

}  // namespace conoid::cli
