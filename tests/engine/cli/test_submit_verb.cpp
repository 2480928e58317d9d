// SPDX-License-Identifier: BSD-3-Clause
// `conoid submit`: jobs that run detached, on another machine through ssh, and in the queue of a real Slurm of one node.
// labels: cli mpi timeout300
#include <QTest>

#include <csignal>
#include <fstream>

#include "engine/session/jobs/job_place.hpp"
#include "engine/session/jobs/job_script.hpp"
#include "tests/engine/cli/program.hpp"
#include "tests/engine/session/ssh_server.hpp"

using conoid::Json;
namespace fs = std::filesystem;

namespace {

/// A Slurm of one node with keys and folders of its own, that ends with the object. It wants root: its daemons start jobs for users.
class Slurm {
 public:
  explicit Slurm(const fs::path& folder) : folder_(folder) {
    for (const char* program : {"munged", "slurmctld", "slurmd", "sbatch"})
      if (found(program).isEmpty()) missing_ = "there is no Slurm here; Debian: apt install slurm-wlm munge";
    if (missing_.empty() && ::geteuid() != 0) missing_ = "Slurm's daemons want root";
    if (!missing_.empty()) return;
    for (const char* one : {"state", "spool", "munge"}) fs::create_directories(folder_ / one);
    fs::permissions(folder_ / "munge", fs::perms::owner_all);
    std::ofstream(folder_ / "munge/key") << std::string(64, 'k') << ::getpid() << std::string(64, 'y');
    fs::permissions(folder_ / "munge/key", fs::perms::owner_read);
    write_configuration();
    qputenv("SLURM_CONF", QByteArray::fromStdString(at("slurm.conf")));
    daemon(munged_, "munged",
           {"--foreground", "--force", "--key-file=" + path("munge/key"), "--socket=" + path("munge/socket"),
            "--pid-file=" + path("munge/pid"), "--log-file=" + path("munge/log"), "--seed-file=" + path("munge/seed")});
    if (!rod::eventually([&] { return fs::exists(folder_ / "munge/socket"); }))
      missing_ = "munged does not answer here";
    daemon(controller_, "slurmctld", {"-D", "-f", path("slurm.conf")});
    daemon(node_, "slurmd", {"-D", "-f", path("slurm.conf")});
    if (!rod::eventually([&] { return say("sinfo", {"-h", "-o", "%t"}).startsWith("idle"); }))
      missing_ = "Slurm's node does not come up here: " + rod::text_of(folder_ / "slurmctld.log").substr(0, 500);
  }
  ~Slurm() {
    for (QProcess* one : {&node_, &controller_, &munged_}) {
      one->terminate();
      if (!one->waitForFinished(5000)) one->kill();
      one->waitForFinished();
    }
    qunsetenv("SLURM_CONF");
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }
  /// "R", "PD", …; empty once the job has left the queue.
  [[nodiscard]] QByteArray state_of(const std::string& job) const {
    return say("squeue", {"-h", "-j", QString::fromStdString(job), "-o", "%t"}).trimmed();
  }
  [[nodiscard]] QByteArray say(const char* program, const QStringList& words) const {
    QProcess p;
    p.start(found(program), words);
    p.waitForFinished(20000);
    return p.readAllStandardOutput();
  }

