// SPDX-License-Identifier: BSD-3-Clause
// VTK's writer and reader, on memory.
#include "render/capture/png.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>
#include <vtkPNGWriter.h>
#include <vtkUnsignedCharArray.h>

namespace conoid {

namespace {

constexpr std::string_view signature("\x89PNG\r\n\x1a\n", 8);

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i) v = (v << 8U) | static_cast<std::uint8_t>(bytes[at + i]);
  return v;
}

Error not_png(const std::string& what) {
  return make_error(ErrorCode::file, "this is not a sound PNG: " + what);
}

}  // namespace

Result<std::string> encode_png(const Image& image, const PngText& text) {
  if (image.empty()) return make_error(ErrorCode::internal, "there is no picture to write");
  bool opaque = true;
  for (std::size_t i = 3; i < image.pixels.size() && opaque; i += 4) opaque = image.pixels[i] == 255;
  const int channels = opaque ? 3 : 4;
  vtkNew<vtkImageData> data;
  data->SetDimensions(image.width, image.height, 1);
  data->AllocateScalars(VTK_UNSIGNED_CHAR, channels);
  for (int y = 0; y < image.height; ++y) {
    auto* out = static_cast<std::uint8_t*>(data->GetScalarPointer(0, image.height - 1 - y, 0));
    const std::uint8_t* in = image.at(0, y);
    for (int x = 0; x < image.width; ++x, in += 4, out += channels) std::copy_n(in, channels, out);
  }
  vtkNew<vtkPNGWriter> writer;
  writer->WriteToMemoryOn();
  writer->SetCompressionLevel(6);
  writer->SetInputData(data);
  for (const auto& [key, value] : text) writer->AddText(key.c_str(), value.c_str());
  writer->Write();
  auto* bytes = writer->GetResult();
  if (bytes == nullptr || bytes->GetNumberOfValues() == 0)
    return make_error(ErrorCode::resources, "the picture could not be packed");
  return std::string(reinterpret_cast<const char*>(bytes->GetPointer(0)),
                     static_cast<std::size_t>(bytes->GetNumberOfValues()));
}

Result<PngText> png_text(std::string_view png) {
  if (png.substr(0, 8) != signature) return not_png("it has another signature");
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

Result<Image> decode_png(std::string_view png) {
  if (png.size() < 33 || png.substr(0, 8) != signature) return not_png("it has another signature or is too short");
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

Status write_png(const std::filesystem::path& path, const Image& image, const PngText& text) {
  auto bytes = encode_png(image, text);
  if (!bytes) return bytes.error();
  return write_file_atomically(path, *bytes);
}

}  // namespace conoid
