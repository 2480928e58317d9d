// SPDX-License-Identifier: BSD-3-Clause
// One walk over schema and document together: finds every violation and builds the resolved form.
#include "engine/case/validate.hpp"

#include "engine/case/case.hpp"
#include "engine/case/former_names.hpp"
#include "engine/case/schema_nodes.hpp"
#include "engine/core/units.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <regex>

namespace conoid {

using namespace schema_nodes;

namespace {

constexpr std::size_t max_diagnostics = 100;
// std::regex matches by recursion; a longer text could exhaust the stack.
constexpr std::size_t max_pattern_text = 1000;
constexpr double exact_integers = 9007199254740992.0;  // 2^53

// "a" or "an" is avoided by naming types with their article.
std::string expected_type(const Json& node) {
  const std::string_view t = type(node);
  const std::string_view unit = word(node, "unit");
  std::string out;
  if (t == "number")
    out = "a number";
  else if (t == "integer")
    out = "a whole number";
  else if (t == "string")
    out = word(node, "file") == run_folder_kind ? "the name of a folder"
          : get(node, "file") != nullptr        ? "the name of a file"
                                                : "a text";
  else if (t == "boolean")
    out = "true or false";
  else if (t == "array")
    out = "a list [ ]";
  else
    out = "an object { }";
  if (!unit.empty() && unit != "1") out += " in " + std::string(unit);
  if (const Json* words = get(node, "words")) out += " or " + choices(*words);
  return out;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u; }));
}

bool equal_values(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) return a.get<double>() == b.get<double>();
  return a == b;
}

}  // namespace

bool SchemaWalker::listing() const {
  return diagnostics_ != nullptr && diagnostics_->size() <= max_diagnostics;
}

std::string SchemaWalker::Path::pointer() const {
  std::vector<const Path*> chain;
  for (const Path* p = this; p->up != nullptr; p = p->up) chain.push_back(p);
  std::string out;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it)
    out = pointer_join(out, (*it)->is_index ? std::to_string((*it)->index) : std::string((*it)->key));
  return out;
}

void SchemaWalker::fail(const Path& path, const Json& node, std::string text, std::string hint) {
  ++failures_;
  if (!listing()) return;
  const std::string pointer = path.pointer();
  Place place = document_ != nullptr ? document_->place(pointer) : Place{{}, 0, pointer};
  if (diagnostics_->size() == max_diagnostics) {
    place.pointer.clear();
    place.line = 0;
    diagnostics_->push_back(make_error(ErrorCode::invalid_input, "more than 100 errors; the rest is not listed",
                                       "Repair these first.", std::move(place)));
    return;
  }
  const std::string_view description = word(node, "description");
  if (!description.empty()) {
    if (!hint.empty()) hint += " ";
    hint += description;
  }
  diagnostics_->push_back(make_error(ErrorCode::invalid_input, std::move(text), std::move(hint), std::move(place)));
}

bool SchemaWalker::walk(const Json& node, const Json& value, const Path& path, Json* out) {
  const std::size_t before = failures_;
  const std::string_view t = type(node);
  if (path.up == nullptr) root_ = &node;
  if (value.is_null()) {
    fail(path, node, "found null, expected " + expected_type(node), "Remove the key to get its default.");
  } else if (t == "object") {
    object(node, value, path, out);
  } else if (t == "array") {
    array(node, value, path, out);
  } else if (t == "number" || t == "integer") {
    number(node, value, path, out);
  } else if (t == "string") {
    text(node, value, path, out);
  } else if (t == "boolean") {
    if (!value.is_boolean())
      fail(path, node, "found " + found_text(value, node) + ", expected true or false");
    else if (out != nullptr)
      *out = value;
  }
  return failures_ == before;
}

