// SPDX-License-Identifier: BSD-3-Clause
// conoid run CASE: computes a case into a new run folder.
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/run_here.hpp"
#include "engine/cli/verbs/verbs.hpp"

namespace conoid::cli {
namespace {

struct RunVerbOptions {
  std::string file;
  std::string out;
  std::vector<std::string> set;
  bool trust = false;
  RunOptions run;
};

void run(const RunVerbOptions& options, Context& context) {
  auto document = read_case(options.file);
  if (!document) return context.fail(document.error());
  for (const std::string& assignment : options.set) {
    if (const Status set = apply_set(*document, assignment); !set) return context.fail(set.error());
  }
  if (const auto errors = errors_of_settings(*document, options.set); !errors.empty()) {
    for (std::size_t k = 0; k + 1 < errors.size(); ++k)
      if (talks()) print_error(errors[k]);
    return context.fail(errors.back());
  }
  SessionOptions session;
  session.document = std::move(*document);
  session.folder = options.out;
  session.trust_geometry = options.trust;
  run_and_report(std::move(session), options.run, context);
}

void add_run(OptionSet verb, Context& context) {
  const auto options = std::make_shared<RunVerbOptions>();
  verb.value("CASE", options->file, "Case file, or a folder with a case.json").required();
  verb.value("--out", options->out, "Run folder to make (default: runs/<UTC time>-<hash>)");
  verb.value("--set", options->set, "Change a value of the case: PATH=VALUE, may be repeated").repeated();
  verb.flag("--trust", options->trust,
            "Let the geometry script that the case names start programs, read and write files");
  add_run_options(verb, options->run, context);
  verb.on_use([options, &context] { run(*options, context); });
}

}  // namespace

Verb run_verb() {
  return {"run", "Compute a case",
          "  conoid run case.json\n"
          "  conoid run case.json --set parameters.steps=500 --out runs/short\n"
          "  conoid run case.json --workers cpu:3,cpu:1 --progress plain\n"
          "  mpirun -n 4 conoid run case.json\n"
          "  conoid run case.json --launcher \"ssh host\"\n",
          add_run};
}

}  // namespace conoid::cli
