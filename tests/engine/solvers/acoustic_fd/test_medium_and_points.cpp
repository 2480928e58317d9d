// SPDX-License-Identifier: BSD-3-Clause
// The medium at the nodes, signatures between samples, weights of points between nodes, images, stencils.
// labels: unit
#include "engine/models/model.hpp"
#include "engine/solvers/acoustic_fd/discretization/exact.hpp"
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"
#include "engine/solvers/acoustic_fd/discretization/point_rows.hpp"
#include "engine/solvers/acoustic_fd/discretization/points.hpp"
#include "engine/solvers/acoustic_fd/kernels/patch.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>

using namespace conoid;
using namespace conoid::acoustic_fd;

namespace {

/// JSON written with single quotes.
std::string json(std::string text) {
  std::replace(text.begin(), text.end(), '\'', '"');
  return text;
}

}  // namespace

class TestMediumAndPoints : public QObject {
  Q_OBJECT

 private slots:
  void stencils_are_exact_for_polynomials() {
    for (const int order : {2, 4, 6, 8}) {
      const Stencil s = stencil_of_order(order);
      // Second derivative of x^m at 0 for m ≤ order + 1: only m = 2 gives 2.
      for (int m = 0; m <= order + 1; ++m) {
        double sum = m == 0 ? s.weight[0] : 0;
        for (int i = 1; i <= s.radius; ++i)
          sum += s.weight[static_cast<std::size_t>(i)] * (std::pow(i, m) + std::pow(-i, m));
        QVERIFY2(std::abs(sum - (m == 2 ? 2 : 0)) < 1e-12,
                 qPrintable(QString("order %1 power %2: %3").arg(order).arg(m).arg(sum)));
      }
    }
    const std::array<double, 4> limits{0.577, 0.500, 0.470, 0.453};
    for (int i = 0; i < 4; ++i)
      QVERIFY(std::abs(largest_time_step(stencil_of_order(2 * i + 2), {1, 1, 1}, 1) -
                       limits[static_cast<std::size_t>(i)]) < 6e-4);
  }

  /// Weights of single precision leave a constant at rest, within the last digits of the finest, and are still those of a second derivative.
  void rounded_weights_add_up_to_nothing() {
    for (const int order : {2, 4, 6, 8, 10, 12})
      for (const Vec3& spacing :
           {Vec3{1, 1, 1}, Vec3{1, 1.25, 0.7}, Vec3{1, std::numeric_limits<double>::infinity(), 1}}) {
        const auto w = row_weights<float>(stencil_of_order(order), spacing);
        const bool equal = equal_spacings(spacing);
        double sum = static_cast<double>(w.centre), moments[3]{};
        for (int i = 1; i <= order / 2; ++i) {
          const float* const axes[3] = {equal ? w.equal : w.x, equal ? w.equal : w.y, equal ? w.equal : w.z};
          for (std::size_t a = 0; a < 3; ++a) {
            sum += 2 * static_cast<double>(axes[a][i]);
            moments[a] += static_cast<double>(axes[a][i]) * i * i;
          }
        }
        QVERIFY2(std::abs(sum) < 3e-8, qPrintable(QString("order %1: %2").arg(order).arg(sum)));
        for (std::size_t a = 0; a < 3; ++a) {
          const double ratio = 1 / (spacing[a] * spacing[a]);
          QVERIFY(std::abs(moments[a] - ratio) <= 1e-6 * ratio);
        }
      }
  }

  void points_are_found_by_plane_and_rows() {
    struct Point {
      Index x, y, z;
      int number;
    };
    std::mt19937 random(11);
    for (const int count : {0, 1, 7, 300}) {
      std::vector<Point> all;
      PointRows<Point> rows;
      for (int n = 0; n < count; ++n) {
        all.push_back({static_cast<Index>(random() % 9) * 3 - 5, static_cast<Index>(random() % 12),
                       static_cast<Index>(random() % 4), n});
        rows.add(all.back());
      }
      rows.sort();
      QCOMPARE(rows.empty(), count == 0);
      for (Index x = -8; x < 25; ++x)
        for (Index begin = -2; begin < 14; ++begin)
          for (Index end = begin; end < 15; ++end) {
            std::vector<std::pair<Index, int>> expected, found;  // row and number: as they were added
            for (const Point& p : all)
              if (p.x == x && p.y >= begin && p.y < end) expected.emplace_back(p.y, p.number);
            std::sort(expected.begin(), expected.end());
            for (const Point& p : rows.at(x, {begin, end})) found.emplace_back(p.y, p.number);
            QCOMPARE(found, expected);
          }
    }
  }

