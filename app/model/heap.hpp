// SPDX-License-Identifier: BSD-3-Clause
// The memory of the process: what a run leaves goes back to the system.
#pragma once

namespace conoid::app {

/// Once, before threads are started. Every run has threads of its own, and glibc gives threads that meet a heap each, up to eight a
/// core: blocks that outlive a run keep each of these heaps from shrinking, and a window that stays open for days grows with every
/// run. So there are two heaps: one for the window, one for what computes; blocks from a quarter of a MiB on are given back as they
/// are freed. Elsewhere than with glibc nothing.
void set_up_heap();

/// Gives back what is free, on a thread of its own: after a run has been closed. Any thread may call.
void trim_heap();

}  // namespace conoid::app
