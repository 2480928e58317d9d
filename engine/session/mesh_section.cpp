// SPDX-License-Identifier: BSD-3-Clause
// The "mesh" section of a case: which file, in which unit.
#include "engine/core/units.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/session/setup.hpp"

namespace conoid {

std::filesystem::path unmeshed_geometry(const Case& input) {
  if (!input.values().has("mesh")) return {};
  auto path = input.path(input["mesh"]["file"].text());
  return is_geometry(path) && !is_meshed(path) ? path : std::filesystem::path();
}

Result<std::shared_ptr<const Mesh>> mesh_of(const Case& input, std::stop_token stop, Meshing meshing) {
  if (!input.values().has("mesh")) return std::shared_ptr<const Mesh>();
  const Values section = input["mesh"];
  const auto path = input.path(section["file"].text());
  ReadOptions options;
  if (!section.has("unit"))
    return input.error_at(section, "the unit of the mesh file's coordinates is not given, and it is never guessed",
                          "Add \"unit\": \"m\", \"mm\", \"in\" … to the section.");
  const auto scale = parse_quantity("1 " + section["unit"].text(), "m");
  if (!scale) return scale.error();
  options.scale = scale->value;
  GmshOptions geometry;
  geometry.only_made_before = meshing == Meshing::never;
  if (meshing == Meshing::trusted && is_geometry(path))
    if (const Status trusted = trust_geometry(path); !trusted) return trusted.error();
  auto mesh = load_mesh(path, options, geometry, stop);
  if (!mesh) return mesh.error();
  return std::make_shared<const Mesh>(std::move(*mesh));
}

}  // namespace conoid
