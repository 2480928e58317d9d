// SPDX-License-Identifier: BSD-3-Clause
// Progress of a run on stderr: one live line on a terminal, plain lines elsewhere, JSON lines for programs.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "engine/core/error.hpp"
#include "engine/session/session.hpp"

namespace conoid::cli {

enum class ProgressForm { line, plain, json, none };

/// "auto": a line on a terminal, plain elsewhere. Unknown words are an error that lists the known.
[[nodiscard]] Result<ProgressForm> progress_form(const std::string& word);

/// "march  43 %  step 860/2000  1.32 Gcells/s  12 s left"
[[nodiscard]] std::string progress_text(const ProgressEvent& event);

/// A rate with a readable prefix: (1.32e9, "cells") and (1.32, "Gcells") are both "1.32 Gcells/s".
[[nodiscard]] std::string rate_text(double per_second, std::string_view item);

class ProgressView {
 public:
  explicit ProgressView(ProgressForm form) : form_(form) {}
  ~ProgressView() { clear(); }
  void show(const ProgressEvent& event);
  void show(const StateEvent& event);
  /// Takes the live line away, before other text is printed.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void plain(const ProgressEvent& event);

  ProgressForm form_;
  bool line_shown_ = false;
  std::string phase_;
  int tenth_ = -1;
  Clock::time_point last_{};
};

}  // namespace conoid::cli
