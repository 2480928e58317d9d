// SPDX-License-Identifier: BSD-3-Clause
// Three threads a session: one reads messages, one writes, one keeps what the program says on stderr.
#include "engine/session/process/process_session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conoid/config.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/log.hpp"
#include "engine/core/resources.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/session/control.hpp"
#include "engine/session/process/wire.hpp"
#include "engine/session/process/wire_events.hpp"
#include "engine/session/process/wire_frames.hpp"

namespace conoid {
namespace {

using namespace std::chrono_literals;
using process::Message;
using process::MessageKind;
using Clock = std::chrono::steady_clock;

/// The end of a text that a program wrote, so that it fits a message; mpirun alone adds a dozen lines behind those of a program.
std::string last_lines(std::string_view text, int lines = 24) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  std::size_t from = text.size();
  for (int n = 0; n < lines && from != std::string_view::npos && from > 0; ++n) from = text.rfind('\n', from - 1);
  text.remove_prefix(from == std::string_view::npos ? 0 : std::min(from, text.size()));
  while (!text.empty() && text.front() == '\n') text.remove_prefix(1);
  std::string out;
  for (const char c : text.substr(text.size() > 2000 ? text.size() - 2000 : 0))
    out += c == '\n' || (c >= ' ' && c != 127) || static_cast<unsigned char>(c) >= 128 ? c : '?';
  return out;
}

/// What a rank that ends all of them says last on its stderr, "conoid: error: rank 1: …" and a hint in the lines below, with the exit code
/// that its launcher passes on.
std::optional<Error> last_error(std::string_view said, int status) {
  constexpr std::string_view begin = "conoid: error: rank ";
  const std::size_t at = said.rfind(begin);
  if (at == std::string_view::npos || !WIFEXITED(status)) return std::nullopt;
  const auto code = static_cast<ErrorCode>(WEXITSTATUS(status));
  if (code < ErrorCode::internal || code > ErrorCode::remote) return std::nullopt;
  said.remove_prefix(at + begin.size() - std::string_view("rank ").size());
  const auto line = [&said] {
    const std::size_t end = said.find('\n');
    const std::string_view out = said.substr(0, end);
    said.remove_prefix(end == std::string_view::npos ? said.size() : end + 1);
    return last_lines(out);
  };
  std::string text = line(), hint;
  while (said.starts_with("  ")) hint += (hint.empty() ? "" : " ") + line().substr(2);
  return make_error(code, std::move(text), std::move(hint));
}

class ProcessSession final : public SessionPort {
 public:
  ProcessSession(SessionOptions options, Launcher launcher)
      : launcher_(std::move(launcher)), document_(options.document) {
    auto child = ChildProcess::start(launcher_.command, {ChildProcess::Stream::pipe, false});
    if (!child) {
      Error error = child.error();
      error.code = ErrorCode::remote;
      error.hint = "The program that computes could not be started; is it installed there?";
      fail(std::move(error));
      return;
    }
    child_.emplace(std::move(*child));
    process::Greeting greeting{process::wire_version, {{"conoid", CONOID_VERSION}}};
    if (launcher_.pack && process::can_pack()) greeting.facts["pack"] = "zstd";
    greeting_ = to_line(greeting);
    queue(MessageKind::start, process::encode(options));
    reader_ = std::thread([this] { read_all(); });
    sender_ = std::thread([this] { send_all(); });
    listener_ = std::thread([this] { listen(); });
    on_stop_.emplace(options.stop, [this] { send(Command::stop); });
  }

  ~ProcessSession() override {
    on_stop_.reset();
    if (child_) {
      if (!is_final(state())) send(Command::stop);
      wait(std::chrono::milliseconds(static_cast<long>(1000 * launcher_.seconds_to_stop)));
      close_outbox();  // the end of its input tells the program to end
      // A program that cannot be understood will not understand the end of its input either.
      if (!child_->wait(lost_ ? 0.1 : 5)) child_->signal(SIGTERM);
      if (!child_->wait(lost_ ? 0.5 : 2)) child_->signal(SIGKILL);
      ending_ = true;
      reader_.join();
      sender_.join();
      listener_.join();
    }
  }

