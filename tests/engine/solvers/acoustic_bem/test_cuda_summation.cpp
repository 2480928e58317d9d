// SPDX-License-Identifier: BSD-3-Clause
// The same kernels on an NVIDIA device.
// labels: gpu serial
#include "tests/engine/solvers/acoustic_bem/device_cases.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;
using namespace conoid::acoustic_bem::device_cases;

class TestCudaSummation : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    auto found = find_devices("cuda");
    if (!found) QSKIP(found.error().text.c_str());
  }
  void ragged_blocks_data() {
    QTest::addColumn<int>("steps");
    for (int steps : {1, 2, 4, 8, 16, 32}) QTest::addRow("n_g = %d", steps) << steps;
  }
  void ragged_blocks() {
    QFETCH(int, steps);
    sums_are_right<float>("cuda", steps, {901, 331, 183, 31}, Bytes{1} << 30, false);
    sums_are_right<double>("cuda", steps, {577, 270, 600, 40}, Bytes{1} << 30, false);
  }
  void wide_marks() { sums_are_right<float>("cuda", 8, {445, 167, 3000, 90}, Bytes{1} << 30, false); }
  void slabs_pass_through() {
    sums_are_right<double>("cuda", 4, {1333, 700, 83, 21}, 40 << 20, true);
    sums_are_right<float>("cuda", 16, {733, 500, 83, 21}, 50 << 20, true);
  }
  void published_blocks() {
    for (int steps : {4, 8, 16})
      for (int width : {16, 32, 64, 128}) {
        blocks_are_right<float>("cuda", steps, width, {733, 123, 211, 15});
        blocks_are_right<double>("cuda", steps, width, {733, 123, 211, 15});
      }
  }
};

QTEST_GUILESS_MAIN(TestCudaSummation)
#include "test_cuda_summation.moc"
