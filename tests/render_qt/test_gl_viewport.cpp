// SPDX-License-Identifier: BSD-3-Clause
// A picture in a window by OpenGL is the picture drawn without a display.
// labels: gl serial
#include <QApplication>
#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <algorithm>
#include <ctime>

#include "render/capture/png.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/gl_viewport.hpp"
#include "render/window/make_viewport.hpp"
#include "render/window/raster_viewport.hpp"
#include "render/window/raster_viewport_widget.hpp"
#include "tests/render/sample_frames.hpp"
#include "tests/render/similarity.hpp"

using namespace conoid;

namespace {

std::shared_ptr<FieldScene> scene_at(double time) {
  auto scene = std::make_shared<FieldScene>();
  const auto status = scene->set_frame(sample::wave(time));
  if (!status) qFatal("%s", status.error().render().c_str());
  return scene;
}

}  // namespace

class TestGlViewport : public QObject {
  Q_OBJECT

 private slots:
  void gl_and_raster_show_the_same() {
    if (QGuiApplication::platformName() != "xcb") QSKIP("needs an X server (Xvfb)");
    GlViewport gl;
    gl.resize(480, 320);
    gl.set_scene(scene_at(0.3));
    gl.show();
    QVERIFY(QTest::qWaitForWindowExposed(&gl));
    const Image window = gl.grab();
    QVERIFY2(gl.problem().empty(), gl.problem().c_str());
    auto raster = RasterViewport::make(480, 320, gl.devicePixelRatioF());
    QVERIFY(raster.ok());
    if (const char* keep = std::getenv("CONOID_KEEP_PICTURES"))
      QVERIFY(write_png(std::string(keep) + "/gl.png", window, {}).ok());
    // The comparison means something only with the same renderer on both sides.
    if (gl.renderer_name() != (*raster)->renderer_name()) QSKIP("window and memory use different renderers");
    (*raster)->set_scene(scene_at(0.3));
    const Image memory = (*raster)->grab();
    QCOMPARE(window.width, memory.width);
    QVERIFY2(structural_similarity(window, memory) >= 0.999,
             std::to_string(structural_similarity(window, memory)).c_str());
    (*raster)->set_scene(scene_at(0.31));
    QVERIFY(structural_similarity(window, (*raster)->grab()) < 0.999);
  }

  void gl_survives_resizing_new_scenes_and_new_parents() {
    if (QGuiApplication::platformName() != "xcb") QSKIP("needs an X server (Xvfb)");
    QWidget first;
    QWidget second;
    auto* gl = new GlViewport(&first);
    first.resize(400, 300);
    gl->resize(333, 217);
    first.show();
    QVERIFY(QTest::qWaitForWindowExposed(&first));
    gl->set_scene(scene_at(0.2));
    const Image before = gl->grab();
    QCOMPARE(before.width, 333);
    QVERIFY(*std::max_element(before.pixels.begin(), before.pixels.begin() + 3) > 200);  // drawn, not black
    gl->set_scene(nullptr);
    (void)gl->grab();
    gl->set_scene(scene_at(0.2));
    second.resize(400, 300);
    second.show();
    gl->setParent(&second);
    gl->show();
    QVERIFY(QTest::qWaitForWindowExposed(&second));
    const Image after = gl->grab();
    QVERIFY(structural_similarity(before, after) >= 0.999);
  }

