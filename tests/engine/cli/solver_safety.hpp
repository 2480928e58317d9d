// SPDX-License-Identifier: BSD-3-Clause
// What every solver must stand, on a small case of its own in tests/data/safety/<solver>.json: being killed at any moment and
// inside any write, being stopped, being run twice.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>

#include <QTest>

#include <chrono>
#include <cmath>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "engine/io/vtkhdf.hpp"
#include "tests/engine/cli/program.hpp"

namespace safety {

namespace fs = rod::fs;
using Clock = std::chrono::steady_clock;

inline const QString program = CONOID_BIN_DIR "/conoid";

inline QStringList solvers() {
  QStringList out;
  for (const auto& entry : fs::directory_iterator(CONOID_TEST_DATA "/safety"))
    if (entry.path().extension() == ".json") out << QString::fromStdString(entry.path().stem().string());
  out.sort();
  return out;
}

inline QString case_of(const QString& solver) {
  return QString(CONOID_TEST_DATA "/safety/%1.json").arg(solver);
}

inline QStringList run_line(const QString& solver, const QString& out, const QStringList& more = {}) {
  return QStringList{"run",        case_of(solver), "--out", out,
                     "--progress", "none",          "--set", "compute.deterministic=true"} +
         more;
}

/// Of the environment: "LD_PRELOAD=…".
using Variables = std::vector<std::pair<QString, QString>>;

/// Kills the program inside its `at`-th write, flush or rename, or the `at`-th that has this name (tests/support/write_faults.c).
inline Variables dies_in(int at, const QString& name = {}) {
  Variables out = {
      {"LD_PRELOAD", CONOID_WRITE_FAULTS}, {"CONOID_FAULT_KIND", "die"}, {"CONOID_FAULT_AT", QString::number(at)}};
  if (!name.isEmpty()) out.emplace_back("CONOID_FAULT_NAME", name);
  return out;
}
/// Inside the last step of writing its `at`-th checkpoint: the one before it is whole.
inline Variables dies_in_checkpoint(int at) {
  return dies_in(at, "rename step-#.part/");
}
/// Is asked to stop inside the last step of writing its first checkpoint.
inline Variables stops_in_checkpoint() {
  return {{"LD_PRELOAD", CONOID_WRITE_FAULTS},
          {"CONOID_FAULT_KIND", "stop"},
          {"CONOID_FAULT_AT", "1"},
          {"CONOID_FAULT_NAME", "rename step-#.part/"}};
}
/// With a checkpoint behind every advance.
inline const QStringList often = {"--set", "output.checkpoints.every_seconds=0.0001"};

inline void start(QProcess& process, const fs::path& folder, const QStringList& words, const Variables& more = {}) {
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const auto& [name, value] : more) environment.insert(name, value);
  process.setProcessEnvironment(environment);
  rod::prepare(process, folder).start(program, words);
  process.waitForStarted();
}

inline rod::Said conoid(const fs::path& folder, const QStringList& words, const Variables& more = {}) {
  QProcess process;
  start(process, folder, words, more);
  return rod::collect(process, 600000);  // checkpoints every moment are slow on a disk that others use
}

/// A table as text, without columns of seconds behind the first: what a clock says is never the same twice.
inline std::string without_clocks(const std::string& rows) {
  std::istringstream in(rows);
  std::string out;
  std::vector<bool> dropped;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    std::istringstream cells(line);
    std::string cell;
    const bool header = dropped.empty();
    for (std::size_t k = 0; std::getline(cells, cell, ','); ++k) {
      if (header) dropped.push_back(k > 0 && cell.ends_with("[s]"));
      if (k < dropped.size() && !dropped[k]) out += cell + ",";
    }
    out += "\n";
  }
  return out;
}

/// How closely a resumed run must follow: the same bits, or what tests/data/safety/<solver>.limits says. A solver that
/// starts an iteration anew ("histories": tables and numbers of its steps, which then differ) ends within its tolerance ("relative").
struct Limits {
  std::set<std::string> histories;
  double relative = 0;
};
inline Limits limits_of(const QString& solver) {
  const auto json =
      conoid::read_json(rod::text_of(QString(CONOID_TEST_DATA "/safety/%1.limits").arg(solver).toStdString()));
  Limits out;
  if (!json.is_object()) return out;
  out.relative = json["relative"].get<double>();
  for (const auto& name : json["histories"]) out.histories.insert(name.get<std::string>());
  return out;
}

