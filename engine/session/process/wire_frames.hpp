// SPDX-License-Identifier: BSD-3-Clause
// Frames as messages. Arrays that the last frame had already (a mesh that does not move) are named, not sent again.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/io/frame.hpp"

namespace conoid::process {

class FrameEncoder {
 public:
  [[nodiscard]] std::string encode(const Frame& frame);

 private:
  struct Known {
    std::shared_ptr<const void> held;  ///< so that no other array comes to lie at the same address
    std::uint64_t id;
  };
  std::unordered_map<const void*, Known> known_;
  std::uint64_t next_id_ = 1;
};

/// Gives sound frames only: every node a point, every field as long as its geometry. Throws Failure(remote).
class FrameDecoder {
 public:
  [[nodiscard]] std::shared_ptr<const Frame> decode(std::string_view body);

 private:
  struct Checked {
    std::shared_ptr<const void> connectivity, offsets, types;
    std::size_t coordinates = 0;
    friend bool operator==(const Checked&, const Checked&) = default;
  };
  void check(const MeshGeometry& mesh, std::vector<Checked>& now);

  std::unordered_map<std::uint64_t, std::shared_ptr<const void>> known_;
  std::vector<Checked> checked_;
};

}  // namespace conoid::process
