// SPDX-License-Identifier: BSD-3-Clause
// The march solves the discrete equations exactly: box modes, energy, images behind faces, travelling planes.
// labels: unit timeout300
#include "engine/solvers/acoustic_fd/discretization/layers.hpp"
#include "engine/team/team.hpp"
#include "tests/engine/solvers/acoustic_fd/support.hpp"

#include <QTest>
#include <cmath>
#include <numbers>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

Problem box(int order, std::array<Index, 3> points, Vec3 spacing, FaceKind kind) {
  Problem p;
  p.grid.points = points;
  p.grid.spacing = spacing;
  p.order = order;
  p.double_precision = true;
  p.velocity = constant_velocity(340);
  p.speed = {340, 340};
  for (auto& f : p.faces) f.kind = kind;
  p.dt = 0.8 * largest_time_step(stencil_of_order(order), spacing, 340);
  p.steps = 100;
  return p;
}

std::vector<float> whole_field(const March& march, const Problem& p) {
  std::vector<float> out;
  March::Cut all;
  all.count = p.grid.points;
  march.read(all, out);
  return out;
}

/// The exact frequency ω of a plane wave of this wave vector in the scheme, from sin²(ω dt/2) = (c dt/2)² Σ_a κ²(k_a).
double discrete_frequency(const Stencil& stencil, const Vec3& wave_vector, const Vec3& spacing, double speed,
                          double dt) {
  double squared = 0;
  for (std::size_t a = 0; a < 3; ++a) squared += discrete_wavenumber_squared(stencil, wave_vector[a], spacing[a]);
  return 2 / dt * std::asin(0.5 * speed * dt * std::sqrt(squared));
}

}  // namespace

class TestMarchPhysics : public QObject {
  Q_OBJECT

 private slots:
  void box_modes_follow_the_discrete_dispersion() {
    // cos or sin of an integer number of half waves is an eigenvector of the stencil with its images, for every order;
    // in time it then is exactly cos(ω_h t) with ω_h of discrete_frequency(). Double precision: rounding only.
    for (const int order : {2, 4, 6, 8})
      for (const FaceKind kind : {FaceKind::rigid, FaceKind::free_surface}) {
        const Problem p = box(order, {17, 14, 21}, {0.1, 0.12, 0.08}, kind);
        Vec3 k{};
        const std::array<int, 3> half_waves{2, 3, 1};
        for (std::size_t a = 0; a < 3; ++a)
          k[a] = std::numbers::pi * half_waves[a] / (static_cast<double>(p.grid.points[a] - 1) * p.grid.spacing[a]);
        const double omega = discrete_frequency(stencil_of_order(order), k, p.grid.spacing, 340, p.dt);
        const auto mode = [&](Index x, Index y, Index z) {
          double v = 1;
          const std::array<Index, 3> i{x, y, z};
          for (std::size_t a = 0; a < 3; ++a) {
            const double phase = k[a] * static_cast<double>(i[a]) * p.grid.spacing[a];
            v *= kind == FaceKind::rigid ? std::cos(phase) : std::sin(phase);
          }
          return v;
        };
        acoustic_fd::testing::MemoryCheckpoint start;
        std::vector<double> now, before;
        for (Index x = 0; x < p.grid.points[0]; ++x)
          for (Index y = 0; y < p.grid.points[1]; ++y)
            for (Index z = 0; z < p.grid.points[2]; ++z) {
              now.push_back(mode(x, y, z));
              before.push_back(mode(x, y, z) * std::cos(omega * p.dt));
            }
        start.piece<double>("pressure", p.grid.cells(), 0, now);
        start.piece<double>("pressure_before", p.grid.cells(), 0, before);
        start.value("step", Index{0});
        const auto cluster = single_rank();
        Team team({WorkerSpec{"cpu", 1, 1}});
        const auto march = make_march(p, this_machine(), *cluster);
        march->start(team, *cluster);
        march->load(start, *cluster);
        for (int i = 0; i < 100; ++i) march->step(team, *cluster);
        acoustic_fd::testing::MemoryCheckpoint end;
        march->save(end);
        const auto field = end.all<double>("pressure");
        double worst = 0;
        std::size_t i = 0;
        for (Index x = 0; x < p.grid.points[0]; ++x)
          for (Index y = 0; y < p.grid.points[1]; ++y)
            for (Index z = 0; z < p.grid.points[2]; ++z, ++i)
              worst = std::max(worst, std::abs(field[i] - mode(x, y, z) * std::cos(omega * 100 * p.dt)));
        // Rounding of 2p − p_old grows at most quadratically in the number of steps: 100² · 2⁻⁵³ ≈ 1e-12.
        QVERIFY2(worst < 2e-12, qPrintable(QString("order %1: %2").arg(order).arg(worst)));
      }
  }

