// SPDX-License-Identifier: BSD-3-Clause
// How many cores threads have: two on one core share its registers, caches and clock.
#pragma once

namespace conoid {

/// Cores to which the first `threads` of places_of_this_thread() belong (affinity.hpp); 0: not known, where this build cannot bind. Of a virtual machine what it is
/// told. Any thread.
[[nodiscard]] int cores_of_threads(int threads);

}  // namespace conoid
