// SPDX-License-Identifier: BSD-3-Clause
// Calls that were given up and still run on a thread of their own: nothing can interrupt a library from outside.
#pragma once

namespace conoid {

/// Held by such a thread. While one is held, the program ends without its static objects and libraries being taken down
/// under the running call: exit() flushes standard output and ends the process at once, with its code. Any thread.
class LeftBehind {
 public:
  LeftBehind();
  ~LeftBehind();
  LeftBehind(const LeftBehind&) = delete;
  LeftBehind& operator=(const LeftBehind&) = delete;
};

}  // namespace conoid
