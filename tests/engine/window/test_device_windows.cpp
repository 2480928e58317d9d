// SPDX-License-Identifier: BSD-3-Clause
// Disk ⇄ host ⇄ device: contents through three levels, small budgets on both, failures of the copies.
// labels: unit
// links: conoid_window
#include "engine/window/disk_windows.hpp"
#include "tests/engine/window/support.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <random>

using namespace conoid;
using namespace conoid::window_tests;

namespace {}  // namespace

class TestDeviceWindows : public QObject {
  Q_OBJECT
 private:
  QTemporaryDir folder_;
  std::unique_ptr<DiskWindows> make(std::vector<Bytes> sizes, Bytes budget) {
    auto windows = DiskWindows::create(
        std::move(sizes), {.file = std::filesystem::path(folder_.path().toStdString()) / "data", .budget = budget});
    return windows ? std::move(*windows) : nullptr;
  }

 private slots:
  void contents_pass_all_three_levels() {
    std::mt19937 random(21);
    for (int round = 0; round < 10; ++round) {
      std::vector<Bytes> sizes;
      for (int w = 0; w < 14; ++w) sizes.push_back(1 + random() % (3 * page));
      auto host = make(sizes, 4 * 3 * page);
      QVERIFY(host);
      auto device = std::make_shared<PretendedDevice>(3 * 3 * page);
      auto there = device_windows(*host, device, 3 * 3 * page);
      std::vector<int> version(sizes.size(), 0);
      std::vector<Visit> order;
      for (int k = 0; k < 30; ++k)
        order.push_back({static_cast<Index>(random() % sizes.size()), static_cast<Access>(random() % 3)});
      Tour tour = there->announce(order, Repeat::yes);
      for (int k = 1; k <= 90; ++k) {
        auto lease = tour.next();
        QVERIFY2(lease.ok(), lease.ok() ? "" : lease.error().text.c_str());
        int& v = version[static_cast<std::size_t>(lease->window())];
        if (lease->access() != Access::write) QVERIFY(painted(lease->bytes(), lease->window(), v));
        if (lease->access() != Access::read) paint(lease->writable(), lease->window(), v = k);
      }
      QVERIFY(there->flush().ok());
      QVERIFY(host->flush().ok());
      QVERIFY(there->statistics().peak <= 9 * page);
      QVERIFY(host->statistics().peak <= 12 * page);
      QVERIFY(device->downloads > 0 && device->uploads > 0);
      for (std::size_t w = 0; w < sizes.size(); ++w) {  // what the host sees
        auto lease = host->acquire(static_cast<Index>(w), Access::read);
        QVERIFY(lease.ok());
        QVERIFY(painted(lease->bytes(), static_cast<Index>(w), version[w]));
      }
      tour = Tour();
      there.reset();
      QCOMPARE(device->out(), Bytes{0});
    }
  }

  void what_fits_the_device_is_copied_once() {
    const std::vector<Bytes> sizes(6, page);
    auto host = make(sizes, 2 * page);
    QVERIFY(host);
    auto device = std::make_shared<PretendedDevice>(6 * page);
    auto there = device_windows(*host, device, 6 * page);
    Tour tour = there->announce(Interval{0, 6}, Access::read, Repeat::yes);
    for (int k = 0; k < 60; ++k) QVERIFY(tour.next().ok());
    QCOMPARE(device->uploads.load(), 6);
    QCOMPARE(device->downloads.load(), 0);
  }

  void the_host_reads_ahead_for_the_device() {
    // Of 16 windows 4 fit the device and 8 the host: nearly every visit of the device needs the disk's help in time.
    // A busy machine may delay movers, but not every time of many.
    std::uint64_t waited = 32;
    for (int attempt = 0; attempt < 20 && waited > 8; ++attempt) {
      const std::vector<Bytes> sizes(16, page);
      auto backing = std::make_shared<VectorBacking>(sizes);
      backing->before = [](char, Index) -> Status {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        return {};
      };
      Windows host("host", sizes, 8 * page, backing);
      auto device = std::make_shared<PretendedDevice>(4 * page);
      auto there = device_windows(host, device, 4 * page);
      Tour tour = there->announce(Interval{0, 16}, Access::read, Repeat::yes);
      for (int k = 0; k < 32; ++k) {
        QVERIFY(tour.next().ok());
        std::this_thread::sleep_for(std::chrono::milliseconds(8 * (1 + attempt / 4)));
      }
      waited = std::min<std::uint64_t>(waited, there->statistics().waited);
    }
    QVERIFY2(waited <= 8, QByteArray::number(static_cast<int>(waited)));
  }

  void host_and_device_share_windows() {
    // The host's thread reads windows while the device goes through all of them: the team's way of sharing.
    const std::vector<Bytes> sizes(20, 2 * page);
    auto host = make(sizes, 14 * page);
    QVERIFY(host);
    for (Index w = 0; w < 20; ++w) {
      auto lease = host->acquire(w, Access::write);
      QVERIFY(lease.ok());
      paint(lease->writable(), w, 4);
    }
    auto device = std::make_shared<PretendedDevice>(6 * page);
    auto there = device_windows(*host, device, 6 * page);
    std::atomic<int> bad{0};
    auto go = [&](Windows& windows, Interval part) {
      Tour tour = windows.announce(part, Access::read, Repeat::yes);
      for (Index k = 0; k < 5 * part.size(); ++k) {
        auto lease = tour.next();
        if (!lease || !painted(lease->bytes(), lease->window(), 4)) ++bad;
      }
    };
    {
      std::jthread cpu([&] { go(*host, {0, 9}); });
      std::jthread gpu([&] { go(*there, {9, 20}); });
    }
    QCOMPARE(bad.load(), 0);
  }

  void failed_copies_are_errors() {
    const std::vector<Bytes> sizes(8, page);
    for (const char what : {'u', 'd'}) {
      auto host = make(sizes, 4 * page);
      QVERIFY(host);
      auto device = std::make_shared<PretendedDevice>(3 * page);
      device->before = [&](char copy) -> Status {
        if (copy == what) return make_error(ErrorCode::resources, "the device is gone");
        return {};
      };
      auto there = device_windows(*host, device, 3 * page);
      Tour tour = there->announce(Interval{0, 8}, Access::update, Repeat::yes);
      Status status;
      for (int k = 0; k < 16 && status; ++k)
        if (auto lease = tour.next(); !lease) status = lease.error();
      QVERIFY(!status);
      QCOMPARE(status.error().code, ErrorCode::resources);
      QCOMPARE(status.error().text, std::string("the device is gone"));
    }
  }

  void a_device_without_room_says_so() {
    const std::vector<Bytes> sizes(3, page);
    auto host = make(sizes, 2 * page);
    QVERIFY(host);
    auto device = std::make_shared<PretendedDevice>(page / 2);
    auto there = device_windows(*host, device, 8 * page);
    const auto lease = there->acquire(0, Access::read);
    QVERIFY(!lease.ok());
    QCOMPARE(lease.error().code, ErrorCode::resources);
    QVERIFY(lease.error().text.find("of 'pretended device'") != std::string::npos);
  }
};

QTEST_APPLESS_MAIN(TestDeviceWindows)
#include "test_device_windows.moc"
