// SPDX-License-Identifier: BSD-3-Clause
// Patterns of messages: matched from the left, most literal text first.
#include "app/look/message_catalogue.hpp"

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "engine/core/decimal_comma.hpp"

namespace conoid::app {
namespace {

constexpr int deepest = 6;
constexpr std::size_t most_sentences = 16;
constexpr int most_tails = 60;
constexpr std::size_t least_letters_behind_names = 6;
/// "{} to {}", "{} or {}": words that mean something between figures, or what is quoted, alone.
constexpr std::size_t letters_of_a_link = 3;
/// "1.5 Gcells/s": a number with its unit.
constexpr std::size_t longest_figure = 24;
/// Fewer letters than these are no message of their own.
constexpr std::size_t letters_of_a_message = 8;

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }));
}

/// "a {} b {1}" → "a ", " b ", "" and 0, 1. Braces around anything else are text, numbers that are not below `named` too.
std::pair<std::vector<std::string>, std::vector<std::size_t>> parts_of(std::string_view text, std::size_t named) {
  std::vector<std::string> parts(1);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool plain = text.substr(i, 2) == "{}";
    const bool numbered = !plain && text.size() >= i + 3 && text[i] == '{' && text[i + 2] == '}' &&
                          text[i + 1] >= '0' && static_cast<std::size_t>(text[i + 1] - '0') < named;
    if (!plain && !numbered) {
      parts.back() += text[i];
      continue;
    }
    order.push_back(plain ? order.size() : static_cast<std::size_t>(text[i + 1] - '0'));
    parts.emplace_back();
    i += plain ? 1 : 2;
  }
  return {std::move(parts), std::move(order)};
}

/// Whether a sentence ends before `at`, and another begins there.
bool begins_sentence(std::string_view text, std::size_t at) {
  if (text[at - 1] == '\n') return true;
  return at >= 2 && text[at - 1] == ' ' && text[at] != ' ' &&
         std::string_view(".!?").find(text[at - 2]) != std::string_view::npos;
}

/// An argument within a sentence is no end of one with the beginning of another.
bool has_two_sentences(std::string_view text) {
  for (std::size_t at = text.find(". "); at != std::string_view::npos && at + 2 < text.size();
       at = text.find(". ", at + 2))
    if (std::isupper(static_cast<unsigned char>(text[at + 2])) != 0) return true;
  return false;
}

bool is_figure(std::string_view text) {
  if (text.find_first_of("'\"`\\") != std::string_view::npos || text.find(": ") != std::string_view::npos) return false;
  while (!text.empty() && std::string_view("-+(~<>= ").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  for (const std::string_view sign : {"\u2212", "\u00b1", "\u2264", "\u2265", "\u2248"})
    if (text.starts_with(sign)) text.remove_prefix(sign.size());
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
}

bool is_figure_or_quoted(std::string_view text) {
  return (is_figure(text) && text.size() <= longest_figure) || text.empty() ||
         std::string_view("'\"`").find(text.front()) != std::string_view::npos;
}

/// What is quoted stands as it is; an apostrophe within a word quotes nothing.
bool opens_quote(std::string_view before) {
  if (before.empty()) return false;
  const char last = before.back();
  if (last == '"' || last == '`' || last == '/') return true;
  return last == '\'' &&
         (before.size() < 2 || std::isalpha(static_cast<unsigned char>(before[before.size() - 2])) == 0);
}

}  // namespace

