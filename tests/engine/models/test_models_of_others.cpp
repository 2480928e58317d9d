// SPDX-License-Identifier: BSD-3-Clause
// Models that other programs wrote: feet, byte orders, named bytes, directions, compression.
// labels: unit
#include "engine/io/inflate.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/model.hpp"
#include "tests/support/written_files.hpp"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>

using namespace conoid;

namespace {

const std::string inputs = CONOID_TEST_DATA "/inputs/";

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Values of a model at its samples, x fastest.
std::vector<float> samples(const Model& model) {
  const auto field = model.load();
  if (!field) throw Failure(field.error());
  const ModelBox box = model.box();
  std::vector<float> out;
  std::vector<double> row(static_cast<std::size_t>(box.shape[2]));
  for (Index y = 0; y < box.shape[1]; ++y)
    for (Index x = 0; x < box.shape[0]; ++x) {
      (*field)->row(box.origin[0] + static_cast<double>(x) * box.spacing[0],
                    box.origin[1] + static_cast<double>(y) * box.spacing[1], box.origin[2], box.spacing[2], row);
      for (const double v : row) out.push_back(static_cast<float>(v));
    }
  return out;
}

std::unique_ptr<Model> model(const std::string& path) {
  auto m = open_model(path, ModelQuantity::speed);
  if (!m) throw Failure(m.error());
  return std::move(*m);
}

template <class T>
void put(std::string& at, std::size_t byte, T value, bool little) {
  for (std::size_t k = 0; k < sizeof(T); ++k) {
    const std::size_t place = byte - 1 + (little ? k : sizeof(T) - 1 - k);
    at[place] = static_cast<char>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * k) & 255);
  }
}

/// Two traces of three samples; `sample` writes number k of a trace at a place.
std::string segy(bool little, int format, std::size_t size, const auto& sample, int extensions = 0, int stanzas = 0) {
  std::string out(3600, ' ');
  for (std::size_t k = 3200; k < 3600; ++k) out[k] = 0;
  put<std::int16_t>(out, 3217, 1000, little);
  put<std::int16_t>(out, 3221, 3, little);
  put<std::int16_t>(out, 3225, static_cast<std::int16_t>(format), little);
  put<std::int16_t>(out, 3503, 1, little);
  if (extensions > 0) {
    out[3500] = 2;
    put<std::int32_t>(out, 3507, extensions, little);
  }
  if (stanzas > 0) {
    put<std::int16_t>(out, 3505, -1, little);
    for (int s = 0; s < stanzas; ++s) {
      std::string block(3200, ' ');
      if (s + 1 == stanzas) block.replace(0, 16, "((SEG: EndText))");
      out += block;
    }
  }
  for (int t = 0; t < 2; ++t) {
    std::string trace(240 * static_cast<std::size_t>(1 + extensions) + 3 * size, '\0');
    put<std::int32_t>(trace, 189, 1, little);
    put<std::int32_t>(trace, 193, t + 1, little);
    for (std::size_t k = 0; k < 3; ++k)
      sample(trace, 240 * static_cast<std::size_t>(1 + extensions) + k * size + 1,
             1500 + 100 * t + static_cast<int>(k));
    out += trace;
  }
  return out;
}

}  // namespace

class TestModelsOfOthers : public QObject {
  Q_OBJECT

  const test::WrittenFiles written;

