// SPDX-License-Identifier: BSD-3-Clause
// A case of a solver from JSON; the test ends with the error where there is one.
#pragma once

#include <QtGlobal>

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"
#include "engine/solvers/solver.hpp"

namespace conoid::test {

inline Case resolved_case(const SolverInfo& solver, const Json& json) {
  const auto schema = Schema::for_solver(solver.id, solver.schema);
  if (!schema.ok()) qFatal("%s", schema.error().render().c_str());
  auto c = Case::resolve(CaseDocument::from_json(json, "case.json"), *schema);
  if (!c.ok()) qFatal("%s", c.error().render().c_str());
  return *c;
}

}  // namespace conoid::test
