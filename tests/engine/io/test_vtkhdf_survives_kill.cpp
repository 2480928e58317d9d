// SPDX-License-Identifier: BSD-3-Clause
// A writer that dies at any write, or is killed at any moment, leaves every finished frame readable and can be continued.
// labels: unit
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <functional>
#include <random>

#include "engine/io/system_write.hpp"
#include "engine/io/vtkhdf.hpp"
#include "tests/engine/io/sample_frames.hpp"

using namespace conoid;
namespace fs = std::filesystem;

class TestVtkhdfSurvivesKill : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void dies_at_a_write();
  void dies_while_the_index_grows();
  void killed_at_random_moments();

 private:
  // A counter that parent and child share.
  struct Shared {
    std::atomic<std::uint64_t> frames = 0;
    std::atomic<std::uint64_t> writes = 0;
  };
  Shared* shared_ = nullptr;

  // Runs `body` in a child; true if it ended by itself with exit code 0.
  static bool in_child(const std::function<void()>& body);
  // All frames that were finished are there and hold what was written; empty, or what is wrong.
  std::string check(const fs::path& folder, const std::function<Frame(std::uint64_t)>& frame,
                    std::uint64_t least) const;
};

void TestVtkhdfSurvivesKill::initTestCase() {
  if (!fields_can_be_kept()) QSKIP("this build has no HDF5");
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  QVERIFY(memory != MAP_FAILED);
  shared_ = new (memory) Shared;
}

bool TestVtkhdfSurvivesKill::in_child(const std::function<void()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static FramePart same_part(const Frame& frame, const std::string& name) {
  for (const auto& part : frame.parts)
    if (part.name == name) return part;
  return {};
}

std::string TestVtkhdfSurvivesKill::check(const fs::path& folder, const std::function<Frame(std::uint64_t)>& frame,
                                          std::uint64_t least) const {
  auto reader = VtkhdfReader::open(folder);
  if (!reader)
    return least == 0 && reader.error().text.find("kept no fields") != std::string::npos ? "" : reader.error().render();
  if ((*reader)->frames().size() < least)
    return std::to_string((*reader)->frames().size()) + " frames, finished were " + std::to_string(least);
  for (std::uint64_t f = 0; f < least; ++f) {
    const auto read = (*reader)->read(f);
    if (!read) return read.error().render();
    Frame expected = frame(f);
    // A late field shows "no value" in frames before it; whether it is there yet is open.
    for (auto& part : expected.parts)
      std::erase_if(part.fields, [&](const Field& field) {
        return std::isnan(field.values->front()) && !samples::find(same_part(**read, part.name), field);
      });
    const std::string what = samples::difference(expected, **read);
    if (!what.empty()) return "frame " + std::to_string(f) + ": " + what;
  }
  return {};
}

namespace {

// Frame f as it reads back, the same whoever makes it: an image, a moving mesh, and a field that joins at frame 2.
Frame small_frame(std::uint64_t f) {
  samples::Sampler sampler(static_cast<unsigned>(100 + f));
  Frame frame = samples::Sampler::header(f);
  frame.parts.push_back(sampler.image_part("volume", {7, 6, 5}));
  frame.parts.push_back(sampler.mesh_part("surface", samples::Sampler::mesh(5, 6, 0.1 * static_cast<double>(f))));
  if (f >= 2) return frame;
  for (auto& part : frame.parts) {
    Field& late = part.fields.front();
    late = make_field(late.info, std::vector<float>(late.values->size(), std::numeric_limits<float>::quiet_NaN()));
  }
  return frame;
}

// The same as it is written: without the late field at first.
Frame without_late(Frame frame) {
  for (auto& part : frame.parts)
    std::erase_if(part.fields, [](const Field& field) { return std::isnan(field.values->front()); });
  return frame;
}

// One field whose every frame is a chunk of its own.
Frame chunk_frame(std::uint64_t f) {
  Frame frame = samples::Sampler::header(f);
  samples::Sampler sampler(static_cast<unsigned>(f));
  ImageGeometry grid{{129, 33, 8}, {}, {1, 1, 1}};
  std::vector<float> values(129 * 33 * 8);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 977) + 1000.0f * static_cast<float>(f);
  frame.parts.push_back(
      {"volume",
       grid,
       {make_field({"p", "Pa", FieldKind::signed_value, Association::point, 1, false, ""}, std::move(values))}});
  return frame;
}

}  // namespace

void TestVtkhdfSurvivesKill::dies_at_a_write() {
  constexpr std::uint64_t frames = 4;
  auto run = [&](const fs::path& folder, std::uint64_t last_write) {
    shared_->frames = 0;
    shared_->writes = 0;
    set_write_fault([&, last_write](std::size_t) {
      if (++shared_->writes == last_write) ::_exit(9);
      return 0;
    });
    auto writer = VtkhdfWriter::create(folder, "run");
    for (std::uint64_t f = 0; f < frames; ++f) {
      if (!(*writer)->write(without_late(small_frame(f))).ok()) ::_exit(8);
      ++shared_->frames;
    }
    if (!(*writer)->close().ok()) ::_exit(7);
  };
  QTemporaryDir whole;
  QVERIFY(in_child([&] { run(whole.path().toStdString(), 0); }));
  const std::uint64_t writes = shared_->writes;
  QVERIFY(writes > 100);
  QCOMPARE(check(whole.path().toStdString(), small_frame, frames), std::string());
  // Stratified: one random write of each of 120 stretches of equal length.
  std::mt19937 random(4);
  for (std::uint64_t k = 0; k < 120; ++k) {
    const std::uint64_t last = 1 + k * writes / 120 + random() % std::max<std::uint64_t>(writes / 120, 1);
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    QVERIFY(!in_child([&] { run(path, last); }));
    const std::uint64_t finished = shared_->frames;
    const std::string wrong = check(path, small_frame, finished);
    QVERIFY2(wrong.empty(), ("write " + std::to_string(last) + ": " + wrong).c_str());
    if (k % 6 != 0) continue;
    // And the run goes on from there.
    auto writer = VtkhdfWriter::resume(path, "run", finished);
    QVERIFY2(writer.ok(), writer.ok() ? "" : writer.error().render().c_str());
    QCOMPARE((*writer)->frames(), finished);
    for (std::uint64_t f = finished; f < frames; ++f) QVERIFY((*writer)->write(without_late(small_frame(f))).ok());
    QVERIFY((*writer)->close().ok());
    QCOMPARE(check(path, small_frame, frames), std::string());
  }
}

