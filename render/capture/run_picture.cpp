// SPDX-License-Identifier: BSD-3-Clause
// Reading what a picture needs, and saying what there is when a name is wrong.
#include "render/capture/run_picture.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "engine/core/json.hpp"
#include "render/scene/ticks.hpp"

namespace conoid {

namespace fs = std::filesystem;

namespace {

std::string frames_text(const std::vector<StoredFrame>& frames) {
  if (frames.empty()) return "none yet";
  return fmt::format("{} to {} ({} frames, {} to {})", frames.front().number, frames.back().number, frames.size(),
                     moment_of(frames.front().axis, frames.front().value),
                     moment_of(frames.back().axis, frames.back().value));
}

std::string fields_text(const VtkhdfReader& reader, const std::string& part = {}) {
  std::string list;
  for (const StoredPart& p : reader.parts())
    if (part.empty() || p.name == part)
      for (const FieldInfo& f : p.fields) list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", f.name, p.name);
  return list.empty() ? "none" : list;
}

std::string parts_text(const VtkhdfReader& reader) {
  std::string list;
  for (const StoredPart& p : reader.parts()) list += (list.empty() ? "" : ", ") + p.name;
  return list.empty() ? "none" : list;
}

fs::path folder_of(const fs::path& run) {
  return fs::is_directory(run) ? run : run.parent_path();
}

std::string charts_text(const fs::path& run) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_of(run) / "charts", ignored))
    if (entry.path().extension() == ".csv") names.push_back(entry.path().stem().string());
  if (fs::exists(folder_of(run) / "sweep.csv", ignored)) names.emplace_back("sweep");
  if (fs::exists(folder_of(run) / "telemetry.csv", ignored)) names.insert(names.end(), {"balance", "roofline"});
  std::sort(names.begin(), names.end());
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "" : ", ") + name;
  return list.empty() ? "none" : list;
}

Result<ChartSpec> read_balance(const fs::path& file, bool roofline) {
  const auto read = read_telemetry(file);
  if (!read) return read.error();
  std::vector<BalanceRow> rows;
  for (const TelemetryRow& row : *read)
    rows.push_back({row.pass, row.worker, row.items, row.busy, row.waiting, row.copying, row.phase, row.flops,
                    row.bytes, row.held});
  if (!roofline) return balance_chart(std::move(rows));
  MachineRates rates;
  std::vector<MachineRates> devices;
  if (const auto text = read_file(file.parent_path() / "summary.json", RunFolder::json_limit)) {
    const auto summary = read_json(*text);
    const auto machine = summary.is_object() ? summary.value("machine", Json::object()) : Json::object();
    const auto rates_at = [](const Json& at) {
      const auto number = [&](const char* key) {
        return at.is_object() && at.contains(key) && at[key].is_number() ? at[key].get<double>() : 0.0;
      };
      return std::pair(MachineRates{number("copy_bytes_per_second"), number("flops_double"), number("flops_single"), 0},
                       number("worker"));
    };
    rates = rates_at(machine).first;
    if (machine.is_object() && machine.contains("devices"))
      for (const Json& device : machine["devices"]) {
        const auto [of_device, worker] = rates_at(device);
        const auto w = static_cast<std::size_t>(std::clamp(worker, 0.0, 1e3));
        if (devices.size() <= w) devices.resize(w + 1);
        devices[w] = of_device;
      }
  }
  return roofline_chart(rows, {}, rates, {}, devices);
}

}  // namespace

Result<fs::path> find_run(const std::string& what) {
  std::error_code ignored;
  if (fs::exists(what, ignored)) return fs::path(what);
  auto folder = RunFolder::find(what, "runs");
  if (!folder) return folder.error();
  return folder->path();
}

Result<std::string> describe_run(const fs::path& run) {
  std::string text;
  auto reader = VtkhdfReader::open(run);
  if (reader)
    text = fmt::format("frames  {}\nparts   {}\nfields  {}\n", frames_text((*reader)->frames()), parts_text(**reader),
                       fields_text(**reader));
  else
    text = "fields  none: " + reader.error().text + "\n";
  return text + "charts  " + charts_text(run) + "\n";
}

