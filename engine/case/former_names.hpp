// SPDX-License-Identifier: BSD-3-Clause
// Settings of keys that have, or had, another name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"

namespace conoid {

/// Calls what a case holds as `path` does: a value that stands under another name of one of its keys, a former or the present one
/// ("formerly" of the schema), is moved. What is set at `path` afterwards takes its place.
[[nodiscard]] Status take_names_of(CaseDocument& document, const Schema& schema, std::string_view path);

/// Sets a value as CaseDocument does, where the case may hold the same key under another name, a former or the present one ("formerly" of the schema):
/// what is set takes the place of that, under the name by which it is set. A former name is told of when the case is checked.
[[nodiscard]] Status set_by_any_name(CaseDocument& document, const Schema& schema, std::string_view path,
                                     std::string_view value);

/// A key that a case has under a former name.
struct FormerName {
  std::string pointer;  ///< where it stands under its present name
  std::string then, now;
};

/// A case with every key as the schema calls it now: two that mean the same then say the same. Where a key stands under a former name and the
/// present one, both stay. What was renamed is added to `renamed`. A list in the place of an object ("list" of the schema) stands in its member.
[[nodiscard]] Json with_present_names(const Json& document, const Schema& schema,
                                      std::vector<FormerName>* renamed = nullptr);

/// Where a document has what the schema calls `pointer`: there, or under former names of its steps. `pointer` where it has it nowhere.
[[nodiscard]] std::string written_pointer(const CaseDocument& document, const Schema& schema,
                                          const std::string& pointer);

/// What a check says of such a key: that it has another name now, at `place`.
[[nodiscard]] Diagnostic former_name_note(const std::string& then, const std::string& now, Place place);

/// All keys of a schema that had other names: pointers with "*" for elements and names, and the former names of their last step.
[[nodiscard]] std::vector<std::pair<std::string, std::vector<std::string>>> renamed_keys(const Schema& schema);

}  // namespace conoid
