// SPDX-License-Identifier: BSD-3-Clause
// Steps that do not need each other (frequencies, angles), shared by the ranks of a run.
//
// Ranks compute a round of as many steps as there are ranks, each one of its own; the leading rank then has the answers of all and hands
// them out one by one, in their order. What a run writes, and where its checkpoints stand, so does not depend on the number of ranks.
// Where steps run out, ranks of the last round have nothing to do.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cluster/communicator.hpp"
#include "engine/core/error.hpp"
#include "engine/core/types.hpp"
#include "engine/io/checkpoint.hpp"

namespace conoid {

/// The answer of a step on its way between ranks and into checkpoints: numbers.
using Parcel = std::vector<double>;

/// Numbers that a T is made of.
template <class T>
inline constexpr std::size_t numbers_of = sizeof(T) / sizeof(double);  // NOLINT: a T may be one

/// Lists of numbers one after the other, each behind its length.
class ParcelWriter {
 public:
  template <class T>
  void put(const std::vector<T>& list) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
    const std::size_t at = parcel_.size() + 1, numbers = list.size() * numbers_of<T>;
    parcel_.push_back(static_cast<double>(list.size()));
    parcel_.resize(at + numbers);
    if (numbers > 0) std::memcpy(parcel_.data() + at, list.data(), numbers * sizeof(double));
  }
  template <class T>
  void put(const std::vector<std::vector<T>>& lists) {
    parcel_.push_back(static_cast<double>(lists.size()));
    for (const std::vector<T>& list : lists) put(list);
  }
  [[nodiscard]] Parcel finish() { return std::move(parcel_); }

 private:
  Parcel parcel_;
};

/// Reads them in the order in which they were put.
class ParcelReader {
 public:
  explicit ParcelReader(const Parcel& parcel) : parcel_(parcel) {}
  template <class T>
  void get(std::vector<T>& list) {
    list.resize(length());
    const std::size_t numbers = list.size() * numbers_of<T>;
    verify(at_ + numbers <= parcel_.size(), "a parcel has what was put into it");
    if (numbers > 0) std::memcpy(static_cast<void*>(list.data()), parcel_.data() + at_, numbers * sizeof(double));
    at_ += numbers;
  }
  template <class T>
  void get(std::vector<std::vector<T>>& lists) {
    lists.resize(length());
    for (std::vector<T>& list : lists) get(list);
  }

  [[nodiscard]] bool at_end() const { return at_ >= parcel_.size(); }

 private:
  [[nodiscard]] std::size_t length() {
    verify(at_ < parcel_.size(), "a parcel has what was put into it");
    return static_cast<std::size_t>(parcel_[at_++]);
  }
  const Parcel& parcel_;
  std::size_t at_ = 0;
};

/// The round that is being handed out. From the engine thread, on every rank alike.
class StepRounds {
 public:
  /// Sees to it that the leading rank has the answer of `step`, of so many in all: where none waits, all ranks compute a round that begins
  /// with it; collective. The error of a rank is returned on that rank alone, what it threw too; false on the others: they have nothing to
  /// go on with, and the session tells them of it.
  [[nodiscard]] Result<bool> bring(Index step, Index steps, Communicator& cluster,
                                   const std::function<Result<Parcel>(Index)>& compute);
  /// Hands out the answer, which is empty on ranks that do not lead.
  [[nodiscard]] Parcel take();
  /// Answers that were computed and not handed out, on every rank alike.
  [[nodiscard]] Index waiting() const { return waiting_; }

  /// What waits goes into a checkpoint, and on from there on any number of ranks.
  void save(CheckpointWriter& writer) const;
  void load(CheckpointReader& reader, bool leads);

 private:
  Index waiting_ = 0;           ///< answers that were computed and not handed out
  std::deque<Parcel> parcels_;  ///< those, on the leading rank
};

/// Rounds that so many steps take on so many ranks.
[[nodiscard]] constexpr Index rounds_of(Index steps, int ranks) {
  return (steps + ranks - 1) / ranks;
}

}  // namespace conoid
