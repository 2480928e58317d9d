// SPDX-License-Identifier: BSD-3-Clause
// SEG-Y files.
#include "engine/io/segy.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "engine/core/atomic_file.hpp"

namespace conoid {
namespace {

constexpr Index header_bytes = 240;

template <class T>
T big(const unsigned char* from) {
  std::make_unsigned_t<T> out = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i) out = static_cast<std::make_unsigned_t<T>>((out << 8) | from[i]);
  return static_cast<T>(out);
}
template <class T>
void put(unsigned char* to, T value) {
  auto rest = static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<T>>(value));
  for (std::size_t i = sizeof(T); i-- > 0; rest >>= 8) to[i] = static_cast<unsigned char>(rest & 0xff);
}
template <class T>
T at(const unsigned char* header, Index byte) {  // bytes are counted from 1 in the standard
  return big<T>(header + byte - 1);
}

/// Positive scalars multiply, negative ones divide, zero means one.
double scaled(std::int32_t value, std::int16_t scalar) {
  return scalar > 0 ? value * static_cast<double>(scalar) : scalar < 0 ? value / -static_cast<double>(scalar) : value;
}

std::int32_t whole(double value) {
  return static_cast<std::int32_t>(std::clamp(std::round(value), -2147483647.0, 2147483647.0));
}

}  // namespace

std::uint32_t to_ibm_float(float value) {
  if (value == 0 || std::isnan(value)) return 0;
  const std::uint32_t sign = std::signbit(value) ? 0x80000000U : 0;
  if (std::isinf(value)) return sign | 0x7fffffffU;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(static_cast<double>(value)), &exponent);  // [½, 1) 2^e
  int power = exponent >= 0 ? (exponent + 3) / 4 : -(-exponent / 4);                    // least p with 16^p ≥ |value|
  double mantissa = std::round(std::ldexp(fraction, exponent - 4 * power + 24));
  if (mantissa >= 16777216.0) {
    mantissa /= 16;
    ++power;
  }
  if (power + 64 > 127) return sign | 0x7fffffffU;
  if (power + 64 < 0) return sign;
  return sign | static_cast<std::uint32_t>(power + 64) << 24 | static_cast<std::uint32_t>(mantissa);
}

float from_ibm_float(std::uint32_t bits) {
  const double mantissa = bits & 0xffffffU;
  const int power = static_cast<int>(bits >> 24 & 0x7f) - 64;
  const double value = std::ldexp(mantissa, 4 * power - 24);
  return static_cast<float>((bits & 0x80000000U) != 0 ? -value : value);
}

Result<SegyReader> SegyReader::open(const std::filesystem::path& path) {
  SegyReader out;
  out.path_ = path.string();
  const auto fail = [&](const std::string& what, const std::string& hint) {
    return make_error(ErrorCode::invalid_input, what, hint, {out.path_, 0, ""});
  };
  std::error_code error;
  const auto size = static_cast<Index>(std::filesystem::file_size(path, error));
  if (error) return system_error("read", out.path_, error.value());
  if (size < 3600)
    return fail(fmt::format("the file has {} bytes; a SEG-Y file begins with headers of 3600", size),
                "Check that the file is SEG-Y and complete.");
  if (const Status plain = expect_plain_file(out.path_); !plain) return plain.error();
  std::FILE* file = std::fopen(out.path_.c_str(), "rb");
  if (!file) return system_error("open", out.path_, errno);
  out.file_ = std::shared_ptr<std::FILE>(file, Close{});
  unsigned char header[400];
  if (std::fseek(file, 3200, SEEK_SET) != 0 || std::fread(header, 1, sizeof header, file) != sizeof header)
    return system_error("read", out.path_, errno);
  const int format = at<std::int16_t>(header, 25);
  if (format != 1 && format != 5)
    return fail(fmt::format("samples of format {}; 1 (IBM float) and 5 (IEEE float) are read", format),
                "Convert the samples to 4-byte floats; a little-endian file has to be swapped first.");
  out.format_ = static_cast<SegyFormat>(format);
  const int revision = header[300];
  out.samples_ = at<std::uint16_t>(header, 21);
  out.interval_ = at<std::uint16_t>(header, 17);
  Index extended = std::max<Index>(0, at<std::int16_t>(header, 305));
  if (revision >= 2) {
    if (const auto n = at<std::uint32_t>(header, 69); n > 0) out.samples_ = n;
    std::uint64_t bits = big<std::uint64_t>(header + 72);
    double interval = 0;
    std::memcpy(&interval, &bits, sizeof interval);
    if (interval > 0 && std::isfinite(interval)) out.interval_ = interval;
  }
  if (out.samples_ < 1) return fail("the binary header says 0 samples a trace", "Repair bytes 3221-3222 of the file.");
  out.first_ = 3600 + 3200 * extended;
  const Index each = header_bytes + 4 * out.samples_;
  if (size < out.first_ + each || (size - out.first_) % each != 0)
    return fail(fmt::format("the file has {} bytes after its headers; traces of {} samples take {} each, and {} remain",
                            std::max<Index>(0, size - out.first_), out.samples_, each,
                            std::max<Index>(0, size - out.first_) % each),
                "The file was cut, or its traces differ in length; supply the whole file.");
  out.traces_ = (size - out.first_) / each;
  return out;
}