// HDF5 cuts the nodes of its index of chunks at 64 entries, and inner ones from about the 122nd chunk on.
void TestVtkhdfSurvivesKill::dies_while_the_index_grows() {
  constexpr std::uint64_t before = 56;
  constexpr std::uint64_t after = 134;
  QTemporaryDir start;
  auto writer = VtkhdfWriter::create(start.path().toStdString(), "run");
  for (std::uint64_t f = 0; f < before; ++f) QVERIFY((*writer)->write(chunk_frame(f)).ok());
  QVERIFY((*writer)->close().ok());
  auto run = [&](const fs::path& folder, std::uint64_t last_write) {
    shared_->frames = before;
    shared_->writes = 0;
    set_write_fault([&, last_write](std::size_t) {
      if (++shared_->writes == last_write) ::_exit(9);
      return 0;
    });
    auto again = VtkhdfWriter::resume(folder, "run", before);
    for (std::uint64_t f = before; f < after; ++f) {
      if (!(*again)->write(chunk_frame(f)).ok()) ::_exit(8);
      ++shared_->frames;
    }
  };
  auto copied = [&](const QTemporaryDir& folder) {
    const fs::path path = fs::path(folder.path().toStdString()) / "run";
    fs::copy(start.path().toStdString(), path, fs::copy_options::recursive);
    return path;
  };
  std::uint64_t writes = 0;
  {
    QTemporaryDir folder;
    const fs::path path = copied(folder);
    QVERIFY(in_child([&] { run(path, 0); }));
    writes = shared_->writes;
    QCOMPARE(check(path, chunk_frame, after), std::string());
  }
  // Every write near the frames in which a leaf and then an inner leaf are cut, and some others.
  const double per_frame = static_cast<double>(writes) / static_cast<double>(after - before);
  const auto write_of = [&](double frame) { return static_cast<std::uint64_t>((frame - before) * per_frame) + 1; };
  std::vector<std::uint64_t> lasts;
  for (std::uint64_t w = write_of(63.5); w < write_of(65.5); ++w) lasts.push_back(w);
  for (std::uint64_t w = write_of(120.5); w < write_of(122.5); ++w) lasts.push_back(w);
  std::mt19937 random(5);
  for (int k = 0; k < 8; ++k) lasts.push_back(write_of(57.0 + static_cast<double>(random() % 76000) * 1e-3));
  for (const std::uint64_t last : lasts) {
    QTemporaryDir folder;
    const fs::path path = copied(folder);
    QVERIFY(!in_child([&] { run(path, last); }));
    const std::string wrong = check(path, chunk_frame, shared_->frames);
    QVERIFY2(wrong.empty(), ("write " + std::to_string(last) + ": " + wrong).c_str());
  }
}

void TestVtkhdfSurvivesKill::killed_at_random_moments() {
  const auto writes = [&](const fs::path& path, std::uint64_t frames) {
    auto writer = VtkhdfWriter::create(path, "run");
    for (std::uint64_t f = 0; f < frames; ++f) {
      if (!(*writer)->write(without_late(small_frame(f))).ok()) ::_exit(8);
      ++shared_->frames;
    }
  };
  // Moments within the time that some frames take here: a sanitizer makes it ten times as long.
  QElapsedTimer some;
  some.start();
  {
    QTemporaryDir folder;
    QVERIFY(in_child([&] { writes(folder.path().toStdString(), 8); }));
  }
  const auto within = static_cast<unsigned>(std::clamp<qint64>(some.nsecsElapsed() / 1000, 40000, 900000));
  std::mt19937 random(6);
  std::uint64_t most = 0;
  for (int k = 0; k < 24; ++k) {
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    shared_->frames = 0;
    const pid_t pid = ::fork();
    if (pid == 0) {
      writes(path, 100000);
      ::_exit(7);
    }
    ::usleep(1000 + random() % within);
    ::kill(pid, SIGKILL);
    int status = 0;
    ::waitpid(pid, &status, 0);
    QVERIFY(WIFSIGNALED(status));
    const std::uint64_t finished = shared_->frames;
    most = std::max(most, finished);
    const std::string wrong = check(path, small_frame, finished);
    QVERIFY2(wrong.empty(), wrong.c_str());
  }
  QVERIFY2(most >= 2, "no writer got further than one frame");
}

QTEST_APPLESS_MAIN(TestVtkhdfSurvivesKill)
#include "test_vtkhdf_survives_kill.moc"
