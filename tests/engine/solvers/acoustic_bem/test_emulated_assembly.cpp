// SPDX-License-Identifier: BSD-3-Clause
// Matrices assembled on the emulated device, checked and not, are those of the processors; both share tiles.
// labels: unit emulated timeout300
#include <QTest>

#include "conoid/config.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/solvers/acoustic_bem/verify/room_scenes.hpp"
#include "engine/solvers/acoustic_bem/verify/scenes.hpp"
#include "engine/team/device.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_bem/emulated_worker.hpp"

using namespace conoid;
using namespace conoid::acoustic_bem;

namespace {

/// Largest difference of any entry of any M_k, over the largest entry.
double assembly_difference(const Surface& surface, const Form& form, const std::vector<WorkerSpec>& workers) {
  Team one({{"cpu", 1, 1}}), some(workers);
  const Matrices<double> want = assemble_all<double>(surface, form, {}, one),
                         got = assemble_all<double>(surface, form, {}, some);
  double most = 0, off = 0;
  for (Index k = 0; k <= want.slices.columns(); ++k) {
    const Eigen::MatrixXd a = dense_matrix(want, k), b = dense_matrix(got, k);
    most = std::max(most, a.cwiseAbs().maxCoeff());
    off = std::max(off, (a - b).cwiseAbs().maxCoeff());
  }
  return off / most;
}

Surface mirrored_screen() {
  const Mesh mesh = *plate({.low = {-1, -1}, .high = {1, 1}, .divisions = {7, 5}, .level = 0.4});
  Conditions conditions;
  conditions.ground = Ground{2, 0, true};
  return std::move(*make_surface(mesh, Ordering::hilbert, 2, conditions));
}

/// Its walls are tested by form N, the ball in it by the combined form.
Surface ball_in_box() {
  const Mesh mesh = with_body(*box_surface({.low = {-1, -1, -1}, .high = {1, 1, 1}, .divisions = {3, 3, 3}}),
                              *icosphere({.radius = 0.4, .divisions = 1}), {});
  Conditions conditions;
  conditions.inside = true;
  return std::move(*make_surface(mesh, Ordering::hilbert, 1, conditions));
}

}  // namespace

class TestEmulatedAssembly : public QObject {
  Q_OBJECT
 private slots:
  void cleanup() { configure_emulated({}); }

  void all_forms_data() { add_rows_of_forms(); }
  void all_forms() {
    QFETCH(int, form);
    const Surface s = unit_sphere(3);  // 92 unknowns
    const double off =
        assembly_difference(s, form_for(s, static_cast<FormName>(form)), {emulated_worker("emulated:0")});
    QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
    QVERIFY(off > 0);  // another order of sums: the device did it
  }
  void thin_bodies_rims_and_images() {
    const Surface s = mirrored_screen();
    const double off = assembly_difference(s, form_for(s, FormName::N), {emulated_worker("emulated:0")});
    QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
    const Surface cube = unit_cube(3);
    const double other = assembly_difference(cube, form_for(cube, FormName::NC), {emulated_worker("emulated:0")});
    QVERIFY2(other < 1e-12, qPrintable(QString::number(other)));
  }
  void bodies_in_rooms() {
    const Surface s = ball_in_box();
    const double off = assembly_difference(s, form_for(s, FormName::NC), {emulated_worker("emulated:0")});
    QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
    QVERIFY(off > 0);
  }
  /// Tiles of several on a processor and a device that has room for a few triangles at a time.
  void shared_and_in_batches() {
    EmulatedOptions small;
    small.memory = Bytes{40} << 20;
    configure_emulated(small);
    const Surface s = unit_sphere(6);  // 362 unknowns: three tiles
    const double off =
        assembly_difference(s, form_for(s, FormName::NC), {{"cpu", 1, 1}, emulated_worker("emulated:0")});
    QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
  }
  /// A device alone has all threads: each that feeds it has tiles and a stream of its own.
  void several_threads_feed_one_device() {
    const Surface s = unit_sphere(6);  // three tiles
    WorkerSpec worker = emulated_worker("emulated:0");
    worker.threads = 3;
    const double off = assembly_difference(s, form_for(s, FormName::NC), {worker});
    QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
    QVERIFY(off > 0);
  }
  /// Far too little memory: the device's host thread computes.
  void what_does_not_fit_is_computed_by_the_host() {
    EmulatedOptions small;
    small.memory = Bytes{1} << 20;
    configure_emulated(small);
    const Surface s = unit_sphere(3);
    const double off = assembly_difference(s, form_for(s, FormName::NC), {emulated_worker("emulated:0")});
    QVERIFY2(off < 1e-14, qPrintable(QString::number(off)));
  }
  void checked() {
    if (CONOID_HAVE_EMULATED_CHECKED == 0) QSKIP("sanitizers and the checked mode exclude each other");
    const Surface s = unit_sphere(1);
    const double off = assembly_difference(s, form_for(s, FormName::NC), {emulated_worker("emulated-checked:0")});
    QVERIFY2(off < 1e-12, qPrintable(QString::number(off)));
  }
};

QTEST_APPLESS_MAIN(TestEmulatedAssembly)
#include "test_emulated_assembly.moc"
