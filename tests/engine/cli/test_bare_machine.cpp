// SPDX-License-Identifier: BSD-3-Clause
// The programs start and compute where there is nothing but a processor: no display, no OpenGL, no GPU driver, no network, no
// home, no room; and they listen on nothing.
// labels: cli
#include <QTest>

#include <csignal>
#include <fstream>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

#include "conoid/config.hpp"
#include "tests/engine/cli/program.hpp"

namespace fs = std::filesystem;

class TestBareMachine : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase();
  void without_display_and_environment();
  void without_home_that_can_be_written();
  void without_network();
  void loads_no_graphics_and_no_driver();
  void with_a_driver_that_is_hidden();
  void without_a_device_the_processor_computes_data();
  void without_a_device_the_processor_computes();
  void listens_on_nothing_data();
  void listens_on_nothing();
  void any_limit_of_address_space_is_a_message();
  void libraries_that_want_more_room_do_not_hang();
  void more_threads_than_there_is_room_for_is_a_message();
  void no_implementation_of_opencl_is_started();
  void a_full_file_system_loses_nothing();

 private:
  static rod::Said shell(const fs::path& folder, const QString& script) {
    QProcess process;
    rod::prepare(process, folder).start("sh", {"-c", script, CONOID_WITH_HEAT_ROD});
    return rod::collect(process);
  }
  rod::Scratch scratch_;
};

namespace {

/// The inodes of sockets that a process holds open.
std::set<std::string> sockets_of(qint64 id) {
  std::set<std::string> out;
  std::error_code failed;
  for (fs::directory_iterator it("/proc/" + std::to_string(id) + "/fd", failed), end; !failed && it != end;
       it.increment(failed)) {
    const std::string to = fs::read_symlink(it->path(), failed).string();
    if (to.starts_with("socket:[")) out.insert(to.substr(8, to.size() - 9));
  }
  return out;
}

}  // namespace

void TestBareMachine::initTestCase() {
  rod::write_case(scratch_ / "case.json", rod::json(60, 0.002));
}

void TestBareMachine::without_display_and_environment() {
  const rod::Said said = shell(scratch_.path(), "exec env -i \"$0\" run case.json --out empty --progress none");
  COMPARE_EXIT(said, 0);
  COMPARE_EXIT(shell(scratch_.path(), "exec env -i \"$0\" devices"), 0);
}

void TestBareMachine::without_home_that_can_be_written() {
  // Even root cannot make a folder below a device.
  const rod::Said said =
      shell(scratch_.path(),
            "HOME=/dev/null/home XDG_CACHE_HOME=/dev/null/c XDG_CONFIG_HOME=/dev/null/c XDG_DATA_HOME=/dev/null/d "
            "XDG_RUNTIME_DIR=/dev/null/r TMPDIR=/dev/null/t exec \"$0\" run case.json --out homeless --progress none");
  COMPARE_EXIT(said, 0);
  // A folder in which no run can be made is exit 4 with its name.
  const rod::Said nowhere = shell(scratch_.path(), "exec \"$0\" run case.json --out /dev/null/run --progress none");
  COMPARE_EXIT(nowhere, 4);
  QVERIFY2(nowhere.says("/dev/null/run"), nowhere.err.c_str());
}

void TestBareMachine::without_network() {
  if (QProcess::execute("sh", {"-c", "unshare -n true 2>/dev/null"}) != 0)
    QSKIP("a network of its own is not allowed here");
  COMPARE_EXIT(shell(scratch_.path(), "exec unshare -n \"$0\" run case.json --out offline --progress none"), 0);
}

void TestBareMachine::loads_no_graphics_and_no_driver() {
  QProcess process;
  rod::prepare(process, scratch_.path())
      .start(CONOID_BIN_DIR "/conoid",
             {"run", CONOID_TEST_DATA "/safety/hydro-fem.json", "--out", "maps", "--progress", "none"});
  QVERIFY(process.waitForStarted());
  QVERIFY(rod::eventually([&] { return fs::exists(scratch_ / "maps/run.json"); }));
  const std::string maps = rod::text_of("/proc/" + std::to_string(process.processId()) + "/maps");
  process.kill();
  process.waitForFinished();
  QVERIFY(maps.find("libc.so") != std::string::npos);
  for (const char* name :
       {"libGL", "libEGL", "libX11", "libxcb", "libwayland", "libQt", "libvtk", "libcuda", "libcudart"})
    QVERIFY2(maps.find(name) == std::string::npos, name);
}

