// SPDX-License-Identifier: BSD-3-Clause
// Pictures as a film in GIF (CompuServe, "Graphics Interchange Format", version 89a, 1990): no other program is needed.
#pragma once

#include <string>

#include "engine/run/run_reader.hpp"
#include "render/window/image.hpp"

namespace conoid {

/// The beginning of a file for pictures of this size, shown over and over. Sides are 1 … 65535.
[[nodiscard]] Result<std::string> gif_head(int width, int height);
/// One picture, in up to 255 colours of its own: the most frequent ones as they are, the others by median cut (P. Heckbert, "Color image
/// quantization for frame buffer display", 1982) of a histogram with 6 bits a channel; alpha is not looked at. Where `before` is given,
/// the same size, only the rectangle that differs from it is written. `seconds` a picture, kept in hundredths (at least 2).
/// Any thread may call.
[[nodiscard]] std::string gif_picture(const Image& image, const Image* before, double seconds);
/// The end of the file.
[[nodiscard]] std::string gif_tail();

}  // namespace conoid
