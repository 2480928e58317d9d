// SPDX-License-Identifier: BSD-3-Clause
// Frames of a shot that marches beside another one, kept until their turn: results have the frames of all shots one after the other.
#pragma once

#include "engine/io/frame.hpp"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace conoid::acoustic_fd {

/// On images (ImageGeometry) alone. Fields that frames share, as the speed, are held once, in bytes too.
class ShotFrames {
 public:
  /// Of this step of the run, all shots before counted. In any order.
  void keep(std::shared_ptr<const Frame> frame);
  /// Null: there is none.
  [[nodiscard]] std::shared_ptr<const Frame> find(Index step) const;
  [[nodiscard]] bool empty() const { return frames_.empty(); }
  void clear() { frames_.clear(); }

  /// All of them, or one.
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] std::string bytes(Index step) const;
  /// What bytes() gave. Throws Failure where it is something else.
  void take(std::string_view bytes);

 private:
  std::map<Index, std::shared_ptr<const Frame>> frames_;
};

/// The parts and fields of `frame` that the builder wants, at its step.
void fill_from(const Frame& frame, FrameBuilder& builder);

}  // namespace conoid::acoustic_fd
