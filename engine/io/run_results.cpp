// SPDX-License-Identifier: BSD-3-Clause
// Results in a run folder: growing CSV tables, summary.json, telemetry.csv, and their place in checkpoints.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>

#include <fmt/format.h>

#include "engine/core/atomic_file.hpp"
#include "engine/core/json.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/own_folder.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/io/system_write.hpp"

namespace conoid {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t buffer_limit = 1 << 16;
constexpr std::string_view checkpoint_array = "results";
constexpr std::string_view telemetry_head =
    "pass,worker,begin,end,busy[s],waiting[s],copying[s],phase,operations[1],moved[B],held[B],streamed[B]\r\n";

// JSON has no infinities; these read back by from_chars and tell a person what happened.
Json json_number(double v) {
  if (std::isfinite(v)) return v;
  return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
}

double number_from(const Json& j) {
  if (j.is_number()) return j.get<double>();
  const std::string text = j.is_string() ? j.get<std::string>() : std::string();
  double v = std::nan("");
  std::from_chars(text.data(), text.data() + text.size(), v);
  return v;
}

bool is_file_name(std::string_view id) {
  if (id.empty() || id.front() == '.' || id.size() > 200) return false;
  for (const char c : id)
    if (c == '/' || c == '\\' || static_cast<unsigned char>(c) < 0x20) return false;
  return true;
}

}  // namespace

GrowingFile::~GrowingFile() {
  close();
}

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), written_(other.written_),
      buffer_(std::move(other.buffer_)), failure_(std::move(other.failure_)) {}

GrowingFile& GrowingFile::operator=(GrowingFile&& other) noexcept {
  if (this == &other) return *this;
  close();
  path_ = std::move(other.path_);
  fd_ = std::exchange(other.fd_, -1);
  written_ = other.written_;
  buffer_ = std::move(other.buffer_);
  failure_ = std::move(other.failure_);
  return *this;
}

