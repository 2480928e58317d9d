// SPDX-License-Identifier: BSD-3-Clause
// Planes that pass through a ring of a device take places that others have left, and leave when kernels are done with them.
// labels: emulated
#include <QTest>

#include <chrono>
#include <functional>
#include <numeric>
#include <thread>

#include "engine/solvers/plane_ring.hpp"

using namespace conoid;

namespace {

constexpr Index ring_planes = 40, plane_values = 1024;

/// What a kernel would do to a plane, late: copies that do not wait for it, or that it does not wait for, are seen.
void advance(Stream& stream, float* at) {
  const auto work = [at] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (Index i = 0; i < plane_values; ++i) at[i] = 2 * at[i] + 1;
  };
  stream.run_on_host(work, {HostUse{at, plane_values * sizeof(float), true, true}});
}

}  // namespace

class TestPlaneRing : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() { configure_emulated({.devices = 1, .memory = Bytes{16} << 20}); }

  void planes_keep_their_places_until_they_have_left_data() {
    QTest::addColumn<int>("places");
    for (const int places : {1, 3, 8, 40}) QTest::addRow("%d places", places) << places;
  }
  void planes_keep_their_places_until_they_have_left() {
    QFETCH(int, places);
    const Device device = *Device::open("emulated");
    std::vector<float> host(ring_planes * plane_values);
    std::iota(host.begin(), host.end(), 0.0F);
    const DeviceBuffer<float> ring = device.allocate<float>(static_cast<std::size_t>(places * plane_values), "planes");
    PlaneRing passing(device);
    QVERIFY(passing.lock(host.data(), host.size() * sizeof(float)));
    Stream kernels[2] = {device.stream(), device.stream()};
    const auto plane = [&](Index p) {
      return std::span<float>(host).subspan(static_cast<std::size_t>(p * plane_values), plane_values);
    };
    const auto at = [&](Index p) { return static_cast<std::size_t>(p % places * plane_values); };
    for (int pass = 0; pass < 2; ++pass) {
      passing.begin();
      for (Index p = 0; p < ring_planes; ++p) {
        if (p >= places) passing.wait_until_left(p - places + 1);
        passing.bring(ring, plane(p), at(p));
        passing.all_came();
        Stream& mine = kernels[p % 2];
        passing.follow(mine);
        advance(mine, ring.data() + at(p));
        passing.leave_after(mine);
        passing.take_away(plane(p), ring, at(p));
        passing.left(p + 1);
      }
      passing.finish();
    }
    for (std::size_t i = 0; i < host.size(); ++i)
      QCOMPARE(host[i], 4 * static_cast<float>(i) + 3);  // below 2^24: exact
    QCOMPARE(passing.statistics().loaded, 2 * host.size() * sizeof(float));
    QCOMPARE(passing.statistics().saved, 2 * host.size() * sizeof(float));
    QCOMPARE(passing.statistics().loads, static_cast<std::uint64_t>(2 * ring_planes));
  }

  void what_a_stream_uses_is_held_until_it_has_come_there() {
    const Device device = *Device::open("emulated");
    Stream stream = device.stream();
    InFlight<int> held;
    bool done = false;
    stream.run_on_host([&] { std::this_thread::sleep_for(std::chrono::milliseconds(50)), done = true; }, {});
    held.hold(device, stream, 7);
    held.hold(device, stream, 8);
    QCOMPARE(held.size(), std::size_t{2});
    QCOMPARE(held.oldest(), 7);
    held.finish_oldest();
    QVERIFY(done);
    held.hold(device, stream, 9);  // with the event of 7
    QCOMPARE(held.oldest(), 8);
    stream.synchronize();
    QVERIFY(held.reached());
    held.finish();
    QVERIFY(held.empty());
  }
};

QTEST_APPLESS_MAIN(TestPlaneRing)
#include "test_plane_ring.moc"
