// SPDX-License-Identifier: BSD-3-Clause
// A count, and a look at it when the program ends.
#include "engine/core/left_behind.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace conoid {
namespace {

std::atomic<int>& count() {
  static std::atomic<int> running{0};
  return running;
}

}  // namespace

LeftBehind::LeftBehind() {
  ++count();
#ifdef __GLIBC__
  // Registered late, so that it comes before what was set up earlier is taken down.
  static std::once_flag once;
  std::call_once(once, [] {
    on_exit(
        [](int status, void*) {
          if (count() == 0) return;
          std::fflush(nullptr);
          _exit(status);
        },
        nullptr);
  });
#endif
}

LeftBehind::~LeftBehind() {
  --count();
}

}  // namespace conoid
