// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: any bytes as a SEG-Y file are an error, or traces within the file.
// links: conoid_io
#include "engine/io/segy.hpp"

#include <cstdint>

#include "scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace conoid;
  const auto file = fuzz::written("lines.sgy", {reinterpret_cast<const char*>(data), size});
  const auto reader = SegyReader::open(file);
  if (!reader) return 0;
  if (reader->traces() * reader->samples() * 4 > static_cast<Index>(size)) std::abort();  // more than there is
  SegyTrace header;
  std::vector<float> values(static_cast<std::size_t>(reader->samples()));
  for (Index t = 0; t < reader->traces() && t < 50; ++t)
    if (!reader->read(t, header, values)) std::abort();
  return 0;
}
