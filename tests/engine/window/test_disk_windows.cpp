// SPDX-License-Identifier: BSD-3-Clause
// Windows in a file: scratch and kept, crashes at any write, damage, full disks.
// labels: unit
// links: conoid_window
#include "engine/window/disk_windows.hpp"
#include "tests/engine/window/support.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <fstream>
#include <random>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

using namespace conoid;
using namespace conoid::window_tests;
namespace fs = std::filesystem;

namespace {

const std::vector<Bytes> some_sizes = {5000, 1, 4096, 12288, 700, 8191, 4097, 100};

std::string read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

int files_in(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

/// Writes a version into some windows, in any order, under a small budget.
Status change(Windows& windows, std::mt19937& random, std::vector<int>& version, int to) {
  for (int k = 0; k < 5; ++k) {
    const auto w = static_cast<Index>(random() % version.size());
    auto lease = windows.acquire(w, Access::update);
    if (!lease) return lease.error();
    paint(lease->writable(), w, to);
    version[static_cast<std::size_t>(w)] = to;
  }
  return {};
}

void compare(Windows& windows, const std::vector<int>& version) {
  for (std::size_t w = 0; w < version.size(); ++w) {
    auto lease = windows.acquire(static_cast<Index>(w), Access::read);
    QVERIFY2(lease.ok(), lease.ok() ? "" : lease.error().text.c_str());
    QVERIFY(painted(lease->bytes(), static_cast<Index>(w), version[w]));
  }
}

}  // namespace

class TestDiskWindows : public QObject {
  Q_OBJECT
 private:
  QTemporaryDir folder_;
  fs::path file(const char* name) { return fs::path(folder_.path().toStdString()) / name; }

 private slots:
  void scratch_has_no_name() {
    const fs::path folder = file("scratch");
    fs::create_directory(folder);
    std::mt19937 random(5);
    std::vector<int> version(some_sizes.size(), 0);
    auto windows = DiskWindows::create(some_sizes, {.file = folder / "field", .budget = 20480});
    QVERIFY2(windows.ok(), windows.ok() ? "" : windows.error().text.c_str());
    QCOMPARE(files_in(folder), 0);
    for (int k = 1; k < 60; ++k) QVERIFY(change(**windows, random, version, k).ok());
    compare(**windows, version);
    QVERIFY((*windows)->statistics().saves > 0);
    QVERIFY((*windows)->statistics().loads > 0);
  }

  void commits_are_found_again() {
    std::mt19937 random(6);
    std::vector<int> version(some_sizes.size(), 0), committed;
    for (int round = 1; round < 8; ++round) {
      auto windows = round == 1 ? DiskWindows::create(some_sizes, {.file = file("kept"), .budget = 20480, .keep = true})
                                : DiskWindows::open("round", {.file = file("kept"), .budget = 20480});
      QVERIFY2(windows.ok(), windows.ok() ? "" : windows.error().render().c_str());
      if (round > 1) compare(**windows, version = committed);
      for (int k = 0; k < 3; ++k) {
        QVERIFY(change(**windows, random, version, 10 * round + k).ok());
        if (k < 2) {
          QVERIFY((*windows)->commit("round").ok());
          committed = version;
        }
      }
      QVERIFY((*windows)->flush().ok());  // written, but not committed: not to be found
    }
    const auto other = DiskWindows::open("another", {.file = file("kept"), .budget = 20480});
    QVERIFY(!other.ok());
    QVERIFY(other.error().text.find("made from other data") != std::string::npos);
  }

  void a_crash_at_any_operation_leaves_the_last_commit() {
    int survived = 0;
    for (int stop = 1; stop < 90; stop += 2) {
      std::mt19937 random(static_cast<unsigned>(stop));
      int count = 0;
      bool dead = false;
      auto disk = std::make_shared<FaultyDisk>([&](char what) {
        if (dead) return EIO;
        if (++count < stop) return 0;
        dead = true;
        return what == 'w' ? FaultyDisk::torn : EIO;
      });
      const fs::path name = file("crash");
      std::vector<int> version(some_sizes.size(), 0), committed;
      {
        auto windows = DiskWindows::create(some_sizes, {.file = name, .budget = 16384, .keep = true, .disk = disk});
        if (!windows) continue;
        for (int k = 1; k < 12; ++k) {
          if (!change(**windows, random, version, k)) break;
          if (k % 3 == 0) {
            if (!(*windows)->commit("crash")) break;
            committed = version;
          }
        }
      }
      auto found = DiskWindows::open("crash", {.file = name, .budget = 65536});
      if (committed.empty()) {
        QVERIFY(!found.ok());
        continue;
      }
      QVERIFY2(found.ok(), found.ok() ? "" : found.error().render().c_str());
      compare(**found, committed);
      ++survived;
    }
    QVERIFY2(survived > 15, QByteArray::number(survived));
  }

