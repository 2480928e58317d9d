// SPDX-License-Identifier: BSD-3-Clause
// A session in another program: the same results and events, and whatever happens to that program, this one lives.
// labels: cli
#include <QProcess>
#include <QTest>

#include <csignal>
#include <map>

#include "conoid/config.hpp"
#include "engine/session/process/process_session.hpp"
#include "engine/session/process/wire.hpp"
#include "engine/session/process/wire_events.hpp"
#include "tests/engine/session/rod.hpp"
#include "tests/engine/session/ssh_server.hpp"

using namespace conoid;
using namespace std::chrono_literals;

class TestProcessSession : public QObject {
  Q_OBJECT
 private slots:
  void equals_a_session_in_this_program();
  void frames_arrive_and_the_last_is_last();
  void commands_work();
  void a_crash_is_a_failed_run_that_can_be_resumed();
  void errors_name_lines_and_codes();
  void programs_that_are_no_worker();
  void another_version_is_refused_with_a_sentence();
  void output_of_libraries_does_no_harm();
  void ends_with_a_checkpoint_when_nobody_listens();
  void killing_it_leaves_this_program_alive();
  void under_mpirun();
  void through_a_stand_in_for_ssh();
  void through_a_real_ssh();
  void through_ssh_and_mpirun();
  void a_stuck_solver_is_given_up();
  void lines_of_launchers();
};

namespace {

const std::string worker = CONOID_WORKER_WITH_HEAT_ROD;

Launcher local() {
  Launcher out{{worker}};
  out.seconds_to_stop = 10;
  return out;
}

struct Seen {
  StateEvent last;
  std::vector<SessionState> states;
  std::map<std::string, double> numbers;
  std::size_t rows = 0;
  std::vector<Diagnostic> diagnostics;
  bool catalog = false;

  void look(SessionPort& port) {
    for (const SessionEvent& event : port.take_events()) {
      if (const auto* s = std::get_if<StateEvent>(&event)) states.push_back(s->state), last = *s;
      if (const auto* n = std::get_if<NumberEvent>(&event)) numbers[n->name] = n->value;
      if (const auto* t = std::get_if<TableEvent>(&event)) rows = t->first_row + t->rows.size();
      if (const auto* d = std::get_if<DiagnosticEvent>(&event)) diagnostics.push_back(d->diagnostic);
      if (std::holds_alternative<CatalogEvent>(event)) catalog = true;
    }
  }
};

Seen run_to_end(std::unique_ptr<SessionPort> session, int seconds = 30) {
  Seen seen;
  (void)session->wait(std::chrono::seconds(seconds));
  seen.look(*session);
  return seen;
}

std::string shown(const Seen& seen) {
  return std::string(name_of(seen.last.state)) + ": " + (seen.last.error ? seen.last.error->render() : "");
}

}  // namespace

void TestProcessSession::equals_a_session_in_this_program() {
  const rod::Scratch scratch;
  const Seen here = run_to_end(start_session(rod::options(rod::json(300), scratch / "here")));
  const Seen there = run_to_end(start_session_in_process(rod::options(rod::json(300), scratch / "there"), local()));
  QVERIFY2(there.last.state == SessionState::finished, shown(there).c_str());
  QCOMPARE(rod::rows_of(scratch / "there/charts/heat.csv"), rod::rows_of(scratch / "here/charts/heat.csv"));
  QVERIFY(there.numbers == here.numbers && there.numbers.contains("rounding"));
  QCOMPARE(there.rows, here.rows);
  QVERIFY(there.catalog);
  QVERIFY(there.states == here.states);
}

void TestProcessSession::frames_arrive_and_the_last_is_last() {
  const rod::Scratch scratch;
  const auto session = start_session_in_process(rod::options(rod::json(200, 0.005), scratch / "run"), local());
  session->want_frames({}, 25);
  int frames = 0;
  Index step = -1;
  while (!session->wait(5ms))
    if (const auto frame = session->take_frame()) {
      QVERIFY(frame->step > step);
      step = frame->step;
      QCOMPARE(frame->parts.at(0).fields.at(0).values->size(), std::size_t{38});
      ++frames;
    }
  if (const auto frame = session->take_frame()) step = frame->step;
  QVERIFY2(frames >= 3, qPrintable(QString::number(frames)));
  QCOMPARE(step, Index{200});
}

