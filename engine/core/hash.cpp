// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 in portable form; CRC-32C by the widest means the processor has: folding 512 bytes at a time (as fast as memory gives
// them, 32 GB/s a core), its own instruction in three chains (18 GB/s), or eight tables (1.5 GB/s).
#include "engine/core/hash.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace conoid {
namespace {

constexpr std::array<std::uint32_t, 64> sha_k = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr auto make_crc_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> t{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = (c & 1u) ? 0x82f63b78u ^ (c >> 1) : c >> 1;
    t[0][i] = c;
  }
  for (std::size_t s = 1; s < 8; ++s)
    for (std::size_t i = 0; i < 256; ++i) t[s][i] = (t[s - 1][i] >> 8) ^ t[0][t[s - 1][i] & 0xff];
  return t;
}
constexpr auto crc_tables = make_crc_tables();

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::block(const unsigned char* p) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i)
    w[i] = std::uint32_t{p[4 * i]} << 24 | std::uint32_t{p[4 * i + 1]} << 16 | std::uint32_t{p[4 * i + 2]} << 8 |
           p[4 * i + 3];
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + sha_k[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < 8; ++i) state_[i] += add[i];
}

void Sha256::update(std::span<const std::byte> data) {
  const auto* p = reinterpret_cast<const unsigned char*>(data.data());
  std::size_t n = data.size();
  total_ += n;
  while (n > 0) {
    const std::size_t take = std::min(n, buffer_.size() - filled_);
    std::memcpy(buffer_.data() + filled_, p, take);
    filled_ += take, p += take, n -= take;
    if (filled_ == buffer_.size()) {
      block(buffer_.data());
      filled_ = 0;
    }
  }
}

std::string Sha256::hex() {
  const std::uint64_t bits = total_ * 8;
  const std::byte one{0x80};
  const std::byte zero{0};
  update(std::span(&one, 1));
  while (filled_ != 56) update(std::span(&zero, 1));
  std::array<std::byte, 8> length{};
  for (std::size_t i = 0; i < 8; ++i) length[i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(length);
  static constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const std::uint32_t word : state_)
    for (int shift = 28; shift >= 0; shift -= 4) out += digits[(word >> shift) & 15u];
  return out;
}

std::string sha256_hex(std::string_view text) {
  Sha256 sha;
  sha.update(text);
  return sha.hex();
}

#if defined(__x86_64__) && defined(__GNUC__)
namespace {

// The instruction takes three cycles and can begin one each cycle: three chains over neighbouring stretches keep it busy. A chain
// knows nothing of the bytes before its own; as the sum is linear in its register, that of the whole is had by passing the
// register of one stretch over as many zeros as the next one has bytes.
constexpr std::size_t stretch = 4096;

/// The register after `stretch` zero bytes: the sum of one entry a byte of it.
constexpr auto make_zeros_tables() {
  using Map = std::array<std::uint32_t, 32>;  // what becomes of each bit
  constexpr auto apply = [](const Map& map, std::uint32_t c) {
    std::uint32_t out = 0;
    for (std::size_t bit = 0; c != 0; ++bit, c >>= 1)
      if (c & 1u) out ^= map[bit];
    return out;
  };
  Map map{};
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    const std::uint32_t c = std::uint32_t{1} << bit;
    map[bit] = (c >> 8) ^ crc_tables[0][c & 0xff];
  }
  for (std::size_t bytes = 1; bytes < stretch; bytes *= 2) {
    Map twice{};
    for (std::size_t bit = 0; bit < 32; ++bit) twice[bit] = apply(map, map[bit]);
    map = twice;
  }
  std::array<std::array<std::uint32_t, 256>, 4> t{};
  for (std::uint32_t k = 0; k < 4; ++k)
    for (std::uint32_t b = 0; b < 256; ++b) t[k][b] = apply(map, b << (8 * k));
  return t;
}
constexpr auto zeros_tables = make_zeros_tables();

std::uint32_t after_zeros(std::uint64_t c) {
  const auto& t = zeros_tables;
  return t[0][c & 0xff] ^ t[1][(c >> 8) & 0xff] ^ t[2][(c >> 16) & 0xff] ^ t[3][(c >> 24) & 0xff];
}

std::uint64_t word_at(const unsigned char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, 8);
  return word;
}

__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(std::span<const std::byte> data, std::uint32_t before) {
  const auto* p = reinterpret_cast<const unsigned char*>(data.data());
  std::size_t n = data.size();
  std::uint64_t c = ~before;
  for (; n >= 3 * stretch; p += 3 * stretch, n -= 3 * stretch) {
    std::uint64_t second = 0, third = 0;
    for (std::size_t line = 0; line < stretch; line += 64) {
      // The processor's own prefetching ends with a page, so each stretch would begin by waiting.
      for (std::size_t s = 0; s < 3; ++s) __builtin_prefetch(p + (3 + s) * stretch + line);
      for (std::size_t k = line; k < line + 64; k += 8) {
        c = __builtin_ia32_crc32di(c, word_at(p + k));
        second = __builtin_ia32_crc32di(second, word_at(p + stretch + k));
        third = __builtin_ia32_crc32di(third, word_at(p + 2 * stretch + k));
      }
    }
    c = after_zeros(after_zeros(c) ^ second) ^ third;
  }
  for (; n >= 8; p += 8, n -= 8) c = __builtin_ia32_crc32di(c, word_at(p));
  auto last = static_cast<std::uint32_t>(c);
  while (n-- > 0) last = __builtin_ia32_crc32qi(last, *p++);
  return ~last;
}

