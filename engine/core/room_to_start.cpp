// SPDX-License-Identifier: BSD-3-Clause
#include "engine/core/room_to_start.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>
#include <string_view>

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/core/error.hpp"

namespace conoid {
namespace {

bool address_space_is_limited() noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

/// The same for calls that come by the million: the kernel answers under a lock of the whole process, so that sixteen threads with small
/// products would wait for it. Each thread asks again after a while, and in another process.
bool address_space_seems_limited() noexcept {
  thread_local pid_t asked_in = 0;
  thread_local unsigned calls = 0;
  thread_local bool limited = false;
  if (const pid_t here = ::getpid(); here != asked_in || calls++ % 256 == 0) {
    asked_in = here;
    limited = address_space_is_limited();
  }
  return limited;
}

bool has_room(std::size_t bytes) noexcept {
  void* const place =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  ::munmap(place, bytes);
  return true;
}

/// A block of OpenBLAS and the heap's needs beside it.
constexpr std::size_t blas_block = std::size_t{136} << 20;

/// Calls under way, and how many at once the library has had room for.
struct BlasCalls {
  std::mutex mutex;
  std::condition_variable changed;
  int now = 0;
  int most = 0;
};
BlasCalls& blas_calls() {
  static BlasCalls calls;
  return calls;
}

}  // namespace

int blas_threads_with_room(int wanted) noexcept {
  if (wanted <= 1 || !address_space_is_limited()) return wanted;
  // OpenBLAS is made to take the blocks now, while there is room, and keeps them: no later call asks for more.
  static const int most = [] {
    const auto take = reinterpret_cast<void* (*)(int)>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
    const auto leave = reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
    if (take == nullptr || leave == nullptr) return 1 << 20;  // another library, which takes no such blocks
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    std::array<void*, 48> blocks{};
    const auto affordable = std::min({static_cast<std::size_t>(limit.rlim_cur / 4 / blas_block), blocks.size(),
                                      static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))) + 2});
    std::size_t taken = 0;
    while (taken < affordable && has_room(blas_block)) blocks[taken++] = take(0);
    for (std::size_t k = 0; k < taken; ++k) leave(blocks[k]);
    return std::max(1, static_cast<int>(taken) - 2);  // one for a call itself, one for a call beside it
  }();
  return std::min(wanted, most);
}

BlasCall::BlasCall() {
  if (!address_space_seems_limited()) return;
  constexpr std::size_t room = blas_block;
  BlasCalls& calls = blas_calls();
  std::unique_lock lock(calls.mutex);
  while (calls.now >= calls.most) {
    if (has_room(room))
      ++calls.most;
    else if (calls.most == 0)
      throw std::bad_alloc();
    else
      calls.changed.wait(lock);
  }
  ++calls.now;
  counted_ = true;
}

BlasCall::~BlasCall() {
  if (!counted_) return;
  BlasCalls& calls = blas_calls();
  {
    const std::lock_guard lock(calls.mutex);
    --calls.now;
  }
  calls.changed.notify_one();
}

namespace {
[[noreturn]] void end_without_room(std::string_view sentence) noexcept {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  ::_exit(static_cast<int>(ErrorCode::resources));
}
}  // namespace

void require_room_to_start() noexcept {
  // The work space of OpenBLAS, the heap, and the stacks of a few threads.
  constexpr std::size_t room = std::size_t{192} << 20;
  constexpr char sentence[] =
      "conoid: error: not enough memory to start: the limit of address space leaves less than 192 MB beside the "
      "program\n"
      "  Raise the limit (ulimit -v unlimited).\n";
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  if (!has_room(room)) end_without_room(sentence);
  // Each thread has a heap of its own, for which the C library keeps 64 MiB; where there are none left, every allocation of that
  // thread takes a page. An eighth of the limit at most is for such heaps; without one a thread shares that of main().
  constexpr rlim_t heap = rlim_t{64} << 20;
  if (limit.rlim_cur / 8 / heap < 256) ::mallopt(M_ARENA_MAX, std::max(1, static_cast<int>(limit.rlim_cur / 8 / heap)));
}

}  // namespace conoid

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// The call of the C library, for the sake of libgomp: where it gets no thread it ends the process with status 1. What was
// computed goes on from its last checkpoint, as after a kill. Everyone else is told of the failure.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*work)(void*), void* with) noexcept {
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  const int wrong = create(thread, how, work, with);
  if (wrong != EAGAIN) return wrong;
  Dl_info caller{};
  if (dladdr(__builtin_return_address(0), &caller) != 0 && caller.dli_fname != nullptr &&
      std::string_view(caller.dli_fname).find("libgomp") != std::string_view::npos)
    conoid::end_without_room(
        "conoid: error: not enough memory for the threads that were asked for\n"
        "  Compute with fewer threads (--threads), or raise the limits of address space and of threads (ulimit -v, "
        "-u).\n");
  return wrong;
}
#endif
