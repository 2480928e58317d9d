// SPDX-License-Identifier: BSD-3-Clause
#include "engine/core/room_to_start.hpp"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <new>

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

bool has_room(std::size_t bytes) noexcept {
  void* const place = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) return false;
  ::munmap(place, bytes);
  return true;
}

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

BlasCall::BlasCall() {
  if (!address_space_is_limited()) return;
  constexpr std::size_t room = std::size_t{136} << 20;
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

void require_room_to_start() noexcept {
  // The work space of OpenBLAS, the heap, and the stacks of a few threads.
  constexpr std::size_t room = std::size_t{192} << 20;
  constexpr char sentence[] =
      "conoid: error: not enough memory to start: the limit of address space leaves less than 192 MB beside the "
      "program\n"
      "  Raise the limit (ulimit -v unlimited).\n";
  if (!address_space_is_limited() || has_room(room)) return;
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence, sizeof sentence - 1);
  ::_exit(static_cast<int>(ErrorCode::resources));
}

}  // namespace conoid
