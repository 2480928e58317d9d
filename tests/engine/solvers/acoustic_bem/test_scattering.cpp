// SPDX-License-Identifier: BSD-3-Clause
// Orders on the sphere, quiet late times, and exact fields on the cube: short forms of the verification table.
// labels: verify timeout300
#include <QTest>
#include <cmath>

#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/team.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

class TestScattering : public QObject {
  Q_OBJECT

 private slots:
  void sphere_converges_with_order_two_data() {
    QTest::addColumn<int>("form");
    for (FormName f : {FormName::NC, FormName::DC, FormName::D})
      QTest::addRow("%s", std::string(name_of(f)).c_str()) << static_cast<int>(f);
  }
  void sphere_converges_with_order_two() {
    QFETCH(int, form);
    Team team({{"cpu", 2, 1}});
    const auto at = [&](int d) {
      return sphere_errors({.divisions = d, .form = static_cast<FormName>(form), .target_strength = true}, team);
    };
    const SphereErrors coarse = at(3), fine = at(5);  // 92 and 252 unknowns
    const double order = std::log(coarse.surface / fine.surface) / std::log(coarse.h / fine.h);
    QVERIFY2(order > 1.8, qPrintable(QString::number(order)));
    QVERIFY2(fine.surface < 0.04, qPrintable(QString::number(fine.surface)));
    QVERIFY2(fine.ts_error_db < 0.2, qPrintable(QString::number(fine.ts_error_db)));
  }

  void late_field_vanishes() {
    Team team({{"cpu", 2, 1}});
    for (const Surface& s : {unit_cube(4), bar(1)}) {
      const LateLevels l = late_levels(s, form_for(s, FormName::NC), 20, {2000, 4000}, team);
      QVERIFY2(l.level[0] < 1e-12, qPrintable(QString::number(l.level[0])));
      QVERIFY(l.level[1] <= l.level[0]);
    }
  }

  void wrong_sign_of_alpha_is_unstable() {
    // What inward normals amount to: the check must never let it through, as nothing in the march would stop it.
    Team team({{"cpu", 2, 1}});
    const Surface s = unit_sphere(3);
    Form f = form_for(s, FormName::NC);
    f.alpha = -0.2;
    QVERIFY(late_levels(s, f, 20, {1000}, team).level[0] > 0.5);
  }

  void source_inside_a_cube_is_reproduced_outside() {
    Team team({{"cpu", 2, 1}});
    const double error = interior_source_error(unit_cube(6), team);
    QVERIFY2(error < 0.04, qPrintable(QString::number(error)));
  }
};

QTEST_APPLESS_MAIN(TestScattering)
#include "test_scattering.moc"
