// SPDX-License-Identifier: BSD-3-Clause
// What is seen before a run and pointed at, by the mouse, by keys alone and by name: meshes, boxes, waves, groups, receivers.
// labels: gui timeout240
#include <fstream>

#include <QAbstractButton>
#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSet>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "app/forms/list_edit.hpp"
#include "app/forms/object_form.hpp"
#include "app/model/gallery.hpp"
#include "app/model/markers.hpp"
#include "app/model/mesh_model.hpp"
#include "app/panels/case_panel.hpp"
#include "app/panels/mesh_panel.hpp"
#include "app/panels/viewport_panel.hpp"
#include "app/window/connect_dialog.hpp"
#include "app/window/main_window.hpp"
#include "app/window/settings_dialog.hpp"
#include "app/window/workbench.hpp"
#include "engine/case/document.hpp"
#include "engine/mesh/generators.hpp"
#include "engine/mesh/gmsh.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "render/capture/picture.hpp"
#include "render/capture/png.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/window/window_test.hpp"

using namespace conoid;
using namespace conoid::app;

class TestSceneAndKeys : public test::WindowTest {
  Q_OBJECT

 private slots:
  void initTestCase() {
    begin();
    if (any_sample().case_file.empty()) QSKIP("no sample case in this build");
  }
  void cleanupTestCase() { end(); }

  void a_mesh_is_seen_and_measured_before_any_run() {
    std::ofstream(folder_.filePath("tet.stl").toStdString())
        << "solid body\nfacet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\n"
           "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1\nendloop\nendfacet\n"
           "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 1\nvertex 0 1 0\nendloop\nendfacet\n"
           "facet normal 1 1 1\nouter loop\nvertex 1 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\nendsolid "
           "body\n";
    const auto preview = preview_mesh(folder_.filePath("tet.stl").toStdString(), 1e-3);
    QVERIFY2(preview.ok(), preview.ok() ? "" : preview.error().text.c_str());
    QCOMPARE((*preview)->summary.points, Index{4});
    QVERIFY((*preview)->summary.surface.is_body());
    QVERIFY(std::abs((*preview)->longest_edges.back() - std::sqrt(2.0) * 1e-3) < 1e-15);
    QVERIFY((*preview)->surface.empty());
    const auto& fields = (*preview)->frame->parts[0].fields;
    QVERIFY(std::any_of(fields.begin(), fields.end(), [](const Field& f) { return f.info.name == "quality"; }));
    QVERIFY(!preview_mesh(folder_.filePath("none.stl").toStdString(), 1).ok());
  }

  void a_click_keeps_a_value_until_the_frame_changes() {
    auto w = window();
    QVERIFY(w->open_run(make_run("kept", 3, 1)).ok());
    ViewportPanel& view = w->workbench()->viewport_panel();
    QTRY_VERIFY(view.pane().has_picture() && view.is_up_to_date());
    static_cast<void>(view.picture());
    view.pane().set_tool(MouseTool::probe);
    const auto before = view.scene().markers().size();
    const double ratio = view.viewport()->widget()->devicePixelRatioF();
    const double x = view.viewport()->widget()->width() * ratio / 2,
                 y = view.viewport()->widget()->height() * ratio / 2;
    const auto click = [&](double to) {
      view.viewport()->on_input({InputKind::press, MouseButton::left, x, y, 0, false, false});
      view.viewport()->on_input({InputKind::release, MouseButton::left, to, y, 0, false, false});
    };
    click(x + 40);  // this turned the view
    QCOMPARE(view.scene().markers().size(), before);
    click(x);
    QCOMPARE(view.scene().markers().size(), before + 1);
    QVERIFY(view.scene().markers().back().label.find("Pa") != std::string::npos);
    view.step(-1);
    QTRY_VERIFY(view.is_up_to_date());
    QCOMPARE(view.scene().markers().size(), before);
  }

