// SPDX-License-Identifier: BSD-3-Clause
// Numbers, texts and arrays as bytes, little-endian. What is read is distrusted: nothing is taken past the end of the
// message, and memory only for what the message holds.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/core/error.hpp"

namespace conoid {

static_assert(std::endian::native == std::endian::little, "the wire is little-endian");

class Encoder {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint64_t>(value.size()));
    out_.append(value);
  }
  template <class T>
  void array(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    number(static_cast<std::uint64_t>(values.size()));
    out_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Throws Failure(remote) when the message is not what it should be.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    std::memcpy(&value, piece(sizeof value).data(), sizeof value);
    return value;
  }
  bool flag() { return number<std::uint8_t>() != 0; }
  /// An enumeration whose values are 0 to `last`.
  template <class E>
  E choice(E last) {
    const auto value = number<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) damaged("a number of an enumeration");
    return static_cast<E>(value);
  }
  std::string text() { return std::string(piece(count(1))); }
  template <class T>
  std::vector<T> array() {
    const std::uint64_t n = count(sizeof(T));
    std::vector<T> out(n);
    if (n > 0) std::memcpy(out.data(), piece(n * sizeof(T)).data(), n * sizeof(T));
    return out;
  }
  /// A number of records of at least `bytes_each` that must still fit.
  std::uint64_t count(std::uint64_t bytes_each) {
    const auto n = number<std::uint64_t>();
    if (n > rest_.size() / bytes_each) damaged("a length");
    return n;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  void end() const {
    if (!rest_.empty()) damaged("the end");
  }
  [[noreturn]] static void damaged(std::string_view what) {
    throw Failure(make_error(ErrorCode::remote,
                             "a message of the computing program is damaged: expected " + std::string(what),
                             "Use the same version of Conoid at both ends."));
  }

 private:
  std::string_view piece(std::uint64_t bytes) {
    if (bytes > rest_.size()) damaged("more bytes");
    const std::string_view out = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return out;
  }
  std::string_view rest_;
};

}  // namespace conoid