  void send(Command command) override { queue(MessageKind::command, process::encode(command)); }
  [[nodiscard]] SessionState state() const override { return control_.state(); }
  [[nodiscard]] std::vector<SessionEvent> take_events() override { return control_.take_events(); }
  [[nodiscard]] std::shared_ptr<const Frame> take_frame() override {
    auto frame = control_.take_frame();
    if (frame) queue(MessageKind::frame_taken, {});
    return frame;
  }
  void want_frames(FrameRequest request, double per_second) override {
    std::string wish = process::encode(process::FrameWish{request, per_second});
    control_.want_frames(std::move(request), per_second);
    const std::lock_guard lock(mutex_);
    if (wish == last_wish_) return;  // a viewer may repeat its wish at every tick
    last_wish_ = wish;
    outbox_.push_back({MessageKind::want_frames, std::move(wish)});
    changed_.notify_one();
  }
  bool wait(std::chrono::milliseconds timeout) override { return control_.wait(timeout); }
  [[nodiscard]] std::filesystem::path folder() const override { return control_.folder(); }

 private:
  // ---- to the program

  void queue(MessageKind kind, std::string body) {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    outbox_.push_back({kind, std::move(body)});
    changed_.notify_one();
  }
  void close_outbox() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }
  void send_all() {
    process::ignore_broken_pipes_on_this_thread();
    process::MessageWriter writer(child_->input());
    bool open = writer.write_line(greeting_);
    std::unique_lock lock(mutex_);
    while (open) {
      changed_.wait(lock, [this] { return closed_ || !outbox_.empty(); });
      if (outbox_.empty()) break;
      const Message message = std::move(outbox_.front());
      outbox_.pop_front();
      lock.unlock();
      open = writer.write(message.kind, message.body);
      lock.lock();
    }
    closed_ = true;
    child_->close_input();
  }

  // ---- from the program

  void read_all() {
    std::optional<Error> broken;
    process::MessageReader in(process::read_from(child_->output(), [this] { return given_up(); }));
    try {
      if (greet(in)) {
        while (auto message = in.next()) {
          if (message->kind == MessageKind::done) break;
          take(*message);
        }
      }
    } catch (...) {
      // A program killed while it wrote is told by how it ended, as one killed between two messages is.
      if (!in.cut_off()) {
        broken = current_exception_as_error();
        broken->code = ErrorCode::remote;
      }
    }
    heard_all_ = !given_up();
    if (!is_final(state())) {
      lost_ = true;
      fail(broken ? *broken : what_became_of_it());
    }
    close_outbox();
  }

  bool given_up() {
    if (ending_) return true;
    return !greeted_ && std::chrono::duration<double>(Clock::now() - begun_).count() > launcher_.seconds_to_answer;
  }

  bool greet(process::MessageReader& in) {
    std::string other;
    const auto greeting = in.greeting(other);
    if (!greeting) {
      not_greeted_ = last_lines(other, 3);
      return false;
    }
    greeted_ = true;
    if (greeting->version == process::wire_version) return true;
    throw Failure(
        make_error(ErrorCode::remote,
                   fmt::format("the computing program speaks version {} of the connection, this one version {}",
                               greeting->version, process::wire_version),
                   "Install the same version of Conoid on both machines."));
  }

  void take(const Message& message) {
    switch (message.kind) {
      case MessageKind::event: return on(process::decode_event(message.body));
      case MessageKind::folder: return control_.set_folder(message.body.substr(0, 4096));
      case MessageKind::frame: return control_.frames().put(frames_.decode(message.body), 0, true);
      case MessageKind::log: {
        const LogEntry entry = process::decode_log(message.body);
        return log::write(entry.level, entry.text);
      }
      case MessageKind::refused: return fail(process::decode_error(message.body));
      default:
        throw Failure(make_error(ErrorCode::remote,
                                 fmt::format("the computing program sent a message of kind {}, which it may not",
                                             static_cast<int>(message.kind)),
                                 "Use the same version of Conoid at both ends."));
    }
  }

  void on(SessionEvent event) {
    if (auto* state = std::get_if<StateEvent>(&event)) {
      if (state->error) name_line(*state->error);
      control_.enter(state->state, std::move(state->error));
      return;
    }
    if (auto* diagnostic = std::get_if<DiagnosticEvent>(&event)) name_line(diagnostic->diagnostic);
    control_.emit(std::move(event));
  }

  /// An error of this end: nobody at the other has said it in the log.
  void fail(Error error) {
    log::error("{}", error.render());
    control_.enter(SessionState::failed, std::move(error));
  }

