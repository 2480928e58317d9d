// SPDX-License-Identifier: BSD-3-Clause
// A position in a file held in memory, from which readers take words, numbers and binary values without ever passing the
// end, and which knows how to say where it is. For the readers only; failures are thrown as Failure.
#pragma once

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

namespace conoid::readers {

/// Without the blanks, tabs and carriage returns at its ends.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

class Cursor {
 public:
  Cursor(std::string_view bytes, std::string file, Bytes memory_limit)
      : begin_(bytes.data()), p_(bytes.data()), end_(bytes.data() + bytes.size()), file_(std::move(file)),
        limit_(memory_limit), used_(bytes.size()) {}

  [[nodiscard]] bool at_end() const { return p_ == end_; }
  [[nodiscard]] std::size_t position() const { return static_cast<std::size_t>(p_ - begin_); }
  [[nodiscard]] Bytes remaining() const { return static_cast<Bytes>(end_ - p_); }
  [[nodiscard]] std::string_view rest() const { return {p_, static_cast<std::size_t>(end_ - p_)}; }
  void seek(std::size_t position) { p_ = begin_ + position; }
  void advance(std::size_t bytes) { p_ += bytes; }

  /// Messages name bytes instead of lines from now on; numbers are swapped when the file is of the other byte order.
  void set_binary(bool swapped) {
    binary_ = true;
    swapped_ = swapped;
  }
  [[nodiscard]] bool binary() const { return binary_; }

  [[noreturn]] void fail(std::string text, std::string hint = {}) const {
    fail_at(position(), std::move(text), std::move(hint));
  }
  [[noreturn]] void fail_at(std::size_t position, std::string text, std::string hint = {}) const;
  /// "expected <what>, found <the next word>".
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// Fails unless `count` records of at least `bytes_each` can still follow.
  void need(std::uint64_t count, std::uint64_t bytes_each, std::string_view what) const {
    if (count > remaining() / bytes_each) fail_count(count, bytes_each, what);
  }
  /// Books memory that is about to be allocated; above the limit: ErrorCode::resources.
  void take_memory(std::uint64_t count, std::uint64_t bytes_each, std::string_view what) {
    if (bytes_each != 0 && count > (limit_ - std::min(limit_, used_)) / bytes_each)
      fail_memory(count, bytes_each, what);
    used_ += count * bytes_each;
  }

  /// Fails unless the length of the file's unit is a positive number.
  void check_unit(double scale) const;

  // ---- text ----
  void skip_byte_order_mark() {
    if (rest().starts_with("\xef\xbb\xbf")) advance(3);
  }
  void skip_blanks() {  // within the line
    while (p_ != end_ && (*p_ == ' ' || *p_ == '\t' || *p_ == '\r')) ++p_;
  }
  void skip_space() {
    while (p_ != end_ && is_space(*p_)) ++p_;
  }
  [[nodiscard]] bool at_line_end() {
    skip_blanks();
    return p_ == end_ || *p_ == '\n';
  }
  /// The rest of the line without its end; the cursor stands on the next line.
  std::string_view line() {
    const char* from = p_;
    const void* found = p_ == end_ ? nullptr : std::memchr(p_, '\n', static_cast<std::size_t>(end_ - p_));
    const char* stop = found == nullptr ? end_ : static_cast<const char*>(found);
    p_ = stop == end_ ? end_ : stop + 1;
    if (stop != from && stop[-1] == '\r') --stop;
    return {from, static_cast<std::size_t>(stop - from)};
  }
  /// The next word on any line; empty at the end of the file.
  std::string_view word() {
    skip_space();
    return word_here();
  }
  /// The next word of this line; empty at its end.
  std::string_view word_in_line() {
    skip_blanks();
    return word_here();
  }
  template <class T>
  T integer(std::string_view what) {
    skip_space();
    return integer_here<T>(what);
  }
  template <class T>
  T integer_here(std::string_view what) {
    T value{};
    const char* from = p_ != end_ && *p_ == '+' ? p_ + 1 : p_;
    const auto [stop, code] = std::from_chars(from, end_, value);
    if (code != std::errc{} || (stop != end_ && !is_space(*stop))) fail_expected(what);
    p_ = stop;
    return value;
  }
  double real(std::string_view what) {
    skip_space();
    return real_here(what);
  }
  double real_here(std::string_view what) {
    double value = 0;
    const char* from = p_ != end_ && *p_ == '+' ? p_ + 1 : p_;
    const auto [stop, code] = std::from_chars(from, end_, value);
    // Numbers below the smallest double are zero; from_chars calls them out of range.
    if (code == std::errc::result_out_of_range && stop != end_ && is_tiny(from, stop))
      value = 0;
    else if (code != std::errc{} || !std::isfinite(value))
      fail_expected(what);
    if (stop != end_ && !is_space(*stop)) fail_expected(what);
    p_ = stop;
    return value;
  }

  // ---- binary ----
  /// One value; the caller has checked with need().
  template <class T>
  T load_unchecked() {
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), p_, sizeof(T));
    p_ += sizeof(T);
    if (swapped_)
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
    return std::bit_cast<T>(raw);
  }
  template <class T>
  T load(std::string_view what) {
    need(1, sizeof(T), what);
    return load_unchecked<T>();
  }

  static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  std::string_view word_here() {
    const char* from = p_;
    while (p_ != end_ && !is_space(*p_)) ++p_;
    return {from, static_cast<std::size_t>(p_ - from)};
  }
  static bool is_tiny(const char* from, const char* stop);
  [[noreturn]] void fail_count(std::uint64_t count, std::uint64_t bytes_each, std::string_view what) const;
  [[noreturn]] void fail_memory(std::uint64_t count, std::uint64_t bytes_each, std::string_view what) const;

  const char* begin_;
  const char* p_;
  const char* end_;
  std::string file_;
  Bytes limit_;
  Bytes used_;
  bool binary_ = false;
  bool swapped_ = false;
};

/// A piece of a file for a message: at most 40 characters, what cannot be printed as \xNN.
[[nodiscard]] std::string quoted(std::string_view text);

/// Turns the file's node numbers in `connectivity` into positions in `tags`. `twice` is called with a number that two points
/// have, `unknown` with the position in `connectivity` of a number that none has; both must throw.
void resolve_tags(Cursor& in, const std::vector<Index>& tags, std::vector<Index>& connectivity,
                  const std::function<void(Index)>& twice, const std::function<void(std::size_t)>& unknown);

/// Drops points that no cell uses, renumbering the connectivity in place.
void drop_unused_points(std::vector<double>& points, std::vector<Index>& connectivity);

}  // namespace conoid::readers
