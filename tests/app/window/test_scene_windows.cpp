// SPDX-License-Identifier: BSD-3-Clause
// Scenes in windows of their own, texts in the picture and volume rendering: each scene has its own field, camera and frame, what is written stays
// with the case, and pictures that are saved have it.
// labels: gui timeout240
#include <algorithm>
#include <cmath>

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSlider>
#include <QTest>

#include "app/panels/display_panel.hpp"
#include "app/panels/scene_window.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/window/workbench.hpp"
#include "render/scene/saved_view.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/window/known_run.hpp"
#include "tests/app/window/window_test.hpp"

using namespace conoid;
using namespace conoid::app;

class TestSceneWindows : public test::WindowOfRunTest {
  Q_OBJECT

  static ViewportPanel& view(MainWindow& w) { return w.workbench()->viewport_panel(); }
  static void wait_for_picture(MainWindow& w) {
    QTRY_VERIFY(w.run().is_stored());
    QTRY_VERIFY(view(w).pane().has_picture() && view(w).is_up_to_date());
  }
  /// Layouts of what was shown a moment ago take turns of their own, and so does drawing at the new size.
  static void keep_settled(QWidget& widget, const QString& name) {
    constexpr int turns_ms = 300;
    QTest::qWait(turns_ms);
    test::keep_picture(widget, name);
  }

 private slots:
  void initTestCase() {
    begin();
    const SampleCard quickest = test::quickest_sample();
    if (quickest.case_file.empty()) QSKIP("no sample case in this build");
    run_ = begin_run("known", quickest.case_file, "Known", "{}");
    test::write_known_frames(run_);
  }
  void cleanupTestCase() { end(); }

  void a_scene_has_its_own_field_camera_and_frame() {
    auto w = window(command_);
    wait_for_picture(*w);
    ViewportPanel& panel = view(*w);
    panel.pane().choose("pressure");
    panel.show_frame(1);
    QTRY_VERIFY(panel.is_up_to_date() && panel.scene().frame()->number == 1);
    // A camera that nobody moved fits the field into its own window; one that was moved is taken as it stands.
    panel.scene().camera().orbit(40, 25);
    QVERIFY(!panel.scene().camera().untouched());
    SceneWindow* scene = panel.add_scene();
    QVERIFY(scene != nullptr);
    ScenePane& own = scene->pane();
    QTRY_VERIFY(own.has_picture() && own.is_up_to_date());
    // It begins with what is seen in the middle.
    QCOMPARE(own.scene().view().field, std::string("pressure"));
    QCOMPARE(own.scene().frame()->number, std::uint64_t{1});
    QVERIFY(own.scene().camera().placement() == panel.scene().camera().placement());
    // Its field and camera are its own.
    own.choose("velocity");
    own.look_from(StandardView::plus_z);
    QCOMPARE(own.scene().view().field, std::string("velocity"));
    QCOMPARE(panel.scene().view().field, std::string("pressure"));
    QVERIFY(own.scene().camera().placement() != panel.scene().camera().placement());
    // Linked, both show one frame, whichever slider moves.
    panel.show_frame(3);
    QTRY_COMPARE(own.scene().frame()->number, std::uint64_t{3});
    scene->slider().setValue(2);
    QTRY_COMPARE(panel.frame_index(), std::size_t{2});
    QTRY_COMPARE(own.scene().frame()->number, std::uint64_t{2});
    // Not linked, each goes its way.
    scene->set_linked(false);
    scene->slider().setValue(0);
    QTRY_COMPARE(own.scene().frame()->number, std::uint64_t{0});
    panel.show_frame(3);
    QTRY_COMPARE(panel.scene().frame()->number, std::uint64_t{3});
    QTest::qWait(100);
    QCOMPARE(own.scene().frame()->number, std::uint64_t{0});
    keep_settled(*scene, "scene-window.png");
    const QString file = folder_.filePath("own-scene.png");
    QVERIFY(panel.write_picture(file, {}, &own).ok());
    QVERIFY(QFileInfo(file).size() > 1000);
    // There is an end to them, and closing one leaves the others.
    while (panel.scenes().size() < 8) QVERIFY(panel.add_scene() != nullptr);
    QVERIFY(panel.add_scene() == nullptr);
    QTest::qWait(50);
    scene->close();
    QCOMPARE(panel.scenes().size(), std::size_t{7});
    QVERIFY(std::find(panel.scenes().begin(), panel.scenes().end(), scene) == panel.scenes().end());
    panel.show_frame(1);
    QTRY_VERIFY(panel.is_up_to_date());
  }

