// SPDX-License-Identifier: BSD-3-Clause
// Writing of JSON, compact and pretty.
#include "engine/case/json_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/case/text.hpp"

namespace conoid {
namespace {

using text::utf8_length;

constexpr std::size_t list_width = 100;  // columns of a list that stays on one line

void write_string(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\', out += c, ++i;
    } else if (c == '\n') {
      out += "\\n", ++i;
    } else if (c == '\t') {
      out += "\\t", ++i;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00", out += hex[byte >> 4], out += hex[byte & 15u], ++i;
    } else if (const std::size_t length = utf8_length(text.substr(i)); length > 0) {
      out += text.substr(i, length), i += length;
    } else {
      out += "\\ufffd", ++i;  // a stray byte set from outside: kept visible, not kept
    }
  }
  out += '"';
}

void write_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";  // JSON has no other word for it
    return;
  }
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  const std::string_view text(buffer, error == std::errc{} ? static_cast<std::size_t>(end - buffer) : 0);
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
}

// Writes compactly; false as soon as `limit` columns are passed.
bool write_compact(std::string& out, const Json& value, std::size_t limit) {
  switch (value.type()) {
    case Json::value_t::object: {
      out += '{';
      bool first = true;
      for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
        if (!first) out += ", ";
        first = false;
        write_string(out, key);
        out += ": ";
        if (!write_compact(out, member, limit)) return false;
      }
      out += '}';
      break;
    }
    case Json::value_t::array: {
      out += '[';
      bool first = true;
      for (const auto& element : value.get_ref<const Json::array_t&>()) {
        if (!first) out += ", ";
        first = false;
        if (!write_compact(out, element, limit)) return false;
      }
      out += ']';
      break;
    }
    case Json::value_t::string: write_string(out, value.get_ref<const std::string&>()); break;
    case Json::value_t::boolean: out += value.get<bool>() ? "true" : "false"; break;
    case Json::value_t::number_integer: out += std::to_string(value.get<std::int64_t>()); break;
    case Json::value_t::number_unsigned: out += std::to_string(value.get<std::uint64_t>()); break;
    case Json::value_t::number_float: write_number(out, value.get<double>()); break;
    default: out += "null"; break;
  }
  return out.size() <= limit;
}

bool is_list_of_scalars(const Json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(), [](const Json& e) { return e.is_structured(); });
}

// Lists of scalars, and lists of such lists (points), stay on one line where they fit.
bool may_be_flat(const Json& value) {
  return value.empty() || is_list_of_scalars(value) ||
         (value.is_array() && std::all_of(value.begin(), value.end(), is_list_of_scalars));
}

void write_pretty(std::string& out, const Json& value, std::size_t indent) {
  if (!value.is_structured()) {
    write_compact(out, value, std::string::npos);
    return;
  }
  if (may_be_flat(value)) {
    std::string flat;
    if (write_compact(flat, value, list_width - std::min(indent, list_width / 2))) {
      out += flat;
      return;
    }
  }
  const std::string inner(indent + 2, ' ');
  bool first = true;
  if (value.is_object()) {
    out += '{';
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
      out += first ? "\n" : ",\n";
      first = false;
      out += inner;
      write_string(out, key);
      out += ": ";
      write_pretty(out, member, indent + 2);
    }
  } else {
    out += '[';
    for (const auto& element : value.get_ref<const Json::array_t&>()) {
      out += first ? "\n" : ",\n";
      first = false;
      out += inner;
      write_pretty(out, element, indent + 2);
    }
  }
  out += '\n';
  out.append(indent, ' ');
  out += value.is_object() ? '}' : ']';
}

}  // namespace

std::string pretty_json(const Json& value) {
  std::string out;
  write_pretty(out, value, 0);
  out += '\n';
  return out;
}

std::string json_text(const Json& value) {
  std::string out;
  write_compact(out, value, std::string::npos);
  return out;
}

}  // namespace conoid
