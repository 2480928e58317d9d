// SPDX-License-Identifier: BSD-3-Clause
// Reading, editing and writing of case documents.
#include "engine/case/document.hpp"

#include "engine/core/atomic_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <unordered_set>

namespace conoid {
namespace {

constexpr std::size_t list_width = 100;  // columns of a list that stays on one line

// Length of the UTF-8 sequence at `text`, 0 if it is not valid (RFC 3629: no overlong forms, no surrogates).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned a = byte(0);
  if (a < 0x80) return 1;
  if (a >= 0xc2 && a <= 0xdf) return tail(1) ? 2 : 0;
  if (a >= 0xe0 && a <= 0xef) {
    const unsigned low = a == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = a == 0xed ? 0x9f : 0xbf;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (a >= 0xf0 && a <= 0xf4) {
    const unsigned low = a == 0xf0 ? 0x90 : 0x80;
    const unsigned high = a == 0xf4 ? 0x8f : 0xbf;
    return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0u | code >> 6), put(0x80u | (code & 0x3fu));
  } else if (code < 0x10000) {
    put(0xe0u | code >> 12), put(0x80u | (code >> 6 & 0x3fu)), put(0x80u | (code & 0x3fu));
  } else {
    put(0xf0u | code >> 18), put(0x80u | (code >> 12 & 0x3fu)), put(0x80u | (code >> 6 & 0x3fu));
    put(0x80u | (code & 0x3fu));
  }
}

// A key for a message, cut to a readable length at a character's border.
std::string shown(std::string_view text, char quote = '"') {
  std::string out(1, quote);
  if (text.size() > 40) {
    std::size_t cut = 37;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0u) == 0x80u) --cut;
    out += text.substr(0, cut);
    out += "...";
  } else {
    out += text;
  }
  return out + quote;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

