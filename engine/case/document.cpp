// SPDX-License-Identifier: BSD-3-Clause
// Reading, finding and editing of values.
#include "engine/case/document.hpp"

#include <algorithm>
#include <optional>

#include "engine/case/json_scanner.hpp"
#include "engine/case/json_writer.hpp"
#include "engine/case/text.hpp"
#include "engine/core/atomic_file.hpp"

namespace conoid {
namespace {

using text::is_digit;
using text::is_utf8;
using text::shown;

// The position of a key in an object, or its size.
std::size_t position_of(const Json& object, std::string_view key) {
  const auto& row = object.get_ref<const Json::object_t&>();
  const auto found = std::find_if(row.begin(), row.end(), [&](const auto& pair) { return pair.first == key; });
  return static_cast<std::size_t>(found - row.begin());
}

// The k-th member of an object, in written order.
const Json& member(const Json& object, std::size_t k) {
  return (object.get_ref<const Json::object_t&>().begin() + static_cast<std::ptrdiff_t>(k))->second;
}
Json& member(Json& object, std::size_t k) {
  return (object.get_ref<Json::object_t&>().begin() + static_cast<std::ptrdiff_t>(k))->second;
}

// A step as an index of a list: digits without leading zeros.
std::optional<std::size_t> as_index(std::string_view step) {
  if (step.empty() || step.size() > 9 || (step.size() > 1 && step[0] == '0')) return std::nullopt;
  std::size_t value = 0;
  for (const char c : step) {
    if (!is_digit(c)) return std::nullopt;
    value = 10 * value + static_cast<std::size_t>(c - '0');
  }
  return value;
}

int depth_of(const Json& value, int limit) {
  if (!value.is_structured() || limit <= 0) return 0;
  int deepest = 0;
  for (const auto& child : value) deepest = std::max(deepest, depth_of(child, limit - 1));
  return deepest + 1;
}

std::string kind_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object: return "an object";
    case Json::value_t::array: return "a list";
    case Json::value_t::string: return "a text";
    case Json::value_t::boolean: return "true or false";
    case Json::value_t::null: return "null";
    default: return "a number";
  }
}

}  // namespace

Result<CaseDocument> CaseDocument::parse(std::string_view text, std::filesystem::path file) {
  CaseDocument document;
  document.file_ = std::move(file);
  auto lines = std::make_shared<LineTree>();
  if (const auto slip = scan_json(text, document.json_, *lines))
    return make_error(ErrorCode::invalid_input, slip->message, slip->hint, {document.file_.string(), slip->line, {}});
  if (!document.json_.is_object())
    return make_error(ErrorCode::invalid_input,
                      "expected an object in braces { } at the top, found " + kind_of(document.json_), {},
                      {document.file_.string(), lines->line, {}});
  document.lines_ = std::move(lines);
  return document;
}

Result<CaseDocument> CaseDocument::read(const std::filesystem::path& file) {
  auto text = read_file(file, max_bytes);
  if (!text) return text.error();
  return parse(*text, file);
}

CaseDocument CaseDocument::from_json(Json json, std::filesystem::path file) {
  CaseDocument document;
  document.json_ = json.is_object() ? std::move(json) : Json::object();
  document.file_ = std::move(file);
  return document;
}

Place CaseDocument::place(const std::string& pointer) const {
  Place place{file_.string(), 0, pointer};
  const Json* value = &json_;
  const LineTree* lines = lines_.get();
  if (lines == nullptr) return place;
  place.line = lines->line;
  for (const std::string& step : pointer_steps(pointer)) {
    std::size_t k = 0;
    if (value->is_object()) {
      k = position_of(*value, step);
    } else if (value->is_array()) {
      const auto index = as_index(step);
      if (!index) break;
      k = *index;
    } else {
      break;
    }
    if (k >= value->size() || k >= lines->children.size()) break;
    lines = &lines->children[k];
    value = value->is_object() ? &member(*value, k) : &(*value)[k];
    if (lines->line > 0) place.line = lines->line;
  }
  return place;
}

const Json* CaseDocument::find(std::string_view pointer) const {
  const Json* value = &json_;
  for (const std::string& step : pointer_steps(pointer)) {
    std::size_t k = 0;
    if (value->is_object()) {
      k = position_of(*value, step);
      if (k == value->size()) return nullptr;
      value = &member(*value, k);
    } else if (value->is_array()) {
      const auto index = as_index(step);
      if (!index || *index >= value->size()) return nullptr;
      value = &(*value)[*index];
    } else {
      return nullptr;
    }
  }
  return value;
}

