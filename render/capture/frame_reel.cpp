// SPDX-License-Identifier: BSD-3-Clause
// Reading ahead, and keeping what was read.
#include "render/capture/frame_reel.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace conoid {
namespace {

constexpr Bytes most_kept = Bytes{1} << 30;

Bytes bytes_of(const Frame& frame) {
  Bytes out = 0;
  for (const FramePart& part : frame.parts) {
    for (const Field& field : part.fields) out += field.values ? field.values->size() * sizeof(float) : 0;
    if (const auto* mesh = std::get_if<MeshGeometry>(&part.geometry); mesh && mesh->points)
      out += mesh->points->size() * sizeof(double);
  }
  return out;
}

}  // namespace

Result<std::shared_ptr<const Frame>> with_formulas(std::shared_ptr<const Frame> frame,
                                                   const std::vector<FormulaField>& formulas) {
  FrameRecipe recipe;
  recipe.formulas = formulas;
  return derive(std::move(frame), recipe);
}

FrameReel::FrameReel(VtkhdfReader& reader, FrameRequest what, std::vector<FormulaField> formulas,
                     std::vector<std::size_t> film)
    : reader_(reader), what_(std::move(what)), formulas_(std::move(formulas)), film_(std::move(film)) {}

FrameReel::Read FrameReel::read(std::size_t k) const {
  const auto frame = reader_.read(film_[k], what_);
  return frame ? with_formulas(*frame, formulas_) : frame;
}

void FrameReel::keep(std::size_t k, const std::shared_ptr<const Frame>& frame) {
  const Bytes bytes = bytes_of(*frame);
  if (held_ + bytes > most_kept || !kept_.emplace(k, frame).second) return;
  held_ += bytes;
}

Result<std::shared_ptr<const Frame>> FrameReel::at(std::size_t k) {
  std::optional<Read> found;
  if (ahead_.valid()) {
    Read read_ahead = ahead_.get();
    if (read_ahead) keep(ahead_of_, *read_ahead);
    if (ahead_of_ == k) found = std::move(read_ahead);
  }
  if (!found) {
    if (const auto known = kept_.find(k); known != kept_.end()) {
      found = known->second;
    } else {
      found = read(k);
      if (*found) keep(k, **found);
    }
  }
  if (*found && k + 1 < size() && !kept_.contains(k + 1)) {
    ahead_of_ = k + 1;
    ahead_ = std::async(std::launch::async, [this, next = k + 1] { return read(next); });
  }
  return std::move(*found);
}

}  // namespace conoid
