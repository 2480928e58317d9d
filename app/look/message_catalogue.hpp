// SPDX-License-Identifier: BSD-3-Clause
// Messages of the engine in another language: patterns that the rendered English text is matched with. No Qt here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conoid::app {

/// The engine speaks English, and only English: its log can be searched. What the window shows is matched with patterns: English text
/// with {} for each argument, and the same in another language with {} for them in the same order, or {0}, {1} in another one.
///
/// The whole text is matched first, then runs of its sentences, then what follows a file or a place ("case.json: …"), then two parts of a
/// sentence, then clauses between semicolons. Of several
/// patterns the one with most literal text counts. Arguments are texts themselves, matched in their turn, unless they are quoted
/// ('…', "…", `…`): what is quoted is typed, or read in a file, as it stands. Figures get a decimal comma. What has no pattern stays as
/// it is. Memory and time are linear in the text for each pattern that begins (or ends) as it does; nothing is tried twice.
///
/// A catalogue is filled by one thread and read by many.
class MessageCatalogue {
 public:
  /// False, and nothing added, for patterns that would match anything (no letter besides their arguments), and for translations that
  /// are empty or have more arguments. Of two arguments side by side the first takes nothing.
  bool add(std::string_view pattern, std::string_view translation);
  [[nodiscard]] std::size_t size() const { return patterns_.size(); }
  /// The text in the other language; longer ones than `longest` bytes as they are.
  [[nodiscard]] std::string translate(std::string_view text) const;
  /// Whether the whole text, or each of its sentences, has a pattern.
  [[nodiscard]] bool knows(std::string_view text) const;

  static constexpr std::size_t longest = 20'000;

 private:
  struct Pattern {
    std::vector<std::string> literals;     ///< between, before and after the arguments: one more than those
    std::vector<std::string> translation;  ///< likewise
    std::vector<std::size_t> order;        ///< which argument stands behind each part of the translation
    std::size_t bytes = 0;                 ///< of literal text
    std::size_t weight = 0;                ///< by how much of a text it says: the heaviest counts
    std::size_t letters = 0;               ///< few: a phrase that counts within a message, or around figures
  };
  struct Match {
    const Pattern* pattern = nullptr;
    std::vector<std::string_view> arguments;
  };

  [[nodiscard]] static bool matches(const Pattern& pattern, std::string_view text, Match& match);
  [[nodiscard]] std::optional<Match> find(std::string_view text, bool within) const;
  [[nodiscard]] std::string filled(const Match& match, int depth) const;
  [[nodiscard]] std::optional<std::string> whole(std::string_view text, int depth) const;
  /// The same, or without its full stop, which then stands behind.
  [[nodiscard]] std::optional<std::string> with_stop(std::string_view text, int depth) const;
  /// A text that goes on with another pattern: "…" + ", or more".
  [[nodiscard]] std::optional<std::string> with_tail(std::string_view text, int depth) const;
  /// Clauses that were joined by semicolons, of which one is known at least.
  [[nodiscard]] std::optional<std::string> in_clauses(std::string_view text, int depth) const;
  [[nodiscard]] std::string in_parts(std::string_view text, int depth, bool& all) const;
  [[nodiscard]] std::string argument(std::string_view text, int depth) const;

  std::vector<Pattern> patterns_;
  /// By the byte that a pattern begins with; of those that begin with an argument by the one they end with; the others.
  std::array<std::vector<std::uint32_t>, 256> heads_, tails_;
  std::vector<std::uint32_t> others_;
};

}  // namespace conoid::app