bool SchemaWalker::is_choice(const Json& node, const Json& value, const Path& path) {
  const Json* list = get(node, "enum");
  if (list == nullptr) return true;
  for (const Json& choice : *list)
    if (equal_values(choice, value)) return true;
  std::string text =
      "found " + found_text(value, node) + ", expected " + (list->size() > 1 ? "one of " : "") + choices(*list);
  if (value.is_string() && listing()) {
    std::vector<std::string> known;
    for (const Json& choice : *list)
      if (choice.is_string()) known.push_back(choice.get<std::string>());
    if (const std::string meant = nearest(value.get_ref<const std::string&>(), known);
        !meant.empty() && known.size() > 1)
      text += "; did you mean " + in_quotes(meant) + "?";
  }
  fail(path, node, std::move(text));
  return false;
}

void SchemaWalker::number(const Json& node, const Json& value, const Path& path, Json* out) {
  const bool whole = type(node) == "integer";
  const std::string_view unit = word(node, "unit");
  double number = 0;
  if (value.is_number()) {
    number = value.get<double>();
  } else if (value.is_string()) {
    const auto& typed = value.get_ref<const std::string&>();
    if (const Json* words = get(node, "words"))
      if (std::any_of(words->begin(), words->end(), [&](const Json& w) { return w == value; })) {
        if (out != nullptr) *out = value;
        return;
      }
    if (unit.empty()) {
      std::string hint;
      if (const auto plain = parse_quantity(typed, "1")) hint = "Write the number without quotes.";
      return fail(path, node, "found the text " + in_quotes(typed) + ", expected " + expected_type(node),
                  std::move(hint));
    }
    const auto quantity = parse_quantity(typed, unit);
    if (!quantity) return fail(path, node, quantity.error().text, quantity.error().hint);
    number = quantity->value;
    if (unit == "B" && whole) number = std::round(number);  // "1.1 GiB" is no whole number of bytes, and is meant so
  } else {
    return fail(path, node, "found " + found_text(value, node) + ", expected " + expected_type(node));
  }
  if (!std::isfinite(number))
    return fail(path, node, "found " + found_text(value, node) + ", expected a finite number");

  Json resolved;
  if (whole) {
    if (value.is_number_integer()) {  // of either sign: nlohmann counts unsigned ones among them
      if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX))
        return fail(path, node,
                    "found " + json_text(value) + ", expected a whole number of at most 9223372036854775807");
      resolved = value.get<std::int64_t>();
    } else {
      if (number != std::floor(number) || std::abs(number) > exact_integers)
        return fail(path, node, "found " + found_text(value, node) + ", expected " + expected_type(node));
      resolved = static_cast<std::int64_t>(number);
    }
  } else {
    resolved = number;
  }

  const auto low = bound(node, "minimum");
  const auto above = bound(node, "exclusiveMinimum");
  const auto high = bound(node, "maximum");
  const auto below = bound(node, "exclusiveMaximum");
  std::string expected;
  if (low && number < *low)
    expected = "at least " + number_text(*low, node);
  else if (above && number <= *above)
    expected = "a value above " + number_text(*above, node);
  else if (high && number > *high)
    expected = "at most " + number_text(*high, node);
  else if (below && number >= *below)
    expected = "a value below " + number_text(*below, node);
  if (!expected.empty()) {
    const std::string found = value.is_string() ? value.get<std::string>() : found_text(value, node);
    return fail(path, node, "found " + (found.size() > 60 ? in_quotes(found) : found) + ", expected " + expected);
  }
  if (is_choice(node, resolved, path) && out != nullptr) *out = std::move(resolved);
}