Status SegyReader::read(Index trace, SegyTrace& header, std::span<float> values) const {
  verify(trace >= 0 && trace < traces_ && (values.empty() || static_cast<Index>(values.size()) == samples_),
         "the trace exists and has room");
  const Index place = first_ + trace * (header_bytes + 4 * samples_);
  unsigned char h[header_bytes];
  if (fseeko(file_.get(), place, SEEK_SET) != 0 || std::fread(h, 1, sizeof h, file_.get()) != sizeof h)
    return make_error(ErrorCode::file, fmt::format("trace {} cannot be read", trace + 1),
                      "The file was cut while being read; copy it again.", {path_, 0, ""});
  header.number = at<std::int32_t>(h, 1);
  header.shot = at<std::int32_t>(h, 9);
  header.channel = at<std::int32_t>(h, 13);
  header.offset = at<std::int32_t>(h, 37);
  const auto heights = at<std::int16_t>(h, 69), places = at<std::int16_t>(h, 71);
  header.receiver = {scaled(at<std::int32_t>(h, 81), places), scaled(at<std::int32_t>(h, 85), places),
                     scaled(at<std::int32_t>(h, 41), heights)};
  header.source = {scaled(at<std::int32_t>(h, 73), places), scaled(at<std::int32_t>(h, 77), places),
                   -scaled(at<std::int32_t>(h, 49), heights)};
  header.cdp_x = scaled(at<std::int32_t>(h, 181), places);
  header.cdp_y = scaled(at<std::int32_t>(h, 185), places);
  header.inline_number = at<std::int32_t>(h, 189);
  header.crossline = at<std::int32_t>(h, 193);
  header.delay = 0.001 * at<std::int16_t>(h, 109);
  if (values.empty()) return {};
  if (std::fread(values.data(), 4, values.size(), file_.get()) != values.size())
    return make_error(ErrorCode::file, fmt::format("trace {} cannot be read", trace + 1),
                      "The file was cut while being read; copy it again.", {path_, 0, ""});
  for (float& v : values) {
    const auto bits = big<std::uint32_t>(reinterpret_cast<const unsigned char*>(&v));
    v = format_ == SegyFormat::ibm_float ? from_ibm_float(bits) : std::bit_cast<float>(bits);
  }
  return {};
}