Status GrowingFile::open(fs::path path, std::int64_t keep, Above above) {
  close();
  path_ = std::move(path);
  written_ = 0;
  buffer_.clear();
  failure_.reset();
  fd_ = above == Above::own ? open_in_own_folder(path_, false)
                            : ::open(path_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (fd_ < 0) return *(failure_ = system_error("write", path_.string(), errno));
  struct stat info {};
  if (keep > 0 && (::fstat(fd_, &info) != 0 || info.st_size < keep)) {
    close();
    return make_error(ErrorCode::file,
                      fmt::format("'{}' has {} bytes, expected at least the {} of the checkpoint", path_.string(),
                                  static_cast<long long>(info.st_size), keep),
                      "The file was changed or lost after the checkpoint was written.");
  }
  const std::int64_t length = std::max<std::int64_t>(keep, 0);
  if (::ftruncate(fd_, length) != 0 || ::lseek(fd_, length, SEEK_SET) < 0) {
    failure_ = system_error("write", path_.string(), errno);
    close();
    return *failure_;
  }
  written_ = static_cast<Bytes>(length);
  return {};
}

void GrowingFile::append(std::string_view text) {
  if (failure_ || fd_ < 0) return;
  buffer_ += text;
  if (buffer_.size() >= buffer_limit) static_cast<void>(flush(false));
}

Status GrowingFile::flush(bool to_disk) {
  if (failure_) return *failure_;
  if (fd_ < 0) return {};
  if (const int code = write_fully(fd_, std::as_bytes(std::span(buffer_))); code != 0) {
    failure_ = system_error("write", path_.string(), code);
    // A torn row would look like data: cut back to what was whole before this flush.
    static_cast<void>(::ftruncate(fd_, static_cast<off_t>(written_)) == 0);
    buffer_.clear();
    return *failure_;
  }
  written_ += buffer_.size();
  buffer_.clear();
  if (to_disk && ::fdatasync(fd_) != 0 && errno != EINVAL)
    return *(failure_ = system_error("flush", path_.string(), errno));
  return {};
}

void GrowingFile::close() {
  if (fd_ < 0) return;
  static_cast<void>(flush(false));
  ::close(fd_);
  fd_ = -1;
}

class RunResults::FileTable final : public Table {
 public:
  FileTable(RunResults& owner, TableInfo table_info) : owner_(owner), info(std::move(table_info)) {}

  void append(std::span<const double> row) override {
    verify(row.size() == info.columns.size(),
           fmt::format("table '{}' has {} columns, a row has {}", info.id, info.columns.size(), row.size()));
    if (owner_.writes_) {
      line_.clear();
      append_csv_row(line_, row);
      file.append(line_);
    }
    ++rows;
  }
  using Table::append;

 private:
  RunResults& owner_;
  std::string line_;

 public:
  TableInfo info;
  GrowingFile file;
  std::size_t rows = 0;
};

RunResults::RunResults(RunFolder folder, bool writes) : folder_(std::move(folder)), writes_(writes) {}
RunResults::~RunResults() = default;

void RunResults::fail(const Error& error) {
  if (!failure_) failure_ = error;
}

Table& RunResults::table(const TableInfo& info) {
  for (auto& t : tables_)
    if (t->info.id == info.id) {
      verify(t->info.columns.size() == info.columns.size(), "the columns of a table stay the same");
      return *t;
    }
  verify(is_file_name(info.id) && !info.columns.empty(), "a table needs an id that is a file name, and columns");
  tables_.push_back(std::make_unique<FileTable>(*this, info));
  FileTable& table = *tables_.back();
  const auto kept = kept_.find(info.id);
  if (!writes_) {
    if (kept != kept_.end()) table.rows = kept->second.rows;
    return table;
  }
  std::error_code ignored;
  fs::create_directories(folder_.charts(), ignored);
  const fs::path path = folder_.charts() / (info.id + ".csv");
  const std::string head = csv_head(info, folder_.id());
  Status opened = expect_own_folder(folder_.charts());
  if (!opened) {
    // Nothing is made where the link leads.
  } else if (kept != kept_.end()) {
    opened = table.file.open(path, kept->second.bytes, GrowingFile::Above::own);
    if (opened) table.rows = kept->second.rows;
  } else {
    opened = table.file.open(path, -1, GrowingFile::Above::own);
    if (opened) table.file.append(head);
  }
  if (!opened) fail(told_by_folder(folder_.charts(), std::move(opened)).error());
  return table;
}

void RunResults::number(std::string_view name, double value, std::string_view unit) {
  for (auto& n : numbers_)
    if (n.name == name) {
      n.value = value;
      n.unit = unit;
      return;
    }
  numbers_.push_back({std::string(name), value, std::string(unit)});
}

void RunResults::text(std::string_view name, std::string_view value) {
  for (auto& [key, kept] : texts_)
    if (key == name) {
      kept = value;
      return;
    }
  texts_.emplace_back(name, value);
}

void RunResults::telemetry(std::span<const TelemetryRow> rows) {
  if (!writes_ || rows.empty()) return;
  if (!telemetry_.is_open()) {
    if (failure_) return;
    const Status opened = telemetry_.open(folder_.telemetry_file(), telemetry_keep_);
    if (!opened) return fail(opened.error());
    if (telemetry_.size() == 0) {
      telemetry_.append(telemetry_head);
    } else {
      std::string head;
      std::ifstream(folder_.telemetry_file()) >> head;
      telemetry_columns_ = static_cast<std::size_t>(std::count(head.begin(), head.end(), ',')) + 1;
    }
  }
  std::string text;
  for (const auto& row : rows) {
    const auto known = std::find(telemetry_phases_.begin(), telemetry_phases_.end(), row.phase);
    const auto phase = known - telemetry_phases_.begin();
    if (known == telemetry_phases_.end()) {
      telemetry_phases_.push_back(row.phase);
      fmt::format_to(std::back_inserter(text), "# phase {} is {}\r\n", phase, row.phase);
    }
    fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.9g},{:.9g},{:.9g},{}", row.pass, row.worker,
                   row.items.begin, row.items.end, row.busy, row.waiting, row.copying, phase);
    if (telemetry_columns_ >= 11)
      fmt::format_to(std::back_inserter(text), ",{:.6g},{:.6g},{:.12g}", row.flops, row.bytes, row.held);
    if (telemetry_columns_ >= 12) fmt::format_to(std::back_inserter(text), ",{:.12g}", row.streamed);
    text += "\r\n";
  }
  telemetry_.append(text);
}

Status RunResults::flush(bool to_disk) {
  if (!writes_) return {};
  for (auto& t : tables_)
    if (const Status s = t->file.flush(to_disk); !s) fail(s.error());
  if (const Status s = telemetry_.flush(to_disk); !s) fail(s.error());
  if (failure_) return *failure_;
  return {};
}

void RunResults::summary_member(std::string_view name, std::string_view json) {
  for (auto& [key, kept] : members_)
    if (key == name) {
      kept = json;
      return;
    }
  members_.emplace_back(name, json);
}

