// SPDX-License-Identifier: BSD-3-Clause
// How many pictures a second of a million cells this machine's graphics draw, without a display: what `conoid bench pictures` asks for.
#pragma once

#include <functional>
#include <string>

#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// One measurement. A picture is laid out, drawn, and read back into memory, which a window on a display spares.
struct PictureSpeed {
  std::string name;       ///< what is shown and what changes from picture to picture
  double per_second = 0;  ///< pictures, by the median of their times
  double slowest = 0;     ///< seconds of the slowest one
  double processor = 0;   ///< seconds of all threads, a picture: what a busy machine leaves as it is
  std::string renderer;   ///< as the driver calls itself
};

struct PictureSpeedOptions {
  Index cells = 1'000'000;  ///< of grid, solid and surface alike, about
  int width = 1280;         ///< pixels, one sample each
  int height = 720;
  double seconds = 2;  ///< that each row is drawn for, after a fourth of that which does not count
};

/// Solid, surface, cuts through a grid, iso-surface and volume rendering: turned by a mouse as in the window (a picture that takes long to
/// draw has less detail until the button is released), and another frame in every picture. Errors: no OpenGL, a picture that cannot be drawn.
/// One thread may call, which has no viewport of its own.
[[nodiscard]] Status measure_pictures(const PictureSpeedOptions& options,
                                      const std::function<void(const PictureSpeed&)>& on_row);

}  // namespace conoid
