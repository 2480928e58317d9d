// SPDX-License-Identifier: BSD-3-Clause
// The wire between a session and the program that computes it: a line of greeting each way, then messages.
//
// Greeting (text, at most 512 bytes): "CONOID-WIRE <version> <key>=<value> …\n". Lines before it, such as a host's message of
// the day, are skipped. Message: kind (u16), packing (u16: 0 plain, 1 zstd), reserved (u32), bytes that follow (u64), bytes
// once unpacked (u64), then the bytes. Lengths are capped, and memory grows only with bytes that have arrived.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid::process {

/// Raised when a message changes its meaning; the two ends must have the same.
inline constexpr int wire_version = 6;

enum class MessageKind : std::uint16_t {
  // to the computing program
  start = 1,        ///< how to start: one, the first
  command = 2,      ///< pause, resume, step, checkpoint, stop
  want_frames = 3,  ///< what the viewer wants to see
  frame_taken = 4,  ///< another frame may come
  // from it
  event = 16,    ///< a SessionEvent
  folder = 17,   ///< the run folder
  frame = 18,    ///< a Frame
  log = 19,      ///< an entry of the log
  refused = 20,  ///< why it will not begin
  done = 21      ///< nothing follows
};

struct Message {
  MessageKind kind{};
  std::string body;
};

/// Frames may be large, everything else is small.
[[nodiscard]] constexpr Bytes limit_of(MessageKind kind) {
  return kind == MessageKind::frame ? Bytes{2} << 30 : Bytes{80} << 20;
}

/// True when this build can pack blocks.
[[nodiscard]] bool can_pack();

struct Greeting {
  int version = 0;
  std::map<std::string, std::string> facts;  ///< "conoid" version, "pack", "host", "ranks"
};
[[nodiscard]] std::string to_line(const Greeting& greeting);
/// None when the line is no greeting.
[[nodiscard]] std::optional<Greeting> parse_greeting(std::string_view line);

/// Where bytes come from: fills at most the given span, gives the number filled; 0 is the end.
using ByteSource = std::function<std::size_t(std::span<char>)>;

/// Reads greeting and messages. One thread. Failures are thrown as Failure(remote).
class MessageReader {
 public:
  /// `largest`: no message may be longer, whatever its kind.
  explicit MessageReader(ByteSource source, Bytes largest = Bytes{2} << 30)
      : source_(std::move(source)), largest_(largest) {}
  /// The greeting of the other end; none when the stream ended, or held 64 KiB of other text, before one. `other` receives
  /// the end of what was there instead.
  [[nodiscard]] std::optional<Greeting> greeting(std::string& other);
  /// The next message; none at the end of the stream between two messages.
  [[nodiscard]] std::optional<Message> next();
  /// True when next() failed because the stream ended inside a message: its writer died, or was cut off, while it wrote.
  [[nodiscard]] bool cut_off() const { return cut_off_; }

 private:
  bool fill(std::size_t bytes);
  [[noreturn]] void ended_inside();
  ByteSource source_;
  Bytes largest_;
  std::string buffer_;
  std::size_t used_ = 0;
  bool cut_off_ = false;
};

/// Writes to a file descriptor, whole messages, from any thread. The caller sees to it that SIGPIPE does not kill.
class MessageWriter {
 public:
  /// `pack`: blocks of 16 KiB and more are packed by zstd where the build has it.
  explicit MessageWriter(int fd, bool pack = false) : fd_(fd), pack_(pack) {}
  void set_packing(bool pack) { pack_ = pack && can_pack(); }
  /// False when the other end is gone.
  [[nodiscard]] bool write_line(std::string_view line);
  [[nodiscard]] bool write(MessageKind kind, std::string_view body);

 private:
  bool all(std::string_view bytes);
  std::mutex mutex_;
  int fd_;
  bool pack_;
};

/// Bytes from a file descriptor that may block; gives the end as soon as `give_up`, asked ten times a second, is true.
[[nodiscard]] ByteSource read_from(int fd, std::function<bool()> give_up);

/// A writing thread's own protection: a closed pipe is an error of write(), not the end of the process.
void ignore_broken_pipes_on_this_thread();

/// The bytes of a packed block; `unpacked` is what its header claims. For tests and fuzzing beside the reader.
[[nodiscard]] std::string unpack(std::string_view packed, Bytes unpacked, Bytes limit);

}  // namespace conoid::process
