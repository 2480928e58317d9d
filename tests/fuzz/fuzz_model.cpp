// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a model: raw header, SEG-Y or VTK image by the first byte.
#include "engine/solvers/acoustic_fd/model.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::string base = (std::filesystem::temp_directory_path() / ("conoid-fuzz-model-" + std::to_string(getpid()))).string();
  const std::string path = base + (data[0] % 3 == 0 ? ".vti" : data[0] % 3 == 1 ? ".sgy" : ".json");
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  if (const auto model = conoid::acoustic_fd::open_model(path, conoid::acoustic_fd::ModelQuantity::speed)) {
    (void)(*model)->scan();
    (void)(*model)->load();
  }
  return 0;
}
