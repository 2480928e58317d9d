// SPDX-License-Identifier: BSD-3-Clause
// Pictures of a run folder: fields and charts chosen by name.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/run/run_reader.hpp"
#include "render/capture/png.hpp"
#include "render/chart/chart_scene.hpp"
#include "render/scene/field_scene.hpp"

namespace conoid {

/// A run folder as typed ("latest", a path, a name below runs/), or a results file.
[[nodiscard]] Result<std::filesystem::path> find_run(const std::string& what);

struct FieldRequest {
  std::filesystem::path run;
  std::string field;               ///< empty: the first
  std::string part;                ///< empty: all that carry it
  std::optional<long long> frame;  ///< number; negative counts from the last (−1); none: the last
  bool telling = false;            ///< without a number: the one that a window opens the run on
};

/// What a run holds, for --list and for error messages.
[[nodiscard]] Result<std::string> describe_run(const std::filesystem::path& run);

/// The frame asked for, with every part (other meshes give the surroundings). Unknown names are errors that list those
/// that exist.
[[nodiscard]] Result<std::shared_ptr<const Frame>> read_frame(const FieldRequest& request);

/// The title of the run's case; empty if it has none.
[[nodiscard]] std::string run_title(const std::filesystem::path& run);
/// The run's name as its files carry it.
[[nodiscard]] std::string run_id(const std::filesystem::path& run);

/// "12.4 ms", "2 GHz", "3": when, or at what, a frame is.
[[nodiscard]] std::string moment_of(FrameAxis axis, double value);

/// A table charts/<table>.csv and its rows. An unknown name lists those that exist.
struct RunTableRows {
  TableInfo info;
  std::vector<std::vector<double>> rows;
};
[[nodiscard]] Result<RunTableRows> read_run_table(const std::filesystem::path& run, const std::string& table);

/// The chart charts/<table>.csv, or "balance" from telemetry.csv. An unknown name lists those that exist.
[[nodiscard]] Result<ChartSpec> read_chart(const std::filesystem::path& run, const std::string& table);

}  // namespace conoid
