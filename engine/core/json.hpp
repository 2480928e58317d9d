// SPDX-License-Identifier: BSD-3-Clause
// JSON between text and values, compiled once: the library's parser and serialiser are templates that cost more than a second in
// every file that calls them. All of Conoid uses this one type of value.
//
// Threads: functions of their arguments. Limits: a text is held whole; who reads a file bounds it first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace conoid {

using Json = nlohmann::ordered_json;  ///< keeps the order in which a person wrote the keys

enum class JsonComments { refused, skipped };

/// What read_json accepts. Copying and writing a value call themselves level by level; a key is looked for among all its object's.
inline constexpr std::size_t json_depth = 256;
inline constexpr std::size_t json_members = 10000;  ///< of one object

/// Never throws: what is not JSON, or beyond these limits, gives a discarded value, whose is_object(), is_array()... are false and whose at() throws.
[[nodiscard]] Json read_json(std::string_view text, JsonComments comments = JsonComments::refused);

/// On one line and without spaces, for files and messages that programs read (json_text of engine/case is for people). Bytes that
/// are not UTF-8 become U+FFFD: names of files may hold any bytes.
[[nodiscard]] std::string compact_json(const Json& value);

/// For people to read: a line a member, indented by two.
[[nodiscard]] std::string indented_json(const Json& value);

}  // namespace conoid