/// One pass over the text. Recursive by nesting, which is bounded by CaseDocument::max_depth.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  // The whole text as one value; nothing on an error, which is then in error().
  bool run(Json& value, LineTree& lines) {
    if (text_.size() > CaseDocument::max_bytes)
      return fail("the text has " + std::to_string(text_.size() >> 20) + " MiB; at most 64 MiB are read",
                  "Keep long tables in files of their own and name them in the case.");
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
      return fail("the text is UTF-16, expected UTF-8", "Save the file as UTF-8.");
    if (!blanks()) return false;
    if (at_ == text_.size()) return fail("the text is empty, expected a value", "A case begins with '{'.");
    if (!parse_value(value, lines, 0) || !blanks()) return false;
    if (at_ != text_.size())
      return fail("expected the end of the text after the last bracket, found " + found(),
                  "Remove what follows, or check that the brackets match.");
    return true;
  }

  [[nodiscard]] const std::string& message() const { return message_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }
  [[nodiscard]] long line() const { return error_line_; }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  bool fail(std::string message, std::string hint = {}) {
    // Columns are counted in characters, as an editor shows them.
    long column = 1;
    for (std::size_t i = line_start_; i < at_ && i < text_.size(); ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xc0u) != 0x80u) ++column;
    message_ = "column " + std::to_string(column) + ": " + std::move(message);
    hint_ = std::move(hint);
    error_line_ = line_;
    return false;
  }

  // What stands here, for a message: a word, a character, or the end.
  [[nodiscard]] std::string found() const {
    if (at_ >= text_.size()) return "the end of the text";
    const char c = text_[at_];
    if (c == '\n' || c == '\r') return "the end of the line";
    std::size_t end = at_;
    while (end < text_.size() && end - at_ < 24 && is_word(text_[end])) ++end;
    if (end > at_) return "'" + std::string(text_.substr(at_, end - at_)) + "'";
    const std::size_t length = utf8_length(text_.substr(at_));
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || length == 0) {
      static constexpr char hex[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      return std::string("the byte 0x") + hex[byte >> 4] + hex[byte & 15u];
    }
    if (c == '\'') return "a single quote";
    return "'" + std::string(text_.substr(at_, length)) + "'";
  }

  void newline() {
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
    line_start_ = at_;
  }

  // One character inside a comment or a string; false if it is not UTF-8.
  bool step() {
    const std::size_t length = utf8_length(text_.substr(at_));
    if (length == 0)
      return fail("the text is not valid UTF-8 here, found " + found(), "Save the file as UTF-8.");
    at_ += length;
    return true;
  }

  // Skips white space and comments.
  bool blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t') {
        ++at_;
      } else if (c == '\n' || c == '\r') {
        newline();
      } else if (at("//")) {
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r')
          if (!step()) return false;
      } else if (at("/*")) {
        const std::size_t open = at_;
        const long open_line = line_;
        const std::size_t open_start = line_start_;
        at_ += 2;
        while (at_ < text_.size() && !at("*/")) {
          if (text_[at_] == '\n' || text_[at_] == '\r')
            newline();
          else if (!step())
            return false;
        }
        if (at_ >= text_.size()) {
          at_ = open, line_ = open_line, line_start_ = open_start;
          return fail("the comment that begins here is never closed", "End it with '*/'.");
        }
        at_ += 2;
      } else {
        break;
      }
    }
    return true;
  }

  bool parse_value(Json& value, LineTree& lines, int depth) {
    lines.line = line_;
    if (++values_ > CaseDocument::max_values)
      return fail("more than " + std::to_string(CaseDocument::max_values) + " values",
                  "Keep long tables in files of their own and name them in the case.");
    const char c = peek();
    if (c == '{' || c == '[') {
      if (depth >= CaseDocument::max_depth)
        return fail("brackets nest deeper than " + std::to_string(CaseDocument::max_depth) + " levels");
      return c == '{' ? parse_object(value, lines, depth) : parse_array(value, lines, depth);
    }
    if (c == '"') {
      std::string text;
      if (!parse_string(text)) return false;
      value = std::move(text);
      return true;
    }
    if (is_digit(c) || c == '-' || c == '+' || c == '.') return parse_number(value);
    return parse_word(value);
  }

  bool parse_word(Json& value) {
    std::size_t end = at_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (word == "true")
      value = true;
    else if (word == "false")
      value = false;
    else if (word == "null")
      value = nullptr;
    else if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf" || word == "Inf")
      return fail("expected a finite number, found '" + std::string(word) + "'");
    else if (word == "True" || word == "False" || word == "TRUE" || word == "FALSE")
      return fail("expected a value, found '" + std::string(word) + "'",
                  "Write true or false in small letters.");
    else if (!word.empty())
      return fail("expected a value, found " + found(), "Text needs double quotes.");
    else if (peek() == '\'')
      return fail("expected a value, found a single quote", "Text needs double quotes.");
    else if (peek() == '}' || peek() == ']' || peek() == ',')
      return fail("expected a value, found " + found(),
                  "Give the value, or remove the comma or key before it.");
    else
      return fail("expected a value, found " + found());
    at_ = end;
    return true;
  }

  bool parse_number(Json& value) {
    const std::size_t start = at_;
    std::size_t i = at_;
    const auto rest = [&](std::size_t k) { return k < text_.size() ? text_[k] : '\0'; };
    if (rest(i) == '-') ++i;
    const std::size_t digits = i;
    while (is_digit(rest(i))) ++i;
    bool real = false;
    std::string slip;
    if (i == digits)
      slip = "a digit must come first, as in 0.5";
    else if (rest(digits) == '0' && i > digits + 1)
      slip = "a number must not begin with 0";
    if (rest(i) == '.') {
      real = true;
      const std::size_t point = ++i;
      while (is_digit(rest(i))) ++i;
      if (i == point && slip.empty()) slip = "a digit must follow the point, as in 1.0";
    }
    if (rest(i) == 'e' || rest(i) == 'E') {
      real = true;
      ++i;
      if (rest(i) == '+' || rest(i) == '-') ++i;
      const std::size_t exponent = i;
      while (is_digit(rest(i))) ++i;
      if (i == exponent && slip.empty()) slip = "digits must follow the e";
    }
    std::size_t end = i;
    while (is_word(rest(end)) || rest(end) == '.' || rest(end) == '+') ++end;
    if (end > i && slip.empty()) slip = "a quantity with a unit is written as text, \"2 GHz\"";
    const std::string_view lexeme = text_.substr(start, std::max(end, start + 1) - start);
    if (!slip.empty()) return fail("expected a number, found " + shown(lexeme, '\'') + ": " + slip);

    const char* first = lexeme.data();
    const char* last = first + lexeme.size();
    if (!real) {
      std::int64_t whole = 0;
      if (std::from_chars(first, last, whole).ec == std::errc{}) {
        value = whole;
        at_ = end;
        return true;
      }
      std::uint64_t large = 0;
      if (*first != '-' && std::from_chars(first, last, large).ec == std::errc{}) {
        value = large;
        at_ = end;
        return true;
      }
    }
    double number = 0;
    if (std::from_chars(first, last, number).ec != std::errc{} || !std::isfinite(number))
      return fail("the number " + shown(lexeme, '\'') +
                  " is outside the range of double precision (about 1e-308 to 1e308)");
    value = number;
    at_ = end;
    return true;
  }

  std::optional<unsigned> hex4() {
    unsigned code = 0;
    for (int k = 0; k < 4; ++k) {
      const char c = peek();
      unsigned digit = 0;
      if (is_digit(c))
        digit = static_cast<unsigned>(c - '0');
      else if (c >= 'a' && c <= 'f')
        digit = static_cast<unsigned>(c - 'a') + 10;
      else if (c >= 'A' && c <= 'F')
        digit = static_cast<unsigned>(c - 'A') + 10;
      else
        return std::nullopt;
      code = code << 4 | digit;
      ++at_;
    }
    return code;
  }

  bool parse_escape(std::string& out) {
    ++at_;  // the backslash
    const char c = peek();
    static constexpr std::string_view names = "\"\\/bfnrt";
    static constexpr std::string_view meant = "\"\\/\b\f\n\r\t";
    if (const auto k = names.find(c); c != '\0' && k != std::string_view::npos) {
      out += meant[k];
      ++at_;
      return true;
    }
    if (c != 'u')
      return fail("expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash, found " + found(),
                  "A backslash in a path is written twice; a slash works everywhere.");
    ++at_;
    const auto code = hex4();
    if (!code) return fail("expected four hexadecimal digits after \\u, found " + found());
    unsigned full = *code;
    if (full >= 0xdc00 && full <= 0xdfff)
      return fail("a second half of a surrogate pair without its first half");
    if (full >= 0xd800 && full <= 0xdbff) {
      std::optional<unsigned> low;
      if (at("\\u")) {
        at_ += 2;
        low = hex4();
      }
      if (!low || *low < 0xdc00 || *low > 0xdfff)
        return fail("a first half of a surrogate pair without its second half");
      full = 0x10000 + ((full - 0xd800) << 10) + (*low - 0xdc00);
    }
    append_utf8(out, full);
    return true;
  }

  bool parse_string(std::string& out) {
    const std::size_t open = at_;
    ++at_;
    for (;;) {
      if (at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r') {
        at_ = open;
        return fail("the text that begins here is never closed on its line", "End it with a double quote.");
      }
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        if (!parse_escape(out)) return false;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        return fail("a control character inside a text, " + found(), "Write it as an escape: \\t, \\u0001.");
      } else {
        const std::size_t begin = at_;
        if (!step()) return false;
        out += text_.substr(begin, at_ - begin);
      }
    }
  }

  bool parse_array(Json& value, LineTree& lines, int depth) {
    ++at_;
    value = Json::array();
    auto& list = value.get_ref<Json::array_t&>();
    if (!blanks()) return false;
    if (peek() == ']') {
      ++at_;
      return true;
    }
    for (;;) {
      if (peek() == ']') return trailing_comma("]");
      list.emplace_back();
      lines.children.emplace_back();
      if (!parse_value(list.back(), lines.children.back(), depth + 1) || !blanks()) return false;
      if (peek() == ']') {
        ++at_;
        return true;
      }
      if (peek() != ',')
        return fail("expected ',' or ']' after element " + std::to_string(list.size()) +
                    " of the list, found " + found());
      ++at_;
      if (!blanks()) return false;
    }
  }

  bool trailing_comma(std::string_view bracket) {
    return fail("a comma before '" + std::string(bracket) + "', with nothing after it",
                "Remove the last comma.");
  }

  bool parse_object(Json& value, LineTree& lines, int depth) {
    const long open_line = line_;
    ++at_;
    value = Json::object();
    // The container is a row of pairs whose own insertion searches it from the front; duplicates are found by
    // hash instead, so that a long object does not take the square of its length.
    using Row = std::vector<std::pair<const std::string, Json>>;
    Row& row = value.get_ref<Json::object_t&>();
    std::unordered_set<std::string> seen;
    if (!blanks()) return false;
    if (peek() == '}') {
      ++at_;
      return true;
    }
    for (;;) {
      if (peek() == '}') return trailing_comma("}");
      if (peek() != '"') {
        if (is_word(peek()) || peek() == '\'')
          return fail("expected a key in double quotes, found " + found());
        if (at_ >= text_.size())
          return fail("expected '}', found the end of the text",
                      "The '{' of line " + std::to_string(open_line) + " is not closed.");
        return fail("expected a key in double quotes or '}', found " + found());
      }
      const std::size_t key_at = at_;
      std::string key;
      if (!parse_string(key)) return false;
      if (key.size() > CaseDocument::max_key) {
        at_ = key_at;
        return fail("a key longer than " + std::to_string(CaseDocument::max_key) + " bytes");
      }
      if (!seen.insert(key).second) {
        at_ = key_at;
        long first = 0;
        for (std::size_t k = 0; k < row.size(); ++k)
          if (row[k].first == key) first = lines.children[k].line;
        return fail(
            "the key " + shown(key) + " occurs twice; it first stands in line " + std::to_string(first),
            "Remove one of the two.");
      }
      if (!blanks()) return false;
      if (peek() != ':') return fail("expected ':' after the key " + shown(key) + ", found " + found());
      ++at_;
      if (!blanks()) return false;
      row.emplace_back(key, nullptr);
      lines.children.emplace_back();
      if (!parse_value(row.back().second, lines.children.back(), depth + 1) || !blanks()) return false;
      if (peek() == '}') {
        ++at_;
        return true;
      }
      if (peek() != ',') {
        std::string hint;
        if (at_ >= text_.size()) hint = "The '{' of line " + std::to_string(open_line) + " is not closed.";
        if (peek() == '"') hint = "Put a comma between the two.";
        return fail("expected ',' or '}' after the value of " + shown(key) + ", found " + found(), hint);
      }
      ++at_;
      if (!blanks()) return false;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  long line_ = 1;
  std::size_t values_ = 0;
  std::string message_;
  std::string hint_;
  long error_line_ = 0;
};

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
    case Json::value_t::string:
      write_string(out, value.get_ref<const std::string&>());
      break;
    case Json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      break;
    case Json::value_t::number_integer:
      out += std::to_string(value.get<std::int64_t>());
      break;
    case Json::value_t::number_unsigned:
      out += std::to_string(value.get<std::uint64_t>());
      break;
    case Json::value_t::number_float:
      write_number(out, value.get<double>());
      break;
    default:
      out += "null";
      break;
  }
  return out.size() <= limit;
}

