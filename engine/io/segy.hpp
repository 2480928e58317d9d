// SPDX-License-Identifier: BSD-3-Clause
// SEG-Y revision 0 to 2.1, of either byte order: traces of floats or integers with their headers, read within bounds; written as big-endian
// IBM or IEEE floats.
//
// Source of the layout: SEG-Y_r2.0 (SEG Technical Standards Committee, 2017), tables 2 and 3, and SEG-Y_r2.1 (2023).
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// Codes of bytes 3225-3226.
enum class SegyFormat : int {
  ibm_float = 1,
  int32 = 2,
  int16 = 3,
  ieee_float = 5,
  ieee_double = 6,
  int24 = 7,
  int8 = 8,
  int64 = 9,
  uint32 = 10,
  uint16 = 11,
  uint64 = 12,
  uint24 = 15,
  uint8 = 16
};

/// IBM System/360 single precision, base 16. Values too large become the largest IBM number, too small ones zero.
[[nodiscard]] std::uint32_t to_ibm_float(float value);
[[nodiscard]] float from_ibm_float(std::uint32_t bits);

/// What is read of, and written to, a trace header.
struct SegyTrace {
  std::int32_t number = 0;                        ///< bytes 1 and 5: within the line and the file
  std::int32_t shot = 0;                          ///< byte 9: field record
  std::int32_t channel = 0;                       ///< byte 13: trace within the record
  std::int32_t inline_number = 0, crossline = 0;  ///< bytes 189, 193
  double offset = 0;                              ///< byte 37, m
  std::array<double, 3> source{}, receiver{};     ///< bytes 73, 77, 49 and 81, 85, 41 with their scalars; z upwards
  double cdp_x = 0, cdp_y = 0;                    ///< bytes 181, 185
  double delay = 0;                               ///< byte 109, s
};

/// Where a trace header keeps what a model needs (the first of four bytes, from 1), for files that have it elsewhere.
struct SegyBytes {
  int inline_number = 189, crossline = 193, x = 181, y = 185;
};

/// A file whose binary header agrees with its length. Traces all have the same number of samples. Lengths come out in metres: the
/// measurement system of the binary header (bytes 3255-3256) is applied to positions and offsets. Samples are as in the file.
class SegyReader {
 public:
  [[nodiscard]] static Result<SegyReader> open(const std::filesystem::path& path, const SegyBytes& bytes = {});
  [[nodiscard]] Index traces() const { return traces_; }
  [[nodiscard]] Index samples() const { return samples_; }
  /// As the binary header says it: s for time, m for depth are 1e-6 and 1e-3 of the number in the file.
  [[nodiscard]] double interval_microseconds() const { return interval_; }
  [[nodiscard]] SegyFormat format() const { return format_; }
  /// Metres a unit of length of the file: 0.3048 where it is in feet.
  [[nodiscard]] double metres() const { return metres_; }
  [[nodiscard]] bool in_feet() const { return metres_ != 1; }
  /// What is unusual about the file, a sentence each: feet, byte order, integers, extended headers.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  /// `values` has samples() entries, or none to read the header alone.
  [[nodiscard]] Status read(Index trace, SegyTrace& header, std::span<float> values) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[nodiscard]] Error fail(const std::string& what, const std::string& hint) const;
  Status read_binary_header(std::span<const unsigned char> header);
  Index headers_up_to_the_stanza();
  Status find_traces(Index size);
  std::string path_;
  std::shared_ptr<std::FILE> file_;
  SegyBytes bytes_;
  Index traces_ = 0, samples_ = 0, first_ = 3600, sample_bytes_ = 4;
  Index trace_header_ = 240;  ///< bytes, with extensions
  double interval_ = 0, metres_ = 1;
  bool little_ = false;
  SegyFormat format_ = SegyFormat::ibm_float;
  int extended_ = 0;    ///< textual headers behind the binary one; -1: up to the end stanza
  Index trailers_ = 0;  ///< stanzas of 3200 bytes behind the traces
  std::vector<std::string> notes_;
};

/// In how many parts of a metre write_segy() keeps positions whose largest coordinate is `largest`: the finest decimal that 32 bits hold, of
/// 1 to 10000.
[[nodiscard]] int segy_units_a_metre(double largest);

struct SegyLayout {
  SegyFormat format = SegyFormat::ieee_float;
  double interval = 0.001;        ///< s (or m for depth); written in millionths (thousandths of m as 10⁻³)
  Index samples = 0;              ///< at most 32767 for old readers; more is written as revision 2
  std::vector<std::string> text;  ///< at most 40 lines of 76 characters
};
/// Writes all traces at once; `values` holds traces × samples, one trace after the other. Never leaves half a file.
[[nodiscard]] Status write_segy(const std::filesystem::path& path, const SegyLayout& layout,
                                std::span<const SegyTrace> traces, std::span<const float> values);

}  // namespace conoid
