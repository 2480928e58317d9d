// SPDX-License-Identifier: BSD-3-Clause
// What stands in a PNG that the program has written.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>

#include "render/capture/png.hpp"

namespace conoid {

constexpr std::string_view png_signature("\x89PNG\r\n\x1a\n", 8);

inline std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i) v = (v << 8U) | static_cast<std::uint8_t>(bytes[at + i]);
  return v;
}

inline Error not_png(const std::string& what) {
  return make_error(ErrorCode::file, "this is not a sound PNG: " + what);
}

/// The tEXt chunks of a PNG (ISO/IEC 15948).
[[nodiscard]] inline Result<PngText> png_text(std::string_view png) {
  if (png.substr(0, 8) != png_signature) return not_png("it has another signature");
  PngText out;
  for (std::size_t at = 8; at + 12 <= png.size();) {
    const std::size_t length = big_endian(png, at);
    if (length > png.size() - at - 12) return not_png("a chunk ends beyond the file");
    const std::string_view type = png.substr(at + 4, 4);
    const std::string_view body = png.substr(at + 8, length);
    if (type == "tEXt")
      if (const auto zero = body.find('\0'); zero != std::string_view::npos)
        out.emplace_back(std::string(body.substr(0, zero)), std::string(body.substr(zero + 1)));
    if (type == "IEND") break;
    at += length + 12;
  }
  return out;
}

/// Pixels of an 8-bit PNG; at most 16384 × 16384.
[[nodiscard]] inline Result<Image> decode_png(std::string_view png) {
  if (png.size() < 33 || png.substr(0, 8) != png_signature) return not_png("it has another signature or is too short");
  const std::uint32_t width = big_endian(png, 16);
  const std::uint32_t height = big_endian(png, 20);
  if (width < 1 || height < 1 || width > 16384 || height > 16384) return not_png("its size is out of bounds");
  vtkNew<vtkPNGReader> reader;
  reader->SetMemoryBuffer(png.data());
  reader->SetMemoryBufferLength(static_cast<vtkIdType>(png.size()));
  reader->Update();
  vtkImageData* data = reader->GetOutput();
  if (data == nullptr || data->GetScalarType() != VTK_UNSIGNED_CHAR || data->GetNumberOfScalarComponents() < 3)
    return not_png("only 8-bit RGB and RGBA are read");
  Image image{static_cast<int>(width), static_cast<int>(height), {}};
  image.pixels.resize(4 * static_cast<std::size_t>(width) * height);
  const int channels = data->GetNumberOfScalarComponents();
  for (int y = 0; y < image.height; ++y) {
    const auto* in = static_cast<const std::uint8_t*>(data->GetScalarPointer(0, image.height - 1 - y, 0));
    std::uint8_t* out = image.pixels.data() + 4 * static_cast<std::size_t>(y) * width;
    for (int x = 0; x < image.width; ++x, in += channels, out += 4) {
      std::copy_n(in, 3, out);
      out[3] = channels == 4 ? in[3] : 255;
    }
  }
  return image;
}

}  // namespace conoid
