// SPDX-License-Identifier: BSD-3-Clause
// A session on the calling thread with a person or a program watching.
#include "engine/cli/run_here.hpp"

#include <cstdio>

#include "engine/cli/progress_view.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/signals.hpp"
#include "engine/cluster/communicator.hpp"
#include "engine/core/log.hpp"
#include "engine/session/process/process_session.hpp"

namespace conoid::cli {
namespace {

/// Takes the events of a session; keeps what the report wants.
class Watcher {
 public:
  Watcher(ProgressForm form, SignalWatch& signals)
      : view_(form), speaks_(form == ProgressForm::line || form == ProgressForm::plain), signals_(signals) {}

  void look(SessionPort& port) {
    if (signals_.take_checkpoint_wish()) port.send(Command::checkpoint);
    for (const SessionEvent& event : port.take_events()) std::visit([this](const auto& e) { on(e); }, event);
    if (const auto folder = port.folder(); !folder.empty()) report.folder = folder;
  }
  void done() { view_.clear(); }

  Report report;
  StateEvent last;

 private:
  void on(const ProgressEvent& e) { view_.show(e); }
  void on(const StateEvent& e) {
    view_.show(e);
    last = e;
  }
  void on(const DiagnosticEvent& e) {
    view_.clear();
    // Warnings and errors are in the log; what was merely settled is said here.
    if (speaks_ && e.diagnostic.severity == Severity::note) std::fprintf(stderr, "%s\n", e.diagnostic.render().c_str());
    report.diagnostics.push_back(e.diagnostic);
  }
  void on(const TableEvent& e) { report.table_rows[e.info.id] = e.first_row + e.rows.size(); }
  void on(const CatalogEvent& e) {
    if (!e.fields.empty()) report.first_field = e.fields.front().second.name;
  }
  void on(const NumberEvent& e) { report.numbers[e.name] = {e.value, e.unit}; }
  void on(const BalanceEvent&) {}

  ProgressView view_;
  bool speaks_;
  SignalWatch& signals_;
};

}  // namespace

void add_run_options(OptionSet verb, RunOptions& options, Context& context) {
  add_resource_options(verb, options.resources);
  verb.value("--progress", options.progress, "auto, plain, json or none")
      .one_of({"auto", "plain", "json", "none"})
      .shown_default();
  verb.value("--launcher", options.launcher,
             "Compute in another program: \"mpirun -n 4\", \"ssh host\", or a path to conoid-worker");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
}

void run_and_report(SessionOptions session, const RunOptions& options, Context& context) {
  // With --json nothing is said but errors, unless progress is asked for.
  const auto form = progress_form(context.json && options.progress == "auto" ? "none" : options.progress);
  if (!form) return context.fail(form.error());
  if (context.json) log::set_console_level(LogLevel::error);
  auto request = request_of(options.resources);
  if (!request) return context.fail(request.error());
  session.flags = std::move(*request);

  const bool words = talks() && (*form == ProgressForm::line || *form == ProgressForm::plain);
  SignalWatch signals([words] {
    if (words) std::fputs("\nconoid: stopping as soon as what is being computed can be kept\n", stderr);
  });
  session.stop = signals.stop();
  Watcher watcher(talks() ? *form : ProgressForm::none, signals);
  StateEvent last;
  const auto conclude = [&](const StateEvent& end) {
    watcher.done();
    context.exit = exit_code_of(end);
    watcher.report.last = end;
    print(watcher.report, context);
  };
  session.abandoned = [&](const StateEvent& end) {
    conclude(end);
    std::fflush(nullptr);
    abort_all_ranks(context.exit);
  };
  if (options.launcher.empty()) {
    last = run_session_here(std::move(session), [&](SessionPort& port) { watcher.look(port); });
  } else {
    const auto launcher = parse_launcher(options.launcher);
    if (!launcher) return context.fail(launcher.error());
    const auto port = start_session_in_process(std::move(session), *launcher);
    while (!port->wait(std::chrono::milliseconds(100))) watcher.look(*port);
    watcher.look(*port);
    last = watcher.last;
  }
  conclude(last);
}

}  // namespace conoid::cli
