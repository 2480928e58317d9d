// SPDX-License-Identifier: BSD-3-Clause
// A round of steps: computed apart, gathered, handed out in order.
#include "engine/solvers/step_rounds.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace conoid {

Result<bool> StepRounds::bring(Index step, Index steps, Communicator& cluster,
                               const std::function<Result<Parcel>(Index)>& compute) {
  if (waiting_ > 0) return true;
  const Index mine = step + cluster.rank();
  Parcel answer;
  std::optional<Error> failed;
  if (mine < steps) {
    // An exception would leave the others waiting for this rank.
    try {
      auto made = compute(mine);
      if (made.ok())
        answer = std::move(*made);
      else
        failed = made.error();
    } catch (const std::exception&) {
      if (cluster.size() == 1) throw;
      failed = current_exception_as_error();
    }
  }
  const bool some_failed = cluster.maximum(failed ? 1.0 : 0.0) > 0;
  if (failed) return *failed;
  if (some_failed) return false;

  const auto length = static_cast<std::uint64_t>(answer.size());
  const std::vector<std::uint64_t> lengths = cluster.gather_values(std::span<const std::uint64_t>(&length, 1));
  const Parcel all = cluster.gather_values(std::span<const double>(answer));
  waiting_ = std::min<Index>(cluster.size(), steps - step);
  if (!cluster.leads()) return true;
  auto next = all.begin();
  for (Index k = 0; k < waiting_; ++k) {
    const auto end = next + static_cast<std::ptrdiff_t>(lengths[static_cast<std::size_t>(k)]);
    parcels_.emplace_back(next, end);
    next = end;
  }
  return true;
}

Parcel StepRounds::take() {
  verify(waiting_ > 0, "an answer waits");
  --waiting_;
  if (parcels_.empty()) return {};
  Parcel out = std::move(parcels_.front());
  parcels_.pop_front();
  return out;
}

void StepRounds::save(CheckpointWriter& writer) const {
  writer.value("answers that wait", waiting_);
  std::vector<Index> lengths;
  Parcel all;
  for (const Parcel& parcel : parcels_) {
    lengths.push_back(static_cast<Index>(parcel.size()));
    all.insert(all.end(), parcel.begin(), parcel.end());
  }
  writer.shared<Index>("lengths of answers", lengths);
  writer.shared<double>("answers", all);
}

void StepRounds::load(CheckpointReader& reader, bool leads) {
  parcels_.clear();
  waiting_ = reader.length("answers that wait") == 1 ? reader.value<Index>("answers that wait")
                                                     : 0;  // −1: before they were kept
  if (waiting_ == 0 || !leads) return;
  Index begin = 0;
  for (const Index length : reader.all<Index>("lengths of answers")) {
    Parcel& parcel = parcels_.emplace_back(static_cast<std::size_t>(length));
    reader.range<double>("answers", begin, parcel);
    begin += length;
  }
}

}  // namespace conoid
