// SPDX-License-Identifier: BSD-3-Clause
// What the processor at hand can execute.
#pragma once

namespace conoid::acoustic_bem {

[[nodiscard]] bool has_avx2();    ///< AVX2 and FMA
[[nodiscard]] bool has_avx512();  ///< the F, VL, DQ and BW parts

}  // namespace conoid::acoustic_bem
