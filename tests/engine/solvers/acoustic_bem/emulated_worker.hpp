// SPDX-License-Identifier: BSD-3-Clause
// What tests of a solver's emulated devices share: a worker that is one, and rows of the four forms.
#pragma once

#include <QTest>
#include <string>

#include "engine/solvers/acoustic_bem/discretization/form.hpp"
#include "engine/team/workers.hpp"

namespace conoid::acoustic_bem {

inline WorkerSpec emulated_worker(const char* name) {
  return {.name = name, .threads = 1, .device = name};
}

inline void add_rows_of_forms() {
  QTest::addColumn<int>("form");
  for (FormName f : {FormName::N, FormName::NC, FormName::D, FormName::DC})
    QTest::addRow("%s", std::string(name_of(f)).c_str()) << static_cast<int>(f);
}

}  // namespace conoid::acoustic_bem
