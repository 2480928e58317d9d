// SPDX-License-Identifier: BSD-3-Clause
// The log: spdlog behind a face, so that no other file includes it. The one global state of the engine.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/core.h>

namespace conoid {

enum class LogLevel { debug, info, warning, error };

/// One entry as receivers see it.
struct LogEntry {
  LogLevel level = LogLevel::info;
  double seconds = 0;  ///< since the program started
  std::string text;
};

namespace log {

void write(LogLevel level, std::string_view text);

template <class... A>
void info(fmt::format_string<A...> format, A&&... args) {
  write(LogLevel::info, fmt::format(format, std::forward<A>(args)...));
}
template <class... A>
void warning(fmt::format_string<A...> format, A&&... args) {
  write(LogLevel::warning, fmt::format(format, std::forward<A>(args)...));
}
template <class... A>
void error(fmt::format_string<A...> format, A&&... args) {
  write(LogLevel::error, fmt::format(format, std::forward<A>(args)...));
}
template <class... A>
void debug(fmt::format_string<A...> format, A&&... args) {
  write(LogLevel::debug, fmt::format(format, std::forward<A>(args)...));
}

/// Since the program started, as in LogEntry.
[[nodiscard]] double seconds();

/// Lowest level that is written to stderr (default: warning).
void set_console_level(LogLevel level);

/// Calls `receiver` for each entry, from the thread that logs; returns a handle that ends it when destroyed.
class Subscription {
 public:
  virtual ~Subscription() = default;
};
[[nodiscard]] std::unique_ptr<Subscription> subscribe(std::function<void(const LogEntry&)> receiver);

/// Writes entries as JSON lines {"t":…,"level":…,"text":…} to a file until the handle is destroyed; t counts from `origin`, in
/// seconds() of the program, so that it is the time of a run whatever its program did before.
[[nodiscard]] std::unique_ptr<Subscription> to_json_lines(const std::filesystem::path& file, double origin = 0);

}  // namespace log
}  // namespace conoid
