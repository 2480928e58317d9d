// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: whatever the far end of a session sends, this end refuses it or has sound events and frames.
//
// Input: one byte that says what the rest is. 0: a stream with greeting and messages. 1: a packed block. 2: an event. 3: two
// frames, the first of a length that follows in two bytes. 4: options. 5: a wish for frames.
// links: conoid_session
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/session/process/wire.hpp"
#include "engine/session/process/wire_events.hpp"
#include "engine/session/process/wire_frames.hpp"

namespace {

using namespace conoid;
using namespace conoid::process;

void require(bool condition) {
  if (!condition) std::abort();
}

void take(const Message& message, FrameDecoder& frames) {
  switch (message.kind) {
    case MessageKind::event: {
      const SessionEvent event = decode_event(message.body);
      require(encode(decode_event(encode(event))) == encode(event));
      break;
    }
    case MessageKind::frame: {
      const auto frame = frames.decode(message.body);
      FrameEncoder again;
      FrameDecoder reader;
      require(reader.decode(again.encode(*frame))->parts.size() == frame->parts.size());
      break;
    }
    case MessageKind::start: (void)decode_options(message.body); break;
    case MessageKind::command: (void)decode_command(message.body); break;
    case MessageKind::want_frames: (void)decode_wish(message.body); break;
    case MessageKind::log: (void)decode_log(message.body); break;
    case MessageKind::refused: (void)decode_error(message.body); break;
    default: break;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  FrameDecoder frames;
  try {
    switch (data[0] % 6) {
      case 0: {
        MessageReader in(
            [&rest](std::span<char> into) {
              const std::size_t n = std::min(into.size(), rest.size());
              std::memcpy(into.data(), rest.data(), n);
              rest.remove_prefix(n);
              return n;
            },
            Bytes{16} << 20);
        std::string other;
        if (!in.greeting(other)) break;
        while (const auto message = in.next()) take(*message, frames);
        break;
      }
      case 1: require(unpack(rest, 5000, 1 << 20).size() == 5000); break;
      case 2: take({MessageKind::event, std::string(rest)}, frames); break;
      case 3: {
        if (rest.size() < 2) break;
        const std::size_t first = std::min<std::size_t>(
            rest.size() - 2, static_cast<unsigned char>(rest[0]) * 256u + static_cast<unsigned char>(rest[1]));
        take({MessageKind::frame, std::string(rest.substr(2, first))}, frames);
        take({MessageKind::frame, std::string(rest.substr(2 + first))}, frames);
        break;
      }
      case 4: take({MessageKind::start, std::string(rest)}, frames); break;
      default: take({MessageKind::want_frames, std::string(rest)}, frames); break;
    }
  } catch (const Failure& failure) {
    require(!failure.error().text.empty() && failure.error().code == ErrorCode::remote);
  }
  return 0;
}
