// SPDX-License-Identifier: BSD-3-Clause
// The checked mode finds each planted fault and names its kernel, thread and line; right kernels pass.
// labels: unit emulated
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <QTest>

#include "conoid/config.hpp"
#include "engine/team/device.hpp"
#include "tests/engine/team/kernels/arguments.hpp"

using namespace conoid;
using namespace conoid::device_test;

namespace {

/// "faulty.cu:14" for the line that carries "// place: <name>".
std::string place(const std::string& name) {
  std::ifstream in(CONOID_SOURCE_DIR "/tests/engine/team/kernels/faulty.cu");
  std::string line;
  for (int n = 1; std::getline(in, line); ++n)
    if (line.ends_with("place: " + name)) return "faulty.cu:" + std::to_string(n);
  throw std::runtime_error("no such place: " + name);
}

struct Case {
  const char* kernel;
  unsigned blocks, threads;
  Bytes shared;
  int count;
  std::vector<std::string> expected;  ///< pieces of the message
};

/// Runs a kernel on 64 values; the message of the failure, or empty.
std::string run(const Case& c) {
  auto device = Device::open("emulated-checked");
  if (!device) throw Failure(device.error());
  Stream stream = device->stream();
  const std::vector<float> x(64, 1.0F);
  std::vector<float> y(64);
  auto dx = device->allocate<float>(64, "x"), dy = device->allocate<float>(64, "result");
  try {
    stream.to_device(dx, x);
    stream.launch(device->kernel<ScaleArguments>(c.kernel),
                  {.grid = {c.blocks, 1, 1}, .block = {c.threads, 1, 1}, .shared = c.shared},
                  ScaleArguments{dx.data(), dy.data(), 2.0F, c.count});
    stream.to_host(y, dy);
    stream.synchronize();
  } catch (const Failure& failure) {
    return failure.error().code == ErrorCode::resources ? failure.error().text : "wrong code: " + failure.error().text;
  }
  return {};
}

}  // namespace

class TestCheckedDevice : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    qputenv("CONOID_MODULES", CONOID_TEST_MODULES);
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
  }

  void right_kernels_pass() {
    QCOMPARE(run({"test/scale", 2, 32, 0, 64, {}}), std::string());
    auto device = Device::open("emulated-checked");
    Stream stream = device->stream();
    const std::vector<double> x(500, 1.0);
    std::vector<double> sums(4);
    auto dx = device->allocate<double>(500, "x"), ds = device->allocate<double>(4, "sums");
    stream.to_device(dx, x);
    for (const char* name : {"test/tree_sum<128>", "test/shuffle_sum"}) {
      ds.expect_written();
      stream.launch(device->kernel<SumArguments>(name), {.grid = {4, 1, 1}, .block = {128, 1, 1}, .shared = 32},
                    SumArguments{dx.data(), ds.data(), 500});
      stream.to_host(sums, ds);
      stream.synchronize();
      QCOMPARE(sums, (std::vector<double>{128, 128, 128, 116}));
    }
  }

  /// Both addresses of a ring are the same bytes, and what lies behind them is nobody's.
  void rings_are_watched() {
    auto device = Device::open("emulated-checked");
    Stream stream = device->stream();
    auto ring = device->ring<float>(1, "planes");
    const std::size_t period = ring.size() / 2;
    const auto scale = device->kernel<ScaleArguments>("test/scale");
    const auto run_at = [&](std::size_t from, std::size_t to) {
      stream.launch(scale, {.grid = {1, 1, 1}, .block = {64, 1, 1}},
                    ScaleArguments{ring.data() + from, ring.data() + to, 2.0F, 64});
      stream.synchronize();
    };
    std::vector<float> x(period, 1.5F), got(64);
    ring.expect_written();  // at once; copies wait their turn
    stream.to_device(ring, x);
    run_at(period - 80, period - 10);
    stream.to_host(got, ring,
                   2 * period - 10 - period);  // what was written at one address has been written at the other
    got.resize(54);
    stream.to_host(got, ring, 0);
    stream.synchronize();
    QCOMPARE(got, std::vector<float>(54, 3.0F));
    try {
      run_at(2 * period - 60, 0);
      QFAIL("values behind a ring");
    } catch (const Failure& failure) {
      QVERIFY2(failure.error().text.find("0 bytes behind the end of 'planes'") != std::string::npos,
               failure.error().text.c_str());
    }
    auto fresh = Device::open("emulated-checked");
    Stream other = fresh->stream();
    auto planes = fresh->ring<float>(1, "planes");
    planes.expect_written();
    try {
      other.to_host(got, planes, period + 3);
      other.synchronize();
      QFAIL("nobody has written there");
    } catch (const Failure& failure) {
      QVERIFY2(failure.error().text.find("never written") != std::string::npos, failure.error().text.c_str());
    }
  }

  void faults_are_named_data() {
    QTest::addColumn<int>("index");
    for (std::size_t k = 0; k < cases().size(); ++k) QTest::newRow(cases()[k].kernel) << static_cast<int>(k);
  }
  void faults_are_named() {
    QFETCH(int, index);
    const Case& c = cases()[static_cast<std::size_t>(index)];
    const std::string message = run(c);
    for (const std::string& piece : c.expected)
      QVERIFY2(message.find(piece) != std::string::npos, ("'" + piece + "' is not in: " + message).c_str());
  }

 private:
  static const std::vector<Case>& cases() {
    static const std::vector<Case> all = {
        {"test/out_of_bounds",
         1,
         80,
         0,
         64,
         {"'test/out_of_bounds'", "thread (64,0,0)", "reads 4 bytes", "0 bytes behind the end of 'x'",
          place("bounds")}},
        {"test/missing_barrier",
         1,
         64,
         0,
         64,
         {"shared memory", "no barrier between", place("race-write"), place("race-read")}},
        {"test/early_overwrite",
         1,
         64,
         256,
         64,
         {"of dynamic shared memory", "no barrier between", place("read-before"), place("overwrite")}},
        {"test/writes_half", 2, 32, 0, 64, {"unwritten output: 128 of 256 bytes", "'result'", "first at byte 128"}},
        {"test/reads_unwritten_shared", 1, 64, 0, 64, {"thread (17,0,0)", "nobody has written", place("unwritten")}},
        {"test/static_index", 1, 64, 0, 7, {"index 64 lies outside its array at " + place("index"), "thread (57,0,0)"}},
        {"test/dynamic_index",
         1,
         64,
         200,
         64,
         {"thread (50,0,0)", "200 bytes from the begin of dynamic shared memory, which has 200", place("dynamic")}},
        {"test/blocks_share", 3, 32, 0, 64, {"another block wrote", place("blocks")}},
        {"test/split_barrier", 1, 64, 0, 64, {"same barrier"}},
        {"test/half_warp_waits", 1, 32, 0, 64, {"wait for ever"}},
        {"test/forgets_to_wait", 1, 64, 256, 64, {"nobody has written", place("too-early")}},
    };
    return all;
  }
};

QTEST_GUILESS_MAIN(TestCheckedDevice)
#include "test_checked_device.moc"
