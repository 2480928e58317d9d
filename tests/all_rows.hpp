// SPDX-License-Identifier: BSD-3-Clause
// Tests with more rows than there is time for on every change: label `rows`. The default run takes those that nothing smaller stands
// for; with CONOID_ALL_ROWS in the environment, as the labels `long` and `rows` have it, all are passed.
#pragma once

#include <QtGlobal>

namespace conoid {

[[nodiscard]] inline bool all_rows() {
  return qEnvironmentVariableIsSet("CONOID_ALL_ROWS");
}

}  // namespace conoid