  void layers_count_depth_from_their_face() {
    const auto v = layered_velocity(2, -1, 100, {{10, 1500, 0}, {30, 2000, 2}});
    std::vector<double> c(6);
    v->row(0, 0, 0, 20, c);  // z = 0 … 100: depth 100, 80, 60, 40, 20, 0
    const std::vector<double> expected{2140, 2100, 2060, 2020, 1500, 1500};
    QCOMPARE(c, expected);
    const SpeedRange r = v->range({0, 0, 0}, {1, 1, 100});
    QCOMPARE(r.lowest, 1500.0);
    QCOMPARE(r.highest, 2140.0);
  }

  void a_model_file_is_read_by_its_axes() {
    // A field linear in x, y, z is reproduced exactly by trilinear sampling, whatever the order of axes or bytes.
    QTemporaryDir folder;
    const std::filesystem::path base = folder.path().toStdString();
    const std::array<Index, 3> shape{4, 5, 6};
    const Vec3 spacing{10, 20, 30}, origin{-5, 7, 100};
    const auto speed = [](double x, double y, double z) { return 1500 + 0.5 * x - 0.25 * y + 0.125 * z; };
    for (const std::string axes : {"xyz", "zyx", "yzx"})
      for (const bool big : {false, true}) {
        std::string raw;
        std::array<Index, 3> i{};
        const auto axis = [&](std::size_t n) { return static_cast<std::size_t>(axes[n] - 'x'); };
        for (i[axis(0)] = 0; i[axis(0)] < shape[axis(0)]; ++i[axis(0)])
          for (i[axis(1)] = 0; i[axis(1)] < shape[axis(1)]; ++i[axis(1)])
            for (i[axis(2)] = 0; i[axis(2)] < shape[axis(2)]; ++i[axis(2)]) {
              const auto c = static_cast<float>(speed(origin[0] + 10.0 * static_cast<double>(i[0]),
                                                      origin[1] + 20.0 * static_cast<double>(i[1]),
                                                      origin[2] + 30.0 * static_cast<double>(i[2])) /
                                                1000);
              char bytes[4];
              std::memcpy(bytes, &c, 4);
              if (big) std::reverse(bytes, bytes + 4);
              raw.append(bytes, 4);
            }
        std::ofstream(base / "m.raw", std::ios::binary) << raw;
        const auto triple = [&](const auto& v) {
          return QString("[%1,%2,%3]").arg(v[axis(0)]).arg(v[axis(1)]).arg(v[axis(2)]).toStdString();
        };
        std::ofstream(base / "m.json") << json("{'file':'m.raw','axes':'" + axes + "','shape':" + triple(shape) +
                                               ",'spacing':" + triple(spacing) + ",'origin':" + triple(origin) +
                                               ",'unit':'km/s','endian':'" + (big ? "big" : "little") + "'}");
        const auto header = read_model_header(base / "m.json");
        QVERIFY2(header.ok(), header.ok() ? "" : header.error().render().c_str());
        const auto model = load_model(*header);
        QVERIFY(model.ok());
        const SpeedRange range = (*model)->range({}, {});
        QVERIFY(std::abs(range.lowest - speed(-5, 87, 100)) < 2e-3 &&
                std::abs(range.highest - speed(25, 7, 250)) < 2e-3);
        std::vector<double> c(7);
        (*model)->row(12.3, 55.5, 103.7, 19.1, c);
        for (std::size_t k = 0; k < c.size(); ++k)
          QVERIFY(std::abs(c[k] - speed(12.3, 55.5, 103.7 + 19.1 * static_cast<double>(k))) < 2e-3);  // float samples
        (*model)->row(-1000, 7, 100, 1, std::span(c).first(1));  // outside: the nearest value
        QVERIFY(std::abs(c[0] - speed(-5, 7, 100)) < 2e-3);
      }
  }

