// SPDX-License-Identifier: BSD-3-Clause
// Look-ups in schema nodes and their words for messages.
#include "engine/case/schema_nodes.hpp"

#include "engine/core/units.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace conoid::schema_nodes {

const Json* get(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  for (const auto& [name, value] : object.get_ref<const Json::object_t&>())
    if (name == key) return &value;
  return nullptr;
}

bool flag(const Json& node, std::string_view key) {
  const Json* value = get(node, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

std::string_view word(const Json& node, std::string_view key) {
  const Json* value = get(node, key);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_ref<const std::string&>();
}

std::string variant_name(const Json& node, const Json* value) {
  const Json* variants = get(node, "variants");
  if (variants == nullptr) return {};
  const std::string_view discriminator = word(node, "discriminator");
  const Json* choice = value != nullptr ? get(*value, discriminator) : nullptr;
  const Json* properties = choice == nullptr ? get(node, "properties") : nullptr;
  if (const Json* own = properties != nullptr ? get(*properties, discriminator) : nullptr) {
    if (const Json* former = value != nullptr ? get(*own, "formerly") : nullptr)
      for (const Json& then : *former)
        if (choice == nullptr) choice = get(*value, then.get_ref<const std::string&>());
    if (choice == nullptr) choice = get(*own, "default");
  }
  if (choice == nullptr || !choice->is_string()) return {};
  const auto& name = choice->get_ref<const std::string&>();
  return get(*variants, name) != nullptr ? name : std::string();
}

const Json* variant_of(const Json& node, const Json* value) {
  const std::string name = variant_name(node, value);
  return name.empty() ? nullptr : get(*get(node, "variants"), name);
}

Json discriminator_node(const Json& node) {
  Json out = Json::object();
  if (const Json* properties = get(node, "properties"))
    if (const Json* own = get(*properties, word(node, "discriminator")); own != nullptr && own->is_object()) out = *own;
  out["type"] = "string";
  Json names = Json::array();
  if (const Json* variants = get(node, "variants"))
    for (const auto& [name, variant] : variants->get_ref<const Json::object_t&>()) names.push_back(name);
  out["enum"] = std::move(names);
  return out;
}

const Json* property(const Json& node, const Json* variant, std::string_view key) {
  if (variant != nullptr)
    if (const Json* properties = get(*variant, "properties"))
      if (const Json* found = get(*properties, key)) return found;
  if (const Json* properties = get(node, "properties")) return get(*properties, key);
  return nullptr;
}

std::optional<Json> property_copy(const Json& node, const Json* value, std::string_view key) {
  if (!word(node, "discriminator").empty() && key == word(node, "discriminator")) return discriminator_node(node);
  const Json* variant = variant_of(node, value);
  if (const Json* found = property(node, variant, key)) return *found;
  for (const Json* part : {&node, variant}) {  // by a former name
    const Json* properties = part != nullptr ? get(*part, "properties") : nullptr;
    if (properties == nullptr) continue;
    for (const auto& [name, child] : properties->get_ref<const Json::object_t&>())
      if (const Json* former = get(child, "formerly"))
        if (std::any_of(former->begin(), former->end(), [&](const Json& then) {
              return then.is_string() && then.get_ref<const std::string&>() == key;
            }))
          return child;
  }
  return std::nullopt;
}

std::vector<std::string> property_names(const Json& node, const Json* variant) {
  std::vector<std::string> names;
  const std::string_view discriminator = word(node, "discriminator");
  if (!discriminator.empty()) names.emplace_back(discriminator);
  for (const Json* part : {&node, variant}) {
    const Json* properties = part != nullptr ? get(*part, "properties") : nullptr;
    if (properties == nullptr) continue;
    for (const auto& [name, unused] : properties->get_ref<const Json::object_t&>())
      if (name != discriminator) names.push_back(name);
  }
  return names;
}

std::optional<double> bound(const Json& node, std::string_view key) {
  const Json* value = get(node, key);
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return value->get<double>();
  if (value->is_string())
    if (const auto quantity = parse_quantity(value->get_ref<const std::string&>(), word(node, "unit")))
      return quantity->value;
  return std::nullopt;
}

std::string number_text(double value, const Json& node) {
  const std::string_view unit = word(node, "unit");
  // A value beside its bound must not be rounded onto it, so more digits than a form shows.
  if (type(node) == "integer" && unit.empty() && std::abs(value) < 1e15)
    return std::to_string(static_cast<std::int64_t>(value));
  return format_quantity(value, unit, 10);
}

std::string range_text(const Json& node) {
  std::string out;
  const auto add = [&](std::string_view key, std::string_view words) {
    if (const auto value = bound(node, key))
      out += (out.empty() ? "" : " and ") + std::string(words) + " " + number_text(*value, node);
  };
  add("minimum", "at least");
  add("exclusiveMinimum", "above");
  add("maximum", "at most");
  add("exclusiveMaximum", "below");
  return out;
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  const bool cut = text.size() > 60;
  std::size_t end = cut ? 57 : text.size();
  while (cut && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end;
  for (const char c : text.substr(0, end)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return out + (cut ? "...'" : "'");
}

std::string found_text(const Json& value, const Json& node) {
  switch (value.type()) {
    case Json::value_t::object: return value.empty() ? "an empty object" : "an object";
    case Json::value_t::array:
      return value.size() == 1 ? "a list of 1 value" : "a list of " + std::to_string(value.size()) + " values";
    case Json::value_t::string: return in_quotes(value.get_ref<const std::string&>());
    case Json::value_t::boolean: return value.get<bool>() ? "true" : "false";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      if (is_numeric(node) && std::isfinite(value.get<double>()) && !word(node, "unit").empty())
        return number_text(value.get<double>(), node);
      return value.is_number_float() && !std::isfinite(value.get<double>()) ? fmt::format("{}", value.get<double>())
                                                                            : json_text(value);
    default: return "null";
  }
}

std::string choices(const Json& list) {
  std::string out;
  const std::size_t shown = std::min<std::size_t>(list.size(), 20);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == list.size() ? " or " : ", ";
    out += list[i].is_string() ? in_quotes(list[i].get_ref<const std::string&>()) : json_text(list[i]);
  }
  if (shown < list.size()) out += ", ...";
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < 30; ++i) {
    if (i > 0) out += ", ";
    out += names[i];
  }
  return names.size() > 30 ? out + ", ..." : out;
}

}  // namespace conoid::schema_nodes
