// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints load on any number of ranks, and a damaged, cut or unfinished one is named and skipped for the one before.
// labels: unit
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "engine/io/checkpoint_store.hpp"
#include "engine/io/held_checkpoint.hpp"
#include "engine/io/system_write.hpp"

using namespace conoid;
namespace fs = std::filesystem;

class TestCheckpointStore : public QObject {
  Q_OBJECT
 private slots:
  void loads_on_other_numbers_of_ranks();
  void gaps_and_overlaps_are_refused();
  void keeps_the_newest();
  void damage_is_named_and_skipped_data();
  void damage_is_named_and_skipped();
  void every_flipped_byte_is_found();
  void dies_at_a_write();
  void full_disk_leaves_the_one_before();
  void given_up_leaves_the_one_before();
  void wrong_requests_are_errors();
  void same_step_again();
  void other_versions_are_refused();
  void copies_leave_the_same_bytes();
  void a_link_in_its_place_is_told_at_whatever_moment();

 private:
  static fs::path path(const QTemporaryDir& folder) { return folder.path().toStdString(); }
};

namespace {

constexpr Index entries = 10007;

double value_at(Index i, Index step) {
  return static_cast<double>(i) * 1.25 + static_cast<double>(step) * 1e6;
}

// A state of `step`, cut into `ranks` contiguous shares, each written in two pieces.
Status write_checkpoint(const CheckpointStore& store, Index step, int ranks, Index size = entries) {
  if (Status s = store.prepare(step); !s) return s;
  for (int r = 0; r < ranks; ++r) {
    auto writer = store.writer(step, r, ranks);
    if (!writer) return writer.error();
    const Index begin = size * r / ranks;
    const Index end = size * (r + 1) / ranks;
    const Index middle = (begin + end) / 2;
    std::vector<double> values;
    for (Index i = begin; i < end; ++i) values.push_back(value_at(i, step));
    const std::span<const double> all(values);
    (*writer)->piece("field", size, middle, all.subspan(static_cast<std::size_t>(middle - begin)));
    (*writer)->piece("field", size, begin, all.first(static_cast<std::size_t>(middle - begin)));
    (*writer)->value("step", step);
    const std::string text = "note of " + std::to_string(step);
    (*writer)->shared("text", std::span<const char>(text));
    (*writer)->piece("empty", 0, 0, std::span<const int>());
    if (Status s = (*writer)->close(); !s) return s;
  }
  return store.commit(step, ranks);
}

std::string check_checkpoint(const CheckpointReader& reader, Index step, int ranks, Index size = entries) {
  for (int r = 0; r < ranks; ++r) {
    const Index begin = size * r / ranks;
    std::vector<double> values(static_cast<std::size_t>(size * (r + 1) / ranks - begin));
    reader.range<double>("field", begin, values);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (values[i] != value_at(begin + static_cast<Index>(i), step)) return "value " + std::to_string(i);
  }
  if (reader.value<Index>("step") != step) return "step";
  const auto text = reader.all<char>("text");
  if (std::string(text.begin(), text.end()) != "note of " + std::to_string(step)) return "text";
  if (reader.length("empty") != 0 || reader.length("nothing") != -1) return "lengths";
  return {};
}

void flip(const fs::path& file, std::uintmax_t position, unsigned char mask) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekg(static_cast<std::streamoff>(position));
  const char c = static_cast<char>(f.get() ^ mask);
  f.seekp(static_cast<std::streamoff>(position));
  f.put(c);
}

}  // namespace

void TestCheckpointStore::loads_on_other_numbers_of_ranks() {
  std::mt19937 random(1);
  for (const int ranks : {1, 2, 1, 3, 7}) {
    QTemporaryDir folder;
    const CheckpointStore store(path(folder));
    const Index size = 1 + static_cast<Index>(random() % 20000);
    QVERIFY(write_checkpoint(store, 40, ranks, size).ok());
    for (const int readers : {1, 2, 5}) {
      auto reader = store.open(40);
      QVERIFY2(reader.ok(), reader.ok() ? "" : reader.error().render().c_str());
      QCOMPARE(check_checkpoint(**reader, 40, readers, size), std::string());
    }
  }
}

