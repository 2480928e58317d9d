// SPDX-License-Identifier: BSD-3-Clause
// From the declarations of the verbs; what a value is, is told by its name.
#include "engine/cli/completion.hpp"

#include <algorithm>
#include <filesystem>

#include "engine/case/schema.hpp"
#include "engine/cli/command_text.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/solvers/registry.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

void add_words(Candidates& out, const std::vector<std::string>& words) {
  for (const std::string& word : words) out.words.push_back({word, {}});
}

void add_solvers(Candidates& out) {
  for (const SolverInfo* info : registered_solvers())
    out.words.push_back({std::string(info->id), std::string(info->title)});
}

void add_samples(Candidates& out) {
  for (const SampleCase& sample : sample_cases()) out.words.push_back({sample.name, sample.title});
}

/// 'latest' and the runs below runs/, newest first.
void add_runs(Candidates& out) {
  std::vector<std::string> names;
  std::error_code code;
  for (fs::directory_iterator it("runs", code), end; !code && it != end && names.size() < 1000; it.increment(code)) {
    std::error_code ignored;
    if (fs::exists(it->path() / "run.json", ignored)) names.push_back(it->path().filename().string());
  }
  std::sort(names.rbegin(), names.rend());
  if (!names.empty()) out.words.push_back({"latest", "the newest run below runs/"});
  add_words(out, names);
  out.folders = true;
}

/// The keys of the case that the line names, as --set and --over take them; of every solver where it names none.
void add_keys(Candidates& out, const std::vector<std::string>& words) {
  std::vector<const SolverInfo*> solvers;
  for (std::size_t k = 1; k + 1 < words.size(); ++k) {
    std::error_code ignored;
    if (words[k].starts_with('-') || !fs::exists(words[k], ignored)) continue;
    const auto document = read_case(words[k]);
    if (!document || !document->json().is_object()) continue;
    const Json id = document->json().value("solver", Json());
    if (const SolverInfo* info = id.is_string() ? find_solver(id.get<std::string>()) : nullptr) solvers = {info};
  }
  if (solvers.empty()) solvers.assign(registered_solvers().begin(), registered_solvers().end());
  for (const SolverInfo* info : solvers) {
    const auto schema = Schema::for_solver(info->id, info->schema);
    if (!schema) continue;
    for (const auto& [pointer, node] : schema->fields()) {
      if (pointer.find('*') != std::string::npos || pointer == "/conoid" || pointer == "/solver") continue;
      std::string key = pointer.substr(1);
      std::replace(key.begin(), key.end(), '/', '.');
      out.words.push_back({key + "=", node.value("title", std::string())});
    }
  }
  out.goes_on = true;
}

/// A positional argument, by the name that it has in the help.
void add_positional(Candidates& out, const std::string& name) {
  if (name == "SOLVER") return add_solvers(out);
  if (name == "TEMPLATE") return add_samples(out);
  if (name == "RUN" || name == "FIRST" || name == "SECOND") return add_runs(out);
  if (name == "FOLDER") {
    out.folders = true;
    return;
  }
  out.files = true;
  if (name == "CASE") {
    out.folders = true;
    out.endings = {".json"};
  }
}

/// Verbs whose words are those of the program that draws.
bool draws(const std::string& verb) {
  return verb == "render" || verb == "chart";
}

void add_values(Candidates& out, const std::string& verb, const OptionText& option,
                const std::vector<std::string>& words) {
  if (!option.choices.empty()) return add_words(out, option.choices);
  const std::string& name = option.names.back();
  if (name == "--set" || name == "--over") return add_keys(out, words);
  if (name == "--workers") return add_words(out, {"auto", "cpu", "cuda:0"});
  if (verb == "export" && name == "--to") return add_words(out, {"vtu", "vti", "csv"});
  if (name == "--out" && !draws(verb)) {
    out.folders = true;
    return;
  }
  out.files = out.folders = option.value == "TEXT";
}

const OptionText* option_named(const std::vector<OptionText>& options, const std::string& name) {
  for (const OptionText& option : options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  return nullptr;
}

void add_options(Candidates& out, const std::vector<OptionText>& options) {
  for (const OptionText& option : options)
    for (const std::string& name : option.names)
      if (name.starts_with("--")) out.words.push_back({name, option.help});
}

/// What may follow behind a verb.
Candidates of_verb(const VerbText& verb, const std::vector<std::string>& words) {
  Candidates out;
  const std::vector<OptionText> options = draws(verb.name) ? options_of_sibling("conoid-render") : verb.options;
  const std::string& typed = words.back();
  const std::string& before = words[words.size() - 2];
  if (const std::size_t equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    const OptionText* option = option_named(options, typed.substr(0, equals));
    if (option == nullptr) return out;
    add_values(out, verb.name, *option, words);
    for (Candidate& c : out.words) c.word = typed.substr(0, equals + 1) + c.word;
    return out;
  }
  if (const OptionText* option = words.size() > 2 ? option_named(options, before) : nullptr;
      option != nullptr && !option->value.empty()) {
    add_values(out, verb.name, *option, words);
    return out;
  }
  if (typed.starts_with('-')) {
    add_options(out, options);
    return out;
  }
  std::size_t positional = 0;
  for (std::size_t k = 1; k + 1 < words.size(); ++k) {
    if (words[k].starts_with('-') && words[k] != "-") {
      const OptionText* option = option_named(options, words[k]);
      if (option != nullptr && !option->value.empty()) ++k;
    } else {
      ++positional;
    }
  }
  if (draws(verb.name)) {
    if (positional == 0) add_runs(out);
  } else if (verb.name == "completion") {
    if (positional == 0) add_words(out, {"bash", "zsh", "fish"});
  } else if (verb.name == "manual" && positional == 0) {
    for (const VerbText& other : command_text().verbs) out.words.push_back({other.name, other.summary});
    add_words(out, {"case"});
  } else if (positional < verb.positionals.size()) {
    add_positional(out, verb.positionals[positional].names.front());
  }
  if (out.words.empty() && !out.files && !out.folders) add_options(out, options);
  return out;
}

}  // namespace

Candidates complete(const std::vector<std::string>& given) {
  std::vector<std::string> words = given;
  if (words.empty()) words.emplace_back();
  const CommandText command = command_text();
  Candidates out;
  const bool help = words.size() > 1 && words[0] == "help";
  if (words.size() == 1 || help) {
    if (!help) out.words.push_back({"help", "Explain a command or a solver's case"});
    if (words.size() <= 2)
      for (const VerbText& verb : command.verbs) out.words.push_back({verb.name, verb.summary});
    if (help && words.size() == 2) add_solvers(out);
    if (!help && words[0].starts_with('-')) add_options(out, command.options);
  } else if (words[0] == "--version") {
    add_words(out, {"--json"});
  } else {
    for (const VerbText& verb : command.verbs)
      if (verb.name == words[0]) out = of_verb(verb, words);
  }
  const std::string& typed = words.back();
  std::erase_if(out.words, [&](const Candidate& c) { return !c.word.starts_with(typed); });
  std::stable_sort(out.words.begin(), out.words.end(),
                   [](const Candidate& a, const Candidate& b) { return a.word < b.word && a.word != "latest"; });
  out.words.erase(std::unique(out.words.begin(), out.words.end(),
                              [](const Candidate& a, const Candidate& b) { return a.word == b.word; }),
                  out.words.end());
  return out;
}

}  // namespace conoid::cli
