// SPDX-License-Identifier: BSD-3-Clause
// The case file as written: JSON with comments, places of every value, edits by path. Knows no solver.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/core/error.hpp"

namespace conoid {

using Json = nlohmann::ordered_json;  ///< keeps the order in which a person wrote the keys

/// A case file before it is checked. Copyable; not thread-safe.
///
/// Reading is bounded: at most 64 MiB, 200 levels deep, 10^6 values; duplicate keys and trailing commas are errors
/// that name line and column. `//` and `/* */` comments are accepted and lost on writing.
class CaseDocument {
 public:
  CaseDocument() = default;
  /// `file` only names the document in messages and is the base of relative paths inside it.
  [[nodiscard]] static Result<CaseDocument> parse(std::string_view text, std::filesystem::path file);
  [[nodiscard]] static Result<CaseDocument> read(const std::filesystem::path& file);
  [[nodiscard]] static CaseDocument from_json(Json json, std::filesystem::path file);

  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  [[nodiscard]] std::filesystem::path folder() const { return file_.parent_path(); }

  /// File, line and pointer of a value; the line of its nearest known ancestor where the value itself has none.
  [[nodiscard]] Place place(const std::string& pointer) const;

  /// `--set PATH=VALUE`: path "a.b.0.c" or "/a/b/0/c"; value as JSON if it parses as JSON, else as a string. Missing
  /// objects on the way are made; an index must exist or be one past the end. `null` removes the key.
  [[nodiscard]] Status set(std::string_view path, std::string_view value);
  [[nodiscard]] Status set_json(const std::string& pointer, Json value);

  /// Pretty text, two spaces, short arrays of numbers on one line, newline at the end.
  [[nodiscard]] std::string to_text() const;
  [[nodiscard]] Status save(const std::filesystem::path& file) const;  ///< atomically

 private:
  Json json_ = Json::object();
  std::filesystem::path file_;
  std::map<std::string, long> lines_;  ///< JSON pointer → line
};

}  // namespace conoid
