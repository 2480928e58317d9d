// SPDX-License-Identifier: BSD-3-Clause
// The device kernels compute the host's fields: on the emulated device, whose accesses are checked in the checked one.
// labels: unit emulated
#include "engine/solvers/acoustic_fd/device_field.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QtTest>
#include <cmath>

using namespace conoid;
using namespace conoid::acoustic_fd;
using namespace conoid::acoustic_fd::testing;

namespace {

/// A pulse in a box of sponges with layers.
Problem sponge_problem(int order, std::array<Index, 3> points, bool varying) {
  Problem p = busy_problem(order, points, true, varying, false);
  for (Face& face : p.faces) face = Face{FaceKind::sponge, 5, 30};
  const Vec3 middle = p.sources[0].position;
  p.sources.clear();
  p.receivers.clear();
  p.initial = {Initial::Kind::pulse, 3.0, 7.0, middle, 0, 0};
  return p;
}

}  // namespace

class TestDeviceField : public QObject {
  Q_OBJECT

  /// Largest difference to the host after `steps`, over the largest value.
  static double difference(const Problem& p, Index steps, const std::function<bool(DeviceField&)>& march) {
    const auto cluster = single_rank();
    Team team({WorkerSpec{"cpu", 1, 1}});
    const auto device = Device::open("emulated");
    if (!device) throw Failure(device.error());
    Field<float> host(p, this_machine(), Slab{{0, p.grid.points[0]}, 0, false, false, false});
    for (Index x = 0; x < host.at().nx; ++x) host.fill_plane(x);
    host.refresh_images();
    host.rest_start({0, host.at().nx});
    DeviceField field(*device, p, host);
    if (!march(field)) return HUGE_VAL;
    std::vector<float> got;
    field.read(got);

    const auto truth = make_march(p, this_machine(), *cluster);
    truth->start(team, *cluster);
    truth->advance(team, *cluster, steps);
    std::vector<float> want;
    March::Cut all;
    all.count = p.grid.points;
    truth->read(all, want);
    double worst = 0, most = 0;
    std::size_t i = 0;
    for (Index x = 0; x < p.grid.points[0]; ++x)
      for (Index y = 0; y < p.grid.points[1]; ++y)
        for (Index z = 0; z < p.grid.points[2]; ++z, ++i) {
          const float g = got[static_cast<std::size_t>(host.at().at(x, y, z))];
          worst = std::max(worst, std::abs(static_cast<double>(g) - static_cast<double>(want[i])));
          most = std::max(most, std::abs(static_cast<double>(want[i])));
        }
    return most > 1e-3 ? worst / most : HUGE_VAL;
  }

 private slots:
  void steps_of_every_order() {
    for (const int order : {2, 4, 6, 8, 10, 12}) {
      const Problem p = sponge_problem(order, {order + 18, order + 15, 37 + order}, order % 4 == 0);
      // The same operations in the same order; the host flushes subnormal numbers, which cannot reach one part in 10^30.
      const double d = difference(p, 5, [](DeviceField& f) { return f.step(5), true; });
      QVERIFY2(d <= 1e-30, qPrintable(QString("order %1: %2").arg(order).arg(d)));
    }
  }

  void bands_of_several_steps() {
    for (const auto& [order, T] : {std::pair{2, 2}, std::pair{2, 3}, std::pair{2, 4}, std::pair{4, 2}}) {
      const Problem p = sponge_problem(order, {29, 31, 43}, true);
      const double d = difference(p, 2 * T, [T = T](DeviceField& f) { return f.step_bands(T, 2); });
      QVERIFY2(d <= 1e-30, qPrintable(QString("order %1, %2 steps a band: %3").arg(order).arg(T).arg(d)));
    }
  }
};

QTEST_APPLESS_MAIN(TestDeviceField)
#include "test_device_field.moc"
