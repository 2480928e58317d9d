// SPDX-License-Identifier: BSD-3-Clause
// Frames as films: GIF read back by a reader of its own, numbered pictures, what is handed to ffmpeg, and errors that help.
// labels: cli
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <random>

#include "render/capture/film_writer.hpp"
#include "render/capture/gif.hpp"
#include "render/scene/field_scene.hpp"
#include "render/window/raster_viewport.hpp"
#include "render/window/software_renderer.hpp"
#include "tests/render/read_png.hpp"
#include "tests/render/sample_frames.hpp"

using namespace conoid;

namespace {

/// The pictures of a GIF as a viewer shows them; empty where the file is not sound. Written after the specification, not after the writer.
std::vector<Image> pictures_of(const std::string& gif) {
  std::size_t at = 0;
  const auto byte = [&]() -> int { return at < gif.size() ? static_cast<unsigned char>(gif[at++]) : -1; };
  const auto word = [&] {
    const int low = byte();
    return low + 256 * byte();
  };
  if (gif.substr(0, 6) != "GIF89a") return {};
  at = 6;
  Image screen{word(), word(), {}};
  screen.pixels.assign(4 * static_cast<std::size_t>(screen.width) * static_cast<std::size_t>(screen.height), 255);
  if ((byte() & 0x80) != 0) return {};
  at += 2;
  std::vector<Image> out;
  int transparent = -1;
  for (;;) {
    const int kind = byte();
    if (kind == ';') return at == gif.size() ? out : std::vector<Image>{};
    if (kind == '!') {
      const int label = byte();
      for (int size = byte(); size > 0; size = byte()) {
        if (label == 0xf9) transparent = (gif[at] & 1) != 0 ? static_cast<unsigned char>(gif[at + 3]) : -1;
        at += static_cast<std::size_t>(size);
      }
      continue;
    }
    if (kind != ',') return {};
    const int x0 = word(), y0 = word(), w = word(), h = word(), flags = byte();
    if ((flags & 0x80) == 0 || x0 + w > screen.width || y0 + h > screen.height) return {};
    const std::string palette = gif.substr(at, static_cast<std::size_t>(3) << ((flags & 7) + 1));
    at += palette.size();
    const int bits = byte();
    std::string data;
    for (int size = byte(); size > 0; size = byte()) {
      data += gif.substr(at, static_cast<std::size_t>(size));
      at += static_cast<std::size_t>(size);
    }
    std::vector<std::string> table;
    std::string indices, last;
    int length = bits + 1;
    const auto reset = [&] {
      table.clear();
      for (int i = 0; i < (1 << bits) + 2; ++i) table.emplace_back(1, static_cast<char>(i));
      length = bits + 1;
      last.clear();
    };
    reset();
    std::size_t bit = 0;
    for (;;) {
      int code = 0;
      for (int i = 0; i < length; ++i, ++bit) {
        if (bit / 8 >= data.size()) return {};
        code |= ((static_cast<unsigned char>(data[bit / 8]) >> (bit % 8)) & 1) << i;
      }
      if (code == (1 << bits) + 1) break;
      if (code == (1 << bits)) {
        reset();
        continue;
      }
      const auto number = static_cast<std::size_t>(code);
      std::string entry;
      if (number < table.size())
        entry = table[number];
      else if (number == table.size() && !last.empty())
        entry = last + last[0];
      else
        return {};
      indices += entry;
      if (!last.empty() && table.size() < 4096) {
        table.push_back(last + entry[0]);
        if (table.size() == (std::size_t{1} << length) && length < 12) ++length;
      }
      last = entry;
    }
    if (indices.size() != static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) return {};
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const int index = static_cast<unsigned char>(indices[static_cast<std::size_t>(y * w + x)]);
        if (index == transparent) continue;
        for (std::size_t k = 0; k < 3; ++k)
          screen.pixels[4 * static_cast<std::size_t>((y0 + y) * screen.width + x0 + x) + k] =
              static_cast<std::uint8_t>(palette[3 * static_cast<std::size_t>(index) + k]);
      }
    out.push_back(screen);
  }
}

Image plain(int width, int height) {
  Image image{width, height, {}};
  image.pixels.assign(4 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255);
  return image;
}

int worst(const Image& a, const Image& b) {
  int out = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    out = std::max(out, std::abs(static_cast<int>(a.pixels[i]) - static_cast<int>(b.pixels[i])));
  return out;
}

}  // namespace

