// SPDX-License-Identifier: BSD-3-Clause
// A scene as a picture of any size, without a display.
#pragma once

#include <memory>

#include "engine/run/run_reader.hpp"
#include "render/window/image.hpp"
#include "render/window/scene.hpp"

namespace conoid {

struct PictureOptions {
  int width = 1200;  ///< logical pixels
  int height = 800;
  double scale = 1;  ///< device pixels for one logical pixel
  bool transparent = false;
  int samples = 2;  ///< along each side of a pixel, averaged: 1 or 2
};

/// The scene must not be attached to a viewport.
[[nodiscard]] Result<Image> take_picture(const std::shared_ptr<Scene>& scene, const PictureOptions& options);

/// "1200x800": each side 16 … 8192.
[[nodiscard]] Result<std::pair<int, int>> parse_size(std::string_view text);

}  // namespace conoid
