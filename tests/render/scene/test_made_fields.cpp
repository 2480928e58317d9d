// SPDX-License-Identifier: BSD-3-Clause
// What is made of frames, against fields whose values are exact: formulas, planes by number, limits, differences, far fields around a
// body, and the colours of a map that is turned, cut into bands or spread over a logarithm.
// labels: unit
#include <QTest>

#include <cmath>

#include "engine/run/derived_frame.hpp"
#include "engine/run/frame_probe.hpp"
#include "render/scene/saved_view.hpp"
#include "render/scene/scene_part.hpp"
#include "tests/render/sample_frames.hpp"

using namespace conoid;

namespace {

/// p = 1 + 2x − 3y + 4z on a grid whose trilinear values are those exactly, v = (x, y, z).
std::shared_ptr<Frame> linear_grid(Index n = 9) {
  auto frame = std::make_shared<Frame>();
  frame->value = 0.25;
  ImageGeometry grid;
  grid.points = {n, n, n};
  grid.origin = {-1, -1, -1};
  grid.spacing = {2.0 / static_cast<double>(n - 1), 2.0 / static_cast<double>(n - 1), 2.0 / static_cast<double>(n - 1)};
  std::vector<float> p, v;
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) {
        const double x = -1 + grid.spacing[0] * static_cast<double>(i),
                     y = -1 + grid.spacing[1] * static_cast<double>(j),
                     z = -1 + grid.spacing[2] * static_cast<double>(k);
        p.push_back(static_cast<float>(1 + 2 * x - 3 * y + 4 * z));
        for (const double c : {x, y, z}) v.push_back(static_cast<float>(c));
      }
  FieldInfo velocity;
  velocity.name = "velocity";
  velocity.unit = "m/s";
  velocity.components = 3;
  frame->parts.push_back(
      {"volume", grid, {make_field(sample::pressure(), std::move(p)), make_field(velocity, std::move(v))}});
  return frame;
}

const FramePart* part_named(const Frame& frame, const std::string& name) {
  for (const FramePart& part : frame.parts)
    if (part.name == name) return &part;
  return nullptr;
}

Result<std::shared_ptr<const Frame>> with_formula(const std::shared_ptr<const Frame>& frame, const char* text) {
  const auto formula = parse_formula(text);
  if (!formula) return formula.error();
  FrameRecipe recipe;
  recipe.formulas = {*formula};
  return derive(frame, recipe);
}

}  // namespace

class TestMadeFields : public QObject {
  Q_OBJECT

