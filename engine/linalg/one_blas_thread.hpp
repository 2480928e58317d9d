// SPDX-License-Identifier: BSD-3-Clause
// OpenBLAS, where it is the BLAS of this process, on one thread for a while. Other BLAS libraries are left alone.
#pragma once

#include <dlfcn.h>

#include "engine/core/room_to_start.hpp"

namespace conoid {

/// For the life of the object; the number of threads is that of the whole process, so one object at a time.
class OneBlasThread {
 public:
  OneBlasThread() {
    if (set_ == nullptr || get_ == nullptr) return;
    before_ = get_();
    set_(1);
  }
  ~OneBlasThread() {
    if (before_ > 0) set_(blas_threads_with_room(before_));  // takes memory for each
  }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  using Set = void (*)(int);
  using Get = int (*)();
  Set set_ = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  Get get_ = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  int before_ = 0;
};

}  // namespace conoid
