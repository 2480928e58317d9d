// SPDX-License-Identifier: BSD-3-Clause
// Models in VTK's XML image format (.vti).
#pragma once

#include "engine/models/model.hpp"

namespace conoid {

/// One piece of point data, floats or integers of either byte order, in the forms ascii, binary (base64) and appended (raw or base64), plain
/// or compressed by zlib or LZ4. The array named "speed" or "density", else the only one. A Direction that turns or turns round axes is
/// followed, one that runs askew an error.
[[nodiscard]] Result<std::unique_ptr<Model>> open_vti_model(const std::filesystem::path& path, ModelQuantity quantity);

}  // namespace conoid