class TestFilms : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString run_, path_ = qEnvironmentVariable("PATH");

  struct Outcome {
    int code = -1;
    QString out, err;
  };
  Outcome render(const QStringList& arguments) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert("PATH", path_);
    process.setProcessEnvironment(environment);
    process.setWorkingDirectory(folder_.path());
    process.start(QStringLiteral(CONOID_BIN_DIR "/conoid-render"), QStringList{run_} + arguments);
    if (!process.waitForFinished(100000)) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
  }
  std::string text_of(const char* name) const {
    const auto text = read_file(folder_.filePath(name).toStdString(), Bytes{1} << 28);
    return text ? *text : std::string();
  }
  Image picture_of(const char* name) const {
    const auto image = decode_png(text_of(name));
    return image ? *image : Image{};
  }
  /// A program of this name on PATH, alone with the usual ones of the shell.
  void put_ffmpeg(const QByteArray& script) {
    QDir(folder_.path()).mkpath("bin");
    QFile file(folder_.filePath("bin/ffmpeg"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("#!/bin/sh\n" + script);
    file.close();
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    path_ = folder_.filePath("bin") + ":/usr/bin:/bin";
  }

 private slots:
  void initTestCase() {
    if (!QFile::exists(QStringLiteral(CONOID_BIN_DIR "/conoid-render"))) QSKIP("conoid-render is not built");
    if (!fields_can_be_kept()) QSKIP("this build keeps no fields");
    run_ = folder_.filePath("waves");
    const std::filesystem::path path = run_.toStdString();
    std::filesystem::create_directories(path);
    std::ofstream(path / "case.json") << R"({"conoid": 1, "title": "A wave"})";
    auto writer = VtkhdfWriter::create(path, "waves");
    QVERIFY(writer.ok());
    for (int i = 0; i < 5; ++i) {
      auto frame = std::make_shared<Frame>(*sample::wave(0.1 + 0.05 * i, 25));
      frame->number = static_cast<std::uint64_t>(i);
      frame->step = i;
      QVERIFY((*writer)->write(*frame).ok());
    }
    QVERIFY((*writer)->close().ok());
  }
  void init() { path_ = "/nowhere"; }

  void few_colors_come_back_as_they_were() {
    std::mt19937 random(5);
    for (const int colors : {1, 2, 5, 100, 255}) {
      std::vector<Image> written;
      std::string gif = *gif_head(61, 47);
      for (int n = 0; n < 3; ++n) {
        Image image = n == 0 ? plain(61, 47) : written.back();
        // Noise makes the longest codes and the table full many times over.
        for (int y = n == 0 ? 0 : 5; y < 40; ++y)
          for (int x = n == 0 ? 0 : 10; x < 55; ++x) {
            const auto c = static_cast<int>(random() % static_cast<unsigned>(colors));
            auto* p = image.pixels.data() + 4 * static_cast<std::size_t>(61 * y + x);
            p[0] = static_cast<std::uint8_t>(4 * (c % 64));
            p[1] = static_cast<std::uint8_t>(4 * (c / 64));
            p[2] = 8;
          }
        gif += gif_picture(image, written.empty() ? nullptr : &written.back(), 0.1);
        written.push_back(std::move(image));
      }
      const auto read = pictures_of(gif + gif_tail());
      QCOMPARE(read.size(), written.size());
      // 255 colours and the paper are one more than there is room for.
      for (std::size_t i = 0; i < read.size(); ++i) QVERIFY(worst(read[i], written[i]) <= (colors == 255 ? 4 : 0));
    }
  }

  void many_colors_come_back_nearly() {
    Image image = plain(400, 300);
    for (int y = 40; y < 300; ++y)
      for (int x = 0; x < 400; ++x) {
        auto* p = image.pixels.data() + 4 * static_cast<std::size_t>(400 * y + x);
        p[0] = static_cast<std::uint8_t>(x * 255 / 399);
        p[1] = static_cast<std::uint8_t>((y - 40) * 255 / 259);
        p[2] = static_cast<std::uint8_t>(255 - p[0]);
      }
    const auto read = pictures_of(*gif_head(400, 300) + gif_picture(image, nullptr, 0.1) + gif_tail());
    QCOMPARE(read.size(), std::size_t{1});
    // A square of 256 x 256 colours in some 238 boxes, each 17 wide on the mean, halved unevenly at worst.
    QVERIFY2(worst(read[0], image) <= 24, qPrintable(QString::number(worst(read[0], image))));
    // Paper stays paper.
    for (int x = 0; x < 400; ++x) QCOMPARE(int{read[0].at(x, 3)[1]}, 255);
  }

  void a_picture_that_does_not_change_is_small() {
    const Image image = plain(300, 200);
    QVERIFY(gif_picture(image, &image, 0.1).size() < 60);
    QVERIFY(!gif_head(70000, 2).ok());
  }

  void all_frames_become_numbered_pictures_of_one_range_and_camera() {
    const Outcome said = render({"--field", "pressure", "--frames", "all", "--size", "200x150", "-o", "film.png"});
    QVERIFY2(said.code == 0, qPrintable(said.err));
    QVERIFY2(
        said.out.contains("5 pictures of 200 x 150") && said.out.contains("a second") && said.out.contains("colours"),
        qPrintable(said.out));
    for (int i = 1; i <= 5; ++i) {
      const Image image = picture_of(qPrintable(QString("film-%1.png").arg(i, 5, 10, QChar('0'))));
      QCOMPARE(image.width, 200);
    }
    QVERIFY(!QFile::exists(folder_.filePath("film-00006.png")));
    // The third picture of the film is the third frame in the same colours, from the same place.
    const QString colors = said.out.section("colours ", 1).section(" Pa", 0, 0).replace(" to ", ":");
    // A film that the processor draws has one sample a pixel, unless somebody asks for two.
    auto viewport = RasterViewport::make(16, 16, 1);
    QVERIFY(viewport.ok());
    (*viewport)->set_scene(std::make_shared<FieldScene>());
    static_cast<void>((*viewport)->grab());
    const bool software = draws_in_software((*viewport)->renderer_name());
    const auto single = [&](const char* samples) {
      const Outcome one = render({"--field", "pressure", "--frame", "2", "--size", "200x150", "--range", colors,
                                  "--samples", samples, "-o", "one.png"});
      if (one.code != 0) qFatal("%s", qPrintable(one.err));
      return picture_of("one.png");
    };
    // The range is told with four digits.
    QVERIFY(worst(picture_of("film-00003.png"), single(software ? "1" : "2")) <= 8);
    QVERIFY(worst(picture_of("film-00003.png"), single(software ? "2" : "1")) > 40);
    QCOMPARE(render({"--field", "pressure", "--frames", "all", "--size", "200x150", "--samples", "2", "-o", "fine.png"})
                 .code,
             0);
    QVERIFY(worst(picture_of("fine-00003.png"), single("2")) <= 8);
    QVERIFY(worst(picture_of("film-00003.png"), picture_of("film-00004.png")) > 40);
  }

  void a_gif_shows_what_the_pictures_show() {
    const QStringList how{"--field", "pressure", "--frames", "1:3", "--size", "160x120", "--samples", "1"};
    QCOMPARE(render(how + QStringList{"-o", "film.gif"}).code, 0);
    QCOMPARE(render(how + QStringList{"-o", "part.png"}).code, 0);
    const auto read = pictures_of(text_of("film.gif"));
    QCOMPARE(read.size(), std::size_t{3});
    for (int i = 0; i < 3; ++i) {
      const Image exact = picture_of(qPrintable(QString("part-0000%1.png").arg(i + 1)));
      double sum = 0;
      for (std::size_t k = 0; k < exact.pixels.size(); ++k)
        sum += std::abs(static_cast<double>(exact.pixels[k]) -
                        static_cast<double>(read[static_cast<std::size_t>(i)].pixels[k]));
      QVERIFY2(sum / static_cast<double>(exact.pixels.size()) < 1.5, qPrintable(QString::number(sum)));
    }
    QCOMPARE(QDir(folder_.path()).entryList({".film*"}, QDir::Files | QDir::Hidden).size(), 0);
  }

  void ffmpeg_gets_every_pixel() {
    put_ffmpeg("for last; do :; done\necho \"$@\" > words.txt\ncat > \"$last\"\n");
    const Outcome said =
        render({"--field", "pressure", "--frames", "all", "--size", "101x75", "--fps", "12.5", "-o", "film.mp4"});
    QVERIFY2(said.code == 0, qPrintable(said.err));
    QCOMPARE(text_of("film.mp4").size(), std::size_t{5 * 3 * 101 * 75});
    const QString words = QString::fromStdString(text_of("words.txt"));
    for (const char* word : {"-video_size 101x75", "-framerate 12.5", "rgb24", "yuv420p"})
      QVERIFY2(words.contains(word), qPrintable(words));
    // The first pixels are those of the picture.
    QCOMPARE(render({"--field", "pressure", "--frames", "all", "--size", "101x75", "-o", "same.png"}).code, 0);
    const Image image = picture_of("same-00001.png");
    const std::string raw = text_of("film.mp4");
    for (std::size_t i = 0; i < 101 * 75; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        QCOMPARE(static_cast<int>(static_cast<unsigned char>(raw[3 * i + k])), int{image.pixels[4 * i + k]});
  }

  void an_ffmpeg_that_fails_is_quoted() {
    put_ffmpeg("echo 'Unknown encoder libfoo' >&2\nexit 3\n");
    const Outcome said = render({"--field", "pressure", "--frames", "all", "--size", "640x480", "-o", "bad.webm"});
    QCOMPARE(said.code, 4);
    QVERIFY2(said.err.contains("Unknown encoder libfoo") && said.err.contains(".gif"), qPrintable(said.err));
    QVERIFY(!QFile::exists(folder_.filePath("bad.webm")));
    QCOMPARE(QDir(folder_.path()).entryList({".bad*"}, QDir::Files | QDir::Hidden).size(), 0);
  }

  void the_advice_without_ffmpeg_is_true() {
    const Outcome said = render({"--frames", "all", "-o", "film2.mp4"});
    QCOMPARE(said.code, 6);
    QVERIFY2(said.err.contains("apt install ffmpeg") && said.err.contains(".gif"), qPrintable(said.err));
    QCOMPARE(render({"--frames", "all", "--size", "64x48", "-o", "film2.gif"}).code, 0);
  }

  void cuts_and_cameras_are_places() {
    const QStringList how{"--field", "pressure", "--size", "200x150", "-o"};
    QCOMPARE(render(how + QStringList{"top.png", "--camera", "top"}).code, 0);
    QCOMPARE(render(how + QStringList{"plus.png", "--view", "+z"}).code, 0);
    QVERIFY(picture_of("top.png") == picture_of("plus.png"));
    QCOMPARE(render(how + QStringList{"placed.png", "--camera", "2,-3,150cm;0.5,0.5,0.4"}).code, 0);
    QVERIFY(worst(picture_of("top.png"), picture_of("placed.png")) > 40);
    // A cut in the middle alone is not three cuts in the middle; far off the middle it shows other values.
    QCOMPARE(render(how + QStringList{"all.png"}).code, 0);
    QCOMPARE(render(how + QStringList{"cut.png", "--cut", "z=0.2m", "--range", "-2mPa,2mPa"}).code, 0);
    QCOMPARE(render(how + QStringList{"cut2.png", "--cut", "z=0.05", "--range", "-0.002:0.002"}).code, 0);
    QVERIFY(worst(picture_of("all.png"), picture_of("cut.png")) > 40);
    QVERIFY(worst(picture_of("cut.png"), picture_of("cut2.png")) > 40);
  }

  void a_wrong_line_says_what_would_do_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("says");
    QTest::newRow("cut outside") << QStringList{"--cut", "z=7"} << "reaches from";
    QTest::newRow("cut") << QStringList{"--cut", "r=1"} << "z=-300m";
    QTest::newRow("camera") << QStringList{"--camera", "1,2,3"} << "two or three places";
    QTest::newRow("camera in its aim") << QStringList{"--camera", "1,2,3;1,2,3"} << "stands at the point";
    QTest::newRow("up along the sight") << QStringList{"--camera", "0,0,3;0,0,0;0,0,1"} << "line of sight";
    QTest::newRow("two cameras") << QStringList{"--camera", "top", "--view", "+x"} << "--view and --camera";
    QTest::newRow("range") << QStringList{"--range", "1m:2m"} << "LOW:HIGH";
    QTest::newRow("frames") << QStringList{"--frames", "17"} << "0 to 4";
    QTest::newRow("frame, too") << QStringList{"--frames", "all", "--frame", "1"} << "--frame";
    QTest::newRow("samples") << QStringList{"--samples", "9"} << "--samples";
    QTest::newRow("speed") << QStringList{"--frames", "all", "--fps", "0"} << "pictures a second";
  }
  void a_wrong_line_says_what_would_do() {
    QFETCH(QStringList, words);
    QFETCH(QString, says);
    const Outcome said = render(words + QStringList{"-o", "no.png"});
    QVERIFY2(said.code == 2 && said.err.contains(says), qPrintable(QString::number(said.code) + said.err));
  }

  void a_single_picture_is_no_film() {
    const Outcome said = render({"-o", "film.gif"});
    QVERIFY2(said.code == 2 && said.err.contains("--frames all"), qPrintable(said.err));
    QCOMPARE(render({"--frames", "all", "-o", "film.bmp"}).code, 2);
    QCOMPARE(render({"--frames", "all", "-o", "missing/film.gif"}).code, 4);
  }
};

QTEST_APPLESS_MAIN(TestFilms)
#include "test_films.moc"
