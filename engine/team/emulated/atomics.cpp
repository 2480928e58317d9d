// SPDX-License-Identifier: BSD-3-Clause
// Atomic operations: blocks of one kernel may run on several host threads.
#include <bit>
#include <type_traits>

#include "engine/team/emulated/check.hpp"
#include "engine/team/emulated/model.hpp"

namespace conoid::emulated {
namespace {

template <class T>
T changed(T old, T v, AtomicKind kind) {
  switch (kind) {
    case AtomicKind::add: return old + v;
    case AtomicKind::subtract: return old - v;
    case AtomicKind::exchange: return v;
    case AtomicKind::min: return v < old ? v : old;
    case AtomicKind::max: return old < v ? v : old;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (kind == AtomicKind::bit_and) return old & v;
    if (kind == AtomicKind::bit_or) return old | v;
    if (kind == AtomicKind::bit_xor) return old ^ v;
  }
  return old;
}

template <class T>
T update(T* p, T v, AtomicKind kind, const void* code) {
  using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  check_range(p, sizeof(T), Access::atomic, code);
  auto* const word = reinterpret_cast<Word*>(p);
  Word seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  for (;;) {
    const T old = std::bit_cast<T>(seen);
    if (__atomic_compare_exchange_n(word, &seen, std::bit_cast<Word>(changed(old, v, kind)), true, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return old;
  }
}

template <class T>
T swap_if(T* p, T expected, T v, const void* code) {
  check_range(p, sizeof(T), Access::atomic, code);
  __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  return expected;
}

}  // namespace

#define CONOID_UPDATE(T)                                    \
  T atomic(T* p, T v, AtomicKind kind) {                    \
    return update(p, v, kind, __builtin_return_address(0)); \
  }
CONOID_UPDATE(int)
CONOID_UPDATE(unsigned)
CONOID_UPDATE(long long)
CONOID_UPDATE(unsigned long long)
CONOID_UPDATE(float)
CONOID_UPDATE(double)
#undef CONOID_UPDATE

void raise_number(unsigned long long* number, unsigned long long value) {
  check_range(number, sizeof *number, Access::atomic, __builtin_return_address(0));
  __atomic_store_n(number, value, __ATOMIC_RELEASE);
}

int atomic_swap_if(int* p, int expected, int v) {
  return swap_if(p, expected, v, __builtin_return_address(0));
}
unsigned atomic_swap_if(unsigned* p, unsigned expected, unsigned v) {
  return swap_if(p, expected, v, __builtin_return_address(0));
}
unsigned long long atomic_swap_if(unsigned long long* p, unsigned long long expected, unsigned long long v) {
  return swap_if(p, expected, v, __builtin_return_address(0));
}

}  // namespace conoid::emulated
