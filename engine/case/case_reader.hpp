// SPDX-License-Identifier: BSD-3-Clause
// What reads a case into a solver's problem: values, and everything that is wrong with them, each with its place. A solver's own reader derives
// from it and adds its sections.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/case/case.hpp"
#include "engine/core/error.hpp"

namespace conoid {

/// Collects diagnostics in the order in which they are found. Lives no longer than its case and its list. One thread.
class CaseReader {
 public:
  CaseReader(const Case& input_, std::vector<Diagnostic>& out_) : input(input_), out(out_) {}

  const Case& input;
  std::vector<Diagnostic>& out;

  /// Whether an optional section was given.
  [[nodiscard]] bool has(std::string_view section) const { return input.values().has(section); }
  /// A section (which is there: given, or with defaults).
  [[nodiscard]] Values operator[](std::string_view section) const { return input[section]; }
  /// Nothing was wrong so far, warnings aside.
  [[nodiscard]] bool good() const { return !has_errors(out); }

  /// An error, or a warning, at a value.
  void fail(const Values& at, std::string text, std::string hint) const;
  void warn(const Values& at, std::string text, std::string hint) const;
  /// What is to be known, and is right as it is.
  void note(const Values& at, std::string text, std::string hint) const;
  /// A warning at each item of a list whose key "name" an item before it has too: columns and parts of results are found by it.
  /// `what`: "receivers".
  void tell_apart(const Values& list, std::string_view what) const;
  /// What something else found (a mesh, a formula, a file that it does not name), as found at a value. Its code stays.
  void fail(const Values& at, Diagnostic what) const;
  /// The same at a key that need not be there, of a value or of the case.
  void fail_at(const Values& at, std::string_view key, Diagnostic what) const;
  void fail_at(std::string_view section, Diagnostic what) const { fail_at(input.values(), section, std::move(what)); }
  /// What is wrong with a file that a value names, where that says its place in the file: there, and the hint tells who names it.
  /// Else at the value.
  void fail_in_file(const Values& at, Diagnostic what) const;

 private:
  void put(const std::string& pointer, Diagnostic what) const;
};

/// The key "name" of an item of a list; where it is empty `before` and the item's number, from 1.
[[nodiscard]] std::string name_or_number(const Values& item, std::string_view before, std::size_t number);

/// What a word of the schema's "enum" stands for; a word that is not in the list is a bug and throws Failure(internal).
template <class Enum>
[[nodiscard]] Enum choice(const Values& word, std::initializer_list<std::pair<std::string_view, Enum>> known) {
  const std::string text = word.text();
  for (const auto& one : known)
    if (one.first == text) return one.second;
  verify(false, "a word of the schema that the solver does not know");
  return known.begin()->second;
}

}  // namespace conoid
