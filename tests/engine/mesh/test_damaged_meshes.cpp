// SPDX-License-Identifier: BSD-3-Clause
// Thousands of damaged files: flipped bytes, cut ends, absurd counts, exchanged pieces. Each gives an error with a text or a
// sound mesh; memory stays below the limit.
// labels: unit
#include "engine/core/atomic_file.hpp"
#include "engine/mesh/quality.hpp"
#include "engine/mesh/readers/read_mesh.hpp"
#include "engine/mesh/topology.hpp"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <map>
#include <random>

#include <sys/resource.h>

using namespace conoid;

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t cuts = 60;
#else
constexpr std::size_t cuts = 300;
#endif

struct Seed {
  std::string name;
  std::string bytes;
};

using Reader = Result<Mesh> (*)(std::string_view, const std::string&, const ReadOptions&);
const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> table{{".msh", read_msh}, {".stl", read_stl},     {".obj", read_obj},
                                                   {".ply", read_ply}, {".bdf", read_nastran}, {".mesh", read_mfem}};
  return table;
}

std::vector<Seed> seeds() {
  std::vector<Seed> out;
  for (const char* folder :
       {"/mesh", "/fuzz/mesh_stl", "/fuzz/mesh_obj", "/fuzz/mesh_ply", "/fuzz/mesh_nastran", "/fuzz/mesh_mfem"})
    for (const auto& entry : std::filesystem::directory_iterator(std::string(CONOID_TEST_DATA) + folder)) {
      const std::string ending = entry.path().extension();
      const std::string name = entry.path().filename();
      if (readers().contains(ending) && !name.starts_with("refused") && !name.starts_with("crash"))
        out.push_back({entry.path().filename(), *read_file(entry.path())});
    }
  std::sort(out.begin(), out.end(), [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return out;
}

/// Errors by the name of the file, so that a failing mutation can be found again.
void check(const Seed& seed, const std::string& bytes, const std::string& what, int* errors) {
  const ReadOptions options{.memory_limit = Bytes{32} << 20};
  const auto mesh = readers().at(std::filesystem::path(seed.name).extension())(bytes, seed.name, options);
  if (!mesh) {
    ++*errors;
    const Error& e = mesh.error();
    QVERIFY2(!e.text.empty() && !e.hint.empty(), (seed.name + ": " + what).c_str());
    QVERIFY2(e.code == ErrorCode::invalid_input || e.code == ErrorCode::resources,
             (seed.name + ": " + what + ": " + e.render()).c_str());
    QCOMPARE(e.place.file, seed.name);
    return;
  }
  for (const Index n : mesh->connectivity())
    QVERIFY2(n >= 0 && n < mesh->point_count(), (seed.name + ": " + what).c_str());
  for (const auto& g : mesh->groups())
    for (const Index c : g.cells)
      QVERIFY(c >= 0 && c < mesh->cell_count() && dimension_of(mesh->shape(c)) == g.dimension);
  for (const double x : mesh->points()) QVERIFY(std::isfinite(x));
}

}  // namespace

class TestDamagedMeshes : public QObject {
  Q_OBJECT
 private slots:
  void whatever_a_probe_does_is_an_error() {
    // Stands in for the program that reads VTU files: hangs, talks without end, crashes, hands over what is no mesh, has no memory.
    const auto ends = [](const std::string& does, double seconds) {
      const QTemporaryDir folder;
      const std::string program = folder.path().toStdString() + "/probe";
      if (!write_file_atomically(program, "#!/bin/sh\n" + does + "\n"))
        return make_error(ErrorCode::internal, "no script");
      std::filesystem::permissions(program, std::filesystem::perms::owner_all);
      const auto mesh = read_vtu("x.vtu", {.memory_limit = Bytes{1} << 20}, {.program = program, .seconds = seconds});
      return mesh ? make_error(ErrorCode::internal, "a mesh") : mesh.error();
    };
    const Error hangs = ends("exec sleep 600", 0.3);
    QVERIFY2(hangs.code == ErrorCode::resources && hangs.text.find("longer than 0.3 s") != std::string::npos,
             hangs.text.c_str());
    QCOMPARE(ends("exec yes", 100).code, ErrorCode::resources);
    QCOMPARE(ends("exit 6", 100).code, ErrorCode::resources);
    const Error crashes = ends("kill -KILL $$", 100);
    QVERIFY2(crashes.code == ErrorCode::invalid_input && crashes.text.find("signal 9") != std::string::npos,
             crashes.text.c_str());
    QCOMPARE(ends("echo hello", 100).code, ErrorCode::invalid_input);
    const Error says = ends("echo 'a reason' >&2; exit 3", 100);
    QVERIFY2(says.text == "a reason" && says.place.file == "x.vtu", says.text.c_str());
  }
  void whole_files_are_read() {
    int errors = 0;
    for (const Seed& s : seeds()) check(s, s.bytes, "whole", &errors);
    QCOMPARE(errors, 0);
    QVERIFY(seeds().size() >= 30);
  }
  void cut_files_are_errors_at_every_length() {
    for (const Seed& s : seeds()) {
      const std::size_t step = std::max<std::size_t>(1, s.bytes.size() / cuts);
      for (std::size_t n = 0; n + 8 < s.bytes.size(); n += step) {
        int errors = 0;
        check(s, s.bytes.substr(0, n), "cut at " + std::to_string(n), &errors);
        // An OBJ or Nastran file needs no end mark: cut between lines it is a smaller mesh. An STL text may end after a solid.
        if (s.name.ends_with(".msh") || s.name.ends_with("binary.stl"))
          QVERIFY2(errors == 1, (s.name + " cut at " + std::to_string(n)).c_str());
      }
    }
  }
  void flipped_bytes_never_crash() {
    std::mt19937 random(20);
    int errors = 0;
    int trials = 0;
    for (const Seed& s : seeds())
      for (int i = 0; i < 150; ++i, ++trials) {
        std::string b = s.bytes;
        std::string what = "flip";
        const int flips = 1 + static_cast<int>(random() % 4);
        for (int k = 0; k < flips; ++k) {
          const std::size_t at = random() % b.size();
          const char value = static_cast<char>(random() % 3 == 0   ? 0xff
                                               : random() % 2 == 0 ? b[at] ^ (1 << random() % 8)
                                                                   : random());
          b[at] = value;
          what.append(" ").append(std::to_string(at)).append("=").append(std::to_string(static_cast<int>(value)));
        }
        check(s, b, what, &errors);
      }
    QVERIFY(trials > 4000);
    QVERIFY(errors > trials / 20);  // the damage does reach the parser
  }
  void absurd_counts_allocate_nothing() {
    // Every number of the file in turn becomes huge, negative or slightly wrong.
    std::mt19937 random(21);
    struct rusage before {};
    getrusage(RUSAGE_SELF, &before);
    for (const Seed& s : seeds()) {
      const bool text = s.name.find("binary") == std::string::npos;
      for (int i = 0; i < 60; ++i) {
        std::string b = s.bytes;
        std::size_t at = random() % b.size();
        int errors = 0;
        if (text) {
          while (at < b.size() && (b[at] < '0' || b[at] > '9')) ++at;
          std::size_t end = at;
          while (end < b.size() && b[end] >= '0' && b[end] <= '9') ++end;
          static const char* numbers[] = {"18446744073709551615", "9223372036854775807",     "-1",         "4294967295",
                                          "2147483647",           "99999999999999999999999", "1000000000", "0"};
          b.replace(at, end - at, numbers[random() % std::size(numbers)]);
        } else {
          const std::size_t n = random() % 2 == 0 ? 8 : 4;
          if (at + n > b.size()) continue;
          static const unsigned char values[] = {0xff, 0x7f, 0x80, 0x00, 0x20};
          for (std::size_t k = 0; k < n; ++k)
            b[at + k] = static_cast<char>(k + 1 == n ? values[random() % 5] : values[random() % 2 == 0 ? 0 : 3]);
        }
        check(s, b, "number at " + std::to_string(at), &errors);
      }
    }
    struct rusage after {};
    getrusage(RUSAGE_SELF, &after);
    // Kilobytes. The seeds are below 50 KB; the sanitizers keep freed memory for a while.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    QVERIFY2(after.ru_maxrss - before.ru_maxrss < 64 * 1024,
             qPrintable(QString::number(after.ru_maxrss - before.ru_maxrss)));
#endif
  }
  void exchanged_and_repeated_pieces_never_crash() {
    std::mt19937 random(22);
    const auto all = seeds();
    int errors = 0;
    for (const Seed& s : all)
      for (int i = 0; i < 60; ++i) {
        std::string b = s.bytes;
        const Seed& other = all[random() % all.size()];
        const std::size_t from = random() % other.bytes.size();
        const std::size_t length = std::min<std::size_t>(other.bytes.size() - from, 1 + random() % 200);
        const std::size_t at = random() % b.size();
        if (random() % 2 == 0)
          b.insert(at, other.bytes, from, length);
        else
          b.replace(at, std::min(length, b.size() - at), other.bytes, from, length);
        if (random() % 4 == 0) b.erase(random() % b.size(), 1 + random() % 50);
        check(s, b, "piece at " + std::to_string(at), &errors);
      }
    QVERIFY(errors > 0);
  }
  void the_memory_limit_is_kept() {
    // The smallest limit that suffices is found; just below it the answer is an error of resources, never a crash.
    for (const Seed& s : seeds()) {
      const auto read = [&](Bytes limit) { return read_mesh_bytes(s.bytes, s.name, {.memory_limit = limit}); };
      Bytes low = 0;
      Bytes high = Bytes{1} << 24;
      QVERIFY(read(high).ok());
      while (high - low > 64) {
        const Bytes middle = (low + high) / 2;
        const auto m = read(middle);
        if (m)
          high = middle;
        else {
          QCOMPARE(m.error().code, ErrorCode::resources);
          low = middle;
        }
      }
      const Mesh m = *read(high);
      const Bytes held = s.bytes.size() + m.points().size() * 8 + m.connectivity().size() * 8 + m.offsets().size() * 8 +
                         m.shapes().size();
      QVERIFY2(high >= held * 9 / 10, (s.name + " " + std::to_string(high) + " " + std::to_string(held)).c_str());
    }
  }
};

QTEST_APPLESS_MAIN(TestDamagedMeshes)
#include "test_damaged_meshes.moc"
