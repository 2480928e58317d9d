// SPDX-License-Identifier: BSD-3-Clause
// A moment as text, in universal time. Thread-safe.
#pragma once

#include <ctime>
#include <string>

namespace conoid {

/// "20260102T030405Z", as folders of runs are named.
[[nodiscard]] std::string utc_stamp(std::time_t moment);
/// "2026-01-02T03:04:05Z" (ISO 8601).
[[nodiscard]] std::string utc_text(std::time_t moment);

}  // namespace conoid