 private:
  static QString found(const char* program) {
    const QString there = QStandardPaths::findExecutable(program);
    return there.isEmpty() ? QStandardPaths::findExecutable(program, {"/usr/sbin", "/sbin"}) : there;
  }
  [[nodiscard]] std::string at(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] QString path(const char* name) const { return QString::fromStdString(at(name)); }
  void daemon(QProcess& process, const char* program, const QStringList& words) const {
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardOutputFile(path("daemons.log"), QIODevice::Append);
    process.start(found(program), words);
    process.waitForStarted();
  }
  void write_configuration() const {
    char host[256] = {};
    ::gethostname(host, sizeof host - 1);
    const std::string name = std::string(host).substr(0, std::string(host).find('.'));
    std::ofstream(folder_ / "slurm.conf")
        << "ClusterName=one\nSlurmctldHost=" << name << "(127.0.0.1)\nSlurmctldPort=" << rod::SshServer::free_port()
        << "\nSlurmdPort=" << rod::SshServer::free_port()
        << "\nAuthType=auth/munge\nAuthInfo=socket=" << at("munge/socket")
        << "\nCredType=cred/munge\nSlurmUser=root\nSlurmdUser=root\nStateSaveLocation=" << at("state")
        << "\nSlurmdSpoolDir=" << at("spool") << "\nSlurmctldPidFile=" << at("slurmctld.pid")
        << "\nSlurmdPidFile=" << at("slurmd.pid") << "\nSlurmctldLogFile=" << at("slurmctld.log")
        << "\nSlurmdLogFile=" << at("slurmd.log")
        << "\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\n"
           "SelectTypeParameters=CR_CPU\nJobAcctGatherType=jobacct_gather/none\n"
           "AccountingStorageType=accounting_storage/none\nSwitchType=switch/none\nMpiDefault=none\n"
           "ReturnToService=2\nJobRequeue=1\nKillWait=30\nNodeName="
        << name << " NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\nPartitionName=all Nodes=ALL Default=YES State=UP\n";
    std::ofstream(folder_ / "cgroup.conf") << "CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n";
  }
  fs::path folder_;
  std::string missing_;
  QProcess munged_, controller_, node_;
};

}  // namespace

class TestSubmitVerb : public QObject {
  Q_OBJECT
  rod::Scratch folder_;

  void write_rod(int steps, double pace) { rod::write_case(folder_ / "case.json", rod::json(steps, pace)); }
  /// What the job's run says of its end.
  static std::string state(const fs::path& job) {
    return fs::exists(job / "run/summary.json") ? rod::summary_text(job / "run", "state") : "";
  }
  static std::string job_of(const rod::Said& said) { return said.json()["job"].get<std::string>(); }

 private slots:
  void initTestCase();
  void names_times_and_templates();
  void a_script_has_what_was_asked_and_no_more();
  void mistakes_are_told_before_anything_is_made();
  void files_of_a_case_travel_with_it();
  void a_run_that_a_case_starts_from_travels_too();
  void a_detached_job_computes();
  void what_a_queue_says_is_understood();
  void what_a_machine_has_to_do_is_understood();
  void machines_are_kept_and_taken_by_name();
  void a_number_of_another_process_is_left_alone();
  void jobs_are_told_brought_and_cancelled();
  void a_job_on_another_machine();
  void a_queue_runs_ranks_and_goes_on_after_its_time();
};

void TestSubmitVerb::initTestCase() {
  qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1");
  qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
  write_rod(3, 0);
}

void TestSubmitVerb::names_times_and_templates() {
  using namespace conoid;
  QCOMPARE(slurm_time(90), std::string("0-00:01:30"));
  QCOMPARE(slurm_time(2 * 86400 + 3 * 3600 + 0.2), std::string("2-03:00:01"));
  QCOMPARE(plain_name("Wall & 'room' (3 m)"), std::string("Wall-room-3-m"));
  QCOMPARE(plain_name("--../-x"), std::string("x"));
  QCOMPARE(plain_name("§"), std::string("case"));
  const auto filled =
      fill_template("#SBATCH --time=@time@\n#SBATCH --n=@n@\nx @n@ a@b @@n@\n", {{"time", ""}, {"n", "4"}});
  QVERIFY(filled.ok());
  QCOMPARE(*filled, std::string("#SBATCH --n=4\nx 4 a@b @4\n"));
  const auto wrong = fill_template("@rank@\n", {{"ranks", "4"}});
  QVERIFY(!wrong.ok() && wrong.error().hint.find("@ranks@") != std::string::npos);
}

void TestSubmitVerb::a_script_has_what_was_asked_and_no_more() {
  const rod::Said said = rod::conoid(folder_.path(), {"submit", "case.json", "--slurm", "--ranks", "4", "--threads",
                                                      "8", "--time", "90min", "--memory", "host=2GiB", "--dry-run"});
  COMPARE_EXIT(said, 0);
  for (const char* line : {"#SBATCH --ntasks=4\n", "#SBATCH --cpus-per-task=8\n", "#SBATCH --time=0-01:30:00\n",
                           "#SBATCH --signal=B:TERM@300\n", "mpirun -n 4 ", " --threads 8 "})
    QVERIFY2(said.out.find(line) != std::string::npos, (line + said.out).c_str());
  for (const char* word : {"--gres", "--partition", "--account", "@", "host=2GiB"})
    QCOMPARE(said.out.find(word) == std::string::npos, std::string(word) != "host=2GiB" && std::string(word) != "@");
  QVERIFY(!fs::exists(folder_ / "jobs"));
}

