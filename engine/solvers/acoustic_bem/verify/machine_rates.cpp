// SPDX-License-Identifier: BSD-3-Clause
// Measures the machine's own limits.
#include "engine/solvers/acoustic_bem/verify/machine_rates.hpp"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "engine/solvers/acoustic_bem/history.hpp"
#include "engine/solvers/acoustic_bem/kernels/processor.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

extern const FmaLoops fma_loops_base, fma_loops_avx2, fma_loops_avx512;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

MachineRates measure_rates(int threads) {
  const FmaLoops& loops = has_avx512() ? fma_loops_avx512 : has_avx2() ? fma_loops_avx2 : fma_loops_base;
  MachineRates out;
  double keep = 1;
  const auto best = [&](double (*f)(long, double*)) {
    double rate = 0;
    for (int k = 0; k < 5; ++k) {
      const double begin = thread_seconds();
      const double flops = f(2000000, &keep);
      rate = std::max(rate, flops / (thread_seconds() - begin));
    }
    return rate;
  };
  out.fma_single = best(loops.single);
  out.fma_double = best(loops.twice);
  const std::size_t bytes = std::clamp<std::size_t>(2 * this_machine().l3, std::size_t{128} << 20, std::size_t{512} << 20);
  AlignedVector<double> from(bytes / 8), to(bytes / 8);
  for (std::size_t k = 0; k < from.size(); ++k) from.data()[k] = static_cast<double>(k);
  for (int k = 0; k < 5; ++k) {
    const double begin = thread_seconds();
    std::memcpy(to.data(), from.data(), bytes);
    out.copy = std::max(out.copy, 2 * static_cast<double>(bytes) / (thread_seconds() - begin));
  }
  for (int k = 0; k < 4; ++k) {
    const double begin = thread_seconds();
    double sum[16] = {};
    for (std::size_t i = 0; i + 16 <= to.size(); i += 16)
      for (std::size_t c = 0; c < 16; ++c) sum[c] += to.data()[i + c];
    double all = 0;
    for (const double v : sum) all += v;
    keep += 1e-300 * all;
    out.read = std::max(out.read, static_cast<double>(bytes) / (thread_seconds() - begin));
  }
  out.copy_together = out.copy;
  if (threads > 1) {
    const CpuWorker workers(threads);
    const auto part = static_cast<Index>(from.size()) / threads;
    for (int k = 0; k < 4; ++k) {
      const auto begin = std::chrono::steady_clock::now();
      workers.for_each({0, part * threads}, part, [&](Interval some, int) {
        std::memcpy(to.data() + some.begin, from.data() + some.begin, static_cast<std::size_t>(some.size()) * 8);
      });
      const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      out.copy_together = std::max(out.copy_together, 16 * static_cast<double>(part * threads) / took);
    }
  }
  return out;
}

}  // namespace conoid::acoustic_bem
