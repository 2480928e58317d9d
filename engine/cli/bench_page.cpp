// SPDX-License-Identifier: BSD-3-Clause
// From rows to a page.
#include "engine/cli/bench_page.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "engine/cli/engine_benches.hpp"
#include "engine/cli/html_page.hpp"
#include "engine/cli/machine_text.hpp"
#include "engine/cli/output.hpp"
#include "engine/cli/paper_figures.hpp"
#include "engine/cli/parts.hpp"
#include "engine/cli/svg_curves.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/units.hpp"
#include "engine/core/utc.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_earlier = 200, columns_of_earlier = 4;
constexpr Bytes report_limit = Bytes{16} << 20;

/// A member, whatever the object is; null where it is not there.
const Json& member(const Json& json, const char* name) {
  static const Json none;
  return json.is_object() && json.contains(name) ? json[name] : none;
}
std::string text(const Json& json, const char* name) {
  const Json& value = member(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}
std::optional<double> number(const Json& json, const char* name) {
  const Json& value = member(json, name);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}
std::string number_or_blank(const Json& json, const char* name) {
  const auto value = number(json, name);
  return value ? number_text(*value) : std::string();
}
std::string seconds_or_blank(const Json& json, const char* name) {
  const auto value = number(json, name);
  return value ? fmt::format("{:.3g}", *value) : std::string();
}
std::string day(const Json& bench) {
  return text(bench, "when").substr(0, 10);
}

/// Of which table a row is: an id of a solver or a part of the engine.
std::string table_of(const Json& bench, const Json& row) {
  const std::string own = text(row, "solver");
  return own.empty() ? text(bench, "solver") : own;
}

/// What was measured then under this name; limits of the machine have the table "".
std::optional<double> value_then(const Json& bench, const std::string& table, const Json& row) {
  const Json& rows = table.empty() ? member(member(bench, "machine"), "limits") : member(bench, "rows");
  if (!rows.is_array()) return {};
  for (const Json& then : rows)
    if (text(then, "name") == text(row, "name") && text(then, "unit") == text(row, "unit") &&
        (table.empty() || table_of(bench, then) == table))
      return number(then, "value");
  return {};
}

std::string title_of(const std::string& table) {
  if (const SolverInfo* info = find_solver(table)) return fmt::format("{}: {}", table, info->title);
  for (const EngineBench& part : engine_benches())
    if (part.id == table) return fmt::format("{}: {}", table, part.title);
  return table;
}

bool alike(const Json& a, const Json& b) {
  const Json &first = member(a, "machine"), &second = member(b, "machine");
  return text(first, "processor") == text(second, "processor") &&
         member(first, "threads") == member(second, "threads") && member(a, "quick") == member(b, "quick");
}

/// Columns of earlier values, behind those of a table.
class Earlier {
 public:
  Earlier(const Json& bench, const std::vector<Json>& all) {
    for (auto one = all.rbegin(); one != all.rend() && shown_.size() < columns_of_earlier; ++one)
      if (alike(bench, *one)) shown_.push_back(&*one);
    std::reverse(shown_.begin(), shown_.end());
  }
  void add_headings(std::vector<std::string>& row) const {
    for (const Json* one : shown_) row.push_back(day(*one));
    if (!shown_.empty()) row.emplace_back("change %");
  }
  void add_values(std::vector<std::string>& cells, const std::string& table, const Json& row) const {
    std::optional<double> last;
    for (const Json* one : shown_) {
      const auto then = value_then(*one, table, row);
      cells.push_back(then ? number_text(*then) : std::string());
      if (then) last = then;
    }
    if (shown_.empty()) return;
    const auto now = number(row, "value");
    cells.push_back(now && last && *last != 0 ? fmt::format("{:+.1f}", 100 * (*now / *last - 1)) : std::string());
  }

 private:
  std::vector<const Json*> shown_;
};

void show_rows(const Json& rows, const std::string& table, const Earlier& earlier, HtmlPage& page) {
  Rows out{{"row", "value", "unit", "ratio", "to", "floor", "", "limited by"}};
  // Of tables of a paper: its number.
  const bool published =
      std::any_of(rows.begin(), rows.end(), [](const Json& row) { return row.contains("published"); });
  if (published) out.front().emplace_back("published");
  earlier.add_headings(out.front());
  for (const Json& row : rows) {
    const bool floor = number(row, "limit").has_value();
    out.push_back({text(row, "name"), number_or_blank(row, "value"), text(row, "unit"), number_or_blank(row, "ratio"),
                   text(row, "source"), number_or_blank(row, "limit"),
                   !floor                          ? ""
                   : member(row, "passed") == true ? "reached"
                                                   : "MISSED",
                   text(row, "limited_by")});
    if (published) out.back().push_back(number_or_blank(row, "published"));
    earlier.add_values(out.back(), table, row);
  }
  page.table(out);
  const std::vector<PaperFigure> figures = paper_figures(rows);
  if (figures.empty()) return;
  page.begin_pictures();
  for (const PaperFigure& one : figures)
    page.picture("image/svg+xml", one.svg, one.name + (one.published ? "; dashed: published" : ""));
  page.end_pictures();
}

void show_whole_runs(const Json& runs, HtmlPage& page) {
  if (!runs.is_array() || runs.empty()) return;
  page.heading(2, "Whole runs");
  page.paragraph(
      "What a person waits for: a sample case from its file to its results, by a program of its own. Its rate is that "
      "of "
      "the march alone, as in the tables of kernels above, or of runs where the solver counts no items; times are in "
      "seconds.");
  Rows out{{"sample", "solver", "threads", "rate", "unit", "total", "prepare", "march", "frames", "checkpoints",
            "finish", "memory"}};
  for (const Json& run : runs) {
    const Json& seconds = member(run, "seconds");
    out.push_back({text(run, "sample"), text(run, "solver"), number_or_blank(run, "threads"),
                   number_or_blank(run, "items_per_second"), text(run, "item") + "/s"});
    for (const char* name : {"total", "prepare", "march", "frames", "checkpoints", "finish"})
      out.back().push_back(seconds_or_blank(seconds, name));
    out.back().push_back(format_bytes(static_cast<Bytes>(std::max(0.0, number(run, "memory").value_or(0)))));
  }
  page.table(out);
}

/// Rates of one sample over threads.
struct Scaling {
  std::string sample;
  std::vector<std::pair<double, double>> rates;  ///< threads, items a second
};

/// Speed-up over threads beside the straight line, on one drawing.
std::string drawing(const std::vector<Scaling>& all, double most) {
  std::vector<Curve> curves;
  for (const Scaling& one : all) {
    curves.push_back({one.sample, {}, false});
    for (const auto& [threads, rate] : one.rates)
      curves.back().points.emplace_back(threads, rate / one.rates.front().second);
  }
  curves.push_back({"", {{0, 0}, {most, most}}, true});
  return svg_of_curves(curves, {"threads", "speed-up", false, false});
}

void show_scaling(const Json& runs, HtmlPage& page) {
  if (!runs.is_array()) return;
  std::vector<Scaling> all;
  double most = 1;
  for (const Json& run : runs) {
    const std::string sample = text(run, "sample");
    if (all.empty() || all.back().sample != sample) all.push_back({sample, {}});
    const double threads = number(run, "threads").value_or(0), rate = number(run, "items_per_second").value_or(0);
    if (threads > 0 && rate > 0) all.back().rates.emplace_back(threads, rate);
  }
  std::erase_if(all, [](const Scaling& one) { return one.rates.size() < 2 || one.rates.front().first != 1; });
  if (all.empty()) return;
  page.heading(2, "Scaling over threads");
  Rows out{{"sample", "threads", "speed-up", "of linear %"}};
  for (const Scaling& one : all)
    for (const auto& [threads, rate] : one.rates) {
      const double up = rate / one.rates.front().second;
      most = std::max({most, threads, up});
      out.push_back(
          {one.sample, number_text(threads), fmt::format("{:.2f}", up), fmt::format("{:.0f}", 100 * up / threads)});
    }
  page.begin_pictures();
  page.picture("image/svg+xml", drawing(all, std::ceil(most)), "Speed-up of whole runs over threads; dashed: linear");
  page.end_pictures();
  page.table(out);
}

void show_earlier(const std::vector<Json>& earlier, HtmlPage& page) {
  if (earlier.empty()) return;
  page.heading(2, "Earlier reports");
  Rows out{{"when", "host", "processor", "threads", "version", "tables", "rows", "below their floor"}};
  for (std::size_t back = 1; back <= earlier.size(); ++back) {
    const Json* const one = &earlier[earlier.size() - back];
    const Json &machine = member(*one, "machine"), &rows = member(*one, "rows");
    const auto missed = !rows.is_array() ? 0 : std::count_if(rows.begin(), rows.end(), [](const Json& r) {
      return member(r, "passed") == false;
    });
    out.push_back({text(*one, "when"), text(machine, "host"), text(machine, "processor"),
                   number_or_blank(machine, "threads"), text(*one, "conoid"),
                   text(*one, "solver") + (member(*one, "quick") == true ? ", quick" : ""), std::to_string(rows.size()),
                   std::to_string(missed)});
  }
  page.table(out);
  page.paragraph(
      "Values stand beside those of today where processor, threads and --quick are the same: the newest four, and the "
      "change "
      "since the last of them.");
}

}  // namespace

