// SPDX-License-Identifier: BSD-3-Clause
// Deflate by canonical codes, read bit by bit: simple, bounded, fast enough for headers' worth of blocks.
#include "engine/io/inflate.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace conoid {
namespace {

struct Bits {
  std::string_view bytes;
  std::size_t at = 0;
  std::uint32_t held = 0;
  int count = 0;
  bool short_of = false;

  std::uint32_t take(int wanted) {
    while (count < wanted) {
      if (at == bytes.size()) {
        short_of = true;
        return 0;
      }
      held |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at++])) << count;
      count += 8;
    }
    const std::uint32_t out = held & ((1U << wanted) - 1U);
    held >>= wanted;
    count -= wanted;
    return out;
  }
  void to_byte() {
    held = 0;
    count = 0;
  }
};

/// A canonical Huffman code (RFC 1951, 3.2.2): how many codes of each length, and the symbols in the order of their codes.
struct Code {
  std::array<std::uint16_t, 16> counts{};
  std::array<std::uint16_t, 288> symbols{};

  bool set(std::span<const std::uint8_t> lengths) {
    counts.fill(0);
    for (const std::uint8_t l : lengths) ++counts[l];
    counts[0] = 0;
    int left = 1;
    for (std::size_t l = 1; l < counts.size(); ++l) {
      left = 2 * left - counts[l];
      if (left < 0) return false;
    }
    std::array<std::uint16_t, 17> first{};
    for (std::size_t l = 1; l < counts.size(); ++l) first[l + 1] = static_cast<std::uint16_t>(first[l] + counts[l]);
    for (std::size_t s = 0; s < lengths.size(); ++s)
      if (lengths[s] != 0) symbols[first[lengths[s]]++] = static_cast<std::uint16_t>(s);
    return true;
  }
  /// -1 where no code fits.
  int next(Bits& in) const {
    int code = 0, first = 0, index = 0;
    for (std::size_t l = 1; l < counts.size(); ++l) {
      code |= static_cast<int>(in.take(1));
      if (in.short_of) return -1;
      const int n = counts[l];
      if (code - first < n) return symbols[static_cast<std::size_t>(index + code - first)];
      index += n;
      first = (first + n) << 1;
      code <<= 1;
    }
    return -1;
  }
};

