// SPDX-License-Identifier: BSD-3-Clause
// posix_spawn, pipes and waiting; fork where a program is confined before it begins.
#include "engine/core/child_process.hpp"

#include "engine/core/confined_start.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace conoid {
namespace {

using Clock = std::chrono::steady_clock;

void close_if_open(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

/// Two ends that no other program inherits.
struct Pipe {
  int read = -1, write = -1;
  ~Pipe() {
    close_if_open(read);
    close_if_open(write);
  }
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
};

/// posix_spawn's two descriptions, freed on every way out.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
};

double since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& command, Streams streams) {
  verify(!command.empty(), "a program to start");
  Pipe in;
  Pipe out;
  Pipe err;
  if ((streams.input == Stream::pipe && !in.open()) || !out.open() || (!streams.merge_errors && !err.open()))
    return system_error("make a pipe for", command.front(), errno);

  if (streams.confinement != nullptr) {
    ChildProcess child;
    const auto started = start_confined(command, *streams.confinement,
                                        {in.read, out.write, streams.merge_errors ? out.write : err.write});
    if (!started) return started.error();
    child.pid_ = *started;
    child.in_ = std::exchange(in.write, -1);
    child.out_ = std::exchange(out.read, -1);
    child.err_ = std::exchange(err.read, -1);
    return child;
  }
  SpawnPlan plan;
  if (streams.input == Stream::pipe)
    ::posix_spawn_file_actions_adddup2(&plan.actions, in.read, 0);
  else
    ::posix_spawn_file_actions_addopen(&plan.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&plan.actions, out.write, 1);
  ::posix_spawn_file_actions_adddup2(&plan.actions, streams.merge_errors ? out.write : err.write, 2);
  sigset_t none;
  sigset_t usual;
  ::sigemptyset(&none);
  ::sigemptyset(&usual);
  ::sigaddset(&usual, SIGPIPE);
  ::posix_spawnattr_setsigmask(&plan.attributes, &none);
  ::posix_spawnattr_setsigdefault(&plan.attributes, &usual);
  ::posix_spawnattr_setpgroup(&plan.attributes, 0);
  ::posix_spawnattr_setflags(&plan.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ChildProcess child;
  const int failed =
      ::posix_spawnp(&child.pid_, command.front().c_str(), &plan.actions, &plan.attributes, words.data(), environ);
  if (failed != 0) {
    child.pid_ = -1;
    return system_error("start", command.front(), failed);
  }
  child.in_ = std::exchange(in.write, -1);
  child.out_ = std::exchange(out.read, -1);
  child.err_ = std::exchange(err.read, -1);
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), in_(std::exchange(other.in_, -1)), out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)), status_(other.status_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    // What the program started may outlive it, unless it left the group.
    if (!status_) signal(SIGKILL);
    int status = 0;
    while (!status_ && ::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  close_if_open(in_);
  close_if_open(out_);
  close_if_open(err_);
}

void ChildProcess::close_input() {
  close_if_open(in_);
}

std::optional<int> ChildProcess::ended() {
  if (status_ || pid_ <= 0) return status_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
  return status_;
}

std::optional<int> ChildProcess::wait(double seconds) {
  const auto begin = Clock::now();
  while (!ended() && since(begin) < seconds) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return status_;
}

void ChildProcess::signal(int number) {
  if (pid_ > 0 && !status_) ::kill(-pid_, number);
}

Result<std::vector<std::string>> words_of_line(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool begun = false;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (begun) words.push_back(std::exchange(word, {}));
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  if (quote != 0)
    return make_error(ErrorCode::command_line, fmt::format("expected the closing {} in '{}'", quote, line));
  return words;
}

std::string describe_end(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("ended with code {}", WEXITSTATUS(status));
}

Result<FinishedProgram> run_program(const std::vector<std::string>& command, const RunLimits& limits) {
  auto child = ChildProcess::start(
      command, {ChildProcess::Stream::none, limits.merge_errors, limits.confinement ? &*limits.confinement : nullptr});
  if (!child) return child.error();
  FinishedProgram done;
  constexpr std::size_t errors_kept = 64 << 10;

  // Gives false at the end of the stream.
  const auto take = [&](int fd, std::string& into, std::size_t limit, bool keep_end) {
    std::array<char, 65536> buffer;
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    if (n == 0) return false;
    into.append(buffer.data(), static_cast<std::size_t>(n));
    if (keep_end && into.size() > 2 * limit) into.erase(0, into.size() - limit);
    if (!keep_end && into.size() > limit) done.too_much = true;
    return true;
  };
  std::array<pollfd, 2> streams{{{child->output(), POLLIN, 0}, {child->errors(), POLLIN, 0}}};
  const auto read_what_is_there = [&](int timeout) {
    if (::poll(streams.data(), streams.size(), timeout) <= 0) return false;
    bool any = false;
    for (std::size_t k = 0; k < streams.size(); ++k) {
      if (streams[k].fd < 0 || streams[k].revents == 0) continue;
      const bool more = k == 0
                            ? take(streams[k].fd, done.output, static_cast<std::size_t>(limits.output), limits.keep_end)
                            : take(streams[k].fd, done.errors, errors_kept, true);
      if (!more) streams[k].fd = -1;  // poll leaves it out from now on
      any = any || more;
    }
    return any;
  };

  const auto begin = Clock::now();
  for (;;) {
    const bool open = streams[0].fd >= 0 || streams[1].fd >= 0;
    if (open)
      read_what_is_there(50);
    else
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (child->ended()) break;
    done.stopped = limits.stop.stop_requested();
    done.timed_out = since(begin) > limits.seconds;
    if (done.stopped || done.timed_out || done.too_much) {
      child->signal(SIGKILL);
      break;
    }
  }
  while (!done.too_much && read_what_is_there(0)) {
  }
  done.status = child->wait(1e9).value_or(0);
  const auto cut = [](std::string& text, std::size_t limit) {
    if (text.size() > limit) text.erase(0, text.size() - limit);
  };
  if (limits.keep_end) cut(done.output, static_cast<std::size_t>(limits.output));
  cut(done.errors, errors_kept);
  return done;
}

}  // namespace conoid
