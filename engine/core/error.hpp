// SPDX-License-Identifier: BSD-3-Clause
// Errors as values: a code, the place, what is wrong, and what to do about it.
//
// A function that can fail for a reason outside the program (a file, a case, memory, a device) returns
// Result<T> or Status. Deep inside numerics, where a Result would have to be passed through every loop, code may
// throw Failure; Session and main() turn it back into an Error. std::bad_alloc becomes ErrorCode::resources there.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace conoid {

/// The value is the exit code of the command line.
enum class ErrorCode {
  internal = 1,       ///< a bug
  command_line = 2,   ///< wrong command line
  invalid_input = 3,  ///< case or mesh invalid
  file = 4,           ///< a file cannot be read or written, disk full
  not_converged = 5,  ///< not converged or diverged; results kept
  resources = 6,      ///< no memory, no such device, driver too old
  remote = 7,         ///< remote or MPI failure
  stopped = 75        ///< stopped on request; checkpoint written
};

/// Where in the user's input: any part may be empty.
struct Place {
  std::string file;
  long line = 0;        ///< 1-based; 0 = unknown
  std::string pointer;  ///< JSON pointer, "/excitation/frequency"
};

enum class Severity { note, warning, error };

/// One message to a person. `text` says what was expected and what was found, `hint` what to do.
struct Diagnostic {
  Severity severity = Severity::error;
  ErrorCode code = ErrorCode::invalid_input;
  Place place{};
  std::string text{};
  std::string hint{};

  /// "case.json:14: /excitation/frequency: text\n  hint"
  [[nodiscard]] std::string render() const;
};

using Error = Diagnostic;

[[nodiscard]] Error make_error(ErrorCode code, std::string text, std::string hint = {}, Place place = {});
[[nodiscard]] Diagnostic make_warning(std::string text, std::string hint = {}, Place place = {});
[[nodiscard]] bool has_errors(const std::vector<Diagnostic>& diagnostics);

/// Error of a failed system call: code `file`, text "cannot <what> '<path>': <strerror>", the hint for ENOSPC etc.
[[nodiscard]] Error system_error(std::string_view what, const std::string& path, int errno_value);

/// Carries an Error through code that cannot return one.
class Failure : public std::exception {
 public:
  explicit Failure(Error error);
  Failure(const Failure& other);
  Failure(Failure&& other) noexcept;
  Failure& operator=(const Failure& other);
  Failure& operator=(Failure&& other) noexcept;
  ~Failure() override;
  [[nodiscard]] const char* what() const noexcept override;
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
  std::string rendered_;
};

/// A value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] T& value() & { return checked(), std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return checked(), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return checked(), std::get<0>(std::move(state_)); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  [[nodiscard]] const Error& error() const { return std::get<1>(state_); }

 private:
  void checked() const {
    if (!ok()) throw Failure(std::get<1>(state_));
  }
  std::variant<T, Error> state_;
};

/// Success or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}  // NOLINT: implicit by design
  [[nodiscard]] bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  void or_throw() const {
    if (error_) throw Failure(*error_);
  }

 private:
  std::optional<Error> error_;
};

/// The Error for the exception being handled now: Failure, bad_alloc (resources), anything else (internal).
[[nodiscard]] Error current_exception_as_error();

/// Always-on check of a condition that only a bug can break; throws Failure(internal) naming the place.
void verify(bool condition, std::string_view what);

}  // namespace conoid
