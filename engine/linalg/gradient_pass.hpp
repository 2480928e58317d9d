// SPDX-License-Identifier: BSD-3-Clause
// The passes of conjugate gradients over vectors (conjugate_gradients.hpp), for processors and kernels alike.
#pragma once

namespace conoid {

/// What ConjugatePasses says of each; `collect`: x is copied out, after the iterations.
enum class GradientPass : int { start, product, update, direction, collect };

}  // namespace conoid
