// SPDX-License-Identifier: BSD-3-Clause
// Draws a field, its marks and texts, a mesh and a chart for practice, piece by piece: the driver compiles its programs for each. What it has
// compiled lasts as long as the context that all pictures in memory of a thread share, and, where the driver keeps it on the disk, for
// programs that are started later.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "render/chart/chart_scene.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/theme.hpp"
#include "render/window/raster_viewport.hpp"

namespace conoid {

class Practice {
 public:
  /// Themes of scenes and of charts. Nothing is done yet.
  Practice(const Theme& scenes, const Theme& charts);
  /// Does one piece; false: there is none left. One thread at a time (VTK's fonts are not for two).
  bool step();

 private:
  void draw();
  void practise_fields();
  void practise_meshes();
  void practise_charts();

  Theme scenes_, charts_;
  std::unique_ptr<RasterViewport> viewport_;  ///< stays: with it what was compiled
  std::shared_ptr<FieldScene> scene_;
  FieldView view_;
  std::vector<std::function<void()>> steps_;
  std::size_t next_ = 0;
};

}  // namespace conoid
