// SPDX-License-Identifier: BSD-3-Clause
// How progress looks.
#include "engine/cli/progress_view.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include <fmt/core.h>

#include "engine/cli/output.hpp"
#include "engine/core/units.hpp"

namespace conoid::cli {
namespace {

/// The text's first columns that fit a terminal line.
std::string fitted(const std::string& text) {
  winsize size{};
  std::size_t columns = 80;
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) columns = size.ws_col;
  if (width(text) < columns) return text;
  std::string out;
  std::size_t used = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 && ++used >= columns) break;
    out += c;
  }
  return out;
}

double percent(const ProgressEvent& event) {
  const ProgressState& p = event.progress;
  return p.total > 0 ? 100.0 * static_cast<double>(p.done) / static_cast<double>(p.total) : -1;
}

}  // namespace

Result<ProgressForm> progress_form(const std::string& word) {
  if (word == "auto") return ::isatty(STDERR_FILENO) ? ProgressForm::line : ProgressForm::plain;
  if (word == "plain") return ProgressForm::plain;
  if (word == "json") return ProgressForm::json;
  if (word == "none") return ProgressForm::none;
  return make_error(ErrorCode::command_line,
                    fmt::format("--progress: expected auto, plain, json or none, found '{}'", word));
}

std::string rate_text(double per_second, std::string_view item) {
  struct Prefix {
    char letter;
    double factor;
  };
  static constexpr Prefix prefixes[] = {{'T', 1e12}, {'G', 1e9}, {'M', 1e6}, {'k', 1e3}};
  std::string name(item.empty() ? "items" : item);
  if (name.ends_with("/s")) name.resize(name.size() - 2);
  // "Gcells": the unit is named with its prefix already.
  if (name.size() > 2 && std::islower(static_cast<unsigned char>(name[1])))
    for (const Prefix& p : prefixes)
      if (name[0] == p.letter && p.letter != 'k') {
        const double in_unit = per_second >= 1e-3 * p.factor ? per_second / p.factor : per_second;
        return fmt::format("{:.3g} {}/s", in_unit, name);
      }
  for (const Prefix& p : prefixes)
    if (per_second >= p.factor) return fmt::format("{:.3g} {}{}/s", per_second / p.factor, p.letter, name);
  return fmt::format("{:.3g} {}/s", per_second, name);
}

std::string progress_text(const ProgressEvent& event) {
  const ProgressState& p = event.progress;
  std::string out = p.phase.empty() ? "starting" : p.phase;
  if (percent(event) >= 0) out += fmt::format("  {:3.0f} %", std::min(100.0, percent(event)));
  if (p.total > 0)
    out += fmt::format("  {} {}/{}", p.unit.empty() ? "item" : p.unit, p.done, p.total);
  else if (p.done > 0)
    out += fmt::format("  {} {}", p.unit.empty() ? "item" : p.unit, p.done);
  if (p.criterion > 0 && p.target > 0) out += fmt::format("  residual {:.2e} (target {:.1e})", p.criterion, p.target);
  if (p.items_per_second > 0) out += "  " + rate_text(p.items_per_second, p.item_name);
  if (event.eta) out += fmt::format("  {} left", format_duration(*event.eta));
  return out;
}

void ProgressView::show(const ProgressEvent& event) {
  switch (form_) {
    case ProgressForm::none: return;
    case ProgressForm::line:
      std::fprintf(stderr, "\r\033[K%s", fitted(progress_text(event)).c_str());
      std::fflush(stderr);
      line_shown_ = true;
      return;
    case ProgressForm::plain: plain(event); return;
    case ProgressForm::json: {
      const ProgressState& p = event.progress;
      Json json = {{"phase", p.phase},
                   {"done", p.done},
                   {"total", p.total},
                   {"unit", p.unit},
                   {"step", event.step},
                   {"steps", event.steps},
                   {"value", number_json(event.value)},
                   {"elapsed", event.elapsed}};
      if (p.items_per_second > 0) json["rate"] = {{"per_second", p.items_per_second}, {"item", p.item_name}};
      if (p.criterion > 0) json["criterion"] = number_json(p.criterion);
      if (event.eta) json["eta"] = *event.eta;
      std::fprintf(stderr, "%s\n", compact_json(json).c_str());
      return;
    }
  }
}

/// A line a phase, a line every tenth of a phase, and one a minute where nothing can be counted.
void ProgressView::plain(const ProgressEvent& event) {
  const int tenth = percent(event) < 0 ? -1 : static_cast<int>(percent(event) / 10);
  const auto now = Clock::now();
  const bool fresh = event.progress.phase != phase_ || tenth > tenth_ || now - last_ > std::chrono::minutes(1);
  if (!fresh || event.progress.phase.empty()) return;
  phase_ = event.progress.phase;
  tenth_ = tenth;
  last_ = now;
  std::fprintf(stderr, "%s\n", progress_text(event).c_str());
}

void ProgressView::show(const StateEvent& event) {
  if (form_ != ProgressForm::json) return;
  const Json json = {{"state", name_of(event.state)}};
  std::fprintf(stderr, "%s\n", compact_json(json).c_str());
}

void ProgressView::clear() {
  if (!line_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  line_shown_ = false;
}

}  // namespace conoid::cli