void TestProcessSession::commands_work() {
  const rod::Scratch scratch;
  SessionOptions options = rod::options(rod::json(2000, 0.002), scratch / "run");
  options.start_paused = true;
  const auto session = start_session_in_process(std::move(options), local());
  QVERIFY(rod::eventually([&] { return session->state() == SessionState::paused; }));
  Index step = 0;
  const auto steps = [&] {
    for (const SessionEvent& event : session->take_events())
      if (const auto* p = std::get_if<ProgressEvent>(&event)) step = p->step;
    return step;
  };
  for (int i = 0; i < 3; ++i) session->send(Command::step);
  QVERIFY(rod::eventually([&] { return steps() == 3; }));
  session->send(Command::resume);
  QVERIFY(rod::eventually([&] { return steps() > 50; }));
  session->send(Command::checkpoint);
  QVERIFY(rod::eventually([&] { return !rod::fs::is_empty(scratch / "run/checkpoints"); }));
  session->send(Command::stop);
  QVERIFY(session->wait(60s));
  QCOMPARE(session->state(), SessionState::stopped);
  QCOMPARE(session->folder(), scratch / "run");
}

void TestProcessSession::a_crash_is_a_failed_run_that_can_be_resumed() {
  const rod::Scratch scratch;
  Json json = rod::json(200, 0.002);
  json["parameters"]["fault"] = "crash";
  json["parameters"]["fault_step"] = 120;
  json["output"]["checkpoints"]["every_seconds"] = 0.02;
  const auto session = start_session_in_process(rod::options(json, scratch / "run"), local());
  QVERIFY(session->wait(30s));
  Seen seen;
  seen.look(*session);
  QCOMPARE(seen.last.state, SessionState::failed);
  QVERIFY(seen.last.error.has_value());
  QCOMPARE(seen.last.error->code, ErrorCode::remote);
  QVERIFY2(seen.last.error->text.find("ended by signal 11") != std::string::npos, shown(seen).c_str());
  QVERIFY2(seen.last.error->hint.find("log.jsonl") != std::string::npos, shown(seen).c_str());
  QVERIFY(rod::fs::exists(session->folder() / "log.jsonl"));
  // Nothing of the run is lost: without the fault it goes on from its checkpoint to the same end.
  const Seen whole = run_to_end(start_session(rod::options(rod::json(200), scratch / "whole")));
  std::string text = rod::text_of(scratch / "run/case.json");
  text.replace(text.find("crash"), 5, "none");
  std::ofstream(scratch / "run/case.json") << text;
  std::string run = rod::text_of(scratch / "run/run.json");
  SessionOptions again;
  again.resume = scratch / "run";
  const Seen rest = run_to_end(start_session_in_process(std::move(again), local()));
  QVERIFY2(rest.last.state == SessionState::finished, shown(rest).c_str());
  QCOMPARE(rod::rows_of(scratch / "run/charts/heat.csv"), rod::rows_of(scratch / "whole/charts/heat.csv"));
}

void TestProcessSession::errors_name_lines_and_codes() {
  const rod::Scratch scratch;
  Json json = rod::json(20);
  json["parameters"]["fourier"] = 0.9;
  SessionOptions options;
  options.document = *CaseDocument::read(rod::write_case(scratch / "case.json", json));
  options.folder = scratch / "run";
  const Seen seen = run_to_end(start_session_in_process(options, local()));
  QCOMPARE(seen.last.state, SessionState::failed);
  QCOMPARE(seen.last.error->code, ErrorCode::invalid_input);
  QVERIFY2(seen.last.error->place.line > 1, shown(seen).c_str());
  QCOMPARE(seen.last.error->place.line, options.document.place(seen.last.error->place.pointer).line);

  json = rod::json(20);
  json["parameters"]["fault"] = "memory";
  json["parameters"]["fault_step"] = 3;
  const Seen memory = run_to_end(start_session_in_process(rod::options(json, scratch / "memory"), local()));
  QCOMPARE(memory.last.state, SessionState::failed);
  QCOMPARE(memory.last.error->code, ErrorCode::resources);
}

