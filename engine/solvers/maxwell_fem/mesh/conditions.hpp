// SPDX-License-Identifier: BSD-3-Clause
// Groups of a body's surface in the mesh that was made around it: each may have a condition of its own.
#pragma once

#include "engine/core/error.hpp"
#include "engine/mesh/mesh.hpp"

#include <string>
#include <vector>

namespace conoid::maxwell_fem {

/// The name in the mesh around a body of the body's own group; no name that the mesher gives.
[[nodiscard]] std::string name_on_body(const std::string& group);

/// Faces of the group "body" of `mesh` that are triangles of the named groups of `body` (by the places of their corners) leave it for
/// groups name_on_body(name); a "body" without faces is no group any more. Errors (invalid_input): a group that the body has not; a
/// triangle in two of them; (internal) a face that is none of the body's.
[[nodiscard]] Status carry_groups(Mesh& mesh, const Mesh& body, const std::vector<std::string>& names);

/// What is wrong with conditions on the outside of a mesh; `mesh`: the given one, of which `skin` is the surface. Empty: nothing.
[[nodiscard]] std::string why_no_conditions(const Mesh& mesh, const Mesh& skin, const std::vector<std::string>& names);

}  // namespace conoid::maxwell_fem
