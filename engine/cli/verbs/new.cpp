// SPDX-License-Identifier: BSD-3-Clause
// conoid new TEMPLATE: copies a sample case into a folder of one's own.
#include <filesystem>
#include <memory>

#include "engine/case/case.hpp"
#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/verbs/verbs.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string name;
  std::string folder;
};

/// What belongs to the gallery and not to the case.
bool is_gallery_file(const fs::path& file) {
  return file.filename() == "card.json" || file.stem() == "thumbnail";
}

Status copy_case(const fs::path& from, const fs::path& to) {
  std::error_code code;
  if (!fs::create_directories(to, code) && !fs::is_empty(to, code))
    return make_error(ErrorCode::file,
                      fmt::format("'{}' exists and is not empty; nothing is written over", to.string()),
                      "Give another folder: conoid new NAME FOLDER");
  if (code) return system_error("make the folder", to.string(), code.value());
  for (fs::recursive_directory_iterator it(from, code), end; !code && it != end; it.increment(code)) {
    const fs::path target = to / fs::relative(it->path(), from);
    if (it->is_directory()) {
      fs::create_directories(target, code);
    } else if (!is_gallery_file(it->path())) {
      fs::copy_file(it->path(), target, code);
      if (!code) fs::permissions(target, fs::perms::owner_write, fs::perm_options::add, code);
    }
  }
  if (code) return system_error("copy the case to", to.string(), code.value());
  return {};
}

void make_new(const NewOptions& options, Context& context) {
  std::vector<std::string> names;
  for (const SampleCase& sample : sample_cases()) {
    names.push_back(sample.name);
    if (sample.name != options.name) continue;
    const fs::path to = options.folder.empty() ? fs::path(sample.name) : fs::path(options.folder);
    if (const Status copied = copy_case(sample.file.parent_path(), to); !copied) return context.fail(copied.error());
    context.say("{}: {}", short_path(to / "case.json"), sample.title);
    context.say("Run it with: conoid run {}", shell_word(short_path(to / "case.json")));
    context.object({{"case", fs::absolute(to / "case.json").string()}, {"solver", sample.solver}});
    return;
  }
  const std::string near = nearest(options.name, names);
  context.fail(make_error(ErrorCode::command_line, fmt::format("there is no sample case '{}'", options.name),
                          near.empty() ? "`conoid list` shows them." : fmt::format("Did you mean '{}'?", near)));
}

void add_new(OptionSet verb, Context& context) {
  const auto options = std::make_shared<NewOptions>();
  verb.value("TEMPLATE", options->name, "Name of a sample case (conoid list)").required();
  verb.value("FOLDER", options->folder, "Folder to make (default: the sample's name)");
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] { make_new(*options, context); });
}

}  // namespace

Verb new_verb() {
  return {"new", "Copy a sample case into a folder of your own",
          "  conoid new point-source\n  conoid new point-source mine\n", add_new};
}

}  // namespace conoid::cli
