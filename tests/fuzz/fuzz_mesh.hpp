// SPDX-License-Identifier: BSD-3-Clause
// What every fuzz target of a mesh reader checks: an error with a text, or a sound mesh on which everything works.
#pragma once

#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/topology.hpp"
#include "engine/mesh/writers/write_mesh.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace conoid::fuzz {

inline void require(bool condition) {
  if (!condition) std::abort();
}

template <class Reader>
int check_reader(const std::uint8_t* data, std::size_t size, Reader read) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Result<Mesh> mesh = read(bytes, "fuzz", ReadOptions{.memory_limit = Bytes{64} << 20});
  if (!mesh) {
    require(!mesh.error().text.empty() && mesh.error().code != ErrorCode::internal);
    (void)mesh.error().render();
    return 0;
  }
  for (const Index n : mesh->connectivity()) require(n >= 0 && n < mesh->point_count());
  if (mesh->cell_count() > 2000) return 0;
  (void)mesh_quality(*mesh);
  Mesh copy = *mesh;
  (void)orient_outward(copy);
  (void)check_surface(copy);
  (void)boundary_surface(copy);
  if (mesh->cell_count() <= 500) (void)self_intersections(copy, 4);  // each pair is compared when they lie in one place
  require(copy.cell_count() == mesh->cell_count());
  // What was read can be written and read again.
  const auto back = read_msh(to_msh(copy, {.binary = true}), "again", {.memory_limit = Bytes{256} << 20});
  require(back.ok() && back->connectivity() == copy.connectivity());
  return 0;
}

}  // namespace conoid::fuzz
