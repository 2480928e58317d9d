// SPDX-License-Identifier: BSD-3-Clause
// Figures of a paper out of rows of `conoid bench --paper`: rows "Fig. 2b: omp_S, numS 1572, RHS 1" are points of curves over the number that
// takes most values among the rows of their figure, here numS; what the source published stands beside them, dashed.
#pragma once

#include <string>
#include <vector>

#include "engine/case/document.hpp"

namespace conoid::cli {

struct PaperFigure {
  std::string name;  ///< "Fig. 2b"
  std::string svg;
  bool published = false;  ///< with curves of the source
};

/// `rows`: objects of `conoid bench --json`. Figures in their order there, one a unit; those whose rows have no number that varies are left out.
[[nodiscard]] std::vector<PaperFigure> paper_figures(const Json& rows);

}  // namespace conoid::cli
