// SPDX-License-Identifier: BSD-3-Clause
// How long OpenMP's threads keep their cores while they wait for each other.
//
// Left alone, libgomp lets a thread spin 300,000 times, some ten milliseconds, before it sleeps, whoever else could use the core.
// That pays where every thread has a core of its own; where more threads can run than there are cores, the thread that is waited
// for may stand in line behind the one that spins: two threads on two cores shared with ten others took three times the
// processor time and four times as long. Two thousand turns, some fifty microseconds, still bridge the gaps between one parallel
// region and the next.
//
// libgomp asks for its settings while it is loaded, before anything of the program runs, so the answer is given where it asks.
#include "conoid/config.hpp"

#if CONOID_HAVE_OPENMP
#include <cstring>
#include <string_view>

#include <unistd.h>

namespace {

char* look_up(std::string_view name) noexcept {
  if (environ == nullptr) return nullptr;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, name.data(), name.size()) == 0 && (*entry)[name.size()] == '=')
      return *entry + name.size() + 1;
  return nullptr;
}

}  // namespace

// The call of the C library, which nobody but libgomp makes for this name. What the user has set holds.
extern "C" char* getenv(const char* name) noexcept {
  static char turns[] = "2000";
  if (char* const found = look_up(name)) return found;
  return std::strcmp(name, "GOMP_SPINCOUNT") == 0 && look_up("OMP_WAIT_POLICY") == nullptr ? turns : nullptr;
}
#endif
