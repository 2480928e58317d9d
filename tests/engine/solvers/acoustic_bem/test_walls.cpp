// SPDX-License-Identifier: BSD-3-Clause
// Faces that move, absorb or yield, a reflecting ground and rooms against exact answers: short forms of the verification table.
// labels: verify timeout300
#include <QTest>
#include <cmath>
#include <numbers>

#include "engine/solvers/acoustic_bem/verify/screens.hpp"
#include "engine/solvers/acoustic_bem/verify/wall_scenes.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

QByteArray told(const WallErrors& e) {
  return QString("N %1, surface %2, receiver %3").arg(e.unknowns).arg(e.surface).arg(e.receiver).toUtf8();
}

}  // namespace

class TestWalls : public QObject {
  Q_OBJECT

 private slots:
  void moving_spheres_converge_with_order_two_data() {
    QTest::addColumn<int>("motion");
    QTest::addRow("pulsating") << static_cast<int>(SphereMotion::pulsating);
    QTest::addRow("oscillating") << static_cast<int>(SphereMotion::oscillating);
  }
  void moving_spheres_converge_with_order_two() {
    QFETCH(int, motion);
    Team team({{"cpu", 2, 1}});
    const WallErrors a = moving_sphere(3, static_cast<SphereMotion>(motion), team),
                     b = moving_sphere(5, static_cast<SphereMotion>(motion), team);
    qInfo("%s; %s", told(a).constData(), told(b).constData());
    QVERIFY2(b.surface < 0.02, told(b));
    QVERIFY2(b.receiver < 0.01, told(b));
    QVERIFY2(order(a.surface, b.surface, a, b) > 1.7, told(a));
  }
  void piston_cap_in_a_sphere() {
    Team team({{"cpu", 2, 1}});
    const WallErrors e = moving_sphere(9, SphereMotion::cap, team);
    qInfo("%s", told(e).constData());
    QVERIFY2(e.receiver < 0.03, told(e));
  }
  void spheres_of_an_impedance_and_soft_as_groups_data() {
    QTest::addColumn<double>("impedance");
    for (double z : {0.0, 0.5, 1.0, 4.0}) QTest::addRow("%g", z) << z;
  }
  void spheres_of_an_impedance_and_soft_as_groups() {
    QFETCH(double, impedance);
    Team team({{"cpu", 2, 1}});
    const WallErrors a = absorbing_sphere(3, impedance, team), b = absorbing_sphere(5, impedance, team);
    qInfo("%s; %s", told(a).constData(), told(b).constData());
    QVERIFY2(b.surface < 0.05, told(b));
    QVERIFY2(b.receiver < 0.02, told(b));
    QVERIFY2(order(a.surface, b.surface, a, b) > 1.7, told(a));
  }
  void walls_over_frequency_follow_the_series_and_plane_waves() {
    Team team({{"cpu", 2, 1}});
    const SpectralErrors a = remembering_sphere(3, ringing_wall(), team),
                         b = remembering_sphere(5, ringing_wall(), team);
    qInfo("%s; %s; at the receiver %g %g %g %g", told(a).constData(), told(b).constData(), b.of[0], b.of[1], b.of[2],
          b.of[3]);
    QVERIFY2(b.surface < 0.05, told(b));
    QVERIFY2(b.receiver < 0.02, told(b));
    QVERIFY2(order(a.surface, b.surface, a, b) > 1.7, told(a));
    for (const double e : b.of) QVERIFY2(e < 0.03, qPrintable(QString::number(e)));
    const SpectralErrors rough = absorbing_duct(5, ringing_wall(), team),
                         fine = absorbing_duct(10, ringing_wall(), team);
    for (std::size_t k = 0; k < fine.of.size(); ++k) {
      qInfo("duct at %g: %g, %g", fine.wave_numbers[k], rough.of[k], fine.of[k]);
      QVERIFY2(fine.of[k] < 0.03, qPrintable(QString::number(fine.of[k])));
    }
    const double level = late_level_of_memory(4, ringing_wall(), 3000, team);
    QVERIFY2(level < 1e-12, qPrintable(QString::number(level)));
  }
  /// An admittance without poles is the impedance that is the same at all frequencies, to the last bit.
  void an_admittance_without_poles_is_the_static_one() {
    Team team({{"cpu", 2, 1}});
    const WallErrors want = absorbing_sphere(3, 0.5, team);
    const SpectralErrors got = remembering_sphere(3, {2, {}}, team);
    // A pole far above all frequencies is nearly that, too.
    const SpectralErrors fast = remembering_sphere(3, {0, {{-4000, 8000}}}, team);
    qInfo("%s; %s; %s", told(want).constData(), told(got).constData(), told(fast).constData());
    QVERIFY2(std::abs(got.surface - want.surface) < 0.1 * want.surface, told(got));  // runs of other lengths
    QVERIFY2(std::abs(fast.surface - got.surface) < 0.05 * got.surface, told(fast));
  }
  void field_over_a_ground_is_that_of_two_bodies() {
    Team team({{"cpu", 2, 1}});
    for (const bool rigid : {true, false}) {
      const double worst = sphere_over_ground(2, rigid, team);
      QVERIFY2(worst < 1e-12, qPrintable(QString::number(worst)));
    }
  }
  void walls_over_a_ground_do_not_ask_where_triangles_begin_data() {
    QTest::addColumn<bool>("moves");
    QTest::addColumn<bool>("rigid");
    for (const bool rigid : {true, false}) {
      QTest::addRow("remembers over a %s ground", rigid ? "rigid" : "soft") << false << rigid;
      QTest::addRow("moves over a %s ground", rigid ? "rigid" : "soft") << true << rigid;
    }
  }
  /// The same sphere with the corners of its triangles named from the next one on: images run through them the other way.
  void walls_over_a_ground_do_not_ask_where_triangles_begin() {
    QFETCH(bool, moves);
    QFETCH(bool, rigid);
    Team team({{"cpu", 2, 1}});
    Mesh mesh = grouped_sphere(2, std::numbers::pi / 3);
    for (Index p = 0; p < mesh.point_count(); ++p) mesh.mutable_points()[static_cast<std::size_t>(3 * p + 2)] += 1.2;
    const auto heard = [&](const Mesh& body) {
      Conditions conditions;
      conditions.ground = Ground{2, 0, rigid};
      if (moves)
        conditions.walls = {{"cap", WallKind::velocity, 1, {0, 0, 1}}};
      else
        conditions.walls = {{"cap", WallKind::impedance, 1, {}, ringing_wall()}};
      WallScene scene;
      scene.surface = *make_surface(body, Ordering::hilbert, usual_rim_layers, conditions);
      scene.form = form_for(scene.surface, FormName::NC);
      set_wall_memory(scene.surface, scene.form.dt);
      Wave wave;
      wave.pulse = ricker_of(2);
      wave.direction = {0, 0, -1};
      scene.waves = {wave};
      if (moves) scene.motions = {{"cap", 0, ricker_of(2), 0}};
      scene.places = {{1.5, 0.3, 0.4}};
      return run_scene(scene, team).u[0];
    };
    const std::vector<double> want = heard(mesh);
    Mesh turned;
    for (Index p = 0; p < mesh.point_count(); ++p) turned.add_point(mesh.point(p));
    for (Index c = 0; c < mesh.cell_count(); ++c) {
      const auto n = mesh.nodes(c);
      turned.add_cell(CellShape::triangle3, {n[1], n[2], n[0]});
    }
    for (const char* group : {"cap", "rest"}) turned.add_group(group, 2).cells = mesh.group(group)->cells;
    const std::vector<double> got = heard(turned);
    QCOMPARE(got.size(), want.size());
    double worst = 0, peak = 0;
    for (std::size_t k = 0; k < want.size(); ++k) {
      worst = std::max(worst, std::abs(got[k] - want[k]));
      peak = std::max(peak, std::abs(want[k]));
    }
    QVERIFY2(peak > 0.01 && worst < 1e-12 * peak, qPrintable(QString("%1 of %2").arg(worst).arg(peak)));
  }
  void wall_on_the_ground_has_no_rim_there() {
    Team team({{"cpu", 2, 1}});
    const ShadowError e = half_plane_shadow(0.2, usual_rim_layers, team, true);
    qInfo("N %d, signal %g", static_cast<int>(e.unknowns), e.signal);
    QVERIFY2(e.signal < 0.2, qPrintable(QString::number(e.signal)));
  }
  void late_field_vanishes_where_soft_and_absorbing_faces_meet() {
    Team team({{"cpu", 2, 1}});
    for (double z : {0.0, 1.0}) {
      const double level = late_level_of_walls(4, z, 3000, team);
      QVERIFY2(level < 1e-12, qPrintable(QString::number(level)));
    }
  }
  void room_follows_image_sources() {
    Team team({{"cpu", 2, 1}});
    const WallErrors a = box_room(5, team), b = box_room(10, team);
    qInfo("%s; %s", told(a).constData(), told(b).constData());
    QVERIFY2(b.receiver < 0.1, told(b));
  }
};

QTEST_APPLESS_MAIN(TestWalls)
#include "test_walls.moc"
