// SPDX-License-Identifier: BSD-3-Clause
// How many threads a short section that is run again and again should have, found while it runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace conoid {

/// A section that meets at barriers every few microseconds gains from a thread only where that thread's share is longer than a
/// barrier takes: how long that is differs from machine to machine by a factor of a hundred (cores of one cache, of two sockets,
/// of a virtual machine, cores that others use too). So widths are tried: the whole, a half, a quarter … 1. Between trials the
/// best one runs; its neighbours are tried again and again, more seldom as long as it stays the best, so that a run follows
/// what happens on the machine. The section's results must not depend on its width. From one thread.
class TunedWidth {
 public:
  /// `most` threads, at least 1.
  explicit TunedWidth(int most) {
    for (int w = std::max(1, most); w > 1; w = (w + 1) / 2) widths_.push_back(w);
    widths_.push_back(1);
  }
  /// For the next call of the section.
  [[nodiscard]] int width() const { return widths_[tried_]; }
  /// The best one so far.
  [[nodiscard]] int best() const { return widths_[at_]; }
  /// Seconds that the call with width() took, for so much work (iterations, say): seconds over work are compared.
  void took(double seconds, double work = 1) {
    if (widths_.size() == 1 || !(work > 0)) return;
    const double each = seconds / work;
    if (tried_ != at_) {
      other_ = std::min(other_, each);
      if (++calls_ < trial) return;
      const bool better = other_ < gain * own_;
      if (better) {
        at_ = tried_;
        own_ = other_;
      }
      rest_ = better ? trial : std::min(2 * rest_, longest_rest);
      down_ = better == down_;  // on in the direction that helped, else the other way
      begin_rest();
      return;
    }
    // What is compared with is as old as the trial, not the luckiest call of the whole run.
    if (calls_ == std::max(0, rest_ - trial)) own_ = std::numeric_limits<double>::infinity();
    own_ = std::min(own_, each);
    if (++calls_ < rest_) return;
    if (down_ ? at_ + 1 == widths_.size() : at_ == 0) down_ = !down_;
    tried_ = down_ ? at_ + 1 : at_ - 1;
    other_ = std::numeric_limits<double>::infinity();
    calls_ = 0;
  }

 private:
  static constexpr int trial = 4;  ///< calls; the quickest counts
  static constexpr int longest_rest =
      512;                              ///< calls between trials: trials of a width that takes twice as long cost 1 %
  static constexpr double gain = 0.97;  ///< less is noise
  void begin_rest() {
    tried_ = at_;
    calls_ = 0;
  }

  std::vector<int> widths_;         // falling
  std::size_t at_ = 0, tried_ = 0;  // of widths_
  bool down_ = true;                // to fewer threads next
  int calls_ = 0, rest_ = trial;
  double own_ = std::numeric_limits<double>::infinity(), other_ = own_;
};

}  // namespace conoid
