// SPDX-License-Identifier: BSD-3-Clause
// In which order and under which heading the parts of a case are shown; the same for all solvers.
#pragma once

#include <string>
#include <vector>

#include <QString>

#include "engine/case/document.hpp"

namespace conoid::app {

struct CaseSection {
  QString title;                  ///< "Geometry"
  std::vector<std::string> keys;  ///< top-level keys of the case, in the schema's order
};

/// Geometry → Materials → Boundaries → Excitation → (sections of the schema's own) → Discretisation → Output → Compute;
/// sections without a key are left out.
[[nodiscard]] std::vector<CaseSection> sections_of(const Json& schema);

}  // namespace conoid::app
