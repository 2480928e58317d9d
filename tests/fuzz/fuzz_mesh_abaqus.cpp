// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: no bytes make the Abaqus reader crash, exceed its memory limit, or give a mesh that is not sound.
// links: conoid_mesh
#include "fuzz_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return conoid::fuzz::check_reader(data, size, conoid::read_abaqus);
}