  // Arrows move a pointer that begins in the middle, Enter or space clicks.
  void keys_copy_the_picture_and_fill_the_screen() {
    auto w = window();
    QVERIFY(w->open_run(make_run("copied", 3, 1)).ok());
    ViewportPanel& view = w->workbench()->viewport_panel();
    QTRY_VERIFY(view.pane().has_picture() && view.is_up_to_date());
    QGuiApplication::clipboard()->clear();
    QTest::keyClick(view.viewport()->widget(), Qt::Key_C, Qt::ControlModifier);
    const QImage copied = QGuiApplication::clipboard()->image();
    QVERIFY(copied.width() > 100 && copied.height() > 100);
    QSet<QRgb> colours;
    for (int y = 0; y < copied.height(); y += 3)
      for (int x = 0; x < copied.width(); x += 3) colours.insert(copied.pixel(x, y));
    QVERIFY2(colours.size() > 50, qPrintable(QString::number(colours.size())));
    for (const bool full : {true, false}) {
      QTest::keyClick(w.get(), Qt::Key_F11);
      QTRY_COMPARE(w->isFullScreen(), full);
      QCOMPARE(w->actions().at("view.fullscreen")->isChecked(), full);
    }
  }

  void keys_point_as_the_mouse_does() {
    auto w = window();
    QVERIFY(w->open_run(make_run("keys", 3, 1)).ok());
    ViewportPanel& view = w->workbench()->viewport_panel();
    QTRY_VERIFY(view.pane().has_picture() && view.is_up_to_date());
    static_cast<void>(view.picture());
    QWidget* const picture = view.viewport()->widget();
    const auto cross = [&] {
      for (auto* label : picture->findChildren<QLabel*>())
        if (!label->pixmap().isNull() && label->isVisibleTo(picture)) return label->geometry().center();
      return QPoint();
    };
    const auto before = view.scene().markers().size();
    QTest::keyClick(picture, Qt::Key_Return);  // no tool in hand
    QVERIFY(cross().isNull() && view.scene().markers().size() == before);
    view.pane().set_tool(MouseTool::probe);
    QTest::keyClick(picture, Qt::Key_Return);
    QCOMPARE(view.scene().markers().size(), before + 1);
    const QPoint middle = cross();
    QVERIFY((middle - picture->rect().center()).manhattanLength() <= 2);
    QTest::keyClick(picture, Qt::Key_Right);
    QTest::keyClick(picture, Qt::Key_Up, Qt::ShiftModifier);
    QCOMPARE(cross() - middle, QPoint(16, -2));

    QSignalSpy drawn(&view.pane(), &ScenePane::profile_drawn);
    view.pane().set_tool(MouseTool::profile);
    QVERIFY(cross().isNull());
    QTest::keyClick(picture, Qt::Key_Space);
    for (int i = 0; i < 4; ++i) QTest::keyClick(picture, Qt::Key_Left);
    QCOMPARE(drawn.count(), 0);
    QTest::keyClick(picture, Qt::Key_Space);
    QCOMPARE(drawn.count(), 1);

    // The ends of the line stand in two fields and may be typed there.
    const auto edits = picture->findChildren<QLineEdit*>();
    QCOMPARE(edits.size(), qsizetype{3});
    QVERIFY(!edits[2]->isVisibleTo(picture));  // of an angle
    QVERIFY(edits[0]->isVisibleTo(picture) && edits[0]->text().count(',') == 2 && edits[1]->text().count(',') == 2);
    const Bounds box = view.scene().camera().bounds();
    const auto typed = [](double x, double y, double z) { return QString("%1 m,%2,%3").arg(x).arg(y).arg(z); };
    edits[0]->setText(typed(box[0], box[2], box[4]));
    edits[1]->setText(typed(box[1], box[3], box[5]));
    QTest::keyClick(edits[1], Qt::Key_Return);
    QCOMPARE(drawn.count(), 2);
    const auto points = drawn.last().at(0).value<std::vector<ProfilePoint>>();
    const double length = std::hypot(box[1] - box[0], box[3] - box[2], box[5] - box[4]);
    QVERIFY(std::abs(points.back().distance - length) < 1e-4 * length);  // six digits were typed
    edits[0]->setText("1;2;x");
    QTest::keyClick(edits[0], Qt::Key_Return);
    QCOMPARE(drawn.count(), 2);

    // The chart goes with the frames: the field is 2 Pa everywhere in the last one, 1 Pa in that before.
    const auto are_all = [](const std::vector<ProfilePoint>& line, double value) {
      return std::all_of(line.begin(), line.end(),
                         [&](const ProfilePoint& p) { return std::abs(p.value - value) < 1e-6; });
    };
    edits[0]->setText("1,1,0");
    edits[1]->setText("30,20 m,0");
    QTest::keyClick(edits[1], Qt::Key_Return);
    QCOMPARE(drawn.count(), 3);
    const auto here = drawn.last().at(0).value<std::vector<ProfilePoint>>();
    QVERIFY2(are_all(here, 2), qPrintable(QString("%1 … %2").arg(here.front().value).arg(here[200].value)));
    QSignalSpy followed(&view.pane(), &ScenePane::profile_followed);
    view.step(-1);
    QTRY_VERIFY(view.is_up_to_date() && followed.count() > 0);
    const auto there = followed.last().at(0).value<std::vector<ProfilePoint>>();
    QVERIFY(there.size() == points.size() && are_all(there, 1));
    QCOMPARE(followed.last().at(3).toString(), QString("t = 100 ms"));
    QVERIFY(!followed.last().at(4).toBool());  // it is no line itself
    QCOMPARE(drawn.count(), 3);

    // A ruler: three places that are typed, two that are pointed at.
    view.pane().set_tool(MouseTool::measure);
    QVERIFY(edits[2]->isVisibleTo(picture));
    edits[0]->setText("0,0,0");
    edits[1]->setText("300 cm,0,0");
    edits[2]->setText("3,4,0");
    QTest::keyClick(edits[2], Qt::Key_Return);
    const SceneTools& tools = view.pane().tools();
    QVERIFY2(tools.reading().startsWith("3 m long") && tools.reading().contains("then 4 m") &&
                 tools.reading().contains(QString::fromUtf8("90.00°")),
             qPrintable(tools.reading()));
    QCOMPARE(tools.measured().size(), std::size_t{3});
    QTest::keyClick(picture, Qt::Key_Space);
    for (int i = 0; i < 4; ++i) QTest::keyClick(picture, Qt::Key_Right);
    QTest::keyClick(picture, Qt::Key_Space);
    QCOMPARE(tools.measured().size(), std::size_t{2});
    QVERIFY2(tools.reading().contains("long") && edits[1]->text().count(',') == 2, qPrintable(tools.reading()));
    const QString kept = QStringLiteral(CONOID_BIN_DIR "/../pictures");
    if (QDir().mkpath(kept)) w->grab().save(kept + "/ruler.png");

    QSignalSpy placed(&view.pane(), &ScenePane::place_chosen);
    view.pane().set_tool(MouseTool::place);
    QVERIFY(!edits[0]->isVisibleTo(picture));
    QTest::keyClick(picture, Qt::Key_Enter);
    QCOMPARE(placed.count(), 1);
  }