void SchemaWalker::text(const Json& node, const Json& value, const Path& path, Json* out) {
  if (!value.is_string())
    return fail(path, node, "found " + found_text(value, node) + ", expected " + expected_type(node),
                value.is_number() || value.is_boolean() ? "Put it in double quotes." : "");
  const auto& typed = value.get_ref<const std::string&>();
  const std::size_t length = characters(typed);
  if (const auto low = bound(node, "minLength"); low && static_cast<double>(length) < *low)
    return fail(path, node,
                length == 0
                    ? "found an empty text, expected " + expected_type(node)
                    : "found " + in_quotes(typed) + ", expected at least " + number_text(*low, {}) + " characters");
  if (const auto high = bound(node, "maxLength"); high && static_cast<double>(length) > *high)
    return fail(path, node,
                "found a text of " + std::to_string(length) + " characters, expected at most " +
                    json_text(*get(node, "maxLength")));
  if (!is_choice(node, value, path)) return;
  if (const std::string_view pattern = word(node, "pattern"); !pattern.empty()) {
    bool matches = false;
    if (typed.size() <= max_pattern_text) {
      try {
        matches = std::regex_match(typed, std::regex(pattern.begin(), pattern.end()));
      } catch (const std::regex_error&) {
        matches = false;  // too complex to decide within the library's bounds
      }
    }
    if (!matches)
      return fail(path, node, "found " + in_quotes(typed) + ", expected a text of the form " + std::string(pattern));
  }
  const bool names_file = get(node, "file") != nullptr;
  if (names_file &&
      std::any_of(typed.begin(), typed.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    return fail(path, node, "found a control character in the file name " + in_quotes(typed));
  if (out != nullptr) *out = value;
  if (visitor && (names_file || get(node, "group") != nullptr)) visitor(node, path.pointer(), typed);
}

void SchemaWalker::array(const Json& node, const Json& value, const Path& path, Json* out) {
  if (!value.is_array()) {
    std::string hint;
    if (!value.is_structured()) hint = "Put brackets around it.";
    return fail(path, node, "found " + found_text(value, node) + ", expected a list [ ]", std::move(hint));
  }
  if (!is_size(node, value, path, "value", "values")) return;
  if (out != nullptr) *out = Json::array();
  const Json* items = get(node, "items");
  if (items == nullptr) return;
  std::size_t index = 0;
  for (const Json& element : value) {
    Json resolved;
    walk(*items, element, Path{&path, {}, index++, true}, out != nullptr ? &resolved : nullptr);
    if (out != nullptr) out->push_back(std::move(resolved));
  }
}

bool SchemaWalker::is_size(const Json& node, const Json& value, const Path& path, std::string_view one,
                           std::string_view many) {
  const auto low = bound(node, "minItems");
  const auto high = bound(node, "maxItems");
  const auto size = static_cast<double>(value.size());
  if (!(low && size < *low) && !(high && size > *high)) return true;
  std::string expected;
  if (low && high && *low == *high)
    expected = number_text(*low, {});
  else if (low && size < *low)
    expected = "at least " + number_text(*low, {});
  else
    expected = "at most " + number_text(*high, {});
  fail(path, node,
       "found " + std::to_string(value.size()) + " " + std::string(value.size() == 1 ? one : many) + ", expected " +
           expected);
  return false;
}

std::optional<Json> SchemaWalker::filled(const Json& node) {
  SchemaWalker silent(nullptr, nullptr);
  const Path root;
  Json resolved;
  if (const Json* preset = get(node, "default")) {
    if (!silent.walk(node, *preset, root, &resolved)) return std::nullopt;
    return resolved;
  }
  if (type(node) != "object" || flag(node, "optional") || get(node, "map") != nullptr) return std::nullopt;
  if (!silent.walk(node, Json::object(), root, &resolved) || resolved.empty()) return std::nullopt;
  return resolved;
}

std::vector<std::string> SchemaWalker::places_of(const std::string& key) const {
  std::vector<std::string> out;
  if (root_ == nullptr || document_ == nullptr) return out;
  const auto look = [&](const auto& self, const Json& node, const Json* value, const std::string& name) -> void {
    if (type(node) != "object") return;
    const Json* variant = variant_of(node, value);
    if (property(node, variant, key) != nullptr) out.push_back(name);
    for (const std::string& inside : property_names(node, variant)) {
      const Json* child = property(node, variant, inside);
      if (child == nullptr) continue;
      std::string below = name;
      if (!below.empty()) below += '.';
      below += inside;
      self(self, *child, value != nullptr ? get(*value, inside) : nullptr, below);
    }
  };
  look(look, *root_, &document_->json(), "");
  return out;
}

void SchemaWalker::unknown_key(const Json& node, const Json* variant, const Json& value, const std::string& key,
                               const Path& path, std::vector<std::string>& meant) {
  if (!listing()) return fail(path, node, {});
  const std::vector<std::string> known = property_names(node, variant);
  std::string text = "unknown key " + in_quotes(key);
  std::string hint;
  bool elsewhere = false;
  if (const Json* variants = get(node, "variants"); variants != nullptr && variant != nullptr)
    for (const auto& [name, other] : variants->get_ref<const Json::object_t&>())
      if (!elsewhere && get(other, "properties") != nullptr && get(other["properties"], key) != nullptr) {
        elsewhere = true;
        const std::string discriminator(word(node, "discriminator"));
        text = "the key " + in_quotes(key) + " belongs to " + discriminator + " = " + in_quotes(name) + ", but " +
               discriminator + " is " + in_quotes(variant_name(node, &value));
      }
  if (!elsewhere) {
    const std::string near = nearest(key, known);
    // A name that many sections have says nothing of where it was meant to stand.
    constexpr std::size_t few = 2;
    if (const std::vector<std::string> places = places_of(key); !places.empty() && places.size() <= few) {
      text += "; it stands ";
      for (std::size_t i = 0; i < places.size(); ++i)
        text += (i > 0 ? " or " : "") + (places[i].empty() ? "at the top of a case" : "under " + in_quotes(places[i]));
    } else if (!near.empty()) {
      text += "; did you mean " + in_quotes(near) + "?";
      meant.push_back(near);
    }
  }
  hint = known.empty() ? "Nothing can be set here." : "Known here: " + listed(known) + ".";
  fail(path, Json::object(), std::move(text), std::move(hint));
}

bool SchemaWalker::take_former_names(const Json& node, const Json* variant, const Json& value, const Path& path,
                                     Json& now) {
  std::vector<std::pair<std::string, std::string>> renamed;  // then, now
  for (const Json* part : {&node, variant}) {
    const Json* properties = part != nullptr ? get(*part, "properties") : nullptr;
    if (properties == nullptr) continue;
    for (const auto& [name, property] : properties->get_ref<const Json::object_t&>()) {
      const Json* former = get(property, "formerly");
      if (former == nullptr) continue;
      for (const Json& then : *former)
        // Where both are given, the former one is an unknown key like any other.
        if (get(value, then.get_ref<const std::string&>()) != nullptr && get(value, name) == nullptr)
          renamed.emplace_back(then.get<std::string>(), name);
    }
  }
  if (renamed.empty()) return false;
  now = value;
  for (const auto& [then, name] : renamed) {
    now[name] = now[then];
    now.erase(then);
    if (!listing() || document_ == nullptr) continue;
    const Path here{&path, then, 0, false};
    diagnostics_->push_back(former_name_note(then, name, document_->place(here.pointer())));
  }
  return true;
}

void SchemaWalker::tell_deprecated(const Json& node, const Path& path) {
  const std::string_view instead = word(node, "deprecated");
  if (instead.empty() || !listing() || document_ == nullptr) return;
  diagnostics_->push_back(
      make_warning("this key will be gone in a later version", std::string(instead), document_->place(path.pointer())));
}

void SchemaWalker::object(const Json& node, const Json& value, const Path& path, Json* out) {
  if (const std::string_view list = word(node, "list"); value.is_array() && !list.empty())
    return object(node, Json::object({{std::string(list), value}}), path, out);
  if (!value.is_object()) return fail(path, node, "found " + found_text(value, node) + ", expected an object { }");
  if (out != nullptr) *out = Json::object();

  if (const Json* schema = get(node, "map")) {
    if (!is_size(node, value, path, "entry", "entries")) return;
    for (const auto& [key, element] : value.get_ref<const Json::object_t&>()) {
      const Path here{&path, key, 0, false};
      if (key.empty()) fail(here, node, "found an empty name");
      Json resolved;
      walk(*schema, element, here, out != nullptr ? &resolved : nullptr);
      if (out != nullptr) append(*out, key, std::move(resolved));
      if (visitor && get(node, "group") != nullptr) visitor(node, here.pointer(), key);
    }
    return;
  }

  const std::string discriminator(word(node, "discriminator"));
  const Json* variant = variant_of(node, &value);
  if (Json now; take_former_names(node, variant, value, path, now)) return object(node, now, path, out);
  if (!discriminator.empty()) {
    const Json choice = discriminator_node(node);
    const Path here{&path, discriminator, 0, false};
    if (const Json* given = get(value, discriminator)) {
      // Without a valid choice nothing else can be judged; one error is enough.
      if (!walk(choice, *given, here, nullptr)) return;
    } else if (variant == nullptr) {
      return fail(here, choice, "missing; expected one of " + choices(choice["enum"]));
    }
    if (out != nullptr) append(*out, discriminator, variant_name(node, &value));
  }

  std::vector<std::string> meant;  // keys that a misspelt one stands for are not reported as missing too
  for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
    if (!discriminator.empty() && key == discriminator) continue;
    const Path here{&path, key, 0, false};
    const Json* schema = property(node, variant, key);
    if (schema == nullptr) {
      unknown_key(node, variant, value, key, here, meant);
      continue;
    }
    tell_deprecated(*schema, here);
    Json resolved;
    walk(*schema, member, here, out != nullptr ? &resolved : nullptr);
    if (out != nullptr) append(*out, key, std::move(resolved));
  }

  std::vector<std::string_view> excluded;  // of an exclusive group of which one is given
  for (const Json* part : {&node, variant}) {
    const Json* groups = part != nullptr ? get(*part, "exclusive") : nullptr;
    if (groups == nullptr) continue;
    for (const Json& group : *groups) {
      Json given = Json::array();
      for (const Json& name : group)
        if (get(value, name.get_ref<const std::string&>()) != nullptr) given.push_back(name);
      if (given.empty()) continue;
      for (const Json& name : group) excluded.push_back(name.get_ref<const std::string&>());
      if (given.size() > 1)
        fail(Path{&path, given[1].get_ref<const std::string&>(), 0, false}, Json::object(),
             "found " + choices(given).replace(choices(given).rfind(" or "), 4, " and ") +
                 ", expected at most one of " + choices(group),
             "Remove all but one.");
    }
  }

  for (const Json* part : {&node, variant})
    if (const Json* groups = part != nullptr ? get(*part, "needs") : nullptr)
      for (const Json& group : *groups)
        if (std::none_of(group.begin(), group.end(),
                         [&](const Json& name) { return get(value, name.get_ref<const std::string&>()) != nullptr; }))
          fail(Path{&path, group[0].get_ref<const std::string&>(), 0, false}, Json::object(),
               "missing; expected " + choices(group), "Give one of them.");

  const auto is_required = [&](std::string_view key) {
    for (const Json* part : {&node, variant}) {
      const Json* list = part != nullptr ? get(*part, "required") : nullptr;
      if (list != nullptr && std::any_of(list->begin(), list->end(), [&](const Json& k) { return k == key; }))
        return true;
    }
    return false;
  };
  for (const std::string& key : property_names(node, variant)) {
    if (key == discriminator || get(value, key) != nullptr) continue;
    const Json* schema = property(node, variant, key);
    if (schema == nullptr) continue;
    if (is_required(key) && get(*schema, "default") == nullptr) {
      if (std::find(meant.begin(), meant.end(), key) == meant.end())
        fail(Path{&path, key, 0, false}, *schema, "missing; expected " + describe(*schema));
      continue;
    }
    if (out == nullptr || std::find(excluded.begin(), excluded.end(), key) != excluded.end()) continue;
    if (auto preset = filled(*schema)) append(*out, key, std::move(*preset));
  }
}

void SchemaWalker::append(Json& object, const std::string& key, Json value) {
  // Keys of a document are unique, so the search of the container's own insertion is not needed.
  using Row = std::vector<std::pair<const std::string, Json>>;
  static_cast<Row&>(object.get_ref<Json::object_t&>()).emplace_back(key, std::move(value));
}

std::vector<Diagnostic> validate_and_resolve(const CaseDocument& document, const Schema& schema, Json& resolved) {
  std::vector<Diagnostic> diagnostics;
  const Json* version = get(document.json(), "conoid");
  if (version == nullptr) {
    diagnostics.push_back(make_warning("the case names no format version; it is read as version 1",
                                       "Write \"conoid\": 1 as its first line.", document.place("")));
  } else if (version->is_number() && version->get<double>() > case_format_version) {
    diagnostics.push_back(make_error(ErrorCode::invalid_input,
                                     "found format version " + json_text(*version) + ", expected at most " +
                                         std::to_string(case_format_version) +
                                         ": the case was written by a newer Conoid",
                                     "Update Conoid, or save the case for this version.", document.place("/conoid")));
    return diagnostics;
  }
  SchemaWalker walker(&document, &diagnostics);
  walker.walk(schema.json(), document.json(), SchemaWalker::Path{}, &resolved);
  for (Diagnostic& d : diagnostics)
    if (const std::string written = written_pointer(document, schema, d.place.pointer); written != d.place.pointer)
      d.place = document.place(written);
  // In the order of the file, whatever the order of the checks.
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& a, const Diagnostic& b) {
    const auto key = [](const Diagnostic& d) { return d.place.line == 0 ? LONG_MAX : d.place.line; };
    return key(a) < key(b);
  });
  return diagnostics;
}

