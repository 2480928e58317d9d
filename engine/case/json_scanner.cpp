// SPDX-License-Identifier: BSD-3-Clause
// One pass over a text, by hand, so that every slip has its own message.
#include "engine/case/json_scanner.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "engine/case/text.hpp"

namespace conoid {
namespace {

using text::append_utf8;
using text::is_digit;
using text::is_word;
using text::shown;
using text::utf8_length;

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

  [[nodiscard]] const JsonError& error() const { return error_; }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  bool fail(std::string message, std::string hint = {}) {
    // Columns are counted in characters, as an editor shows them.
    long column = 1;
    for (std::size_t i = line_start_; i < at_ && i < text_.size(); ++i)
      if ((static_cast<unsigned char>(text_[i]) & 0xc0u) != 0x80u) ++column;
    error_ = {"column " + std::to_string(column) + ": " + std::move(message), std::move(hint), line_};
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
    if (length == 0) return fail("the text is not valid UTF-8 here, found " + found(), "Save the file as UTF-8.");
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
      return fail("expected a value, found '" + std::string(word) + "'", "Write true or false in small letters.");
    else if (!word.empty())
      return fail("expected a value, found " + found(), "Text needs double quotes.");
    else if (peek() == '\'')
      return fail("expected a value, found a single quote", "Text needs double quotes.");
    else if (peek() == '}' || peek() == ']' || peek() == ',')
      return fail("expected a value, found " + found(), "Give the value, or remove the comma or key before it.");
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
    if (full >= 0xdc00 && full <= 0xdfff) return fail("a second half of a surrogate pair without its first half");
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
        return fail("expected ',' or ']' after element " + std::to_string(list.size()) + " of the list, found " +
                    found());
      ++at_;
      if (!blanks()) return false;
    }
  }

  bool trailing_comma(std::string_view bracket) {
    return fail("a comma before '" + std::string(bracket) + "', with nothing after it", "Remove the last comma.");
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
        if (is_word(peek()) || peek() == '\'') return fail("expected a key in double quotes, found " + found());
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
        return fail("the key " + shown(key) + " occurs twice; it first stands in line " + std::to_string(first),
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
  JsonError error_;
};

}  // namespace

std::optional<JsonError> scan_json(std::string_view text, Json& value, LineTree& lines) {
  Scanner scanner(text);
  if (scanner.run(value, lines)) return std::nullopt;
  return scanner.error();
}

Result<Json> parse_json(std::string_view text) {
  Json value;
  LineTree lines;
  if (const auto slip = scan_json(text, value, lines))
    return make_error(ErrorCode::invalid_input, slip->message, slip->hint, {{}, slip->line, {}});
  return value;
}

}  // namespace conoid
