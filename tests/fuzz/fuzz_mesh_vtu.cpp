// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: whatever becomes of the program that reads VTU files with VTK, this one has an error with a text or a sound mesh.
// A program an input: few tries a second.
// links: conoid_mesh
// program: conoid-probe
#include "fuzz_mesh.hpp"
#include "scratch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return conoid::fuzz::check_reader(data, size,
                                    [](std::string_view bytes, const char*, const conoid::ReadOptions& options) {
                                      return conoid::read_vtu(conoid::fuzz::written("mesh.vtu", bytes).string(),
                                                              options, {.program = CONOID_PROGRAM, .seconds = 60});
                                    });
}
