// SPDX-License-Identifier: BSD-3-Clause
// Values between points and sums over cells, on fields whose values are known.
// labels: unit
// links: conoid_run
#include <QTest>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <random>

#include "engine/core/vec3.hpp"
#include "engine/io/frame_choice.hpp"
#include "engine/mesh/shape_functions.hpp"
#include "engine/run/frame_probe.hpp"

using namespace conoid;

namespace {

using Function = std::function<double(const Vec3&)>;

double linear_field(const Vec3& p) {
  return 3 + 2 * p[0] - p[1] + 0.5 * p[2];
}
double quadratic_field(const Vec3& p) {
  return 1 + p[0] * p[0] - 2 * p[0] * p[1] + 0.5 * p[1] * p[1] + p[2] * p[0] - p[2];
}

const FieldInfo pressure_info{"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"};

/// A box of nx × ny × nz cells of one shape (hex, or six tetrahedra a box; two dimensions: quads, or two triangles), cells of order 2 by nodes
/// between. Points are shared by place.
FramePart box_of(CellShape shape, std::array<int, 3> n, const Vec3& size, const Function& value) {
  auto points = std::make_shared<std::vector<double>>();
  auto connectivity = std::make_shared<std::vector<Index>>();
  auto offsets = std::make_shared<std::vector<Index>>(1, 0);
  auto types = std::make_shared<std::vector<std::uint8_t>>();
  std::map<std::array<long, 3>, Index> known;
  const auto point = [&](const Vec3& p) {
    std::array<long, 3> key{};
    for (std::size_t k = 0; k < 3; ++k) key[k] = std::lround(1e7 * p[k]);
    const auto [found, fresh] = known.try_emplace(key, static_cast<Index>(points->size() / 3));
    if (fresh) points->insert(points->end(), p.begin(), p.end());
    return found->second;
  };
  const int dim = dimension_of(shape);
  const bool simplex = corners_of(shape) == dim + 1;
  std::vector<std::vector<Vec3>> pieces;  // corners in the unit box
  if (!simplex) {
    std::vector<Vec3> corners;
    for (int i = 0; i < corners_of(shape); ++i) corners.push_back(reference_node(shape, i));
    pieces.push_back(corners);
  } else if (dim == 2) {
    pieces = {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  } else {
    // Kuhn's six tetrahedra along the paths from corner to corner.
    const std::array<std::array<std::size_t, 3>, 6> paths{
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    for (const auto& path : paths) {
      std::vector<Vec3> corners{{0, 0, 0}};
      for (const std::size_t k : path) {
        Vec3 next = corners.back();
        next[k] = 1;
        corners.push_back(next);
      }
      if (vec::triple(vec::sub(corners[1], corners[0]), vec::sub(corners[2], corners[0]),
                      vec::sub(corners[3], corners[0])) < 0)
        std::swap(corners[1], corners[2]);
      pieces.push_back(corners);
    }
  }
  const CellShape straight =
      dim == 3 ? (simplex ? CellShape::tet4 : CellShape::hex8) : (simplex ? CellShape::triangle3 : CellShape::quad4);
  for (int z = 0; z < (dim == 3 ? n[2] : 1); ++z)
    for (int y = 0; y < n[1]; ++y)
      for (int x = 0; x < n[0]; ++x)
        for (const auto& corners : pieces) {
          for (int i = 0; i < nodes_of(shape); ++i) {
            const ShapeValues f = shape_values(straight, reference_node(shape, i));
            Vec3 p{};
            for (std::size_t c = 0; c < corners.size(); ++c) p = vec::axpy(f.n[c], corners[c], p);
            const std::array<int, 3> at{x, y, z};
            for (std::size_t k = 0; k < 3; ++k) p[k] = size[k] * (p[k] + at[k]) / (dim == 2 && k == 2 ? 1 : n[k]);
            connectivity->push_back(point(p));
          }
          offsets->push_back(static_cast<Index>(connectivity->size()));
          types->push_back(static_cast<std::uint8_t>(shape));
        }
  std::vector<float> values;
  for (std::size_t i = 0; i < points->size(); i += 3)
    values.push_back(static_cast<float>(value({(*points)[i], (*points)[i + 1], (*points)[i + 2]})));
  return {"box", MeshGeometry{points, connectivity, offsets, types}, {make_field(pressure_info, std::move(values))}};
}

FramePart grid_of(std::array<Index, 3> points, const Function& value) {
  ImageGeometry grid{points, {-1, 0.5, 2}, {0.25, 0.5, 0.125}};
  std::vector<float> values;
  for (Index z = 0; z < points[2]; ++z)
    for (Index y = 0; y < points[1]; ++y)
      for (Index x = 0; x < points[0]; ++x)
        values.push_back(
            static_cast<float>(value({-1 + 0.25 * static_cast<double>(x), 0.5 + 0.5 * static_cast<double>(y),
                                      2 + 0.125 * static_cast<double>(z)})));
  return {"grid", grid, {make_field(pressure_info, std::move(values))}};
}

/// Values are stored in single precision: 2^-24 of the largest, some of them summed.
constexpr double single = 4e-7;

double value_at(const FramePart& part, const Vec3& p) {
  const auto probe = PartProbe::make(part);
  if (!probe) return std::nan("");
  const auto spot = probe->find(p, probe->usual_reach(), part.fields[0].info.association);
  if (!spot) return std::nan("");
  std::vector<double> entry;
  blend(*spot, part.fields[0], entry);
  return entry[0];
}

}  // namespace

class TestFrameProbe : public QObject {
  Q_OBJECT
 private slots:
  void fields_of_the_cells_order_come_out_exactly() {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(0.001, 0.999);
    const Vec3 size{2, 1, 0.7};
    for (const CellShape shape :
         {CellShape::triangle3, CellShape::quad4, CellShape::tet4, CellShape::hex8, CellShape::triangle6,
          CellShape::quad8, CellShape::quad9, CellShape::tet10, CellShape::hex20, CellShape::hex27}) {
      const Function value = order_of(shape) == 2 ? quadratic_field : linear_field;
      const FramePart part = box_of(shape, {3, 4, 2}, size, value);
      for (int i = 0; i < 100; ++i) {
        const Vec3 p{size[0] * uniform(random), size[1] * uniform(random),
                     dimension_of(shape) == 3 ? size[2] * uniform(random) : 0};
        QVERIFY2(std::abs(value_at(part, p) - value(p)) < 10 * single, std::string(name_of(shape)).c_str());
      }
      QVERIFY(std::isnan(value_at(part, {2.1, 0.5, 0})));
    }
  }

  void grids_are_trilinear() {
    const FramePart part = grid_of({9, 5, 7}, linear_field);
    for (const Vec3& p : {Vec3{-0.93, 1.1, 2.3}, Vec3{1, 2.5, 2.75}, Vec3{-1, 0.5, 2}})
      QVERIFY(std::abs(value_at(part, p) - linear_field(p)) < 10 * single);
    QVERIFY(std::isnan(value_at(part, {1.01, 1, 2.2})));
    // A plane holds what lies on it.
    const FramePart plane = grid_of({9, 1, 7}, linear_field);
    QVERIFY(std::abs(value_at(plane, {0.1, 0.5, 2.2}) - linear_field({0.1, 0.5, 2.2})) < 10 * single);
    QVERIFY(std::isnan(value_at(plane, {0.1, 0.6, 2.2})));
  }

  void integrals_of_the_cells_order_are_exact() {
    const Vec3 size{2, 1, 0.7};
    for (const CellShape shape :
         {CellShape::triangle3, CellShape::quad4, CellShape::tet4, CellShape::hex8, CellShape::triangle6,
          CellShape::quad8, CellShape::quad9, CellShape::tet10, CellShape::hex20, CellShape::hex27}) {
      const bool solid = dimension_of(shape) == 3, second = order_of(shape) == 2;
      const FramePart part = box_of(shape, {3, 4, 2}, size, second ? quadratic_field : linear_field);
      const auto sums = sum_over(part, part.fields[0], {});
      QVERIFY(sums.ok());
      const double c = solid ? size[2] : 0, volume = size[0] * size[1] * (solid ? c : 1);
      // Means over a box of sides a, b, c at the origin: x → a/2, x² → a²/3, x y → a b/4.
      const double mean = second ? 1 + 4.0 / 3 - 2 * 2.0 / 4 + 0.5 / 3 + c * 2 / 4 - c / 2 : 3 + 2 - 0.5 + 0.25 * c;
      QCOMPARE(sums->dimension, solid ? 3 : 2);
      QVERIFY(std::abs(sums->measure - volume) < 1e-12);
      QVERIFY2(std::abs(sums->mean[0] - mean) < 10 * single,
               qPrintable(QString("%1 %2 %3").arg(static_cast<int>(shape)).arg(sums->mean[0]).arg(mean)));
      QVERIFY(std::abs(sums->integral[0] - mean * volume) < 10 * single * volume);
      if (!second) {
        QVERIFY(std::abs(sums->low[0] - 2) < single * 10);  // at (0, 1, 0)
        QVERIFY(std::abs(sums->high[0] - (7 + 0.5 * c)) < single * 10);
      }
    }
    const FramePart grid = grid_of({9, 5, 7}, linear_field);
    const auto sums = sum_over(grid, grid.fields[0], {});
    QVERIFY(sums.ok());
    QVERIFY(std::abs(sums->measure - 2 * 2 * 0.75) < 1e-12);
    QVERIFY(std::abs(sums->mean[0] - linear_field({0, 1.5, 2.375})) < 10 * single);
  }

  void sections_stand_for_the_bodies_that_turn() {
    // A cylinder of radius 2 and length 1 about x, from the axis on, of its section: f = 3 + 2 x − r. Means: r over the disc 2 R / 3.
    const auto section = [](const Vec3& p) { return 3 + 2 * p[0] - p[1]; };
    const double radius = 2, volume = std::numbers::pi * radius * radius, mean = 3 + 1 - 2 * radius / 3;
    for (const CellShape shape : {CellShape::triangle3, CellShape::quad4, CellShape::triangle6, CellShape::quad9}) {
      const FramePart part = box_of(shape, {3, 5, 1}, {1, radius, 0}, section);
      const auto sums = sum_over(part, part.fields[0], {}, nullptr, {1, 1});
      QVERIFY(sums.ok());
      QCOMPARE(sums->dimension, 3);
      QVERIFY(std::abs(sums->measure - volume) < 1e-12 * volume);
      QVERIFY(std::abs(sums->mean[0] - mean) < 10 * single);
      QVERIFY(std::abs(sums->integral[0] - mean * volume) < 10 * single * volume);
    }
    // A line along the radius: a disc a metre of its cylinder, and a ball, of f = r (its mean 3 R / 4).
    MeshGeometry line;
    line.points = std::make_shared<const std::vector<double>>(std::vector<double>{0, 0, 0, 0.5, 0, 0, radius, 0, 0});
    line.connectivity = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 1, 1, 2});
    line.offsets = std::make_shared<const std::vector<Index>>(std::vector<Index>{0, 2, 4});
    line.types = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{3, 3});
    const FramePart along{"flow", line, {make_field(pressure_info, {0, 0.5, 2})}};
    const auto disc = sum_over(along, along.fields[0], {}, nullptr, {0, 1});
    QVERIFY(disc.ok() && disc->dimension == 2 && std::abs(disc->measure - volume) < 1e-12 * volume);
    QVERIFY(std::abs(disc->mean[0] - 2 * radius / 3) < 10 * single);
    const auto ball = sum_over(along, along.fields[0], {}, nullptr, {0, 2});
    const double of_ball = 4 * std::numbers::pi * std::pow(radius, 3) / 3;
    QVERIFY(ball.ok() && ball->dimension == 3 && std::abs(ball->measure - of_ball) < 1e-12 * of_ball);
    QVERIFY(std::abs(ball->mean[0] - 3 * radius / 4) < 10 * single);
    // Grids by the trapezoidal rule: r itself, which is linear, to the last digit; without turns as ever.
    const FramePart grid = grid_of({9, 5, 1}, linear_field);
    const auto& geometry = std::get<ImageGeometry>(grid.geometry);
    const double low = geometry.origin[1], high = low + 4 * geometry.spacing[1], length = 8 * geometry.spacing[0];
    const auto turned = sum_over(grid, grid.fields[0], {}, nullptr, {1, 1});
    QVERIFY(turned.ok() && low >= 0 && turned->dimension == 3);
    const double ring = std::numbers::pi * (high * high - low * low) * length;
    QVERIFY(std::abs(turned->measure - ring) < 1e-12 * ring);
    QCOMPARE(sum_over(grid, grid.fields[0], {})->measure, length * (high - low));
  }

  void the_sphere_of_curved_triangles_has_nearly_its_area() {
    // An octahedron of order 2: its area is between that of its flat faces, 4 √3, and of the sphere, 4 π.
    auto points = std::make_shared<std::vector<double>>();
    auto connectivity = std::make_shared<std::vector<Index>>();
    auto offsets = std::make_shared<std::vector<Index>>(1, 0);
    auto types = std::make_shared<std::vector<std::uint8_t>>();
    std::vector<float> values;
    for (int octant = 0; octant < 8; ++octant) {
      const std::array<Vec3, 3> corner{
          {{octant & 1 ? -1.0 : 1.0, 0, 0}, {0, octant & 2 ? -1.0 : 1.0, 0}, {0, 0, octant & 4 ? -1.0 : 1.0}}};
      for (std::size_t i = 0; i < 6; ++i) {
        const Vec3 p = vec::unit(i < 3 ? corner[i] : vec::add(corner[i - 3], corner[(i - 2) % 3]));
        connectivity->push_back(static_cast<Index>(points->size() / 3));
        points->insert(points->end(), p.begin(), p.end());
        values.push_back(2);
      }
      offsets->push_back(static_cast<Index>(connectivity->size()));
      types->push_back(22);
    }
    const FramePart part{
        "surface", MeshGeometry{points, connectivity, offsets, types}, {make_field(pressure_info, values)}};
    const auto sums = sum_over(part, part.fields[0], {});
    QVERIFY(sums.ok());
    // The same area by many flat facets of the patches, which is less by some 1/n².
    constexpr int n = 100;
    const CellArrays arrays{*points, *connectivity, *offsets, *types};
    double facets = 0;
    for (int v = 0; v < n; ++v)
      for (int u = 0; u < n - v; ++u) {
        const auto at = [&](int a, int b) {
          return place_in_cell(arrays, 0, {static_cast<double>(a) / n, static_cast<double>(b) / n, 0});
        };
        const Vec3 a = at(u, v), b = at(u + 1, v), c = at(u, v + 1);
        facets += 4 * vec::norm(vec::cross(vec::sub(b, a), vec::sub(c, a)));
        if (u + v + 1 < n) facets += 4 * vec::norm(vec::cross(vec::sub(at(u + 1, v + 1), b), vec::sub(c, b)));
      }
    QVERIFY2(sums->measure > 4 * std::sqrt(3.0) && sums->measure < 12.5664, qPrintable(QString::number(sums->measure)));
    // Gauss's rule is not exact for the square root in an area element.
    QVERIFY2(std::abs(sums->measure / facets - 1) < 1e-3, qPrintable(QString("%1 %2").arg(sums->measure).arg(facets)));
    QVERIFY(std::abs(sums->mean[0] - 2) < 1e-12);
    const auto probe = PartProbe::make(part);
    QVERIFY(probe.ok() && !probe->is_region());
    const auto spot = probe->find({0, 0, 1.01}, 0.02, Association::point);
    QVERIFY(spot && std::abs(spot->distance - 0.01) < 1e-9);
    QVERIFY(!probe->find({0, 0, 1.01}, 0.005, Association::point));
  }

  void a_group_is_found_on_solids_and_their_sides() {
    const Vec3 size{2, 1, 0.7};
    const FramePart part = box_of(CellShape::hex8, {4, 3, 2}, size, linear_field);
    const auto& own = std::get<MeshGeometry>(part.geometry);
    // The mesh of the case: coarser, so that a cell of it holds several of the part.
    Mesh mesh;
    const auto corner = [&](double x, double y, double z) { return mesh.add_point({x, y, z}); };
    for (int half = 0; half < 2; ++half) {
      const double x0 = half, x1 = half + 1;
      mesh.add_cell(CellShape::hex8, {corner(x0, 0, 0), corner(x1, 0, 0), corner(x1, 1, 0), corner(x0, 1, 0),
                                      corner(x0, 0, .7), corner(x1, 0, .7), corner(x1, 1, .7), corner(x0, 1, .7)});
    }
    mesh.add_cell(CellShape::quad4, {corner(2, 0, 0), corner(2, 1, 0), corner(2, 1, .7), corner(2, 0, .7)});
    mesh.add_cell(CellShape::quad4, {corner(0, 0, 0), corner(2, 0, 0), corner(2, 0, .7), corner(0, 0, .7)});
    mesh.add_group("right", 3).cells = {1};
    mesh.add_group("end", 2).cells = {2};
    mesh.add_group("edge", 1).cells = {};
    const auto right = cells_of_group(part, mesh, *mesh.group("right"));
    QVERIFY(right.ok());
    QCOMPARE(right->types.size(), std::size_t{12});
    const auto half = sum_over(part, part.fields[0], {}, &*right);
    QVERIFY(std::abs(half->measure - 0.7) < 1e-12);
    QVERIFY(std::abs(half->mean[0] - linear_field({1.5, 0.5, 0.35})) < 10 * single);
    const auto end = cells_of_group(part, mesh, *mesh.group("end"));
    QVERIFY(end.ok());
    QCOMPARE(end->types.size(), std::size_t{6});
    const auto area = sum_over(part, part.fields[0], {}, &*end);
    QCOMPARE(area->dimension, 2);
    QVERIFY(std::abs(area->integral[0] - 0.7 * linear_field({2, 0.5, 0.35})) < 10 * single);
    QVERIFY(!cells_of_group(part, mesh, *mesh.group("edge")).ok());
    // Another mesh later.
    FramePart other = box_of(CellShape::hex8, {4, 3, 1}, size, linear_field);
    QVERIFY(!sum_over(other, other.fields[0], {}, &*end).ok());
    QVERIFY(own.points->size() > 0);
  }

  void values_that_are_none_are_left_out_and_counted() {
    FramePart part = grid_of({5, 5, 1}, [](const Vec3&) { return 2.0; });
    auto values = *part.fields[0].values;
    values[12] = std::numeric_limits<float>::quiet_NaN();
    part.fields[0] = make_field(pressure_info, values);
    const auto sums = sum_over(part, part.fields[0], {});
    QVERIFY(sums.ok());
    QCOMPARE(sums->missing, Index{1});
    QVERIFY(std::abs(sums->mean[0] - 2) < 1e-12);
    QVERIFY(std::isnan(value_at(part, {-0.5 + 0.05, 1.5, 2})));
  }

  void components_and_parts_of_waves() {
    const FieldInfo info{"displacement", "m", FieldKind::signed_value, Association::point, 3, true, ""};
    const std::array<double, 6> entry{3, 4, 0, -2, 1, 0};
    const auto told = [&](ProbeChoice choice) {
      std::vector<double> out;
      append_chosen(entry, info, choice, out);
      return out;
    };
    using V = ProbeChoice::Vector;
    using W = ProbeChoice::Wave;
    QCOMPARE(told({}), (std::vector<double>{3, 4, 0, -2, 1, 0}));
    QCOMPARE(told({V::x, W::magnitude}), (std::vector<double>{5}));
    QCOMPARE(told({V::all, W::imaginary}), (std::vector<double>{4, -2, 0}));
    QCOMPARE(told({V::length, W::both}), (std::vector<double>{std::sqrt(30.0)}));
    QVERIFY(std::abs(told({V::y, W::phase})[0] + std::acos(0.0)) < 1e-15);
    QCOMPARE(choice_columns(info, {}).size(), std::size_t{6});
    QCOMPARE(choice_columns(info, {V::y, W::phase})[0].name, std::string("displacement_y_phase"));
    QCOMPARE(choice_columns(info, {V::y, W::phase})[0].unit, std::string("rad"));
    QVERIFY(!check_choice(info, {V::length, W::phase}).ok());
    QVERIFY(!check_choice(pressure_info, {V::y, W::both}).ok());
    QVERIFY(!check_choice(pressure_info, {V::all, W::real}).ok());
    QCOMPARE(unit_of_integral("kg/m^3", 3), std::string("kg"));
    QCOMPARE(unit_of_integral("Pa", 2), std::string("Pa*m^2"));
    QCOMPARE(unit_of_integral("A/m", 2), std::string("A*m"));
    QCOMPARE(unit_of_integral("V/m", 3), std::string("V*m^2"));
    QCOMPARE(unit_of_integral("J/m^3", 2), std::string("J/m"));
    QCOMPARE(unit_of_integral("m/s", 2), std::string("m/s*m^2"));
    QCOMPARE(unit_of_integral("Pa/mm", 2), std::string("Pa/mm*m^2"));
  }

  void a_damaged_field_or_mesh_is_an_error() {
    FramePart part = box_of(CellShape::hex8, {2, 1, 1}, {1, 1, 1}, linear_field);
    part.fields[0] = make_field(pressure_info, std::vector<float>(3));
    QVERIFY(!check_field(part, part.fields[0]).ok());
    QVERIFY(!sum_over(part, part.fields[0], {}).ok());
    MeshGeometry broken = std::get<MeshGeometry>(part.geometry);
    broken.connectivity = std::make_shared<const std::vector<Index>>(16, 99);
    part.geometry = broken;
    QVERIFY(!PartProbe::make(part).ok());
  }

  void frames_are_chosen_by_number_range_and_time() {
    std::vector<StoredFrame> frames;
    for (int i = 0; i < 11; ++i) frames.push_back({static_cast<std::uint64_t>(2 * i), i, 0.1 * i, FrameAxis::time});
    const auto chosen = [&](const char* text) {
      const auto out = choose_frames(frames, text, "--frames");
      return out ? *out : std::vector<std::size_t>{};
    };
    using List = std::vector<std::size_t>;
    QCOMPARE(chosen("all").size(), std::size_t{11});
    QCOMPARE(chosen("last"), (List{10}));
    QCOMPARE(chosen("first,-1"), (List{0, 10}));
    QCOMPARE(chosen("8,4"), (List{2, 4}));
    QCOMPARE(chosen("3:7"), (List{2, 3}));
    QCOMPARE(chosen("16:"), (List{8, 9, 10}));
    QCOMPARE(chosen(":-10"), (List{0, 1}));
    QCOMPARE(chosen("0.3s:0.5s"), (List{3, 4, 5}));
    QCOMPARE(chosen("290 ms"), (List{3}));
    QCOMPARE(chosen("0.95:"), (List{10}));
    for (const char* wrong : {"3", "-12", "5:3", "1Hz", "some", "", ":", "2s:3s"})
      QVERIFY2(!choose_frames(frames, wrong, "--frames").ok(), wrong);
    QVERIFY(!choose_frames({}, "all", "--frames").ok());
  }
};

QTEST_APPLESS_MAIN(TestFrameProbe)
#include "test_frame_probe.moc"
