// SPDX-License-Identifier: BSD-3-Clause
// SEG-Y files.
#include "engine/io/segy.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>

#include <string_view>

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
T number(const unsigned char* from, bool little) {
  if (!little) return big<T>(from);
  std::make_unsigned_t<T> out = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) out = static_cast<std::make_unsigned_t<T>>((out << 8) | from[i]);
  return static_cast<T>(out);
}
template <class T>
T at(const unsigned char* header, Index byte, bool little) {  // bytes are counted from 1 in the standard
  return number<T>(header + byte - 1, little);
}

/// Bytes of a sample; 0 for a format that is not read.
Index sample_size(int format) {
  switch (static_cast<SegyFormat>(format)) {
    case SegyFormat::int8:
    case SegyFormat::uint8: return 1;
    case SegyFormat::int16:
    case SegyFormat::uint16: return 2;
    case SegyFormat::int24:
    case SegyFormat::uint24: return 3;
    case SegyFormat::ibm_float:
    case SegyFormat::int32:
    case SegyFormat::ieee_float:
    case SegyFormat::uint32: return 4;
    case SegyFormat::ieee_double:
    case SegyFormat::int64:
    case SegyFormat::uint64: return 8;
  }
  return 0;
}

float sample(const unsigned char* from, SegyFormat format, bool little) {
  const auto three = [&] {
    const int low = little ? 0 : 2;
    return static_cast<std::uint32_t>(from[low] | from[1] << 8 | from[2 - low] << 16);
  };
  switch (format) {
    case SegyFormat::ibm_float: return from_ibm_float(number<std::uint32_t>(from, little));
    case SegyFormat::ieee_float: return std::bit_cast<float>(number<std::uint32_t>(from, little));
    case SegyFormat::ieee_double: return static_cast<float>(std::bit_cast<double>(number<std::uint64_t>(from, little)));
    case SegyFormat::int32: return static_cast<float>(number<std::int32_t>(from, little));
    case SegyFormat::int16: return number<std::int16_t>(from, little);
    case SegyFormat::int24: return static_cast<float>(static_cast<std::int32_t>(three() << 8) >> 8);
    case SegyFormat::int8: return static_cast<signed char>(*from);
    case SegyFormat::int64: return static_cast<float>(number<std::int64_t>(from, little));
    case SegyFormat::uint32: return static_cast<float>(number<std::uint32_t>(from, little));
    case SegyFormat::uint16: return number<std::uint16_t>(from, little);
    case SegyFormat::uint64: return static_cast<float>(number<std::uint64_t>(from, little));
    case SegyFormat::uint24: return static_cast<float>(three());
    case SegyFormat::uint8: return *from;
  }
  return 0;
}