bool MessageCatalogue::add(std::string_view pattern, std::string_view translation) {
  Pattern made;
  std::vector<std::size_t> order;
  std::tie(made.literals, order) = parts_of(pattern, 0);
  std::tie(made.translation, made.order) = parts_of(translation, std::min<std::size_t>(order.size(), 10));
  std::size_t letters_in = 0, marks = 0;
  for (std::size_t i = 0; i < made.literals.size(); ++i) {
    letters_in += letters(made.literals[i]);
    made.bytes += made.literals[i].size();
    marks += static_cast<std::size_t>(std::count_if(made.literals[i].begin(), made.literals[i].end(), [](char c) {
      return c != ' ' && std::isalpha(static_cast<unsigned char>(c)) == 0;
    }));
  }
  if (letters_in == 0 || translation.empty()) return false;
  if (std::any_of(made.order.begin(), made.order.end(), [&](std::size_t i) { return i >= order.size(); })) return false;
  // Words count, then marks; of the same words and marks the pattern with fewer arguments.
  made.weight = (letters_in * 1000 + marks) * 100 + 99 - std::min<std::size_t>(order.size(), 99);
  made.letters = letters_in;
  const auto id = static_cast<std::uint32_t>(patterns_.size());
  std::vector<std::uint32_t>& bucket =
      !made.literals.front().empty()  ? heads_[static_cast<unsigned char>(made.literals.front().front())]
      : !made.literals.back().empty() ? tails_[static_cast<unsigned char>(made.literals.back().back())]
                                      : others_;
  const auto at = std::find_if(bucket.begin(), bucket.end(),
                               [&](std::uint32_t other) { return patterns_[other].weight < made.weight; });
  bucket.insert(at, id);
  patterns_.push_back(std::move(made));
  return true;
}

bool MessageCatalogue::matches(const Pattern& pattern, std::string_view text, Match& match) {
  const auto& literals = pattern.literals;
  if (text.size() < pattern.bytes || !text.starts_with(literals.front())) return false;
  if (literals.size() == 1) return text.size() == literals.front().size();
  if (!text.ends_with(literals.back())) return false;
  match.arguments.clear();
  std::size_t at = literals.front().size();
  const std::size_t end = text.size() - literals.back().size();
  for (std::size_t i = 1; i + 1 < literals.size(); ++i) {
    const std::size_t next = text.substr(0, end).find(literals[i], at);
    if (next == std::string_view::npos) return false;
    if (has_two_sentences(text.substr(at, next - at))) return false;
    match.arguments.push_back(text.substr(at, next - at));
    at = next + literals[i].size();
  }
  if (at > end || (!literals.back().empty() && has_two_sentences(text.substr(at, end - at)))) return false;
  match.arguments.push_back(text.substr(at, end - at));
  return true;
}

std::optional<MessageCatalogue::Match> MessageCatalogue::find(std::string_view text, bool within) const {
  if (text.empty()) return std::nullopt;
  std::optional<Match> best;
  for (const auto* bucket :
       {&heads_[static_cast<unsigned char>(text.front())], &tails_[static_cast<unsigned char>(text.back())], &others_})
    for (const std::uint32_t id : *bucket) {
      const Pattern& pattern = patterns_[id];
      if (best && best->pattern->weight >= pattern.weight) break;
      Match match;
      if (!matches(pattern, text, match)) continue;
      const bool links = pattern.letters <= letters_of_a_link ||
                         (pattern.letters < letters_of_a_message && (!within || pattern.literals.front().empty()));
      if (links && !std::all_of(match.arguments.begin(), match.arguments.end(), is_figure_or_quoted)) continue;
      match.pattern = &pattern;
      best = std::move(match);
      break;
    }
  return best;
}

std::string MessageCatalogue::argument(std::string_view text, int depth) const {
  if (depth >= deepest) return std::string(text);
  bool all = true;
  if (auto known = whole(text, depth + 1)) return *std::move(known);
  if (is_figure(text)) return with_decimal_comma(text);
  return in_parts(text, depth + 1, all);
}

std::string MessageCatalogue::filled(const Match& match, int depth) const {
  const Pattern& pattern = *match.pattern;
  std::string out = pattern.translation.front();
  for (std::size_t i = 0; i < pattern.order.size(); ++i) {
    const std::size_t which = pattern.order[i];
    out += opens_quote(pattern.literals[which]) ? std::string(match.arguments[which])
                                                : argument(match.arguments[which], depth);
    out += pattern.translation[i + 1];
  }
  return out;
}

std::optional<std::string> MessageCatalogue::whole(std::string_view text, int depth) const {
  const auto match = find(text, depth > 0);
  if (!match) return std::nullopt;
  return filled(*match, depth);
}

std::optional<std::string> MessageCatalogue::with_stop(std::string_view text, int depth) const {
  auto said = whole(text, depth);
  // Hints are joined to texts by a full stop.
  if (!said && text.ends_with('.'))
    if ((said = whole(text.substr(0, text.size() - 1), depth))) *said += '.';
  return said;
}

