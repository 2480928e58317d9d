// SPDX-License-Identifier: BSD-3-Clause
// A disk that fills up or fails while fields are written is an error of code `file`; finished frames stay, the run goes on.
// labels: unit
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <random>

#include "engine/io/system_write.hpp"
#include "engine/io/vtkhdf.hpp"
#include "tests/engine/io/sample_frames.hpp"

using namespace conoid;
namespace fs = std::filesystem;

class TestVtkhdfFullDisk : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void any_write_may_fail_data();
  void any_write_may_fail();
  void file_size_limit();
  void small_file_system();
};

namespace {

Frame frame(std::uint64_t f) {
  samples::Sampler sampler(static_cast<unsigned>(7 + f));
  Frame out = samples::Sampler::header(f);
  out.parts.push_back(sampler.image_part("volume", {9, 8, 7}));
  out.parts.push_back(sampler.mesh_part("surface", samples::Sampler::mesh(9, 7, 0.1 * static_cast<double>(f))));
  return out;
}

std::string check(const fs::path& folder, std::uint64_t frames) {
  auto reader = VtkhdfReader::open(folder);
  if (!reader) return frames == 0 ? "" : reader.error().render();
  if ((*reader)->frames().size() < frames) return "too few frames";
  for (std::uint64_t f = 0; f < frames; ++f) {
    const auto read = (*reader)->read(f);
    if (!read) return read.error().render();
    if (const std::string d = samples::difference(frame(f), **read); !d.empty()) return d;
  }
  return {};
}

}  // namespace

void TestVtkhdfFullDisk::initTestCase() {
  if (!fields_can_be_kept()) QSKIP("this build has no HDF5");
}

void TestVtkhdfFullDisk::any_write_may_fail_data() {
  QTest::addColumn<int>("fault");
  QTest::newRow("no space") << ENOSPC;
  QTest::newRow("input/output error") << EIO;
  QTest::newRow("short write") << short_write;
}

void TestVtkhdfFullDisk::any_write_may_fail() {
  QFETCH(int, fault);
  std::mt19937 random(3);
  constexpr std::uint64_t frames = 4;
  int writes = 0;
  {
    QTemporaryDir folder;
    set_write_fault([&](std::size_t) { return ++writes, 0; });
    auto writer = VtkhdfWriter::create(folder.path().toStdString(), "run");
    for (std::uint64_t f = 0; f < frames; ++f) QVERIFY((*writer)->write(frame(f)).ok());
    set_write_fault({});
  }
  for (int k = 0; k < 30; ++k) {
    const int failing = 1 + k * writes / 30 + static_cast<int>(random() % static_cast<unsigned>(writes / 30));
    QTemporaryDir folder;
    const fs::path path = folder.path().toStdString();
    int n = 0;
    // Once full, it stays full.
    set_write_fault([&](std::size_t) { return ++n >= failing ? fault : 0; });
    std::uint64_t finished = 0;
    {
      auto writer = VtkhdfWriter::create(path, "run");
      Status s;
      while (finished < frames && (s = (*writer)->write(frame(finished)))) ++finished;
      QVERIFY2(!s.ok() || failing > n, std::to_string(failing).c_str());
      if (!s.ok()) {
        QCOMPARE(s.error().code, ErrorCode::file);
        QVERIFY(!(*writer)->write(frame(finished + 1)).ok());
        QCOMPARE((*writer)->frames(), finished);
        QVERIFY(!(*writer)->close().ok());
      }
    }
    set_write_fault({});
    const std::string wrong = check(path, finished);
    QVERIFY2(wrong.empty(), (std::to_string(failing) + ": " + wrong).c_str());
    auto writer = VtkhdfWriter::resume(path, "run", finished);
    QVERIFY2(writer.ok(), writer.ok() ? "" : writer.error().render().c_str());
    for (std::uint64_t f = finished; f < frames; ++f) QVERIFY((*writer)->write(frame(f)).ok());
    QVERIFY((*writer)->close().ok());
    QCOMPARE(check(path, frames), std::string());
  }
}

// The system itself refuses: no file of this process may grow beyond a limit.
void TestVtkhdfFullDisk::file_size_limit() {
  QTemporaryDir folder;
  const fs::path path = folder.path().toStdString();
  int ends[2];
  QCOMPARE(::pipe(ends), 0);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{3000000, 3000000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    auto writer = VtkhdfWriter::create(path, "run");
    std::uint64_t finished = 0;
    while (finished < 10000) {
      const Status s = (*writer)->write(frame(finished));
      if (!s.ok()) {
        const bool good = s.error().code == ErrorCode::file && s.error().text.find("results") != std::string::npos;
        if (::write(ends[1], &finished, sizeof finished) != sizeof finished) ::_exit(5);
        writer->reset();
        ::_exit(good ? 0 : 4);
      }
      ++finished;
    }
    ::_exit(3);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  QVERIFY(WIFEXITED(status));
  QCOMPARE(WEXITSTATUS(status), 0);
  std::uint64_t finished = 0;
  QCOMPARE(::read(ends[0], &finished, sizeof finished), ssize_t{sizeof finished});
  ::close(ends[0]);
  ::close(ends[1]);
  QVERIFY(finished > 1);
  QCOMPARE(check(path, finished), std::string());
}

void TestVtkhdfFullDisk::small_file_system() {
  QTemporaryDir folder;
  const fs::path path = folder.path().toStdString();
  if (::mount("tmpfs", path.c_str(), "tmpfs", 0, "size=512k") != 0)
    QSKIP("mounting a small file system is not allowed here");
  std::uint64_t finished = 0;
  Status s;
  {
    auto writer = VtkhdfWriter::create(path, "run");
    while (finished < 10000 && (s = (*writer)->write(frame(finished)))) ++finished;
  }
  const std::string wrong = check(path, finished);
  ::umount(path.c_str());
  QVERIFY(!s.ok());
  QCOMPARE(s.error().code, ErrorCode::file);
  QVERIFY(s.error().hint.find("full") != std::string::npos);
  QVERIFY(finished > 1);
  QCOMPARE(wrong, std::string());
}

QTEST_APPLESS_MAIN(TestVtkhdfFullDisk)
#include "test_vtkhdf_full_disk.moc"
