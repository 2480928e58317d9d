// SPDX-License-Identifier: BSD-3-Clause
// Resolved cases: getters, places for messages, the hash that identifies a run.
#include "engine/case/case.hpp"

#include "engine/case/former_names.hpp"

#include "engine/case/schema_nodes.hpp"
#include "engine/core/hash.hpp"

#include <algorithm>

namespace conoid {

using namespace schema_nodes;

namespace {

[[noreturn]] void schema_bug(const std::string& pointer, const std::string& what) {
  throw Failure(make_error(ErrorCode::internal, "the solver reads " + what + " at " + (pointer.empty() ? "/" : pointer),
                           "This is a bug: the solver's code and its parameters.json do not agree.", {{}, 0, pointer}));
}

// Keys sorted by bytes, machine parts left out; `schema` may be null where the schema says no more.
void canonical(std::string& out, const Json& value, const Json& schema) {
  if (value.is_object()) {
    std::vector<std::pair<std::string_view, const Json*>> members;
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) members.emplace_back(key, &member);
    std::sort(members.begin(), members.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const Json* map = get(schema, "map");
    const Json* variant = variant_of(schema, &value);
    const Json nothing;
    out += '{';
    bool first = true;
    for (const auto& [key, member] : members) {
      const Json* own = map != nullptr ? map : property(schema, variant, key);
      if (own != nullptr && flag(*own, "machine")) continue;
      std::string inner;
      canonical(inner, *member, own != nullptr ? *own : nothing);
      // A section of which only machine parts were given is as good as absent.
      if (inner == "{}" && !member->empty()) continue;
      if (!first) out += ',';
      first = false;
      out += json_text(Json(key));
      out += ':';
      out += inner;
    }
    out += '}';
  } else if (value.is_array()) {
    const Json* items = get(schema, "items");
    const Json nothing;
    out += '[';
    bool first = true;
    for (const Json& element : value) {
      if (!first) out += ',';
      first = false;
      canonical(out, element, items != nullptr ? *items : nothing);
    }
    out += ']';
  } else if (value.is_number_float() && value.get<double>() == 0) {
    out += "0.0";  // minus zero is zero
  } else {
    out += json_text(value);
  }
}

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' || c == ' ' ? '_' : c;
}

// Optimal string alignment: insertions, deletions, changes and swaps of neighbours count 1.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]))
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

}  // namespace

bool Values::has(std::string_view key) const {
  return json_ != nullptr && get(*json_, key) != nullptr;
}

Values Values::operator[](std::string_view key) const {
  const Json* member = json_ != nullptr ? get(*json_, key) : nullptr;
  const std::string here = pointer_join(pointer_, key);
  if (member == nullptr) schema_bug(here, "a value that is absent and has no default");
  return {member, here};
}

Values Values::at(std::size_t index) const {
  const std::string here = pointer_ + "/" + std::to_string(index);
  if (json_ == nullptr || !json_->is_array() || index >= json_->size())
    schema_bug(here, "an element that does not exist");
  return {&(*json_)[index], here};
}

const Json& Values::json() const {
  if (json_ == nullptr) schema_bug(pointer_, "from an empty view");
  return *json_;
}

std::size_t Values::size() const {
  if (!json().is_structured()) schema_bug(pointer_, "a list or an object");
  return json_->size();
}

std::vector<std::string> Values::keys() const {
  if (!json().is_object()) schema_bug(pointer_, "an object");
  std::vector<std::string> out;
  for (const auto& [key, member] : json_->get_ref<const Json::object_t&>()) out.push_back(key);
  return out;
}

bool Values::is_text() const {
  return json().is_string();
}

double Values::number() const {
  if (!json().is_number()) schema_bug(pointer_, "a number");
  return json_->get<double>();
}

Index Values::integer() const {
  if (!json().is_number_integer()) schema_bug(pointer_, "a whole number");
  return json_->get<Index>();
}

