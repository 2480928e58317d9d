// SPDX-License-Identifier: BSD-3-Clause
// glibc's allocator.
#include "app/model/heap.hpp"

#include <cstdlib>

#include <QThreadPool>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace conoid::app {

void set_up_heap() {
#ifdef __GLIBC__
  constexpr int arenas = 2, own_blocks_from = 256 * 1024;
  mallopt(M_ARENA_MAX, arenas);
  mallopt(M_MMAP_THRESHOLD, own_blocks_from);  // a set one does not grow with what is freed
  mallopt(M_TRIM_THRESHOLD, own_blocks_from);
#endif
}

void trim_heap() {
#ifdef __GLIBC__
  QThreadPool::globalInstance()->start([] { malloc_trim(0); });
#endif
}

}  // namespace conoid::app
