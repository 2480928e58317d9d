// SPDX-License-Identifier: BSD-3-Clause
// The log on spdlog: a console sink and any number of subscribers.
#include "engine/core/log.hpp"

#include <fcntl.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace conoid::log {
namespace {

struct Hub {
  std::mutex mutex;
  std::map<int, std::function<void(const LogEntry&)>> receivers;
  int next = 0;
  std::shared_ptr<spdlog::logger> console;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  Hub() {
    console = std::make_shared<spdlog::logger>("conoid", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    console->set_pattern("conoid: %l: %v");
    console->set_level(spdlog::level::warn);
  }
};

Hub& hub() {
  static Hub instance;
  return instance;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::debug: return spdlog::level::debug;
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
  }
  return spdlog::level::info;
}

class HubSubscription : public Subscription {
 public:
  explicit HubSubscription(std::function<void(const LogEntry&)> receiver) {
    std::lock_guard lock(hub().mutex);
    id_ = hub().next++;
    hub().receivers.emplace(id_, std::move(receiver));
  }
  ~HubSubscription() override {
    std::lock_guard lock(hub().mutex);
    hub().receivers.erase(id_);
  }

 private:
  int id_ = 0;
};

std::string json_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20)
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
          out += c;
    }
  }
  return out;
}

}  // namespace

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - hub().start).count();
}

void write(LogLevel level, std::string_view text) {
  Hub& h = hub();
  h.console->log(to_spdlog(level), "{}", text);
  const LogEntry entry{level, seconds(), std::string(text)};
  std::lock_guard lock(h.mutex);
  for (const auto& [id, receiver] : h.receivers) receiver(entry);
}

void set_console_level(LogLevel level) {
  hub().console->set_level(to_spdlog(level));
}

std::unique_ptr<Subscription> subscribe(std::function<void(const LogEntry&)> receiver) {
  return std::make_unique<HubSubscription>(std::move(receiver));
}

std::unique_ptr<Subscription> to_json_lines(const std::filesystem::path& file, double origin) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644);
  std::shared_ptr<std::FILE> out(fd < 0 ? nullptr : ::fdopen(fd, "a"), [](std::FILE* f) {
    if (f) std::fclose(f);
  });
  return subscribe([out, origin](const LogEntry& entry) {
    if (!out) return;
    static constexpr const char* names[] = {"debug", "info", "warning", "error"};
    const std::string line = fmt::format("{{\"t\":{:.3f},\"level\":\"{}\",\"text\":\"{}\"}}\n", entry.seconds - origin,
                                         names[static_cast<int>(entry.level)], json_escaped(entry.text));
    std::fwrite(line.data(), 1, line.size(), out.get());
    std::fflush(out.get());
  });
}

}  // namespace conoid::log