Result<std::shared_ptr<const Frame>> read_frame(const FieldRequest& request) {
  auto opened = VtkhdfReader::open(request.run);
  if (!opened) return opened.error();
  VtkhdfReader& reader = **opened;
  const auto& frames = reader.frames();
  const auto& parts = reader.parts();
  if (!request.part.empty() &&
      std::none_of(parts.begin(), parts.end(), [&](const StoredPart& p) { return p.name == request.part; }))
    return make_error(ErrorCode::command_line, "the run has no part \"" + request.part + "\"",
                      "Parts: " + parts_text(reader) + ".");
  const auto carries = [&](const StoredPart& p) {
    return (request.part.empty() || p.name == request.part) &&
           std::any_of(p.fields.begin(), p.fields.end(), [&](const FieldInfo& f) { return f.name == request.field; });
  };
  if (!request.field.empty() && std::none_of(parts.begin(), parts.end(), carries))
    return make_error(ErrorCode::command_line,
                      "the run has no field \"" + request.field + "\"" +
                          (request.part.empty() ? "" : " on the part \"" + request.part + "\""),
                      "Fields: " + fields_text(reader, request.part) + ".");
  if (frames.empty())
    return make_error(ErrorCode::file, "the run has no finished frame yet", "Wait for its first frame.",
                      {request.run.string(), 0, {}});
  std::size_t position = request.telling ? telling_frame(reader) : frames.size() - 1;
  if (request.frame) {
    const long long wanted = *request.frame;
    const auto count = static_cast<long long>(frames.size());
    if (wanted < 0 && -wanted <= count) {
      position = static_cast<std::size_t>(count + wanted);
    } else {
      const auto found = std::find_if(frames.begin(), frames.end(), [&](const StoredFrame& f) {
        return wanted >= 0 && f.number == static_cast<std::uint64_t>(wanted);
      });
      if (found == frames.end())
        return make_error(ErrorCode::command_line, fmt::format("the run has no frame {}", wanted),
                          "Frames: " + frames_text(frames) + "; -1 is the last.");
      position = static_cast<std::size_t>(found - frames.begin());
    }
  }
  FrameRequest what;
  if (!request.field.empty()) what.fields = {request.field};
  return reader.read(position, what);
}

std::string run_title(const fs::path& run) {
  auto text = read_file(folder_of(run) / "case.json", Bytes{1} << 24);
  if (!text) return {};
  const auto json = read_json(*text, JsonComments::skipped);
  return json.is_object() && json.contains("title") && json["title"].is_string() ? json["title"].get<std::string>()
                                                                                 : std::string();
}

std::string run_id(const fs::path& run) {
  if (auto reader = VtkhdfReader::open(run); reader && !(*reader)->run().empty()) return (*reader)->run();
  return fs::absolute(folder_of(run)).lexically_normal().filename().string();
}

std::string moment_of(FrameAxis axis, double value) {
  switch (axis) {
    case FrameAxis::time: return readable(value, "s");
    case FrameAxis::frequency: return readable(value, "Hz");
    case FrameAxis::iteration: break;
  }
  return fmt::format("{:g}", value);
}

namespace {

/// A file of the run, of a table by that name.
Result<fs::path> table_file(const fs::path& run, const std::string& table, const fs::path& within) {
  const bool plain = !table.empty() && table.find('/') == std::string::npos && table.find("..") == std::string::npos;
  std::error_code ignored;
  if (const fs::path file = folder_of(run) / within; plain && fs::exists(file, ignored)) return file;
  return make_error(ErrorCode::command_line, "the run has no chart \"" + table + "\"",
                    "Charts: " + charts_text(run) + ".");
}

}  // namespace

Result<RunTableRows> read_run_table(const fs::path& run, const std::string& table) {
  const auto file = table_file(run, table, fs::path("charts") / (table + ".csv"));
  if (!file) return file.error();
  auto stored = read_table(*file);
  if (!stored) return stored.error();
  RunTableRows out{std::move(stored->info), {}};
  out.rows.reserve(stored->table.rows());
  for (std::size_t r = 0; r < stored->table.rows(); ++r) {
    const auto row = stored->table.row(r);
    out.rows.emplace_back(row.begin(), row.end());
  }
  return out;
}

Result<ChartSpec> read_chart(const fs::path& run, const std::string& table) {
  if (table == "balance" || table == "roofline") {
    const auto file = table_file(run, table, "telemetry.csv");
    if (!file) return file.error();
    return read_balance(*file, table == "roofline");
  }
  const auto read = read_run_table(run, table);
  if (!read) return read.error();
  return chart_of(read->info, read->rows);
}

}  // namespace conoid
