// SPDX-License-Identifier: BSD-3-Clause
// What phases, result numbers, curves and fields are called in the window. They arrive as names ("energy_last"); resources/help/
// names.json knows better words for many, and the catalogue of the language translates them. No solver is known here: a name
// without an entry is shown as it is written.
#pragma once

#include <string>

#include <QString>

#include "engine/session/session.hpp"

namespace conoid::app {

/// "energy_last" → "Energy last".
[[nodiscard]] QString words_of(std::string name);
/// A text of a solver (title of a table, label of a curve) in the language of the window: the sentence itself, or what the
/// catalogue has for "%1, exact" and the like (texts with one %1), with the rest translated in its turn; else a message (`messages()`).
[[nodiscard]] QString translated(const QString& text);
[[nodiscard]] QString translated(const std::string& text);
/// A message of the engine, its text and its hint in the language of the window; its place stays.
[[nodiscard]] Diagnostic translated(Diagnostic diagnostic);
/// The same with its place before it and its hint below, as Diagnostic::render() has them.
[[nodiscard]] QString rendered(const Diagnostic& diagnostic);
/// "far pairs" → "Far pairs".
[[nodiscard]] QString phase_words(const std::string& name);
[[nodiscard]] QString number_words(const std::string& name);
/// What a choice of a schema is called where that is more than its word: "pec" → "Perfect conductor (PEC)"; empty: its word will do.
[[nodiscard]] QString choice_name(const std::string& choice);
/// Whether a number says how the work was done (sizes, counts, memory, times) rather than what came out.
[[nodiscard]] bool is_detail(const NumberEvent& number);

}  // namespace conoid::app
