// SPDX-License-Identifier: BSD-3-Clause
// Other programs: started without a shell, in a process group of their own, and never left behind.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// What a program that reads files of others may do. It dies with the thread that started it, leaves no core file and takes no
/// more than the limits say; limits of 0 are none.
struct Confinement {
  std::string folder;  ///< where it works, and its home and place for temporary files; empty: where this program works
  bool locked =
      true;  ///< writes nowhere but in `folder` (Landlock, from Linux 5.13 on) and opens no socket (seccomp), where the
             ///< kernel permits such a promise
  bool alone = true;    ///< if locked: starts no other program either, unless it is itself a script that a shell runs
  Bytes memory = 0;     ///< address space
  Bytes file_size = 0;  ///< of each file that it writes
  double processor_seconds = 0;
};

/// A running program. Its destructor ends the whole group and waits. Move-only; one thread at a time may call, but
/// reading output(), errors() and writing input() may go on in threads of their own.
class ChildProcess {
 public:
  enum class Stream { none, pipe };
  struct Streams {
    Stream input = Stream::none;
    bool merge_errors = false;  ///< stderr comes out of output()
    const Confinement* confinement = nullptr;
  };

  /// `command[0]` is a path, or a name looked up on PATH; a path where the program is confined. The child starts with no signal
  /// blocked.
  [[nodiscard]] static Result<ChildProcess> start(const std::vector<std::string>& command, Streams streams);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t id() const { return pid_; }
  [[nodiscard]] int input() const { return in_; }    ///< write end, or -1
  [[nodiscard]] int output() const { return out_; }  ///< read end, blocking
  [[nodiscard]] int errors() const { return err_; }  ///< read end, or -1 when merged
  void close_input();

  /// The status as waitpid gives it, once the program has ended.
  [[nodiscard]] std::optional<int> ended();
  /// Waits for the end, at most `seconds`.
  [[nodiscard]] std::optional<int> wait(double seconds);
  /// Sends a signal to the program and all that it started in its group.
  void signal(int number);

 private:
  ChildProcess() = default;
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::optional<int> status_;
};

/// The words of a line as a shell would part them: by blanks, quotes of both kinds hold them together; nothing else has a meaning.
/// An error (command_line) for a quote that is not closed.
[[nodiscard]] Result<std::vector<std::string>> words_of_line(std::string_view line);

/// "ended with code 3", "ended by signal 9 (Killed)".
[[nodiscard]] std::string describe_end(int status);

struct RunLimits {
  double seconds = 600;
  std::stop_token stop{};
  Bytes output = Bytes{64} << 10;  ///< bytes of output kept
  bool keep_end = true;            ///< too much output: keep the end and go on; else the program is ended
  bool merge_errors = true;        ///< stderr is part of the output; else its end is kept apart
  std::optional<Confinement> confinement{};
};
struct FinishedProgram {
  int status = 0;  ///< as waitpid gives it
  std::string output;
  std::string errors;
  bool timed_out = false;
  bool stopped = false;
  bool too_much = false;  ///< more output than allowed
};
/// Runs a program to its end, or to a limit, where it and all that it started are ended.
[[nodiscard]] Result<FinishedProgram> run_program(const std::vector<std::string>& command, const RunLimits& limits);

}  // namespace conoid