  void energy_stays_in_a_closed_box() {
    for (const FaceKind kind : {FaceKind::rigid, FaceKind::free_surface}) {
      Problem p = box(8, {20, 23, 18}, {1, 1, 1}, kind);
      p.velocity = layered_velocity(0, 1, 0, {{0, 300, 2}, {7, 500, 0}});
      p.speed = {300, 500};
      p.dt = 0.95 * largest_time_step(stencil_of_order(8), p.grid.spacing, 500);
      p.initial = {Initial::Kind::pulse, 1.0, 2.0, {9, 11, 8}, 0, 0};
      const auto cluster = single_rank();
      Team team({WorkerSpec{"cpu", 1, 1}});
      const auto march = make_march(p, this_machine(), *cluster);
      march->start(team, *cluster);
      march->step(team, *cluster);
      const double first = march->energy(team, *cluster).total();
      QVERIFY(first > 0);
      for (int i = 0; i < 500; ++i) march->step(team, *cluster);
      const Energy last = march->energy(team, *cluster);
      QVERIFY(last.kinetic > 0.05 * first);
      QVERIFY2(std::abs(last.total() - first) < 1e-11 * first, qPrintable(QString::number(last.total() / first - 1)));
    }
  }

  void matched_layers_on_all_faces_empty_the_box() {
    // Edges and corners, where two and three layers overlap, are most of this box; a pulse of half a node holds all wave lengths that
    // the grid has. A layer that feeds any of them shows after thousands of steps, whatever it absorbed at first.
    for (const int order : {2, 4, 6, 8, 12})
      for (const bool equal : {true, false}) {
        const Index width = safe_matched_width(order), n = 2 * width + order + 3;
        Problem p = box(order, {n, n + 1, n + 2}, equal ? Vec3{1, 1, 1} : Vec3{1, 1.3, 0.8}, FaceKind::matched);
        for (auto& f : p.faces) f.width = width;
        p.dt = 0.95 * largest_time_step(stencil_of_order(order), p.grid.spacing, 340);
        const auto middle = 0.5 * static_cast<double>(n);
        p.initial = {Initial::Kind::pulse, 1.0, 0.6, {middle, middle, middle}};
        const auto cluster = single_rank();
        Team team({WorkerSpec{"cpu", 1, 1}});
        const auto march = make_march(p, this_machine(), *cluster);
        march->start(team, *cluster);
        const auto peak_after = [&](Index steps) {
          march->advance(team, *cluster, steps, nullptr);
          double most = 0;
          for (const float v : whole_field(*march, p)) most = std::max(most, std::abs(static_cast<double>(v)));
          return most;
        };
        QVERIFY2(peak_after(1000) < 1e-3, qPrintable(QString("order %1 after 1000 steps").arg(order)));
        QVERIFY2(peak_after(5000) < 1e-5, qPrintable(QString("order %1 after 6000 steps").arg(order)));
      }
  }

  /// Densities that vary along the normals of all layers, from node to node and in jumps, with and without the speed: what a layer feeds
  /// grows by up to a tenth a step (jumps of 1.9), so a thousand steps would show a hundredth of it.
  void density_inside_matched_layers_feeds_nothing() {
    struct Medium {
      const char* name;
      std::shared_ptr<const Velocity> density;
      bool slow;
    };
    for (const int order : {2, 4, 8, 12})
      for (const Medium& medium :
           {Medium{"rough", std::make_shared<acoustic_fd::testing::RoughDensity>(1000, 3, 0.7), false},
            Medium{"rough, slow below", std::make_shared<acoustic_fd::testing::RoughDensity>(1000, 1.9, 0.7), true},
            Medium{"floor", layered_velocity(2, 1, 0, {{0, 1900, 0}, {4.5, 1000, 0}}), true}}) {
        const bool wide = order % 8 == 4;
        const Index width = safe_matched_width(order), n = 2 * width + order + 1;
        Problem p = box(order, {n, n, n}, {1, 1, 1}, FaceKind::matched);
        for (auto& f : p.faces) f.width = width;
        if (order == 4) p.faces[5].kind = FaceKind::free_surface;
        p.double_precision = wide;
        p.density = medium.density;
        p.reference_density = 1000;
        if (medium.slow) {
          p.velocity = layered_velocity(2, 1, 0, {{0, 340, 0}, {6.5, 250, 0}});
          p.speed = {250, 340};
        }
        p.dt = 0.6 * largest_time_step(stencil_of_order(order), p.grid.spacing, 340);
        const auto middle = 0.5 * static_cast<double>(n);
        p.initial = {Initial::Kind::pulse, 1.0, 0.6, {middle, middle, middle}};
        const auto cluster = single_rank();
        Team team({WorkerSpec{"cpu", 1, 1}});
        const auto march = make_march(p, this_machine(), *cluster);
        march->start(team, *cluster);
        const auto peak_after = [&](Index steps) {
          march->advance(team, *cluster, steps, nullptr);
          return march->peak(team);
        };
        const double early = peak_after(300), late = peak_after(1200);
        QVERIFY2(early < 0.5 && late < 0.5 * early,
                 qPrintable(QString("order %1, %2, double %3: %4 after 300 steps, %5 after 1500")
                                .arg(order)
                                .arg(medium.name)
                                .arg(wide)
                                .arg(early)
                                .arg(late)));
      }
  }

