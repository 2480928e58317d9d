// SPDX-License-Identifier: BSD-3-Clause
// How large a solid is, before anything is meshed.
#pragma once

#include <string_view>

namespace conoid {

/// The longest side of the box of the corners (VERTEX_POINT) of a STEP file (ISO 10303-42), in its unit and each part in its own frame: how
/// large a body is, roughly. 0 where it has not two of them (a sphere), and for other files. Any thread may call.
[[nodiscard]] double geometry_extent(std::string_view bytes);

}  // namespace conoid
