// SPDX-License-Identifier: BSD-3-Clause
// A program under a small limit of address space ends with a sentence. OpenBLAS asks for its work space, 128 MB, while it is
// loaded, and asks for ever where there is none; so the question is put before the constructors of the libraries run, and again
// before its functions take more.
#pragma once

namespace conoid {

/// Ends the process with exit status 6 and a line on stderr where the limit of address space (ulimit -v) leaves too little to
/// start, and bounds the heaps of threads where it leaves little. Nothing of the program is constructed yet: system calls only, but
/// for mallopt(). Does nothing where there is no limit.
void require_room_to_start() noexcept;

/// How many threads a call of the BLAS may use: `wanted`, or fewer where the address space is limited. OpenBLAS takes 128 MB of it
/// for every thread of a call, asks for ever where there is none, and gets a quarter of the limit at most. The library takes
/// its share at the first call with more than one thread. Any thread; nothing else may be inside the BLAS at that first call.
[[nodiscard]] int blas_threads_with_room(int wanted) noexcept;

/// While alive, this thread may be inside a call of the BLAS. OpenBLAS takes 128 MB of address space for each call that is under
/// way at once, keeps them for the next, and asks for ever where there is none. Under a limit of address space this waits until
/// another call is over, or throws std::bad_alloc where there is not even room for one. Costs nothing without a limit; one that is set while
/// the process runs is heard of within 256 calls of a thread. Any thread; one at a time in each.
class BlasCall {
 public:
  BlasCall();
  ~BlasCall();
  BlasCall(const BlasCall&) = delete;
  BlasCall& operator=(const BlasCall&) = delete;

 private:
  bool counted_ = false;
};

}  // namespace conoid

/// Once, at the end of the file of main(): the linker keeps .preinit_array in programs only, not in libraries.
#define CONOID_REQUIRE_ROOM_TO_START                                                            \
  namespace {                                                                                   \
  __attribute__((section(".preinit_array"),                                                     \
                 used)) void (*const ask_for_room)() noexcept = &conoid::require_room_to_start; \
  }
