// SPDX-License-Identifier: BSD-3-Clause
// A run whose matrices outgrow `compute.memory.host` holds no more than that, the program and everything else included.
// labels: cli rows timeout300
#include <QTest>

#include <regex>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/mesh/generators.hpp"
#include "engine/mesh/writers/write_mesh.hpp"
#include "tests/all_rows.hpp"
#include "tests/engine/cli/program.hpp"

namespace {

struct Ended {
  int exit = -1;
  std::size_t peak = 0;  ///< bytes resident at most, by the system's count
};

/// On two processors at most: what a thread needs counts.
Ended conoid_measured(const rod::fs::path& folder, const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  std::string program = CONOID_BIN_DIR "/conoid";
  arguments.push_back(program.data());
  std::vector<std::string> copy = words;
  for (std::string& w : copy) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  const std::string where = folder.string(), said = (folder / "said").string();
  cpu_set_t all, two;
  CPU_ZERO(&all);
  CPU_ZERO(&two);
  ::sched_getaffinity(0, sizeof all, &all);
  for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&two) < 2; ++k)
    if (CPU_ISSET(k, &all)) CPU_SET(k, &two);
  const pid_t child = ::fork();
  if (child == 0) {
    ::sched_setaffinity(0, sizeof two, &two);
    const int out = ::open(said.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
    if (::chdir(where.c_str()) == 0 && ::dup2(out, 1) >= 0 && ::dup2(out, 2) >= 0)
      ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  Ended ended;
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) return ended;
  ended.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  ended.peak = static_cast<std::size_t>(usage.ru_maxrss) << 10;
  return ended;
}

}  // namespace

class TestMemoryBudget : public QObject {
  Q_OBJECT
 private slots:
  /// Values of 140 MiB beside a plane of 180 (1442 unknowns take some 5 s to assemble; fewer would drown in what is set aside). All
  /// of it in memory takes 398 MiB; with the least that streaming asks for values come from the disk.
  void streamed_boundary_elements() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("a sanitizer takes memory of its own");
#endif
    const rod::Scratch scratch;
    const auto sphere = conoid::icosphere({.divisions = 12});
    QVERIFY(sphere.ok());
    QVERIFY(conoid::write_mesh(*sphere, scratch / "sphere.msh").ok());
    conoid::Json json = conoid::read_json(R"({
      "conoid": 1, "solver": "acoustic-bem", "mesh": {"file": "sphere.msh", "unit": "m"}, "medium": {"speed": "340 m/s"},
      "excitation": {"waves": [{"kind": "plane", "direction": [0, 0, 1]}], "pulse": {"kind": "ricker", "frequency": "100 Hz"}},
      "output": {"frames": {"count": 2}, "receivers": [{"position": [0, 0, -3]}],
                 "planes": [{"normal": "y", "low": [-3, 0, -3], "high": [3, 0, 3], "points": [45, 45]}]},
      "compute": {"precision": "double"}, "parameters": {"steps": 32}})");
    rod::write_case(scratch / "case.json", json);
    const Ended refused =
        conoid_measured(scratch.path(), {"check", "case.json", "--set", "compute.memory.host=100 MiB"});
    QVERIFY(refused.exit != 0);
    std::smatch least;
    const std::string answer = rod::text_of(scratch / "said");
    QVERIFY2(std::regex_search(answer, least, std::regex("need ([0-9]+) MiB even with values on the disk")),
             answer.c_str());
    const std::size_t budget = static_cast<std::size_t>(std::stoi(least[1]) + 8) << 20;
    // The least is that of one thread. More threads than there is room for: fewer assemble, it is told, and the budget holds.
    for (const std::string threads : {"1", "12"}) {
      const bool few = threads == "12";
      if (!few && !conoid::all_rows()) continue;
      const std::vector<std::string> settings = {"--set", "compute.memory.host=" + std::to_string(budget), "--set",
                                                 "compute.threads=" + threads};
      std::vector<std::string> words = {"check", "case.json"};
      words.insert(words.end(), settings.begin(), settings.end());
      QCOMPARE(conoid_measured(scratch.path(), words).exit, 0);
      QCOMPARE(rod::text_of(scratch / "said").find("of 12 threads assemble") != std::string::npos, few);
      const std::string out = "run" + threads;
      words = {"run", "case.json", "--out", out, "--progress", "none"};
      words.insert(words.end(), settings.begin(), settings.end());
      const Ended ended = conoid_measured(scratch.path(), words);
      const std::string said = rod::text_of(scratch / "said");
      QVERIFY2(ended.exit == 0, said.c_str());
      const conoid::Json numbers = rod::summary_of(scratch / out)["numbers"];
      QVERIFY2(numbers.contains("streamed_read"), said.c_str());
      QCOMPARE(numbers.contains("assembly_threads"), few);
      const std::string text =
          std::to_string(ended.peak >> 10) + " KiB of " + std::to_string(budget >> 10) + ", threads " + threads;
      QVERIFY2(ended.peak <= budget, text.c_str());
      QVERIFY2(ended.peak >= budget / 2, text.c_str());  // it is no idle promise
    }
  }
};

QTEST_GUILESS_MAIN(TestMemoryBudget)
#include "test_memory_budget.moc"
