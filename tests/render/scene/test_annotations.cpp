// SPDX-License-Identifier: BSD-3-Clause
// Texts of somebody's own stand at their places, whole and as they were written.
// labels: unit
#include <QTest>

#include <cmath>

#include "render/capture/picture.hpp"
#include "render/scene/annotation.hpp"
#include "render/scene/field_scene.hpp"
#include "render/scene/overlay.hpp"
#include "tests/render/sample_frames.hpp"

using namespace conoid;

class TestAnnotations : public QObject {
  Q_OBJECT
 private slots:
  void a_line_is_a_place_and_words() {
    const auto read = parse_annotation("0.5, -20 cm,1 =  the door = 1.5 m ");
    QVERIFY2(read.ok(), read.ok() ? "" : read.error().render().c_str());
    QCOMPARE(read->text, std::string("the door = 1.5 m"));
    QVERIFY(std::abs(read->place[1] + 0.2) < 1e-15 && read->place[2] == 1);
    const auto again = parse_annotation(annotation_text(*read));
    QVERIFY(again.ok() && *again == *read);
    for (const char* wrong : {"the door", "1,2,3", "1,2,3 = ", "here = door", ""})
      QVERIFY(!parse_annotation(wrong).ok());
    QVERIFY(parse_annotation("1,2,3 = ").error().hint.find("the door") != std::string::npos);
  }

  void texts_lie_within_the_picture_and_beside_each_other() {
    const OverlayBox picture{0, 0, 400, 300};
    std::vector<OverlayNote> notes(12);
    for (std::size_t i = 0; i < notes.size(); ++i) {
      notes[i].x = i < 6 ? 200 : 395;
      notes[i].y = i < 6 ? 150 : 295;
      notes[i].text = "note";
    }
    arrange_notes(notes, std::vector<double>(notes.size(), 60), picture, {}, 1);
    for (const OverlayNote& n : notes)
      QVERIFY(n.box.left >= 0 && n.box.right <= 400 && n.box.bottom >= 0 && n.box.top <= 300);
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t k = 0; k < i; ++k) QVERIFY(!notes[i].box.meets(notes[k].box));
    // One that is longer than the picture begins at its left.
    std::vector<OverlayNote> wide(1);
    wide[0].x = wide[0].y = 100;
    arrange_notes(wide, {900}, picture, {}, 1);
    QCOMPARE(wide[0].box.left, 0.0);
  }

  // A volume of every third point beside planes of all of them.
  void a_coarser_volume_says_so() {
    auto frame = std::make_shared<Frame>();
    frame->value = 0.25;
    ImageGeometry volume{{5, 5, 5}, {0, 0, 0}, {0.3, 0.3, 0.3}}, plane{{13, 1, 13}, {0, 0.6, 0}, {0.1, 0.1, 0.1}};
    frame->parts.push_back({"volume", volume, {make_field(sample::pressure(), std::vector<float>(125, 1.0F))}});
    frame->parts.push_back({"plane xz", plane, {make_field(sample::pressure(), std::vector<float>(169, 1.0F))}});
    const auto caption = [&](const char* part) {
      FieldScene scene;
      scene.set_frame(frame).or_throw();
      FieldView view;
      view.part = part;
      view.field = "pressure";
      scene.set_view(view).or_throw();
      scene.layout(400, 300, 1);
      return scene.caption();
    };
    QCOMPARE(caption("volume"), std::string("t = 250 ms   1 of 3 grid points along each axis"));
    QCOMPARE(caption("plane xz"), std::string("t = 250 ms"));
    std::get<ImageGeometry>(frame->parts[1].geometry).spacing = {0.3, 0.3, 0.3};
    std::get<ImageGeometry>(frame->parts[1].geometry).points = {5, 1, 5};
    frame->parts[1].fields = {make_field(sample::pressure(), std::vector<float>(25, 1.0F))};
    QCOMPARE(caption("volume"), std::string("t = 250 ms"));
  }

  void they_are_in_the_picture_and_under_the_cursor() {
    auto scene = std::make_shared<FieldScene>();
    scene->set_frame(sample::wave(0.2)).or_throw();
    FieldView view;
    scene->set_view(view).or_throw();
    const auto without = take_picture(scene, {400, 300, 1, false, 1});
    const Bounds& b = scene->camera().bounds();
    scene->set_annotations(
        {{"behind everything", {1e6, 0, 0}}, {"middle", {(b[0] + b[1]) / 2, (b[2] + b[3]) / 2, b[5]}}});
    const auto with = take_picture(scene, {400, 300, 1, false, 1});
    QVERIFY(without.ok() && with.ok() && without->pixels != with->pixels);
    std::size_t found = 0;
    for (int x = 0; x < 400; x += 2)
      for (int y = 0; y < 300; y += 2)
        if (const auto at = scene->annotation_at(x, y)) {
          QCOMPARE(*at, std::size_t{1});
          ++found;
        }
    QVERIFY(found > 100);
    // Of a copy, as pictures are saved from, the same.
    const auto copied = take_picture(scene->copy(), {400, 300, 1, false, 1});
    QVERIFY(copied.ok() && copied->pixels == with->pixels);
  }
};

QTEST_APPLESS_MAIN(TestAnnotations)
#include "test_annotations.moc"