Result<std::vector<Json>> read_earlier_benches(const fs::path& folder, std::vector<std::string>& left_out) {
  std::error_code code;
  std::vector<fs::path> files;
  fs::directory_iterator it(folder, code);
  for (const fs::directory_iterator end; !code && it != end; it.increment(code))
    if (it->path().extension() == ".json") files.push_back(it->path());
  if (code)
    return make_error(ErrorCode::file, fmt::format("cannot read the folder '{}': {}", folder.string(), code.message()),
                      "Name a folder with results of `conoid bench --json`, or one for them: mkdir it.");
  std::sort(files.begin(), files.end());
  std::vector<Json> out;
  for (const fs::path& file : files) {
    const auto written = read_file(file, report_limit);
    Json json = written ? read_json(*written) : Json();
    if (!json.is_object() || !member(json, "rows").is_array() || !member(json, "machine").is_object()) {
      left_out.push_back(file.filename().string());
      continue;
    }
    if (struct stat info{}; text(json, "when").empty() && ::stat(file.c_str(), &info) == 0)
      json["when"] = utc_text(info.st_mtime);
    out.push_back(std::move(json));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Json& a, const Json& b) { return text(a, "when") < text(b, "when"); });
  if (out.size() > most_earlier) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(most_earlier));
  return out;
}

