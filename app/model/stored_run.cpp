// SPDX-License-Identifier: BSD-3-Clause
// Reads a run folder.
#include "app/model/stored_run.hpp"

#include <algorithm>

#include "engine/case/document.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/json_values.hpp"
#include "engine/run/run_reader.hpp"
#include "engine/session/run_lock.hpp"

namespace conoid::app {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t log_lines = 20000;
constexpr std::size_t balance_rows = 20000;

Json json_file(const fs::path& file) {
  const auto text = read_file(file, RunFolder::json_limit);
  return text ? read_json(*text) : Json();
}

double number_at(const Json& json, const char* key) {
  if (!json.is_object()) return 0;
  const auto it = json.find(key);
  return it != json.end() && it->is_number() ? it->get<double>() : 0;
}

/// Numbers of damaged files need not fit an integer.
Index count_of(double number) {
  return number > 0 ? static_cast<Index>(std::min(number, 9e15)) : 0;
}

LogLevel level_of(const std::string& word) {
  if (word == "error") return LogLevel::error;
  if (word == "warning") return LogLevel::warning;
  return word == "debug" ? LogLevel::debug : LogLevel::info;
}

std::vector<RunPhase> phases_of(const Json& summary) {
  std::vector<RunPhase> out;
  const auto it = summary.find("phases");
  if (it == summary.end() || !it->is_object()) return out;
  double began = 0;
  for (const auto& [name, seconds] : it->items()) {
    if (!seconds.is_number()) continue;
    out.push_back({name, began, seconds.get<double>(), true});
    began += seconds.get<double>();
  }
  return out;
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
  if (const auto it = summary.find("machine"); it != summary.end()) {
    const auto rates_at = [](const Json& at) {
      return MachineRates{number_at(at, "copy_bytes_per_second"), number_at(at, "flops_double"),
                          number_at(at, "flops_single"),
                          static_cast<int>(std::clamp(number_at(at, "threads"), 0.0, 1e6))};
    };
    run.rates = rates_at(*it);
    if (const auto devices = it->find("devices"); devices != it->end() && devices->is_array())
      for (const Json& device : *devices) {
        const auto worker = static_cast<std::size_t>(std::clamp(number_at(device, "worker"), 0.0, 1e3));
        if (run.device_rates.size() <= worker) run.device_rates.resize(worker + 1);
        run.device_rates[worker] = rates_at(device);
      }
  }
  run.steps = count_of(number_at(summary, "steps"));
  run.phases = phases_of(summary);
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
  const auto rows = read_telemetry(file, balance_rows);
  if (!rows) return;
  int workers = 0;
  for (const TelemetryRow& row : *rows) {
    workers = std::max(workers, row.worker + 1);
    run.balance.push_back({row.pass,
                           row.worker,
                           row.items,
                           row.busy,
                           row.waiting,
                           row.copying,
                           row.phase,
                           {row.flops, row.bytes},
                           static_cast<Bytes>(count_of(row.held)),
                           static_cast<Bytes>(count_of(row.streamed))});
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

std::vector<RunPhase> read_phases(const fs::path& folder) {
  return phases_of(json_file(folder / "summary.json"));
}

Result<StoredRun> read_run_card(const fs::path& folder) {
  StoredRun run;
  run.folder = absolute_path(folder).lexically_normal();
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
  run.computing = RunLock::is_held(run.folder);
  return run;
}

Result<StoredRun> read_run_curves(const fs::path& folder) {
  auto card = read_run_card(folder);
  if (!card) return card;
  read_tables(card->folder, *card);
  read_balance(card->folder / "telemetry.csv", *card);
  read_log(card->folder / "log.jsonl", *card);
  return card;
}

Result<StoredRun> read_stored_run(const fs::path& folder) {
  auto card = read_run_curves(folder);
  if (!card) return card;
  StoredRun& run = *card;
  auto reader = VtkhdfReader::open(run.folder);
  if (reader) {
    run.reader = std::move(reader).value();
    run.frames = run.reader->frames();
    run.first_shown = telling_frame(*run.reader);
    for (const StoredPart& part : run.reader->parts())
      for (const FieldInfo& field : part.fields) run.catalog.emplace_back(part.name, field);
  } else {
    run.log.push_back({LogLevel::info, run.seconds, reader.error().text, reader.error().hint, {}});
  }
  return card;
}

}  // namespace conoid::app
