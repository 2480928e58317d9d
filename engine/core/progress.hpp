// SPDX-License-Identifier: BSD-3-Clause
// How a solver says what it is doing: phases, and units done within each.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "engine/core/types.hpp"

namespace conoid {

/// What a progress line or bar shows. `total` 0: open end (a rate is shown, never an ETA).
struct ProgressState {
  std::string phase;  ///< "assemble", "march", "factorise"
  Index done = 0;
  Index total = 0;
  std::string unit;      ///< "steps", "columns", "frequencies"
  double criterion = 0;  ///< residual or dt when that tells more than a count; 0 = none
  double target = 0;
  double items_per_second = 0;  ///< computed at present (cells, zones, entries); 0 = none
  std::string item_name;        ///< "Gcells", …: text after the rate
};

/// The receiver of progress. Calls come from the engine thread, may be frequent (the receiver thins them), never wait.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void begin(std::string_view phase, Index total, std::string_view unit) = 0;
  virtual void at(Index done) = 0;
  /// So many items (updates of cells, of zones) more have been computed since the last call.
  virtual void computed(double items, std::string_view item_name) = 0;
  virtual void residual(double criterion, double target) = 0;
  virtual void end() = 0;
};

/// Swallows everything: for tests and verification tables.
class NoProgress final : public Progress {
 public:
  void begin(std::string_view, Index, std::string_view) override {}
  void at(Index) override {}
  void computed(double, std::string_view) override {}
  void residual(double, double) override {}
  void end() override {}
};

}  // namespace conoid