 private slots:
  void a_formula_is_what_it_says_at_every_point() {
    const auto made = with_formula(linear_grid(), "q[Pa^2] = pressure^2 + velocity_x*y - velocity + t");
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().render().c_str());
    const FramePart& part = (*made)->parts.front();
    QCOMPARE(part.fields.size(), std::size_t{3});
    QCOMPARE(part.fields.back().info.unit, std::string("Pa^2"));
    std::size_t at = 0;
    for (Index k = 0; k < 9; ++k)
      for (Index j = 0; j < 9; ++j)
        for (Index i = 0; i < 9; ++i, ++at) {
          const double x = -1 + 0.25 * static_cast<double>(i), y = -1 + 0.25 * static_cast<double>(j),
                       z = -1 + 0.25 * static_cast<double>(k);
          const double exact = std::pow(1 + 2 * x - 3 * y + 4 * z, 2) + x * y - std::hypot(x, y, z) + 0.25;
          QVERIFY(std::abs(static_cast<double>((*part.fields.back().values)[at]) - exact) < 1e-5);
        }
    // The first frame is as it was.
    QCOMPARE(linear_grid()->parts.front().fields.size(), std::size_t{2});
    for (const char* wrong : {"q = density*2", "q = pressure +", "q[elephants] = pressure", "pressure^2", " = 3"})
      QVERIFY2(!with_formula(linear_grid(), wrong).ok(), wrong);
    const auto error = with_formula(linear_grid(), "q = density*2");
    QVERIFY2(error.error().hint.find("pressure") != std::string::npos, error.error().hint.c_str());
  }

  void formulas_reach_real_and_imaginary_parts() {
    const auto made = with_formula(sample::sphere(24, 12, true), "half = pressure_re/2 + pressure_im");
    QVERIFY2(made.ok(), made.ok() ? "" : made.error().render().c_str());
    const FramePart& part = (*made)->parts.front();
    const std::vector<float>& wave = *part.fields.front().values;
    const std::vector<float>& half = *part.fields.back().values;
    QCOMPARE(half.size() * 2, wave.size());
    for (std::size_t i = 0; i < half.size(); ++i) QVERIFY(std::abs(half[i] - wave[2 * i]) < 1e-6F);  // im = re/2
  }

  void planes_hold_the_field_where_they_lie() {
    for (const bool grid : {true, false}) {
      const std::shared_ptr<const Frame> frame = grid ? linear_grid() : sample::cubes(5);
      FrameRecipe recipe;
      const auto plane = parse_plane(grid ? "1,2,-1; 0.1,0.2 m,300mm" : "1,0.5,0;2.5,0.5,0.5");
      QVERIFY(plane.ok());
      recipe.planes = {*plane, {{1, 0, 0}, {0.5, 0, 0}}};
      const auto made = derive(frame, recipe);
      QVERIFY2(made.ok(), made.ok() ? "" : made.error().render().c_str());
      for (std::size_t k = 0; k < 2; ++k) {
        const FramePart* part = part_named(**made, "volume, plane " + std::to_string(k + 1));
        QVERIFY(part != nullptr);
        const auto& mesh = std::get<MeshGeometry>(part->geometry);
        const std::vector<float>& values = *part->fields.front().values;
        QCOMPARE(mesh.points->size(), 3 * values.size());
        QVERIFY(values.size() > 1000);
        const ObliquePlane& at = recipe.planes[k];
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double x = (*mesh.points)[3 * i], y = (*mesh.points)[3 * i + 1], z = (*mesh.points)[3 * i + 2];
          const double off =
              at.normal[0] * (x - at.point[0]) + at.normal[1] * (y - at.point[1]) + at.normal[2] * (z - at.point[2]);
          QVERIFY(std::abs(off) < 1e-9);
          const double exact = grid ? 1 + 2 * x - 3 * y + 4 * z : x;
          QVERIFY(std::abs(static_cast<double>(values[i]) - exact) < 2e-5);
        }
      }
      recipe.planes = {{{0, 0, 1}, {0, 0, 100}}};
      QVERIFY(!derive(frame, recipe).ok());
    }
    for (const char* wrong : {"1,2", "0,0,0;1,1,1", "a,b,c", "1,2,3;4,5", "1,2,3;4 kg,5,6"})
      QVERIFY2(!parse_plane(wrong).ok(), wrong);
  }

  void only_cells_within_limits_are_kept() {
    FrameRecipe recipe;
    recipe.within = std::pair{1.0, 3.0};
    auto made = derive(sample::cubes(5), recipe);  // p = x: cubes from 1 to 2 and from 2 to 3
    QVERIFY(made.ok());
    QCOMPARE(std::get<MeshGeometry>((*made)->parts.front().geometry).types->size(), std::size_t{2});
    // On the grid: x ≥ 0 of q = x leaves half the cells, and their volume.
    const auto grid = with_formula(linear_grid(), "q = x");
    QVERIFY(grid.ok());
    recipe.within = std::pair{-1e-9, 1e300};
    recipe.field = "q";
    made = derive(*grid, recipe);
    QVERIFY(made.ok());
    const FramePart& part = (*made)->parts.front();
    const auto sums = sum_over(part, part.fields.front(), {});
    QVERIFY2(sums.ok(), sums.ok() ? "" : sums.error().render().c_str());
    QVERIFY(std::abs(sums->measure - 4) < 1e-9);  // of 8 m³
    QVERIFY(std::abs(sums->integral.front() - 4 * (1 + 2 * 0.5)) < 1e-4);
    recipe.within = std::pair{50.0, 60.0};
    QVERIFY(!derive(*grid, recipe).ok());
  }

  void a_difference_is_taken_point_by_point_on_any_grid() {
    const auto twice = with_formula(linear_grid(5), "pressure[Pa] = 2*pressure");
    QVERIFY(twice.ok());
    const auto apart = difference_of(*linear_grid(9), **twice);  // on the finer grid: −p
    QVERIFY2(apart.ok(), apart.ok() ? "" : apart.error().render().c_str());
    const auto exact = linear_grid(9);
    const Field* p = nullptr;
    for (const Field& field : (*apart)->parts.front().fields)
      if (field.info.name == "pressure") p = &field;
    QVERIFY(p != nullptr);
    for (std::size_t i = 0; i < p->values->size(); ++i)
      QVERIFY(std::abs((*p->values)[i] + (*exact->parts.front().fields.front().values)[i]) < 1e-5F);
    QVERIFY(!difference_of(*linear_grid(), *sample::sphere()).ok());
  }

  void a_far_field_stands_around_the_body() {
    // A dipole: 20 lg |sin θ| dB, peak 0 at θ = 90°.
    std::vector<std::vector<double>> rows;
    for (int phi = 350; phi >= 0; phi -= 10)
      for (int theta = 0; theta <= 180; theta += 10)
        rows.push_back({static_cast<double>(theta), static_cast<double>(phi),
                        20 * std::log10(std::max(std::sin(theta * 3.14159265358979323846 / 180), 1e-9)), 1.0});
    const auto table =
        sphere_of({{"theta", "deg", {}}, {"phi", "deg", {}}, {"VV", "dBsm", {}}, {"one", "m^2", {}}}, rows);
    QVERIFY2(table.ok(), table.ok() ? "" : table.error().render().c_str());
    QCOMPARE(table->theta.size(), std::size_t{19});
    QCOMPARE(table->phi.size(), std::size_t{36});
    const auto body = sample::sphere();
    const auto made = with_balloon(*body, *table, "VV", 40);
    QVERIFY(made.ok());
    const FramePart* part = part_named(**made, balloon_part);
    QVERIFY(part != nullptr && (*made)->parts.size() == 2);
    const auto& mesh = std::get<MeshGeometry>(part->geometry);
    const double size = 1.5 * std::sqrt(12.0);  // the unit sphere's box
    for (std::size_t j = 0; j < 19; ++j)
      for (std::size_t i = 0; i < 36; ++i) {
        const std::size_t at = j * 36 + i;
        const double r = std::hypot((*mesh.points)[3 * at], (*mesh.points)[3 * at + 1], (*mesh.points)[3 * at + 2]);
        const double s = std::sin(static_cast<double>(j) * 10 * 3.14159265358979323846 / 180);
        const double share = std::max(0.0, 1 + 20 * std::log10(std::max(s, 1e-9)) / 40);
        QVERIFY(std::abs(r - size * share) < 1e-9);
      }
    // Each of its points is seen in the direction of its row, from the middle of the body.
    const Vec3 centre = balloon_centre(**made);
    QVERIFY(std::hypot(centre[0], centre[1], centre[2]) < 1e-12);
    for (std::size_t j = 3; j < 16; j += 4)
      for (std::size_t i = 0; i < 36; i += 5) {
        const std::size_t at = 3 * (j * 36 + i);
        const auto [theta, phi] =
            direction_from(centre, {(*mesh.points)[at], (*mesh.points)[at + 1], (*mesh.points)[at + 2]});
        QVERIFY(std::abs(theta - table->theta[j]) < 1e-9 && std::abs(phi - table->phi[i]) < 1e-9);
      }
    // The surface is closed: each triangle's side belongs to two.
    QCOMPARE(mesh.types->size(), std::size_t{2 * 36 * 17});
    const auto cut = cut_of(*table, 0, 90);
    QCOMPARE(cut.size(), std::size_t{37});
    QVERIFY(std::abs(cut[9].second) < 1e-9 && cut.back().first == 360.0);
    rows.pop_back();
    QVERIFY(!sphere_of({{"theta", "deg", {}}, {"phi", "deg", {}}, {"VV", "dBsm", {}}, {"one", "m^2", {}}}, rows).ok());
    QVERIFY(!with_balloon(*body, *table, "XX").ok());
  }

  void maps_are_turned_cut_into_bands_and_spread_over_a_logarithm() {
    FieldScene scene;
    QVERIFY(scene.set_frame(sample::cubes(5)).ok());
    FieldView view = scene.view();
    view.fixed_range = true;
    view.low = -1;
    view.high = 4;
    view.map_symmetric = true;
    QVERIFY(scene.set_view(view).ok());
    QCOMPARE(scene.range(), std::pair(-4.0, 4.0));
    view.map_symmetric = false;
    view.map_log = true;
    QVERIFY(scene.set_view(view).ok());
    QVERIFY(std::abs(scene.range().first - 4e-3) < 1e-12);
    Coloring coloring;
    coloring.table.assign(100, {});
    for (std::size_t i = 0; i < 100; ++i) coloring.table[i][0] = static_cast<std::uint8_t>(i);
    coloring.low = 0.01;
    coloring.high = 100;
    coloring.log = true;
    QCOMPARE(int((*coloring.color(1.01F))[0]), 50);
    QCOMPARE(int((*coloring.color(-3.0F))[0]), 0);
  }

  void what_is_made_is_kept_with_a_view() {
    SavedView saved;
    saved.name = "oblique";
    saved.camera[9] = 1;
    saved.view.map_steps = 8;
    saved.view.map_log = saved.view.map_reversed = saved.view.map_symmetric = true;
    saved.view.recipe.formulas = {{"q", "Pa^2", "pressure^2"}};
    saved.view.recipe.planes = {{{1, 2, 3}, {4, 5, 6}}};
    saved.view.recipe.within = std::pair{-1.0, 1e300};
    const auto back = parse_saved_views(saved_views_text(std::span(&saved, 1)));
    QVERIFY2(back.ok(), back.ok() ? "" : back.error().render().c_str());
    QVERIFY(back->front().view.recipe == saved.view.recipe);
    QCOMPARE(back->front().view.map_steps, 8);
    QVERIFY(back->front().view.map_log && back->front().view.map_reversed && back->front().view.map_symmetric);
  }
};

QTEST_APPLESS_MAIN(TestMadeFields)
#include "test_made_fields.moc"
