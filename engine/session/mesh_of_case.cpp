// SPDX-License-Identifier: BSD-3-Clause
// The mesh that a case names, made or only looked for.
#include "engine/session/setup.hpp"
#include "engine/solvers/mesh_section.hpp"

namespace conoid {

std::filesystem::path unmeshed_geometry(const Case& input) {
  if (!input.values().has("mesh")) return {};
  const MeshRequest request = mesh_request(input.document());
  return request.gmsh.script == ScriptUse::own || is_made(request) ? std::filesystem::path() : request.file;
}

Result<std::shared_ptr<const Mesh>> mesh_of(const Case& input, std::stop_token stop, std::vector<Diagnostic>* notes,
                                            Meshing meshing) {
  if (!input.values().has("mesh")) return std::shared_ptr<const Mesh>();
  MeshRequest request = mesh_request(input.document());
  const bool own = request.gmsh.script == ScriptUse::own;
  request.gmsh.only_made_before = meshing == Meshing::never && !own;
  if (meshing == Meshing::trusted && !own && is_geometry(request.file))
    if (const Status trusted = trust_geometry(request.file); !trusted) return trusted.error();
  auto prepared = prepare_mesh(request, stop);
  if (!prepared) {
    Error error = prepared.error();
    // What lies in the case, not in the file, is said at the case's line.
    if (input["mesh"].has("unit") || error.code != ErrorCode::invalid_input) return error;
    if (error.text.find("unit of the mesh file") != std::string::npos)
      return input.error_at(input["mesh"], error.text, error.hint);
    return error;
  }
  if (notes != nullptr) notes->insert(notes->end(), prepared->notes.begin(), prepared->notes.end());
  return std::make_shared<const Mesh>(std::move(prepared->mesh));
}

}  // namespace conoid