std::string bench_page(const Json& bench, const std::vector<Json>& earlier) {
  const Json &machine = member(bench, "machine"), &rows = member(bench, "rows");
  HtmlPage page(fmt::format("Benchmarks on {}", text(machine, "host")));
  page.heading(1, fmt::format("Benchmarks on {}", text(machine, "host")));
  page.paragraph(fmt::format("{}, {} threads, conoid {}, {}{}", text(machine, "processor"),
                             number_or_blank(machine, "threads"), text(bench, "conoid"), text(bench, "when"),
                             member(bench, "quick") == true ? ", quick" : ""));
  if (const std::string error = text(member(bench, "error"), "text"); !error.empty())
    page.notice("Not all was measured: " + error);
  std::vector<std::string> missed;
  for (const Json& row : rows)
    if (member(row, "passed") == false) missed.push_back(table_of(bench, row) + ": " + text(row, "name"));
  if (!missed.empty())
    page.notice(fmt::format("{} of {} rows {} below the floor:\n{}", missed.size(), rows.size(),
                            missed.size() == 1 ? "is" : "are", fmt::join(missed, "\n")));
  page.heading(2, "Machine");
  Rows what{{"what", "what it is"}};
  for (const auto& row : machine_text().rows) what.push_back(row);
  page.table(what);

  const Earlier before(bench, earlier);
  page.heading(2, "Limits of this machine, measured");
  if (const Json& limits = member(machine, "limits"); limits.is_array() && !limits.empty()) {
    Rows out{{"limit", "value", "unit"}};
    before.add_headings(out.front());
    for (const Json& row : limits) {
      out.push_back({text(row, "name"), number_or_blank(row, "value"), text(row, "unit")});
      before.add_values(out.back(), "", row);
    }
    page.table(out);
  } else {
    page.paragraph("Not measured: rows were chosen by --only.");
  }
  // In the order in which they came; whole runs stand with the kernels of their solver.
  std::vector<std::pair<std::string, Json>> tables;
  for (const Json& row : rows) {
    const std::string id = table_of(bench, row);
    auto at = std::find_if(tables.begin(), tables.end(), [&](const auto& table) { return table.first == id; });
    if (at == tables.end()) at = tables.insert(at, {id, Json::array()});
    at->second.push_back(row);
  }
  for (const auto& [id, of_it] : tables) {
    page.heading(2, title_of(id));
    show_rows(of_it, id, before, page);
  }
  page.paragraph(
      "A ratio is to what stands beside it; a floor is the least value that a row must reach. "
      "Repeat a row: conoid bench TABLE --only 'its name'.");
  show_whole_runs(member(bench, "runs"), page);
  show_scaling(member(bench, "runs"), page);
  show_earlier(earlier, page);
  page.heading(2, "Versions");
  page.begin_details("conoid --version --json");
  page.code(indented_json(parts_of_program()));
  page.end_details();
  return page.text();
}

}  // namespace conoid::cli
