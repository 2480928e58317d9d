// SPDX-License-Identifier: BSD-3-Clause
// SEG-Y revision 0 to 2 (big endian): traces of IBM or IEEE floats with their headers, read within bounds and written.
//
// Source of the layout: SEG-Y_r2.0 (SEG Technical Standards Committee, 2017), tables 2 and 3.
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

enum class SegyFormat : int { ibm_float = 1, ieee_float = 5 };

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

/// A file whose binary header agrees with its length. Traces all have the same number of samples.
class SegyReader {
 public:
  [[nodiscard]] static Result<SegyReader> open(const std::filesystem::path& path);
  [[nodiscard]] Index traces() const { return traces_; }
  [[nodiscard]] Index samples() const { return samples_; }
  /// As the binary header says it: s for time, m for depth are 1e-6 and 1e-3 of the number in the file.
  [[nodiscard]] double interval_microseconds() const { return interval_; }
  [[nodiscard]] SegyFormat format() const { return format_; }
  /// `values` has samples() entries, or none to read the header alone.
  [[nodiscard]] Status read(Index trace, SegyTrace& header, std::span<float> values) const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::shared_ptr<std::FILE> file_;
  Index traces_ = 0, samples_ = 0, first_ = 3600;
  double interval_ = 0;
  SegyFormat format_ = SegyFormat::ibm_float;
};

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
