// SPDX-License-Identifier: BSD-3-Clause
// A checked case: every value present, in SI, of the type its schema promises. What a solver reads.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"
#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

namespace conoid {

/// A read-only view into the resolved case. Getters trust the schema: a wrong type or a missing key without default
/// is a bug in the solver's schema and throws Failure(internal). Lives as long as its Case.
class Values {
 public:
  Values() = default;
  Values(const Json* json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[nodiscard]] bool has(std::string_view key) const;           ///< present (optional keys without default)
  [[nodiscard]] Values operator[](std::string_view key) const;  ///< member
  [[nodiscard]] Values at(std::size_t index) const;             ///< element
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::vector<std::string> keys() const;

  [[nodiscard]] double number() const;
  [[nodiscard]] Index integer() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Vec3 vec3() const;                    ///< array of three numbers
  [[nodiscard]] std::array<Index, 3> index3() const;  ///< array of three integers
  [[nodiscard]] std::vector<double> numbers() const;

  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] const Json& json() const { return *json_; }

 private:
  const Json* json_ = nullptr;
  std::string pointer_;
};

/// A document that has passed its schema. Immutable; copies share.
class Case {
 public:
  Case() = default;
  /// Validates and resolves: units to SI, defaults filled in. On errors the first is returned; use validate() for all.
  [[nodiscard]] static Result<Case> resolve(const CaseDocument& document, const Schema& schema);

  [[nodiscard]] const CaseDocument& document() const { return *document_; }
  [[nodiscard]] const Schema& schema() const { return *schema_; }
  [[nodiscard]] Values values() const { return {resolved_.get(), ""}; }
  [[nodiscard]] Values operator[](std::string_view section) const { return values()[section]; }
  [[nodiscard]] std::string solver() const { return values()["solver"].text(); }
  [[nodiscard]] std::string title() const;
  /// A path in the case, relative to the case file's folder.
  [[nodiscard]] std::filesystem::path path(std::string_view relative) const;

  /// A diagnostic at a value of this case.
  [[nodiscard]] Diagnostic error_at(const Values& value, std::string text, std::string hint) const;
  [[nodiscard]] Diagnostic warning_at(const Values& value, std::string text, std::string hint) const;

  /// SHA-256 of the canonical form: resolved values with sorted keys, numbers in shortest exact form, `title` and
  /// the machine part of `compute` (workers, threads, memory) left out. Two cases that compute the same have one hash.
  [[nodiscard]] std::string hash() const;

 private:
  std::shared_ptr<const CaseDocument> document_;
  std::shared_ptr<const Schema> schema_;
  std::shared_ptr<const Json> resolved_;
};

/// One axis of a sweep: "PATH=a:step:b", "PATH=a,b,c".
struct SweepAxis {
  std::string pointer;
  std::vector<Json> values;
};
[[nodiscard]] Result<SweepAxis> parse_sweep_axis(std::string_view text);

/// All combinations, last axis fastest; each with the (pointer, value) pairs that were set. At most 10^6.
struct SweepPoint {
  CaseDocument document;
  std::vector<std::pair<std::string, Json>> set;
};
[[nodiscard]] Result<std::vector<SweepPoint>> expand_sweep(const CaseDocument& base,
                                                           const std::vector<SweepAxis>& axes);

/// The word of `known` nearest to `word` by edit distance, empty if none is near enough to be a likely typing slip.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace conoid
