// SPDX-License-Identifier: BSD-3-Clause
// Frames of a run one after the other, for films: the next one is read while the last one is drawn.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <vector>

#include "engine/run/derived_frame.hpp"
#include "engine/run/run_reader.hpp"

namespace conoid {

/// The frame with its fields by formula, as far as names, units and ranges are asked for before it is drawn.
[[nodiscard]] Result<std::shared_ptr<const Frame>> with_formulas(std::shared_ptr<const Frame> frame,
                                                                 const std::vector<FormulaField>& formulas);

/// Frames that were read once are kept as far as they fit into 1 GiB. One thread may call; another reads ahead. The reader outlives
/// the reel, and nobody else uses it meanwhile.
class FrameReel {
 public:
  /// `film`: positions in the reader's list, in the order of the pictures.
  FrameReel(VtkhdfReader& reader, FrameRequest what, std::vector<FormulaField> formulas, std::vector<std::size_t> film);
  [[nodiscard]] std::size_t size() const { return film_.size(); }
  /// The frame of picture k < size(). That of the next one is read while the caller works on this one.
  [[nodiscard]] Result<std::shared_ptr<const Frame>> at(std::size_t k);

 private:
  using Read = Result<std::shared_ptr<const Frame>>;
  [[nodiscard]] Read read(std::size_t k) const;
  void keep(std::size_t k, const std::shared_ptr<const Frame>& frame);

  VtkhdfReader& reader_;
  FrameRequest what_;
  std::vector<FormulaField> formulas_;
  std::vector<std::size_t> film_;
  std::map<std::size_t, std::shared_ptr<const Frame>> kept_;
  Bytes held_ = 0;
  std::size_t ahead_of_ = 0;  // the picture that is read ahead
  std::future<Read> ahead_;   // its destructor waits
};

}  // namespace conoid