  void texts_stay_with_the_case() {
    auto w = window(command_);
    wait_for_picture(*w);
    ScenePane& pane = view(*w).pane();
    pane.show_display_panel(true);
    QPlainTextEdit& lines = pane.display_panel().annotations();
    lines.setPlainText("0.5, 1, -20 cm = the door\nnonsense\n1; 0,5; 0 = roof = top");
    QTRY_COMPARE(pane.scene().view().annotations.size(), std::size_t{2});
    const std::vector<Annotation> written{{"the door", {0.5, 1, -0.2}}, {"roof = top", {1, 0.5, 0}}};
    QVERIFY(pane.scene().view().annotations == written);
    keep_settled(*w, "annotations.png");
    // Another frame, another field, another scene: they stand there as well.
    view(*w).show_frame(2);
    pane.choose("velocity");
    QTRY_VERIFY(view(*w).is_up_to_date());
    QVERIFY(pane.scene().view().annotations == written);
    SceneWindow* scene = view(*w).add_scene();
    QTRY_VERIFY(scene->pane().has_picture());
    QTRY_VERIFY(scene->pane().scene().view().annotations == written);
    scene->pane().set_annotations({written[1]});
    QCOMPARE(pane.scene().view().annotations.size(), std::size_t{1});
    QTRY_COMPARE(lines.toPlainText(), QString("1, 0.5, 0 = roof = top"));
    // A view that is kept has them, and so has its file.
    pane.views().keep("with a text");
    const auto kept = parse_saved_views(pane.views().as_text().toStdString());
    QVERIFY(kept.ok() && kept->size() == 1);
    QVERIFY(kept->front().view.annotations == std::vector<Annotation>{written[1]});
    w.reset();
    // The next window finds them again.
    auto again = window(command_);
    wait_for_picture(*again);
    QTRY_COMPARE(view(*again).pane().scene().view().annotations.size(), std::size_t{1});
    QCOMPARE(view(*again).pane().scene().view().annotations.front().text, std::string("roof = top"));
    view(*again).pane().set_annotations({});
  }

  void choices_stand_beside_the_picture_on_a_small_screen() {
    auto w = window(command_);
    wait_for_picture(*w);
    w->show_workbench();
    ScenePane& pane = view(*w).pane();
    const auto picture_is_wide = [&] {
      const QWidget* picture = pane.viewport()->widget();
      return picture->isVisible() && picture->width() >= 300;
    };
    for (const QSize size : {QSize(1024, 700), QSize(1600, 900)}) {
      w->resize(size);
      QTRY_VERIFY(w->size() == size && w->workbench()->is_pane_visible("run"));
      QTest::qWait(100);
      pane.show_display_panel(true);
      QTRY_VERIFY(pane.display_panel().isVisible() && picture_is_wide());
      // Where there is room for all the run stays.
      QCOMPARE(w->workbench()->is_pane_visible("run"), size.width() > 1100);
      keep_settled(*w, QString("display-%1.png").arg(size.width()));
      pane.show_display_panel(false);
      QVERIFY(w->workbench()->is_pane_visible("run"));
      QTRY_VERIFY(picture_is_wide());
    }
  }

  void iso_surfaces_lie_at_values_that_were_typed() {
    auto w = window(command_);
    wait_for_picture(*w);
    ScenePane& pane = view(*w).pane();
    pane.choose("pressure");
    pane.show_display_panel(true);
    QLineEdit* values = nullptr;
    QSlider* share = nullptr;
    for (QLineEdit* edit : pane.display_panel().findChildren<QLineEdit*>())
      if (edit->accessibleName() == "Values of the iso-surfaces") values = edit;
    for (QSlider* slider : pane.display_panel().findChildren<QSlider*>())
      if (slider->accessibleName() == "Level of the iso-surface") share = slider;
    QVERIFY(values != nullptr && share != nullptr && values->isVisibleTo(&pane));
    const auto type = [&](const char* text) {
      values->clear();
      QTest::keyClicks(values, text);
      QTest::keyClick(values, Qt::Key_Return);
    };
    const auto seen = [&] { return pane.scene().view(); };
    type("2 kPa; -0.5");
    QCOMPARE(seen().iso_values, (std::vector<double>{2000, -0.5}));
    QVERIFY(seen().iso.empty() && !share->isEnabled());
    // What is no pressure is told, and what was seen stays as far as it can be read.
    type("3 m; 7");
    QCOMPARE(seen().iso_values, (std::vector<double>{7}));
    bool told = false;
    for (QLabel* label : pane.display_panel().findChildren<QLabel*>())
      told = told || (label->isVisibleTo(&pane) && label->text().contains("Pa") && label->text().contains("m"));
    QVERIFY(told);
    type("1 mPa");
    keep_settled(*w, "iso-values.png");
    // Another field has other values; without any the slider is back.
    pane.choose("velocity");
    QVERIFY(seen().iso_values.empty());
    pane.choose("pressure");
    type("1 mPa");
    QCOMPARE(seen().iso_values, (std::vector<double>{1e-3}));
    type("");
    QVERIFY(seen().iso_values.empty());
    QCOMPARE(seen().iso.size(), std::size_t{2});
    QVERIFY(share->isEnabled());
  }

  void a_volume_takes_the_place_of_planes_and_back() {
    auto w = window(command_);
    wait_for_picture(*w);
    ScenePane& pane = view(*w).pane();
    pane.choose("pressure");
    pane.show_display_panel(true);
    QCheckBox* volume = nullptr;
    for (QCheckBox* box : pane.display_panel().findChildren<QCheckBox*>())
      if (box->accessibleName() == "Volume rendering") volume = box;
    QVERIFY(volume != nullptr && volume->isVisibleTo(&pane) && !volume->isChecked());
    volume->click();
    QVERIFY(pane.scene().view().volume > 0);
    for (const CutPlane& cut : pane.scene().view().cuts) QVERIFY(!cut.visible);
    QTRY_VERIFY(view(*w).is_up_to_date());
    keep_settled(*w, "volume.png");
    volume->click();
    QCOMPARE(pane.scene().view().volume, 0.0);
    for (const CutPlane& cut : pane.scene().view().cuts) QVERIFY(cut.visible);
  }
};

QTEST_MAIN(TestSceneWindows)
#include "test_scene_windows.moc"