Status RunResults::write_summary() {
  if (!writes_) return {};
  Json summary;
  summary["run"] = folder_.id();
  auto& numbers = summary["numbers"] = Json::object();
  for (const auto& n : numbers_) numbers[n.name] = {{"value", json_number(n.value)}, {"unit", n.unit}};
  auto& texts = summary["texts"] = Json::object();
  for (const auto& [name, value] : texts_) texts[name] = value;
  for (const auto& [name, json] : members_) {
    auto parsed = read_json(json);
    verify(!parsed.is_discarded(), fmt::format("summary member '{}' is JSON", name));
    summary[name] = std::move(parsed);
  }
  const std::string text = indented_json(summary) + "\n";
  const Status written = write_file_atomically(folder_.summary_file(), text);
  if (!written) fail(written.error());
  return written;
}

Status RunResults::save(CheckpointWriter& writer) {
  // What a checkpoint counts must be on the disk before the checkpoint is.
  const Status flushed = flush(true);
  Json state;
  state["version"] = 1;
  auto& tables = state["tables"] = Json::object();
  for (const auto& [id, kept] : kept_) tables[id] = {{"rows", kept.rows}, {"bytes", kept.bytes}};
  for (const auto& t : tables_) tables[t->info.id] = {{"rows", t->rows}, {"bytes", t->file.size()}};
  state["telemetry"] = telemetry_.is_open() ? static_cast<std::int64_t>(telemetry_.size()) : telemetry_keep_;
  auto& numbers = state["numbers"] = Json::array();
  for (const auto& n : numbers_) numbers.push_back({n.name, json_number(n.value), n.unit});
  auto& texts = state["texts"] = Json::array();
  for (const auto& [name, value] : texts_) texts.push_back({name, value});
  const std::string text = compact_json(state);
  writer.shared(checkpoint_array, std::span<const char>(text));
  return flushed;
}

Result<std::vector<Diagnostic>> RunResults::restore(const CheckpointReader& reader) {
  verify(tables_.empty() && !telemetry_.is_open(), "results are restored before the first table is made");
  std::vector<Diagnostic> warnings;
  const auto text = reader.all<char>(checkpoint_array);
  const auto state = read_json(std::string_view(text.data(), text.size()));
  try {
    if (state.at("version").get<int>() != 1) throw std::runtime_error("version");
    for (const auto& [id, entry] : state.at("tables").items()) {
      if (!is_file_name(id)) continue;
      kept_[id] = {entry.at("rows").get<std::uint64_t>(), entry.at("bytes").get<std::int64_t>()};
    }
    telemetry_keep_ = state.at("telemetry").get<std::int64_t>();
    for (const auto& n : state.at("numbers"))
      numbers_.push_back({n.at(0).get<std::string>(), number_from(n.at(1)), n.at(2).get<std::string>()});
    for (const auto& t : state.at("texts")) texts_.emplace_back(t.at(0).get<std::string>(), t.at(1).get<std::string>());
  } catch (const std::exception&) {
    return make_error(ErrorCode::file, "the checkpoint's record of tables cannot be read",
                      "It was written by another version of Conoid; start the run anew.");
  }
  if (!writes_) return warnings;
  std::error_code code;
  for (fs::directory_iterator it(folder_.charts(), code), end; !code && it != end; it.increment(code)) {
    if (it->path().extension() != ".csv" || kept_.contains(it->path().stem().string())) continue;
    std::error_code ignored;
    fs::remove(it->path(), ignored);  // made after the checkpoint; the run makes it again
  }
  for (auto it = kept_.begin(); it != kept_.end();) {
    const fs::path path = folder_.charts() / (it->first + ".csv");
    GrowingFile cut;
    const Status opened = it->second.bytes > 0 ? cut.open(path, it->second.bytes, GrowingFile::Above::own) : Status();
    if (opened) {
      ++it;
      continue;
    }
    warnings.push_back(
        make_warning(opened.error().text + "; the table starts anew at the checkpoint", opened.error().hint));
    it = kept_.erase(it);
  }
  GrowingFile cut;
  if (telemetry_keep_ > 0) {
    if (const Status opened = cut.open(folder_.telemetry_file(), telemetry_keep_); !opened) {
      warnings.push_back(make_warning(opened.error().text + "; the telemetry starts anew", opened.error().hint));
      telemetry_keep_ = -1;
    }
  } else {
    fs::remove(folder_.telemetry_file(), code);
  }
  return warnings;
}