bool Values::boolean() const {
  if (!json().is_boolean()) schema_bug(pointer_, "true or false");
  return json_->get<bool>();
}

std::string Values::text() const {
  if (!json().is_string()) schema_bug(pointer_, "a text");
  return json_->get<std::string>();
}

Vec3 Values::vec3() const {
  if (!json().is_array() || json_->size() != 3) schema_bug(pointer_, "a list of three numbers");
  return {at(0).number(), at(1).number(), at(2).number()};
}

std::array<Index, 3> Values::index3() const {
  if (!json().is_array() || json_->size() != 3) schema_bug(pointer_, "a list of three whole numbers");
  return {at(0).integer(), at(1).integer(), at(2).integer()};
}

std::vector<double> Values::numbers() const {
  if (!json().is_array()) schema_bug(pointer_, "a list of numbers");
  std::vector<double> out;
  out.reserve(json_->size());
  for (const Json& element : *json_) {
    if (!element.is_number()) schema_bug(pointer_, "a list of numbers");
    out.push_back(element.get<double>());
  }
  return out;
}

std::vector<std::string> Values::texts() const {
  if (!json().is_array()) schema_bug(pointer_, "a list of texts");
  std::vector<std::string> out;
  out.reserve(json_->size());
  for (const Json& element : *json_) {
    if (!element.is_string()) schema_bug(pointer_, "a list of texts");
    out.push_back(element.get<std::string>());
  }
  return out;
}

double Values::number_or(std::string_view key, double otherwise) const {
  return has(key) ? (*this)[key].number() : otherwise;
}
std::string Values::text_or(std::string_view key, std::string_view otherwise) const {
  return has(key) ? (*this)[key].text() : std::string(otherwise);
}

Result<Case> Case::resolve(const CaseDocument& document, const Schema& schema) {
  Json resolved;
  for (const Diagnostic& d : validate_and_resolve(document, schema, resolved))
    if (d.severity == Severity::error) return d;
  Case out;
  out.document_ = std::make_shared<const CaseDocument>(document);
  out.schema_ = std::make_shared<const Schema>(schema);
  out.resolved_ = std::make_shared<const Json>(std::move(resolved));
  return out;
}

std::string Case::title() const {
  return values().text_or("title", "");
}

std::filesystem::path Case::path(std::string_view relative) const {
  const std::filesystem::path given(relative);
  return given.is_absolute() ? given : document_->folder() / given;
}

Diagnostic Case::error_at(const Values& value, std::string text, std::string hint) const {
  return make_error(ErrorCode::invalid_input, std::move(text), std::move(hint),
                    document_->place(written_pointer(*document_, *schema_, value.pointer())));
}

Diagnostic Case::warning_at(const Values& value, std::string text, std::string hint) const {
  return make_warning(std::move(text), std::move(hint),
                      document_->place(written_pointer(*document_, *schema_, value.pointer())));
}

std::string Case::canonical_text() const {
  std::string out;
  canonical(out, *resolved_, schema_->json());
  return out;
}

std::string Case::hash() const {
  return sha256_hex(canonical_text());
}

std::string nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 100;  // no typing slip reaches further, and the table stays small
  if (word.empty() || word.size() > longest) return {};
  std::string best;
  std::size_t least = std::string::npos;
  for (const std::string& candidate : known) {
    if (candidate.size() > longest) continue;
    std::size_t d = distance(word, candidate);
    // A beginning ("freq") counts as near.
    const bool beginning = word.size() >= 3 && candidate.size() > word.size() &&
                           distance(word, std::string_view(candidate).substr(0, word.size())) == 0;
    if (beginning) d = std::min<std::size_t>(d, 2);
    const std::size_t allowed = beginning ? 2 : std::max<std::size_t>(1, std::min(word.size(), candidate.size()) / 3);
    if (d <= allowed && d < std::max(word.size(), candidate.size()) && d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace conoid
