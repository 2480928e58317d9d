// SPDX-License-Identifier: BSD-3-Clause
// Where text and JSON go, and how errors, tables and numbers look.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"
#include "engine/core/shell_word.hpp"

namespace conoid::cli {

/// What the verbs share. With `json`, stdout carries one JSON object and nothing else is said but errors (on stderr).
struct Context {
  bool json = false;
  int exit = 0;
  std::string command;  ///< the command line as typed, for run logs and hints

  template <class... A>
  void say(fmt::format_string<A...> format, A&&... args) const {
    write(fmt::format(format, std::forward<A>(args)...));
  }
  void write(std::string_view line) const;  ///< a line of text
  void object(const Json& value) const;     ///< the JSON object, when asked for
  /// Prints an error (as JSON too when asked for) and sets the exit code.
  void fail(const Error& error);
};

using conoid::shell_word;

/// "conoid: error: …" on stderr.
void print_error(const Error& error);

/// {"code":3,"severity":"error","file":…,"line":…,"pointer":…,"text":…,"hint":…}
[[nodiscard]] Json to_json(const Diagnostic& diagnostic);

/// Finite numbers as such, others as null: JSON has no word for them.
[[nodiscard]] Json number_json(double value);
/// Short and readable: 4 significant digits, no exponent where none is needed.
[[nodiscard]] std::string number_text(double value);

/// Columns aligned to their widest cell, two spaces between; the first row is the heading.
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view indent = "");

/// Width of a text on a terminal: code points, not bytes.
[[nodiscard]] std::size_t width(std::string_view text);

/// True on the rank that talks; told from the launcher's environment, so that MPI is not touched.
[[nodiscard]] bool talks();

}  // namespace conoid::cli
