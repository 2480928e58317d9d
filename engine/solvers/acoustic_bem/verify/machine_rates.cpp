// SPDX-License-Identifier: BSD-3-Clause
// Measures the machine's own limits.
#include "engine/solvers/acoustic_bem/verify/machine_rates.hpp"
#include "engine/core/seconds_now.hpp"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <vector>

#include "engine/simd/instruction_set.hpp"
#include "engine/solvers/acoustic_bem/stepping/history.hpp"
#include "engine/team/machine.hpp"
#include "engine/team/phase.hpp"

namespace conoid::acoustic_bem {
namespace {

/// Reads all numbers; requests go ahead, as those of the summation do.
double sum_of(const double* p, std::size_t count) {
  double sum[16] = {};
  for (std::size_t i = 0; i + 16 <= count; i += 16) {
    for (std::size_t line = 0; line < 16; line += 8)
      __builtin_prefetch(reinterpret_cast<const char*>(p + i + line) + 6144, 0, 3);
    for (std::size_t c = 0; c < 16; ++c) sum[c] += p[i + c];
  }
  double all = 0;
  for (const double v : sum) all += v;
  return all;
}

}  // namespace

extern const FmaLoops fma_loops_base, fma_loops_avx2, fma_loops_avx512;

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

MachineRates measure_rates(int threads) {
  const FmaLoops& loops = body_for(instruction_set(), fma_loops_base, fma_loops_avx2, fma_loops_avx512);
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
  const std::size_t bytes =
      std::clamp<std::size_t>(2 * this_machine().l3, std::size_t{128} << 20, std::size_t{512} << 20);
  AlignedVector<double> from(bytes / 8), to(bytes / 8);
  for (std::size_t k = 0; k < from.size(); ++k) from.data()[k] = static_cast<double>(k);
  for (int k = 0; k < 5; ++k) {
    const double begin = thread_seconds();
    std::memcpy(to.data(), from.data(), bytes);
    out.copy = std::max(out.copy, 2 * static_cast<double>(bytes) / (thread_seconds() - begin));
  }
  for (int k = 0; k < 4; ++k) {
    const double begin = thread_seconds();
    keep += 1e-300 * sum_of(to.data(), to.size());
    out.read = std::max(out.read, static_cast<double>(bytes) / (thread_seconds() - begin));
  }
  out.copy_together = out.copy;
  out.read_together = out.read;
  out.fma_together = out.fma_single;
  if (threads > 1) {
    const CpuWorker workers(threads);
    const auto part = static_cast<Index>(from.size()) / threads;
    std::vector<double> kept(static_cast<std::size_t>(threads), 1);
    /// What all threads do in a second, if each does `each` of it.
    const auto together = [&](double each, const std::function<void(Index, double*)>& work) {
      double rate = 0;
      for (int k = 0; k < 4; ++k) {
        const double begin = seconds_now();
        workers.for_each({0, threads}, 1,
                         [&](Interval one, int) { work(one.begin, &kept[static_cast<std::size_t>(one.begin)]); });
        rate = std::max(rate, each * threads / (seconds_now() - begin));
      }
      return rate;
    };
    const double bytes_each = 8 * static_cast<double>(part);
    out.copy_together =
        std::max(out.copy_together, together(2 * bytes_each, [&](Index t, double*) {
                   std::memcpy(to.data() + t * part, from.data() + t * part, static_cast<std::size_t>(part) * 8);
                 }));
    out.read_together = together(bytes_each, [&](Index t, double* sum) {
      *sum += 1e-300 * sum_of(from.data() + t * part, static_cast<std::size_t>(part));
    });
    const double flops = loops.single(1000, &keep) * 2000;
    out.fma_together = together(flops, [&](Index, double* sum) { loops.single(2000000, sum); });
  }
  return out;
}

}  // namespace conoid::acoustic_bem