std::optional<std::string> MessageCatalogue::with_tail(std::string_view text, int depth) const {
  int tried = 0;
  for (std::size_t at = text.find_first_of(" ,;:", 1); at != std::string_view::npos && tried < most_tails;
       at = text.find_first_of(" ,;:", at + 1)) {
    // " and more", ", or more": a blank behind a mark begins nothing of its own.
    if (text[at] == ' ' && (text[at - 1] == ',' || text[at - 1] == ';' || text[at - 1] == ':')) continue;
    ++tried;
    const auto tail = find(text.substr(at), true);
    if (!tail || tail->pattern->literals.front().empty()) continue;
    const auto head = whole(text.substr(0, at), depth);
    // Within a message a name goes on, too: "quay and 2 others".
    if (head || (depth > 0 && tail->pattern->letters >= least_letters_behind_names))
      return head.value_or(std::string(text.substr(0, at))) + filled(*tail, depth + 1);
  }
  return std::nullopt;
}

std::optional<std::string> MessageCatalogue::in_clauses(std::string_view text, int depth) const {
  std::string out;
  bool any = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find("; ", begin), text.size());
    const std::string_view clause = text.substr(begin, end - begin);
    const auto known = whole(clause, depth);
    any = any || known;
    out += (begin > 0 ? "\u00a0; " : "") + known.value_or(std::string(clause));
    begin = end + 2;
  }
  return any && text.find("; ") != std::string_view::npos ? std::optional(out) : std::nullopt;
}

std::string MessageCatalogue::in_parts(std::string_view text, int depth, bool& all) const {
  // Runs of sentences, the longest first.
  std::vector<std::size_t> begins{0};
  for (std::size_t i = 1; i < text.size() && begins.size() < most_sentences; ++i)
    if (begins_sentence(text, i)) begins.push_back(i);
  begins.push_back(text.size());
  std::string out;
  const std::size_t count = begins.size() - 1;
  for (std::size_t i = 0; i < count;) {
    std::size_t next = i + 1;
    std::optional<std::string> said;
    for (std::size_t j = count; j > i && !said; --j) {
      std::string_view part = text.substr(begins[i], begins[j] - begins[i]);
      std::string_view gap;
      while (!part.empty() && (part.back() == ' ' || part.back() == '\n'))
        gap = text.substr(begins[i] + part.size() - 1, begins[j] - begins[i] - part.size() + 1), part.remove_suffix(1);
      if (part.empty() || (i == 0 && j == count && gap.empty())) continue;  // the whole has been tried
      said = with_stop(part, depth);
      if (said) *said += gap, next = j;
    }
    if (!said) {
      const std::string_view part = text.substr(begins[i], begins[i + 1] - begins[i]);
      // "case.json: what is wrong": a file, a place or a clause before what is known.
      for (std::size_t at = part.find(": "); at != std::string_view::npos && !said; at = part.find(": ", at + 2)) {
        std::string_view tail = part.substr(at + 2), gap;
        while (!tail.empty() && (tail.back() == ' ' || tail.back() == '\n')) tail.remove_suffix(1);
        gap = part.substr(at + 2 + tail.size());
        const auto rest = with_stop(tail, depth);
        if (!rest) continue;
        const std::string_view head = part.substr(0, at);
        const auto known = whole(head, depth);
        said = (known ? *known : std::string(head)) + "\u00a0: " + *rest + std::string(gap);
      }
      if (!said) said = with_tail(part, depth);
      if (!said) said = in_clauses(part, depth);
      if (!said) said = std::string(part), all = false;
    }
    out += *said;
    i = next;
  }
  return out;
}

std::string MessageCatalogue::translate(std::string_view text) const {
  if (text.empty() || text.size() > longest || patterns_.empty()) return std::string(text);
  if (auto known = whole(text, 0)) return *std::move(known);
  if (is_figure(text)) return with_decimal_comma(text);
  bool all = true;
  return in_parts(text, 0, all);
}

bool MessageCatalogue::knows(std::string_view text) const {
  if (text.empty() || find(text, false)) return true;
  bool all = text.size() <= longest;
  if (all) static_cast<void>(in_parts(text, 0, all));
  return all;
}

}  // namespace conoid::app