/// The largest difference of two tables of numbers, relative to the largest entry in the same unit (parts of one vector may be
/// round-off beside another); 1 when they have another form.
inline double relative_difference(const std::string& a, const std::string& b) {
  const auto numbers = [](const std::string& text) {
    std::vector<std::vector<double>> rows;
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      rows.emplace_back();
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::atof(cell.c_str()));
    }
    return rows;
  };
  const auto x = numbers(a);
  const auto y = numbers(b);
  if (x.size() != y.size()) return 1;
  std::vector<std::string> units;
  std::istringstream headings(a.substr(0, a.find('\n')));
  for (std::string heading; std::getline(headings, heading, ',');)
    units.push_back(heading.find('[') == std::string::npos ? heading : heading.substr(heading.rfind('[')));
  std::map<std::string, double> largest;
  for (const auto& row : x)
    for (std::size_t k = 0; k < row.size() && k < units.size(); ++k) {
      double& size = largest[units[k]];
      size = std::max(size, std::abs(row[k]));
    }
  double worst = 0;
  for (std::size_t k = 0; !x.empty() && k < x[0].size(); ++k) {
    if (k >= units.size()) return 1;
    const double scale = largest[units[k]];
    double apart = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (k >= x[i].size() || k >= y[i].size()) return 1;
      apart = std::max(apart, std::abs(x[i][k] - y[i][k]));
    }
    if (scale > 0) worst = std::max(worst, apart / scale);
  }
  return worst;
}

/// Everything that a run leaves for people: tables without their preamble, numbers, files of the solver's own, all frames.
struct Left {
  std::map<std::string, std::string> tables;
  conoid::Json numbers = conoid::Json::object();
  std::map<std::string, std::string> files;  ///< traces/shot-1.sgy
  std::vector<conoid::Frame> frames;
};

/// What a clock says is named seconds_…, what is taken of the machine is in bytes: both may be another in every run.
inline bool same_in_every_run(const std::string& name, const conoid::Json& number) {
  return !name.starts_with("seconds") && number["unit"] != "B";
}

inline Left left_by(const fs::path& run) {
  Left out;
  for (const auto& entry : fs::directory_iterator(run / "charts"))
    if (entry.path().extension() == ".csv")
      out.tables[entry.path().filename().string()] = without_clocks(rod::rows_of(entry.path()));
  const conoid::Json numbers = rod::summary_of(run).value("numbers", conoid::Json::object());
  for (const auto& [name, number] : numbers.items())
    if (same_in_every_run(name, number)) out.numbers[name] = number;
  for (const auto& folder : fs::directory_iterator(run))
    if (folder.is_directory() && folder.path().filename() != "charts" && folder.path().filename() != "checkpoints")
      for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
        if (entry.is_regular_file()) out.files[fs::relative(entry.path(), run).string()] = rod::text_of(entry.path());
  if (auto reader = conoid::VtkhdfReader::open(run))
    for (std::size_t f = 0; f < (*reader)->frames().size(); ++f)
      if (auto frame = (*reader)->read(f)) out.frames.push_back(**frame);
  return out;
}

/// A quotient of two numbers that are each right to `relative` is right to twice that.
inline bool alike(const conoid::Json& a, const conoid::Json& b, double relative) {
  if (a == b) return true;
  if (relative == 0 || a["unit"] != b["unit"] || !a["value"].is_number() || !b["value"].is_number()) return false;
  const double x = a["value"].get<double>(), y = b["value"].get<double>();
  const double size = std::max(std::abs(x), std::abs(y));
  return std::abs(x - y) <= (a["unit"] == "1" ? 2 * relative * std::max(1.0, size) : relative * size);
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// How far two lists of one length are apart, and the largest entry of the first.
template <class T>
std::pair<double, double> apart_of(const std::vector<T>& a, const std::vector<T>& b) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (std::isnan(x) && std::isnan(y)) continue;
    apart = std::max(apart, std::isnan(x) || std::isnan(y) ? HUGE_VAL : std::abs(x - y));
    size = std::max(size, std::abs(x));
  }
  return {apart, size};
}

