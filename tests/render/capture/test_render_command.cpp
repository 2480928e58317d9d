// SPDX-License-Identifier: BSD-3-Clause
// conoid-render on a run folder: pictures, exit codes, and errors that say what there is.
// labels: cli
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

#include "render/capture/picture.hpp"
#include "render/capture/run_picture.hpp"
#include "render/scene/saved_view.hpp"
#include "tests/render/read_png.hpp"
#include "tests/render/sample_frames.hpp"
#include "tests/render/similarity.hpp"

using namespace conoid;

class TestRenderCommand : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString run_;

  struct Outcome {
    int code = -1;
    QString out;
    QString err;
  };
  Outcome render(const QStringList& arguments) {
    QProcess process;
    process.setWorkingDirectory(folder_.path());
    process.start(QStringLiteral(CONOID_BIN_DIR "/conoid-render"), arguments);
    if (!process.waitForFinished(60000)) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
  }
  QString file(const char* name) { return folder_.filePath(name); }

 private slots:
  void initTestCase() {
    if (!QFile::exists(QStringLiteral(CONOID_BIN_DIR "/conoid-render"))) QSKIP("conoid-render is not built");
    if (!fields_can_be_kept()) QSKIP("this build keeps no fields");
    run_ = file("some-run");
    const std::filesystem::path path = run_.toStdString();
    std::filesystem::create_directories(path / "charts");
    std::ofstream(path / "case.json") << R"({"conoid": 1, "title": "A test wave"})";
    std::ofstream(path / "charts" / "energy.csv") << "t[s],total[J]\r\n0,1\r\n1,0.5\r\n2,0.25\r\n";
    std::ofstream(path / "telemetry.csv") << "pass,worker,begin,end,busy[s],waiting[s],copying[s]\r\n0,0,0,5,1,0,0\r\n";
    auto writer = VtkhdfWriter::create(path, "run-0123");
    QVERIFY(writer.ok());
    for (int i = 0; i < 3; ++i) {
      auto frame = std::make_shared<Frame>(*sample::wave(0.1 + 0.1 * i, 25));
      frame->number = static_cast<std::uint64_t>(i);
      frame->step = i;
      QVERIFY((*writer)->write(*frame).ok());
    }
    QVERIFY((*writer)->close().ok());
  }

  void draws_a_field_with_the_run_in_the_file() {
    const auto outcome =
        render({run_, "--field", "pressure", "--frame", "1", "--size", "200x150", "--scale", "2", "-o", file("a.png")});
    QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    QFile picture(file("a.png"));
    QVERIFY(picture.open(QIODevice::ReadOnly));
    const QByteArray bytes = picture.readAll();
    const std::string_view png(bytes.constData(), static_cast<std::size_t>(bytes.size()));
    const auto image = decode_png(png);
    QVERIFY(image.ok());
    QCOMPARE(image->width, 400);
    QCOMPARE(image->height, 300);
    bool run_named = false;
    const auto text = png_text(png);
    QVERIFY(text.ok());
    for (const auto& [key, value] : *text) run_named = run_named || (key == "Run" && value == "run-0123");
    QVERIFY(run_named);
  }

  void a_scene_is_drawn_as_it_was_kept() {
    SavedView view{"below", {0.5, 0.4, -3, 0.5, 0.4, 0.3, 0, 1, 0, 1.4, 1}, {}};
    view.view.cuts = {CutPlane{false, 0.5}, CutPlane{false, 0.5}, CutPlane{true, 0.25}};
    view.view.fixed_range = true;
    view.view.low = -1e-3;
    view.view.high = 1e-3;
    view.view.triad = false;
    const SavedView other{"other", {3, 0.4, 0.3, 0.5, 0.4, 0.3, 0, 0, 1, 1.4, 1}, {}};
    std::ofstream(file("views.json").toStdString()) << saved_views_text(std::array{other, view});
    const auto drawn = [&](const QStringList& more) {
      const auto outcome =
          render(QStringList{run_, "--frame", "1", "--size", "200x150", "-o", file("scene.png")} + more);
      if (outcome.code != 0) qFatal("%s", qPrintable(outcome.err));
      return decode_png(*read_file(file("scene.png").toStdString())).value();
    };
    // The same by the scene itself, in this process.
    FieldRequest request{run_.toStdString(), "", "", 1, false};
    auto scene = std::make_shared<FieldScene>();
    scene->set_theme(paper(light_theme()));
    QVERIFY(scene->set_frame(read_frame(request).value()).ok());
    FieldView titled = view.view;
    titled.title = "A test wave";
    QVERIFY(scene->set_view(titled).ok());
    scene->look(StandardView::iso);
    scene->camera().place(view.camera);
    const auto expected = take_picture(scene, {200, 150, 1, false});
    // Not the same bytes: another process rounds a coordinate otherwise.
    const auto like = [&](const QStringList& more) { return structural_similarity(drawn(more), *expected); };
    QVERIFY(like({"--scene", file("views.json"), "--scene-view", "below"}) > 0.999);
    QVERIFY(like({"--scene", file("views.json")}) < 0.99);
    // What is given beside it replaces its own.
    QVERIFY(like({"--scene", file("views.json"), "--scene-view", "below", "--view", "+x"}) < 0.99);
    const auto none = render({run_, "-o", file("b.png"), "--scene", file("views.json"), "--scene-view", "above"});
    QCOMPARE(none.code, static_cast<int>(ErrorCode::command_line));
    QVERIFY2(none.err.contains("\"other\", \"below\""), qPrintable(none.err));
    std::ofstream(file("wrong.json").toStdString()) << "[{\"name\": \"a\"}]";
    const auto wrong = render({run_, "-o", file("b.png"), "--scene", file("wrong.json")});
    QCOMPARE(wrong.code, static_cast<int>(ErrorCode::invalid_input));
    QVERIFY2(wrong.err.contains("wrong.json: view 1, \"camera\""), qPrintable(wrong.err));
  }

  void iso_surfaces_lie_at_shares_and_at_values() {
    const QStringList line{run_, "--frame", "1", "--size", "200x150", "--range", "-2mPa:2mPa", "-o", file("iso.png")};
    const auto drawn = [&](const QStringList& more) {
      const auto outcome = render(line + more);
      if (outcome.code != 0 || !outcome.err.isEmpty()) qFatal("%s", qPrintable(outcome.err));
      return decode_png(*read_file(file("iso.png").toStdString())).value();
    };
    const Image half = drawn({"--iso", "0.5", "-0.25"});
    for (const QStringList& same : {QStringList{"--iso", "1mPa", "-500uPa"}, QStringList{"--iso", "50%", "-25%"},
                                    QStringList{"--iso", "=1e-3", "=-5e-4"}})
      QCOMPARE(drawn(same).pixels, half.pixels);
    QVERIFY(drawn({"--iso", "1mPa", "-250uPa"}).pixels != half.pixels);
    for (const char* wrong : {"5", "1mm", "=1 kg", "nan"}) {
      const auto outcome = render(line + QStringList{"--iso", wrong});
      QCOMPARE(outcome.code, static_cast<int>(ErrorCode::command_line));
      QVERIFY2(outcome.err.contains("--iso 2Pa"), qPrintable(outcome.err));
    }
    // A surface that lies nowhere is told: the picture would be empty without a word.
    const auto nowhere = render(line + QStringList{"--iso", "2kPa"});
    QCOMPARE(nowhere.code, 0);
    QVERIFY2(nowhere.err.contains("lies nowhere in this frame"), qPrintable(nowhere.err));
  }

  void surfaces_are_clipped_seen_through_and_drawn_with_arrows() {
    const std::filesystem::path path = file("plate").toStdString();
    std::filesystem::create_directories(path);
    std::ofstream(path / "case.json") << R"({"conoid": 1, "title": "A plate"})";
    auto writer = VtkhdfWriter::create(path, "plate");
    QVERIFY(writer.ok() && (*writer)->write(*sample::plate()).ok() && (*writer)->close().ok());
    writer.value().reset();
    const auto drawn = [&](const QStringList& more) {
      const auto outcome = render(QStringList{file("plate"), "--bare", "--view", "+z", "--field", "pressure", "--size",
                                              "400x150", "--samples", "1", "-o", file("plate.png")} +
                                  more);
      if (outcome.code != 0) qFatal("%s", qPrintable(outcome.err));
      return decode_png(*read_file(file("plate.png").toStdString())).value();
    };
    const auto columns = [](const Image& image) {
      int count = 0;  // of a row through the middle, that are not white
      for (int x = 0; x < image.width; ++x) {
        const auto* pixel = &image.pixels[4 * static_cast<std::size_t>(image.height / 2 * image.width + x)];
        count += pixel[0] < 255 || pixel[1] < 255 || pixel[2] < 255;
      }
      return count;
    };
    const Image whole = drawn({});
    const int wide = columns(whole);
    QVERIFY2(wide > 200, qPrintable(QString::number(wide)));
    // Of 4 m along the picture's width 3, 1 and 2 are left; an edge is a pixel off at most, at either end.
    QVERIFY(std::abs(columns(drawn({"--clip", "+x=3m"})) - 0.75 * wide) <= 2);
    QVERIFY(std::abs(columns(drawn({"--clip", "-x=300cm"})) - 0.25 * wide) <= 2);
    QVERIFY(std::abs(columns(drawn({"--clip", "x=2"})) - 0.5 * wide) <= 2);
    // Half of the colour, half of the white paper.
    const Image half = drawn({"--opacity", "0.5"});
    const std::size_t at = 4 * static_cast<std::size_t>(whole.height / 2 * whole.width + whole.width / 3);
    for (std::size_t c = 0; c < 3; ++c)
      QVERIFY(std::abs(half.pixels[at + c] - 0.5 * (whole.pixels[at + c] + 255)) <= 2);
    QVERIFY(structural_similarity(whole, drawn({"--arrows", "velocity", "--arrow-count", "20"})) < 0.99);
    const auto wrong = [&](const QStringList& more) {
      return render(QStringList{file("plate"), "--field", "pressure", "-o", file("no.png")} + more);
    };
    QVERIFY(wrong({"--arrows", "pressure"}).err.contains("Vector fields: velocity."));
    QVERIFY(wrong({"--streamlines", "wind"}).err.contains("no vector field \"wind\""));
    QVERIFY(wrong({"--clip", "x=9"}).err.contains("reaches from 0 m to 4 m"));
    QVERIFY(wrong({"--clip", "up"}).err.contains("--clip z=-300m"));
    QCOMPARE(wrong({"--arrows", "velocity", "--streamlines", "velocity"}).code, 2);
    QCOMPARE(wrong({"--opacity", "0"}).code, 2);
    const auto balloon = render({run_, "--balloon", "directivity", "-o", file("no.png")});
    QVERIFY2(balloon.code == 2 && balloon.err.contains("Charts: "), qPrintable(balloon.err));
    QVERIFY(!QFile::exists(file("no.png")));
  }

  void a_difference_of_unlike_moments_is_told() {
    const auto said = [&](const char* frame) {
      const auto outcome =
          render({run_, "--minus", file("later"), "--frame", frame, "--size", "100x80", "-o", file("d.png")});
      return outcome.code == 0 ? outcome.err : "failed: " + outcome.err;
    };
    const std::filesystem::path path = file("later").toStdString();
    std::filesystem::create_directories(path);
    auto writer = VtkhdfWriter::create(path, "later");
    QVERIFY(writer.ok());
    for (int i = 0; i < 2; ++i) {
      auto frame = std::make_shared<Frame>(*sample::wave(i == 0 ? 0.1 : 0.26, 25));
      frame->number = static_cast<std::uint64_t>(i);
      frame->step = i;
      QVERIFY((*writer)->write(*frame).ok());
    }
    QVERIFY((*writer)->close().ok());
    writer.value().reset();
    QCOMPARE(said("0"), QString());
    QVERIFY2(said("2").contains("unlike moments: 300 ms less 260 ms"), qPrintable(said("2")));
  }

  void thumbnails_charts_and_lists() {
    QCOMPARE(render({run_, "--thumbnail", "-o", file("t.png")}).code, 0);
    const auto thumbnail = decode_png(*read_file(file("t.png").toStdString()));
    QVERIFY(thumbnail.ok());
    QCOMPARE(thumbnail->width, 480);
    for (const char* name : {"e.png", "e.svg"}) {
      const auto outcome = render({run_, "--chart", "energy", "-o", file(name)});
      QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
    }
    QVERIFY(QString::fromStdString(*read_file(file("e.svg").toStdString())).contains("<svg"));
    const auto balance = render({run_, "--chart", "balance", "--theme", "dark", "-o", file("b.png")});
    QVERIFY2(balance.code == 0, qPrintable(balance.err));
    const auto list = render({run_, "--list"});
    QCOMPARE(list.code, 0);
    for (const char* word : {"pressure", "volume", "energy", "balance", "0 to 2"})
      QVERIFY2(list.out.contains(word), qPrintable(list.out));
  }

  void wrong_names_list_the_right_ones_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("says");
    QTest::newRow("field") << QStringList{"--field", "temperature"} << 2 << "pressure";
    QTest::newRow("frame") << QStringList{"--frame", "99"} << 2 << "0 to 2";
    QTest::newRow("part") << QStringList{"--part", "wall"} << 2 << "volume";
    QTest::newRow("view") << QStringList{"--view", "up"} << 2 << "+x";
    QTest::newRow("size") << QStringList{"--size", "9999999x3"} << 2 << "1200x800";
    QTest::newRow("theme") << QStringList{"--theme", "pink"} << 2 << "dark";
    QTest::newRow("map") << QStringList{"--color-map", "jet"} << 2 << "depth";
    QTest::newRow("range") << QStringList{"--range", "3:1"} << 2 << "range";
    QTest::newRow("chart") << QStringList{"--chart", "../case"} << 2 << "energy";
    QTest::newRow("option") << QStringList{"--sise", "3x3"} << 2 << "--sise";
  }
  void wrong_names_list_the_right_ones() {
    QFETCH(QStringList, arguments);
    QFETCH(int, code);
    QFETCH(QString, says);
    const auto outcome = render(QStringList{run_, "-o", file("no.png")} + arguments);
    QCOMPARE(outcome.code, code);
    QVERIFY2(outcome.err.contains(says), qPrintable(outcome.err));
    QVERIFY(!QFile::exists(file("no.png")));
  }

  void files_that_cannot_be_used() {
    QCOMPARE(render({run_, "-o", file("missing/folder/x.png")}).code, 4);
    QVERIFY(render({file("nowhere"), "-o", file("x.png")}).code != 0);
    QCOMPARE(render({run_, "-o", file("x.bmp")}).code, 2);
    QFile damaged(file("damaged.vtkhdf"));
    QVERIFY(damaged.open(QIODevice::WriteOnly));
    damaged.write("this is not HDF5");
    damaged.close();
    QCOMPARE(render({file("damaged.vtkhdf"), "-o", file("x.png")}).code, 4);
  }
};

QTEST_APPLESS_MAIN(TestRenderCommand)
#include "test_render_command.moc"