void TestProcessSession::programs_that_are_no_worker() {
  const rod::Scratch scratch;
  const auto outcome = [&](std::vector<std::string> command, double patience = 20) {
    Launcher launcher{std::move(command)};
    launcher.seconds_to_answer = patience;
    launcher.seconds_to_stop = 1;
    const Seen seen = run_to_end(start_session_in_process(rod::options(rod::json(5), scratch / "run"), launcher));
    return seen.last.state == SessionState::failed && seen.last.error && seen.last.error->code == ErrorCode::remote
               ? seen.last.error->render()
               : "not failed";
  };
  std::string text = outcome({"/no/such/program"});
  QVERIFY2(text.find("cannot start '/no/such/program'") != std::string::npos, text.c_str());
  text = outcome({"sh", "-c", "echo nonsense; echo conoid-worker: not found >&2; exit 127"});
  QVERIFY2(text.find("ended with code 127 before the session began") != std::string::npos &&
               text.find("conoid-worker: not found") != std::string::npos,
           text.c_str());
  text = outcome({"sleep", "30"}, 0.4);
  QVERIFY2(text.find("did not answer within") != std::string::npos, text.c_str());
  text = outcome({"sh", "-c", "yes"});
  QVERIFY2(
      text.find("before the session began") != std::string::npos || text.find("something else") != std::string::npos,
      text.c_str());
  const std::string hello = "echo 'CONOID-WIRE " + std::to_string(process::wire_version) + "'; ";
  text = outcome({"sh", "-c", hello + "echo rubbish that is no message of any kind at all"});
  QVERIFY2(text.find("message") != std::string::npos, text.c_str());
  text = outcome({"sh", "-c", hello + "read greeting; exit 3"});
  QVERIFY2(text.find("ended with code 3 while it computed") != std::string::npos, text.c_str());
  // Dead inside a message: four bytes of its header.
  text = outcome({"sh", "-c", hello + "read greeting; printf '\\020\\000\\000\\000'; kill -9 $$"});
  QVERIFY2(text.find("ended by signal 9 (Killed) while it computed") != std::string::npos, text.c_str());
  // A rank that ends all of them says why, and its launcher passes its exit code on, among lines of its own.
  const Seen lost =
      run_to_end(start_session_in_process(rod::options(rod::json(5), scratch / "run"),
                                          {{"sh", "-c",
                                            hello + "read greeting; printf 'conoid: error: rank 1: the device is "
                                                    "lost\\n  Use another.\\nMPI_ABORT\\n' >&2; exit 6"},
                                           false,
                                           20,
                                           1}));
  QVERIFY(lost.last.error);
  QCOMPARE(lost.last.error->code, ErrorCode::resources);
  QCOMPARE(lost.last.error->text, std::string("rank 1: the device is lost"));
  QVERIFY2(lost.last.error->hint.find("Use another. ") == 0, lost.last.error->hint.c_str());
}

void TestProcessSession::another_version_is_refused_with_a_sentence() {
  const rod::Scratch scratch;
  const Seen seen = run_to_end(
      start_session_in_process(rod::options(rod::json(5), scratch / "run"),
                               {{"sh", "-c", "echo 'CONOID-WIRE 99 conoid=9.9'; cat >/dev/null"}, false, 20, 1}));
  const std::string refusal =
      "speaks version 99 of the connection, this one version " + std::to_string(process::wire_version);
  QVERIFY2(shown(seen).find(refusal) != std::string::npos, shown(seen).c_str());

  // The same seen from the worker.
  QProcess process;
  process.start(QString::fromStdString(worker), QStringList());
  QVERIFY(process.waitForStarted());
  process.write("CONOID-WIRE 99\n");
  QVERIFY(process.waitForFinished(100000));
  QCOMPARE(process.exitCode(), static_cast<int>(ErrorCode::remote));
  std::string bytes = process.readAllStandardOutput().toStdString();
  process::MessageReader in([&bytes](std::span<char> into) {
    const std::size_t n = std::min(into.size(), bytes.size());
    std::copy_n(bytes.begin(), n, into.begin());
    bytes.erase(0, n);
    return n;
  });
  std::string other;
  QVERIFY(in.greeting(other).has_value());
  const auto message = in.next();
  QVERIFY(message && message->kind == process::MessageKind::refused);
  QVERIFY(process::decode_error(message->body).text.find("version 99") != std::string::npos);
}