  /// The far end has the case without its lines; they are known here.
  void name_line(Diagnostic& d) const {
    if (d.place.line == 0 && !d.place.pointer.empty() && d.place.file == document_.file().string())
      d.place.line = document_.place(d.place.pointer).line;
  }

  /// The error of a program that ended, or fell silent, before its session did.
  Error what_became_of_it() {
    const std::optional<int> status = child_->wait(ending_ || !heard_all_ ? 0.2 : 3);
    const std::string end = status ? describe_end(*status) : std::string{};
    std::this_thread::sleep_for(50ms);  // its last words may still be on their way
    std::string said;
    std::optional<Error> told;
    {
      const std::lock_guard lock(mutex_);
      said = last_lines(said_);
      if (greeted_ && status) told = last_error(said_, *status);
    }
    if (told) {
      told->hint += (told->hint.empty() ? "" : " ") + what_is_kept();
      return *told;
    }
    if (!not_greeted_.empty()) said = not_greeted_ + (said.empty() ? "" : "\n" + said);
    std::string text = fmt::format("'{}' ", launcher_.command.front());
    if (!greeted_)
      text += status       ? fmt::format("{} before the session began", end)
              : heard_all_ ? "answered with something else than a session's greeting"
                           : fmt::format("did not answer within {:g} s", launcher_.seconds_to_answer);
    else
      text += status ? fmt::format("{} while it computed", end) : "closed the connection";
    if (!said.empty()) text += "; it said:\n" + said;
    std::string hint = "Try the command in a terminal.";
    if (greeted_) hint = what_is_kept();
    return make_error(ErrorCode::remote, std::move(text), std::move(hint));
  }

  [[nodiscard]] std::string what_is_kept() const {
    if (folder().empty()) return "Its messages stand in the log.";
    if (RunFolder::has_checkpoint(folder()))
      return fmt::format(
          "What was computed is kept: see {}/log.jsonl; the run can be resumed from its last checkpoint.",
          folder().string());
    return fmt::format("See {}/log.jsonl. There is no checkpoint yet: resumed, the run begins again.",
                       folder().string());
  }

  void listen() {
    const auto source = process::read_from(child_->errors(), [this] { return ending_.load(); });
    std::array<char, 4096> buffer;
    while (const std::size_t n = source(buffer)) {
      const std::lock_guard lock(mutex_);
      said_.append(buffer.data(), n);
      if (said_.size() > 128 << 10) said_.erase(0, said_.size() - (64 << 10));
    }
  }

  Launcher launcher_;
  CaseDocument document_;
  Control control_;  ///< what the far end says, mirrored
  process::FrameDecoder frames_;
  std::optional<ChildProcess> child_;
  std::string greeting_;
  std::string not_greeted_;
  const Clock::time_point begun_ = Clock::now();
  std::atomic<bool> greeted_ = false;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> lost_ = false;  ///< the session failed with its connection
  bool heard_all_ = false;          ///< nothing more was waited for in vain; the reading thread's own

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> outbox_;
  bool closed_ = false;
  std::string last_wish_;
  std::string said_;
  std::thread reader_, sender_, listener_;
  std::optional<std::stop_callback<std::function<void()>>> on_stop_;
};

std::string file_name(const std::string& word) {
  return word.substr(word.rfind('/') == std::string::npos ? 0 : word.rfind('/') + 1);
}

}  // namespace

Launcher local_launcher() {
  return {{(program_folder() / "conoid-worker").string()}};
}

Result<Launcher> parse_launcher(std::string_view line) {
  auto words = words_of_line(line);
  const std::string examples = "Examples: \"mpirun -n 4\", \"ssh host\", \"ssh host /opt/conoid/bin/conoid-worker\".";
  if (!words) {
    Error error = words.error();
    error.hint = examples;
    return error;
  }
  if (words->empty())
    return make_error(ErrorCode::command_line, "expected a command that starts the computing program, found nothing",
                      examples);
  Launcher out;
  out.command = std::move(*words);
  const bool far = file_name(out.command.front()) == "ssh";
  out.pack = far;
  if (!file_name(out.command.back()).starts_with("conoid-worker"))
    out.command.push_back(far ? "conoid-worker" : local_launcher().command.front());
  return out;
}

std::unique_ptr<SessionPort> start_session_in_process(SessionOptions options, Launcher launcher) {
  return std::make_unique<ProcessSession>(std::move(options), std::move(launcher));
}

}  // namespace conoid
