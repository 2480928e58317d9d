// SPDX-License-Identifier: BSD-3-Clause
// Figures of a paper drawn from the rows of `conoid bench --paper`.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/case/document.hpp"

namespace conoid::cli {

/// One figure: rows named "Fig. 3.1: Ghmatecd, 240 elements, 1 thread" have their size ("240 elements") as abscissa and the rest of their name
/// as the curve that they belong to; crosses are what the paper gives for the same.
struct BenchFigure {
  std::string name;  ///< "Fig. 3.1, s"
  std::string svg;
};
/// Of all figures of which a curve has two sizes and more, in the order of the rows, one for each unit; both axes logarithmic.
[[nodiscard]] std::vector<BenchFigure> bench_figures(const Json& rows);

}  // namespace conoid::cli
