// SPDX-License-Identifier: BSD-3-Clause
// The schema of a case: one source of truth for forms, validation, --set, manual page and sweeps.
//
// A subset of JSON Schema 2020-12 plus a few keywords of ours:
//   type          object | array | number | integer | string | boolean
//   properties, required, items, minItems, maxItems, enum, default, minimum, maximum, exclusiveMinimum,
//   exclusiveMaximum, minLength, maxLength, pattern (ECMAScript, the whole text), title (short label),
//   description (one-line help), examples, $comment
//   unit          SI unit of a number ("Hz", "m", "1"): the value may then be a string with a unit. "B" counts bytes.
//   words         number or integer: texts that are accepted in its place (["auto"])
//   live          true: may be changed while a run is going on
//   prolongs      true: a run that goes on may take another value: its end, its output (`conoid resume RUN --set`). The solver's
//                 steps must not depend on it.
//   advanced      true: folded away in forms
//   machine       true: how or where it is computed, not what: left out of the hash of a case
//   optional      true: an absent object stays absent (see below) · list  "values": of an object, the member that a list in its place stands for
//   file          "mesh" | "geometry" | "model" | "signal": a path, relative to the case file
//   group         "mesh-group": a string that must name a group of the mesh; on a map, its keys must
//   discriminator + variants
//                 an object whose other properties depend on one of them:
//                 {"type":"object","discriminator":"kind","variants":{"constant":{…object schema…},"layers":{…}}}
//                 `properties` beside `variants` hold for all variants; with {"kind":{"default":"constant"}} among
//                 them the discriminator may be left out
//   formerly      ["old_name"]: of a property, what it was called before. The former name is read with a warning, never beside the new one.
//   deprecated    of a property that is to go: what to write instead. Giving it is a warning.
//   map           schema of every value of an object whose keys are free names (materials, regions); minItems, maxItems
//   use           "frequencies": the node is that one of common.json's "fragments", with what else stands here laid over it
//   exclusive     [["a","b"]]: of each group at most one property may be given; defaults inside a group are filled
//                 in only when none of the group is given
//   needs         [["a","b"]]: of each group at least one property must be given
//   starts        at the top of a solver's schema: cases that are made around a mesh (engine/session/case_start.hpp)
//
// An absent property gets its `default` (resolved like a typed value, so "1 kHz" is fine). An absent object
// without `default` is filled in from the defaults inside it, unless something required inside has none or it
// is `optional`. An absent property without default stays absent: ask Values::has().
//
// The schema of one case = the common part (engine/case/common.json) with the solver's own parameters.json laid over it:
// its `properties` add top-level sections; `mesh`, `output` and `compute` are merged key by key, deeply, so that
//   {"compute":{"properties":{"precision":{"default":"single"}}}}
// changes one default; `false` in the place of a section or property removes it ("mesh": false for solvers on grids).
// `required` lists are united.
#pragma once

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace conoid {

/// The version of the case format that this program writes and the newest it reads.
inline constexpr int case_format_version = 1;

/// The merged schema of one solver's cases. Immutable, cheap to copy, thread-safe.
class Schema {
 public:
  Schema() = default;
  /// Merges a solver's parameters.json over the common part and checks the result: keywords, types, units,
  /// patterns, and that every default is itself valid. An error here is a bug in the solver's file
  /// (ErrorCode::internal). An empty `solver_id` leaves the solver open.
  [[nodiscard]] static Result<Schema> for_solver(std::string_view solver_id, std::string_view parameters_json);
  [[nodiscard]] const Json& json() const { return *json_; }
  /// The schema node of a value; null Json when the schema knows no such place. Follows variants by
  /// `document`; "*" as a step stands for any element or name.
  [[nodiscard]] Json node(const std::string& pointer, const Json& document) const;
  /// All leaf fields as (pointer, schema node), arrays and maps with "*": for forms, manual pages,
  /// completion. A list of plain values is one leaf. Fields of a variant carry the keyword "when": "kind =
  /// layers"; required ones "mandatory": true.
  [[nodiscard]] std::vector<std::pair<std::string, Json>> fields() const;
  /// A plain-text manual page: one paragraph a field with pointer, type, unit, default, range and help.
  [[nodiscard]] std::string manual() const;

 private:
  explicit Schema(std::shared_ptr<const Json> json) : json_(std::move(json)) {}
  std::shared_ptr<const Json> json_ = std::make_shared<const Json>(Json::object());
};

/// An object's schema with the variant chosen by `value` laid in: `properties` and `required` as they hold
/// for it. Without a (valid) choice only what all variants share. For forms.
[[nodiscard]] Json effective_object(const Json& node, const Json& value);

/// "number in Hz, at least 0, default 1 kHz": what a field takes, in words.
[[nodiscard]] std::string describe(const Json& node);

/// Every violation at once, each with place, what was expected, what was found, and a remedy. Unknown keys
/// name the nearest known key. Warnings may be among them. At most 100 are listed. A case of a newer format
/// gets that one error.
[[nodiscard]] std::vector<Diagnostic> validate(const CaseDocument& document, const Schema& schema);

/// The same, and the resolved form in one go: numbers in their unit, defaults filled in; meaningless after an
/// error.
[[nodiscard]] std::vector<Diagnostic> validate_and_resolve(const CaseDocument& document, const Schema& schema,
                                                           Json& resolved);

/// The kind of a file that is a folder: that of an earlier run, of which case.json and results.vtkhdf are read.
inline constexpr std::string_view run_folder_kind = "run";

/// A file that a case names.
struct CaseFile {
  std::string pointer;
  std::string kind;            ///< "mesh", "geometry", "model", "signal", or run_folder_kind
  std::filesystem::path path;  ///< relative ones are taken from the case's folder
};
[[nodiscard]] std::vector<CaseFile> files_of(const CaseDocument& document, const Schema& schema);

/// An error for every file that the case names and that cannot be read. Looks at the disk.
[[nodiscard]] std::vector<Diagnostic> check_files(const CaseDocument& document, const Schema& schema);

/// An error for every group that the case names and that is not in `groups`; the hint lists what there is.
[[nodiscard]] std::vector<Diagnostic> check_groups(const CaseDocument& document, const Schema& schema,
                                                   const std::vector<std::string>& groups);

/// Pointers of values that differ between two documents, and whether all of them are `live`: what a running
/// session can take over without a restart.
struct Changes {
  std::vector<std::string> pointers;
  bool all_live = true;
};
[[nodiscard]] Changes changes(const CaseDocument& before, const CaseDocument& after, const Schema& schema);

}  // namespace conoid
