// SPDX-License-Identifier: BSD-3-Clause
// Past values a_j^n of every unknown, contiguous in time, as the row-vectors meet them.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_bem/kernels/summation.hpp"

namespace conoid::acoustic_bem {

/// Memory aligned to a cache line, as the kernels want it.
template <class Real>
class AlignedVector {
 public:
  explicit AlignedVector(std::size_t count = 0) : count_(count) {
    const std::size_t bytes = (count * sizeof(Real) + 63) / 64 * 64;
    if (bytes == 0) return;
    data_.reset(static_cast<Real*>(std::aligned_alloc(64, bytes)));
    if (!data_) throw std::bad_alloc();
    std::fill_n(data_.get(), count, Real{0});
  }
  [[nodiscard]] Real* data() const { return data_.get(); }
  [[nodiscard]] std::size_t size() const { return count_; }

 private:
  struct Free {
    void operator()(Real* p) const { std::free(p); }
  };
  std::unique_ptr<Real[], Free> data_;
  std::size_t count_ = 0;
};

/// One series of past values an unknown; the newest step known to all is `step()`. Values after it, and before step 1,
/// are zero. Memory holds `reach` steps back and moves on in blocks.
template <class Real>
class History {
 public:
  History(Index unknowns, Index reach, Index ahead)
      : unknowns_(unknowns), reach_(reach + past_margin), ahead_(ahead + past_margin + 1) {
    capacity_ = 2 * (reach_ + ahead_) + 512;
    values_ = AlignedVector<Real>(static_cast<std::size_t>(unknowns_ * capacity_));
    newest_ = reach_;
  }
  [[nodiscard]] Index step() const { return step_; }
  [[nodiscard]] Index reach() const { return reach_ - past_margin; }
  /// past(j)[−k] = a_j^{step + 1 − k}.
  [[nodiscard]] const Real* past(Index j) const { return values_.data() + j * capacity_ + newest_ + 1; }
  /// a_j^{step − back}
  [[nodiscard]] Real value(Index j, Index back) const { return past(j)[-1 - back]; }
  /// Sets a^{step + ahead} of one unknown, ahead ≥ 1, before advance().
  void set(Index j, Index ahead, Real v) { values_.data()[j * capacity_ + newest_ + ahead] = v; }
  /// What was set so, and what is known, ahead ≤ 0.
  [[nodiscard]] Real at(Index j, Index ahead) const { return values_.data()[j * capacity_ + newest_ + ahead]; }
  /// Nothing is known but that so many steps were taken; set() then takes `ahead` down to −reach().
  void restart(Index step) {
    std::fill_n(values_.data(), values_.size(), Real{0});
    step_ = step;
    newest_ = reach_;
  }
  /// `steps` more are known.
  void advance(Index steps) {
    step_ += steps;
    newest_ += steps;
    if (newest_ + ahead_ <= capacity_) return;
    const Index back = newest_ - reach_;
    for (Index j = 0; j < unknowns_; ++j) {
      Real* const v = values_.data() + j * capacity_;
      std::copy(v + back, v + newest_ + 1, v);
      std::fill(v + reach_ + 1, v + capacity_, Real{0});
    }
    newest_ = reach_;
  }
  /// The last reach() + 1 values of unknown j, oldest first, and back.
  void save(Index j, std::span<Real> out) const {
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] = past(j)[static_cast<Index>(k) - static_cast<Index>(out.size())];
  }
  void load(Index step, const std::vector<Real>& all) {
    restart(step);
    const Index kept = reach() + 1;
    for (Index j = 0; j < unknowns_; ++j)
      std::copy_n(all.data() + j * kept, kept, values_.data() + j * capacity_ + newest_ + 1 - kept);
  }

 private:
  Index unknowns_, reach_, ahead_, capacity_ = 0, newest_ = 0, step_ = 0;
  AlignedVector<Real> values_;
};

}  // namespace conoid::acoustic_bem
