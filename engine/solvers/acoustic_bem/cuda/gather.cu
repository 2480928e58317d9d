// SPDX-License-Identifier: BSD-3-Clause
// What surrounds the product: parts are added in their order, new values enter the ring.
#include "engine/team/kernel.hpp"

#include "engine/solvers/acoustic_bem/cuda/arguments.hpp"

namespace conoid::acoustic_bem {

template <class Real>
__global__ void gather(GatherArguments a) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (e >= a.entries) return;
  const Real* const partial = static_cast<const Real*>(a.partial) + e;
  double sum = 0;
  for (int p = 0; p < a.parts; ++p) sum += static_cast<double>(partial[p * a.entries]);
  a.sums[e] = sum;
}
static const RegisterKernel gather_float("acoustic-bem/gather<float>", gather<float>);
static const RegisterKernel gather_double("acoustic-bem/gather<double>", gather<double>);

template <class Real>
__global__ void gather_jobs(GatherJobsArguments a) {
  const int e = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (e >= a.rows * a.steps) return;
  const int g = e / a.rows, row = e % a.rows, group = row / a.group_rows, begin = a.first_job[group],
            end = a.first_job[group + 1];
  const std::int64_t step = static_cast<std::int64_t>(a.steps) * a.group_rows;
  const Real* partial = static_cast<const Real*>(a.partial) + begin * step + g * a.group_rows + row % a.group_rows;
  double sum = a.add != 0 ? a.sums[e] : 0;
  for (int job = begin; job < end; ++job, partial += step) sum += static_cast<double>(*partial);
  a.sums[e] = sum;
}
static const RegisterKernel gather_jobs_float("acoustic-bem/gather_jobs<float>", gather_jobs<float>);
static const RegisterKernel gather_jobs_double("acoustic-bem/gather_jobs<double>", gather_jobs<double>);

template <class Real>
__global__ void append(AppendArguments a) {
  const std::int64_t e = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t j = e / a.steps, k = e % a.steps, mask = a.ring - 1;
  if (j >= a.unknowns) return;
  Real* const series = static_cast<Real*>(a.past) + j * a.stride;
  const auto set = [&](std::int64_t time, Real v) {
    const std::int64_t at = time & mask;
    series[at] = v;
    if (at < a.stride - a.ring) series[at + a.ring] = v;
  };
  set(a.first_time + k, static_cast<const Real*>(a.fresh)[e]);
  set(a.first_time + a.steps + k, Real{0});
}
static const RegisterKernel append_float("acoustic-bem/append<float>", append<float>);
static const RegisterKernel append_double("acoustic-bem/append<double>", append<double>);

}  // namespace conoid::acoustic_bem
