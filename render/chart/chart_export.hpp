// SPDX-License-Identifier: BSD-3-Clause
// Charts as vector graphics.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/run/run_reader.hpp"

namespace conoid {

class ChartScene;

/// Writes .svg or .pdf by VTK's exporters, at a logical size, on white unless the scene's theme is dark. The scene must
/// not be attached to a viewport. An ending that this build cannot write is an error that lists those it can.
[[nodiscard]] Status export_chart(const std::shared_ptr<ChartScene>& scene, const std::filesystem::path& file,
                                  int width, int height);

}  // namespace conoid