void TestBareMachine::with_a_driver_that_is_hidden() {
  const rod::Said said = shell(
      scratch_.path(), "CUDA_VISIBLE_DEVICES= DISPLAY=:99 exec \"$0\" run case.json --out hidden --progress none");
  COMPARE_EXIT(said, 0);
}

void TestBareMachine::without_a_device_the_processor_computes_data() {
  QTest::addColumn<QString>("environment");  // of the program, or another program
  QTest::addColumn<bool>("module");          // of NVIDIA devices is needed
  QTest::addColumn<QString>("why");
  QTest::addColumn<QString>("what_to_do");
  const QString with_module = "CONOID_MODULES=" CONOID_MODULE_FOLDER,
                stand_in = with_module + " LD_LIBRARY_PATH=" CONOID_OLD_DRIVER;
  // The modules lie beside the folder of the program: a copy of it elsewhere finds none.
  fs::create_directories(scratch_ / "elsewhere/bin");
  fs::copy_file(CONOID_WITH_HEAT_ROD, scratch_ / "elsewhere/bin/conoid", fs::copy_options::overwrite_existing);
  QTest::newRow("no module") << "set -- elsewhere/bin/conoid;" << false << "module for cuda devices"
                             << "Install a build made with the preset `cuda`";
  QTest::newRow("no driver") << with_module << true << "there is no NVIDIA driver on this machine"
                             << "Install the driver of your GPU";
  QTest::newRow("a driver without a version")
      << stand_in + " CONOID_DRIVER_VERSION=0" << true << "there is no NVIDIA driver on this machine"
      << "Install the driver of your GPU";
  QTest::newRow("driver too old") << stand_in + " CONOID_DRIVER_VERSION=11040" << true
                                  << "the NVIDIA driver is too old: it supports CUDA 11.4, this program needs"
                                  << "Update the driver";
}

/// What is missing and what to do is said; the processor goes on by itself, and --workers cuda is refused with the same words.
void TestBareMachine::without_a_device_the_processor_computes() {
  QFETCH(QString, environment);
  QFETCH(bool, module);
  QFETCH(QString, why);
  QFETCH(QString, what_to_do);
  if (module && !fs::exists(CONOID_MODULE_FOLDER "/libconoid_cuda.so"))
    QSKIP("this build has no module for NVIDIA devices");
  if (QTest::currentDataTag() == std::string("no driver") && fs::exists("/proc/driver/nvidia"))
    QSKIP("there is a driver here");
  const QString start = environment + " exec \"${1:-$0}\" ";
  const rod::Said listed = shell(scratch_.path(), start + "devices");
  COMPARE_EXIT(listed, 0);
  const rod::Said refused =
      shell(scratch_.path(), start + "run case.json --workers cuda --out refused --progress none");
  COMPARE_EXIT(refused, 6);
  for (const rod::Said& said : {listed, refused})
    for (const QString& words : {why, what_to_do, QString("or compute with --workers cpu")})
      QVERIFY2(said.says(words.toStdString()), (said.out + said.err).c_str());
  const QString out = QString("alone-%1").arg(QString(QTest::currentDataTag()).replace(QChar(32), QChar(45)));
  COMPARE_EXIT(shell(scratch_.path(), start + "run case.json --progress none --out " + out), 0);
}

void TestBareMachine::listens_on_nothing_data() {
  QTest::addColumn<QStringList>("more");
  QTest::newRow("here") << QStringList();
  QTest::newRow("in a worker") << QStringList{"--launcher", CONOID_WORKER_WITH_HEAT_ROD};
}

