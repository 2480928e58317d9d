// SPDX-License-Identifier: BSD-3-Clause
// The case file as written: JSON with comments, places of every value, edits by path. Knows no solver.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/json.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// The line of every value of a document, as a tree of the document's own shape (a list of pointers would
/// grow with the square of the depth).
struct LineTree {
  long line = 0;  ///< 1-based; 0 = not from the file
  std::vector<LineTree> children;
};

/// A case file before it is checked. Copyable, copies share the line numbers; not thread-safe.
///
/// Reading is bounded: at most 64 MiB, 200 levels deep, 10^6 values, keys of 1000 bytes; duplicate keys and
/// trailing commas are errors that name line and column. `//` and `/* */` comments are accepted and lost on
/// writing. Text must be UTF-8; a byte-order mark is skipped.
class CaseDocument {
 public:
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;
  static constexpr int max_depth = 200;
  static constexpr std::size_t max_values = 1'000'000;
  static constexpr std::size_t max_key = 1000;

  CaseDocument() = default;
  /// `file` only names the document in messages and is the base of relative paths inside it. A syntax error
  /// is ErrorCode::invalid_input with its line in the place and its column in the text.
  [[nodiscard]] static Result<CaseDocument> parse(std::string_view text, std::filesystem::path file);
  [[nodiscard]] static Result<CaseDocument> read(const std::filesystem::path& file);
  [[nodiscard]] static CaseDocument from_json(Json json, std::filesystem::path file);

  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::filesystem::path folder() const { return file_.parent_path(); }

  /// File, line and pointer of a value; the line of its nearest known ancestor where the value itself has
  /// none.
  [[nodiscard]] Place place(const std::string& pointer) const;

  /// The value at a pointer, or nullptr.
  [[nodiscard]] const Json* find(std::string_view pointer) const;

  /// `--set PATH=VALUE`: path "a.b.0.c" or "/a/b/0/c"; value as JSON if it parses as JSON, else as a string
  /// (a value that begins like an object, array or string but is damaged is an error). Missing objects on the
  /// way are made, and an array where the next step is "0"; an index must exist or be one past the end.
  /// `null` removes the key or element. Errors are ErrorCode::command_line; the document is then unchanged.
  [[nodiscard]] Status set(std::string_view path, std::string_view value);
  /// The same with a pointer and a value; null removes. Errors are ErrorCode::invalid_input.
  [[nodiscard]] Status set_json(const std::string& pointer, Json value);

  /// Pretty text, two spaces, short arrays of numbers on one line, newline at the end.
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] Status save(const std::filesystem::path& file) const;  ///< atomically

 private:
  Json json_ = Json::object();
  std::filesystem::path file_;
  std::shared_ptr<const LineTree> lines_;
};

/// One JSON value by the rules of a case file ("null", "[1, 2]", "\"x\""); the error has column and line.
[[nodiscard]] Result<Json> parse_json(std::string_view text);

/// Compact JSON on one line: keys in order, numbers in shortest exact form. Never fails, whatever the strings
/// hold.
[[nodiscard]] std::string json_text(const Json& value);

/// "a.b.0.c" or "/a/b/0/c" as a pointer; error (command_line) for an empty path or an empty step.
[[nodiscard]] Result<std::string> to_pointer(std::string_view path);

/// The steps of a JSON pointer (RFC 6901), unescaped, and back.
[[nodiscard]] std::vector<std::string> pointer_steps(std::string_view pointer);
[[nodiscard]] std::string pointer_join(std::string_view pointer, std::string_view step);

}  // namespace conoid