void TestCheckpointStore::gaps_and_overlaps_are_refused() {
  for (const Index begin : {Index{49}, Index{51}}) {
    QTemporaryDir folder;
    const CheckpointStore store(path(folder));
    QVERIFY(store.prepare(1).ok());
    const std::vector<float> values(60);
    for (int r = 0; r < 2; ++r) {
      auto writer = store.writer(1, r, 2);
      QVERIFY(writer.ok());
      (*writer)->piece("u", 100, r == 0 ? 0 : begin,
                       std::span<const float>(values).first(r == 0 ? 50 : static_cast<std::size_t>(100 - begin)));
      QVERIFY((*writer)->close().ok());
    }
    const Status s = store.commit(1, 2);
    QVERIFY(!s.ok());
    QVERIFY(s.error().text.find("'u'") != std::string::npos);
    QVERIFY(!store.newest_valid().step.has_value());
  }
}

void TestCheckpointStore::keeps_the_newest() {
  QTemporaryDir folder;
  const CheckpointStore store(path(folder), 3);
  for (Index step = 10; step <= 60; step += 10) QVERIFY(write_checkpoint(store, step, 2).ok());
  QCOMPARE(store.steps(), (std::vector<Index>{60, 50, 40}));
  QCOMPARE(store.newest_valid().step.value_or(-1), Index{60});
  // An unfinished one does not count and goes with the next commit.
  QVERIFY(store.prepare(70).ok());
  QCOMPARE(store.newest_valid().step.value_or(-1), Index{60});
  QVERIFY(store.newest_valid().diagnostics.empty());
  QVERIFY(write_checkpoint(store, 80, 1).ok());
  QVERIFY(!fs::exists(path(folder) / "step-000000000070.part"));
  // The run goes back: what lies ahead of it is no longer true.
  QVERIFY(write_checkpoint(store, 55, 1).ok());
  QCOMPARE(store.newest_valid().step.value_or(-1), Index{55});
}

void TestCheckpointStore::damage_is_named_and_skipped_data() {
  QTest::addColumn<QString>("what");
  for (const char* what : {"flip data", "flip manifest", "cut data", "cut manifest", "no manifest", "no data",
                           "empty data", "empty manifest", "manifest is a folder", "manifest is other json"})
    QTest::newRow(what) << what;
}

void TestCheckpointStore::damage_is_named_and_skipped() {
  QFETCH(QString, what);
  QTemporaryDir folder;
  const CheckpointStore store(path(folder), 3);
  QVERIFY(write_checkpoint(store, 100, 2).ok());
  QVERIFY(write_checkpoint(store, 200, 2).ok());
  const fs::path newest = store.folder_of(200);
  const fs::path data = newest / "rank-1.bin";
  const fs::path manifest = newest / "manifest.json";
  if (what == "flip data") flip(data, 1000, 0x10);
  if (what == "flip manifest") flip(manifest, fs::file_size(manifest) / 2, 0x01);
  if (what == "cut data") fs::resize_file(data, fs::file_size(data) / 2);
  if (what == "cut manifest") fs::resize_file(manifest, fs::file_size(manifest) / 2);
  if (what == "no manifest") fs::remove(manifest);
  if (what == "no data") fs::remove(data);
  if (what == "empty data") fs::resize_file(data, 0);
  if (what == "empty manifest") fs::resize_file(manifest, 0);
  if (what == "manifest is a folder") {
    fs::remove(manifest);
    fs::create_directory(manifest);
  }
  if (what == "manifest is other json") std::ofstream(manifest) << "{\"crc32c\":-1,\"body\":[]}";
  const auto found = store.newest_valid();
  QCOMPARE(found.step.value_or(-1), Index{100});
  QCOMPARE(found.diagnostics.size(), std::size_t{1});
  QVERIFY(found.diagnostics[0].text.find("step 200") != std::string::npos);
  QCOMPARE(found.diagnostics[0].severity, Severity::warning);
  auto reader = store.open(100);
  QVERIFY(reader.ok());
  QCOMPARE(check_checkpoint(**reader, 100, 3), std::string());
  QVERIFY(!store.open(200).ok());
}

void TestCheckpointStore::every_flipped_byte_is_found() {
  QTemporaryDir folder;
  const CheckpointStore store(path(folder));
  QVERIFY(write_checkpoint(store, 7, 2, 50).ok());
  // The rank file's index serves the commit only; its data and all of the manifest are guarded.
  const fs::path manifest = store.folder_of(7) / "manifest.json";
  const fs::path data = store.folder_of(7) / "rank-0.bin";
  int harmless = 0;
  for (std::uintmax_t p = 0; p + 2 < fs::file_size(manifest); ++p) {
    flip(manifest, p, 0x04);
    const auto reader = store.open(7);
    // A flipped blank or an escape that means the same is no damage; the state must be right then.
    if (reader.ok()) {
      ++harmless;
      QCOMPARE(check_checkpoint(**reader, 7, 1, 50), std::string());
    }
    flip(manifest, p, 0x04);
  }
  QVERIFY(harmless < 10);
  for (std::uintmax_t p = 8; p < 8 + 25 * sizeof(double); ++p) {
    flip(data, p, 0x80);
    QVERIFY2(!store.open(7).ok(), std::to_string(p).c_str());
    flip(data, p, 0x80);
  }
  QVERIFY(store.open(7).ok());
}

