// SPDX-License-Identifier: BSD-3-Clause
// Settings of keys that have, or had, another name.
#pragma once

#include <string>
#include <string_view>

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

/// A case with every key as the schema calls it now: two that mean the same then say the same. Where a key stands under a former name and the
/// present one, both stay.
[[nodiscard]] Json with_present_names(const Json& document, const Schema& schema);

}  // namespace conoid
