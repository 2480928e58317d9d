// SPDX-License-Identifier: BSD-3-Clause
// By which a mesh is known again.
#include "engine/solvers/reading.hpp"

#include <span>

#include "engine/core/hash.hpp"

namespace conoid {
namespace {

template <class T>
std::uint32_t added(std::uint32_t before, const std::vector<T>& values) {
  return crc32c(std::as_bytes(std::span(values)), before);
}

}  // namespace

std::uint64_t mark_of(const Mesh* mesh) {
  if (mesh == nullptr) return 0;
  std::uint32_t cells = added(added(added(1, mesh->connectivity()), mesh->offsets()), mesh->shapes());
  for (const MeshGroup& group : mesh->groups()) {
    cells = crc32c(std::as_bytes(std::span(group.name)), cells);
    cells = added(cells, group.cells);
  }
  return std::uint64_t{added(1, mesh->points())} << 32 | cells | 1U;
}

}  // namespace conoid
