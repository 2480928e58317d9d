// SPDX-License-Identifier: BSD-3-Clause
#include "engine/core/room_to_start.hpp"

#include <cstddef>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/core/error.hpp"

namespace conoid {

void require_room_to_start() noexcept {
  // The work space of OpenBLAS, the heap, and the stacks of a few threads.
  constexpr std::size_t room = std::size_t{192} << 20;
  constexpr char sentence[] =
      "conoid: error: not enough memory to start: the limit of address space leaves less than 192 MB beside the "
      "program\n"
      "  Raise the limit (ulimit -v unlimited).\n";
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  void* const place = ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place != MAP_FAILED) {
    ::munmap(place, room);
    return;
  }
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, sentence, sizeof sentence - 1);
  ::_exit(static_cast<int>(ErrorCode::resources));
}

}  // namespace conoid