/// Whether a textual header holds the stanza that ends them, "((SEG: EndText))", in ASCII or EBCDIC.
bool ends_text(std::span<const char> block) {
  std::string ascii, ebcdic;
  // Letters, brackets and the colon of EBCDIC code page 037, blanks left out.
  const auto from_ebcdic = [](unsigned char c) -> char {
    if (c == 0x4d) return '(';
    if (c == 0x5d) return ')';
    if (c == 0x7a) return ':';
    const unsigned char low = c | 0x40;  // capitals are 0xC1…, small letters 0x81…
    if (low >= 0xc1 && low <= 0xc9) return static_cast<char>('a' + low - 0xc1);
    if (low >= 0xd1 && low <= 0xd9) return static_cast<char>('j' + low - 0xd1);
    if (low >= 0xe2 && low <= 0xe9) return static_cast<char>('s' + low - 0xe2);
    return '?';
  };
  for (const char c : block) {
    if (c != ' ') ascii += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (static_cast<unsigned char>(c) != 0x40) ebcdic += from_ebcdic(static_cast<unsigned char>(c));
  }
  constexpr std::string_view stanza = "((seg:endtext))";
  return ascii.find(stanza) != std::string::npos || ebcdic.find(stanza) != std::string::npos;
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

Error SegyReader::fail(const std::string& what, const std::string& hint) const {
  return make_error(ErrorCode::invalid_input, what, hint, {path_, 0, ""});
}

/// The 400 bytes behind the textual header, tables 2 of both revisions.
Status SegyReader::read_binary_header(std::span<const unsigned char> all) {
  const unsigned char* header = all.data();
  const auto order = big<std::uint32_t>(header + 96);
  // Without the constant of revision 2 the format tells: its codes are small in one order only.
  const int as_big = at<std::int16_t>(header, 25, false);
  little_ = order == 67305985U ||
            (order != 16909060U && sample_size(as_big) == 0 && sample_size(at<std::int16_t>(header, 25, true)) > 0);
  const int format = at<std::int16_t>(header, 25, little_);
  sample_bytes_ = sample_size(format);
  if (order == 33620995U)
    return fail("bytes are swapped in pairs", "Write the file big endian (or little endian throughout).");
  if (sample_bytes_ == 0)
    return fail(
        fmt::format("samples of format {}; 1 (IBM float), 5, 6 (IEEE) and integers (2, 3, 7 to 12, 15, 16) are read",
                    format),
        "Convert the samples to 4-byte floats.");
  format_ = static_cast<SegyFormat>(format);
  const int revision = header[little_ && header[300] == 0 ? 301 : 300];
  samples_ = at<std::uint16_t>(header, 21, little_);
  interval_ = at<std::uint16_t>(header, 17, little_);
  extended_ = at<std::int16_t>(header, 305, little_);
  if (revision >= 2) {
    if (const auto n = at<std::uint32_t>(header, 69, little_); n > 0) samples_ = n;
    const double interval = std::bit_cast<double>(number<std::uint64_t>(header + 72, little_));
    if (interval > 0 && std::isfinite(interval)) interval_ = interval;
    // Up to here every trace header is as long as the longest (the standard lets each say its own).
    trace_header_ += header_bytes * std::clamp<Index>(at<std::int32_t>(header, 307, little_), 0, 1000);
    trailers_ = std::max<Index>(0, at<std::int32_t>(header, 331, little_));
    if (const auto first = number<std::uint64_t>(header + 320, little_);
        first >= 3600 && first < (std::uint64_t{1} << 60)) {
      first_ = static_cast<Index>(first);
      extended_ = 0;
    }
  }
  if (at<std::int16_t>(header, 55, little_) == 2) metres_ = 0.3048;
  if (samples_ < 1) return fail("the binary header says 0 samples a trace", "Repair bytes 3221-3222 of the file.");
  return {};
}

/// The number of textual headers that the binary one leaves open: up to the stanza ((SEG: EndText)), or, where a writer forgot it, as long
/// as they are text. -1: more than any file has.
Index SegyReader::headers_up_to_the_stanza() {
  std::vector<char> block(3200);
  constexpr Index most = 10000;
  Index text = 0;
  bool only_text = true;
  for (Index k = 0; k < most; ++k) {
    if (fseeko(file_.get(), first_ + 3200 * k, SEEK_SET) != 0 ||
        std::fread(block.data(), 1, block.size(), file_.get()) != block.size()) {
      notes_.push_back(fmt::format(
          "{} extended textual headers were skipped; the stanza ((SEG: EndText)) that ends them is missing", text));
      return text;
    }
    if (ends_text(block)) {
      notes_.push_back(fmt::format("{} extended textual headers were skipped", k + 1));
      return k + 1;
    }
    only_text = only_text && std::find(block.begin(), block.end(), '\0') == block.end();
    if (only_text) ++text;
  }
  return -1;
}

/// Skips textual headers, counts the traces.
Status SegyReader::find_traces(Index size) {
  if (extended_ >= 0) {
    first_ += 3200 * extended_;
  } else {
    const Index ended = headers_up_to_the_stanza();
    if (ended < 0)
      return fail("the textual headers behind the binary one do not end",
                  "Write their number to bytes 3505-3506 of the file.");
    first_ += 3200 * ended;
  }
  const Index each = trace_header_ + sample_bytes_ * samples_, end = size - 3200 * trailers_;
  if (end < first_ + each || (end - first_) % each != 0)
    return fail(fmt::format("the file has {} bytes after its headers; traces of {} samples take {} each, and {} remain",
                            std::max<Index>(0, end - first_), samples_, each, std::max<Index>(0, end - first_) % each),
                "The file was cut, or its traces differ in length; supply the whole file.");
  traces_ = (end - first_) / each;
  if (metres_ != 1) notes_.emplace_back("lengths are in feet, as the binary header says (bytes 3255-3256)");
  if (little_) notes_.emplace_back("the file is little endian");
  if (format_ != SegyFormat::ibm_float && format_ != SegyFormat::ieee_float && format_ != SegyFormat::ieee_double)
    notes_.push_back(fmt::format("samples are integers (format {})", static_cast<int>(format_)));
  if (trace_header_ > header_bytes)
    notes_.push_back(fmt::format("trace headers of {} bytes with their extensions", trace_header_));
  return {};
}

Result<SegyReader> SegyReader::open(const std::filesystem::path& path, const SegyBytes& bytes) {
  SegyReader out;
  out.path_ = path.string();
  out.bytes_ = bytes;
  for (const int byte : {bytes.inline_number, bytes.crossline, bytes.x, bytes.y})
    if (byte < 1 || byte > 237)
      return out.fail(fmt::format("a number of four bytes in a trace header begins at byte 1 to 237; found {}", byte),
                      "Count bytes from 1, as the standard does: inline numbers are at 189.");
  std::error_code error;
  const auto size = static_cast<Index>(std::filesystem::file_size(path, error));
  if (error) return system_error("read", out.path_, error.value());
  if (size < 3600)
    return out.fail(fmt::format("the file has {} bytes; a SEG-Y file begins with headers of 3600", size),
                    "Check that the file is SEG-Y and complete.");
  if (const Status plain = expect_plain_file(out.path_); !plain) return plain.error();
  std::FILE* file = std::fopen(out.path_.c_str(), "rb");
  if (!file) return system_error("open", out.path_, errno);
  out.file_ = std::shared_ptr<std::FILE>(file, Close{});
  std::array<unsigned char, 400> header{};
  if (std::fseek(file, 3200, SEEK_SET) != 0 || std::fread(header.data(), 1, header.size(), file) != header.size())
    return system_error("read", out.path_, errno);
  if (const Status s = out.read_binary_header(header); !s) return s.error();
  if (const Status s = out.find_traces(size); !s) return s.error();
  return out;
}

Status SegyReader::read(Index trace, SegyTrace& header, std::span<float> values) const {
  verify(trace >= 0 && trace < traces_ && (values.empty() || static_cast<Index>(values.size()) == samples_),
         "the trace exists and has room");
  const Index place = first_ + trace * (trace_header_ + sample_bytes_ * samples_);
  const auto cut = [&] {
    return make_error(ErrorCode::file, fmt::format("trace {} cannot be read", trace + 1),
                      "The file was cut while being read; copy it again.", {path_, 0, ""});
  };
  unsigned char h[header_bytes];
  if (fseeko(file_.get(), place, SEEK_SET) != 0 || std::fread(h, 1, sizeof h, file_.get()) != sizeof h) return cut();
  const auto whole_at = [&](Index byte) { return at<std::int32_t>(h, byte, little_); };
  const auto heights = at<std::int16_t>(h, 69, little_), places = at<std::int16_t>(h, 71, little_);
  const auto length = [&](Index byte, std::int16_t scalar) { return metres_ * scaled(whole_at(byte), scalar); };
  header.number = whole_at(1);
  header.shot = whole_at(9);
  header.channel = whole_at(13);
  header.offset = metres_ * whole_at(37);
  header.receiver = {length(81, places), length(85, places), length(41, heights)};
  header.source = {length(73, places), length(77, places), -length(49, heights)};
  header.cdp_x = length(bytes_.x, places);
  header.cdp_y = length(bytes_.y, places);
  header.inline_number = whole_at(bytes_.inline_number);
  header.crossline = whole_at(bytes_.crossline);
  header.delay = 0.001 * at<std::int16_t>(h, 109, little_);
  if (values.empty()) return {};
  std::vector<unsigned char> raw(values.size() * static_cast<std::size_t>(sample_bytes_));
  if (fseeko(file_.get(), place + trace_header_, SEEK_SET) != 0 ||
      std::fread(raw.data(), 1, raw.size(), file_.get()) != raw.size())
    return cut();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = sample(raw.data() + i * static_cast<std::size_t>(sample_bytes_), format_, little_);
  return {};
}

int segy_units_a_metre(double largest) {
  int unit = 10000;
  while (unit > 1 && largest * unit > 2e9) unit /= 10;
  return unit;
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
    const int unit = segy_units_a_metre(most);
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
