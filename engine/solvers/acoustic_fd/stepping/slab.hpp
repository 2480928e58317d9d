// SPDX-License-Identifier: BSD-3-Clause
// Which planes of x a rank has, how often ranks exchange, and the memory that a march over them takes.
#pragma once

#include "engine/core/types.hpp"
#include "engine/solvers/acoustic_fd/problem.hpp"

namespace conoid::acoustic_fd {

/// The planes of a rank: shares that differ by at most one.
[[nodiscard]] Interval slab(Index planes, int rank, int ranks);

/// Steps between two exchanges of ranks: short slabs have no room for many.
[[nodiscard]] Index steps_between_exchanges(const Problem& problem, int ranks);

/// Memory of one rank of `ranks`.
[[nodiscard]] Bytes march_bytes(const Problem& problem, int ranks);

}  // namespace conoid::acoustic_fd
