// SPDX-License-Identifier: BSD-3-Clause
// CUDA's model on the processor: kernels compute what they say, devices have limits, errors are sentences.
// labels: unit emulated
#include <numeric>
#include <random>
#include <span>

#include <QTest>

#include "engine/team/device.hpp"
#include "tests/engine/team/kernels/arguments.hpp"

using namespace conoid;
using namespace conoid::device_test;

namespace {

unsigned blocks_for(std::size_t n, unsigned threads) { return static_cast<unsigned>((n + threads - 1) / threads); }

Device open_device(std::string_view name = "emulated") {
  auto device = Device::open(name);
  if (!device) throw Failure(device.error());
  return *device;
}

}  // namespace

class TestEmulatedDevice : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { qputenv("CONOID_MODULES", CONOID_TEST_MODULES); }
  void cleanup() { configure_emulated({}); }

  void scale_of_any_size() {
    const Device device = open_device();
    Stream stream = device.stream();
    const auto scale = device.kernel<ScaleArguments>("test/scale");
    for (const std::size_t n : {1U, 31U, 32U, 255U, 257U, 10007U}) {
      std::vector<float> x(n), y(n, 0);
      std::iota(x.begin(), x.end(), 1.0F);
      auto dx = device.allocate<float>(n, "x"), dy = device.allocate<float>(n, "y");
      stream.to_device(dx, x);
      stream.launch(scale, {.grid = {blocks_for(n, 96), 1, 1}, .block = {96, 1, 1}},
                    ScaleArguments{dx.data(), dy.data(), 0.5F, static_cast<int>(n)});
      stream.to_host(y, dy);
      stream.synchronize();
      for (std::size_t i = 0; i < n; ++i) QCOMPARE(y[i], 0.5F * x[i]);
    }
  }

  void sums_by_shared_memory_and_shuffles() {
    EmulatedOptions options;
    options.multiprocessors = 3;
    configure_emulated(options);
    const Device device = open_device();
    Stream stream = device.stream();
    std::mt19937 random(11);
    for (const std::size_t n : {127U, 128U, 4099U}) {
      std::vector<double> x(n);
      for (double& v : x) v = static_cast<double>(random() % 1000);  // sums of whole numbers are exact in any order
      const unsigned blocks = blocks_for(n, 128);
      std::vector<double> sums(blocks);
      auto dx = device.allocate<double>(n, "x"), ds = device.allocate<double>(blocks, "sums");
      stream.to_device(dx, x);
      for (const char* name : {"test/tree_sum<128>", "test/shuffle_sum"}) {
        stream.launch(device.kernel<SumArguments>(name), {.grid = {blocks, 1, 1}, .block = {128, 1, 1}, .shared = 32},
                      SumArguments{dx.data(), ds.data(), static_cast<int>(n)});
        stream.to_host(sums, ds);
        stream.synchronize();
        for (unsigned b = 0; b < blocks; ++b) {
          const auto begin = x.begin() + 128 * b;
          QCOMPARE(sums[b], std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(std::min<std::size_t>(128, n - 128 * b)), 0.0));
        }
      }
    }
  }
};

QTEST_GUILESS_MAIN(TestEmulatedDevice)
#include "test_emulated_device.moc"
