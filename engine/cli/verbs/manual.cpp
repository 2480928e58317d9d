// SPDX-License-Identifier: BSD-3-Clause
// conoid manual [PAGE]: manual pages, written from what the command line takes and from the solvers' schemas, so that they say what
// this program does.
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <set>

#include "conoid/config.hpp"
#include "engine/case/case.hpp"
#include "engine/case/schema.hpp"
#include "engine/cli/command_text.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/atomic_file.hpp"
#include "engine/core/resources.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

/// A page in the macros of man(7).
class Page {
 public:
  Page(const std::string& name, int section, const std::string& summary) {
    out_ = ".\\\" Written by `conoid manual`.\n";
    std::string title = name;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    out_ +=
        fmt::format(".TH \"{}\" {} \"{}\" \"Conoid {}\" \"Conoid\"\n", plain(title), section, date(), CONOID_VERSION);
    out_ += ".nh\n.ad l\n";  // keys and options are no words to be broken
    heading("NAME");
    out_ += fmt::format("{} \\- {}\n", plain(name), plain(summary));
  }
  void heading(const std::string& title) { out_ += fmt::format(".SH \"{}\"\n", plain(title)); }
  void part(const std::string& title) { out_ += fmt::format(".SS \"{}\"\n", plain(title)); }
  void paragraph(std::string_view text) { out_ += new_paragraph() + line(text); }
  /// A term in bold, what follows it in plain, and what it means.
  void item(std::string_view term, std::string_view more, std::string_view text) {
    out_ += fmt::format(".TP\n\\fB{}\\fR{}{}\n", plain(term), more.empty() ? "" : " ", plain(more));
    out_ += text.empty() ? ".\n" : line(text);
  }
  void next_line(std::string_view text) {
    if (!text.empty()) out_ += ".br\n" + line(text);
  }
  void verbatim(std::string_view text) {
    out_ += new_paragraph() + ".nf\n";
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string escaped = plain(text.substr(at, end - at));
      out_ += (escaped.starts_with('.') || escaped.starts_with('\'') ? "\\&" : "") + escaped + "\n";
      at = end + 1;
    }
    out_ += ".fi\n";
  }
  void synopsis(std::string_view bold, std::string_view more) {
    out_ += fmt::format("{}\\fB{}\\fR {}\n", new_paragraph(), plain(bold), plain(more));
  }
  [[nodiscard]] const std::string& text() const { return out_; }

  /// Signs that the formatter would take for its own.
  static std::string plain(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '\\')
        out += "\\e";
      else if (c == '-')
        out += "\\-";
      else if (c == '"')
        out += "\\(dq";
      else if (c == '\'')
        out += "\\(aq";
      else if (c == '`')
        out += "\\(ga";
      else if (c == '^')
        out += "\\(ha";
      else if (c == '~')
        out += "\\(ti";
      else if (c == '\n')
        out += ' ';
      else
        out += c;
    }
    return out;
  }

 private:
  /// A heading begins a paragraph itself.
  [[nodiscard]] std::string new_paragraph() const {
    const std::size_t last = out_.rfind('\n', out_.size() - 2) + 1;
    return out_.compare(last, 2, ".S") == 0 ? "" : ".PP\n";
  }
  static std::string line(std::string_view text) {
    const std::string escaped = plain(text);
    return (escaped.starts_with('.') ? "\\&" : "") + escaped + "\n";
  }
  /// The day that SOURCE_DATE_EPOCH names, as packages have it made; else none: a page made here and now is as old as the program.
  static std::string date() {
    const char* text = std::getenv("SOURCE_DATE_EPOCH");
    if (text == nullptr || *text == '\0') return {};
    const std::time_t seconds = std::strtoll(text, nullptr, 10);
    std::tm day{};
    char out[16] = {};
    if (gmtime_r(&seconds, &day) == nullptr || std::strftime(out, sizeof out, "%Y-%m-%d", &day) == 0) return {};
    return out;
  }
  std::string out_;
};

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

void put_option(Page& page, const OptionText& option) {
  std::string value = option.choices.empty() ? option.value : joined(option.choices, "|");
  std::string help = option.help;
  if (!help.empty() && !help.ends_with('.')) help += '.';
  if (option.check == "POSITIVE") help += " Above 0.";
  if (const std::size_t in = option.check.find(" in ["); in != std::string::npos)
    help += fmt::format(" From {}.", option.check.substr(in + 5, option.check.size() - in - 6));
  if (option.required) help += " Must be given.";
  if (!option.initial.empty()) help += fmt::format(" Default: {}.", option.initial);
  page.item(joined(option.names, ", "), value, help);
}

