// SPDX-License-Identifier: BSD-3-Clause
// How much of a volume a case keeps in its frames, by the schema alone.
#pragma once

#include "app/model/case_model.hpp"

namespace conoid::app {

/// Whether frames of this case keep so many points of a volume; true where the schema knows no key that thins them ("thins").
[[nodiscard]] bool keeps_all_points(const CaseModel& model, double points);

/// Makes the case keep them, as one undoable step. False where there is no such key.
bool keep_all_points(CaseModel& model, double points);

}  // namespace conoid::app
