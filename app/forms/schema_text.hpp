// SPDX-License-Identifier: BSD-3-Clause
// What a schema node says to people: labels, tooltips, first values, one-line summaries. No widget.
#pragma once

#include <string>

#include <QString>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"

namespace conoid::app {

/// The node's title, or the key made readable: "cut_plane" → "Cut plane".
[[nodiscard]] QString label_of(const std::string& key, const Json& node);
/// "body", "un corps": an element by its title as it follows "Add", with the article that its language wants there.
[[nodiscard]] QString one_of(const QString& title, const QString& label);
/// What a diagnostic says and what to do, as two sentences.
[[nodiscard]] QString sentence_of(const Diagnostic& diagnostic);
/// Errors before warnings before notes, of equals the first; there is at least one.
[[nodiscard]] const Diagnostic& worst_of(const std::vector<Diagnostic>& diagnostics);
/// Help, default, range and units of a field as rich text.
[[nodiscard]] QString tooltip_of(const std::string& pointer, const Json& node, const Json& fallback);
/// The same without its head, as plain text: what assistive programs read as the description of a field.
[[nodiscard]] QString description_of(const std::string& pointer, const Json& node, const Json& fallback);
/// A value as a person would type it: 0.5, "2 GHz", "1, 2, 3".
[[nodiscard]] QString text_of(const Json& value);
/// The same as the window shows it: with the decimal sign of its language, numbers in a row with semicolons where that is a comma.
[[nodiscard]] QString shown_text(const Json& value);
/// A value of an enum as its list shows it: in the language of the window, as in the case where that is a symbol or a unit.
[[nodiscard]] QString choice_words(const Json& choice);
/// A number as typed, or the text itself where it is no plain number: what is stored in the case.
[[nodiscard]] Json json_from_text(const QString& text);
/// The same of what somebody typed as a number: a decimal comma is a point (typed_text).
[[nodiscard]] Json json_from_typed(const QString& typed);
/// What a new element starts with: empty objects, the first variant, arrays filled to their least size.
[[nodiscard]] Json initial_value(const Json& node);
/// An element of a list or map in a few words, its kind and choices as lists show them: "0.5, 0.5 · Ricker". `node`: the element's schema.
[[nodiscard]] QString summary_of(const Json& value, const Json& node);

/// The value of a keyword, or null.
[[nodiscard]] const Json& keyword_of(const Json& node, const char* keyword);
[[nodiscard]] bool is_true(const Json& node, const char* keyword);
[[nodiscard]] std::string string_at(const Json& node, const char* keyword);
/// The default that holds for a member: its own, or what the default of the whole object says.
[[nodiscard]] Json fallback_for(const std::string& key, const Json& node, const Json& object_fallback);
/// Whether an object must be filled in once it exists (it has required members without defaults).
[[nodiscard]] bool has_demands(const Json& node);
[[nodiscard]] bool is_required(const std::string& key, const Json& object_node);
/// Arrays of numbers with a fixed small size, shown as fields side by side; 0 when it is none.
[[nodiscard]] int vector_size(const Json& node);

}  // namespace conoid::app