Status RunResults::discard() {
  kept_.clear();
  telemetry_keep_ = -1;
  if (!writes_) return {};
  std::error_code code;
  for (fs::directory_iterator it(folder_.charts(), code), end; !code && it != end; it.increment(code)) {
    std::error_code ignored;
    if (it->path().extension() == ".csv") fs::remove(it->path(), ignored);
  }
  fs::remove(folder_.telemetry_file(), code);
  return {};
}

Result<std::vector<TelemetryRow>> read_telemetry(const std::filesystem::path& file, std::size_t most) {
  constexpr Bytes limit = Bytes{1} << 28;
  const auto text = read_file(file, limit);
  if (!text) return text.error();
  constexpr std::array<std::string_view, 12> names = {"pass",    "worker", "begin",      "end",   "busy", "waiting",
                                                      "copying", "phase",  "operations", "moved", "held", "streamed"};
  constexpr std::size_t needed = 7;
  std::array<std::size_t, names.size()> at{};
  at.fill(std::string::npos);
  std::map<int, std::string> phases;
  std::vector<TelemetryRow> rows;
  std::vector<std::string_view> cells;
  bool headed = false;
  std::size_t number = 0;
  const auto wrong = [&](std::string what) {
    return make_error(ErrorCode::file, std::move(what), "Expected pass, worker, begin, end, busy, waiting, copying.",
                      {file.string(), static_cast<int>(number), {}});
  };
  for (std::size_t begin = 0, end = 0; (end = text->find('\n', begin)) != std::string::npos; begin = end + 1) {
    ++number;
    std::string_view line(text->data() + begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.front() == '#') {
      // "# phase 0 is assembly": from here on, as a resumed run numbers anew.
      constexpr std::string_view phase = "# phase ", is = " is ";
      constexpr std::size_t longest = 200;  // every row that follows holds it
      int key = -1;
      const auto middle = line.find(is, phase.size());
      if (!line.starts_with(phase) || middle == std::string_view::npos) continue;
      std::from_chars(line.data() + phase.size(), line.data() + middle, key);
      phases[key] = line.substr(middle + is.size(), longest);
      continue;
    }
    cells.clear();
    for (std::size_t cell = 0; cell <= line.size();) {
      const std::size_t comma = std::min(line.find(',', cell), line.size());
      cells.push_back(line.substr(cell, comma - cell));
      cell = comma + 1;
    }
    if (!headed) {
      headed = true;
      for (std::size_t c = 0; c < cells.size(); ++c) {
        const auto name = std::find(names.begin(), names.end(), cells[c].substr(0, cells[c].find('[')));
        if (name != names.end()) at[static_cast<std::size_t>(name - names.begin())] = c;
      }
      for (std::size_t i = 0; i < needed; ++i)
        if (at[i] == std::string::npos) return wrong(fmt::format("the column \"{}\" is missing", names[i]));
      continue;
    }
    std::array<double, names.size()> v{};
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (at[i] == std::string::npos) continue;
      if (at[i] >= cells.size()) return wrong(fmt::format("{} values, where the first line names more", cells.size()));
      const std::string_view cell = cells[at[i]];
      const auto [rest, bad] = std::from_chars(cell.data(), cell.data() + cell.size(), v[i]);
      if (bad != std::errc{} || rest != cell.data() + cell.size())
        return wrong(fmt::format("\"{}\" is no number", cell));
    }
    // Counts from a damaged file must not overflow an integer.
    const auto count = [&](std::size_t i) { return v[i] >= 0 && v[i] < 9e15 ? static_cast<Index>(v[i]) : Index{0}; };
    TelemetryRow row{static_cast<std::uint64_t>(count(0)),
                     static_cast<int>(std::min<Index>(count(1), 63)),
                     {count(2), count(3)},
                     v[4],
                     v[5],
                     v[6],
                     {},
                     v[8],
                     v[9],
                     v[10],
                     v[11]};
    if (at[7] != std::string::npos)
      if (const auto known = phases.find(static_cast<int>(std::min<Index>(count(7), 1 << 20))); known != phases.end())
        row.phase = known->second;
    if (most > 0 && rows.size() >= 2 * most) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most));
    rows.push_back(std::move(row));
  }
  if (!headed) return wrong("no rows");
  if (rows.size() > most) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(most));
  return rows;
}

}  // namespace conoid
