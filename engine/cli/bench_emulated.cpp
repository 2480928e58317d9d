// SPDX-License-Identifier: BSD-3-Clause
// conoid bench emulated: how fast a core runs CUDA's model.
#include <algorithm>
#include <chrono>
#include <vector>

#include "engine/cli/engine_benches.hpp"
#include "engine/team/cuda/rates_arguments.hpp"
#include "engine/team/device.hpp"

namespace conoid::cli {

Status bench_emulated(const TestRun& how, const BenchSink& sink) {
  how.doing("running barriers");
  configure_emulated({});  // one host thread runs the blocks
  const auto device = Device::open("emulated");
  if (!device) return device.error();
  constexpr double asked = 20e6;
  const unsigned blocks = how.quick ? 2000 : 10000;
  const auto kernel = device->kernel<PhasesArguments>("team/phases");
  const auto sums = device->allocate<double>(blocks, "sums");
  Stream stream = device->stream();
  std::vector<double> rates;
  for (int round = 0; round < 7; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    stream.launch(kernel, {.grid = {blocks, 1, 1}, .block = {phase_threads, 1, 1}}, {sums.data()});
    stream.synchronize();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    rates.push_back(static_cast<double>(blocks) * phase_threads * phases_a_thread / seconds);
  }
  std::sort(rates.begin(), rates.end());
  const double rate = rates[rates.size() / 2];
  sink({"thread phases of the emulated device, one core", 1e-6 * rate, "M/s", rate / asked, 1e-6 * asked,
        "what is asked", "instruction rate"});
  return {};
}

}  // namespace conoid::cli