  void a_plane_pulse_travels_without_change() {
    // One axis, order 8, 12 nodes in the width: the shape arrives to better than 1 %.
    Problem p = box(8, {121, 9, 9}, {1, 1, 1}, FaceKind::rigid);
    p.initial = {Initial::Kind::plane, 1.0, 6.0, {35, 0, 0}, 0, 1};
    const auto cluster = single_rank();
    Team team({WorkerSpec{"cpu", 2, 1}});
    const auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    const int steps = 120;
    for (int i = 0; i < steps; ++i) march->step(team, *cluster);
    const auto field = whole_field(*march, p);
    const double crest = 35 + 340 * steps * p.dt;
    QVERIFY(crest > 60 && crest < 100);
    double worst = 0;
    for (Index x = 0; x < 121; ++x) {
      const double d = (static_cast<double>(x) - crest) / 6;
      worst = std::max(
          worst, std::abs(static_cast<double>(field[static_cast<std::size_t>(x * 81 + 40)]) - std::exp(-0.5 * d * d)));
    }
    QVERIFY2(worst < 0.01, qPrintable(QString::number(worst)));
  }

  /// Twice as wide as a closed box: what is at rest keeps its mean to rounding, where d'Alembert's step before the start lets it drift.
  void a_plane_pulse_at_rest_keeps_its_mean_between_walls() {
    for (const int order : {2, 8}) {
      Problem p = box(order, {31, 9, 9}, {1, 1, 1}, FaceKind::rigid);
      p.initial = {Initial::Kind::plane, 1.0, 60.0, {9, 0, 0}, 0, 0};
      const auto cluster = single_rank();
      Team team({WorkerSpec{"cpu", 2, 1}});
      const auto march = make_march(p, this_machine(), *cluster);
      march->start(team, *cluster);
      const auto mean = [&] {
        const auto field = whole_field(*march, p);
        double sum = 0;
        for (Index x = 0; x < 31; ++x)
          sum += (x == 0 || x == 30 ? 0.5 : 1.0) * static_cast<double>(field[static_cast<std::size_t>(x * 81 + 40)]);
        return sum / 30;
      };
      const double begin = mean();
      for (int i = 0; i < 3000; ++i) march->step(team, *cluster);
      QVERIFY2(std::abs(mean() / begin - 1) < 1e-6, qPrintable(QString::number(mean() / begin - 1)));  // of floats
    }
  }

  void a_free_surface_holds_zero_and_a_source_on_it_is_silent() {
    Problem p = box(4, {15, 15, 15}, {1, 1, 1}, FaceKind::free_surface);
    p.sources.push_back({{7, 7, 0}, std::make_shared<Ricker>(20, 0.05, 1)});
    const auto cluster = single_rank();
    Team team({WorkerSpec{"cpu", 1, 1}});
    auto march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    for (int i = 0; i < 40; ++i) march->step(team, *cluster);
    for (const float v : whole_field(*march, p)) QCOMPARE(v, 0.0F);
    p.sources[0].position = {7.3, 6.8, 2.4};
    march = make_march(p, this_machine(), *cluster);
    march->start(team, *cluster);
    for (int i = 0; i < 40; ++i) march->step(team, *cluster);
    const auto field = whole_field(*march, p);
    float most = 0;
    for (std::size_t i = 0; i < field.size(); ++i) {
      most = std::max(most, std::abs(field[i]));
      if (i % 15 == 0) QCOMPARE(field[i], 0.0F);
    }
    QVERIFY(most > 0);
  }
};

QTEST_APPLESS_MAIN(TestMarchPhysics)
#include "test_march_physics.moc"
