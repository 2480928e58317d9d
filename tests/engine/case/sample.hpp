// SPDX-License-Identifier: BSD-3-Clause
// The sample schema and the sample case, read.
#pragma once

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"
#include "tests/fuzz/case_sample.hpp"

inline const conoid::Schema& good_schema() {
  static const conoid::Schema schema =
      conoid::Schema::for_solver(conoid::sample::solver, conoid::sample::parameters).value();
  return schema;
}

inline conoid::CaseDocument good_document(const char* file = "case.json") {
  return *conoid::CaseDocument::parse(conoid::sample::good_case, file);
}