void TestSubmitVerb::mistakes_are_told_before_anything_is_made() {
  const auto refused = [&](const QStringList& words, int exit, const char* text) {
    const rod::Said said = rod::conoid(folder_.path(), QStringList{"submit", "case.json"} + words);
    COMPARE_EXIT(said, exit);
    QVERIFY2(said.err.find(text) != std::string::npos, said.err.c_str());
    QVERIFY(!fs::exists(folder_ / "jobs"));
  };
  refused({"--time", "12h"}, 2, "Add --slurm");
  refused({"--slurm", "--time", "12"}, 2, "with its unit");
  refused({"--slurm", "--time", "1min"}, 2, "hardly compute");
  refused({"--host", "-oProxyCommand=touch x"}, 2, "no host");
  refused({"--set", "parameters.stepps=3"}, 3, "--set");
  std::ofstream(folder_ / "own.sh") << "#!/bin/bash\n@comand@\n";
  refused({"--template", "own.sh"}, 3, "@command@");
  fs::create_directories(folder_ / "there");
  refused({"--out", "there"}, 4, "exists");
}

void TestSubmitVerb::files_of_a_case_travel_with_it() {
  const auto conoid_of_all = [&](const QStringList& words) {
    QProcess process;
    rod::prepare(process, folder_.path()).start(CONOID_BIN_DIR "/conoid", words);
    return rod::collect(process);
  };
  // What the job computes is not looked at here: a program that ends at once takes the solver's place.
  COMPARE_EXIT(conoid_of_all({"new", "rigid-sphere", "sphere"}), 0);
  const fs::path own = folder_ / "sphere/case.json";
  Json document = conoid::read_json(rod::text_of(own));
  const std::string mesh = document["mesh"]["file"].get<std::string>();
  COMPARE_EXIT(conoid_of_all({"submit", "sphere", "--out", "moved", "--program", "true"}), 0);
  const Json moved = conoid::read_json(rod::text_of(folder_ / "moved/case.json"));
  QCOMPARE(moved["mesh"]["file"].get<std::string>(), "files/" + mesh);
  QCOMPARE(rod::text_of(folder_ / "moved/files" / mesh), rod::text_of(folder_ / "sphere" / mesh));
  QVERIFY(!rod::text_of(folder_ / "sphere" / mesh).empty());
  document["mesh"]["file"] = "none.stl";
  std::ofstream(own) << document.dump();
  const rod::Said said = conoid_of_all({"submit", "sphere", "--out", "lacks"});
  COMPARE_EXIT(said, 3);
  QVERIFY(said.err.find("none.stl") != std::string::npos && !fs::exists(folder_ / "lacks"));
}

void TestSubmitVerb::a_run_that_a_case_starts_from_travels_too() {
  const auto conoid_of_all = [&](const QStringList& words) {
    QProcess process;
    rod::prepare(process, folder_.path()).start(CONOID_BIN_DIR "/conoid", words);
    return rod::collect(process);
  };
  const auto write = [&](const char* name, const char* from) {
    std::ofstream(folder_ / name) << R"j({"conoid": 1, "title": "t", "solver": "hydro-fem",
      "materials": {"air": {"gamma": 1.4}}, "grid": {"lower": [0], "upper": [1], "zones": [4]},
      "regions": [{"material": "air", "density": 1, "pressure": 1}], "parameters": {"order": 1, "end_time": 0.01})j"
                                  << from << "}";
  };
  write("line.json", "");
  COMPARE_EXIT(conoid_of_all({"run", "line.json", "--out", "runs of mine/line", "--threads", "1"}), 0);
  write("next.json", R"j(, "initial": {"from": {"run": "runs of mine/line/"}})j");
  COMPARE_EXIT(conoid_of_all({"submit", "next.json", "--out", "travels", "--program", "true"}), 0);
  const fs::path case_there = folder_ / "travels/case.json";
  QCOMPARE(conoid::read_json(rod::text_of(case_there))["initial"]["from"]["run"].get<std::string>(),
           std::string("files/line"));
  // On another machine: without the run that was started from.
  fs::rename(folder_ / "runs of mine", folder_ / "elsewhere");
  COMPARE_EXIT(conoid_of_all({"run", QString::fromStdString(case_there.string()), "--out", "there", "--threads", "1"}),
               0);
  const rod::Said gone = conoid_of_all({"submit", "next.json", "--out", "lacks"});
  COMPARE_EXIT(gone, 3);
  QVERIFY2(gone.says("cannot find the run folder") && gone.says("next.json:"), gone.err.c_str());
  fs::create_directories(folder_ / "runs of mine/line");
  const rod::Said empty = conoid_of_all({"check", "next.json"});
  COMPARE_EXIT(empty, 3);
  QVERIFY2(empty.says("no run folder: it holds no case.json"), empty.err.c_str());
}

