// SPDX-License-Identifier: BSD-3-Clause
// Reading of what was typed for frames.
#include "engine/io/frame_choice.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "engine/core/units.hpp"

namespace conoid {
namespace {

std::string_view trimmed_item(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::optional<long long> whole_number(std::string_view s) {
  long long v = 0;
  const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (s.empty() || code != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return v;
}

class Chooser {
 public:
  Chooser(const std::vector<StoredFrame>& frames, std::string_view option)
      : frames_(frames), option_(option), chosen_(frames.size(), false) {}

  Status item(std::string_view text) {
    if (text == "all") return range(0, frames_.size());
    if (text == "first") return range(0, 1);
    if (text == "last") return range(frames_.size() - 1, frames_.size());
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return one(text);
    const std::string_view from = trimmed_item(text.substr(0, colon)), to = trimmed_item(text.substr(colon + 1));
    if (from.empty() && to.empty()) return wrong(text);
    std::size_t begin = 0, end = frames_.size();
    if (!from.empty()) {
      const auto bound = edge(from, true);
      if (!bound) return bound.error();
      begin = *bound;
    }
    if (!to.empty()) {
      const auto bound = edge(to, false);
      if (!bound) return bound.error();
      end = *bound;
    }
    if (begin >= end)
      return make_error(ErrorCode::command_line, fmt::format("{}: the run has no frame in {}", option_, text), there());
    return range(begin, end);
  }

  [[nodiscard]] std::vector<std::size_t> take() const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < chosen_.size(); ++i)
      if (chosen_[i]) out.push_back(i);
    return out;
  }

 private:
  Status range(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) chosen_[i] = true;
    return {};
  }
  [[nodiscard]] std::string there() const { return "Frames: " + frames_in_words(frames_) + "; -1 is the last."; }
  [[nodiscard]] Error wrong(std::string_view text) const {
    return make_error(
        ErrorCode::command_line,
        fmt::format("{}: expected all, first, last, numbers of frames or a range, found '{}'", option_, text),
        "For example 0,5,-1 or 10:20" + std::string(frames_.front().axis == FrameAxis::time        ? " or 0.1s:0.3s."
                                                    : frames_.front().axis == FrameAxis::frequency ? " or 1GHz:2GHz."
                                                                                                   : "."));
  }
  [[nodiscard]] Result<double> value(std::string_view text) const {
    const auto read = parse_quantity(text, unit_of(frames_.front().axis));
    if (read) return read->value;
    Error error = wrong(text);
    error.hint = read.error().text + ". " + error.hint;
    return error;
  }
  [[nodiscard]] std::uint64_t number(long long typed) const {
    const auto from_end = static_cast<std::size_t>(typed < 0 ? -typed : 0);
    if (typed >= 0) return static_cast<std::uint64_t>(typed);
    return from_end > frames_.size() ? frames_.front().number : frames_[frames_.size() - from_end].number;
  }
  Status one(std::string_view text) {
    if (const auto whole = whole_number(text)) {
      for (std::size_t i = 0; i < frames_.size(); ++i)
        if (frames_[i].number == number(*whole) && *whole >= -static_cast<long long>(frames_.size()))
          return range(i, i + 1);
      return make_error(ErrorCode::command_line, fmt::format("{}: the run has no frame {}", option_, text), there());
    }
    const auto wanted = value(text);
    if (!wanted) return wanted.error();
    std::size_t best = 0;
    for (std::size_t i = 1; i < frames_.size(); ++i)
      if (std::abs(frames_[i].value - *wanted) < std::abs(frames_[best].value - *wanted)) best = i;
    return range(best, best + 1);
  }
  /// The first position at or after the lower end, or behind the upper one.
  [[nodiscard]] Result<std::size_t> edge(std::string_view text, bool lower) const {
    std::size_t i = lower ? 0 : frames_.size();
    if (const auto whole = whole_number(text)) {
      const std::uint64_t n = number(*whole);
      if (lower)
        while (i < frames_.size() && frames_[i].number < n) ++i;
      else
        while (i > 0 && frames_[i - 1].number > n) --i;
      return i;
    }
    const auto at = value(text);
    if (!at) return at.error();
    const double slack = 1e-9 * std::abs(*at);  // what was typed is decimal, what is stored was added up
    if (lower)
      while (i < frames_.size() && frames_[i].value < *at - slack) ++i;
    else
      while (i > 0 && frames_[i - 1].value > *at + slack) --i;
    return i;
  }

  const std::vector<StoredFrame>& frames_;
  std::string_view option_;
  std::vector<bool> chosen_;
};

}  // namespace

std::string unit_of(FrameAxis axis) {
  return axis == FrameAxis::time ? "s" : axis == FrameAxis::frequency ? "Hz" : "1";
}

std::string name_of(FrameAxis axis) {
  return axis == FrameAxis::time ? "time" : axis == FrameAxis::frequency ? "frequency" : "iteration";
}

std::string moment_of(const StoredFrame& frame) {
  if (frame.axis == FrameAxis::iteration) return fmt::format("{:g}", frame.value);
  return format_quantity(frame.value, unit_of(frame.axis));
}

std::string frames_in_words(const std::vector<StoredFrame>& frames) {
  if (frames.empty()) return "none";
  return fmt::format("{} to {} ({} frames, {} to {})", frames.front().number, frames.back().number, frames.size(),
                     moment_of(frames.front()), moment_of(frames.back()));
}

Result<std::vector<std::size_t>> choose_frames(const std::vector<StoredFrame>& frames, std::string_view text,
                                               std::string_view option) {
  if (frames.empty())
    return make_error(ErrorCode::file, "the run has no finished frame yet", "Wait for its first frame.");
  Chooser chooser(frames, option);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    if (auto status = chooser.item(trimmed_item(text.substr(begin, end - begin))); !status) return status.error();
    begin = end + 1;
  }
  return chooser.take();
}

}  // namespace conoid
