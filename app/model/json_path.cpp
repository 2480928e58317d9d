// SPDX-License-Identifier: BSD-3-Clause
// JSON pointers (RFC 6901) as forms need them.
#include "app/model/json_path.hpp"

#include <charconv>
#include <vector>

namespace conoid::app {
namespace {

std::string escaped(std::string_view key) {
  std::string out;
  for (char c : key) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

std::string unescaped(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size())
      out += token[++i] == '1' ? '/' : '~';
    else
      out += token[i];
  }
  return out;
}

std::vector<std::string> tokens_of(const std::string& pointer) {
  std::vector<std::string> tokens;
  std::size_t begin = 1;
  while (begin <= pointer.size() && !pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    tokens.push_back(unescaped(std::string_view(pointer).substr(begin, end - begin)));
    begin = end + 1;
  }
  return tokens;
}

std::optional<std::size_t> index_of(const std::string& token) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return index;
}

}  // namespace

std::string child_pointer(const std::string& parent, std::string_view key) {
  return parent + "/" + escaped(key);
}
std::string child_pointer(const std::string& parent, std::size_t index) {
  return parent + "/" + std::to_string(index);
}

std::string parent_pointer(const std::string& pointer) {
  const std::size_t slash = pointer.rfind('/');
  return slash == std::string::npos ? std::string() : pointer.substr(0, slash);
}

std::string last_token(const std::string& pointer) {
  const std::size_t slash = pointer.rfind('/');
  return slash == std::string::npos ? std::string() : unescaped(std::string_view(pointer).substr(slash + 1));
}

std::string first_token(const std::string& pointer) {
  const auto tokens = tokens_of(pointer);
  return tokens.empty() ? std::string() : tokens.front();
}

bool is_within(const std::string& pointer, const std::string& ancestor) {
  return pointer.starts_with(ancestor) && (pointer.size() == ancestor.size() || pointer[ancestor.size()] == '/');
}

const Json* find_value(const Json& root, const std::string& pointer) {
  const Json* at = &root;
  for (const std::string& token : tokens_of(pointer)) {
    if (at->is_object()) {
      const auto it = at->find(token);
      if (it == at->end()) return nullptr;
      at = &*it;
    } else if (at->is_array()) {
      const auto index = index_of(token);
      if (!index || *index >= at->size()) return nullptr;
      at = &(*at)[*index];
    } else {
      return nullptr;
    }
  }
  return at;
}

bool assign_value(Json& root, const std::string& pointer, std::optional<Json> value) {
  const auto tokens = tokens_of(pointer);
  if (tokens.empty()) {
    root = value ? std::move(*value) : Json::object();
    return true;
  }
  Json* at = &root;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool last = i + 1 == tokens.size();
    const std::string& token = tokens[i];
    if (at->is_null()) *at = Json::object();
    if (at->is_object()) {
      if (last) {
        if (value)
          (*at)[token] = std::move(*value);
        else
          at->erase(token);
        return true;
      }
      if (!value && !at->contains(token)) return true;
      at = &(*at)[token];
    } else if (at->is_array()) {
      const auto index = index_of(token);
      if (!index || *index > at->size() || (*index == at->size() && !(last && value))) return false;
      if (last) {
        if (!value)
          at->erase(*index);
        else if (*index == at->size())
          at->push_back(std::move(*value));
        else
          (*at)[*index] = std::move(*value);
        return true;
      }
      at = &(*at)[*index];
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace conoid::app
