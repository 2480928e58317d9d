// SPDX-License-Identifier: BSD-3-Clause
// Who draws: a graphics card, or the processor by Mesa.
#pragma once

#include <string_view>

namespace conoid {

/// By the renderer that OpenGL names ("llvmpipe (LLVM 15…)"): whether the processor draws. No name: false.
[[nodiscard]] inline bool draws_in_software(std::string_view renderer) {
  for (const std::string_view name : {"llvmpipe", "softpipe", "SWR", "swrast"})
    if (renderer.find(name) != std::string_view::npos) return true;
  return false;
}

}  // namespace conoid
