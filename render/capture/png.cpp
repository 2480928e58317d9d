// SPDX-License-Identifier: BSD-3-Clause
// VTK's writer, on memory.
#include "render/capture/png.hpp"

#include <algorithm>
#include <cstdint>

#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGWriter.h>
#include <vtkUnsignedCharArray.h>

namespace conoid {

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

Status write_png(const std::filesystem::path& path, const Image& image, const PngText& text) {
  auto bytes = encode_png(image, text);
  if (!bytes) return bytes.error();
  return write_file_atomically(path, *bytes);
}

}  // namespace conoid