// Folding (Gopal et al., Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction, Intel 2009). A block of `folded`
// bytes is a polynomial over {0, 1}, its first bit the highest power; that many bytes further on it may be replaced by any that leaves
// the same remainder: each half h of a 128-bit lane by h·(x^n mod P), 96 bits wide. Bits are mirrored, which makes the product of two
// registers one power of x too high.
constexpr std::size_t folded = 512;

/// x^power mod P as the upper half of a mirrored word of 64 bits.
constexpr std::uint64_t power_of_x(std::size_t power) {
  std::uint32_t c = 0x80000000u;
  for (std::size_t k = 0; k < power; ++k) c = (c & 1u) ? 0x82f63b78u ^ (c >> 1) : c >> 1;
  return std::uint64_t{c} << 32;
}

using Lanes = unsigned long long __attribute__((vector_size(64)));

/// Of each 128 bits: first half times first half + second half times second half. (The header with a function for it takes as long
/// to compile as all the rest.)
__attribute__((target("avx512f,vpclmulqdq"), always_inline)) inline void multiply(Lanes& block, const Lanes& factors) {
  Lanes first, second;
  __asm__("vpclmulqdq $0x00, %1, %2, %0" : "=v"(first) : "v"(factors), "v"(block));
  __asm__("vpclmulqdq $0x11, %1, %2, %0" : "=v"(second) : "v"(factors), "v"(block));
  block = first ^ second;
}

__attribute__((target("avx512f,vpclmulqdq"))) std::uint32_t crc32c_folded(std::span<const std::byte> data,
                                                                          std::uint32_t before) {
  constexpr std::uint64_t first_half = power_of_x(8 * folded + 63), second_half = power_of_x(8 * folded - 1);
  const Lanes factors = {first_half, second_half, first_half, second_half,
                         first_half, second_half, first_half, second_half};
  Lanes block[folded / sizeof(Lanes)];
  const std::byte* p = data.data();
  std::size_t n = data.size();
  std::memcpy(block, p, folded);
  block[0][0] ^= ~before;
  for (p += folded, n -= folded; n >= folded; p += folded, n -= folded)
    for (std::size_t k = 0; k < std::size(block); ++k) {
      Lanes next;
      std::memcpy(&next, p + sizeof(Lanes) * k, sizeof(Lanes));
      multiply(block[k], factors);
      block[k] ^= next;
    }
  return crc32c_sse42(
      {p, n}, crc32c_sse42(std::as_bytes(std::span(block)), ~std::uint32_t{0}));  // a register of zero before it
}

}  // namespace
#endif

namespace {

std::uint32_t crc32c_tables(std::span<const std::byte> data, std::uint32_t before) {
  const auto* p = reinterpret_cast<const unsigned char*>(data.data());
  std::size_t n = data.size();
  std::uint32_t c = ~before;
  const auto& t = crc_tables;
  while (n >= 8) {
    std::uint32_t lo = 0;
    std::uint32_t hi = 0;
    std::memcpy(&lo, p, 4);
    std::memcpy(&hi, p + 4, 4);
    lo ^= c;
    c = t[7][lo & 0xff] ^ t[6][(lo >> 8) & 0xff] ^ t[5][(lo >> 16) & 0xff] ^ t[4][lo >> 24] ^ t[3][hi & 0xff] ^
        t[2][(hi >> 8) & 0xff] ^ t[1][(hi >> 16) & 0xff] ^ t[0][hi >> 24];
    p += 8, n -= 8;
  }
  while (n-- > 0) c = (c >> 8) ^ t[0][(c ^ *p++) & 0xff];
  return ~c;
}

}  // namespace

std::optional<std::uint32_t> crc32c_by(CrcMeans means, std::span<const std::byte> data, std::uint32_t before) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  static const bool folds =
      has_instruction && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("vpclmulqdq");
  if (means == CrcMeans::folding && folds)
    return data.size() >= 2 * folded ? crc32c_folded(data, before) : crc32c_sse42(data, before);
  if (means == CrcMeans::instruction && has_instruction) return crc32c_sse42(data, before);
#endif
  if (means == CrcMeans::tables) return crc32c_tables(data, before);
  return std::nullopt;
}

std::uint32_t crc32c(std::span<const std::byte> data, std::uint32_t before) {
  for (const CrcMeans means : {CrcMeans::folding, CrcMeans::instruction})
    if (const auto sum = crc32c_by(means, data, before)) return *sum;
  return crc32c_tables(data, before);
}

}  // namespace conoid