void TestSubmitVerb::a_detached_job_computes() {
  const rod::Said said =
      rod::conoid(folder_.path(), {"submit", "case.json", "--out", "detached", "--threads", "1", "--json"});
  COMPARE_EXIT(said, 0);
  QVERIFY(rod::eventually([&] { return state(folder_ / "detached") == "\"finished\""; }));
  // The same folder again goes on with what is there.
  QCOMPARE(QProcess::execute("bash", {QString::fromStdString((folder_ / "detached/job.sh").string())}), 0);
}

void TestSubmitVerb::what_a_queue_says_is_understood() {
  using namespace conoid;
  const JobState waits = state_from("PENDING|0:00|(Resources)\n--\n{\"state\": \"stopped\"}");
  QVERIFY(waits.word == "waiting" && waits.why == "(Resources)" && !waits.is_over());
  const JobState runs = state_from("RUNNING|1:02:03|node7\n--\n");
  QVERIFY(runs.word == "running" && runs.time == "1:02:03" && runs.why == "node7");
  QVERIFY(state_from("RUNNING||\n--\n").word == "running");
  QVERIFY(state_from("--\n{\"state\": \"finished\"}").word == "finished" && state_from("--\n").is_over());
  for (const char* nothing : {"", "\n", "--", "--\n{\"state\": 3}", "--\n[", "--\n{\"state\": \"running\"}"})
    QCOMPARE(state_from(nothing).word, std::string("ended"));
  // What comes with a folder of somebody else is not run.
  for (const char* bad : {R"({"job": "17; touch x", "folder": "f"})", R"({"job": "-9", "folder": "f"})",
                          R"({"job": "17"})", "[]", "", R"({"job": "17", "folder": "f", "host": "-oProxyCommand=x"})",
                          R"x({"job": "17", "folder": "f", "queue": "$(x)"})x"})
    QVERIFY2(!job_from(bad, "job.json").ok(), bad);
  const JobRecord odd{"17", "slurm", "", "/a b/$(touch x)", "t", ""};
  QVERIFY(question_about(odd).find("'/a b/$(touch x)'/run") != std::string::npos);
}

void TestSubmitVerb::what_a_machine_has_to_do_is_understood() {
  using namespace conoid;
  const auto queue = queue_from(
      "16 3.25\n--\n17|me|wall|RUNNING|1:02|1-00:00:00|2|node[1-2]\n18|you|x|PENDING|0:00|1:00|1|(Priority)\n--\n"
      "gpu*|up idle|4|infinite|gpu:4\n",
      true);
  QVERIFY(queue.ok());
  QCOMPARE(queue->cores, 16);
  QCOMPARE(queue->load, 3.25);
  QCOMPARE(queue->jobs.size(), std::size_t{2});
  QVERIFY(queue->jobs[0].word == "running" && queue->jobs[0].why == "node[1-2]" && queue->jobs[0].user == "me");
  QVERIFY(queue->jobs[1].word == "waiting" && queue->jobs[1].limit == "1:00");
  QVERIFY(queue->parts.size() == 1 && queue->parts[0].devices == "gpu:4" && queue->parts[0].state == "up idle");
  // Without a queue the same answer is none, and nothing that comes moves a cursor.
  QVERIFY(!queue_from("16 3.25\n", true).ok() && queue_from("16 3.25\n", false).ok() && !queue_from("", false).ok());
  QVERIFY(queue_from("1 0\n--\n1|\x1b[2J|\n--\n", true)->jobs[0].user.find('\x1b') == std::string::npos);
  // Several jobs in one answer; one that was cut off leaves those before it as they are.
  const auto states =
      states_from("RUNNING||\n--\n\n--says\nstep 3\n\n--next\n--\n{\"state\": \"finished\"}\n--says\n\n--next\n", 3);
  QCOMPARE(states.size(), std::size_t{3});
  QVERIFY(states[0].word == "running" && states[0].says == "step 3");
  QVERIFY(states[1].word == "finished" && states[1].says.empty() && states[2].word == "ended");
}

