// SPDX-License-Identifier: BSD-3-Clause
// Models in VTK's XML image format (.vti).
#pragma once

#include "engine/solvers/acoustic_fd/model.hpp"

namespace conoid::acoustic_fd {

/// One piece of point data, Float32 or Float64, in the forms ascii, binary (base64) and appended (raw or base64),
/// uncompressed, little endian. The array named "speed" or "density", else the only one.
[[nodiscard]] Result<std::unique_ptr<Model>> open_vti_model(const std::filesystem::path& path, ModelQuantity quantity);

}  // namespace conoid::acoustic_fd