void put_options(Page& page, const std::vector<OptionText>& options) {
  if (options.empty()) return;
  page.heading("OPTIONS");
  for (const OptionText& option : options) put_option(page, option);
}

void put_environment(Page& page) {
  page.heading("ENVIRONMENT");
  page.item("CONOID_RESOURCES", "",
            "Folder of sample cases, colour maps and themes, instead of share/conoid beside the program.");
  page.item("CONOID_MODULES", "", "Folder that modules for devices are looked for in first.");
  page.item("CONOID_EGL", "", "'device': pictures are drawn by a device first, not by the processor.");
  page.item("OMP_NUM_THREADS, SLURM_CPUS_PER_TASK", "",
            "Threads, the first before the second, where neither --threads nor the case names their number.");
  page.item("TMPDIR", "", "Folder for temporary files, instead of /tmp.");
  page.item("XDG_CACHE_HOME", "",
            "Meshes made by gmsh and rates of this machine are kept below conoid/ there, else in ~/.cache.");
}

/// "0 finished; 1 internal error; …" as a list.
void put_exit_codes(Page& page, std::string_view text) {
  page.heading("EXIT STATUS");
  const std::size_t begin = text.find(": "), end = text.find(".\n");
  std::string list(text.substr(begin + 2, end - begin - 2));
  for (char& c : list) c = c == '\n' ? ' ' : c;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t stop = std::min(list.find(';', at), list.size());
    const std::string entry = list.substr(list.find_first_not_of(' ', at), stop - list.find_first_not_of(' ', at));
    const std::size_t blank = entry.find(' ');
    page.item(entry.substr(0, blank), "", entry.substr(blank + 1) + ".");
    at = stop + 1;
  }
  page.paragraph(text.substr(end + 2));
}

std::string page_conoid(const CommandText& command) {
  Page page("conoid", 1, "compute waves and shocks");
  page.heading("SYNOPSIS");
  page.synopsis("conoid", "COMMAND [OPTIONS] …");
  page.synopsis("conoid help", "[COMMAND|SOLVER]");
  page.synopsis("mpirun", "-n N conoid run CASE");
  page.heading("DESCRIPTION");
  page.paragraph(command.description);
  page.paragraph("Each command has a page of its own, conoid-COMMAND(1). Cases are described in conoid-case(5).");
  page.heading("COMMANDS");
  for (const VerbText& verb : command.verbs)
    page.item(verb.name, verb.positionals.empty() ? "" : verb.positionals.front().names.front(), verb.summary + ".");
  put_options(page, command.options);
  page.heading("SOLVERS");
  for (const SolverInfo* info : registered_solvers())
    page.item(info->id, "", fmt::format("{}. {}", info->title, info->summary));
  page.heading("SAMPLE CASES");
  for (const SampleCase& sample : sample_cases())
    page.item(sample.name, "", fmt::format("{} ({}).", sample.title, sample.solver));
  put_exit_codes(page, command.exit_codes);
  put_environment(page);
  page.heading("FILES");
  page.item("runs/<time>-<hash>/", "",
            "What a run leaves: case.json, results.vtkhdf, charts/*.csv, summary.json, log.jsonl, checkpoints/.");
  page.heading("SEE ALSO");
  std::string also = "conoid-case(5), conoid-gui(1)";
  for (const VerbText& verb : command.verbs) also += fmt::format(", conoid-{}(1)", verb.name);
  page.paragraph(also);
  return page.text();
}

std::string page_of_verb(const CommandText& command, const VerbText& verb) {
  std::string summary = verb.summary;
  summary[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(summary[0])));
  Page page("conoid-" + verb.name, 1, summary);
  page.heading("SYNOPSIS");
  std::string words = "[OPTIONS]";
  for (const OptionText& p : verb.positionals) {
    const std::string name = p.names.front();
    words += p.required ? " " + name : " [" + name + "]";
  }
  const bool hands_on = verb.name == "render";
  page.synopsis("conoid " + verb.name, hands_on ? "RUN [OPTIONS]" : words);
  if (hands_on) page.synopsis("conoid-render", "RUN [OPTIONS]");
  page.heading("DESCRIPTION");
  page.paragraph(verb.summary + ".");
  if (hands_on)
    page.paragraph("The words are handed to the program conoid-render beside this one, which does the same alone.");
  for (const OptionText& p : verb.positionals) put_option(page, p);
  const auto handed = hands_on ? options_of_sibling("conoid-render") : std::vector<OptionText>();
  put_options(page, handed.empty() ? verb.options : handed);
  page.heading("EXAMPLES");
  page.verbatim(verb.examples);
  put_exit_codes(page, command.exit_codes);
  page.heading("SEE ALSO");
  page.paragraph("conoid(1), conoid-case(5)");
  return page.text();
}

