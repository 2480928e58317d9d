// SPDX-License-Identifier: BSD-3-Clause
// Reads a run folder.
#include "app/model/stored_run.hpp"

#include <algorithm>
#include <array>

#include "engine/case/document.hpp"
#include "engine/session/run_reader.hpp"

namespace conoid::app {
namespace {

namespace fs = std::filesystem;
constexpr Bytes json_limit = Bytes{1} << 24;
constexpr std::size_t log_lines = 20000;
constexpr std::size_t balance_rows = 20000;

Json json_file(const fs::path& file) {
  const auto text = read_file(file, json_limit);
  return text ? read_json(*text) : Json();
}

std::string text_at(const Json& json, const char* key) {
  const auto it = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
}

double number_at(const Json& json, const char* key) {
  if (!json.is_object()) return 0;
  const auto it = json.find(key);
  return it != json.end() && it->is_number() ? it->get<double>() : 0;
}

LogLevel level_of(const std::string& word) {
  if (word == "error") return LogLevel::error;
  if (word == "warning") return LogLevel::warning;
  return word == "debug" ? LogLevel::debug : LogLevel::info;
}

void read_summary(const Json& summary, StoredRun& run) {
  if (!summary.is_object()) return;
  const std::string state = text_at(summary, "state");
  for (SessionState s : {SessionState::finished, SessionState::stopped, SessionState::failed})
    if (state == name_of(s)) run.state = s;
  if (const auto it = summary.find("numbers"); it != summary.end() && it->is_object())
    for (const auto& [name, entry] : it->items())
      if (entry.is_object()) run.numbers.push_back({name, number_at(entry, "value"), text_at(entry, "unit")});
  if (const auto it = summary.find("seconds"); it != summary.end()) run.seconds = number_at(*it, "total");
  run.steps = static_cast<Index>(number_at(summary, "steps"));
  if (const auto it = summary.find("phases"); it != summary.end() && it->is_object()) {
    double began = 0;
    for (const auto& [name, seconds] : it->items()) {
      if (!seconds.is_number()) continue;
      run.phases.push_back({name, began, seconds.get<double>(), true});
      began += seconds.get<double>();
    }
  }
}

void read_tables(const fs::path& folder, StoredRun& run) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder / "charts", ignored))
    if (entry.path().extension() == ".csv") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    auto stored = read_table(file);
    if (!stored) {
      run.log.push_back({LogLevel::warning, 0, stored.error().text, stored.error().hint, {}});
      continue;
    }
    RunTable table;
    table.info = stored->info;
    if (table.info.id.empty()) table.info.id = file.stem().string();
    table.rows.reserve(stored->table.rows());
    for (std::size_t r = 0; r < stored->table.rows(); ++r) {
      const auto row = stored->table.row(r);
      table.rows.emplace_back(row.begin(), row.end());
    }
    run.tables.push_back(std::move(table));
  }
}

void read_balance(const fs::path& file, StoredRun& run) {
  const auto table = read_csv(file, {}, CutLine::drop);
  if (!table) return;
  std::array<std::size_t, 7> at{};
  constexpr std::array<std::string_view, 7> names = {"pass", "worker", "begin", "end", "busy", "waiting", "copying"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if ((at[i] = table->find(names[i])) == CsvTable::npos) return;
  const std::size_t first = table->rows() > balance_rows ? table->rows() - balance_rows : 0;
  int workers = 0;
  for (std::size_t r = first; r < table->rows(); ++r) {
    const auto row = table->row(r);
    // Counts from a damaged file must not overflow an integer.
    const auto count = [&](std::size_t i) { return row[at[i]] >= 0 && row[at[i]] < 9e15 ? static_cast<Index>(row[at[i]]) : Index{0}; };
    const int worker = static_cast<int>(std::min<Index>(count(1), 63));
    workers = std::max(workers, worker + 1);
    run.balance.push_back({static_cast<std::uint64_t>(count(0)), worker, {count(2), count(3)}, row[at[4]], row[at[5]], row[at[6]]});
  }
  for (int w = 0; w < workers; ++w) run.workers.push_back({"worker " + std::to_string(w + 1), 0, 1});
}

void read_log(const fs::path& file, StoredRun& run) {
  const auto text = read_file(file, Bytes{1} << 26);
  if (!text) return;
  std::size_t begin = 0;
  std::vector<LogLine> lines;
  while (begin < text->size()) {
    std::size_t end = text->find('\n', begin);
    if (end == std::string::npos) end = text->size();
    const Json line = read_json(std::string_view(*text).substr(begin, end - begin));
    if (line.is_object())
      lines.push_back({level_of(text_at(line, "level")), number_at(line, "t"), text_at(line, "text"), {}, {}});
    begin = end + 1;
  }
  const std::size_t first = lines.size() > log_lines ? lines.size() - log_lines : 0;
  run.log.insert(run.log.begin(), lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end());
}

}  // namespace

Result<StoredRun> read_run_card(const fs::path& folder) {
  StoredRun run;
  run.folder = fs::absolute(folder).lexically_normal();
  std::error_code ignored;
  if (!fs::exists(run.folder / "case.json", ignored))
    return make_error(ErrorCode::file, "this folder is no run: it holds no case.json",
                      "Choose a folder that a run has made.", {run.folder.string(), 0, {}});
  if (const Status known = RunFolder::check_format(run.folder); !known) return known.error();
  const Json about = json_file(run.folder / "run.json");
  run.title = text_at(about, "title");
  run.solver = text_at(about, "solver");
  run.case_file = text_at(about, "case");
  run.started = text_at(about, "started");
  read_summary(json_file(run.folder / "summary.json"), run);
  return run;
}

Result<StoredRun> read_stored_run(const fs::path& folder) {
  auto card = read_run_card(folder);
  if (!card) return card;
  StoredRun& run = *card;
  read_tables(run.folder, run);
  read_balance(run.folder / "telemetry.csv", run);
  read_log(run.folder / "log.jsonl", run);
  auto reader = VtkhdfReader::open(run.folder);
  if (reader) {
    run.reader = std::move(reader).value();
    run.frames = run.reader->frames();
    for (const StoredPart& part : run.reader->parts())
      for (const FieldInfo& field : part.fields) run.catalog.emplace_back(part.name, field);
  } else {
    run.log.push_back({LogLevel::info, run.seconds, reader.error().text, reader.error().hint, {}});
  }
  return card;
}

}  // namespace conoid::app