/// Nodes that move are as exact as any other result.
inline bool same_nodes(const std::vector<double>& a, const std::vector<double>& b, double relative) {
  if (a.size() != b.size()) return false;
  const auto [apart, size] = apart_of(a, b);
  return apart <= relative * size;
}

inline bool same_place(const conoid::Geometry& a, const conoid::Geometry& b, double relative) {
  if (a.index() != b.index()) return false;
  if (const auto* image = std::get_if<conoid::ImageGeometry>(&a)) {
    const auto& other = std::get<conoid::ImageGeometry>(b);
    return image->points == other.points && image->origin == other.origin && image->spacing == other.spacing;
  }
  const auto &x = std::get<conoid::MeshGeometry>(a), &y = std::get<conoid::MeshGeometry>(b);
  return (relative == 0 ? same_bits(*x.points, *y.points) : same_nodes(*x.points, *y.points, relative)) &&
         same_bits(*x.connectivity, *y.connectivity) && same_bits(*x.offsets, *y.offsets) &&
         same_bits(*x.types, *y.types);
}

/// Empty, or what is not the same bits (`relative` 0), or farther apart than this of the field's largest value.
inline std::string frame_difference(const conoid::Frame& a, const conoid::Frame& b, double relative) {
  if (a.parts.size() != b.parts.size()) return "number of parts";
  for (std::size_t p = 0; p < a.parts.size(); ++p) {
    const auto &x = a.parts[p], &y = b.parts[p];
    if (x.name != y.name) return "part " + x.name;
    if (!same_place(x.geometry, y.geometry, relative)) return "places of part " + x.name;
    if (x.fields.size() != y.fields.size()) return "number of fields";
    for (std::size_t k = 0; k < x.fields.size(); ++k) {
      const std::vector<float>&u = *x.fields[k].values, &v = *y.fields[k].values;
      const std::string name = "field " + x.fields[k].info.name;
      if (x.fields[k].info.name != y.fields[k].info.name || u.size() != v.size()) return name;
      if (same_bits(u, v)) continue;
      const auto [apart, size] = apart_of(u, v);
      if (!(apart <= relative * size)) return name + ", " + std::to_string(apart / size) + " of its largest value";
    }
  }
  return {};
}

/// Empty, or the first thing that is not the same bits, or not within the limits.
inline std::string difference(const Left& a, const Left& b, const Limits& limits = {}) {
  if (a.tables.size() != b.tables.size()) return "another number of tables";
  for (const auto& [name, rows] : a.tables) {
    if (!b.tables.contains(name)) return "no table " + name;
    if (limits.histories.contains(name) || b.tables.at(name) == rows) continue;
    if (limits.relative == 0 || relative_difference(rows, b.tables.at(name)) > limits.relative) return "table " + name;
  }
  if (a.numbers.size() != b.numbers.size()) return "another number of numbers";
  for (const auto& [name, number] : a.numbers.items()) {
    if (!b.numbers.contains(name)) return "no number " + name;
    if (!limits.histories.contains(name) && !alike(number, b.numbers[name], limits.relative))
      return "number " + name + ": " + conoid::compact_json(number) + " and " + conoid::compact_json(b.numbers[name]);
  }
  for (const auto* pair : {&a.files, &b.files})
    for (const auto& [name, text] : *pair)
      if (!a.files.contains(name) || !b.files.contains(name)) return "file " + name + " is left by one of them";
  if (limits.relative == 0)
    for (const auto& [name, text] : a.files)
      if (text != b.files.at(name)) return "file " + name;
  if (a.frames.empty() || b.frames.empty())
    return a.frames.size() == b.frames.size() ? "" : "frames are left by one of them";
  if (!limits.histories.empty()) {  // as many frames as steps of the iteration
    const std::string wrong = frame_difference(a.frames.back(), b.frames.back(), limits.relative);
    return wrong.empty() ? "" : wrong + " of the last frame";
  }
  if (a.frames.size() != b.frames.size())
    return "frames: " + std::to_string(a.frames.size()) + " and " + std::to_string(b.frames.size());
  for (std::size_t f = 0; f < a.frames.size(); ++f) {
    const auto &x = a.frames[f], &y = b.frames[f];
    if (x.number != y.number || x.step != y.step || x.value != y.value || x.axis != y.axis)
      return "moment of frame " + std::to_string(f);
    if (const std::string wrong = frame_difference(x, y, limits.relative); !wrong.empty())
      return wrong + " of frame " + std::to_string(f);
  }
  return {};
}