std::string page_of_sibling(const std::string& program, const char* summary, const char* words) {
  Page page(program, 1, summary);
  page.heading("SYNOPSIS");
  page.synopsis(program, words);
  page.heading("DESCRIPTION");
  page.paragraph(std::string(summary) + ".");
  put_options(page, options_of_sibling(program));
  page.heading("SEE ALSO");
  page.paragraph("conoid(1), conoid-case(5)");
  return page.text();
}

/// Of a program that other programs start.
std::string page_of_helper(const std::string& program, const std::string& does, const std::string& words,
                           const std::string& description, const std::string& others) {
  Page page(program, 1, does);
  page.heading("SYNOPSIS");
  page.synopsis(program, words);
  page.heading("DESCRIPTION");
  page.paragraph(description);
  page.heading("SEE ALSO");
  page.paragraph(others);
  return page.text();
}

std::string page_worker() {
  return page_of_helper(
      "conoid-worker", "compute for another program", "",
      "Computes a case that another program, conoid(1) with --launcher or conoid-gui(1), sends to its standard input, "
      "and sends back events and frames on its standard output. It is started by those programs, also under mpirun and "
      "through ssh, and is of no use alone.",
      "conoid(1), conoid-run(1)");
}

std::string page_probe() {
  return page_of_helper(
      "conoid-probe", "read a VTU mesh for another program", "FILE.vtu BYTES SECONDS",
      "Reads a mesh of VTK's XML format, shut in with at most so many bytes of memory and so many seconds, and writes "
      "it to its standard output for conoid(1), which starts it.",
      "conoid-mesh(1)");
}

std::string json_word(const Json& value) {
  return value.is_string() ? "'" + value.get<std::string>() + "'" : value.dump();
}

void put_field(Page& page, const std::string& pointer, const Json& node) {
  std::string takes = describe(node);
  if (!takes.empty()) takes[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(takes[0])));
  if (node.contains("mandatory")) takes += "; must be given";
  if (node.contains("when")) takes += fmt::format("; where {}", node["when"].get<std::string>());
  page.item(pointer, "", takes + ".");
  if (node.contains("description")) page.next_line(node["description"].get<std::string>());
  if (node.contains("examples") && node["examples"].is_array() && !node["examples"].empty()) {
    std::string examples;
    for (const Json& example : node["examples"]) examples += (examples.empty() ? "" : ", ") + json_word(example);
    page.next_line("Examples: " + examples);
  }
}

/// What a key takes and says, for comparison.
std::string fingerprint(const std::string& pointer, const Json& node) {
  return pointer + '\n' + node.dump();
}

Result<std::string> page_case() {
  Page page("conoid-case", 5, "cases of Conoid: all keys");
  page.heading("DESCRIPTION");
  page.paragraph(
      "A case is a JSON file, usually case.json, that says what shall be computed. Comments, // and /* */, are "
      "allowed. A "
      "number with a unit may be written as a text, \"2 GHz\"; a bare number is in the unit given here. Keys are named "
      "by their "
      "place, /grid/spacing, where * stands for any element of a list or any name. `conoid run CASE --set "
      "grid.spacing=5m` "
      "changes one; `conoid check CASE` says what is wrong with a case.");
  const auto samples = sample_cases();
  if (!samples.empty()) {
    const SampleCase* shown = &samples.front();
    for (const SampleCase& sample : samples)
      if (sample.name == "point-source") shown = &sample;
    if (const auto text = read_file(shown->file, 1 << 20)) {
      page.heading("EXAMPLE");
      page.paragraph(fmt::format("The sample {} (`conoid new {}`):", shown->name, shown->name));
      page.verbatim(*text);
    }
  }
  // Keys that every solver takes alike come first, then those of each, which may differ in a default.
  std::vector<std::pair<const SolverInfo*, std::vector<std::pair<std::string, Json>>>> solvers;
  std::map<std::string, std::size_t> count;
  for (const SolverInfo* info : registered_solvers()) {
    const auto schema = Schema::for_solver(info->id, info->schema);
    if (!schema) return schema.error();
    solvers.emplace_back(info, schema->fields());
    std::set<std::string> seen;
    for (const auto& [pointer, node] : solvers.back().second)
      if (seen.insert(fingerprint(pointer, node)).second) ++count[fingerprint(pointer, node)];
  }
  if (!solvers.empty()) {
    page.heading("KEYS OF ALL SOLVERS");
    page.item("/solver", "", "The id of a solver; must be given.");
    for (const auto& [pointer, node] : solvers.front().second)
      if (pointer != "/solver" && count[fingerprint(pointer, node)] == solvers.size()) put_field(page, pointer, node);
  }
  for (const auto& [info, fields] : solvers) {
    page.heading(fmt::format("KEYS OF {}", info->id));
    page.paragraph(fmt::format("{}. {}", info->title, info->summary));
    for (const auto& [pointer, node] : fields)
      if (pointer != "/solver" && count[fingerprint(pointer, node)] < solvers.size()) put_field(page, pointer, node);
  }
  page.heading("SEE ALSO");
  page.paragraph("conoid(1), conoid-check(1), conoid-list(1), conoid-new(1)");
  return page.text();
}