std::vector<Diagnostic> validate(const CaseDocument& document, const Schema& schema) {
  Json unused;
  return validate_and_resolve(document, schema, unused);
}

std::vector<CaseFile> files_of(const CaseDocument& document, const Schema& schema) {
  std::vector<CaseFile> files;
  SchemaWalker walker(&document, nullptr);
  walker.visitor = [&](const Json& node, const std::string& pointer, const std::string& value) {
    if (get(node, "file") == nullptr || value.empty()) return;
    const std::filesystem::path path(value);
    files.push_back({written_pointer(document, schema, pointer), std::string(word(node, "file")),
                     path.is_absolute() ? path : document.folder() / path});
  };
  walker.walk(schema.json(), document.json(), SchemaWalker::Path{}, nullptr);
  return files;
}

std::vector<Diagnostic> check_files(const CaseDocument& document, const Schema& schema) {
  std::vector<Diagnostic> diagnostics;
  for (const CaseFile& file : files_of(document, schema)) {
    std::error_code error;
    const auto status = std::filesystem::status(file.path, error);
    const bool folder = file.kind == run_folder_kind;
    if (folder ? std::filesystem::is_regular_file(file.path / "case.json", error)
               : std::filesystem::is_regular_file(status))
      continue;
    const std::string name = in_quotes(file.path.string());
    std::string text = "cannot find the " + file.kind + (folder ? " folder " : " file ") + name;
    if (folder && std::filesystem::is_directory(status))
      text = name + " is no run folder: it holds no case.json";
    else if (folder && std::filesystem::exists(status))
      text = "found the file " + name + ", expected a run folder";
    else if (std::filesystem::is_directory(status))
      text = "found the folder " + name + ", expected a " + file.kind + " file";
    else if (std::filesystem::exists(status))
      text = name + " is no plain file";
    diagnostics.push_back(make_error(ErrorCode::invalid_input, std::move(text),
                                     "Paths are relative to the folder of the case file.",
                                     document.place(file.pointer)));
  }
  return diagnostics;
}

std::vector<Diagnostic> check_groups(const CaseDocument& document, const Schema& schema,
                                     const std::vector<std::string>& groups) {
  std::vector<Diagnostic> diagnostics;
  SchemaWalker walker(&document, nullptr);
  walker.visitor = [&](const Json& node, const std::string& pointer, const std::string& value) {
    if (get(node, "group") == nullptr || diagnostics.size() >= max_diagnostics) return;
    if (std::find(groups.begin(), groups.end(), value) != groups.end()) return;
    std::string text = "the mesh has no group " + in_quotes(value);
    if (const std::string meant = nearest(value, groups); !meant.empty())
      text += "; did you mean " + in_quotes(meant) + "?";
    diagnostics.push_back(
        make_error(ErrorCode::invalid_input, std::move(text),
                   groups.empty() ? "The mesh has no named groups." : "Its groups: " + listed(groups) + ".",
                   document.place(pointer)));
  };
  walker.walk(schema.json(), document.json(), SchemaWalker::Path{}, nullptr);
  return diagnostics;
}

}  // namespace conoid