void TestCheckpointStore::dies_at_a_write() {
  std::mt19937 random(3);
  for (int k = 0; k < 20; ++k) {
    QTemporaryDir folder;
    const CheckpointStore store(path(folder));
    QVERIFY(write_checkpoint(store, 1, 2).ok());
    const unsigned last = 1 + static_cast<unsigned>(k) % 6;
    const unsigned delay = static_cast<unsigned>(random() % 3000);
    const pid_t pid = ::fork();
    if (pid == 0) {
      unsigned n = 0;
      if (k % 2 == 0)
        set_write_fault([&](std::size_t) {
          if (++n == last) ::_exit(9);
          return 0;
        });
      for (Index step = 2; step < 100000; ++step)
        if (!write_checkpoint(store, step, 2).ok()) ::_exit(8);
      ::_exit(7);
    }
    if (k % 2 == 1) {
      ::usleep(500 + delay * 10);
      ::kill(pid, SIGKILL);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    const auto found = store.newest_valid();
    QVERIFY(found.step.has_value());
    QVERIFY2(found.diagnostics.empty(), found.diagnostics.empty() ? "" : found.diagnostics[0].render().c_str());
    auto reader = store.open(*found.step);
    QVERIFY(reader.ok());
    QCOMPARE(check_checkpoint(**reader, *found.step, 2), std::string());
    QVERIFY(write_checkpoint(store, *found.step + 1, 1).ok());
  }
}

void TestCheckpointStore::full_disk_leaves_the_one_before() {
  for (const int fault : {ENOSPC, EIO, short_write}) {
    QTemporaryDir folder;
    const CheckpointStore store(path(folder));
    QVERIFY(write_checkpoint(store, 1, 2).ok());
    int n = 0;
    set_write_fault([&](std::size_t) { return ++n == 2 ? fault : 0; });
    const Status s = write_checkpoint(store, 2, 2);
    set_write_fault({});
    QVERIFY(!s.ok());
    QCOMPARE(s.error().code, ErrorCode::file);
    store.abandon(2);
    QCOMPARE(store.newest_valid().step.value_or(-1), Index{1});
    QVERIFY(store.newest_valid().diagnostics.empty());
    QVERIFY(write_checkpoint(store, 3, 2).ok());
    QCOMPARE(store.newest_valid().step.value_or(-1), Index{3});
  }
}

void TestCheckpointStore::given_up_leaves_the_one_before() {
  QTemporaryDir folder;
  const CheckpointStore store(path(folder));
  QVERIFY(write_checkpoint(store, 1, 1).ok());
  QVERIFY(store.prepare(2).ok());
  int asked = 0;
  auto writer = store.writer(2, 0, 1, [&] { return ++asked == 4; });
  QVERIFY(writer.ok());
  const std::vector<double> large(std::size_t{8} << 20, 1.5);  // 64 MiB
  (*writer)->shared("large", std::span<const double>(large));
  QCOMPARE(asked, 4);
  const Status s = (*writer)->close();
  QVERIFY(!s.ok() && s.error().code == ErrorCode::stopped);
  writer->reset();
  store.abandon(2);
  QCOMPARE(store.newest_valid().step.value_or(-1), Index{1});
  QVERIFY(store.newest_valid().diagnostics.empty());
}

void TestCheckpointStore::wrong_requests_are_errors() {
  QTemporaryDir folder;
  const CheckpointStore store(path(folder));
  QVERIFY(!store.newest_valid().step.has_value());
  QVERIFY(write_checkpoint(store, 5, 1).ok());
  auto reader = store.open(5, CheckpointCheck::manifest);
  QVERIFY(reader.ok());
  std::vector<double> two(2);
  std::vector<float> floats(2);
  const auto refused = [&](auto&& ask, const char* word) {
    try {
      ask();
    } catch (const Failure& failure) {
      return failure.error().code == ErrorCode::file && failure.error().text.find(word) != std::string::npos;
    }
    return false;
  };
  QVERIFY(refused([&] { (*reader)->range<double>("field", entries - 1, two); }, "field"));
  QVERIFY(refused([&] { (*reader)->range<double>("field", -1, two); }, "field"));
  QVERIFY(refused([&] { (*reader)->range<float>("field", 0, floats); }, "4 bytes"));
  QVERIFY(refused([&] { (*reader)->range<double>("other", 0, two); }, "other"));
  (*reader)->range<double>("field", entries - 2, two);
  QCOMPARE(two[1], value_at(entries - 1, 5));
  QVERIFY(!store.open(6).ok());
}

void TestCheckpointStore::same_step_again() {
  QTemporaryDir folder;
  const CheckpointStore store(path(folder), 1);
  for (int k = 0; k < 3; ++k) QVERIFY(write_checkpoint(store, 5, 1 + k).ok());
  QCOMPARE(store.steps(), std::vector<Index>{5});
  auto reader = store.open(5);
  QVERIFY(reader.ok());
  QCOMPARE(check_checkpoint(**reader, 5, 2), std::string());
}

void TestCheckpointStore::other_versions_are_refused() {
  // A whole checkpoint of a format of the future, kept as a file.
  const fs::path stored = fs::path(CONOID_TEST_DATA) / "io" / "checkpoint-format-99";
  const auto reader = CheckpointStore::open_folder(stored);
  QVERIFY(!reader.ok());
  QVERIFY2(reader.error().text.find("format 99") != std::string::npos, reader.error().render().c_str());
  const auto first = CheckpointStore::open_folder(fs::path(CONOID_TEST_DATA) / "io" / "checkpoint-format-1");
  QVERIFY2(first.ok(), first.ok() ? "" : first.error().render().c_str());
  QCOMPARE(check_checkpoint(**first, 12, 2, 20), std::string());
}

/// Copied whole, given up in the middle for lack of room, and not copied at all: the file is the same.
void TestCheckpointStore::copies_leave_the_same_bytes() {
  const QTemporaryDir folder;
  const CheckpointStore store(path(folder));
  std::vector<double> values(3 << 18);  // 6 MiB, more than is gathered before it is written
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));
  std::string known;
  for (const Bytes room : {Bytes{0}, Bytes{1000}, Bytes{1} << 30}) {
    QVERIFY(store.prepare(1).ok());
    auto file = store.writer(1, 0, 1);
    QVERIFY(file.ok());
    HeldCheckpoint held(std::move(*file), true, room);
    const std::vector<int> few{1, 2, 3};
    held.shared<int>("few", few);
    held.piece("none", 0, 0, std::span<const int>());
    QCOMPARE(held.holds(), room > 0);
    std::vector<double> changed = values;
    held.piece("many", static_cast<Index>(values.size()), 0, std::span<const double>(changed));
    QCOMPARE(held.holds(), room > 1000);
    std::fill(changed.begin(), changed.end(), 0.0);  // the solver goes on
    held.value("last", 7);
    QCOMPARE(held.saved(), Bytes{values.size() * 8 + 12 + 4});
    QVERIFY(held.write().ok());
    std::ifstream in(path(folder) / "step-000000000001.part/rank-0.bin", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    QVERIFY(bytes.size() > values.size() * 8);
    if (room > 0) QVERIFY(bytes == known);
    known = bytes;
    QVERIFY(store.commit(1, 1).ok());
  }
}