  void a_million_triangles_turn_with_less_detail() {
    if (QGuiApplication::platformName() != "xcb") QSKIP("needs an X server (Xvfb)");
    GlViewport gl;
    gl.resize(960, 600);
    auto scene = std::make_shared<FieldScene>();
    QVERIFY(scene->set_frame(sample::sphere(1000, 500)).ok());
    gl.set_scene(scene);
    gl.show();
    QVERIFY(QTest::qWaitForWindowExposed(&gl));
    const Image whole = gl.grab();
    QVERIFY(scene->triangles_drawn() >= 990000);
    double work = 0;  // ms of processor time a picture
    const auto pictures_a_second = [&](double seconds) {
      QElapsedTimer clock;
      clock.start();
      const std::clock_t begin = std::clock();  // of all threads: what a picture costs, however busy the machine is
      int count = 0;
      for (; clock.elapsed() < 1000 * seconds; ++count) {
        scene->camera().orbit(3, 0);
        static_cast<void>(gl.grab());
      }
      work = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / count;
      return count / (1e-3 * static_cast<double>(clock.elapsed()));
    };
    const double seconds = qEnvironmentVariableIsSet("CONOID_LONG") ? 10 : 1;
    const double full = pictures_a_second(seconds), full_work = work;
    // How much is left follows the machine: each turn of the view begins with what the one before has taught.
    for (int turn = 0; turn < 4; ++turn) {
      scene->set_detail(FieldScene::Detail::coarse);
      QVERIFY(scene->triangles_drawn() >= 5000 && scene->triangles_drawn() <= 500000);
      for (int i = 0; i < 4; ++i) static_cast<void>(gl.grab());
    }
    const double coarse = pictures_a_second(seconds);
    qInfo(
        "%s, 960 x 600: %.1f pictures a second of 1 million triangles, %.1f of the %zu that are drawn while it turns; "
        "%.0f and %.1f ms of processor time a picture",
        gl.renderer_name().c_str(), full, coarse, scene->triangles_drawn(), full_work, work);
    QVERIFY(coarse > full);
    scene->set_detail(FieldScene::Detail::whole);
    scene->look(StandardView::plus_x);
    const Image a = gl.grab();
    scene->set_detail(FieldScene::Detail::coarse);
    const Image b = gl.grab();
    // The same body, less exact; and all of it again when the mouse lets go.
    QVERIFY2(structural_similarity(a, b) > 0.9, std::to_string(structural_similarity(a, b)).c_str());
    scene->set_detail(FieldScene::Detail::by_time);
    QVERIFY(structural_similarity(a, gl.grab()) > 0.999);
  }

  void the_platform_decides() {
    QWidget parent;
    auto* host = make_viewport(&parent);
    const bool gl = dynamic_cast<GlViewport*>(host->widget()) != nullptr;
    QCOMPARE(gl, QGuiApplication::platformName() == "xcb" && viewport_note().empty());
    auto* asked = make_viewport(&parent, ViewportKind::raster);
    QVERIFY(dynamic_cast<RasterViewportWidget*>(asked->widget()) != nullptr);
    QVERIFY(parse_viewport_kind("gl").ok());
    QVERIFY(!parse_viewport_kind("vulkan").ok());
  }

  void the_mouse_turns_a_raster_view() {
    RasterViewportWidget view;
    view.resize(320, 200);
    view.set_scene(scene_at(0.3));
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    const Image before = view.grab();
    QVERIFY2(!before.empty(), view.problem().c_str());
    QTest::mousePress(&view, Qt::LeftButton, {}, {160, 100});
    QMouseEvent move(QEvent::MouseMove, QPointF(190, 110), view.mapToGlobal(QPointF(190, 110)), Qt::NoButton,
                     Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&view, &move);
    QTest::mouseRelease(&view, Qt::LeftButton, {}, {190, 110});
    QVERIFY(structural_similarity(before, view.grab()) < 0.999);
    int seen = 0;
    view.on_input = [&seen](const InputEvent&) { return ++seen > 0; };
    QTest::mousePress(&view, Qt::LeftButton, {}, {10, 10});
    QVERIFY(seen > 0);
  }
};

int main(int argc, char** argv) {
  // An X server of our own: the default platform of tests has no OpenGL.
  QProcess server;
  server.start("Xvfb", {"-displayfd", "1", "-screen", "0", "1280x960x24", "-nolisten", "tcp"});
  if (server.waitForStarted(5000) && server.waitForReadyRead(15000)) {
    qputenv("DISPLAY", ":" + server.readAllStandardOutput().trimmed());
    qputenv("QT_QPA_PLATFORM", "xcb");
  }
  prepare_viewports();
  int result = 0;
  {
    QApplication app(argc, argv);
    TestGlViewport test;
    result = QTest::qExec(&test, argc, argv);
  }
  server.terminate();
  server.waitForFinished(5000);
  return result;
}
#include "test_gl_viewport.moc"
