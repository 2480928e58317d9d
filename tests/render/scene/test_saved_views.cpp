// SPDX-License-Identifier: BSD-3-Clause
// Kept views come back whole from their text; what is wrong in it is named.
// labels: unit
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <limits>

#include "render/scene/saved_view.hpp"

using namespace conoid;

namespace {

SavedView every_member_changed() {
  SavedView out;
  out.name = "from the \"side\" · über";
  for (std::size_t k = 0; k < out.camera.size(); ++k) out.camera[k] = 0.1 * static_cast<double>(k) - 0.3;
  FieldView& v = out.view;
  v.part = "surface";
  v.field = "surface_current";
  v.value = {2, ComplexPart::magnitude, 0};
  v.fixed_range = true;
  v.low = -1.25e-7;
  v.high = 1.0 / 3;
  v.color_map = "viridis";
  v.cuts = {CutPlane{false, 0.25}, CutPlane{true, 1}, CutPlane{false, 0}};
  v.mesh_cuts = true;
  v.iso = {-0.5, 0.1, 1};
  v.edges = true;
  v.smooth = false;
  v.volume = 0.25;
  v.annotations = {{"the \"door\" = 1.5 m · über", {0.1, -2, 1.0 / 3}}, {"roof", {0, 0, 9}}};
  v.opacity = 0.375;
  v.clip = ClipPlane{{0, 0.6, -0.8}, 0.75};
  v.warp_field = "displacement";
  v.warp_scale = 1e4;
  v.arrow_field = "velocity";
  v.arrows = 77;
  v.streamlines = true;
  v.context = v.outline = v.color_bar = v.caption = v.triad = v.extents = false;
  return out;
}

QString error_of(const char* text) {
  const auto read = parse_saved_views(text);
  return read ? QString() : QString::fromStdString(read.error().text);
}

}  // namespace

class TestSavedViews : public QObject {
  Q_OBJECT
 private slots:
  void a_view_comes_back_whole() {
    const SavedView plain{"plain", {1, 2, 3, 4, 5, 6, 0, 0, 1, 2, 0}, {}};
    const std::array views{every_member_changed(), plain};
    const std::string text = saved_views_text(views);
    const auto back = parse_saved_views(text);
    QVERIFY2(back.ok(), back ? "" : back.error().text.c_str());
    QCOMPARE(back->size(), std::size_t{2});
    // Equal texts of all members: whatever describe() visits is compared, the doubles to the last bit.
    QCOMPARE(saved_views_text(*back), text);
    const SavedView& first = back->front();
    QCOMPARE(first.name, views[0].name);
    QVERIFY(first.camera == views[0].camera && first.view.high == 1.0 / 3 && first.view.clip->normal[2] == -0.8);
    QVERIFY(first.view.value.part == ComplexPart::magnitude && first.view.value.component == 2);
    QVERIFY(first.view.annotations == views[0].view.annotations && first.view.volume == 0.25);
    QVERIFY(!first.view.smooth && !first.view.extents && first.view.arrows == 77);
    QVERIFY(!back->back().view.fixed_range && !back->back().view.clip);
    QCOMPARE(saved_views_text({}), std::string());
  }
  void what_a_view_says_is_how_and_not_what() {
    FieldView now;
    now.field = "pressure";
    now.fixed_range = true;
    now.low = 3;
    now.high = 4;
    now.title = "case";
    now.annotations = {{"mine", {1, 2, 3}}, {"roof", {0, 0, 9}}};
    const FieldView seen = seen_by(every_member_changed(), now);
    QVERIFY(seen.field == "pressure" && seen.low == 3 && seen.high == 4 && seen.title == "case");
    QVERIFY(seen.value.component == -1 && seen.edges && seen.opacity == 0.375 && seen.cuts[0].position == 0.25);
    // What was written meanwhile stays, and nothing stands there twice.
    QCOMPARE(seen.annotations.size(), std::size_t{3});
    QCOMPARE(seen.annotations.back().text, std::string("mine"));
  }
  void faults_are_named() {
    QVERIFY(error_of("{").contains("JSON array"));
    QVERIFY(error_of("{\"name\": \"a\"}").contains("JSON array"));
    QVERIFY(error_of("[3]").contains("view 1"));
    QVERIFY(error_of(R"([{"name": ""}])").contains("\"name\""));
    QVERIFY(error_of(R"([{"name": "a", "camera": [1, 2]}])").contains("array of 11 values"));
    const auto with = [](const char* rest) {
      return error_of((std::string(R"([{"name": "a", "camera": [9,0,0, 0,0,0, 0,0,1, 2, 1], )") + rest + "}]").c_str());
    };
    QVERIFY(with("\"edges\": true").isEmpty());
    QVERIFY(with("\"edges\": 1").contains("\"edges\": expected true or false"));
    QVERIFY(with("\"opacity\": 1.5").contains("\"opacity\": expected a number from 0 to 1"));
    QVERIFY(with("\"opacitty\": 0.5").contains("\"opacitty\": expected one of the keys annotations, arrow_field"));
    QVERIFY(with("\"range\": [2, 1]").contains("the smaller one first"));
    QVERIFY(with("\"cuts\": [[true, 0.5]]").contains("an array of 3 values"));
    QVERIFY(with("\"clip\": [0, 0, 0, 0.5]").contains("normal"));
    QVERIFY(with("\"complex_part\": \"real\"").contains("magnitude"));
    QVERIFY(with("\"volume\": 2").contains("\"volume\": expected a number from 0 to 1"));
    QVERIFY(with(R"("annotations": [{"text": "a"}])").contains("\"annotations\": expected objects"));
    QVERIFY(with(R"("annotations": [{"text": "a", "place": [0, 0]}])").contains("an array of 3 values"));
    QVERIFY(with(R"("annotations": [{"text": "a", "place": [0, 0, 1]}])").isEmpty());
    QVERIFY(with("\"arrows\": 1e9").contains("\"arrows\""));
    QVERIFY(error_of(R"([{"name": "a", "camera": [9,0,0, 0,0,0, 0,0,1, 0, 1]}])").contains("height"));
  }
  void files_are_read_within_bounds() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.filePath("views.json").toStdString();
    QVERIFY(!read_saved_views(file));
    std::ofstream(file) << saved_views_text(std::array{every_member_changed()});
    QVERIFY(read_saved_views(file).ok());
    std::ofstream(file) << "[{\"name\": 3}]";
    const auto wrong = read_saved_views(file);
    QVERIFY(!wrong && wrong.error().text.find("views.json: view 1") != std::string::npos);
    std::ofstream(file) << '[' << std::string(2 << 20, ' ') << ']';
    QVERIFY(!read_saved_views(file));
  }
};

QTEST_APPLESS_MAIN(TestSavedViews)
#include "test_saved_views.moc"
