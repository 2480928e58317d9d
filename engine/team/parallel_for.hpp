// SPDX-License-Identifier: BSD-3-Clause
// Loops of independent items on several threads: the one way that solvers and linear algebra open them.
#pragma once

#include <functional>

#include "engine/core/types.hpp"

namespace conoid {

/// Splits `items` into chunks of at most `grain` and runs body(chunk, thread) on `threads` threads (0: as many as OpenMP gives a
/// region, the calling one among them). Which thread takes which chunk is not fixed, so results must not depend on it; chunks
/// themselves are the same for any number of threads, so that sums by chunk are too. An exception ends the loop at the next chunks
/// and is passed on. `begin(thread)`, if given, is called by each thread before its first chunk.
void in_chunks(int threads, Interval items, Index grain, const std::function<void(Interval, int)>& body,
               const std::function<void(int)>& begin = {});

/// The same item by item: body(item).
template <class Body>
void parallel_for(int threads, Interval items, Index grain, const Body& body) {
  in_chunks(threads, items, grain, [&body](Interval chunk, int) {
    for (Index i = chunk.begin; i < chunk.end; ++i) body(i);
  });
}

}  // namespace conoid