constexpr std::array<std::uint16_t, 29> length_base{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> length_extra{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<std::uint16_t, 30> distance_base{1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<std::uint8_t, 30> distance_extra{0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                      6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

/// Appends `length` bytes from `distance` back; false beyond either end.
bool copy_back(std::string& out, std::size_t distance, std::size_t length, std::size_t size) {
  if (distance == 0 || distance > out.size() || length > size - out.size()) return false;
  for (std::size_t k = 0; k < length; ++k) out += out[out.size() - distance];
  return true;
}

bool stored(Bits& in, std::string& out, std::size_t size) {
  in.to_byte();
  if (in.bytes.size() - in.at < 4) return false;
  const auto byte = [&](std::size_t k) {
    return static_cast<std::size_t>(static_cast<unsigned char>(in.bytes[in.at + k]));
  };
  const std::size_t length = byte(0) | byte(1) << 8;
  if ((length ^ 0xffffU) != (byte(2) | byte(3) << 8)) return false;
  in.at += 4;
  if (length > in.bytes.size() - in.at || length > size - out.size()) return false;
  out.append(in.bytes.substr(in.at, length));
  in.at += length;
  return true;
}

bool coded(Bits& in, const Code& lengths, const Code& distances, std::string& out, std::size_t size) {
  for (;;) {
    const int symbol = lengths.next(in);
    if (symbol < 0) return false;
    if (symbol < 256) {
      if (out.size() == size) return false;
      out += static_cast<char>(symbol);
      continue;
    }
    if (symbol == 256) return true;
    const auto l = static_cast<std::size_t>(symbol - 257);
    if (l >= length_base.size()) return false;
    const std::size_t length = length_base[l] + in.take(length_extra[l]);
    const int code = distances.next(in);
    if (code < 0 || static_cast<std::size_t>(code) >= distance_base.size()) return false;
    const auto d = static_cast<std::size_t>(code);
    const std::size_t distance = distance_base[d] + in.take(distance_extra[d]);
    if (in.short_of || !copy_back(out, distance, length, size)) return false;
  }
}

bool dynamic_codes(Bits& in, Code& lengths, Code& distances) {
  constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const std::size_t literals = in.take(5) + 257, far = in.take(5) + 1, given = in.take(4) + 4;
  if (literals > 286 || far > 30) return false;
  std::array<std::uint8_t, 19> first{};
  for (std::size_t k = 0; k < given; ++k) first[order[k]] = static_cast<std::uint8_t>(in.take(3));
  Code code;
  if (in.short_of || !code.set(first)) return false;
  std::array<std::uint8_t, 320> all{};
  for (std::size_t k = 0; k < literals + far;) {
    const int symbol = code.next(in);
    if (symbol < 0) return false;
    if (symbol < 16) {
      all[k++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && k == 0) return false;
    const std::uint8_t value = symbol == 16 ? all[k - 1] : std::uint8_t{0};
    std::size_t repeat = symbol == 16 ? 3 + in.take(2) : symbol == 17 ? 3 + in.take(3) : 11 + in.take(7);
    if (in.short_of || repeat > literals + far - k) return false;
    while (repeat-- > 0) all[k++] = value;
  }
  return lengths.set(std::span(all).first(literals)) && distances.set(std::span(all).subspan(literals, far));
}

std::uint32_t adler32(std::string_view text) {
  std::uint32_t a = 1, b = 0;
  for (const char c : text) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

}  // namespace

std::optional<std::string> inflate_zlib(std::string_view stream, std::size_t size) {
  if (stream.size() < 6) return std::nullopt;
  const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(stream[k])); };
  if ((byte(0) & 15) != 8 || (byte(0) << 8 | byte(1)) % 31 != 0 || (byte(1) & 32) != 0) return std::nullopt;
  Bits in{stream.substr(2)};
  std::string out;
  // A stream of so many bytes cannot hold more (RFC 1951: 258 bytes of a length take two bits).
  if (size / 1032 > stream.size()) return std::nullopt;
  out.reserve(size);
  for (bool last = false; !last;) {
    last = in.take(1) != 0;
    const std::uint32_t kind = in.take(2);
    if (in.short_of) return std::nullopt;
    Code lengths, distances;
    if (kind == 0) {
      if (!stored(in, out, size)) return std::nullopt;
      continue;
    }
    if (kind == 1) {
      std::array<std::uint8_t, 288> fixed{};
      for (std::size_t k = 0; k < fixed.size(); ++k) fixed[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
      std::array<std::uint8_t, 30> five{};
      five.fill(5);
      lengths.set(fixed);
      distances.set(five);
    } else if (kind != 2 || !dynamic_codes(in, lengths, distances)) {
      return std::nullopt;
    }
    if (!coded(in, lengths, distances, out, size)) return std::nullopt;
  }
  if (out.size() != size || in.bytes.size() - in.at < 4) return std::nullopt;
  std::uint32_t sum = 0;
  for (std::size_t k = 0; k < 4; ++k)
    sum = sum << 8 | static_cast<std::uint32_t>(static_cast<unsigned char>(in.bytes[in.at + k]));
  if (sum != adler32(out)) return std::nullopt;
  return out;
}

std::optional<std::string> inflate_lz4(std::string_view block, std::size_t size) {
  std::string out;
  if (size / 256 > block.size()) return std::nullopt;
  out.reserve(size);
  std::size_t at = 0;
  const auto longer = [&](std::size_t length) {
    if (length < 15) return length;
    for (unsigned char c = 255; c == 255 && at < block.size();) length += c = static_cast<unsigned char>(block[at++]);
    return length;
  };
  while (at < block.size()) {
    const auto token = static_cast<unsigned char>(block[at++]);
    const std::size_t literals = longer(token >> 4);
    if (literals > block.size() - at || literals > size - out.size()) return std::nullopt;
    out.append(block.substr(at, literals));
    at += literals;
    if (at == block.size()) break;  // the last sequence has literals alone
    if (block.size() - at < 2) return std::nullopt;
    const std::size_t distance = static_cast<unsigned char>(block[at]) |
                                 static_cast<std::size_t>(static_cast<unsigned char>(block[at + 1])) << 8;
    at += 2;
    if (!copy_back(out, distance, longer(token & 15) + 4, size)) return std::nullopt;
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

}  // namespace conoid
