// SPDX-License-Identifier: BSD-3-Clause
// Copy bandwidth, FMA rate and disk speed.
#include "engine/cli/machine_limits.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <vector>

#include <fmt/core.h>

#include "engine/team/machine_rates.hpp"

namespace conoid::cli {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Result<double> disk_rate(const std::filesystem::path& folder, bool quick) {
  const std::string name = (folder / fmt::format(".conoid-bench-{}", ::getpid())).string();
  const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return system_error("write", name, errno);
  ::unlink(name.c_str());  // gone with the last handle, whatever happens
  const std::vector<char> block(std::size_t{4} << 20, 'c');
  const int blocks = quick ? 16 : 128;
  int failed = 0;
  const double seconds = seconds_of([&] {
    for (int i = 0; i < blocks && failed == 0; ++i) {
      std::size_t done = 0;
      while (done < block.size() && failed == 0) {
        const ssize_t n = ::write(fd, block.data() + done, block.size() - done);
        if (n < 0 && errno != EINTR) failed = errno;
        if (n > 0) done += static_cast<std::size_t>(n);
      }
    }
    if (failed == 0 && ::fdatasync(fd) != 0) failed = errno;
  });
  ::close(fd);
  if (failed != 0) return system_error("write", name, failed);
  return static_cast<double>(block.size()) * blocks / seconds;
}

}  // namespace

Status measure_machine_limits(int threads, bool quick, const std::filesystem::path& folder,
                              const std::function<void(BenchRow)>& sink) {
  sink({"copy bandwidth", measure_copy_rate(threads, quick ? 0.5 : 2) * 1e-9, "GB/s", 0, 0, "", "bandwidth"});
  for (const bool single : {false, true}) {
    std::string_view name;
    const double rate = measure_fma_rate(single, threads, quick ? 0.2 : 1, &name);
    sink({fmt::format("FMA rate, {} precision, {}", single ? "single" : "double", name), rate * 1e-9, "GFLOP/s", 0, 0,
          "", "instruction rate"});
  }
  const auto disk = disk_rate(folder, quick);
  if (!disk) return disk.error();
  sink({"disk, writing", *disk * 1e-6, "MB/s", 0, 0, "", "disk"});
  return {};
}

}  // namespace conoid::cli