  void faces_become_a_group_of_the_case() {
    SampleCard card;
    for (SampleCard& one : load_gallery(test::samples()))
      if (const auto document = CaseDocument::read(one.case_file);
          one.available && document && document->json().contains("mesh"))
        card = one;
    if (card.case_file.empty()) QSKIP("no sample with a mesh in this build");
    // A box of twelve triangles as the mesh of a copy of that case.
    const std::filesystem::path folder = folder_.filePath("paint").toStdString();
    std::filesystem::create_directories(folder);
    const auto box = box_surface({});
    QVERIFY(box.ok() && write_mesh(*box, folder / "box.msh").ok());
    auto document = CaseDocument::read(card.case_file);
    QVERIFY(document.ok());
    Json json = document->json();
    json["mesh"] = {{"file", "box.msh"}, {"unit", "m"}};
    std::ofstream(folder / "case.json") << json.dump();
    auto w = window();
    QVERIFY(w->open_case(folder / "case.json").ok());
    MeshModel& mesh = w->workbench()->mesh();
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading());
    MeshPanel& panel = w->workbench()->mesh_panel();
    w->workbench()->show_mesh(true);
    // A wave typed with a decimal comma: 343.5 m/s and 3.5 kHz are 98.14 mm.
    for (auto* edit : panel.findChildren<QLineEdit*>()) {
      const bool speed = edit->accessibleName() == "Speed of the wave";
      if (!speed && edit->accessibleName() != "Frequency") continue;
      edit->selectAll();
      QTest::keyClicks(edit, speed ? "343,5 m/s" : "3,5 kHz");
    }
    const auto labels = panel.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->text().contains("The wavelength is") && label->text().remove('.').contains("9814");
    }));
    panel.set_choosing(true);
    QVERIFY(w->workbench()->viewport_panel().pane().tool() == MouseTool::choose);
    QTRY_COMPARE(panel.side_list().count(), 6);  // found in the background
    const auto bounds = (*box).bounds();
    const Vec3 above{0.4 * bounds.first[0] + 0.6 * bounds.second[0], 0.4 * bounds.first[1] + 0.6 * bounds.second[1],
                     bounds.second[2]};
    panel.choose_at(above);
    const auto side = panel.chosen().size();
    QVERIFY(side > 0 && side < static_cast<std::size_t>(box->cell_count()));
    QCOMPARE(w->workbench()->viewport_panel().scene().frame()->parts[0].fields[0].info.name, std::string("chosen"));
    QVERIFY(!w->workbench()->viewport_panel().scene().view().color_bar);  // marks have no scale
    panel.choose_at(above);
    QVERIFY(panel.chosen().empty());
    // The same by keys alone: arrows look at a side, which is marked in the picture, space chooses it.
    QListWidget& list = panel.side_list();
    QCOMPARE(w->workbench()->focusWidget(), &list);
    const int top = list.currentRow();
    QTest::keyClick(&list, top > 0 ? Qt::Key_Up : Qt::Key_Down);
    QVERIFY(list.currentRow() != top);
    const auto& marks = w->workbench()->viewport_panel().scene().markers();
    QVERIFY(std::any_of(marks.begin(), marks.end(),
                        [&](const Marker& m) { return m.label == std::to_string(list.currentRow() + 1); }));
    const auto marked = [&](float value) {
      const auto& values = *w->workbench()->viewport_panel().scene().frame()->parts[0].fields[0].values;
      return static_cast<std::size_t>(std::count(values.begin(), values.end(), value));
    };
    QCOMPARE(marked(0.5F), side);
    QTest::keyClick(&list, Qt::Key_Space);
    QCOMPARE(panel.chosen().size(), side);
    QCOMPARE(marked(1.0F), side);
    QTest::keyClick(&list, Qt::Key_Space);
    QVERIFY(panel.chosen().empty());
    QVERIFY(!list.accessibleName().isEmpty() && list.item(0)->text().contains("faces"));
    panel.choose_at(above);
    mesh.group_faces("lid", {panel.chosen().begin(), panel.chosen().end()});
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading() && mesh.mesh()->file.filename() == "box-groups.msh");
    const auto& groups = mesh.mesh()->summary.groups;
    const auto lid = std::find_if(groups.begin(), groups.end(), [](const auto& g) { return g.name == "lid"; });
    QVERIFY(lid != groups.end() && lid->cells == static_cast<Index>(side));
    QVERIFY(panel.chosen().empty() && !mesh.sides());
    QVERIFY(w->workbench()->viewport_panel().scene().view().color_bar);
    w->model().undo_stack().undo();
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading() && mesh.mesh()->file.filename() == "box.msh");
    // Coarser by gmsh, where it is installed.
    if (!find_gmsh().ok()) QSKIP("gmsh is not installed");
    QVERIFY(mesh.mesh()->fixed.empty());
    mesh.mesh_again(0.3);
    QTRY_VERIFY(mesh.mesh() && !mesh.is_reading() && mesh.mesh()->file.filename() == "box-0.3m.msh");
    QVERIFY(mesh.mesh()->summary.surface.is_body());
  }

  void a_case_without_a_mesh_shows_its_box_and_takes_receivers() {
    auto w = window();
    const SampleCard card = sample_named("point-source");
    if (card.case_file.empty()) QSKIP("no sample without a mesh in this build");
    QVERIFY(w->open_case(card.case_file).ok());
    ViewportPanel& view = w->workbench()->viewport_panel();
    QTRY_VERIFY(view.pane().has_picture());
    QVERIFY(view.shows_preview());
    QCOMPARE(view.scene().frame()->parts.size(), std::size_t{1});
    QVERIFY(view.scene().frame()->parts[0].fields.empty());
    QVERIFY(view.scene().choices().empty());
    const Bounds& b = view.scene().camera().bounds();
    QVERIFY(b[1] > b[0] && b[3] > b[2]);
    QVERIFY(!view.scene().markers().empty());
    static_cast<void>(view.picture());
    const auto before = view.scene().markers().size();
    view.pane().set_tool(MouseTool::place);
    const double ratio = view.viewport()->widget()->devicePixelRatioF();
    view.viewport()->on_input({InputKind::press, MouseButton::left, view.viewport()->widget()->width() * ratio / 2,
                               view.viewport()->widget()->height() * ratio / 2, 0, false, false});
    QTRY_COMPARE(view.scene().markers().size(), before + 1);
    w->model().undo_stack().undo();
    QTRY_COMPARE(view.scene().markers().size(), before);

    // With no tool in hand what the case has is dragged; the case follows when it is let go, as one step.
    view.pane().set_tool(MouseTool::turn);
    static_cast<void>(view.picture());
    const double width = view.viewport()->widget()->width() * ratio,
                 height = view.viewport()->widget()->height() * ratio;
    view.scene().layout(static_cast<int>(width), static_cast<int>(height), ratio);
    std::optional<std::size_t> under;
    double x = 0, y = 0;
    for (double v = 0; v < height && !under; v += 4)
      for (double u = 0; u < width && !under; u += 4)
        if (const auto found = view.scene().marker_at(u, v); found && !view.scene().markers()[*found].key.empty())
          under = found, x = u, y = v;
    QVERIFY(under);
    const Marker marker = view.scene().markers()[*under];
    QVERIFY(marker.kind != MarkerKind::wave);
    const std::string place = marker.key + "/position";
    const Json was = *w->model().value(place);
    const auto send = [&](InputKind kind, double u, double v) {
      return view.viewport()->on_input({kind, MouseButton::left, u, v, 0, false, false});
    };
    QVERIFY(send(InputKind::press, x, y));
    QVERIFY(send(InputKind::move, x + 20, y + 12));
    QCOMPARE(*w->model().value(place), was);  // not yet
    QVERIFY(view.pane().tools().reading().startsWith("At "));
    QVERIFY(send(InputKind::release, x + 40, y + 24));
    QVERIFY(*w->model().value(place) != was);
    QVERIFY(!send(InputKind::move, x, y));
    w->model().undo_stack().undo();
    QCOMPARE(*w->model().value(place), was);
  }

  void a_right_click_has_what_can_be_done_there() {
    auto w = window();
    const SampleCard card = sample_named("point-source");
    if (card.case_file.empty()) QSKIP("no sample without a mesh in this build");
    QVERIFY(w->open_case(card.case_file).ok());
    ViewportPanel& view = w->workbench()->viewport_panel();
    QTRY_VERIFY(view.pane().has_picture());
    static_cast<void>(view.picture());
    const double ratio = view.viewport()->widget()->devicePixelRatioF();
    const double x = view.viewport()->widget()->width() * ratio / 2,
                 y = view.viewport()->widget()->height() * ratio / 2;
    const auto send = [&](InputKind kind, double u, double v) {
      view.viewport()->on_input({kind, MouseButton::right, u, v, 0, false, false});
    };
    const auto menu_at_once = [] { return qobject_cast<QMenu*>(QApplication::activePopupWidget()); };
    const auto choose = [&](const QString& words) {
      send(InputKind::press, x, y);
      send(InputKind::release, x, y);
      QTRY_VERIFY(menu_at_once());
      QMenu* menu = menu_at_once();
      QAction* wanted = nullptr;
      for (QAction* action : menu->actions())
        if (action->text() == words) wanted = action;
      QVERIFY2(wanted, qPrintable(words));
      wanted->trigger();
      menu->close();
      QTRY_VERIFY(!menu_at_once());
    };
    const auto before = view.scene().markers().size();
    choose("Add a receiver here");
    QTRY_COMPARE(view.scene().markers().size(), before + 1);
    const Vec3 placed = view.scene().markers().back().position;
    w->model().undo_stack().undo();
    QTRY_COMPARE(view.scene().markers().size(), before);
    choose("Copy the place");
    const auto copied = place_from(QGuiApplication::clipboard()->text());
    QVERIFY2(copied, qPrintable(QGuiApplication::clipboard()->text()));
    const double size = std::max({std::abs(placed[0]), std::abs(placed[1]), std::abs(placed[2]), 1e-9});
    for (std::size_t a = 0; a < 3; ++a)
      QVERIFY(std::abs((*copied)[a] - placed[a]) <= 1e-3 * size);  // a receiver's is tidied
    choose("Measure from here");
    QCOMPARE(view.pane().tool(), MouseTool::measure);
    view.pane().set_tool(MouseTool::turn);
    // A drag with the right button moves the picture and asks nothing.
    send(InputKind::press, x, y);
    send(InputKind::move, x + 30, y + 20);
    send(InputKind::release, x + 30, y + 20);
    QTest::qWait(50);
    QVERIFY(!menu_at_once());
  }

  void waves_are_seen_and_turned() {
    // A wave by its direction, and one by the angles of where it comes from.
    const Json by_vector = {{"excitation", {{"waves", {{{"kind", "plane"}, {"direction", {0, 0, 2}}}}}}}};
    const auto plane = markers_of(by_vector);
    QCOMPARE(plane.size(), std::size_t{1});
    QVERIFY(plane[0].kind == MarkerKind::wave && plane[0].direction == (Vec3{0, 0, 2}));
    QCOMPARE(plane[0].key, std::string("/excitation/waves/0"));
    const Json by_angle = {{"excitation", {{"theta", "90 deg"}, {"phi", "90 deg"}, {"polarisation", "V"}}}};
    const auto wave = markers_of(by_angle);
    QCOMPARE(wave.size(), std::size_t{1});
    QVERIFY(std::abs(wave[0].direction[1] + 1) < 1e-12);  // from +y
    QCOMPARE(wave[0].polarisations.size(), std::size_t{1});
    QVERIFY(std::abs(wave[0].polarisations[0][2] + 1) < 1e-12);  // along theta, which goes down there
    QVERIFY(markers_of({{"excitation", {{"theta", 0}, {"monostatic", Json::object()}}}}).empty());
    QVERIFY(markers_of({{"output", {{"direction", {1, 0, 0}}}}}).empty());
    // Turned to come from +x and from below.
    CaseModel model;
    model.take(CaseDocument::from_json(by_angle, {}));
    QVERIFY(move_marker(model, wave[0], {}, {-std::sqrt(0.5), 0, std::sqrt(0.5)}));
    QCOMPARE(model.value("/excitation/theta")->get<std::string>(), std::string("135 deg"));
    QCOMPARE(model.value("/excitation/phi")->get<std::string>(), std::string("0 deg"));
    model.undo_stack().undo();
    QCOMPARE(model.value("/excitation/theta")->get<std::string>(), std::string("90 deg"));
    model.take(CaseDocument::from_json(by_vector, {}));
    QVERIFY(move_marker(model, plane[0], {}, {0, 1, 0}));
    QCOMPARE((*model.value("/excitation/waves/0/direction"))[1].get<double>(), 1.0);
    QVERIFY(!move_marker(model, {}, {}, {}));
  }

  void the_tabulator_reaches_everything_once() {
    auto w = window();
    w->resize(1280, 800);
    QVERIFY(w->open_case(any_sample().case_file).ok());
    w->workbench()->case_panel().finish();
    QTest::qWait(50);
    // Nothing twice, nothing left out.
    QWidget* first = w->workbench()->findChild<QPushButton*>("runButton");
    QVERIFY(first);
    QWidgetList way;
    QWidget* at = first;
    do {
      const Qt::FocusPolicy policy = at->focusPolicy();
      if ((policy & Qt::TabFocus) && at->isVisibleTo(w.get()) && at->isEnabled() && !at->focusProxy()) {
        QVERIFY2(!way.contains(at), at->metaObject()->className());
        way << at;
      }
      at = at->nextInFocusChain();
    } while (at != first);
    QStringList lost;
    for (QWidget* widget : w->workbench()->findChildren<QWidget*>())
      if ((widget->focusPolicy() & Qt::TabFocus) && widget->isVisibleTo(w.get()) && widget->isEnabled() &&
          !widget->focusProxy() && !way.contains(widget))
        lost << widget->metaObject()->className();
    QVERIFY2(lost.isEmpty(), qPrintable(lost.join(", ")));
    QVERIFY(way.size() > 20);
  }

  void the_tabulator_goes_down_the_form_as_it_is_seen() {
    // A case with lists of cards and of lines; elements are added, removed and brought back.
    const SampleCard card = sample_named("point-source");
    if (card.case_file.empty()) QSKIP("no sample with lists in this build");
    auto w = window();
    w->resize(1280, 800);
    QVERIFY(w->open_case(card.case_file).ok());
    CasePanel& panel = w->workbench()->case_panel();
    panel.finish();
    const auto disorder = [&] {
      for (auto* layout : panel.findChildren<QLayout*>()) layout->activate();
      QTest::qWait(1);
      QWidget* const first = panel.findChild<QLineEdit*>("caseTitle");
      QString before = "title";
      // The form may be scrolled: its places count within it, what stands above and below it before and behind.
      QWidget* const form = panel.findChild<QWidget*>("scrolled");
      const auto place_of = [&](QWidget* one) {
        if (form->isAncestorOf(one)) return one->mapTo(form, QPoint(0, 0));
        const QPoint at = one->mapTo(&panel, QPoint(0, 0));
        return at + QPoint(0, at.y() > 200 ? 1000000 : -1000);
      };
      QPoint last = place_of(first);
      int last_height = first->height(), seen = 1;
      for (QWidget* at = first->nextInFocusChain(); at != first; at = at->nextInFocusChain()) {
        if (!panel.isAncestorOf(at) || !(at->focusPolicy() & Qt::TabFocus) || at->focusProxy() ||
            !at->isVisibleTo(w.get()))
          continue;
        if (at->inherits("QScrollArea")) continue;  // around all that follows
        const QPoint now = place_of(at);
        const QString name = at->accessibleName() + at->property("text").toString();
        // Either lower, or on the same line and further right.
        const bool lower = now.y() >= last.y() + std::min(last_height, at->height()) / 2;
        const bool beside =
            std::abs(now.y() + at->height() / 2 - last.y() - last_height / 2) < 14 && now.x() > last.x();
        if (!lower && !beside) return before + " → " + name;
        last = now, last_height = at->height(), before = name;
        ++seen;
      }
      return seen > 20 ? QString() : QString("only %1 stops").arg(seen);
    };
    for (auto* fold : panel.findChildren<FoldButton*>()) fold->set_open(true);
    panel.reveal("/compute");
    QTRY_COMPARE(disorder(), QString());  // as soon as the layouts have settled
    const auto buttons = [&] {
      QList<QPushButton*> out;
      for (auto* button : panel.findChildren<QPushButton*>())
        if (button->text().startsWith("Add ") && button->isEnabled() && qobject_cast<ListEdit*>(button->parentWidget()))
          out << button;
      return out;
    };
    const auto adders = buttons();
    QVERIFY(adders.size() >= 2);
    for (QPushButton* add : adders) {
      add->click();
      QTRY_COMPARE(disorder(), QString());
      w->model().undo_stack().undo();
      QTRY_COMPARE(disorder(), QString());
      w->model().undo_stack().redo();
      add->click();
      QTRY_COMPARE(disorder(), QString());
      QWidget* list = add->parentWidget();
      for (auto* remove : list->findChildren<QToolButton*>())
        if (remove->isEnabled() && remove->toolTip().startsWith("Remove")) {
          remove->click();
          break;
        }
      QTRY_COMPARE(disorder(), QString());
    }
    // With the keys themselves: from the last element on to what stands below it.
    adders.front()->setFocus();
    QTest::keyClick(adders.front(), Qt::Key_Tab);
    QWidget* after = w->focusWidget();
    QVERIFY(after && after != adders.front() && panel.isAncestorOf(after));
    QCOMPARE(after->parentWidget(), adders.front()->parentWidget());
  }

  void light_needs_no_speed_to_be_typed() {
    for (const SampleCard& card : load_gallery(test::samples())) {
      const double expected = card.name == "radar-almond"    ? 299'792'458.0
                              : card.name == "coated-sphere" ? 299'792'458.0 / 2
                                                             : 0;
      if (!card.available || expected == 0) continue;  // metal in air; a coat of permittivity 4
      auto w = window();
      QVERIFY(w->open_case(card.case_file).ok());
      QVERIFY(std::abs(w->workbench()->mesh().speed() - expected) < 1e-6 * expected);
    }
  }

  void everything_that_can_be_used_has_a_name() {
    auto w = window();
    QVERIFY(w->open_run(make_run("names", 2, 1)).ok());
    w->show_runs();
    SettingsDialog settings(*settings_, *look_, w.get());
    ConnectDialog places(*settings_, *look_, w.get());
    w->actions().at("help.tour")->trigger();
    QTRY_VERIFY(w->run().is_stored());
    QStringList nameless;
    int seen = 0;
    for (const QWidget* widget : w->findChildren<QWidget*>()) {
      const auto* button = qobject_cast<const QAbstractButton*>(widget);
      if (!button && (!(widget->focusPolicy() & Qt::TabFocus) || widget->focusProxy())) continue;
      // Parts that Qt puts inside other widgets speak for those; dialogs and areas that scroll hold what is used.
      const QString place = widget->objectName(), kind = widget->metaObject()->className();
      const bool inner = qobject_cast<const QScrollBar*>(widget) || place.startsWith("qt_") ||
                         place.startsWith("ScrollLeft") || place.startsWith("ScrollRight") ||
                         kind.contains("Private") || kind == "QComboBoxListView" ||
                         qobject_cast<const QComboBox*>(widget->parentWidget()) ||
                         qobject_cast<const QAbstractSpinBox*>(widget->parentWidget()) ||
                         qobject_cast<const QLineEdit*>(widget->parentWidget()) || kind == "QTableCornerButton" ||
                         widget->inherits("QHeaderView") || widget->inherits("QToolBarExtension") ||
                         kind == "QScrollArea" || widget->inherits("QMenu") || widget->inherits("QDialog");
      if (inner) continue;
      ++seen;
      const bool says_itself = button && !button->text().isEmpty();
      const QString where = kind + " in " + widget->parentWidget()->metaObject()->className() + " " + place;
      if (widget->accessibleName().isEmpty() && !says_itself) nameless << "no name: " + where;
      // A button with words says what it does. What takes values, shows a list or has a picture only is explained; a tip is what
      // assistive programs read as the description.
      if (!says_itself && widget->toolTip().isEmpty() && widget->accessibleDescription().isEmpty())
        nameless << "no description: " + widget->accessibleName() + ", " + where;
      // As assistive programs hear it: what a thing is, not the value it has, and no markup.
      auto* heard = QAccessible::queryAccessibleInterface(const_cast<QWidget*>(widget));
      if (qobject_cast<const QComboBox*>(widget) && heard && heard->text(QAccessible::Name) != widget->accessibleName())
        nameless << "is called by its value: " + heard->text(QAccessible::Name) + ", " + where;
      static const QRegularExpression markup("</?[a-zA-Z]|&[a-z]+;");
      if (heard && heard->text(QAccessible::Description).contains(markup))
        nameless << "markup: " + heard->text(QAccessible::Description);
    }
    QVERIFY(seen > 60);
    for (const QString& one : nameless) qWarning("%s", qPrintable(one));
    QVERIFY(nameless.isEmpty());
  }
};

QTEST_MAIN(TestSceneAndKeys)
#include "test_scene_and_keys.moc"
