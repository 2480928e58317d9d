// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: a run whose small files hold any bytes opens without them, or is refused with a text.
//
// Input: run.json, summary.json, telemetry.csv and log.jsonl, one behind the other, each ended by a byte 0xff.
// links: conoid_case conoid_io conoid_team
// sources: app/model/stored_run.cpp engine/session/control.cpp engine/session/frame_channel.cpp
// sources: engine/session/event_queue.cpp engine/session/run_lock.cpp
#include <array>
#include <cstdint>
#include <cstdlib>

#include "app/model/stored_run.hpp"
#include "engine/core/json.hpp"
#include "scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  static const bool once = [] {
    fuzz::written("case.json", R"({"conoid": 1, "solver": "heat-rod"})");
    return true;
  }();
  static_cast<void>(once);
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"run.json", "summary.json", "telemetry.csv", "log.jsonl"}) {
    const std::size_t end = std::min(rest.find('\xff'), rest.size());
    const std::string_view text = rest.substr(0, end);
    fuzz::written(name, text);
    // What a program prints or keeps of it.
    if (const Json json = read_json(text); !json.is_discarded() && !read_json(compact_json(Json(json))).is_structured())
      if (json.is_structured()) std::abort();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto run = app::read_stored_run(fuzz::scratch());
  if (!run && run.error().text.empty()) std::abort();
  if (run)
    for (const auto& sample : run->balance)
      if (sample.worker < 0 || sample.worker >= static_cast<int>(run->workers.size())) std::abort();
  (void)app::read_phases(fuzz::scratch());
  if (run) (void)read_telemetry(fuzz::scratch() / "telemetry.csv", 7);
  return 0;
}