bool is_list_of_scalars(const Json& value) {
  return value.is_array() &&
         std::none_of(value.begin(), value.end(), [](const Json& e) { return e.is_structured(); });
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

// The position of a key in an object, or its size.
std::size_t position_of(const Json& object, std::string_view key) {
  const auto& row = object.get_ref<const Json::object_t&>();
  const auto found =
      std::find_if(row.begin(), row.end(), [&](const auto& pair) { return pair.first == key; });
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
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return "a text";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::null:
      return "null";
    default:
      return "a number";
  }
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace

Result<CaseDocument> CaseDocument::parse(std::string_view text, std::filesystem::path file) {
  CaseDocument document;
  document.file_ = std::move(file);
  auto lines = std::make_shared<LineTree>();
  Scanner scanner(text);
  if (!scanner.run(document.json_, *lines))
    return make_error(ErrorCode::invalid_input, scanner.message(), scanner.hint(),
                      {document.file_.string(), scanner.line(), {}});
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
      return make_error(ErrorCode::command_line,
                        "the value for " + *pointer + " is damaged JSON: " + json.error().text,
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
          if (steps[t].size() > max_key)
            return fail("a key longer than " + std::to_string(max_key) + " bytes");
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
  std::string out;
  write_pretty(out, json_, 0);
  out += '\n';
  return out;
}

Status CaseDocument::save(const std::filesystem::path& file) const {
  return write_file_atomically(file, to_text());
}

Result<Json> parse_json(std::string_view text) {
  Json value;
  LineTree lines;
  Scanner scanner(text);
  if (!scanner.run(value, lines))
    return make_error(ErrorCode::invalid_input, scanner.message(), scanner.hint(), {{}, scanner.line(), {}});
  return value;
}

std::string json_text(const Json& value) {
  std::string out;
  write_compact(out, value, std::string::npos);
  return out;
}

Result<std::string> to_pointer(std::string_view path) {
  const auto fail = [&](std::string text) {
    return make_error(ErrorCode::command_line, std::move(text),
                      "Write the path of a value as excitation.frequency or /excitation/frequency.");
  };
  if (path.empty()) return fail("expected the path of a value, found nothing");
  if (path.size() > 4000)
    return fail("the path of a value has " + std::to_string(path.size()) + " characters; at most 4000");
  const char separator = path.front() == '/' ? '/' : '.';
  if (separator == '/') path.remove_prefix(1);
  std::string pointer;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(separator, begin), path.size());
    const std::string_view step = path.substr(begin, end - begin);
    if (step.empty()) return fail("the path " + shown(path) + " has an empty step");
    pointer += '/';
    if (separator == '/')
      pointer += step;  // already escaped
    else
      pointer = pointer_join(pointer.substr(0, pointer.size() - 1), step);
    begin = end + 1;
  }
  return pointer;
}

std::vector<std::string> pointer_steps(std::string_view pointer) {
  std::vector<std::string> steps;
  if (pointer.empty()) return steps;
  if (pointer.front() == '/') pointer.remove_prefix(1);
  std::string step;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.push_back(std::move(step));
      step.clear();
    } else if (pointer[i] == '~' && i + 1 < pointer.size() &&
               (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
      step += pointer[++i] == '0' ? '~' : '/';
    } else {
      step += pointer[i];
    }
  }
  steps.push_back(std::move(step));
  return steps;
}

std::string pointer_join(std::string_view pointer, std::string_view step) {
  std::string out(pointer);
  out += '/';
  for (const char c : step) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace conoid
