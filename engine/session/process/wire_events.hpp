// SPDX-License-Identifier: BSD-3-Clause
// How a session is started, its commands, events and wishes as messages. Decoders throw Failure(remote) on damage.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/log.hpp"
#include "engine/session/session.hpp"

namespace conoid::process {

/// Everything but the stop token, which stays at its end.
[[nodiscard]] std::string encode(const SessionOptions& options);
[[nodiscard]] SessionOptions decode_options(std::string_view body);

[[nodiscard]] std::string encode(const SessionEvent& event);
[[nodiscard]] SessionEvent decode_event(std::string_view body);

[[nodiscard]] std::string encode(Command command);
[[nodiscard]] Command decode_command(std::string_view body);

struct FrameWish {
  FrameRequest request;
  double per_second = 0;
};
[[nodiscard]] std::string encode(const FrameWish& wish);
[[nodiscard]] FrameWish decode_wish(std::string_view body);

[[nodiscard]] std::string encode(const LogEntry& entry);
[[nodiscard]] LogEntry decode_log(std::string_view body);

[[nodiscard]] std::string encode(const Error& error);
[[nodiscard]] Error decode_error(std::string_view body);

}  // namespace conoid::process