void TestBareMachine::listens_on_nothing() {
  QFETCH(QStringList, more);
  QProcess process;
  rod::prepare(process, scratch_.path())
      .start(CONOID_WITH_HEAT_ROD, QStringList{"run", "case.json", "--out", QString("quiet%1").arg(more.size()),
                                               "--progress", "none", "--set", "parameters.steps=50000"} +
                                       more);
  QVERIFY(process.waitForStarted());
  QVERIFY(
      rod::eventually([&] { return fs::exists(scratch_ / ("quiet" + std::to_string(more.size()) + "/run.json")); }));
  std::vector<qint64> family{process.processId()};
  const std::string children =
      rod::text_of("/proc/" + std::to_string(family[0]) + "/task/" + std::to_string(family[0]) + "/children");
  std::istringstream in(children);
  for (qint64 child = 0; in >> child;) family.push_back(child);
  QCOMPARE(family.size(), more.isEmpty() ? std::size_t{1} : std::size_t{2});
  for (const qint64 id : family) {
    const auto sockets = sockets_of(id);
    QVERIFY2(sockets.empty(), ("process " + std::to_string(id) + " holds a socket").c_str());
  }
  process.terminate();
  QVERIFY(process.waitForFinished(100000));
  QCOMPARE(process.exitCode(), 75);
}

void TestBareMachine::any_limit_of_address_space_is_a_message() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  QSKIP("the sanitizers need more address space than there is");
#endif
  rod::write_case(scratch_ / "large.json", rod::json(3, 0, 2000000));
  int finished = 0;
  int refused = 0;
  for (int megabytes = 900; megabytes > 20; megabytes = megabytes * 4 / 5) {
    const QString out = QString("memory%1").arg(megabytes);
    const rod::Said said = rod::limited(
        scratch_.path(), QString("ulimit -c 0; ulimit -v %1").arg(megabytes * 1024),
        {"run", "large.json", "--out", out, "--progress", "none", "--threads", "1", "--memory", "host=8GiB"});
    const bool no_loader = said.exit == 127 || said.says("error while loading shared libraries") ||
                           said.says("cannot allocate memory in static TLS");
    if (no_loader) break;
    QVERIFY2(
        said.exit == 0 || said.exit == 6,
        (std::to_string(megabytes) + " MB: exit " + std::to_string(said.exit) + "\n" + said.out + said.err).c_str());
    finished += said.exit == 0 ? 1 : 0;
    refused += said.exit == 6 ? 1 : 0;
    if (said.exit == 6) QVERIFY2(said.says("memory"), said.err.c_str());
  }
  qInfo("%d runs finished, %d ended with exit 6", finished, refused);
  QVERIFY(finished > 0);
}

void TestBareMachine::libraries_that_want_more_room_do_not_hang() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  QSKIP("the sanitizers need more address space than there is");
#endif
  // The program with all its solvers and their libraries, one of which asks for ever while it is loaded.
  for (const QString name : {"conoid", "conoid-worker"}) {
    int started = 0;
    int refused = 0;
    for (int megabytes = 1200; megabytes > 40; megabytes = megabytes * 3 / 4) {
      QProcess process;
      rod::prepare(process, scratch_.path())
          .start("sh",
                 {"-c", QString("ulimit -c 0; ulimit -v %1; exec \"$0\" --version < /dev/null").arg(megabytes * 1024),
                  QString(CONOID_BIN_DIR "/") + name});
      const rod::Said said = rod::collect(process);
      if (said.exit == 127 || said.says("error while loading shared libraries") || said.says("static TLS")) break;
      const std::string what = std::to_string(megabytes) + " MB: exit " + std::to_string(said.exit) + "\n" + said.err;
      if (said.says("not enough memory to start")) {
        QVERIFY2(said.exit == 6, what.c_str());
        ++refused;
      } else {
        QVERIFY2(said.exit != 6 && refused == 0, what.c_str());
        ++started;
      }
    }
    QVERIFY(started > 0);
    QVERIFY(refused > 0);
  }
}

