// SPDX-License-Identifier: BSD-3-Clause
// Rows of `conoid verify`, said as what a value must be.
#pragma once

#include <string>
#include <utility>

#include "engine/solvers/test_run.hpp"

namespace conoid {

/// What a table is asked for, and where its rows go; both outlive it. A table may add what its rows share, as a team.
struct VerifyRows {
  const TestRun& run;
  const VerifySink& row;

  /// `source`: paper, equation, or "exact"; `unit` that of value and limit.
  void at_most(std::string name, double value, double limit, std::string source, std::string unit = "1") const {
    row({std::move(name), value, std::move(unit), limit, false, std::move(source)});
  }
  void at_least(std::string name, double value, double limit, std::string source, std::string unit = "1") const {
    row({std::move(name), value, std::move(unit), limit, true, std::move(source)});
  }
};

}  // namespace conoid
