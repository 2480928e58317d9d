// SPDX-License-Identifier: BSD-3-Clause
// Bodies of another fluid against the series of a fluid sphere: short forms of the verification table.
// labels: verify timeout300
#include <QTest>
#include <cmath>

#include "engine/solvers/acoustic_bem/verify/filled_scenes.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

QByteArray told(const WallErrors& e) {
  return QString("N %1, surface %2, receivers %3").arg(e.unknowns).arg(e.surface).arg(e.receiver).toUtf8();
}

}  // namespace

class TestFilled : public QObject {
  Q_OBJECT

 private slots:
  void fluid_spheres_converge_with_order_two_data() {
    QTest::addColumn<double>("speed");
    QTest::addColumn<double>("density");
    QTest::addRow("slower and lighter") << 0.7 << 0.6;
    QTest::addRow("faster and denser") << 1.5 << 2.0;
  }
  void fluid_spheres_converge_with_order_two() {
    QFETCH(double, speed);
    QFETCH(double, density);
    Team team({{"cpu", 2, 1}});
    const WallErrors a = filled_sphere(3, {speed, density}, 2, team), b = filled_sphere(5, {speed, density}, 2, team);
    qInfo("%s; %s", told(a).constData(), told(b).constData());
    QVERIFY2(b.surface < 0.05, told(b));
    QVERIFY2(order(a.surface, b.surface, a, b) > 1.7, told(a));
    QVERIFY2(order(a.receiver, b.receiver, a, b) > 1.5, told(a));
  }
  void a_sphere_over_a_ground_is_one_of_two() {
    Team team({{"cpu", 2, 1}});
    for (const bool rigid : {true, false})
      for (const Filling& filling : {Filling{0.7, 0.6}, Filling{1.5, 2}}) {
        const double off = sphere_over_ground(2, rigid, team, filling);
        QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
      }
  }
  void noise_in_filled_spheres_dies_out() {
    Team team({{"cpu", 2, 1}});
    const double level = late_level_of_filled(3, {0.7, 0.6}, 0.4, 3000, team);
    qInfo("level %g", level);
    QVERIFY(level < 1e-9);
  }
  // Jech et al. 2015 (JASA 138, 3742): radius 10 mm, at 12 and 18 kHz.
  void gas_and_weak_spheres_have_the_target_strength_of_the_literature() {
    Team team({{"cpu", 2, 1}});
    const auto compare = [&](const Filling& filling, bool less_plain, const std::vector<double>& levels, double limit) {
      const FilledEchoes e = echoes_of_filled(6, filling, {0.510385, 0.765577}, team, less_plain);
      for (std::size_t k = 0; k < levels.size(); ++k) {
        const QByteArray told = QString("%1 dB, series %2, literature %3, %4 iterations")
                                    .arg(e.got[k] - 40)
                                    .arg(e.exact[k] - 40)
                                    .arg(levels[k])
                                    .arg(e.iterations)
                                    .toUtf8();
        qInfo("%s", told.constData());
        QVERIFY2(std::abs(e.exact[k] - 40 - levels[k]) < 0.01 + 0.005, told);  // given to 0.01 dB
        QVERIFY2(std::abs(e.got[k] - e.exact[k]) < limit, told);
      }
    };
    compare({345 / 1477.3, 1.24 / 1026.8}, false, {-42.34, -44.03}, 0.1);
    compare({1480.3 / 1477.3, 1028.9 / 1026.8}, true, {-103.95, -98.10}, 0.2);  // some 1 dB off without
  }
};

QTEST_APPLESS_MAIN(TestFilled)
#include "test_filled.moc"