void TestProcessSession::output_of_libraries_does_no_harm() {
  const rod::Scratch scratch;
  Json json = rod::json(30);
  json["parameters"]["fault"] = "chatter";
  json["parameters"]["fault_step"] = 10;
  const Seen seen = run_to_end(start_session_in_process(rod::options(json, scratch / "run"), local()));
  QVERIFY2(seen.last.state == SessionState::finished, shown(seen).c_str());
}

void TestProcessSession::ends_with_a_checkpoint_when_nobody_listens() {
  const rod::Scratch scratch;
  const SessionOptions options = rod::options(rod::json(5000, 0.002), scratch / "run");
  QProcess process;
  process.start(QString::fromStdString(worker), QStringList());
  QVERIFY(process.waitForStarted());
  process.write(QByteArray::fromStdString(process::to_line({process::wire_version, {}})));
  const std::string body = process::encode(options);
  char name[] = "/tmp/conoid-start-XXXXXX";
  const int fd = ::mkstemp(name);
  process::MessageWriter writer(fd);
  QVERIFY(writer.write(process::MessageKind::start, body));
  process.write(QByteArray::fromStdString(rod::text_of(name)));
  ::close(fd);
  ::unlink(name);
  // Until its table has grown, so that there are steps behind it: a run without any has nothing to keep.
  std::uintmax_t first = 0;
  QVERIFY(rod::eventually([&] {
    process.waitForReadyRead(10);
    if (!rod::fs::exists(scratch / "run/charts/heat.csv")) return false;
    const auto now = rod::fs::file_size(scratch / "run/charts/heat.csv");
    if (first == 0) first = now;
    return now > first;
  }));
  process.closeWriteChannel();
  QVERIFY(process.waitForFinished(100000));
  QCOMPARE(process.exitCode(), static_cast<int>(ErrorCode::stopped));
  QVERIFY(!rod::fs::is_empty(scratch / "run/checkpoints"));
}

void TestProcessSession::killing_it_leaves_this_program_alive() {
  const rod::Scratch scratch;
  // The shell tells the worker's id, then becomes it.
  const std::string id_file = scratch / "id";
  const auto session =
      start_session_in_process(rod::options(rod::json(5000, 0.002), scratch / "run"),
                               {{"sh", "-c", "echo $$ > '" + id_file + "'; exec '" + worker + "'"}, false, 20, 5});
  QVERIFY(rod::eventually([&] { return session->state() == SessionState::running; }));
  QVERIFY(::kill(std::stoi(rod::text_of(id_file)), SIGKILL) == 0);
  QVERIFY(session->wait(100s));
  Seen seen;
  seen.look(*session);
  QVERIFY2(shown(seen).find("ended by signal 9") != std::string::npos, shown(seen).c_str());
  session->send(Command::stop);  // into a closed pipe
  session->want_frames({}, 10);
  QVERIFY(session->take_frame() == nullptr);
}

