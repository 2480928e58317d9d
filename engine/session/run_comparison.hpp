// SPDX-License-Identifier: BSD-3-Clause
// Two runs side by side: what their cases say differently, their result numbers, and how far their charts and fields are apart.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/json.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// The leaves of a case by their pointers ("/grid/spacing"), in the order of its keys, as one would type them for --set; arrays of plain
/// values are one leaf. At most 5000.
/// Keys are called as the schema of its solver calls them now.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> case_leaves(const Json& document);

/// A leaf that is not the same in both. An empty text: not given there.
struct KeyDifference {
  std::string pointer, first, second;
};
/// In the order of the first's keys, then the second's own; a file that cannot be read counts as empty.
[[nodiscard]] std::vector<KeyDifference> case_differences(const std::filesystem::path& first_case,
                                                          const std::filesystem::path& second_case);

/// A result number of summary.json that at least one of the runs has.
struct NumberPair {
  std::string name, unit;
  std::optional<double> first, second;
};

/// How far second − first goes.
struct Distance {
  Index values = 0;      ///< compared
  double scale = 0;      ///< largest |first| among them
  double largest = 0;    ///< largest |second − first|
  double rms = 0;        ///< square root of the mean of (second − first)²
  double rms_scale = 0;  ///< square root of the mean of first²
};

/// A curve: a column of a table of charts/ over that table's first column. Rows are compared where both have one; where the abscissae are
/// not the same, the second is interpolated linearly at the first's, within what both span.
struct CurveDistance {
  std::string table, column, unit;
  bool interpolated = false;
  Distance distance;
};

/// A field in one part of a frame: entry by entry on the same geometry, or on the same cells whose nodes are apart by less than 2 % of the
/// extent (marches of moving meshes); else the second is probed at the points of the first
/// (PartProbe), at most 100,000 of them, where it reaches. Complex values count as two numbers.
struct FieldDistance {
  std::string part, field, unit;
  bool interpolated = false;
  double moment_first = 0, moment_second = 0;  ///< s, Hz or 1
  Distance distance;
};

struct RunComparison {
  std::vector<KeyDifference> keys;
  std::vector<NumberPair> numbers;  ///< without those that time the run
  std::vector<CurveDistance> curves;
  std::vector<FieldDistance> fields;
  std::vector<std::string> notes;  ///< what could not be compared, and why
};

struct CompareOptions {
  bool fields = true;
  /// Frames of the first run (choose_frames); each is compared with the nearest one of the second.
  std::string frames = "last";
};

/// Reads two run folders. An error where one of them is none; what is missing or damaged inside is said in notes. Any thread.
[[nodiscard]] Result<RunComparison> compare_runs(const std::filesystem::path& first,
                                                 const std::filesystem::path& second,
                                                 const CompareOptions& options = {});

}  // namespace conoid
