// SPDX-License-Identifier: BSD-3-Clause
// What the processor at hand can execute, and how it treats denormal numbers.
#pragma once

namespace conoid::acoustic_bem {

[[nodiscard]] bool has_avx2();    ///< AVX2 and FMA
[[nodiscard]] bool has_avx512();  ///< the F, VL, DQ and BW parts

/// While alive, this thread rounds denormal results and operands to zero: the late field of a combined form decays
/// below the smallest normal number, where arithmetic is many times slower.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned before_ = 0;
};

}  // namespace conoid::acoustic_bem