Status CaseDocument::set(std::string_view path, std::string_view value) {
  const auto pointer = to_pointer(path);
  if (!pointer) return pointer.error();
  if (!is_utf8(path) || !is_utf8(value))
    return make_error(ErrorCode::command_line, "the setting " + shown(path) + " is not valid UTF-8");
  Json parsed;
  auto json = parse_json(value);
  if (json) {
    parsed = std::move(json).value();
  } else {
    std::string_view text = value;
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    if (!text.empty() && (text.front() == '{' || text.front() == '[' || text.front() == '"'))
      return make_error(ErrorCode::command_line, "the value for " + *pointer + " is damaged JSON: " + json.error().text,
                        json.error().hint);
    parsed = std::string(value);
  }
  auto status = set_json(*pointer, std::move(parsed));
  if (!status) {
    Error error = status.error();
    error.code = ErrorCode::command_line;
    error.place = {{}, 0, *pointer};
    return error;
  }
  return {};
}

Status CaseDocument::set_json(const std::string& pointer, Json value) {
  const auto steps = pointer_steps(pointer);
  const auto fail = [&](std::string text, std::string hint = {}) {
    return make_error(ErrorCode::invalid_input, std::move(text), std::move(hint), place(pointer));
  };
  if (steps.empty()) return fail("expected the path of a value, found an empty one");
  if (static_cast<int>(steps.size()) + depth_of(value, max_depth + 1) > max_depth)
    return fail("the path and its value nest deeper than " + std::to_string(max_depth) + " levels");
  const bool remove = value.is_null();

  // A first walk that changes nothing, so that an error leaves the document as it was.
  {
    const Json* here = &json_;
    std::string walked;
    for (std::size_t s = 0; s < steps.size() && here != nullptr; ++s) {
      const std::string& step = steps[s];
      const bool last = s + 1 == steps.size();
      if (here->is_object()) {
        if (step.size() > max_key) return fail("a key longer than " + std::to_string(max_key) + " bytes");
        const std::size_t k = position_of(*here, step);
        here = k < here->size() ? &member(*here, k) : nullptr;
      } else if (here->is_array()) {
        const auto index = as_index(step);
        const std::size_t size = here->size();
        if (!index || *index > size || (remove && last && *index == size))
          return fail("expected an index from 0 to " + std::to_string(remove && size > 0 ? size - 1 : size) +
                      " in the list " + (walked.empty() ? "/" : walked) + ", found " + shown(step, '\''));
        here = *index < size ? &(*here)[*index] : nullptr;
      } else if (here->is_null()) {
        here = nullptr;  // becomes an object or a list
      } else {
        return fail(walked + " is " + kind_of(*here) + "; it has no member " + shown(step, '\''),
                    "Check the path, or set the whole object.");
      }
      walked = pointer_join(walked, step);
      if (here == nullptr) {
        if (remove) return {};  // nothing to remove
        // Everything below is made anew: only the first element of a new list can be set.
        for (std::size_t t = s + 1; t < steps.size(); ++t)
          if (steps[t].size() > max_key) return fail("a key longer than " + std::to_string(max_key) + " bytes");
      }
    }
  }

  auto lines = lines_ != nullptr ? std::make_shared<LineTree>(*lines_) : std::make_shared<LineTree>();
  Json* here = &json_;
  LineTree* line = lines.get();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::string& step = steps[s];
    const bool last = s + 1 == steps.size();
    if (here->is_null()) {
      *here = step == "0" ? Json::array() : Json::object();
      line->children.clear();
    }
    line->children.resize(here->size());
    if (here->is_object()) {
      const std::size_t k = position_of(*here, step);
      if (remove && last) {
        if (k < here->size()) {
          here->erase(step);
          line->children.erase(line->children.begin() + static_cast<std::ptrdiff_t>(k));
        }
        break;
      }
      if (k == here->size()) {
        here->get_ref<Json::object_t&>().emplace(step, nullptr);
        line->children.emplace_back();
      }
      here = &member(*here, k);
      line = &line->children[k];
    } else {
      const std::size_t k = as_index(step).value_or(0);
      if (remove && last) {
        here->erase(k);
        line->children.erase(line->children.begin() + static_cast<std::ptrdiff_t>(k));
        break;
      }
      if (k == here->size()) {
        here->push_back(nullptr);
        line->children.emplace_back();
      }
      here = &(*here)[k];
      line = &line->children[k];
    }
    if (last) {
      *here = std::move(value);
      line->children.clear();
    }
  }
  lines_ = std::move(lines);
  return {};
}

std::string CaseDocument::to_text() const {
  return pretty_json(json_);
}

Status CaseDocument::save(const std::filesystem::path& file) const {
  return write_file_atomically(file, to_text());
}

}  // namespace conoid