 private slots:
  void feet_become_metres() {
    const auto m = model(inputs + "model-in-feet.sgy");
    QVERIFY(std::abs(m->box().spacing[2] - 3.048) < 1e-9);
    const SpeedRange range = (*m->load())->range({}, {});
    QVERIFY(std::abs(range.lowest - 457.2) < 1e-3 && std::abs(range.highest - 492.25) < 0.01);
    QVERIFY(std::any_of(m->notes().begin(), m->notes().end(),
                        [](const std::string& s) { return s.find("feet") != std::string::npos; }) ||
            !m->notes().empty());
  }
  void extended_headers_up_to_their_stanza() {
    const auto m = model(inputs + "model-extended-headers-minus-1.sgy");
    QCOMPARE(m->box().shape[2], Index{6});
    const auto big = [](std::string& t, std::size_t at, int v) {
      put<std::uint32_t>(t, at, std::bit_cast<std::uint32_t>(static_cast<float>(v)), false);
    };
    for (const int stanzas : {1, 3}) {
      const auto r = SegyReader::open(written("e.sgy", segy(false, 5, 4, big, 0, stanzas)));
      QVERIFY2(r.ok(), r ? "" : r.error().render().c_str());
      QCOMPARE(r->traces(), Index{2});
    }
    std::string endless = segy(false, 5, 4, big, 0, 1);
    endless.replace(3600, 16, std::string(16, ' '));
    const auto forgotten = SegyReader::open(written("n.sgy", endless));
    QVERIFY2(forgotten.ok(), forgotten ? "" : forgotten.error().render().c_str());
    QCOMPARE(forgotten->traces(), Index{2});
    QVERIFY(forgotten->notes().front().find("is missing") != std::string::npos);
  }
  void every_format_in_both_byte_orders() {
    for (const bool little : {false, true})
      for (const int extensions : {0, 2}) {
        const auto check = [&](int format, std::size_t size, const auto& sample) {
          const std::string path = written("f.sgy", segy(little, format, size, sample, extensions));
          const auto r = SegyReader::open(path);
          QVERIFY2(r.ok(), r ? "" : r.error().render().c_str());
          std::vector<float> values(3);
          SegyTrace header;
          QVERIFY(r->read(1, header, values).ok());
          QCOMPARE(header.crossline, 2);
          for (std::size_t k = 0; k < 3; ++k) QCOMPARE(values[k], 1600.0F + static_cast<float>(k));
        };
        check(1, 4,
              [&](std::string& t, std::size_t at, int v) { put(t, at, to_ibm_float(static_cast<float>(v)), little); });
        check(2, 4, [&](std::string& t, std::size_t at, int v) { put<std::int32_t>(t, at, v, little); });
        check(3, 2, [&](std::string& t, std::size_t at, int v) {
          put<std::int16_t>(t, at, static_cast<std::int16_t>(v), little);
        });
        check(5, 4, [&](std::string& t, std::size_t at, int v) {
          put(t, at, std::bit_cast<std::uint32_t>(static_cast<float>(v)), little);
        });
        check(6, 8, [&](std::string& t, std::size_t at, int v) {
          put(t, at, std::bit_cast<std::uint64_t>(static_cast<double>(v)), little);
        });
        check(7, 3, [&](std::string& t, std::size_t at, int v) {
          for (std::size_t k = 0; k < 3; ++k) t[at - 1 + (little ? k : 2 - k)] = static_cast<char>(v >> (8 * k) & 255);
        });
        check(10, 4, [&](std::string& t, std::size_t at, int v) {
          put<std::uint32_t>(t, at, static_cast<std::uint32_t>(v), little);
        });
        check(11, 2, [&](std::string& t, std::size_t at, int v) {
          put<std::uint16_t>(t, at, static_cast<std::uint16_t>(v), little);
        });
      }
  }
  void bytes_of_the_header_can_be_named() {
    std::string file = segy(false, 5, 4, [](std::string& t, std::size_t at, int v) {
      put<std::uint32_t>(t, at, std::bit_cast<std::uint32_t>(static_cast<float>(v)), false);
    });
    for (int t = 0; t < 2; ++t) put<std::int32_t>(file, 3600 + static_cast<std::size_t>(t) * 252 + 21, 77 + t, false);
    const std::string path = written("b.sgy", file);
    const auto r = SegyReader::open(path, {.crossline = 21});
    SegyTrace header;
    QVERIFY(r.ok() && r->read(1, header, {}).ok());
    QCOMPARE(header.crossline, 78);
    QVERIFY(!SegyReader::open(path, {.crossline = 238}).ok());
    // Without positions the spacing that is taken is told.
    bool told = false;
    for (const std::string& s : model(path)->notes())
      told = told || s.find("a spacing of 1 x 1 m was taken") != std::string::npos;
    QVERIFY(told);
  }
  void images_with_a_direction_lie_where_they_lie() {
    const auto m = model(inputs + "image-with-direction.vti");
    const ModelBox box = m->box();
    // Five columns along x, six along −y: 6 x 5 x 4 points 10 m apart, the first at (0, 0, −30).
    QCOMPARE(box.shape[0], Index{5});
    QCOMPARE(box.shape[1], Index{6});
    QCOMPARE(box.shape[2], Index{4});
    QVERIFY(box.origin[0] == 0 && box.origin[1] == -50 && box.origin[2] == -30);
    // Speeds count up through the file: 1500 at the first point, one more along i, 6 along j, 30 along k.
    const auto v = samples(*m);
    for (Index y = 0; y < 6; ++y)
      for (Index x = 0; x < 5; ++x)
        for (Index z = 0; z < 4; ++z)
          QCOMPARE(v[static_cast<std::size_t>((y * 5 + x) * 4 + z)],
                   static_cast<float>(1500 + (5 - y) + 6 * x + 30 * z));
    std::string askew = bytes_of(inputs + "image-with-direction.vti");
    askew.replace(askew.find("0 1 0 -1 0 0 0 0 1"), 18, ".8 .6 0 -.6 .8 0 0 0 1");
    const auto refused = open_model(written("a.vti", askew), ModelQuantity::speed);
    QVERIFY(!refused.ok() && refused.error().text.find("Direction") != std::string::npos);
  }
  void compressed_images_are_read() {
    const auto m = model(inputs + "image-zlib-pyvista.vti");
    const auto v = samples(*m);
    for (std::size_t y = 0; y < 5; ++y)
      for (std::size_t x = 0; x < 6; ++x)
        for (std::size_t z = 0; z < 4; ++z)
          QCOMPARE(v[(y * 6 + x) * 4 + z], static_cast<float>(1500 + x + 6 * y + 30 * z));
    // Damage anywhere is an error or the same values, never a crash.
    const std::string whole = bytes_of(inputs + "image-zlib-pyvista.vti");
    for (std::size_t at = whole.find("AQAAA"); at < whole.find("</DataArray>"); ++at) {
      std::string bad = whole;
      bad[at] = bad[at] == 'Q' ? 'R' : 'Q';
      const auto other = open_model(written("d.vti", bad), ModelQuantity::speed);
      if (!other) QVERIFY(!other.error().hint.empty());
    }
  }
  void streams_are_bounded() {
    // zlib of "hello hello hello hello": fixed codes with a copy.
    const std::string packed("\x78\x9c\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27\x01\x68\x03\x08\xb1", 16);
    const auto text = inflate_zlib(packed, 23);
    QVERIFY(text.has_value());
    QCOMPARE(*text, std::string("hello hello hello hello"));
    QVERIFY(!inflate_zlib(packed, 22).has_value());
    QVERIFY(!inflate_zlib(packed, 24).has_value());
    QVERIFY(!inflate_zlib(packed, std::size_t{1} << 40).has_value());
    for (std::size_t n = 0; n < packed.size(); ++n) QVERIFY(!inflate_zlib(packed.substr(0, n), 23).has_value());
    // LZ4: five literals, then seven bytes from five back, then a literal.
    const std::string block("\x53hello\x05\x00\x10!", 10);
    QCOMPARE(inflate_lz4(block, 13).value_or(""), std::string("hellohellohe!"));
    QVERIFY(!inflate_lz4(block, 12).has_value());
    QVERIFY(!inflate_lz4(block.substr(0, 8), 13).has_value());
  }
};

QTEST_APPLESS_MAIN(TestModelsOfOthers)
#include "test_models_of_others.moc"
