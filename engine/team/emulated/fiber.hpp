// SPDX-License-Identifier: BSD-3-Clause
// A stack of its own for each thread of a block, and the jump from one to another: Boost.Context's assembly where it is
// installed, else the C library's ucontext (complete, but two system calls a jump).
#pragma once

#include <cstddef>

#include "conoid/config.hpp"

#if !CONOID_HAVE_BOOST_CONTEXT
#include <ucontext.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define CONOID_FIBER_ASAN 1
#else
#define CONOID_FIBER_ASAN 0
#endif
#if defined(__SANITIZE_THREAD__)
#define CONOID_FIBER_TSAN 1
#else
#define CONOID_FIBER_TSAN 0
#endif

namespace conoid::emulated {

/// Not movable: a running fiber points at itself. All fibers of a group run on one host thread.
class Fiber {
 public:
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Makes this a fiber that runs body(argument), which must not return, on [stack, stack + size) when it is jumped to.
  /// May be called again to abandon what it was doing. A default fiber stands for the host thread itself.
  void prepare(void* stack, std::size_t size, void (*body)(void*), void* argument);
  /// Leaves the fiber `from`, which is the one running, and goes on with `to`.
  static void jump(Fiber& from, Fiber& to);

 private:
  static void start(Fiber* self);
  /// The address sanitizer remembers frames that have not returned, and would find them in whatever comes to their place.
  void forget_frames();
#if CONOID_HAVE_BOOST_CONTEXT
  void* context_ = nullptr;
  friend struct BoostEntry;
#else
  ucontext_t context_{};
#endif
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  void* stack_ = nullptr;
  std::size_t size_ = 0;
  void* sanitizer_ = nullptr;  ///< its fake stack (ASan) or its identity (TSan)
};

}  // namespace conoid::emulated
