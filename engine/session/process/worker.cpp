// SPDX-License-Identifier: BSD-3-Clause
// The engine runs on the calling thread; one thread takes messages, one sends.
#include "engine/session/process/worker.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "conoid/config.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/core/codec.hpp"
#include "engine/core/log.hpp"
#include "engine/session/control.hpp"
#include "engine/session/engine.hpp"
#include "engine/session/process/wire.hpp"
#include "engine/session/process/wire_events.hpp"
#include "engine/session/process/wire_frames.hpp"
#include "engine/team/machine.hpp"

namespace conoid {
namespace {

using namespace std::chrono_literals;
using process::MessageKind;

/// How often what happened is sent; a frame or a final state waits no longer than this.
constexpr auto interval = 20ms;
constexpr std::size_t log_limit = 10000;

/// Rank 0's conversation while the engine runs.
class Conversation {
 public:
  Conversation(process::MessageReader& in, process::MessageWriter& out, Control& control)
      : in_(in), out_(out), control_(control) {
    log_ = log::subscribe([this](const LogEntry& entry) {
      const std::lock_guard lock(mutex_);
      if (entries_.size() < log_limit) entries_.push_back(entry);
    });
    sender_ = std::thread([this] { send_all(); });
    receiver_ = std::thread([this] { receive_all(); });
  }

  /// Sends what is left. The other end then closes our input, which ends the receiver.
  void finish() {
    ended_ = true;
    sender_.join();
    flush();
    log_.reset();
    (void)out_.write(MessageKind::done, {});
    receiver_.join();
  }

  [[nodiscard]] bool ended() const { return ended_; }

 private:
  void receive_all() {
    try {
      while (const auto message = in_.next()) {
        switch (message->kind) {
          case MessageKind::command: control_.send(process::decode_command(message->body)); break;
          case MessageKind::want_frames: {
            process::FrameWish wish = process::decode_wish(message->body);
            control_.want_frames(std::move(wish.request), wish.per_second);
            break;
          }
          case MessageKind::frame_taken: may_send_frame_ = true; break;
          default:
            log::warning("a message of kind {} is not for the computing program", static_cast<int>(message->kind));
        }
      }
    } catch (...) {
      log::error("{}", current_exception_as_error().render());
    }
    // Nobody is there any more, or nobody who can be understood.
    control_.send(Command::stop);
  }

  void send_all() {
    process::ignore_broken_pipes_on_this_thread();
    while (!ended_) {
      flush();
      std::this_thread::sleep_for(interval);
    }
  }

  void flush() {
    // Events first, so that the frame sent before them is at least as new as they are.
    const std::vector<SessionEvent> events = control_.take_events();
    bool last = false;
    for (const SessionEvent& event : events)
      if (const auto* state = std::get_if<StateEvent>(&event)) last = last || is_final(state->state);
    std::deque<LogEntry> entries;
    {
      const std::lock_guard lock(mutex_);
      entries.swap(entries_);
    }
    bool open = true;
    for (const LogEntry& entry : entries) open = open && out_.write(MessageKind::log, process::encode(entry));
    if (const auto folder = control_.folder(); folder != folder_) {
      folder_ = folder;
      open = open && out_.write(MessageKind::folder, folder_.string());
    }
    // One frame at a time: the next is taken when the viewer has taken the last.
    if (last || may_send_frame_.exchange(false)) {
      if (const auto frame = control_.take_frame())
        open = open && out_.write(MessageKind::frame, frames_.encode(*frame));
      else
        may_send_frame_ = true;
    }
    for (const SessionEvent& event : events) open = open && out_.write(MessageKind::event, process::encode(event));
    if (!open) control_.send(Command::stop);
  }

  process::MessageReader& in_;
  process::MessageWriter& out_;
  Control& control_;
  process::FrameEncoder frames_;
  std::filesystem::path folder_;
  std::atomic<bool> may_send_frame_ = true;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  std::deque<LogEntry> entries_;
  std::unique_ptr<log::Subscription> log_;
  std::thread sender_, receiver_;
};

/// Greets and takes the options; none, with the reason told to the other end, when that cannot be.
std::string begin(process::MessageReader& in, process::MessageWriter& out, int ranks) {
  std::string other;
  const auto greeting = in.greeting(other);
  if (!greeting) return {};  // nobody there
  process::Greeting mine{process::wire_version,
                         {{"conoid", CONOID_VERSION}, {"host", this_machine().host}, {"ranks", std::to_string(ranks)}}};
  if (!out.write_line(to_line(mine))) return {};
  std::optional<Error> refusal;
  if (greeting->version != process::wire_version)
    refusal =
        make_error(ErrorCode::remote,
                   fmt::format("this program speaks version {} of the connection, the one that computes version {}",
                               greeting->version, process::wire_version),
                   "Install the same version of Conoid on both machines.");
  const auto pack = greeting->facts.find("pack");
  out.set_packing(pack != greeting->facts.end() && pack->second == "zstd");
  std::string options;
  if (!refusal) {
    try {
      const auto message = in.next();
      if (!message) return {};
      if (message->kind != MessageKind::start) Decoder::damaged("how to start");
      (void)process::decode_options(message->body);
      options = message->body;
    } catch (...) {
      refusal = current_exception_as_error();
    }
  }
  if (refusal) (void)out.write(MessageKind::refused, process::encode(*refusal));
  return options;
}

/// Rank 0's bytes on all ranks.
std::string to_all(std::string bytes, Communicator& cluster) {
  const auto size = cluster.from_root(static_cast<std::uint64_t>(bytes.size()));
  bytes.resize(size);
  cluster.broadcast(std::as_writable_bytes(std::span(bytes)), 0);
  return bytes;
}

}  // namespace

int take_stdout_for_messages() {
  const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return out;
}

int run_worker(int input, int output, std::stop_token stop) {
  try {
    process::ignore_broken_pipes_on_this_thread();  // and on the threads started from here
    auto cluster = world();
    if (!cluster) throw Failure(cluster.error());
    Communicator& ranks = **cluster;
    Control control;
    std::atomic<bool> finished = false;
    process::MessageReader in(process::read_from(input, [&finished] { return finished.load(); }));
    process::MessageWriter out(output);

    const std::string body = to_all(ranks.leads() ? begin(in, out, ranks.size()) : std::string{}, ranks);
    if (body.empty()) return static_cast<int>(ErrorCode::remote);
    SessionOptions options = process::decode_options(body);
    options.stop = stop;
    std::optional<Conversation> conversation;
    if (ranks.leads()) conversation.emplace(in, out, control);
    options.abandoned = [&](const StateEvent& end) {
      finished = true;
      if (conversation) conversation->finish();
      abort_all_ranks(static_cast<int>(end.error ? end.error->code : ErrorCode::stopped));
    };
    StateEvent last;
    {
      Engine engine(std::move(options), control, ranks);
      last = engine.run();
    }
    finished = true;
    if (conversation) conversation->finish();
    if (last.state == SessionState::stopped) return static_cast<int>(ErrorCode::stopped);
    return last.error ? static_cast<int>(last.error->code) : 0;
  } catch (...) {
    const Error error = current_exception_as_error();
    log::error("{}", error.render());
    return static_cast<int>(error.code);
  }
}

}  // namespace conoid
