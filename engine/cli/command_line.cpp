// SPDX-License-Identifier: BSD-3-Clause
// Parsing and dispatch.
#include "engine/cli/command_line.hpp"

#include <cstdio>
#include <cstring>
#include <memory>

#include <poll.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include "conoid/config.hpp"
#include "engine/case/case.hpp"
#include "engine/cli/command_text.hpp"
#include "engine/cli/parts.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/cli/wrong_usage.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

std::vector<std::string> verb_names() {
  std::vector<std::string> out = {"help"};
  for (const Verb& verb : verbs()) out.emplace_back(verb.name);
  return out;
}

/// `conoid help run` is `conoid run --help`, `conoid help SOLVER` is `conoid list SOLVER`.
std::vector<std::string> arguments(int argc, char** argv) {
  std::vector<std::string> out(argv + 1, argv + argc);
  if (out.size() == 2 && out[0] == "help" && find_solver(out[1]) != nullptr) return {"list", out[1]};
  if (!out.empty() && out[0] == "help") {
    out.erase(out.begin());
    out.insert(out.begin() + (out.empty() ? 0 : 1), "--help");
  }
  return out;
}

Error unknown_verb(const std::string& word) {
  const std::string near = nearest(word, verb_names());
  std::string hint =
      near.empty() ? "`conoid help` lists the commands." : fmt::format("Did you mean `conoid {}`?", near);
  if (near.empty() && (word.ends_with(".json") || word.find('/') != std::string::npos))
    hint = fmt::format("To run a case: conoid run {}", shell_word(word));
  return make_error(ErrorCode::command_line, fmt::format("there is no command '{}'", word), hint);
}

/// Said of the command that was typed, or of the program where none was.
Error refused(const CLI::App& root, const CLI::ParseError& error, const std::vector<std::string>& words) {
  const CLI::App* at = &root;
  for (const CLI::App* verb : root.get_subcommands()) at = verb;
  return wrong_usage(error, *at, at == &root ? "conoid" : "conoid " + at->get_name(), words);
}

/// `conoid --version`, with `--json` behind it what the program is made of.
int print_version(const std::vector<std::string>& words) {
  Context context;
  if (words.size() > 2 || (words.size() == 2 && words[1] != "--json")) {
    context.fail(make_error(ErrorCode::command_line, fmt::format("--version: there is no '{}'", words.back()),
                            "`conoid --version` or `conoid --version --json`."));
    return context.exit;
  }
  context.json = words.size() == 2;
  context.write("conoid " CONOID_VERSION);
  if (context.json) context.object(parts_of_program());
  return 0;
}

int parse_and_run(int argc, char** argv) {
  std::vector<std::string> words = arguments(argc, argv);
  if (words.empty()) {
    std::fputs("Usage: conoid COMMAND …   (`conoid help` lists the commands)\n", stderr);
    return static_cast<int>(ErrorCode::command_line);
  }
  if (words[0] == "--version" || words[0] == "-V") return print_version(words);
  Context context;
  context.command = "conoid";
  for (const std::string& word : words) context.command += " " + word;

  CLI::App app("", "conoid");
  declare_command(app, context);
  if (words[0][0] != '-') {
    bool known = false;
    for (const std::string& name : verb_names()) known = known || name == words[0];
    if (!known) {
      print_error(unknown_verb(words[0]));
      return static_cast<int>(ErrorCode::command_line);
    }
  }
  // The parser drops a "--" that comes first, which a verb that hands its words on has to hand on, too: it stands second.
  if (words.size() > 1 && words[1] == "--")
    for (const Verb& verb : verbs())
      if (words[0] == verb.name && app.get_subcommand(words[0])->get_prefix_command())
        words.insert(words.begin() + 1, OptionSet::words_follow);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    if (talks()) print_error(refused(app, error, words));
    return static_cast<int>(ErrorCode::command_line);
  }
  return context.exit;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  try {
    const int code = parse_and_run(argc, argv);
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    // A reader that has read enough and left (`| head`) is no error.
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    const bool left = ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
    if (written || left || code != 0) return code;
    print_error(make_error(ErrorCode::file, "standard output cannot be written: is the device full?",
                           "What was computed into a run folder is there; the text is lost."));
    return static_cast<int>(ErrorCode::file);
  } catch (...) {
    const Error error = current_exception_as_error();
    print_error(error);
    return static_cast<int>(error.code);
  }
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> all = {run_verb(),      resume_verb(),    check_verb(),  sweep_verb(), submit_verb(),
                                        jobs_verb(),     hosts_verb(),     verify_verb(), bench_verb(), mesh_verb(),
                                        resample_verb(), render_verb(),    chart_verb(),  probe_verb(), compare_verb(),
                                        report_verb(),   export_verb(),    list_verb(),   new_verb(),   devices_verb(),
                                        manual_verb(),   completion_verb()};
  return all;
}

}  // namespace conoid::cli
