// SPDX-License-Identifier: BSD-3-Clause
// The files of control groups: https://docs.kernel.org/admin-guide/cgroup-v2.html, and cgroup-v1/memory.html beside it.
#include "engine/team/control_group.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

namespace conoid {
namespace fs = std::filesystem;
namespace {

/// The number in a file of one; nothing where there is none ("max"), or one that means no limit.
std::optional<Bytes> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  Bytes value = 0;
  const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || value >= Bytes{1} << 60) return {};
  return value;
}

/// What "file" and the like say in memory.stat: "total_" counts groups within in version 1.
Bytes files_in_memory(const fs::path& stat) {
  std::ifstream in(stat);
  Bytes value = 0, own = 0, total = 0;
  for (std::string key; in >> key >> value;) {
    if (key == "inactive_file" || key == "active_file") own += value;
    if (key == "total_inactive_file" || key == "total_active_file") total += value;
  }
  return total > 0 ? total : own;
}

void limit_memory(const fs::path& group, const char* most_file, const char* used_file, GroupLimits& out) {
  const auto most = number_in(group / most_file);
  if (!most || *most == 0) return;
  const Bytes used = number_in(group / used_file).value_or(0), files = files_in_memory(group / "memory.stat"),
              taken = used - std::min(used, files), free = *most - std::min(*most, taken);
  out.free = out.memory == 0 ? free : std::min(out.free, free);
  out.memory = out.memory == 0 ? *most : std::min(out.memory, *most);
}

void limit_cores(double allowed, double period, GroupLimits& out) {
  if (!(allowed > 0) || !(period > 0)) return;
  out.cores = out.cores == 0 ? allowed / period : std::min(out.cores, allowed / period);
}

/// call(folder) for a group and all above it; where the mount shows another part of the tree, as in a container, those that are there.
template <class Call>
void up_from(const fs::path& mount, std::string_view group, Call&& call) {
  fs::path inside = fs::path(group).relative_path().lexically_normal();
  for (;;) {
    call(mount / inside);
    if (inside.empty() || inside == ".") return;
    inside = inside.parent_path();
  }
}

}  // namespace

GroupLimits group_limits(const fs::path& membership, const fs::path& mount) {
  GroupLimits out;
  const auto second = [&](const fs::path& group) {
    limit_memory(group, "memory.max", "memory.current", out);
    std::ifstream in(group / "cpu.max");
    double allowed = 0, period = 0;
    if (in >> allowed >> period) limit_cores(allowed, period, out);
  };
  const auto memory = [&](const fs::path& group) {
    limit_memory(group, "memory.limit_in_bytes", "memory.usage_in_bytes", out);
  };
  const auto processor = [&](const fs::path& group) {
    const auto allowed = number_in(group / "cpu.cfs_quota_us"), period = number_in(group / "cpu.cfs_period_us");
    if (allowed && period) limit_cores(static_cast<double>(*allowed), static_cast<double>(*period), out);
  };
  // Lines are "number:controllers:/group", without controllers for version 2.
  std::ifstream in(membership);
  bool any = false;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), last = line.find(':', first + 1);
    if (first == std::string::npos || last == std::string::npos) continue;
    any = true;
    const std::string group = line.substr(last + 1);
    std::stringstream controllers(line.substr(first + 1, last - first - 1));
    if (first + 1 == last) {
      up_from(mount, group, second);
      up_from(mount / "unified", group, second);
    }
    for (std::string one; std::getline(controllers, one, ',');) {
      if (one == "memory") up_from(mount / "memory", group, memory);
      if (one == "cpu") up_from(mount / "cpu", group, processor);
    }
  }
  if (!any) second(mount), memory(mount / "memory"), processor(mount / "cpu");
  return out;
}

}  // namespace conoid
