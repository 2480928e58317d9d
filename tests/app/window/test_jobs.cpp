// SPDX-License-Identifier: BSD-3-Clause
// Jobs from the window: machines are kept, the queue of one is shown, a case goes to another machine through a real ssh, and a window that is
// opened later comes back to the run: while it goes on, and brought whole when it is over.
// labels: gui serial timeout300
#include <fstream>

#include <QDir>
#include <QLabel>
#include <QListWidget>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "app/jobs/jobs_page.hpp"
#include "app/jobs/submit_dialog.hpp"
#include "app/model/run_list.hpp"
#include "app/runs/runs_page.hpp"
#include "app/window/main_window.hpp"
#include "tests/app/patience.hpp"
#include "tests/app/shown_window.hpp"
#include "tests/engine/session/ssh_server.hpp"

using namespace conoid;
using namespace conoid::app;
namespace fs = std::filesystem;

class TestJobs : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  std::unique_ptr<Look> look_;
  std::unique_ptr<Settings> settings_;
  fs::path case_;

  [[nodiscard]] fs::path at(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }
  /// Light and dark, to be looked at.
  void keep_pictures(QWidget& widget, const QString& name) {
    for (const auto& [theme, word] : {std::pair{ThemeChoice::dark, "dark"}, std::pair{ThemeChoice::light, "light"}}) {
      look_->choose(theme);
      QTest::qWait(1);
      test::keep_picture(widget, QString("%1-%2.png").arg(name, word));
    }
  }
  void write_program(const fs::path& file, const std::string& text) const {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(file, fs::perms::owner_all);
  }

 private slots:
  void initTestCase() {
    test::keep_below(folder_);
    look_ = std::make_unique<Look>(*qApp, ThemeChoice::light);
    settings_ = std::make_unique<Settings>(folder_.filePath("settings.ini"));
    settings_->set_runs_folder(folder_.filePath("runs"));
    QCOMPARE(settings_->jobs_folder(), at("jobs"));
    const SampleCard quickest = test::quickest_sample();
    if (quickest.case_file.empty()) QSKIP("no sample case in this build");
    fs::copy(quickest.case_file.parent_path(), at("case"), fs::copy_options::recursive);
    case_ = at("case") / "case.json";
  }
  void cleanupTestCase() { settings_.reset(); }

  void machines_are_kept_on_a_page() {
    JobList jobs([this] { return at("none"); }, CONOID_BIN_DIR "/conoid");
    HostDialog dialog({}, jobs, *look_);
    QVERIFY(!dialog.keep().isEmpty());  // without a name
    ComputeHost host;
    host.name = "cluster";
    host.host = "-oProxyCommand=touch x";
    host.slurm = true;
    host.ranks = 4;
    host.time = "12h";
    dialog.form().set(host);
    QVERIFY(dialog.keep().contains("no host"));
    host.host = "me@cluster";
    dialog.form().set(host);
    QVERIFY(dialog.form().host() == host);
    dialog.show();
    keep_pictures(dialog, "machine");
    QCOMPARE(dialog.keep(), QString());
    QVERIFY(jobs.hosts().size() == 1 && jobs.hosts()[0] == host);
    // Under another name it is the same machine.
    HostDialog again(host, jobs, *look_);
    host.name = "the cluster";
    again.form().set(host);
    QCOMPARE(again.keep(), QString());
    QVERIFY(jobs.hosts().size() == 1 && jobs.hosts()[0] == host);
  }

  void the_line_and_the_script_are_those_of_the_command() {
    JobList jobs([this] { return at("none"); }, CONOID_BIN_DIR "/conoid");
    auto document = CaseDocument::read(case_);
    QVERIFY(document.ok());
    SubmitDialog dialog(*document, jobs, *look_);
    dialog.choose("the cluster");
    QVERIFY(dialog.command().contains(" --on 'the cluster'"));
    QVERIFY(!dialog.command().contains("--ranks"));
    ComputeHost asked = dialog.host();
    QCOMPARE(asked.ranks, 4);
    asked.ranks = 8;
    dialog.form().set(asked);
    QVERIFY2(dialog.command().endsWith(" --ranks 8"), qPrintable(dialog.command()));
    const auto labels = dialog.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [&](const QLabel* l) { return l->text() == dialog.command(); }));
    QProcess command;
    command.start("/bin/sh", {"-c", QString(CONOID_BIN_DIR "/") + dialog.command() + " --dry-run"});
    QVERIFY(command.waitForFinished(60000));
    const auto script = jobs.script(*document, dialog.host());
    QVERIFY(script.ok() && script->find("#SBATCH --ntasks=8") != std::string::npos);
    QCOMPARE(command.readAllStandardOutput().trimmed(), QByteArray::fromStdString(*script).trimmed());
    dialog.show();
    keep_pictures(dialog, "submit");
    asked.time = "12";
    dialog.form().set(asked);
    QVERIFY(!jobs.script(*document, dialog.host()).ok());
  }

  void the_queue_of_a_machine_is_shown() {
    write_program(at("bin") / "squeue",
                  "printf '17|me|wall|RUNNING|1:02|1:00:00|1|node1\\n18|you|x|PENDING|0:00|1:00|1|(Priority)\\n'");
    write_program(at("bin") / "sinfo", "echo 'all*|up mixed|2|infinite|(null)'");
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", (folder_.filePath("bin") + ":").toUtf8() + path);
    ComputeHost here;
    here.name = "here";
    here.slurm = true;
    QVERIFY(keep_host(here).ok());
    auto w = test::shown_window(*look_, *settings_);
    w->show_jobs();
    JobsPage& page = w->jobs_page();
    QCOMPARE(page.machines().count(), 2);
    page.machines().setCurrentRow(1);
    QTRY_COMPARE(page.queue().rowCount(), 2);
    QCOMPARE(page.queue().item(0, 0)->text(), QString("17"));
    QCOMPARE(page.queue().item(1, 1)->text(), QString("waiting"));
    QCOMPARE(page.queue().item(1, 1)->toolTip(), QString("(Priority)"));
    keep_pictures(*w, "jobs-queue");
    // A machine without a queue there says so.
    fs::remove(at("bin") / "squeue");
    page.ask_queue();
    const auto said = [&page] {
      const auto labels = page.findChildren<QLabel*>();
      return std::any_of(labels.begin(), labels.end(), [](const QLabel* l) { return l->text().contains("squeue"); });
    };
    QTRY_VERIFY(said());
    QCOMPARE(page.queue().rowCount(), 0);
    QVERIFY(forget_host("here").ok() && forget_host("the cluster").ok());
    qputenv("PATH", path);
  }

  void a_window_opened_later_comes_back_to_the_run() {
    fs::create_directories(at("ssh"));
    rod::SshServer server(at("ssh"));
    if (!server.missing().empty()) QSKIP(server.missing().c_str());
    const std::string line = server.client();
    const std::size_t last = line.rfind(' ');
    // Over there the program stays until it is told, with its run as it is then.
    write_program(at("there") / "conoid", CONOID_BIN_DIR "/conoid \"$@\"\nwhile [ ! -e go ]; do sleep 0.05; done");
    ComputeHost far;
    far.name = "far";
    far.host = line.substr(last + 1);
    far.ssh = line.substr(0, last);
    far.threads = 1;
    far.program = (at("there") / "conoid").string();
    QVERIFY(keep_host(far).ok());
    QString folder;
    {
      auto w = test::shown_window(*look_, *settings_);
      QVERIFY(w->open_case(case_).ok());
      JobList& jobs = w->jobs();
      QCOMPARE(jobs.hosts().size(), std::size_t{1});
      QSignalSpy submitted(&jobs, &JobList::submitted), troubled(&jobs, &JobList::troubled);
      jobs.submit(w->model().document(), jobs.hosts()[0]);
      QTRY_VERIFY(!submitted.empty() || !troubled.empty());
      if (!troubled.empty()) QFAIL(troubled[0][1].value<Error>().render().c_str());
      folder = submitted[0][0].toString();
    }
    const fs::path there =
        fs::path(::getpwuid(::geteuid())->pw_dir) / "conoid-jobs" / fs::path(folder.toStdString()).filename();
    struct Tidy {
      fs::path folder;
      ~Tidy() {
        std::ofstream(folder / "go");
        std::error_code ignored;
        fs::remove_all(folder, ignored);
      }
    } tidy{there};
    QVERIFY(fs::exists(there / "job.sh"));
    // That window is closed. Another one finds the job, and what its run has come to.
    auto w = test::shown_window(*look_, *settings_);
    w->show_jobs();
    JobList& jobs = w->jobs();
    QTRY_VERIFY(jobs.job(folder) && jobs.job(folder)->state.word == "running");
    QCOMPARE(jobs.index(0, JobList::where_column).data().toString(), QString("far"));
    QTRY_VERIFY(fs::exists(there / "run" / "summary.json"));
    keep_pictures(*w, "jobs");
    w->jobs_page().choose(folder);
    w->jobs_page().open_chosen();
    QTRY_VERIFY(w->run().is_stored());
    QCOMPARE(w->run().folder().filename(), fs::path("so-far"));
    QVERIFY(!w->run().has_checkpoint());
    QVERIFY2(w->model().obstacle().isEmpty(), qPrintable(w->model().obstacle()));  // its files are found here
    // While it goes on its charts are brought again and again: a row more over there is a row more here, in the same view.
    QCOMPARE(jobs.followed(), folder);
    QVERIFY(!w->run().tables().empty());
    const std::string chart = w->run().tables()[0].info.id;
    const std::size_t rows = w->run().tables()[0].rows.size();
    QVERIFY(rows > 1);
    {
      std::ifstream before(there / "run" / "charts" / (chart + ".csv"));
      std::string read, newest;
      while (std::getline(before, read))
        if (!read.empty()) newest = read;
      std::ofstream(there / "run" / "charts" / (chart + ".csv"), std::ios::app) << newest << '\n';
    }
    QSignalSpy opened(&w->run(), &RunModel::opened);
    QTRY_COMPARE(w->run().tables()[0].rows.size(), rows + 1);
    QVERIFY(opened.empty());
    QCOMPARE(w->run().folder().filename(), fs::path("so-far"));
    // It ends over there; who looks again has the whole run, and it stands among all runs.
    std::ofstream(there / "go") << "\n";
    w->show_jobs();
    QTRY_VERIFY((jobs.refresh(), QTest::qWait(200), jobs.job(folder) && !jobs.job(folder)->run().empty()));
    QVERIFY(jobs.job(folder)->so_far().empty());
    w->jobs_page().open_chosen();
    QTRY_COMPARE(w->run().folder().filename(), fs::path("run"));
    QTRY_VERIFY(w->run().state() == SessionState::finished);
    QVERIFY(!w->run().tables().empty() || !w->run().frames().empty());
    const auto runs = list_runs(settings_->runs_folder(), settings_->jobs_folder());
    QVERIFY(std::any_of(runs.begin(), runs.end(), [&](const ListedRun& run) {
      return run.card.folder == fs::path(folder.toStdString()) / "run" && run.card.state == SessionState::finished;
    }));
  }

  void a_job_of_this_machine_goes_on_without_the_window_and_is_cancelled() {
    write_program(at("stays") / "conoid", "exec sleep 120");
    QString folder;
    {
      auto w = test::shown_window(*look_, *settings_);
      QVERIFY(w->open_case(case_).ok());
      QSignalSpy submitted(&w->jobs(), &JobList::submitted);
      ComputeHost own;
      own.program = (at("stays") / "conoid").string();
      w->jobs().submit(w->model().document(), own);
      QTRY_VERIFY(!submitted.empty());
      folder = submitted[0][0].toString();
    }
    auto w = test::shown_window(*look_, *settings_);
    w->show_jobs();
    QTRY_VERIFY(w->jobs().job(folder) && w->jobs().job(folder)->state.word == "running");
    w->jobs().cancel(folder);
    QTRY_VERIFY((QTest::qWait(100), !w->jobs().is_busy(folder)));
    QTRY_VERIFY((w->jobs().refresh(), QTest::qWait(200), w->jobs().job(folder)->state.is_over()));
  }
};

QTEST_MAIN(TestJobs)
#include "test_jobs.moc"