Status write_segy(const std::filesystem::path& path, const SegyLayout& layout, std::span<const SegyTrace> traces,
                  std::span<const float> values) {
  const Index n = layout.samples;
  verify(n > 0 && static_cast<Index>(values.size()) == n * static_cast<Index>(traces.size()),
         "every trace has its samples");
  std::string out(static_cast<std::size_t>(3600 + static_cast<Index>(traces.size()) * (header_bytes + 4 * n)), '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(out.data());
  std::fill_n(out.begin(), 3200, ' ');
  for (std::size_t line = 0; line < 40; ++line) {  // ASCII, as revision 1 allows
    std::string text =
        fmt::format("C{:2d} {}", line + 1, line < layout.text.size() ? layout.text[line].substr(0, 76) : "");
    if (line == 39 && layout.text.size() < 40) text = "C40 END TEXTUAL HEADER";
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 32 || static_cast<unsigned char>(c) > 126) c = '?';
    std::copy(text.begin(), text.end(), out.begin() + static_cast<std::ptrdiff_t>(80 * line));
  }
  unsigned char* binary = bytes + 3200;
  const double microseconds = layout.interval * 1e6;
  const bool second =
      n > 32767 || microseconds > 32767 || std::abs(microseconds - std::round(microseconds)) > 1e-6 * microseconds;
  put<std::int32_t>(binary + 4, 1);
  put<std::int16_t>(binary + 12, static_cast<std::int16_t>(std::min<std::size_t>(traces.size(), 32767)));
  put<std::uint16_t>(binary + 16, static_cast<std::uint16_t>(std::clamp(std::round(microseconds), 0.0, 65535.0)));
  put<std::uint16_t>(binary + 20, static_cast<std::uint16_t>(std::min<Index>(n, 65535)));
  put<std::int16_t>(binary + 24, static_cast<std::int16_t>(layout.format));
  put<std::int16_t>(binary + 28, 1);  // as recorded
  put<std::int16_t>(binary + 54, 1);  // metres
  binary[300] = second ? 2 : 1;
  put<std::int16_t>(binary + 302, 1);  // fixed length
  if (second) {
    put<std::uint32_t>(binary + 68, static_cast<std::uint32_t>(n));
    put<std::uint64_t>(binary + 72, std::bit_cast<std::uint64_t>(microseconds));
    put<std::uint32_t>(binary + 96, 16909060U);  // byte order
  }
  for (std::size_t t = 0; t < traces.size(); ++t) {
    const SegyTrace& from = traces[t];
    unsigned char* h = bytes + 3600 + static_cast<Index>(t) * (header_bytes + 4 * n);
    put<std::int32_t>(h, from.number);
    put<std::int32_t>(h + 4, from.number);
    put<std::int32_t>(h + 8, from.shot);
    put<std::int32_t>(h + 12, from.channel);
    put<std::int16_t>(h + 28, 1);  // seismic data
    put<std::int32_t>(h + 36, whole(from.offset));
    // Positions in the finest unit of a decimal power that 32 bits hold.
    double most = 1;
    for (const double v : {from.source[0], from.source[1], from.source[2], from.receiver[0], from.receiver[1],
                           from.receiver[2], from.cdp_x, from.cdp_y})
      most = std::max(most, std::abs(v));
    int unit = 10000;
    while (unit > 1 && most * unit > 2e9) unit /= 10;
    put<std::int16_t>(h + 68, static_cast<std::int16_t>(-unit));
    put<std::int16_t>(h + 70, static_cast<std::int16_t>(-unit));
    put<std::int32_t>(h + 40, whole(from.receiver[2] * unit));
    put<std::int32_t>(h + 48, whole(-from.source[2] * unit));
    put<std::int32_t>(h + 72, whole(from.source[0] * unit));
    put<std::int32_t>(h + 76, whole(from.source[1] * unit));
    put<std::int32_t>(h + 80, whole(from.receiver[0] * unit));
    put<std::int32_t>(h + 84, whole(from.receiver[1] * unit));
    put<std::int16_t>(h + 88, 1);  // length
    put<std::int16_t>(h + 108, static_cast<std::int16_t>(std::clamp(std::round(from.delay * 1000), -32767.0, 32767.0)));
    put<std::uint16_t>(h + 114, static_cast<std::uint16_t>(std::min<Index>(n, 65535)));
    put<std::uint16_t>(h + 116, static_cast<std::uint16_t>(std::clamp(std::round(microseconds), 0.0, 65535.0)));
    put<std::int32_t>(h + 180, whole(from.cdp_x * unit));
    put<std::int32_t>(h + 184, whole(from.cdp_y * unit));
    put<std::int32_t>(h + 188, from.inline_number);
    put<std::int32_t>(h + 192, from.crossline);
    unsigned char* data = h + header_bytes;
    for (Index i = 0; i < n; ++i) {
      const float v = values[t * static_cast<std::size_t>(n) + static_cast<std::size_t>(i)];
      put<std::uint32_t>(data + 4 * i,
                         layout.format == SegyFormat::ibm_float ? to_ibm_float(v) : std::bit_cast<std::uint32_t>(v));
    }
  }
  return write_file_atomically(path, out);
}

}  // namespace conoid
