// SPDX-License-Identifier: BSD-3-Clause
// From a case to the discrete problem, and what is wrong with it.
#pragma once

#include "engine/case/case.hpp"
#include "engine/solvers/hydro_fem/march.hpp"

namespace conoid::hydro_fem {

struct Problem {
  Setup setup;
  MarchOptions march;
  std::vector<std::string> material_names;
  struct Tracer {
    std::string name;
    Vec3 position{};
  };
  std::vector<Tracer> tracers;
  bool exact_sedov = false;
};

/// Everything that the schema cannot say; empty when the case can be run.
[[nodiscard]] std::vector<Diagnostic> check_problem(const Case& input);
/// The problem of a checked case; throws Failure on the first thing that is wrong.
[[nodiscard]] Problem make_problem(const Case& input);
/// Memory that a run takes, from the sizes alone.
[[nodiscard]] Bytes problem_memory(const Case& input);

}  // namespace conoid::hydro_fem
