// SPDX-License-Identifier: BSD-3-Clause
// Copies and multiply-adds.
#include "engine/team/machine_rates.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "engine/team/machine.hpp"
#include "engine/team/rate_book.hpp"

namespace conoid {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void on_threads(int threads, const std::function<void(int)>& work) {
  std::vector<std::jthread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
}

// Twelve independent chains cover the latency of two FMA units. The chains multiply by 1 − 2⁻³⁰ and add a little, so
// that they stay finite and no compiler can know the result.
constexpr int chains = 12;

#if defined(__x86_64__)
__attribute__((target("avx512f"))) double fma_double_avx512(long rounds) {
  __m512d x[chains];
  for (int i = 0; i < chains; ++i) x[i] = _mm512_set1_pd(1.0 + i);
  const __m512d a = _mm512_set1_pd(1.0 - 0x1p-30);
  const __m512d b = _mm512_set1_pd(0x1p-31);
  for (long r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) x[i] = _mm512_fmadd_pd(x[i], a, b);
  double sum = 0;
  for (int i = 0; i < chains; ++i) sum += _mm512_cvtsd_f64(x[i]);
  return sum;
}
__attribute__((target("avx512f"))) double fma_single_avx512(long rounds) {
  __m512 x[chains];
  for (int i = 0; i < chains; ++i) x[i] = _mm512_set1_ps(1.0f + static_cast<float>(i));
  const __m512 a = _mm512_set1_ps(1.0f - 0x1p-20f);
  const __m512 b = _mm512_set1_ps(0x1p-21f);
  for (long r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) x[i] = _mm512_fmadd_ps(x[i], a, b);
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += _mm512_cvtss_f32(x[i]);
  return static_cast<double>(sum);
}
__attribute__((target("avx2,fma"))) double fma_double_avx2(long rounds) {
  __m256d x[chains];
  for (int i = 0; i < chains; ++i) x[i] = _mm256_set1_pd(1.0 + i);
  const __m256d a = _mm256_set1_pd(1.0 - 0x1p-30);
  const __m256d b = _mm256_set1_pd(0x1p-31);
  for (long r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) x[i] = _mm256_fmadd_pd(x[i], a, b);
  double sum = 0;
  for (int i = 0; i < chains; ++i) sum += _mm256_cvtsd_f64(x[i]);
  return sum;
}
__attribute__((target("avx2,fma"))) double fma_single_avx2(long rounds) {
  __m256 x[chains];
  for (int i = 0; i < chains; ++i) x[i] = _mm256_set1_ps(1.0f + static_cast<float>(i));
  const __m256 a = _mm256_set1_ps(1.0f - 0x1p-20f);
  const __m256 b = _mm256_set1_ps(0x1p-21f);
  for (long r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) x[i] = _mm256_fmadd_ps(x[i], a, b);
  float sum = 0;
  for (int i = 0; i < chains; ++i) sum += _mm256_cvtss_f32(x[i]);
  return static_cast<double>(sum);
}
#endif

template <class T>
double fma_scalar(long rounds) {
  T x[chains];
  for (int i = 0; i < chains; ++i) x[i] = T(1) + static_cast<T>(i);
  const T a = T(1) - static_cast<T>(0x1p-20);
  const T b = static_cast<T>(0x1p-21);
  for (long r = 0; r < rounds; ++r)
    for (int i = 0; i < chains; ++i) x[i] = x[i] * a + b;
  T sum = 0;
  for (int i = 0; i < chains; ++i) sum += x[i];
  return static_cast<double>(sum);
}

struct FmaKernel {
  const char* name;
  int lanes;
  double (*run)(long rounds);
};

FmaKernel widest(bool single) {
#if defined(__x86_64__)
  const Machine machine = this_machine();
  if (machine.avx512) return {"AVX-512", single ? 16 : 8, single ? fma_single_avx512 : fma_double_avx512};
  if (machine.avx2) return {"AVX2", single ? 8 : 4, single ? fma_single_avx2 : fma_double_avx2};
#endif
  return {"scalar", 1, single ? fma_scalar<float> : fma_scalar<double>};
}

}  // namespace

double measure_copy_rate(int threads, double seconds, Bytes most) {
  const Machine machine = this_machine();
  const std::size_t wanted = std::max<std::size_t>(std::size_t{64} << 20, 4 * machine.l3);
  const std::size_t bytes = std::min<std::size_t>({wanted, std::max<Bytes>(machine.free_memory / 8, 1 << 20), most});
  const std::unique_ptr<char[]> from(new char[bytes]);
  const std::unique_ptr<char[]> to(new char[bytes]);
  const std::size_t share = bytes / static_cast<std::size_t>(threads);
  // First touch by the thread that will copy, so that pages lie near it.
  on_threads(threads, [&](int t) {
    std::memset(from.get() + share * static_cast<std::size_t>(t), 1, share);
    std::memset(to.get() + share * static_cast<std::size_t>(t), 2, share);
  });
  double best = 1e300;
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    best = std::min(best, seconds_of([&] {
                      on_threads(threads, [&](int t) {
                        const std::size_t at = share * static_cast<std::size_t>(t);
                        std::memcpy(to.get() + at, from.get() + at, share);
                      });
                    }));
  } while (Clock::now() < until);
  return 2.0 * static_cast<double>(share) * threads / best;
}

double measure_fma_rate(bool single, int threads, double seconds, std::string_view* name) {
  const FmaKernel kernel = widest(single);
  if (name) *name = kernel.name;
  const long rounds = seconds < 0.1 ? 500'000 : 2'000'000;
  volatile double sink = 0;
  double best = 1e300;
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    std::vector<double> sums(static_cast<std::size_t>(threads));
    best = std::min(best, seconds_of([&] {
                      on_threads(threads, [&](int t) { sums[static_cast<std::size_t>(t)] = kernel.run(rounds); });
                    }));
    sink = sink + sums[0];
  } while (Clock::now() < until);
  return 2.0 * chains * kernel.lanes * static_cast<double>(rounds) * threads / best;
}

namespace {
constexpr std::string_view rates_key = "copy, multiply-add in double, in single";
}

bool machine_rates_hold(int threads) {
  threads = std::max(1, threads);
  return rates_are_kept(rates_key, threads) || machine_is_quiet(threads);
}

MachineRates machine_rates(int threads) {
  static std::mutex mutex;
  static std::map<int, MachineRates> known;
  threads = std::max(1, threads);
  const std::scoped_lock lock(mutex);
  if (const auto it = known.find(threads); it != known.end()) return it->second;
  try {
    constexpr double moment = 0.02;
    constexpr Bytes most = Bytes{64} << 20;
    const auto rates = kept_rates(rates_key, threads, [&] {
      return std::vector<double>{measure_copy_rate(threads, moment, most), measure_fma_rate(false, threads, moment),
                                 measure_fma_rate(true, threads, moment)};
    });
    if (rates.size() != 3) return {};
    return known[threads] = {rates[0], rates[1], rates[2], threads};
  } catch (const std::bad_alloc&) {
    return {};
  }
}

}  // namespace conoid
