// SPDX-License-Identifier: BSD-3-Clause
// Items of a row dealt out to ranks.
#pragma once

#include "engine/core/types.hpp"

namespace conoid {

/// The interval of `rank` where `items` are shared among `ranks`: in rank order, without gaps, in sizes that differ by at most one (empty
/// for some where there are more ranks than items). For items × ranks < 2⁶³.
[[nodiscard]] constexpr Interval rank_share(Index items, Index rank, Index ranks) {
  return {items * rank / ranks, items * (rank + 1) / ranks};
}

}  // namespace conoid
