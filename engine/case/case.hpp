// SPDX-License-Identifier: BSD-3-Clause
// A checked case: every value present, in SI, of the type its schema promises. What a solver reads.
#pragma once

#include "engine/case/document.hpp"
#include "engine/case/schema.hpp"
#include "engine/core/error.hpp"
#include "engine/core/types.hpp"

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conoid {

/// A read-only view into the resolved case. Getters trust the schema: a wrong type or a missing key without
/// default is a bug in the solver's schema and throws Failure(internal). Lives as long as its Case.
class Values {
 public:
  Values() = default;
  Values(const Json* json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[nodiscard]] bool has(std::string_view key) const;           ///< present (optional keys without default)
  [[nodiscard]] Values operator[](std::string_view key) const;  ///< member
  [[nodiscard]] Values at(std::size_t index) const;             ///< element
  [[nodiscard]] std::size_t size() const;                       ///< of a list or an object
  [[nodiscard]] std::vector<std::string> keys() const;          ///< of an object, in written order

  [[nodiscard]] bool is_text() const;  ///< for fields that take a number or one of some words
  [[nodiscard]] double number() const;
  [[nodiscard]] Index integer() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Vec3 vec3() const;                    ///< array of three numbers
  [[nodiscard]] std::array<Index, 3> index3() const;  ///< array of three integers
  [[nodiscard]] std::vector<double> numbers() const;
  [[nodiscard]] std::vector<std::string> texts() const;

  /// The value of a key that may be absent.
  [[nodiscard]] double number_or(std::string_view key, double otherwise) const;
  [[nodiscard]] std::string text_or(std::string_view key, std::string_view otherwise) const;

  [[nodiscard]] const std::string& pointer() const { return pointer_; }
  [[nodiscard]] const Json& json() const;

 private:
  const Json* json_ = nullptr;
  std::string pointer_;
};

/// A document that has passed its schema. Immutable; copies share.
class Case {
 public:
  Case() = default;
  /// Validates and resolves: units to SI, defaults filled in. On errors the first is returned; use validate()
  /// for all.
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

  /// SHA-256 of canonical_text(). Two cases that compute the same have one hash: order of keys, spelling of
  /// units, comments and defaults written out do not matter. Files count by their name, not by their content.
  [[nodiscard]] std::string hash() const;
  /// The canonical form: resolved values with sorted keys, numbers in shortest exact form, what the schema
  /// marks `machine` (title, workers, threads, memory, checkpoints) left out.
  [[nodiscard]] std::string canonical_text() const;

 private:
  std::shared_ptr<const CaseDocument> document_ = std::make_shared<const CaseDocument>();
  std::shared_ptr<const Schema> schema_ = std::make_shared<const Schema>();
  std::shared_ptr<const Json> resolved_ = std::make_shared<const Json>(Json::object());
};

/// One axis of a sweep: "PATH=a:step:b" (b included when it is met), "PATH=a,b,c". A unit may stand at each
/// number or, for all, at the last: "excitation.frequency=1:0.5:3 GHz". Values with a unit stay texts in the
/// unit of the first.
struct SweepAxis {
  std::string pointer;
  std::vector<Json> values;
};
[[nodiscard]] Result<SweepAxis> parse_sweep_axis(std::string_view text);

/// All combinations, last axis fastest; each with the (pointer, value) pairs that were set. At most 10^5
/// points and 4·10^6 values in all their documents together; beyond that an error: take sweep_point() one by
/// one.
struct SweepPoint {
  CaseDocument document;
  std::vector<std::pair<std::string, Json>> set;
};
[[nodiscard]] Result<std::vector<SweepPoint>> expand_sweep(const CaseDocument& base,
                                                           const std::vector<SweepAxis>& axes);

/// Number of combinations; an error above 10^9 or when an axis has no value or occurs twice.
[[nodiscard]] Result<std::size_t> sweep_size(const std::vector<SweepAxis>& axes);
/// Combination `index` of sweep_size().
[[nodiscard]] Result<SweepPoint> sweep_point(const CaseDocument& base, const std::vector<SweepAxis>& axes,
                                             std::size_t index);

/// The word of `known` nearest to `word` by edit distance, empty if none is near enough to be a likely typing
/// slip.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace conoid