struct Whole {
  Left left;
  double seconds = 0;
  int writes = 0;
  int pieces = 0;  ///< pieces of memory of 32 KiB or more that it took
};
/// The run that is left alone, with the number of its writes; made once for each solver.
inline const Whole& whole_run(const fs::path& folder, const QString& solver) {
  static std::map<QString, Whole> known;
  const auto found = known.find(solver);
  if (found != known.end()) return found->second;
  const QString out = solver + "-whole";
  const auto begin = Clock::now();
  QProcess process;
  const fs::path count = folder / (solver.toStdString() + "-count");
  const fs::path pieces = folder / (solver.toStdString() + "-pieces");
  start(process, folder, run_line(solver, out),
        {{"LD_PRELOAD", CONOID_WRITE_FAULTS " " CONOID_MEMORY_FAULTS},
         {"CONOID_FAULT_KIND", "count"},
         {"CONOID_FAULT_COUNT", QString::fromStdString(count.string())},
         {"CONOID_MEMORY_COUNT", QString::fromStdString(pieces.string())}});
  const rod::Said said = rod::collect(process);
  if (said.exit != 0) qFatal("%s", (said.out + said.err).c_str());
  Whole whole{left_by(folder / out.toStdString()), std::chrono::duration<double>(Clock::now() - begin).count(),
              std::atoi(rod::text_of(count).c_str()), std::atoi(rod::text_of(pieces).c_str())};
  return known[solver] = std::move(whole);
}

/// Empty, or why the run does not go on to the same end.
inline std::string resumed_to_the_same(const fs::path& folder, const QString& solver, const QString& out) {
  // Killed before the folder stood, there is nothing to go on with, and nothing was lost.
  if (!fs::exists(folder / out.toStdString() / "run.json") || !fs::exists(folder / out.toStdString() / "case.json"))
    return {};
  const rod::Said said = conoid(folder, {"resume", out, "--progress", "none"});
  if (said.exit != 0) return "resume: exit " + std::to_string(said.exit) + "\n" + said.out + said.err;
  return difference(whole_run(folder, solver).left, left_by(folder / out.toStdString()), limits_of(solver));
}

/// Kills at `rounds` random moments and inside as many random writes; each time the run goes on to the same bits.
inline void kill_and_resume(const fs::path& folder, const QString& solver, int rounds, unsigned seed) {
  const Whole& whole = whole_run(folder, solver);
  QVERIFY(!whole.left.tables.empty() && !whole.left.frames.empty() && whole.writes > 10);
  std::mt19937 random(seed);
  for (int round = 0; round < 2 * rounds; ++round) {
    const bool inside = round % 2 == 1;
    const QString out = QString("%1-kill%2").arg(solver).arg(round);
    const int write = 1 + static_cast<int>(random() % static_cast<unsigned>(whole.writes));
    const int moment = static_cast<int>(random() % static_cast<unsigned>(1 + 1000 * whole.seconds));
    QProcess process;
    start(process, folder, run_line(solver, out), inside ? dies_in(write) : Variables());
    if (!inside) {
      process.waitForFinished(moment);
      process.kill();
    }
    QVERIFY(process.state() == QProcess::NotRunning || process.waitForFinished(100000));
    const std::string wrong = resumed_to_the_same(folder, solver, out);
    QVERIFY2(wrong.empty(), (solver.toStdString() +
                             (inside ? ", killed in write " + std::to_string(write)
                                     : ", killed after " + std::to_string(moment) + " ms") +
                             ": " + wrong)
                                .c_str());
    std::error_code ignored;
    fs::remove_all(folder / out.toStdString(), ignored);
  }
}

