// SPDX-License-Identifier: BSD-3-Clause
// The few types every layer shares: counts, bytes, small vectors.
#pragma once

#include <array>
#include <cstdint>

namespace conoid {

using Index = std::int64_t;   ///< counts and positions; 64 bits everywhere
using Bytes = std::uint64_t;  ///< sizes of memory and files
using Vec3 = std::array<double, 3>;

/// A contiguous row of items, end not included.
struct Interval {
  Index begin = 0;
  Index end = 0;
  [[nodiscard]] constexpr Index size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return end <= begin; }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

}  // namespace conoid