struct PageMaker {
  std::string name;
  int section = 1;
  std::function<Result<std::string>()> make;
};

std::vector<PageMaker> page_makers(const CommandText& command) {
  std::vector<PageMaker> out;
  const auto add = [&](std::string name, int section, std::function<Result<std::string>()> make) {
    out.push_back({std::move(name), section, std::move(make)});
  };
  add("conoid", 1, [&command] { return Result<std::string>(page_conoid(command)); });
  for (const VerbText& verb : command.verbs)
    add("conoid-" + verb.name, 1, [&command, &verb] { return Result<std::string>(page_of_verb(command, verb)); });
  add("conoid-case", 5, page_case);
  add("conoid-worker", 1, [] { return Result<std::string>(page_worker()); });
  const auto there = [](const char* program) { return ::access((program_folder() / program).c_str(), X_OK) == 0; };
  if (there("conoid-probe")) add("conoid-probe", 1, [] { return Result<std::string>(page_probe()); });
  if (there("conoid-gui"))
    add("conoid-gui", 1, [] {
      return Result<std::string>(
          page_of_sibling("conoid-gui", "desktop workbench for waves and shocks", "[OPTIONS] [CASE|RUN|MESH]"));
    });
  return out;
}

struct ManualOptions {
  std::string page;
  std::string folder;
};

void write_pages(const std::vector<PageMaker>& makers, const fs::path& folder, Context& context) {
  Json files = Json::array();
  for (const PageMaker& maker : makers) {
    const auto text = maker.make();
    if (!text) return context.fail(text.error());
    const fs::path file =
        folder / fmt::format("man{}", maker.section) / fmt::format("{}.{}", maker.name, maker.section);
    std::error_code code;
    fs::create_directories(file.parent_path(), code);
    if (code) return context.fail(system_error("make the folder", file.parent_path().string(), code.value()));
    if (const Status written = write_file_atomically(file, *text); !written) return context.fail(written.error());
    files.push_back(file.string());
  }
  context.say("{} pages in {}", files.size(), folder.string());
  context.object({{"files", files}});
}

void manual(const ManualOptions& options, Context& context) {
  const CommandText command = command_text();
  const auto makers = page_makers(command);
  if (!options.folder.empty()) return write_pages(makers, options.folder, context);
  std::vector<std::string> names;
  const std::string wanted = options.page.empty() ? "conoid" : options.page;
  for (const PageMaker& maker : makers) {
    names.push_back(maker.name);
    if (maker.name != wanted && maker.name != "conoid-" + wanted) continue;
    const auto text = maker.make();
    if (!text) return context.fail(text.error());
    context.write(text->substr(0, text->size() - 1));
    return;
  }
  const std::string near = nearest(wanted, names);
  context.fail(make_error(
      ErrorCode::command_line, fmt::format("there is no manual page '{}'", wanted),
      near.empty() ? fmt::format("There are: {}.", joined(names, ", ")) : fmt::format("Did you mean '{}'?", near)));
}

void add_manual(OptionSet verb, Context& context) {
  const auto options = std::make_shared<ManualOptions>();
  verb.value("PAGE", options->page, "A command, 'case' or a program of this installation (default: conoid)");
  verb.value("--to", options->folder, "Write all pages into man1 and man5 of this folder");
  verb.on_use([options, &context] { manual(*options, context); });
}

}  // namespace

Verb manual_verb() {
  return {"manual", "Print a manual page, or write all of them",
          "  conoid manual run | man -l -\n  conoid manual case | man -l -\n  conoid manual --to ~/.local/share/man\n",
          add_manual};
}

}  // namespace conoid::cli
