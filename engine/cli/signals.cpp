// SPDX-License-Identifier: BSD-3-Clause
// The handler only writes one byte to a pipe; a thread does the rest.
#include "engine/cli/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace conoid::cli {
namespace {

std::atomic<int> pipe_end = -1;
// A terminal that goes away (SIGHUP) and a reader that does (SIGPIPE) end a run as SIGTERM does: what was computed is kept.
constexpr std::array watched = {SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGPIPE};
std::array<struct sigaction, watched.size()> before{};

void on_signal(int number) {
  const int saved = errno;
  if (number == SIGINT) ::signal(SIGINT, SIG_DFL);  // the second one ends the process
  const auto byte = static_cast<unsigned char>(number);
  const int fd = pipe_end.load();
  if (fd >= 0 && ::write(fd, &byte, 1) < 0) errno = saved;
  errno = saved;
}

}  // namespace

SignalWatch::SignalWatch(std::function<void()> on_stop) : on_stop_(std::move(on_stop)) {
  if (::pipe2(pipe_, O_CLOEXEC) != 0) return;
  pipe_end = pipe_[1];
  thread_ = std::thread([this] { listen(); });
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < watched.size(); ++i) ::sigaction(watched[i], &action, &before[i]);
  // nohup: started with hangups ignored, it goes on ignoring them.
  constexpr std::size_t hangup = 3;
  static_assert(watched[hangup] == SIGHUP);
  if (before[hangup].sa_handler == SIG_IGN) ::sigaction(SIGHUP, &before[hangup], nullptr);
  ::signal(SIGXFSZ, SIG_IGN);
}

SignalWatch::~SignalWatch() {
  if (!thread_.joinable()) return;
  for (std::size_t i = 0; i < watched.size(); ++i) ::sigaction(watched[i], &before[i], nullptr);
  pipe_end = -1;
  ::close(pipe_[1]);
  thread_.join();
  ::close(pipe_[0]);
}

void SignalWatch::listen() {
  unsigned char number = 0;
  for (;;) {
    const ssize_t n = ::read(pipe_[0], &number, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    if (number == SIGUSR1)
      checkpoint_ = true;
    else if (stop_.request_stop() && on_stop_)
      on_stop_();
  }
}

}  // namespace conoid::cli
