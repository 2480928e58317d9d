// SPDX-License-Identifier: BSD-3-Clause
// The bounded queue of events from a session to its client.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "engine/session/session.hpp"

namespace conoid {

/// Thread-safe. What waits is merged, so that a client that never looks costs a bounded amount of memory:
/// - progress and catalogue: only the newest;
/// - numbers: the newest of each name;
/// - table rows: joined to one event a table; beyond `row_limit` rows the oldest go, which the client sees as a gap
///   before `first_row` (the CSV file has them all);
/// - balance samples: one event, beyond `sample_limit` the oldest go;
/// - states are never dropped (there are few), diagnostics up to `diagnostic_limit`, the last one saying so.
class EventQueue {
 public:
  static constexpr std::size_t row_limit = 65536;
  static constexpr std::size_t sample_limit = 65536;
  static constexpr std::size_t diagnostic_limit = 10000;

  void push(SessionEvent event);
  [[nodiscard]] std::vector<SessionEvent> take();

 private:
  bool merge(SessionEvent& event);

  std::mutex mutex_;
  std::vector<SessionEvent> events_;
  std::size_t diagnostics_ = 0;
};

}  // namespace conoid