void TestBareMachine::more_threads_than_there_is_room_for_is_a_message() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  QSKIP("the sanitizers need more address space than there is");
#endif
#if !CONOID_HAVE_OPENMP
  QSKIP("built without OpenMP");
#endif
  // 128 stacks of 8 MB do not fit; libgomp would end the program with status 1.
  QProcess process;
  rod::prepare(process, scratch_.path())
      .start("sh", {"-c", "ulimit -c 0; ulimit -s 8192; ulimit -v 800000; exec \"$0\" \"$@\"", CONOID_BIN_DIR "/conoid",
                    "run", CONOID_TEST_DATA "/safety/acoustic-fd.json", "--out", "threads", "--progress", "none",
                    "--threads", "128"});
  const rod::Said said = rod::collect(process);
  COMPARE_EXIT(said, 6);
  QVERIFY2(said.says("memory for the threads") && said.says("--threads"), said.err.c_str());
}

void TestBareMachine::no_implementation_of_opencl_is_started() {
  // MPI looks at the machine through hwloc, whose plugin for OpenCL starts what is listed here. Any library will do: the
  // loader tells whether it was opened. Where the plugin is not installed there is nothing to see.
  fs::create_directory(scratch_ / "vendors");
  fs::copy_file(CONOID_WRITE_FAULTS, scratch_ / "libimplementation.so");
  std::ofstream(scratch_ / "vendors/one.icd") << (scratch_ / "libimplementation.so").string() << "\n";
  const rod::Said said =
      shell(scratch_.path(),
            "OCL_ICD_VENDORS=$PWD/vendors LD_DEBUG=files LD_DEBUG_OUTPUT=$PWD/opened exec " CONOID_BIN_DIR
            "/conoid run " CONOID_TEST_DATA "/safety/maxwell-fem.json --out fields --progress none --threads 2");
  COMPARE_EXIT(said, 0);
  std::string opened;
  for (const auto& entry : fs::directory_iterator(scratch_.path()))
    if (entry.path().filename().string().starts_with("opened.")) opened += rod::text_of(entry.path());
  QVERIFY(opened.find("libc.so") != std::string::npos);
  QVERIFY(opened.find("libimplementation") == std::string::npos);
}

void TestBareMachine::a_full_file_system_loses_nothing() {
  if (QProcess::execute("sh", {"-c", "unshare -m true 2>/dev/null"}) != 0)
    QSKIP("a file system of its own is not allowed here");
  conoid::Json json = rod::json(400, 0.001, 20000);
  json["output"]["checkpoints"]["every_seconds"] = 0.05;
  json["output"]["frames"]["count"] = 50;
  rod::write_case(scratch_ / "big.json", json);
  COMPARE_EXIT(rod::conoid(scratch_.path(), {"run", "big.json", "--out", "big-whole", "--progress", "none"}), 0);
  fs::create_directory(scratch_ / "small");
  // Filled up, then given room; all inside a mount of its own, which goes with it.
  const rod::Said said =
      shell(scratch_.path(),
            "exec unshare -m sh -c 'mount -t tmpfs -o size=1500k none small || exit 99; "
            "\"$0\" run big.json --out small/run --progress none; echo \"first $?\"; "
            "mount -o remount,size=64m small; "
            "\"$0\" resume small/run --progress none; echo \"second $?\"; cp -r small/run big-rest' \"$0\"");
  if (said.exit == 99) QSKIP("mounting a small file system is not allowed here");
  QVERIFY2(said.says("first 4"), (said.out + said.err).c_str());
  QVERIFY2(said.says("full") || said.says("No space"), (said.out + said.err).c_str());
  QVERIFY2(said.says("second 0"), (said.out + said.err).c_str());
  QCOMPARE(rod::rows_of(scratch_ / "big-rest/charts/heat.csv"), rod::rows_of(scratch_ / "big-whole/charts/heat.csv"));
  QCOMPARE(rod::summary_text(scratch_ / "big-rest", "frames"), rod::summary_text(scratch_ / "big-whole", "frames"));
}

QTEST_APPLESS_MAIN(TestBareMachine)
#include "test_bare_machine.moc"