  void sampled_signals_pass_through_their_samples() {
    const auto tone = [](double i) { return std::sin(0.3 * i) * std::pow(std::sin(std::numbers::pi * i / 60), 2); };
    std::vector<double> values;
    for (int i = 0; i <= 60; ++i) values.push_back(tone(i));
    const Sampled s(values, 1.0, 0.01, 2.0);
    for (int i = 0; i <= 60; ++i) QVERIFY(std::abs(s.at(1 + 0.01 * i) - 2 * tone(i)) < 1e-9);
    for (int i = 0; i < 60; ++i) QVERIFY(std::abs(s.at(1 + 0.01 * (i + 0.4)) - 2 * tone(i + 0.4)) < 3e-4);
    QCOMPARE(s.at(0.999), 0.0);
    QCOMPARE(s.at(1.601), 0.0);
    // 0.3 rad a sample of 10 ms is 4.8 Hz; the window of 0.6 s widens it by 3 Hz, far below the Nyquist frequency of 50 Hz.
    QVERIFY(s.highest_frequency() > 4.5 && s.highest_frequency() < 12);
  }

  void samples_three_in_a_period_say_what_lies_between() {
    // A wavelet of 3 samples in its shortest period of note, which a cubic curve has 5 % low between them.
    const auto wavelet = [](double t) {
      const double b = std::numbers::pi * (t - 24) / 7.5;
      return (1 - 2 * b * b) * std::exp(-b * b);
    };
    std::vector<double> values;
    for (int i = 0; i <= 48; ++i) values.push_back(wavelet(i));
    const Sampled s(values, 0, 1, 1);
    for (int i = 0; i <= 480; ++i)
      QVERIFY2(std::abs(s.at(0.1 * i) - wavelet(0.1 * i)) < 5e-4, qPrintable(QString::number(i)));
    QVERIFY(!s.is_coarse());
    // Nothing rings where a record begins, goes on and ends at a value other than zero, or rises from its first sample on.
    const Sampled constant(std::vector<double>(9, 3.0), 0, 0.5, 1), line({0, 1, 2, 3, 4, 5}, 0, 1, 1);
    for (int i = 0; i <= 40; ++i) QVERIFY(std::abs(constant.at(0.1 * i) - 3) < 1e-12);
    for (int i = 0; i <= 50; ++i) QVERIFY(std::abs(line.at(0.1 * i) - 0.1 * i) < 0.05);
    // A tone of 2.1 samples a period is more than they can carry.
    for (int i = 0; i <= 48; ++i) values[static_cast<std::size_t>(i)] = std::sin(2 * std::numbers::pi * i / 2.1);
    QVERIFY(Sampled(values, 0, 1, 1).is_coarse());
  }

