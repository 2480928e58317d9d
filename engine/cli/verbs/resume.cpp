// SPDX-License-Identifier: BSD-3-Clause
// conoid resume RUN|latest: goes on from the newest checkpoint of a run, in the same folder.
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/run_here.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/io/run_folder.hpp"
#include "engine/session/prolong.hpp"
#include "engine/session/session.hpp"

namespace conoid::cli {
namespace {

struct ResumeOptions {
  std::string run;
  std::vector<std::string> set;
  RunOptions how;
};

void resume(const ResumeOptions& options, Context& context) {
  const auto folder = run_folder_named(options.run);
  if (!folder) return context.fail(folder.error());
  const Json summary = read_summary(*folder);
  if (summary.is_object() && summary.value("state", "") == "finished" && options.set.empty()) {
    const std::string name = short_path(*folder);
    std::string how;
    if (const auto document = read_run_case(*folder))
      for (const std::string& key : keys_of_the_end(schema_of(*document)))
        how += fmt::format("{}conoid resume {} --set {}=VALUE", how.empty() ? " To prolong it: " : ", or ",
                           shell_word(name), key);
    context.say("{} has finished already; there is nothing to go on with.{}", name, how);
    context.object({{"state", "finished"}, {"exit", 0}, {"run", folder->string()}, {"summary", summary}});
    return;
  }
  SessionOptions session;
  session.resume = *folder;
  session.set = options.set;
  run_and_report(std::move(session), options.how, context);
}

void add_resume(OptionSet verb, Context& context) {
  const auto options = std::make_shared<ResumeOptions>();
  verb.value("RUN", options->run, "Run folder, its name below runs/, or 'latest'").required();
  verb.value("--set", options->set, "Change the run's end or output: PATH=VALUE, may be repeated").repeated();
  add_run_options(verb, options->how, context);
  verb.on_use([options, &context] { resume(*options, context); });
}

}  // namespace

Verb resume_verb() {
  return {"resume", "Go on with a run that was stopped or killed",
          "  conoid resume latest\n"
          "  conoid resume latest --set parameters.end_time=\"0.6 s\"\n"
          "  conoid resume runs/20260314T092653Z-1a2b3c4d --threads 8\n",
          add_resume};
}

}  // namespace conoid::cli