/// Asks for a stop at random moments; the program ends within five seconds and goes on to the same bits. `forgiven` stops may take
/// longer, on a machine that is busy with other things; each is made up for by another.
inline void stop_and_resume(const fs::path& folder, const QString& solver, int rounds, unsigned seed,
                            int forgiven = 0) {
  const Whole& whole = whole_run(folder, solver);
  std::mt19937 random(seed);
  double slowest = 0;
  int late = 0;
  for (int round = 0; round < rounds + late; ++round) {
    const QString out = QString("%1-stop%2").arg(solver).arg(round);
    QProcess process;
    start(process, folder, run_line(solver, out));
    process.waitForFinished(static_cast<int>(random() % static_cast<unsigned>(1 + 1000 * whole.seconds)));
    const auto asked = Clock::now();
    if (process.state() != QProcess::NotRunning) {
      // A program that has not yet set up its handlers is ended by the signal at once.
      ::kill(static_cast<pid_t>(process.processId()), SIGTERM);
      QVERIFY2(process.waitForFinished(100000), "it did not stop");
      const double took = std::chrono::duration<double>(Clock::now() - asked).count();
      if (took >= 5 && ++late > forgiven) QFAIL(qPrintable(QString("%1: stopped after %2 s").arg(solver).arg(took)));
      slowest = std::max(slowest, took);
      QVERIFY(process.exitStatus() == QProcess::CrashExit || process.exitCode() == 75 || process.exitCode() == 0);
    }
    const std::string wrong = resumed_to_the_same(folder, solver, out);
    QVERIFY2(wrong.empty(), (solver.toStdString() + " stopped: " + wrong).c_str());
  }
  qInfo("%s: stopped within %.2f s", qPrintable(solver), slowest);
}

