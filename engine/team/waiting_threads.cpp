// SPDX-License-Identifier: BSD-3-Clause
// How long OpenMP's threads keep their cores while they wait for each other.
//
// Left alone, libgomp lets a thread spin 300,000 times, some ten milliseconds, before it sleeps, whoever else could use the core.
// That pays where every thread has a core of its own; where more threads can run than there are cores, the thread that is waited
// for may stand in line behind the one that spins: two threads on two cores shared with ten others took three times the
// processor time and four times as long. Two thousand turns, some fifty microseconds, still bridge the gaps between one parallel
// region and the next. Where at the start more threads can run than there are cores even those are too many for regions of some
// hundred microseconds (Sod's tube on 50 zones, two threads on two cores that twenty others wanted: 1.2 s of processor time, with one
// hundred turns, a few microseconds, 0.42, with one thread 0.44): there a hundred are taken.
//
// libgomp asks for its settings while it is loaded, before anything of the program runs, so the answer is given where it asks.
#include "conoid/config.hpp"

#if CONOID_HAVE_OPENMP
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace {

char* look_up(std::string_view name) noexcept {
  if (environ == nullptr) return nullptr;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, name.data(), name.size()) == 0 && (*entry)[name.size()] == '=')
      return *entry + name.size() + 1;
  return nullptr;
}

/// By /proc/loadavg, "average average average runnable/all last", of which this thread is one. Plain calls of the system: nothing
/// of the program is there yet.
bool more_can_run_than_there_are_cores() noexcept {
  const int file = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char text[128] = {};
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  const char* at = text;
  for (int k = 0; k < 3; ++k) {
    at = std::strchr(at, ' ');
    if (length <= 0 || at == nullptr) return false;
    ++at;
  }
  cpu_set_t mine;
  return sched_getaffinity(0, sizeof mine, &mine) == 0 && std::atoi(at) > std::max(1, CPU_COUNT(&mine));
}

}  // namespace

// The call of the C library, which nobody but libgomp makes for this name. What the user has set holds.
extern "C" char* getenv(const char* name) noexcept {
  static char turns[] = "2000", few_turns[] = "100";
  if (char* const found = look_up(name)) return found;
  if (std::strcmp(name, "GOMP_SPINCOUNT") != 0 || look_up("OMP_WAIT_POLICY") != nullptr) return nullptr;
  return more_can_run_than_there_are_cores() ? few_turns : turns;
}
#endif
