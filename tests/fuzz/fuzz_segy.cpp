// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as a SEG-Y file: an error or traces within the file.
#include "engine/io/segy.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string path = (std::filesystem::temp_directory_path() / ("conoid-fuzz-segy-" + std::to_string(getpid()))).string();
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  if (const auto reader = conoid::SegyReader::open(path)) {
    conoid::SegyTrace header;
    std::vector<float> values(static_cast<std::size_t>(reader->samples()));
    for (conoid::Index t = 0; t < reader->traces() && t < 50; ++t) (void)reader->read(t, header, values);
  }
  return 0;
}