// The folder is exchanged for a link while a checkpoint is written, each time at another moment.
void TestCheckpointStore::a_link_in_its_place_is_told_at_whatever_moment() {
  int refused = 0;
  std::mt19937 random(7);
  for (int round = 0; round < 120; ++round) {
    const QTemporaryDir scratch;
    const fs::path folder = path(scratch) / "checkpoints", theirs = path(scratch) / "theirs";
    fs::create_directories(theirs);
    fs::create_directory_symlink(theirs, path(scratch) / "link");
    const CheckpointStore store(folder);
    QVERIFY(write_checkpoint(store, 1, 1, 10));
    std::atomic<bool> begun = false;
    std::thread other([&, wait = std::chrono::microseconds(random() % 700)] {
      while (!begun) {
      }
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < wait) {
      }
      if (::renameat2(AT_FDCWD, (path(scratch) / "link").c_str(), AT_FDCWD, folder.c_str(), RENAME_EXCHANGE) != 0)
        std::abort();
    });
    begun = true;
    const Status written = write_checkpoint(store, 2, 1, 10);
    other.join();
    if (written) continue;
    ++refused;
    QVERIFY2(written.error().text.find("has become a link") != std::string::npos, written.error().render().c_str());
    QVERIFY2(written.error().hint.find("conoid resume") != std::string::npos, written.error().render().c_str());
  }
  QVERIFY2(refused > 10, std::to_string(refused).c_str());
}

QTEST_APPLESS_MAIN(TestCheckpointStore)
#include "test_checkpoint_store.moc"
