// SPDX-License-Identifier: BSD-3-Clause
// One viewport for one picture.
#include "render/capture/picture.hpp"

#include <charconv>

#include "render/window/raster_viewport.hpp"

namespace conoid {

Result<Image> take_picture(const std::shared_ptr<Scene>& scene, const PictureOptions& options) {
  auto made = RasterViewport::make(options.width, options.height, options.scale);
  if (!made) return made.error();
  RasterViewport& view = **made;
  view.set_supersampling(options.samples);
  scene->set_transparent(options.transparent);
  view.set_scene(scene);
  Image image = view.grab();
  if (image.empty())
    return make_error(ErrorCode::resources, "no picture could be drawn: " + view.problem(),
                      "Try a smaller --size or --scale.");
  return image;
}

Result<std::pair<int, int>> parse_size(std::string_view text) {
  const auto cross = text.find('x');
  int width = 0;
  int height = 0;
  const auto read = [](std::string_view part, int& value) {
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    return error == std::errc() && end == part.data() + part.size() && value >= 16 && value <= 8192;
  };
  if (cross == std::string_view::npos || !read(text.substr(0, cross), width) || !read(text.substr(cross + 1), height))
    return make_error(ErrorCode::command_line, "expected a size like 1200x800, found \"" + std::string(text) + "\"",
                      "Each side may be 16 to 8192 pixels.");
  return std::pair{width, height};
}

}  // namespace conoid
