// SPDX-License-Identifier: BSD-3-Clause
// Reads the declarations back from CLI11.
#include "engine/cli/command_text.hpp"

#include <unistd.h>

#include <algorithm>

#include <CLI/CLI.hpp>

#include "conoid/config.hpp"
#include "engine/cli/command_line.hpp"
#include "engine/core/child_process.hpp"
#include "engine/core/resources.hpp"

namespace conoid::cli {
namespace {

constexpr const char* description =
    "Conoid computes waves and shocks: a case goes in, a run folder with fields, tables and a summary comes out.";
constexpr const char* exit_codes =
    "Exit codes: 0 finished; 1 internal error; 2 wrong command line; 3 case or mesh invalid; 4 file cannot be read or\n"
    "written; 5 not converged or a check failed; 6 no memory, no such device, or a program is missing (gmsh);\n"
    "7 remote or MPI failure; 75 stopped on request, `conoid resume` continues.\n"
    "First Ctrl-C stops at the next step and writes a checkpoint, a second one ends at once.";

std::vector<std::string> words_between(std::string_view text, char sign) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(sign, at), text.size());
    std::string_view word = text.substr(at, end - at);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!word.empty()) out.emplace_back(word);
    at = end + 1;
  }
  return out;
}

/// "TEXT:{auto,plain}", "INT:INT in [1 - 9]", "FLOAT": the type, then what is asked of it.
void take_type(std::string_view text, OptionText& out) {
  const std::size_t colon = text.find(':');
  out.value = text.substr(0, colon);
  if (colon == std::string_view::npos) return;
  const std::string_view check = text.substr(colon + 1);
  if (check.starts_with('{') && check.ends_with('}'))
    out.choices = words_between(check.substr(1, check.size() - 2), ',');
  else
    out.check = check;
}

OptionText text_of_option(const CLI::Option& option) {
  OptionText out;
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (option.get_positional()) out.names = {option.get_name(true)};
  if (option.get_items_expected_max() > 0) take_type(option.get_type_name(), out);
  out.initial = option.get_default_str();
  out.help = option.get_description();
  out.required = option.get_required();
  return out;
}

}  // namespace

void declare_command(CLI::App& app, Context& context) {
  app.description(description);
  app.footer(exit_codes);
  app.require_subcommand(1);
  app.set_version_flag("-V,--version", "conoid " CONOID_VERSION,
                       "Print the version and leave; with --json all parts: compiler, libraries, modules, MPI");
  app.get_formatter()->column_width(34);
  for (const Verb& verb : verbs()) {
    CLI::App* sub = app.add_subcommand(verb.name, verb.summary);
    sub->footer(std::string("Examples:\n") + verb.examples);
    verb.add(OptionSet(*sub), context);
  }
}

CommandText command_text() {
  Context context;
  CLI::App app("", "conoid");
  declare_command(app, context);
  CommandText out;
  out.description = description;
  out.exit_codes = exit_codes;
  for (const CLI::Option* option : app.get_options()) out.options.push_back(text_of_option(*option));
  for (const Verb& verb : verbs()) {
    VerbText text{verb.name, verb.summary, verb.examples, {}, {}};
    for (const CLI::Option* option : app.get_subcommand(verb.name)->get_options())
      (option->get_positional() ? text.positionals : text.options).push_back(text_of_option(*option));
    out.verbs.push_back(std::move(text));
  }
  return out;
}

std::vector<OptionText> options_of_sibling(const std::string& program) {
  const std::string path = (program_folder() / program).string();
  if (::access(path.c_str(), X_OK) != 0) return {};
  RunLimits limits;
  limits.seconds = 20;
  limits.merge_errors = false;
  const auto finished = run_program({path, "--help"}, limits);
  if (!finished || finished->status != 0) return {};
  return options_in_help(finished->output);
}

std::vector<OptionText> options_in_help(std::string_view help) {
  std::vector<OptionText> out;
  bool in_option = false;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string_view line = help.substr(at, end - at);
    at = end + 1;
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos || first < 2) {
      in_option = false;
      continue;
    }
    if (first > 4 && in_option) {
      std::string& words = out.back().help;
      words += (words.empty() ? "" : " ") + std::string(line.substr(first));
      continue;
    }
    in_option = line[first] == '-';
    if (!in_option) continue;
    const std::size_t gap = line.find("  ", first);
    OptionText option;
    std::string_view head = line.substr(first, gap == std::string_view::npos ? gap : gap - first);
    if (gap != std::string_view::npos)
      option.help = line.substr(std::min(line.find_first_not_of(' ', gap), line.size()));
    // "-o,--out TEXT:{a,b}=a ..." of CLI11, "-h, --help" and "--size <WxH>" of Qt.
    while (head.starts_with('-')) {
      const std::size_t stop = std::min(head.find_first_of(", "), head.size());
      option.names.emplace_back(head.substr(0, stop));
      head.remove_prefix(stop);
      while (head.starts_with(',') || head.starts_with(' ')) head.remove_prefix(1);
    }
    if (head.ends_with("...")) head = head.substr(0, head.find_last_not_of(" .") + 1);
    if (head.ends_with(" REQUIRED")) head.remove_suffix(9), option.required = true;
    if (const std::size_t equals = head.find('='); equals != std::string_view::npos) {
      option.initial = head.substr(equals + 1);
      head = head.substr(0, equals);
    }
    if (head.starts_with('<') && head.ends_with('>')) head = head.substr(1, head.size() - 2);
    take_type(head, option);
    out.push_back(std::move(option));
  }
  return out;
}

}  // namespace conoid::cli
