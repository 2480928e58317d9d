// SPDX-License-Identifier: BSD-3-Clause
// What the "mesh" section of a case asks for. The rest of the case, and other keys of the section, may be wrong.
#pragma once

#include <optional>

#include "engine/case/document.hpp"
#include "engine/mesh/prepare.hpp"

namespace conoid {

/// A number or a text with a unit, in `unit`; nothing where it is neither.
[[nodiscard]] std::optional<double> length_of(const Json* value, const char* unit);

/// Whether the section names something to make a mesh of: a file, or bodies.
[[nodiscard]] bool names_a_mesh(const CaseDocument& document);

/// /mesh/file, or /mesh/bodies as a script in the cache; unit, size, and the repairs; what cannot be read is as if it were absent
/// (validate() says so).
[[nodiscard]] MeshRequest mesh_request(const CaseDocument& document);

}  // namespace conoid
