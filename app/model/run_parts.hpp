// SPDX-License-Identifier: BSD-3-Clause
// The pieces of a run that the window keeps, whether it computes just now or was read from its folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/log.hpp"
#include "engine/run/run_reader.hpp"

namespace conoid::app {

struct RunTable {
  TableInfo info;
  std::vector<std::vector<double>> rows;
};

struct RunPhase {
  std::string name;
  double began = 0;    ///< seconds of wall time since the start
  double seconds = 0;  ///< so far
  bool finished = false;
};

struct LogLine {
  LogLevel level = LogLevel::info;
  double seconds = 0;
  std::string text;
  std::string hint;
  std::string pointer;                           ///< the field of the case it speaks of, or empty
  std::optional<ErrorCode> code = std::nullopt;  ///< of a failure: the manual knows what helps
};

}  // namespace conoid::app
