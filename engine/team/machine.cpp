// SPDX-License-Identifier: BSD-3-Clause
// What Linux says of this machine: affinity, control groups, /proc and /sys.
#include "engine/team/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/simd/instruction_set.hpp"
#include "engine/team/control_group.hpp"

namespace conoid {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

/// "512K", "2048K", "32M" as /sys writes cache sizes; 0 if unreadable.
Bytes parse_cache_size(const std::string& text) {
  Bytes value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return 0;
  if (rest != text.data() + text.size()) {
    if (*rest == 'K') value <<= 10;
    if (*rest == 'M') value <<= 20;
  }
  return value;
}

int core_count(const GroupLimits& group) {
  int cores = 1;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = std::max(1, CPU_COUNT(&set));
  if (group.cores > 0) cores = std::clamp(static_cast<int>(std::lround(group.cores)), 1, cores);
  return cores;
}

}  // namespace

Machine this_machine() {
  Machine m;
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) == 0) m.host = host;
  const GroupLimits group = group_limits();
  m.cores = core_count(group);

  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) m.processor = line.substr(colon + 2);
    break;
  }

  std::ifstream meminfo("/proc/meminfo");
  for (std::string line; std::getline(meminfo, line);) {
    std::istringstream in(line);
    std::string key;
    Bytes kib = 0;
    in >> key >> kib;
    if (key == "MemTotal:") m.memory = kib << 10;
    if (key == "MemAvailable:") m.free_memory = kib << 10;
  }
  if (group.memory > 0 && group.memory < m.memory) {
    m.memory = group.memory;
    m.free_memory = std::min(m.free_memory, std::max<Bytes>(1, group.free));  // 0: not known
  }

  for (int i = 0; i < 8; ++i) {
    const std::string base = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string level = first_line(base + "level");
    if (level.empty()) break;
    if (first_line(base + "type") == "Instruction") continue;
    const Bytes size = parse_cache_size(first_line(base + "size"));
    if (level == "1") m.l1 = size;
    if (level == "2") m.l2 = size;
    if (level == "3") m.l3 = size;
  }
  m.avx2 = instruction_set() >= InstructionSet::avx2;
  m.avx512 = instruction_set() >= InstructionSet::avx512;
  return m;
}

Bytes resident_memory() {
  // statm: the whole size, then what is resident, in pages.
  const std::string text = first_line("/proc/self/statm");
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return peak_resident_memory();
  return std::strtoull(text.c_str() + space, nullptr, 10) * static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
}

Bytes peak_resident_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<Bytes>(usage.ru_maxrss) << 10;
}

}  // namespace conoid
