// SPDX-License-Identifier: BSD-3-Clause
// Checksums against published values and against the definition, bit by bit.
// labels: unit
#include <random>
#include <vector>

#include <QTest>

#include "engine/core/hash.hpp"

using namespace conoid;

namespace {

/// CRC-32C by its definition (RFC 3720, appendix B.4): reflected polynomial 0x82f63b78.
std::uint32_t bit_by_bit(std::span<const std::byte> data, std::uint32_t before) {
  std::uint32_t c = ~before;
  for (const std::byte b : data) {
    c ^= std::to_integer<std::uint32_t>(b);
    for (int k = 0; k < 8; ++k) c = (c & 1u) != 0 ? 0x82f63b78u ^ (c >> 1) : c >> 1;
  }
  return ~c;
}

}  // namespace

class TestHash : public QObject {
  Q_OBJECT
 private slots:
  void published_values() {
    const std::string_view digits = "123456789";
    QCOMPARE(crc32c(std::as_bytes(std::span(digits.data(), digits.size()))), 0xe3069283u);
    QCOMPARE(crc32c({}), 0u);
    const std::vector<std::byte> zeros(32, std::byte{0});  // RFC 3720, appendix B.4
    QCOMPARE(crc32c(zeros), 0x8a9136aau);
    QCOMPARE(sha256_hex("abc"), std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  }

  void any_length_in_any_pieces() {
    std::mt19937 random(11);
    for (int round = 0; round < 230; ++round) {
      // Long ones are summed in three chains of 4096 bytes, or folded 512 bytes at a time.
      std::vector<std::byte> data(round < 200 ? random() % 300 : random() % 40000);
      for (std::byte& b : data) b = static_cast<std::byte>(random());
      const std::uint32_t whole = bit_by_bit(data, 0);
      QCOMPARE(crc32c(data), whole);
      const std::size_t cut = data.empty() ? 0 : random() % data.size();
      QCOMPARE(crc32c(std::span(data).subspan(cut), crc32c(std::span(data).first(cut))), whole);
      for (const CrcMeans means : {CrcMeans::tables, CrcMeans::instruction, CrcMeans::folding})
        if (const auto first = crc32c_by(means, std::span(data).first(cut)))  // those that the processor has
          QCOMPARE(crc32c_by(means, std::span(data).subspan(cut), *first), std::optional(whole));
    }
  }
};

QTEST_APPLESS_MAIN(TestHash)
#include "test_hash.moc"