/// The program under ever smaller address spaces, then ever closer to where it just finishes: it does, or says with exit 6 that
/// there is no memory.
inline void limit_memory(const fs::path& folder, const QString& solver, int most = 2000, int least = 40) {
  int finished = 0;
  int refused = 0;
  int too_little = 0;
  int enough = 0;
  // False where the program could not even be loaded, or the test has failed.
  const auto run_with = [&](int megabytes) {
    QProcess process;
    const QString out = QString("%1-memory%2").arg(solver).arg(megabytes);
    rod::prepare(process, folder)
        .start("sh", QStringList{"-c", QString("ulimit -c 0; ulimit -v %1; exec \"$0\" \"$@\"").arg(megabytes * 1024),
                                 program} +
                         run_line(solver, out, {"--memory", "host=8GiB"}));
    // OpenBLAS asks for its first blocks again and again while it is loaded: the program never begins.
    const auto began = [&] { return fs::exists(folder / out.toStdString()); };
    const auto ended = [&] {
      siginfo_t info{};
      return ::waitid(P_PID, static_cast<id_t>(process.processId()), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
             info.si_pid != 0;
    };
    process.waitForStarted();
    for (int tenths = 0; tenths < 100 && !began() && !ended(); ++tenths)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    if (!began() && !ended()) {
      process.kill();
      process.waitForFinished();
      return false;
    }
    const rod::Said said = rod::collect(process);
    if (said.exit == 127 || said.says("error while loading shared libraries") || said.says("static TLS")) return false;
    const std::string what =
        solver.toStdString() + ", " + std::to_string(megabytes) + " MB: exit " + std::to_string(said.exit);
    if (said.exit != 0 && (said.exit != 6 || !said.says("memory"))) {
      QTest::qFail((what + "\n" + said.out + said.err).c_str(), __FILE__, __LINE__);
      return false;
    }
    if (said.exit == 0) {
      ++finished;
      enough = megabytes;
    } else {
      ++refused;
      too_little = std::max(too_little, megabytes);
    }
    std::error_code ignored;
    fs::remove_all(folder / out.toStdString(), ignored);
    return true;
  };
  for (int megabytes = most; megabytes > least; megabytes = megabytes * 3 / 4)
    if (!run_with(megabytes)) break;
  while (too_little > 0 && too_little + 3 < enough)
    if (!run_with((too_little + enough) / 2)) break;
  qInfo("%s: %d runs finished, the last with %d MB; %d ended with exit 6", qPrintable(solver), finished, enough,
        refused);
  QVERIFY(finished > 0);
}

/// Lets memory end at `rounds` random pieces of 32 KiB or more: exit 6, and once there is memory again the run goes on to the
/// same end.
inline void run_out_of_memory(const fs::path& folder, const QString& solver, int rounds, unsigned seed) {
  const Whole& whole = whole_run(folder, solver);
  QVERIFY2(whole.pieces > 3, std::to_string(whole.pieces).c_str());
  std::mt19937 random(seed);
  int resumed = 0;
  for (int round = 0; round < rounds; ++round) {
    // One of each of as many equal parts of the run.
    const int at =
        1 + (round * whole.pieces + static_cast<int>(random() % static_cast<unsigned>(whole.pieces))) / rounds;
    const QString out = QString("%1-memory%2").arg(solver).arg(round);
    const rod::Said said = conoid(folder, run_line(solver, out),
                                  {{"LD_PRELOAD", CONOID_MEMORY_FAULTS}, {"CONOID_MEMORY_AT", QString::number(at)}});
    const std::string what = solver.toStdString() + ", piece " + std::to_string(at) + " of " +
                             std::to_string(whole.pieces) + ": exit " + std::to_string(said.exit) + "\n" + said.out +
                             said.err;
    QVERIFY2(said.exit == 6 || said.exit == 0, what.c_str());
    if (said.exit == 6) QVERIFY2(said.says("memory"), what.c_str());
    resumed += said.exit == 6 && fs::exists(folder / out.toStdString() / "case.json") ? 1 : 0;
    const std::string wrong = resumed_to_the_same(folder, solver, out);
    QVERIFY2(wrong.empty(), (what + "\n" + wrong).c_str());
  }
  qInfo("%s: %d of %d runs ended with exit 6 and went on", qPrintable(solver), resumed, rounds);
}

/// Files of frames have holes, which take no room.
inline std::uintmax_t bytes_on_disk(const fs::path& file) {
  struct stat info {};
  return ::stat(file.c_str(), &info) == 0 ? 512 * static_cast<std::uintmax_t>(info.st_blocks) : 0;
}

/// A file system that is full in the middle: exit 4, and with room again the same end.
inline void fill_disk(const fs::path& folder, const QString& solver) {
  const Whole& whole = whole_run(folder, solver);
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / (solver.toStdString() + "-whole")))
    if (entry.is_regular_file() && entry.path().parent_path().parent_path().filename() != "checkpoints")
      bytes += bytes_on_disk(entry.path());
  const QString out = solver + "-small";
  fs::create_directory(folder / out.toStdString());
  QProcess process;
  rod::prepare(process, folder)
      .start(
          "unshare",
          QStringList{"-m", "sh", "-c",
                      QString("mount -t tmpfs -o size=%1k none %2 || exit 99; cd %2; \"$0\" \"$@\"; echo \"first $?\"; "
                              "mount -o remount,size=256m . ; \"$0\" resume run --progress none; echo \"second $?\"; "
                              "cp -r run ../%2-rest")
                          .arg(std::max<std::uintmax_t>(24, bytes / 1024 / 2))
                          .arg(out),
                      program} +
              run_line(solver, "run"));
  const rod::Said said = rod::collect(process);
  if (said.exit == 99) QSKIP("mounting a small file system is not allowed here");
  QVERIFY2(said.says("first 4"), (said.out + said.err).c_str());
  QVERIFY2(said.says("second 0"), (said.out + said.err).c_str());
  const std::string wrong = difference(whole.left, left_by(folder / (out.toStdString() + "-rest")), limits_of(solver));
  QVERIFY2(wrong.empty(), wrong.c_str());
}

}  // namespace safety
