// SPDX-License-Identifier: BSD-3-Clause
// The schema of a case: one source of truth for forms, validation, --set, manual page and sweeps.
//
// A subset of JSON Schema 2020-12 plus a few keywords of ours:
//   type          object | array | number | integer | string | boolean
//   properties, required, items, minItems, maxItems, enum, default, minimum, maximum, exclusiveMinimum,
//   exclusiveMaximum, pattern, title (short label), description (one-line help)
//   unit          SI unit of a number ("Hz", "m", "1"): the value may then be a string with a unit
//   live          true: may be changed while a run is going on
//   advanced      true: folded away in forms
//   file          "mesh" | "geometry" | "model" | "signal": a path, relative to the case file
//   group         "mesh-group": a string that must name a group of the mesh
//   discriminator + variants   an object whose other properties depend on one of them:
//                 {"type":"object","discriminator":"kind","variants":{"constant":{…object schema…},"layers":{…}}}
//   map           schema of every value of an object whose keys are free names (materials, regions)
// The schema of one case = the common part (engine/case/common.json) with the solver's own parameters.json laid over
// it (its "properties" replace or add top-level sections, and may add properties to "output" and "compute").
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

namespace conoid {

/// The merged schema of one solver's cases. Immutable, cheap to copy, thread-safe.
class Schema {
 public:
  /// Merges a solver's parameters.json over the common part. An error here is a bug in the solver's file.
  [[nodiscard]] static Result<Schema> for_solver(std::string_view solver_id, std::string_view parameters_json);
  [[nodiscard]] const Json& json() const { return *json_; }
  /// The schema node of a value; null Json when the schema knows no such place. Follows variants by `document`.
  [[nodiscard]] Json node(const std::string& pointer, const Json& document) const;
  /// All leaf fields as (pointer, schema node), arrays and maps with "*": for forms, manual pages, completion.
  [[nodiscard]] std::vector<std::pair<std::string, Json>> fields() const;

 private:
  std::shared_ptr<const Json> json_;
};

/// Every violation at once, each with place, what was expected, what was found, and a remedy. Unknown keys name the
/// nearest known key. Warnings may be among them.
[[nodiscard]] std::vector<Diagnostic> validate(const CaseDocument& document, const Schema& schema);

}  // namespace conoid
