// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes as a model of the medium are an error, or samples that can be asked for anywhere.
//
// Input: one byte that says what the rest is. 0: a VTK image. 1: SEG-Y. 2: up to the first 0xff byte the header of a raw model,
// then its samples, which the header may name "d". 3: the same for an RSF header, whose samples may also follow it. 4: HDF5.
// links: conoid_models
#include "engine/models/model.hpp"

#include <array>
#include <cmath>
#include <cstdint>

#include "scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  std::filesystem::path file;
  switch (data[0] % 5) {
    case 0: file = fuzz::written("m.vti", rest); break;
    case 1: file = fuzz::written("m.sgy", rest); break;
    case 4: file = fuzz::written("m.h5", rest); break;
    default: {
      const std::size_t cut = std::min(rest.find('\xff'), rest.size());
      file = fuzz::written(data[0] % 5 == 2 ? "m.json" : "m.rsf", rest.substr(0, cut));
      fuzz::written("d", rest.substr(std::min(cut + 1, rest.size())));
    }
  }
  const auto model = open_model(file, ModelQuantity::speed);
  if (!model) return 0;
  const auto field = (*model)->load();
  if (!field) return 0;
  // Compressed images and arrays hold up to 1032 times their bytes, each perhaps a value.
  const bool packed = data[0] % 5 == 4 || (data[0] % 5 == 0 && rest.find("compressor") != std::string_view::npos);
  if ((*field)->bytes() > (packed ? 8 * 1032 : 64) * size) std::abort();
  std::array<double, 7> row;
  const ModelBox box = (*model)->box();
  for (std::size_t a = 0; a < 3; ++a)
    if (std::abs(box.origin[a]) > 1e100 || box.spacing[a] > 1e100) return 0;  // no grid lies there
  (*field)->row(box.origin[0] - 1, box.origin[1], box.origin[2] - 2 * box.spacing[2], box.spacing[2], row);
  // Between samples lies nothing that is not between their values, up to rounding.
  const SpeedRange range = (*field)->range({}, {});
  for (const double v : row)
    if (!std::isfinite(v) || v < range.lowest * (1 - 1e-6) || v > range.highest * (1 + 1e-6)) std::abort();
  return 0;
}