  void initial_samples_finer_than_nodes_become_means() {
    Problem p;
    p.grid.points = {33, 1, 41};
    p.grid.spacing = {1, 1, 1.5};
    p.faces[0].kind = p.faces[2].kind = p.faces[3].kind = FaceKind::rigid;
    p.faces[5].kind = FaceKind::free_surface;
    // Four samples a node along x, three along z, beyond all faces.
    ModelBox box{{150, 1, 140}, {0.25, 1, 0.5}, {-2.1, 0, -3.3}};
    const auto samples_of = [&](auto&& value) {
      std::vector<float> values;
      for (Index i = 0; i < 150; ++i)
        for (Index k = 0; k < 140; ++k)
          values.push_back(static_cast<float>(
              value(-2.1 + 0.25 * static_cast<double>(i), -3.3 + 0.5 * static_cast<double>(k), i + k)));
      return sampled_velocity(box, {140, 140, 1}, std::move(values), {-2, 2});
    };
    const auto largest = [&](const InitialMeans& means, auto&& value, Index rim) {
      Initial initial;
      initial.kind = Initial::Kind::file;
      initial.samples = means.samples;
      double worst = 0;
      for (Index x = 0; x < 33 - rim; ++x)
        for (Index z = rim; z < 41; ++z) {
          const Vec3 at{p.grid.at(0, x), 0, p.grid.at(2, z)};
          worst = std::max(worst, std::abs(initial_pressure(initial, at) - value(at[0], at[2])));
        }
      return worst;
    };
    const auto bell = [](double x, double z) {
      return std::exp(-0.5 * ((x - 2) * (x - 2) / 16 + (z - 30) * (z - 30) / 36));
    };
    // Of bells of 4 nodes' standard deviation, even at the mirror, means keep what waves of 8 nodes and more lose at most.
    const InitialMeans smooth =
        means_at_nodes(*samples_of([&](double x, double z, Index) { return bell(x, z) + bell(-x, z); }), p);
    const auto both = [&](double x, double z) { return bell(x, z) + bell(-x, z); };
    QVERIFY(largest(smooth, both, 0) < 0.004);
    QVERIFY(std::abs(smooth.kept - 1) < 0.01);
    // What changes its sign from sample to sample is none of the grid's.
    const InitialMeans rough =
        means_at_nodes(*samples_of([&](double x, double z, Index n) { return both(x, z) + (n % 2 == 0 ? 1 : -1); }), p);
    QVERIFY(largest(rough, both, 3) < 0.02);
    QVERIFY(rough.kept < 0.3);
    const InitialMeans even = means_at_nodes(*samples_of([](double, double, Index) { return 1.0; }), p);
    // At the free surface it is odd: K over one side of the face less K over the other, one node below 1 + 1/12.
    const auto odd_end = [](double, double z) { return z > 59.9 ? 0.0 : z > 58 ? 13.0 / 12 : 1.0; };
    QVERIFY(largest(even, odd_end, 0) < 0.03);
    // Samples as close as the nodes stay what they are.
    box = {{33, 1, 41}, {1, 1, 1.5}, {0, 0, 0}};
    QVERIFY(!means_at_nodes(*sampled_velocity(box, {41, 41, 1}, std::vector<float>(33 * 41, 1), {1, 1}), p).samples);
  }

  void weights_reproduce_waves_between_nodes() {
    Grid g;
    g.points = {40, 40, 40};
    g.spacing = {1, 1.5, 2};
    std::array<Face, 6> open{};
    std::mt19937 random(7);
    std::uniform_real_distribution<double> place(15, 24);
    for (int n = 0; n < 20; ++n) {
      const Vec3 x{place(random), 1.5 * place(random), 2 * place(random)};
      for (const Spread spread : {Spread::trilinear, Spread::sinc}) {
        const auto w = point_weights(g, open, x, spread, PointUse::receiver);
        double sum = 0, wave = 0;
        const auto field = [](double a, double b, double c) {
          return std::cos(2 * std::numbers::pi * (a + b / 1.5 + c / 2) / 8 / std::sqrt(3.0));
        };
        for (const NodeWeight& node : w) {
          sum += node.weight;
          wave += node.weight * field(static_cast<double>(node.x), 1.5 * static_cast<double>(node.y),
                                      2 * static_cast<double>(node.z));
        }
        const double tolerance = spread == Spread::sinc ? 5e-3 : 0.08;  // trilinear: (k h)²/8 an axis, three axes
        QVERIFY(std::abs(sum - 1) < (spread == Spread::sinc ? 5e-3 : 1e-12));
        QVERIFY(std::abs(wave - field(x[0], x[1], x[2])) < tolerance);
      }
    }
    const auto node = point_weights(g, open, {7, 9, 12}, Spread::sinc, PointUse::source);
    QCOMPARE(node.size(), std::size_t{1});
    QCOMPARE(node[0].weight, 1.0);
    QVERIFY(node[0].x == 7 && node[0].y == 6 && node[0].z == 6);
  }

