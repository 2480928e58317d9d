// SPDX-License-Identifier: BSD-3-Clause
// Conditions at boundaries are found by the schema alone, stand in the picture where they hold while the form speaks of them, and lead back to it.
// labels: gui
#include <numeric>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "app/model/conditions.hpp"
#include "app/model/markers.hpp"
#include "app/model/mesh_model.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/scene_pane.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/window/main_window.hpp"
#include "app/window/workbench.hpp"
#include "engine/mesh/edit.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "engine/solvers/registry.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"

using namespace conoid;
using namespace conoid::app;

namespace {

/// A schema of no solver: sides with a default, a map over sides or groups, a list over groups.
const char* const made_up = R"({"properties": {
  "excitation": {"properties": {"x_min": {"discriminator": "kind", "properties": {"kind": {"default": "loud"}}, "variants": {"loud": {}}}}},
  "walls": {"properties": {
    "x_min": {"discriminator": "kind", "properties": {"kind": {"default": "open"}},
              "variants": {"open": {"title": "Open end"}, "hard": {"title": "Hard wall"}}},
    "groups": {"type": "array", "items": {"discriminator": "kind",
               "variants": {"soft": {"title": "Soft", "properties": {"group": {"type": "string"}}}}}}}},
  "body": {"properties": {"kind": {"type": "string", "enum": ["metal", "glass"], "default": "glass"}}},
  "skins": {"group": "mesh-group", "rest": "/body/kind", "map": {"properties": {"kind": {"type": "string", "enum": ["metal", "glass"], "default": "metal"}}}},
  "parts": {"group": "mesh-group", "map": {"properties": {"material": {"type": "string"}}}}}})";

std::vector<Marker> boundaries(const FieldScene& scene) {
  std::vector<Marker> out;
  for (const Marker& one : scene.markers())
    if (one.kind == MarkerKind::boundary) out.push_back(one);
  return out;
}

}  // namespace