void TestSubmitVerb::machines_are_kept_and_taken_by_name() {
  const QByteArray before = qgetenv("XDG_CONFIG_HOME");
  qputenv("XDG_CONFIG_HOME", QByteArray::fromStdString((folder_ / "config").string()));
  const auto hosts = [&](const QStringList& words) {
    return rod::conoid(folder_.path(), QStringList{"hosts"} + words);
  };
  COMPARE_EXIT(hosts({"big", "--keep", "--host", "me@big", "--ssh", "ssh -p 2222", "--slurm", "--ranks", "4",
                      "--threads", "8", "--time", "12h"}),
               0);
  COMPARE_EXIT(hosts({"desk", "--keep"}), 0);
  rod::Said said = hosts({"--json"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(said.json()["hosts"].size(), std::size_t{2});
  QCOMPARE(said.json()["hosts"][0]["ssh"].get<std::string>(), std::string("ssh -p 2222"));
  // What is kept goes into the script, what is typed besides goes before it.
  said = rod::conoid(folder_.path(), {"submit", "case.json", "--on", "big", "--ranks", "2", "--dry-run"});
  COMPARE_EXIT(said, 0);
  for (const char* line : {"#SBATCH --ntasks=2\n", "#SBATCH --cpus-per-task=8\n", "#SBATCH --time=0-12:00:00\n",
                           "mpirun -n 2 conoid", " --threads 8 "})
    QVERIFY2(said.out.find(line) != std::string::npos, (line + said.out).c_str());
  COMPARE_EXIT(rod::conoid(folder_.path(), {"submit", "case.json", "--on", "none", "--dry-run"}), 2);
  COMPARE_EXIT(hosts({"odd", "--keep", "--host", "-oProxyCommand=x"}), 2);
  COMPARE_EXIT(hosts({"odd", "--keep", "--time", "12h"}), 2);
  said = hosts({"desk", "--json"});
  COMPARE_EXIT(said, 0);
  QVERIFY(said.json()["cores"].get<int>() > 0);
  COMPARE_EXIT(hosts({"desk", "--forget"}), 0);
  COMPARE_EXIT(hosts({"desk"}), 2);
  std::ofstream(folder_ / "config/conoid/hosts.json") << R"({"hosts": [{"name": "x", "host": "-oProxyCommand=x"}]})";
  COMPARE_EXIT(hosts({}), 3);
  before.isEmpty() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", before);
}

void TestSubmitVerb::a_number_of_another_process_is_left_alone() {
  // Numbers of processes come again: this one works elsewhere than in the job's folder.
  QProcess other;
  other.setWorkingDirectory("/");
  other.start("sleep", {"60"});
  QVERIFY(other.waitForStarted());
  const fs::path folder = folder_ / "numbers/old";
  fs::create_directories(folder);
  QVERIFY(conoid::write_job(folder, {std::to_string(other.processId()), "", "", folder.string(), "t", ""}).ok());
  const rod::Said said = rod::conoid(folder_.path(), {"jobs", "numbers/old", "--cancel", "--json"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(said.json()["jobs"][0]["state"].get<std::string>(), std::string("ended"));
  QVERIFY(!other.waitForFinished(200));
  other.kill();
  other.waitForFinished();
}

void TestSubmitVerb::jobs_are_told_brought_and_cancelled() {
  // A queue of files: what squeue is to say lies in `queue`, what was cancelled in `cancelled`. And a machine behind no ssh at all.
  const fs::path bin = folder_ / "bin", home = folder_ / "far";
  fs::create_directories(bin);
  fs::create_directories(home);
  const auto program = [&](const char* name, const std::string& text) {
    std::ofstream(bin / name) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(bin / name, fs::perms::owner_all);
  };
  const std::string at = folder_.path().string();
  program("sbatch", "echo 4711");
  program("squeue", "cat '" + at + "/queue' 2>/dev/null || exit 1");
  program("scancel", "echo $1 > '" + at + "/cancelled'; rm -f '" + at + "/queue'");
  program("not-ssh", "shift; cd '" + home.string() + "' && exec /bin/sh -c \"$1\"");
  const QByteArray path = qgetenv("PATH");
  qputenv("PATH", QByteArray::fromStdString(bin.string()) + ":" + path);
  const auto jobs = [&](const QStringList& words) {
    return rod::conoid(folder_.path(), QStringList{"jobs", "--json", "--ssh", "not-ssh"} + words);
  };
  const rod::Said made = rod::conoid(folder_.path(), {"submit", "case.json", "--slurm", "--host", "big", "--ssh",
                                                      "not-ssh", "--out", "jobs/one", "--json"});
  COMPARE_EXIT(made, 0);
  QCOMPARE(job_of(made), std::string("4711"));
  std::ofstream(folder_ / "queue") << "PENDING|0:00|(Priority)\n";
  const auto first = [&](const rod::Said& said) { return said.json()["jobs"][0]; };
  rod::Said said = jobs({});
  COMPARE_EXIT(said, 0);
  QCOMPARE(first(said)["state"].get<std::string>(), std::string("waiting"));
  QCOMPARE(first(said)["host"].get<std::string>(), std::string("big"));
  std::ofstream(folder_ / "queue") << "RUNNING|0:07|node1\n";
  QCOMPARE(first(jobs({}))["state"].get<std::string>(), std::string("running"));
  // While it goes on: what there is comes, with neither checkpoints nor a lock, and is no run to go on with.
  const fs::path run = home / "conoid-jobs/one/run";
  fs::create_directories(run / "checkpoints");
  std::ofstream(run / "case.json") << "{}";
  std::ofstream(run / "checkpoints/step") << "x";
  std::ofstream(home / "conoid-jobs/one/job.out") << "step 1\nstep 2 of 9\n";
  said = jobs({"jobs/one", "--fetch"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(first(said)["says"].get<std::string>(), std::string("step 2 of 9"));
  QVERIFY(fs::exists(folder_ / "jobs/one/so-far/case.json") && !fs::exists(folder_ / "jobs/one/run"));
  QVERIFY(!fs::exists(folder_ / "jobs/one/so-far/checkpoints"));
  // Over: its run is brought from where it was computed.
  std::ofstream(run / "summary.json") << R"({"state": "finished"})";
  fs::remove(folder_ / "queue");
  said = jobs({"jobs/one", "--fetch"});
  COMPARE_EXIT(said, 0);
  QCOMPARE(first(said)["state"].get<std::string>(), std::string("finished"));
  QVERIFY(fs::exists(folder_ / "jobs/one/run/summary.json") && fs::exists(folder_ / "jobs/one/run/checkpoints/step"));
  QVERIFY(!fs::exists(folder_ / "jobs/one/so-far"));
  // A second time, with the network gone in between: what was here stays.
  program("not-ssh", "exit 255");
  const rod::Said ask = jobs({"jobs/one", "--fetch"});
  COMPARE_EXIT(ask, 7);
  QVERIFY(fs::exists(folder_ / "jobs/one/run/summary.json"));
  program("not-ssh", "shift; cd '" + home.string() + "' && exec /bin/sh -c \"$1\"");
  COMPARE_EXIT(jobs({"--cancel"}), 2);
  COMPARE_EXIT(jobs({"jobs/one", "--cancel"}), 0);
  QCOMPARE(rod::text_of(folder_ / "cancelled"), std::string("4711\n"));
  COMPARE_EXIT(jobs({"jobs/none"}), 4);
  qputenv("PATH", path);
}

void TestSubmitVerb::a_job_on_another_machine() {
  fs::create_directories(folder_ / "ssh");
  rod::SshServer server(folder_ / "ssh");
  if (!server.missing().empty()) QSKIP(server.missing().c_str());
  const std::string line = server.client();  // "ssh -F … host"
  const std::size_t host = line.rfind(' ');
  // As long as a folder's name becomes of a time and a long title.
  const std::string name = "conoid-test-of-a-title-as-long-as-it-may-become-" + std::to_string(::getpid());
  const fs::path there = fs::path(::getpwuid(::geteuid())->pw_dir) / "conoid-jobs" / name;
  const rod::Said said = rod::conoid(
      folder_.path(), {"submit", "case.json", "--host", QString::fromStdString(line.substr(host + 1)), "--ssh",
                       QString::fromStdString(line.substr(0, host)), "--out", QString::fromStdString(name), "--threads",
                       "1", "--program", CONOID_WITH_HEAT_ROD, "--json"});
  const bool came = said.exit == 0 && rod::eventually([&] { return state(there) == "\"finished\""; });
  std::error_code ignored;
  const std::string words = came ? "" : rod::text_of(there / "job.out");
  fs::remove_all(there, ignored);
  COMPARE_EXIT(said, 0);
  QVERIFY2(came, words.c_str());
  const rod::Said none =
      rod::conoid(folder_.path(), {"submit", "case.json", "--host", "127.0.0.1", "--ssh",
                                   QString::fromStdString(server.client(1).substr(0, server.client(1).rfind(' '))),
                                   "--out", "unreached"});
  COMPARE_EXIT(none, 7);
  QVERIFY(none.err.find("bring the job's folder") != std::string::npos);
}

void TestSubmitVerb::a_queue_runs_ranks_and_goes_on_after_its_time() {
  fs::create_directories(folder_ / "slurm");
  const Slurm slurm(folder_ / "slurm");
  if (!slurm.missing().empty()) QSKIP(slurm.missing().c_str());
  const rod::Said two = rod::conoid(folder_.path(), {"submit", "case.json", "--slurm", "--ranks", "2", "--threads", "1",
                                                     "--time", "1h", "--out", "two", "--json"});
  COMPARE_EXIT(two, 0);
  QVERIFY2(rod::eventually([&] { return state(folder_ / "two") == "\"finished\""; }),
           rod::text_of(folder_ / "two/job.out").c_str());
  QCOMPARE(rod::summary_of(folder_ / "two/run")["ranks"].get<int>(), 2);
  // The queue's signal, that comes before the time is over, stops the run; the job waits again and ends the run in its second turn.
  write_rod(200, 0.05);
  const rod::Said slow = rod::conoid(
      folder_.path(), {"submit", "case.json", "--slurm", "--threads", "1", "--time", "1h", "--out", "slow", "--json"});
  COMPARE_EXIT(slow, 0);
  const std::string job = job_of(slow);
  QVERIFY(rod::eventually([&] { return fs::exists(folder_ / "slow/run/charts/heat.csv"); }));
  (void)slurm.say("scancel", {"--signal=TERM", "--batch", QString::fromStdString(job)});
  QVERIFY2(rod::eventually([&] { return state(folder_ / "slow") == "\"stopped\""; }),
           rod::text_of(folder_ / "slow/job.out").c_str());
  QVERIFY2(rod::eventually([&] { return !slurm.state_of(job).isEmpty(); }), "the job has left the queue");
  // Slurm lets two minutes pass before it starts such a job again; what it would start is started here.
  (void)slurm.say("scancel", {QString::fromStdString(job)});
  qputenv("SLURM_SUBMIT_DIR", QByteArray::fromStdString((folder_ / "slow").string()));
  const int again = QProcess::execute("bash", {QString::fromStdString((folder_ / "slow/job.sh").string())});
  qunsetenv("SLURM_SUBMIT_DIR");
  QCOMPARE(again, 0);
  QCOMPARE(state(folder_ / "slow"), std::string("\"finished\""));
}

QTEST_APPLESS_MAIN(TestSubmitVerb)
#include "test_submit_verb.moc"
