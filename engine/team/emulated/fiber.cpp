// SPDX-License-Identifier: BSD-3-Clause
// The jump, in both kinds, with what the sanitizers must be told about it.
#include "engine/team/emulated/fiber.hpp"

#include <pthread.h>

#include <cstdint>

#if CONOID_HAVE_BOOST_CONTEXT
#include <boost/context/detail/fcontext.hpp>
#endif
#if CONOID_FIBER_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if CONOID_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace conoid::emulated {
namespace {

#if CONOID_FIBER_ASAN
/// The host thread's own stack, which a jump back to it must name.
void own_stack(void** stack, std::size_t* size) {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, stack, size);
  pthread_attr_destroy(&attributes);
}
#endif

}  // namespace

#if CONOID_HAVE_BOOST_CONTEXT
namespace bcd = boost::context::detail;
struct BoostEntry {
  struct Jump {
    Fiber* from;
    Fiber* to;
  };
  static void arrived(bcd::transfer_t transfer) { static_cast<Jump*>(transfer.data)->from->context_ = transfer.fctx; }
  static void enter(bcd::transfer_t transfer) {
    Fiber* const self = static_cast<Jump*>(transfer.data)->to;
    arrived(transfer);
    Fiber::start(self);
  }
};
#endif

Fiber::~Fiber() {
  forget_frames();
#if CONOID_FIBER_TSAN
  if (sanitizer_ != nullptr && stack_ != nullptr) __tsan_destroy_fiber(sanitizer_);
#endif
}

void Fiber::start(Fiber* self) {
#if CONOID_FIBER_ASAN
  __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
  self->body_(self->argument_);
  __builtin_trap();
}

void Fiber::forget_frames() {
#if CONOID_FIBER_ASAN
  if (stack_ != nullptr) __asan_unpoison_memory_region(stack_, size_);
#endif
}

void Fiber::prepare(void* stack, std::size_t size, void (*body)(void*), void* argument) {
  body_ = body;
  argument_ = argument;
  stack_ = stack;
  size_ = size;
  forget_frames();
#if CONOID_FIBER_ASAN
  sanitizer_ = nullptr;
#endif
#if CONOID_FIBER_TSAN
  if (sanitizer_ != nullptr) __tsan_destroy_fiber(sanitizer_);
  sanitizer_ = __tsan_create_fiber(0);
#endif
#if CONOID_HAVE_BOOST_CONTEXT
  context_ = bcd::make_fcontext(static_cast<char*>(stack) + size, size, BoostEntry::enter);
#else
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack;
  context_.uc_stack.ss_size = size;
  context_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  void (*enter)(unsigned, unsigned) = [](unsigned high, unsigned low) {
    start(reinterpret_cast<Fiber*>((static_cast<std::uintptr_t>(high) << 32) | low));
  };
  makecontext(&context_, reinterpret_cast<void (*)()>(enter), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
#endif
}

void Fiber::jump(Fiber& from, Fiber& to) {
#if CONOID_FIBER_ASAN
  void* stack = to.stack_;
  std::size_t size = to.size_;
  if (stack == nullptr) own_stack(&stack, &size);
  __sanitizer_start_switch_fiber(&from.sanitizer_, stack, size);
#endif
#if CONOID_FIBER_TSAN
  if (from.stack_ == nullptr) from.sanitizer_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.sanitizer_, 0);
#endif
#if CONOID_HAVE_BOOST_CONTEXT
  BoostEntry::Jump jump{&from, &to};
  BoostEntry::arrived(bcd::jump_fcontext(to.context_, &jump));
#else
  swapcontext(&from.context_, &to.context_);
#endif
#if CONOID_FIBER_ASAN
  __sanitizer_finish_switch_fiber(from.sanitizer_, nullptr, nullptr);
#endif
}

}  // namespace conoid::emulated