class TestConditions : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;

  /// A device pixel at which the mark with a key is under the cursor.
  static std::array<double, 2> pixel_of(FieldScene& scene, const QSize& size, const std::string& key) {
    for (int y = 0; y < size.height(); y += 3)
      for (int x = 0; x < size.width(); x += 3)
        if (const auto at = scene.marker_at(x, y); at && scene.markers()[*at].key == key)
          return {static_cast<double>(x), static_cast<double>(y)};
    return {-1, -1};
  }

  /// Lets one boundary's mark go on another's: what the case says there is what it says here, one step of undo, and nothing else is changed.
  static void drag_a_condition(MainWindow& w, const std::string& from, const std::string& onto) {
    ScenePane& pane = w.workbench()->viewport_panel().pane();
    const QSize size = pane.viewport()->widget()->size() * pane.devicePixelRatioF();
    const auto begin = pixel_of(pane.scene(), size, from), end = pixel_of(pane.scene(), size, onto);
    QVERIFY(begin[0] >= 0 && end[0] >= 0);
    const Json before = w.model().json();
    const Json said = before.at(Json::json_pointer(from));
    QVERIFY(!before.contains(Json::json_pointer(onto)) || before.at(Json::json_pointer(onto)) != said);
    InputEvent event;
    event.button = MouseButton::left;
    const auto send = [&](InputKind kind, const std::array<double, 2>& at) {
      event.kind = kind;
      event.x = at[0];
      event.y = at[1];
      QVERIFY(pane.tools().handle(event));
    };
    // Let go beside every mark: nothing happens.
    send(InputKind::press, begin);
    send(InputKind::move, {2, 2});
    send(InputKind::release, {2, 2});
    QCOMPARE(w.model().json(), before);
    send(InputKind::press, begin);
    send(InputKind::move, {(begin[0] + end[0]) / 2, (begin[1] + end[1]) / 2});
    send(InputKind::move, end);
    send(InputKind::release, end);
    Json wanted = before;
    wanted[Json::json_pointer(onto)] = said;
    QCOMPARE(w.model().json(), wanted);
    w.model().undo_stack().undo();
    QCOMPARE(w.model().json(), before);
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    settings_->set_tour_seen();
  }
  void cleanupTestCase() { settings_.reset(); }

  void conditions_are_found_by_the_schema() {
    const Json schema = read_json(made_up);
    const auto by_default = conditions_of(Json::object(), schema);
    QCOMPARE(by_default.size(), std::size_t{1});
    QCOMPARE(by_default[0].words, QString("Open end"));
    QVERIFY(by_default[0].key == "/walls/x_min" && by_default[0].axis == 0 && !by_default[0].upper);
    const Json json = read_json(R"({"walls": {"x_min": {"kind": "hard"}, "groups": [{"kind": "soft", "group": "door"}]},
                                    "skins": {"nose": {}, "tail": {"kind": "glass"}, "y_max": {"kind": "glass"}},
                                    "parts": {"core": {"material": "lead"}}})");
    const auto all = conditions_of(json, schema);
    QStringList found;
    for (const Condition& c : all) found << QString("%1 %2 %3").arg(c.key.c_str(), c.group.c_str(), c.kind.c_str());
    found.sort();
    QCOMPARE(found, (QStringList{"/skins/nose nose metal", "/skins/tail tail glass", "/skins/y_max  glass",
                                 "/walls/groups/0 door soft", "/walls/x_min  hard"}));
    QCOMPARE(conditions_at(all, "/skins/tail/kind").size(), std::size_t{3});
    QCOMPARE(conditions_at(all, "/walls").size(), std::size_t{2});
    QVERIFY(conditions_at(all, "").empty() && conditions_at(all, "/parts").empty());
  }

  void faces_without_a_condition_are_as_the_schema_says() {
    const Json schema = read_json(made_up);
    const auto rest_of = [&](const char* json) {
      for (const Condition& one : conditions_of(read_json(json), schema))
        if (one.rest) return one;
      return Condition();
    };
    QVERIFY(!rest_of(R"({"skins": {"nose": {}}})").rest);  // no mesh, no faces
    const Condition usual = rest_of(R"({"mesh": {"file": "a.stl"}})");
    QVERIFY(usual.rest && usual.key == "/body/kind" && usual.kind == "glass" && usual.group.empty() &&
            !usual.is_side());
    QCOMPARE(rest_of(R"({"mesh": {}, "body": {"kind": "metal"}})").kind, std::string("metal"));
    // Whether the form speaks of the groups or of the body: both are shown.
    const auto all = conditions_of(read_json(R"({"mesh": {}, "skins": {"lid": {}}})"), schema);
    QCOMPARE(conditions_at(all, "/skins").size(), std::size_t{2});
    QCOMPARE(conditions_at(all, "/body/kind").size(), std::size_t{1});
    // On faces of no group with a condition, in the colour of its kind; none where every face has one.
    BoxSurfaceOptions options;
    options.high = {1, 2, 3};
    options.divisions = {4, 4, 4};
    const Mesh brick = *box_surface(options);
    const auto lid = with_group(brick, smooth_region(brick, nearest_face(brick, {0.5, 1, 3}), 40), "lid");
    const std::string file = folder_.filePath("rest.msh").toStdString();
    QVERIFY(lid && write_mesh(*lid, file).ok());
    const auto mesh = preview_mesh(std::filesystem::path(file), 1.0);
    QVERIFY(mesh);
    const auto marks = condition_marks(all, {}, mesh->get());
    QCOMPARE(marks.size(), std::size_t{2});
    QCOMPARE(marks[1].label, std::string("all other faces: glass"));
    QVERIFY(marks[1].position[2] < 3 && marks[1].colour != marks[0].colour && marks[1].key == "/body/kind");
    const auto alike = condition_marks(
        conditions_of(read_json(R"({"mesh": {}, "body": {"kind": "metal"}, "skins": {"lid": {}}})"), schema), {},
        mesh->get());
    QVERIFY(alike.size() == 2 && alike[0].colour == alike[1].colour);
    std::vector<Index> every(static_cast<std::size_t>((*lid).cell_count()));
    std::iota(every.begin(), every.end(), Index{0});
    const auto whole = with_group(brick, every, "lid");
    QVERIFY(whole && write_mesh(*whole, file).ok());
    QCOMPARE(condition_marks(all, {}, preview_mesh(std::filesystem::path(file), 1.0)->get()).size(), std::size_t{1});
  }

  void walls_that_nothing_is_said_of_have_marks() {
    const Json schema =
        read_json(R"({"properties": {"walls": {"rest": "wall", "default": {}, "map": {"discriminator": "kind",
      "properties": {"kind": {"default": "wall"}}, "variants": {"wall": {"title": "Wall"}, "free": {"title": "Free"}}}}}})");
    // Of a box each side.
    const std::array<Vec3, 2> box{Vec3{0, 0, 0}, Vec3{4, 2, 0}};
    const auto sides = conditions_of(read_json(R"({"walls": {"y_max": {"kind": "free"}}})"), schema);
    QCOMPARE(sides.size(), std::size_t{6});
    const auto on_box = condition_marks(sides, box, nullptr);
    QStringList labels;
    for (const Marker& mark : on_box) labels << QString::fromStdString(mark.key + " " + mark.label);
    labels.sort();
    QCOMPARE(labels, (QStringList{"/walls/x_max Wall", "/walls/x_min Wall", "/walls/y_max Free", "/walls/y_min Wall"}));
    QCOMPARE(conditions_at(sides, "/walls/x_min").size(), std::size_t{6});
    QVERIFY(condition_marks(conditions_of(Json::object(), schema), {}, nullptr).empty());
    // Of a plane mesh its rims: two squares side by side, of which the left one's side is a group.
    Mesh plane;
    for (const double y : {0.0, 1.0})
      for (const double x : {0.0, 1.0, 2.0}) plane.add_point({x, y, 0});
    plane.add_cell(CellShape::quad4, {0, 1, 4, 3});
    plane.add_cell(CellShape::quad4, {1, 2, 5, 4});
    plane.add_group("left", 1).cells = {plane.add_cell(CellShape::line2, {0, 3})};
    const std::string file = folder_.filePath("plane.msh").toStdString();
    QVERIFY(write_mesh(plane, file).ok());
    const auto mesh = preview_mesh(std::filesystem::path(file), 1.0);
    QVERIFY(mesh);
    const auto of_mesh = conditions_of(read_json(R"({"mesh": {}, "walls": {"left": {"kind": "free"}}})"), schema);
    const auto marks = condition_marks(of_mesh, {}, mesh->get());
    QCOMPARE(marks.size(), std::size_t{2});
    QVERIFY(marks[0].label == "left: Free" && (marks[0].position == Vec3{0, 0.5, 0}));
    const Vec3& rim = marks[1].position;  // one of the other five, not the side that the squares have in common
    QVERIFY(marks[1].label == "all other faces: Wall" && rim != (Vec3{1, 0.5, 0}) && rim != (Vec3{0, 0.5, 0}) &&
            (rim[0] == 2 || rim[1] == 0 || rim[1] == 1));
    // Of a volume mesh its faces: a cube whose top is a group.
    Mesh cube;
    for (int i = 0; i < 8; ++i) cube.add_point({double(i & 1), double(i >> 1 & 1), double(i >> 2)});
    cube.add_cell(CellShape::hex8, {0, 1, 3, 2, 4, 5, 7, 6});
    cube.add_group("left", 2).cells = {cube.add_cell(CellShape::quad4, {4, 5, 7, 6})};
    QVERIFY(write_mesh(cube, file).ok());
    const auto on_cube = condition_marks(of_mesh, {}, preview_mesh(std::filesystem::path(file), 1.0)->get());
    QCOMPARE(on_cube.size(), std::size_t{2});
    QVERIFY((on_cube[0].position == Vec3{0.5, 0.5, 1}) && on_cube[1].position[2] < 1);
  }

  void the_axis_that_coordinates_turn_around_is_no_wall() {
    const Json schema = read_json(
        R"({"properties": {"grid": {"properties": {"kind": {"enum": ["flat", "turned"], "default": "flat",
              "symmetry": {"turned": {"side": "y_min", "title": "Axis of symmetry"}}}}},
            "mesh": {"properties": {"kind": {"enum": ["flat", "turned"], "default": "turned",
              "symmetry": {"turned": {"side": "y_min", "title": "Axis of symmetry"}}}}},
            "walls": {"rest": "wall", "default": {}, "map": {"discriminator": "kind",
      "properties": {"kind": {"default": "wall"}}, "variants": {"wall": {"title": "Wall"}, "free": {"title": "Free"},
        "mirror": {"title": "Plane of symmetry", "mirrors": true}}}}}})");
    const auto marked = [&](const char* json, const std::optional<std::array<Vec3, 2>>& box, const MeshPreview* mesh) {
      QStringList labels;
      for (const Marker& mark : condition_marks(conditions_of(read_json(json), schema), box, mesh))
        labels << QString::fromStdString(mark.key + " " + mark.label);
      labels.sort();
      return labels;
    };
    // Of a box the side at a radius of zero, said to be a wall or not; not the side of a hole, nor what is said to be something else.
    const std::array<Vec3, 2> full{Vec3{0, 0, 0}, Vec3{4, 2, 0}}, hollow{Vec3{0, 1, 0}, Vec3{4, 2, 0}};
    const QStringList with_axis{"/walls/x_max Wall", "/walls/x_min Wall", "/walls/y_max Wall",
                                "/walls/y_min Axis of symmetry"};
    QCOMPARE(marked(R"({"grid": {"kind": "turned"}})", full, nullptr), with_axis);
    QCOMPARE(marked(R"({"grid": {"kind": "turned"}, "walls": {"y_min": {"kind": "wall"}}})", full, nullptr), with_axis);
    const char* const said = R"({"grid": {"kind": "turned"}, "walls": {"y_min": {"kind": "mirror"}}})";
    QCOMPARE(marked(said, full, nullptr), with_axis);
    QVERIFY(marked(said, hollow, nullptr).contains("/walls/y_min Plane of symmetry"));
    QVERIFY(marked(R"({"grid": {}, "walls": {"y_min": {"kind": "mirror"}}})", full, nullptr)
                .contains("/walls/y_min Plane of symmetry"));
    QVERIFY(marked(R"({"grid": {"kind": "turned"}, "walls": {"x_min": {"kind": "mirror"}}})", full, nullptr)
                .contains("/walls/x_min Plane of symmetry"));
    QVERIFY(marked(R"({"grid": {"kind": "turned"}})", hollow, nullptr).contains("/walls/y_min Wall"));
    QVERIFY(marked(R"({"grid": {}})", full, nullptr).contains("/walls/y_min Wall"));
    QVERIFY(marked(R"({"grid": {"kind": "turned"}, "walls": {"y_min": {"kind": "free"}}})", full, nullptr)
                .contains("/walls/y_min Free"));
    const auto marks = condition_marks(conditions_of(read_json(R"({"grid": {"kind": "turned"}})"), schema), full, {});
    for (const Marker& mark : marks)
      for (const Marker& other : marks) QCOMPARE(mark.colour == other.colour, mark.label == other.label);
    // Of a plane mesh those of its rims that lie there: two squares side by side on the axis.
    Mesh plane;
    for (const double y : {0.0, 1.0})
      for (const double x : {0.0, 1.0, 2.0}) plane.add_point({x, y, 0});
    plane.add_cell(CellShape::quad4, {0, 1, 4, 3});
    plane.add_cell(CellShape::quad4, {1, 2, 5, 4});
    plane.add_group("around", 1).cells = {plane.add_cell(CellShape::line2, {0, 3}),
                                          plane.add_cell(CellShape::line2, {2, 5})};
    plane.add_group("below", 1).cells = {plane.add_cell(CellShape::line2, {0, 1})};
    const std::string file = folder_.filePath("turned.msh").toStdString();
    QVERIFY(write_mesh(plane, file).ok());
    const auto mesh = preview_mesh(std::filesystem::path(file), 1.0);
    QVERIFY(mesh);
    QCOMPARE(marked(R"({"mesh": {}, "walls": {"around": {"kind": "wall"}}})", {}, mesh->get()).join(" | "),
             QString("/walls Axis of symmetry | /walls all other faces: Wall | /walls/around around: Wall"));
    for (const Marker& mark :
         condition_marks(conditions_of(read_json(R"({"mesh": {}, "walls": {"around": {"kind": "wall"}}})"), schema), {},
                         mesh->get()))
      QCOMPARE(mark.position[1], mark.label == "Axis of symmetry" ? 0.0 : mark.label.starts_with("all") ? 1.0 : 0.5);
    // A group of them that is said to be a wall or a mirror is the axis, too; one that is pushed, or goes on elsewhere, is not.
    for (const auto& [json, below, around] :
         {std::tuple(R"({"mesh": {}, "walls": {"below": {"kind": "wall"}, "around": {"kind": "mirror"}}})",
                     "Axis of symmetry", "Plane of symmetry"),
          {R"({"mesh": {}, "walls": {"below": {"kind": "mirror"}, "around": {"kind": "wall"}}})", "Axis of symmetry",
           "Wall"},
          {R"({"mesh": {}, "walls": {"below": {"kind": "free"}, "around": {"kind": "wall"}}})", "Free", "Wall"},
          {R"({"mesh": {"kind": "flat"}, "walls": {"below": {"kind": "mirror"}, "around": {"kind": "wall"}}})",
           "Plane of symmetry", "Wall"}}) {
      const QStringList all = marked(json, {}, mesh->get());
      QVERIFY2(all.contains(QString("/walls/below below: ") + below), qPrintable(all.join(" | ")));
      QVERIFY2(all.contains(QString("/walls/around around: ") + around), qPrintable(all.join(" | ")));
    }
    QCOMPARE(marked(R"({"mesh": {"kind": "flat"}, "walls": {"around": {"kind": "wall"}}})", {}, mesh->get()),
             (QStringList{"/walls all other faces: Wall", "/walls/around around: Wall"}));
  }

  void marks_stand_on_sides_and_groups() {
    const std::array<Vec3, 2> box{Vec3{0, 0, 0}, Vec3{4, 2, 0}};
    Condition side{"/b/x_max", "hard", "Hard", {}, 0, true}, none{"/b/z_min", "hard", "Hard", {}, 2, false};
    Condition group{"/b/0", "soft", "Soft", "lid"};
    const auto without_mesh = condition_marks({side, none, group}, box, nullptr);
    QCOMPARE(without_mesh.size(), std::size_t{1});  // a plane has no side across
    QVERIFY((without_mesh[0].position == Vec3{4, 1, 0}));
    const auto rim = rim_of(side, box);
    QCOMPARE(rim.size(), std::size_t{5});
    for (const Vec3& corner : rim) QCOMPARE(corner[0], 4.0);
    // A group: on one of its faces, near its middle.
    BoxSurfaceOptions options;
    options.high = {1, 2, 3};
    options.divisions = {4, 4, 4};
    const Mesh brick = *box_surface(options);
    const auto named = with_group(brick, smooth_region(brick, nearest_face(brick, {0.5, 1, 3}), 40), "lid");
    const std::string file = folder_.filePath("brick.msh").toStdString();
    QVERIFY(named && write_mesh(*named, file).ok());
    const auto mesh = preview_mesh(std::filesystem::path(file), 1.0);
    QVERIFY(mesh);
    const auto marks = condition_marks({side, group}, {}, mesh->get());
    QCOMPARE(marks.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(marks[0].label), QString("lid: Soft"));
    QCOMPARE(marks[0].position[2], 3.0);
    QVERIFY(std::abs(marks[0].position[0] - 0.5) < 0.25 && std::abs(marks[0].position[1] - 1) < 0.5);
  }

  void an_element_that_takes_a_condition_keeps_its_group() {
    CaseModel model;
    model.take(
        CaseDocument::from_json(
            Json::parse(
                R"({"b": [{"group": "lid", "kind": "soft", "z": 2}, {"group": "floor", "kind": "hard"}], "c": {"x": 1}})"),
            {}),
        true);
    QVERIFY(take_condition(model, "/b/0", "/b/1").isEmpty());
    QCOMPARE(model.json()["b"][1], Json::parse(R"({"kind": "soft", "z": 2, "group": "floor"})"));
    QVERIFY(!take_condition(model, "/b/0", "/c/x").isEmpty());  // no condition of that list
    QCOMPARE(model.json()["c"], Json::parse(R"({"x": 1})"));
  }

  void the_picture_shows_what_the_form_speaks_of() {
    const auto room = test::samples() / "room" / "case.json";
    if (!std::filesystem::exists(room)) QSKIP("no such sample in this build");
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(room).ok());
    QTRY_VERIFY(w->model().report() && w->model().report()->estimate.box);
    CasePanel& form = w->workbench()->case_panel();
    form.finish();
    FieldScene& scene = w->workbench()->viewport_panel().scene();
    QVERIFY(boundaries(scene).empty());
    const auto all = conditions_of(w->model().json(), w->model().schema());
    QCOMPARE(all.size(), std::size_t{6});
    emit form.chosen(QString::fromStdString(all.front().key));
    QCOMPARE(boundaries(scene).size(), std::size_t{6});
    for (const Marker& mark : boundaries(scene)) QCOMPARE(QString::fromStdString(mark.label), all.front().words);
    QTest::qWait(200);
    test::keep_picture(*w, "conditions-light.png");
    look_->choose(ThemeChoice::dark);
    QTest::qWait(400);
    test::keep_picture(*w, "conditions-dark.png");
    look_->choose(ThemeChoice::light);
    // By the keyboard as by the mouse: what has the focus counts.
    form.reveal(all.back().key);
    QTRY_VERIFY(QApplication::focusWidget() == nullptr || form.isAncestorOf(w->focusWidget()));
    // Another kind is another word and another colour.
    w->model().set(all.back().key, Json({{"kind", "free"}}), "edit");
    QTRY_VERIFY(boundaries(scene).size() == 6 && boundaries(scene).back().label != boundaries(scene).front().label);
    const auto marks = boundaries(scene);
    QVERIFY(marks.back().colour != marks.front().colour);
    drag_a_condition(*w, marks.back().key, marks.front().key);
    QTest::qWait(200);
    test::keep_picture(*w, "conditions-two-kinds.png");
    // A click on a mark leads to its field; it cannot be dragged away.
    QVERIFY(!move_marker(w->model(), marks.front(), {1, 2, 3}, {}));
    emit form.chosen("/grid");
    QVERIFY(boundaries(scene).empty());
  }

  void a_group_is_marked_on_its_mesh() {
    if (!find_solver("acoustic-bem")) QSKIP("no such solver in this build");
    BoxSurfaceOptions options;
    options.high = {1, 2, 0.5};
    options.divisions = {6, 12, 4};
    const Mesh brick = *box_surface(options);
    const auto lid = with_group(brick, smooth_region(brick, nearest_face(brick, {0.5, 1, 0.5}), 40), "lid");
    const auto both = with_group(*lid, smooth_region(*lid, nearest_face(*lid, {0.5, 0, 0.2}), 40), "window");
    QVERIFY(both && write_mesh(*both, folder_.filePath("house.msh").toStdString()).ok());
    QFile file(folder_.filePath("house.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        R"({"conoid": 1, "title": "A house", "solver": "acoustic-bem", "mesh": {"file": "house.msh", "unit": "m"},
      "boundaries": {"groups": [{"kind": "soft", "group": "window"}, {"kind": "impedance", "group": "lid", "impedance": 2}]},
      "excitation": {"waves": [{"kind": "plane", "direction": [1, 0, 0]}], "pulse": {"kind": "ricker", "frequency": "200 Hz"}},
      "parameters": {"end_time": "20 ms"}})");
    file.close();
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(file.fileName().toStdString()).ok());
    QTRY_VERIFY(w->workbench()->mesh().mesh() && w->model().report());
    w->workbench()->case_panel().finish();
    FieldScene& scene = w->workbench()->viewport_panel().scene();
    w->workbench()->case_panel().reveal("/boundaries/groups/1/impedance");
    emit w->workbench()->case_panel().chosen("/boundaries/groups/1/impedance");
    QTRY_COMPARE(boundaries(scene).size(), std::size_t{3});  // and all other faces
    QTRY_COMPARE(QString::fromStdString(scene.view().field), QString(mark_field));
    QTest::qWait(300);
    test::keep_picture(*w, "conditions-group.png");
    look_->choose(ThemeChoice::dark);
    QTest::qWait(400);
    test::keep_picture(*w, "conditions-group-dark.png");
    look_->choose(ThemeChoice::light);
    // A mesh that is read again is another picture; what the form speaks of is marked in it, too.
    w->workbench()->mesh().reload();
    QVERIFY(!w->workbench()->mesh().mesh());
    QTRY_VERIFY(w->workbench()->mesh().mesh());
    QCOMPARE(QString::fromStdString(scene.view().field), QString(mark_field));
    QCOMPARE(boundaries(scene).size(), std::size_t{3});
    emit w->workbench()->case_panel().chosen("/parameters");
    QVERIFY(boundaries(scene).empty());
    QVERIFY(scene.view().field != mark_field);
  }

  void a_grid_shows_the_walls_that_its_case_does_not_name() {
    const auto blast = test::samples() / "sedov-octant" / "case.json";
    if (!std::filesystem::exists(blast)) QSKIP("no such sample in this build");
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(blast).ok());
    w->model().set("/boundaries/z_max", Json({{"kind", "free"}}), "edit");
    QTRY_VERIFY(w->model().report() && w->model().report()->estimate.box);
    w->workbench()->case_panel().finish();
    w->workbench()->case_panel().reveal("/boundaries/x_max");
    FieldScene& scene = w->workbench()->viewport_panel().scene();
    QTRY_COMPARE(boundaries(scene).size(), std::size_t{6});
    int walls = 0;
    for (const Marker& mark : boundaries(scene)) walls += mark.label == "Wall" ? 1 : 0;
    QCOMPARE(walls, 5);
    QTest::qWait(200);
    test::keep_picture(*w, "conditions-walls.png");
    look_->choose(ThemeChoice::dark);
    QTest::qWait(400);
    test::keep_picture(*w, "conditions-walls-dark.png");
    look_->choose(ThemeChoice::light);
  }

  void an_axisymmetric_grid_shows_its_axis() {
    const auto blast = test::samples() / "underwater-blast" / "case.json";
    if (!std::filesystem::exists(blast)) QSKIP("no such sample in this build");
    auto w = test::shown_window(*look_, *settings_);
    QVERIFY(w->open_case(blast).ok());
    QTRY_VERIFY(w->model().report() && w->model().report()->estimate.box);
    w->workbench()->case_panel().finish();
    w->workbench()->case_panel().reveal("/boundaries/x_max");
    FieldScene& scene = w->workbench()->viewport_panel().scene();
    QTRY_COMPARE(boundaries(scene).size(), std::size_t{4});
    QStringList labels;
    for (const Marker& mark : boundaries(scene)) labels << QString::fromStdString(mark.label);
    labels.sort();
    QCOMPARE(labels, (QStringList{"Axis of symmetry", "Free", "Wall", "Wall"}));
    for (const Marker& mark : boundaries(scene)) QCOMPARE(mark.label == "Axis of symmetry", mark.position[1] == 0);
    QTest::qWait(200);
    test::keep_picture(*w, "conditions-axis.png");
  }

  void sources_of_cases_in_the_plane_have_marks() {
    CaseModel model;
    model.take(CaseDocument::from_json(read_json(R"({"excitation": {"blast": {"position": [0.5, "2 m"]}}})"), {}));
    const auto marks = markers_of(model.json());
    QCOMPARE(marks.size(), std::size_t{1});
    QVERIFY((marks[0].position == Vec3{0.5, 2, 0}));
    QVERIFY(move_marker(model, marks[0], {0.25, 1, 0}, {}));
    QCOMPARE(model.value("/excitation/blast/position")->size(), std::size_t{2});
    QCOMPARE((*model.value("/excitation/blast/position"))[0].get<double>(), 0.25);
  }

  // Where sources stand, a wave that the schema would take by default does not arrive.
  void sources_point_somewhere_and_stand_for_the_wave() {
    const Json schema = read_json(R"({"properties": {"excitation": {"properties":
        {"theta": {"unit": "rad"}, "phi": {"unit": "rad"}}}}})");
    const auto waves = markers_of(read_json(R"({"excitation": {}})"), schema);
    QCOMPARE(waves.size(), std::size_t{1});
    QVERIFY(waves[0].kind == MarkerKind::wave);
    const char* dipole = R"({"excitation": {"dipoles": [{"position": [0, 0, 2], "direction": [0, 3, 0]}]}})";
    const auto sources = markers_of(read_json(dipole), schema);
    QCOMPARE(sources.size(), std::size_t{1});
    QVERIFY(sources[0].kind == MarkerKind::source && (sources[0].direction == Vec3{0, 3, 0}));
    Json both = read_json(dipole);
    both["excitation"]["theta"] = "30 deg";
    QCOMPARE(markers_of(both, schema).size(), std::size_t{2});
  }
};

QTEST_MAIN(TestConditions)
#include "test_conditions.moc"
