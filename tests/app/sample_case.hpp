// SPDX-License-Identifier: BSD-3-Clause
// A case model over the sample schema in tests/data/app, for tests of models and forms.
#pragma once

#include <filesystem>

#include "app/model/case_model.hpp"
#include "engine/core/atomic_file.hpp"

namespace conoid::app::test {

inline std::filesystem::path data_folder() {
  return std::filesystem::path(CONOID_TEST_DATA) / "app";
}

inline SchemaLookup sample_schemas() {
  return [](const std::string& solver) -> Result<Schema> {
    if (solver != "sample") return make_error(ErrorCode::invalid_input, "no solver '" + solver + "'");
    const auto text = read_file(data_folder() / "sample_schema.json");
    if (!text) return text.error();
    return Schema::for_solver("sample", *text);
  };
}

inline std::filesystem::path sample_case() {
  return data_folder() / "sample_case.json";
}

}  // namespace conoid::app::test