  void a_killed_program_leaves_its_last_commit() {
#ifdef __SANITIZE_THREAD__
    QSKIP("the thread sanitizer does not follow a fork");
#endif
    std::mt19937 random(8);
    const fs::path name = file("killed");
    for (int round = 0; round < 4; ++round) {
      int pipe_ends[2];
      QCOMPARE(pipe(pipe_ends), 0);
      const pid_t child = fork();
      if (child == 0) {  // commits version after version of all windows until it is killed
        auto windows = DiskWindows::create(some_sizes, {.file = name, .budget = 16384, .keep = true});
        for (int v = 1; windows.ok() && v < 100000; ++v) {
          for (Index w = 0; w < (*windows)->count(); ++w) {
            auto lease = (*windows)->acquire(w, Access::write);
            if (!lease) _exit(1);
            paint(lease->writable(), w, v);
          }
          if (!(*windows)->commit("killed")) _exit(1);
          if (write(pipe_ends[1], &v, sizeof v) != sizeof v) _exit(1);
        }
        _exit(1);
      }
      int told = 0;
      for (int k = 0; k < 3; ++k) QCOMPARE(read(pipe_ends[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
      kill(child, SIGKILL);
      int status = 0;
      waitpid(child, &status, 0);
      QVERIFY(WIFSIGNALED(status));
      ::close(pipe_ends[1]);
      while (read(pipe_ends[0], &told, sizeof told) == static_cast<ssize_t>(sizeof told)) {
      }
      ::close(pipe_ends[0]);
      auto found = DiskWindows::open("killed", {.file = name, .budget = 65536});
      QVERIFY2(found.ok(), found.ok() ? "" : found.error().render().c_str());
      // The last commit may have been made but not told.
      auto first = (*found)->acquire(1, Access::read);
      QVERIFY(first.ok());
      int version = told;
      if (!painted(first->bytes(), 1, version)) ++version;
      first->release();
      compare(**found, std::vector<int>(some_sizes.size(), version));
    }
  }

  void damage_is_named() {
    std::vector<int> version(some_sizes.size(), 3);
    const auto make = [&] {
      auto windows =
          DiskWindows::create(some_sizes, {.name = "field", .file = file("bad"), .budget = 65536, .keep = true});
      QVERIFY(windows.ok());
      for (std::size_t w = 0; w < some_sizes.size(); ++w) {
        auto lease = (*windows)->acquire(static_cast<Index>(w), Access::write);
        QVERIFY(lease.ok());
        paint(lease->writable(), static_cast<Index>(w), 3);
      }
      QVERIFY((*windows)->commit("id").ok());
    };
    make();
    {  // one bit on the way from the disk
      int reads = 0;
      auto disk = std::make_shared<FaultyDisk>([&](char what) {
        return what == 'r' && ++reads == 3 ? FaultyDisk::flip : 0;
      });  // the mark, window 0, window 1
      auto windows = DiskWindows::open("id", {.name = "field", .file = file("bad"), .budget = 65536, .disk = disk});
      QVERIFY(windows.ok());
      QVERIFY((*windows)->acquire(0, Access::read).ok());
      const auto lease = (*windows)->acquire(3, Access::read);
      QVERIFY(!lease.ok());
      QCOMPARE(lease.error().code, ErrorCode::file);
      QVERIFY(lease.error().text.find("window 3 of 'field' is damaged") != std::string::npos);
      QVERIFY((*windows)->acquire(3, Access::read).ok());  // it was the way, not the disk
    }
    {  // a file cut short
      make();
      fs::resize_file(file("bad"), 12288);
      auto windows = DiskWindows::open("id", {.name = "field", .file = file("bad"), .budget = 65536});
      QVERIFY(windows.ok());
      const auto lease = (*windows)->acquire(5, Access::read);
      QVERIFY(!lease.ok());
      QCOMPARE(lease.error().code, ErrorCode::file);
    }
    make();
    const fs::path index = file("bad.index");
    const std::string good = read_text(index);
    const auto message = [&](const std::string& text) {
      std::ofstream(index, std::ios::binary) << text;
      const auto windows = DiskWindows::open("id", {.file = file("bad"), .budget = 65536});
      return windows.ok() ? std::string() : windows.error().text;
    };
    const auto with = [&](const std::string& what, const std::string& by) {
      std::string text = good;
      text.replace(text.find(what), what.size(), by);
      return message(text);
    };
    QCOMPARE(message(good), std::string());
    QVERIFY(message("").find("does not begin as one") != std::string::npos);
    QVERIFY(with("windows 1", "windows 2").find("format 2") != std::string::npos);
    QVERIFY(with("mark ", "bark ").find("no mark") != std::string::npos);
    QVERIFY(with("identity ", "entity ").find("no identity") != std::string::npos);
    QVERIFY(with("checksums 1", "checksums x").find("no word on checksums") != std::string::npos);
    QVERIFY(with("windows 8", "windows 80000000000").find("number of windows") != std::string::npos);
    QVERIFY(with("5000 0", "5000 7").find("window 0 is none") != std::string::npos);
    QVERIFY(with("5000 0", "5001 0").find("checksum does not match") != std::string::npos);
    QVERIFY(message(good.substr(0, good.find("end "))).find("cut off") != std::string::npos);
    for (std::size_t cut = 0; cut < good.size(); cut += 7) QVERIFY(!message(good.substr(0, cut)).empty());
    QCOMPARE(message(good), std::string());
    make();  // new windows, old index put back: they do not belong together
    QVERIFY(message(good).find("do not belong to their index") != std::string::npos);
  }

  void full_disks_are_known_beforehand() {
    auto disk = std::make_shared<FaultyDisk>(FaultyDisk::Fault{});
    disk->free = 20000;
    const auto windows =
        DiskWindows::create(some_sizes, {.name = "field", .file = file("full"), .budget = 65536, .disk = disk});
    QVERIFY(!windows.ok());
    QCOMPARE(windows.error().code, ErrorCode::file);
    QVERIFY(windows.error().text.find("'field' need") != std::string::npos);
    QVERIFY(windows.error().hint.find("Free some space") != std::string::npos);
    QVERIFY(disk_bytes(some_sizes) > 20000 && disk_bytes(some_sizes) % 4096 == 0);

    auto none = std::make_shared<FaultyDisk>([](char what) { return what == 'a' ? ENOSPC : 0; });
    const auto refused =
        DiskWindows::create(some_sizes, {.file = file("full"), .budget = 65536, .keep = true, .disk = none});
    QVERIFY(!refused.ok());
    QVERIFY(refused.error().text.find("reserve the disk space") != std::string::npos);
    QVERIFY(!fs::exists(file("full")));

    const auto nowhere = DiskWindows::create(some_sizes, {.file = "/nonexistent/folder/field", .budget = 65536});
    QVERIFY(!nowhere.ok());
    QCOMPARE(nowhere.error().code, ErrorCode::file);
  }

  void a_disk_that_fills_up_loses_nothing_in_memory() {
    std::mt19937 random(9);
    for (const int code : {ENOSPC, EIO, FaultyDisk::torn}) {
      int writes = 0;
      auto disk = std::make_shared<FaultyDisk>([&](char what) { return what == 'w' && ++writes > 6 ? code : 0; });
      auto windows =
          DiskWindows::create(some_sizes, {.name = "field", .file = file("fills"), .budget = 16384, .disk = disk});
      QVERIFY(windows.ok());
      std::vector<int> version(some_sizes.size(), 0);
      Status status;
      for (int k = 1; k < 100 && status; ++k) status = change(**windows, random, version, k);
      QVERIFY(!status);
      QCOMPARE(status.error().code, ErrorCode::file);
      QVERIFY(status.error().text.find("of 'field'") != std::string::npos);
      QVERIFY(!(*windows)->flush().ok());
    }
  }

  void without_direct_io_it_works_the_same() {
    const fs::path memory = "/dev/shm";
    if (!fs::is_directory(memory) || ::access(memory.c_str(), W_OK) != 0) QSKIP("there is no /dev/shm");
    std::mt19937 random(10);
    auto windows = DiskWindows::create(some_sizes, {.file = memory / "conoid-window-test", .budget = 16384});
    QVERIFY2(windows.ok(), windows.ok() ? "" : windows.error().text.c_str());
    std::vector<int> version(some_sizes.size(), 0);
    for (int k = 1; k < 30; ++k) QVERIFY(change(**windows, random, version, k).ok());
    compare(**windows, version);
  }
};

QTEST_APPLESS_MAIN(TestDiskWindows)
#include "test_disk_windows.moc"
