// SPDX-License-Identifier: BSD-3-Clause
// How the parts of a schema node are looked up. Internal to engine/case.
#pragma once

#include "engine/case/document.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoid::schema_nodes {

/// Member of an object, or nullptr; also nullptr when `object` is no object.
[[nodiscard]] const Json* get(const Json& object, std::string_view key);
[[nodiscard]] bool flag(const Json& node, std::string_view key);
/// A text keyword, empty if absent.
[[nodiscard]] std::string_view word(const Json& node, std::string_view key);

[[nodiscard]] inline std::string_view type(const Json& node) {
  return word(node, "type");
}
[[nodiscard]] inline bool is_numeric(const Json& node) {
  return type(node) == "number" || type(node) == "integer";
}

/// The variant that `value` chooses (or the default of the discriminator), or nullptr.
[[nodiscard]] const Json* variant_of(const Json& node, const Json* value);
/// Name of that variant, empty without one.
[[nodiscard]] std::string variant_name(const Json& node, const Json* value);
/// A schema for the discriminator itself: a text with the variants as its words.
[[nodiscard]] Json discriminator_node(const Json& node);
/// The node of a property as it holds for `value`; nothing if there is no such property.
[[nodiscard]] std::optional<Json> property_copy(const Json& node, const Json* value, std::string_view key);
/// The node of a property that is no discriminator, looked for in the variant, then beside it; nullptr if
/// none.
[[nodiscard]] const Json* property(const Json& node, const Json* variant, std::string_view key);
/// Names of all properties that hold with this variant, discriminator first.
[[nodiscard]] std::vector<std::string> property_names(const Json& node, const Json* variant);

/// A bound: a number, or a text with a unit, in the node's unit.
[[nodiscard]] std::optional<double> bound(const Json& node, std::string_view key);
/// "at least 0 m", "above 0 s and at most 3 s"; empty without bounds.
[[nodiscard]] std::string range_text(const Json& node);
/// A number of this node for people, with its unit.
[[nodiscard]] std::string number_text(double value, const Json& node);
/// A value for a message, cut to a readable length.
[[nodiscard]] std::string found_text(const Json& value, const Json& node);
/// A text in single quotes, cut to a readable length.
[[nodiscard]] std::string in_quotes(std::string_view text);
/// "'a', 'b' or 'c'"
[[nodiscard]] std::string choices(const Json& list);
/// "a, b, c", at most 30 of them
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace conoid::schema_nodes