void TestProcessSession::under_mpirun() {
  if (QProcess::execute("sh", {"-c", "command -v mpirun >/dev/null"}) != 0) QSKIP("there is no mpirun");
  const rod::Scratch scratch;
  const Seen here = run_to_end(start_session(rod::options(rod::json(100), scratch / "here")));
  Launcher launcher{{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2", worker}};
  const Seen seen = run_to_end(start_session_in_process(rod::options(rod::json(100), scratch / "run"), launcher), 60);
  if (!CONOID_HAVE_MPI) {
    QVERIFY2(shown(seen).find("CONOID_WITH_MPI") != std::string::npos, shown(seen).c_str());
    QSKIP("this build has no MPI, and says so");
  }
  QVERIFY2(seen.last.state == SessionState::finished, shown(seen).c_str());
  QVERIFY(rod::summary_of(scratch / "run")["ranks"] == 2);
  QCOMPARE(rod::rows_of(scratch / "run/charts/heat.csv"), rod::rows_of(scratch / "here/charts/heat.csv"));
}

void TestProcessSession::through_a_stand_in_for_ssh() {
  const rod::Scratch scratch;
  // As ssh does: the words after the host are joined and given to a shell there; the host greets first.
  const rod::fs::path ssh = scratch / "ssh";
  std::ofstream(ssh)
      << "#!/bin/sh\necho 'Last login: yesterday'\n[ \"$1\" = -p ] && shift 2\necho \"to $1\" >&2\nshift\n"
         "cd \"${TMPDIR:-/tmp}\" && exec sh -c \"$*\"\n";
  rod::fs::permissions(ssh, rod::fs::perms::owner_all);
  const auto launcher = parse_launcher("'" + ssh.string() + "' -p 22 some-host " + worker);
  QVERIFY(launcher.ok());
  QVERIFY(launcher->pack);
  const Seen seen =
      run_to_end(start_session_in_process(rod::options(rod::json(60, 0, 30001), scratch / "run"), *launcher));
  QVERIFY2(seen.last.state == SessionState::finished, shown(seen).c_str());
  const auto missing = parse_launcher("'" + ssh.string() + "' -p 22 some-host /nowhere/conoid-worker");
  const Seen lost = run_to_end(start_session_in_process(rod::options(rod::json(5), scratch / "lost"), *missing));
  QVERIFY2(
      shown(lost).find("/nowhere/conoid-worker") != std::string::npos && lost.last.error->code == ErrorCode::remote,
      shown(lost).c_str());
}

void TestProcessSession::through_a_real_ssh() {
  const rod::Scratch scratch;
  const rod::SshServer server(scratch.path());
  if (!server.missing().empty()) QSKIP(server.missing().c_str());
  const auto launcher = parse_launcher(server.client() + " '" + worker + "'");
  QVERIFY(launcher.ok() && launcher->pack);

  // The same results, with frames big enough for several packed blocks.
  const Seen here = run_to_end(start_session(rod::options(rod::json(60, 0, 30001), scratch / "here")));
  const Seen seen =
      run_to_end(start_session_in_process(rod::options(rod::json(60, 0, 30001), scratch / "run"), *launcher));
  QVERIFY2(seen.last.state == SessionState::finished, shown(seen).c_str());
  QCOMPARE(rod::rows_of(scratch / "run/charts/heat.csv"), rod::rows_of(scratch / "here/charts/heat.csv"));
  QVERIFY(seen.numbers == here.numbers);

  // A stop arrives, and the checkpoint is written there.
  {
    const auto session =
        start_session_in_process(rod::options(rod::json(50000, 0.002), scratch / "stopped"), *launcher);
    QVERIFY(rod::eventually([&] { return session->state() == SessionState::running; }));
    session->send(Command::stop);
    QVERIFY(session->wait(60s));
    QCOMPARE(session->state(), SessionState::stopped);
    QVERIFY(!rod::fs::is_empty(scratch / "stopped/checkpoints"));
  }
  // The connection breaks: told here, and the far end stops with a checkpoint.
  {
    Launcher fragile = *launcher;
    const std::string id_file = scratch / "id";
    fragile.command = {"sh", "-c", "echo $$ > '" + id_file + "'; exec " + server.client() + " '" + worker + "'"};
    const auto session = start_session_in_process(rod::options(rod::json(50000, 0.002), scratch / "lost"), fragile);
    QVERIFY(rod::eventually([&] { return session->state() == SessionState::running; }));
    QVERIFY(::kill(std::stoi(rod::text_of(id_file)), SIGKILL) == 0);
    QVERIFY(session->wait(60s));
    QCOMPARE(session->state(), SessionState::failed);
    QVERIFY(rod::eventually([&] {
      return rod::fs::exists(scratch / "lost/summary.json") && !rod::fs::is_empty(scratch / "lost/checkpoints");
    }));
    QCOMPARE(rod::summary_text(scratch / "lost", "state"), std::string("\"stopped\""));
  }
  // What ssh says of a port where nobody listens is what the person reads.
  const auto nowhere = parse_launcher(server.client(rod::SshServer::free_port()) + " '" + worker + "'");
  const Seen refused = run_to_end(start_session_in_process(rod::options(rod::json(5), scratch / "nowhere"), *nowhere));
  QVERIFY2(
      shown(refused).find("Connection refused") != std::string::npos && refused.last.error->code == ErrorCode::remote,
      shown(refused).c_str());
  const auto missing = parse_launcher(server.client() + " /nowhere/conoid-worker");
  const Seen lost = run_to_end(start_session_in_process(rod::options(rod::json(5), scratch / "missing"), *missing));
  QVERIFY2(shown(lost).find("/nowhere/conoid-worker") != std::string::npos, shown(lost).c_str());
}

void TestProcessSession::through_ssh_and_mpirun() {
  const rod::Scratch scratch;
  const rod::SshServer server(scratch.path());
  if (!server.missing().empty()) QSKIP(server.missing().c_str());
  if (QProcess::execute("sh", {"-c", "command -v mpirun >/dev/null"}) != 0) QSKIP("there is no mpirun");
  const Seen here = run_to_end(start_session(rod::options(rod::json(100), scratch / "here")));
  const auto launcher =
      parse_launcher(server.client() + " mpirun --allow-run-as-root --oversubscribe -n 2 '" + worker + "'");
  const Seen seen = run_to_end(start_session_in_process(rod::options(rod::json(100), scratch / "run"), *launcher), 60);
  if (!CONOID_HAVE_MPI) QSKIP("this build has no MPI");
  QVERIFY2(seen.last.state == SessionState::finished, shown(seen).c_str());
  QVERIFY(rod::summary_of(scratch / "run")["ranks"] == 2);
  QCOMPARE(rod::rows_of(scratch / "run/charts/heat.csv"), rod::rows_of(scratch / "here/charts/heat.csv"));
}

/// Every step sleeps longer than a stop may take. Ended within five seconds, unless the machine is busy with other things: then in
/// one of a few attempts.
void TestProcessSession::a_stuck_solver_is_given_up() {
  double seconds = 0;
  for (int attempt = 0; attempt < 4; ++attempt) {
    const rod::Scratch scratch;
    const auto session = start_session_in_process(rod::options(rod::json(20, 10), scratch / "run"), local());
    QVERIFY(rod::eventually([&] { return session->state() == SessionState::running; }));
    const auto asked = std::chrono::steady_clock::now();
    session->send(Command::stop);
    QVERIFY(session->wait(60s));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
    QCOMPARE(session->state(), SessionState::stopped);
    QCOMPARE(rod::summary_text(scratch / "run", "state"), std::string("\"stopped\""));
    if (seconds < 5) break;
  }
  QVERIFY2(seconds < 5, qPrintable(QString::number(seconds)));
}

void TestProcessSession::lines_of_launchers() {
  const std::string here = local_launcher().command.front();
  QCOMPARE(parse_launcher("mpirun -n 4")->command, (std::vector<std::string>{"mpirun", "-n", "4", here}));
  QCOMPARE(parse_launcher(" ssh  host ")->command, (std::vector<std::string>{"ssh", "host", "conoid-worker"}));
  QCOMPARE(parse_launcher("ssh host \"/opt/my conoid/conoid-worker\"")->command,
           (std::vector<std::string>{"ssh", "host", "/opt/my conoid/conoid-worker"}));
  QVERIFY(!parse_launcher("mpirun -n 4")->pack && parse_launcher("ssh host")->pack);
  QCOMPARE(parse_launcher("").error().code, ErrorCode::command_line);
  QVERIFY(parse_launcher("ssh 'host").error().text.find("closing '") != std::string::npos);
}

QTEST_GUILESS_MAIN(TestProcessSession)
#include "test_process_session.moc"
