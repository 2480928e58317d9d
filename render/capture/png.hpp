// SPDX-License-Identifier: BSD-3-Clause
// PNG with text: a picture says which run it came from.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/run/run_reader.hpp"
#include "render/window/image.hpp"

namespace conoid {

using PngText = std::vector<std::pair<std::string, std::string>>;  ///< keyword (1 … 79 Latin-1 characters), text

/// The bytes of a PNG (ISO/IEC 15948): RGB when every pixel is opaque, else RGBA. The same picture and text give the
/// same bytes.
[[nodiscard]] Result<std::string> encode_png(const Image& image, const PngText& text);

/// Written as one step. The folder must exist.
[[nodiscard]] Status write_png(const std::filesystem::path& path, const Image& image, const PngText& text);

}  // namespace conoid
