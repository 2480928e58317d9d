// SPDX-License-Identifier: BSD-3-Clause
// Curves as SVG, for pages that need nothing beside them. Functions of their arguments, from any thread; texts are escaped here.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace conoid::cli {

struct Curve {
  std::string name;  ///< in the legend; empty: not there
  std::vector<std::pair<double, double>>
      points;           ///< x ascending; those that are not finite, or not positive on an axis in decades, are left out
  bool dashed = false;  ///< in the colour of the curve before it, without marks: what a curve is compared with
};

struct CurveAxes {
  std::string x, y;
  bool log_x = false, log_y = false;  ///< else from 0 on
};

/// 640 × 420, wider by a legend.
[[nodiscard]] std::string svg_of_curves(const std::vector<Curve>& curves, const CurveAxes& axes);

}  // namespace conoid::cli