  void reflecting_faces_fold_weights() {
    Grid g;
    g.points = {20, 20, 20};
    std::array<Face, 6> faces{};
    faces[0].kind = FaceKind::rigid;
    faces[4].kind = FaceKind::free_surface;
    // A receiver on the rigid face reads the face; a source there drives the double strength of its half cell.
    QCOMPARE(point_weights(g, faces, {0, 9, 9}, Spread::sinc, PointUse::receiver).at(0).weight, 1.0);
    QCOMPARE(point_weights(g, faces, {0, 9, 9}, Spread::sinc, PointUse::source).at(0).weight, 2.0);
    QVERIFY(point_weights(g, faces, {9, 9, 0}, Spread::sinc, PointUse::source).empty());
    // Half a node below a free surface a constant field −1 … +1 is read as the odd function it is.
    double value = 0;
    for (const auto& n : point_weights(g, faces, {9, 9, 0.5}, Spread::sinc, PointUse::receiver))
      value += n.weight * std::sin(0.3 * static_cast<double>(n.z));
    QVERIFY(std::abs(value - std::sin(0.15)) < 2e-3);
  }

  /// A slope reaches eight nodes to either side, in a grid of three beyond the images of both faces. What rigid walls reflect has no slope across
  /// them where it is everywhere the same; and what a dipole sends to a node is what a slope there would hear of it.
  void slopes_in_grids_of_few_nodes_fold_at_both_faces() {
    for (const Index few : {3, 4, 5, 7})
      for (const FaceKind upper : {FaceKind::rigid, FaceKind::free_surface, FaceKind::sponge}) {
        Grid g;
        g.points = {few, 20, 20};
        std::array<Face, 6> faces{};
        faces[0].kind = FaceKind::rigid;
        faces[1].kind = upper;
        const auto last = static_cast<double>(few - 1);
        for (const double place : {0.0, 0.37, 1.0, last - 0.4, last}) {
          Source source;
          source.position = {place, 9, 9.3};
          source.dipole = {1, 0, 0};
          Receiver receiver;
          receiver.position = source.position;
          receiver.slope = source.dipole;
          const auto heard = receiver_weights(g, faces, receiver, Spread::sinc),
                     sent = source_weights(g, faces, source, Spread::sinc);
          // The lowest wave that both faces let stand.
          const double k = upper == FaceKind::rigid ? std::numbers::pi / last : 0.5 * std::numbers::pi / last;
          double same = 0, wave = 0, sent_wave = 0;
          const auto at = [&](Index x) { return std::cos(k * static_cast<double>(x)); };
          for (const auto& n : heard) {
            same += n.weight;
            wave += n.weight * at(n.x);
          }
          for (const auto& n : sent) {
            const bool on_rigid = n.x == 0 || (n.x == few - 1 && upper == FaceKind::rigid);
            sent_wave += n.weight * at(n.x) * (on_rigid ? 0.5 : 1);
          }
          if (upper == FaceKind::rigid) QVERIFY(std::abs(same) < 1e-12);
          // Four nodes a wave where there are three: the slope of order 8 is 3 % low there, and a sinc of radius 4 a percent off.
          if (upper != FaceKind::sponge) QVERIFY(std::abs(wave + k * std::sin(k * place)) < 0.045 * k);
          QVERIFY(std::abs(sent_wave - wave) < 1e-12);
        }
      }
  }

  void images_of_a_room() {
    auto images = axis_images(1, 2, 0, 5, 1, 1, 30);
    std::sort(images.begin(), images.end());
    // ±1 + 10 n within 30 of 2.
    std::vector<std::pair<double, int>> expected;
    for (int n = -4; n <= 4; ++n)
      for (const int s : {-1, 1})
        if (std::abs(10.0 * n + s - 2) <= 30) expected.emplace_back(10.0 * n + s, 1);
    std::sort(expected.begin(), expected.end());
    QCOMPARE(images.size(), expected.size());
    for (std::size_t i = 0; i < images.size(); ++i)
      QVERIFY(std::abs(images[i].first - expected[i].first) < 1e-12 && images[i].second == 1);
    for (const auto& [x, sign] : axis_images(1, 2, 0, 5, -1, 0, 30))
      QVERIFY((x == 1 && sign == 1) || (x == -1 && sign == -1));
  }
};

QTEST_APPLESS_MAIN(TestMediumAndPoints)
#include "test_medium_and_points.moc"
