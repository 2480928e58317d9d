// SPDX-License-Identifier: BSD-3-Clause
// conoid export RUN --to vtu|vti|csv: the frames of a run for other programs.
#include <filesystem>
#include <memory>

#include "engine/cli/inputs.hpp"
#include "engine/cli/report.hpp"
#include "engine/cli/verbs/verbs.hpp"
#include "engine/core/units.hpp"
#include "engine/io/export.hpp"

namespace conoid::cli {
namespace {

namespace fs = std::filesystem;

struct ExportVerbOptions {
  std::string run;
  std::string to;
  std::string out;
  std::vector<std::size_t> frames;
  std::size_t every = 1;
  std::vector<std::string> fields, parts;
};

void run_export(const ExportVerbOptions& options, Context& context) {
  const auto format = parse_export_format(options.to);
  if (!format) return context.fail(format.error());
  const auto folder = run_folder_named(options.run);
  if (!folder) return context.fail(folder.error());
  ExportOptions how;
  how.format = *format;
  how.out = options.out.empty() ? *folder / ("export-" + options.to) : fs::path(options.out);
  how.frames = options.frames;
  how.every = options.every;
  how.request.fields = {options.fields.begin(), options.fields.end()};
  how.request.parts = {options.parts.begin(), options.parts.end()};
  const auto report = export_run(*folder, how);
  if (!report) return context.fail(report.error());
  context.say("{} frames, {} files, {}: {}", report->frames, report->files.size(), format_bytes(report->bytes),
              short_path(how.out));
  Json files = Json::array();
  for (const fs::path& file : report->files) {
    files.push_back(file.string());
    if (file.extension() == ".pvd") context.say("Open with ParaView: {}", short_path(file));
  }
  context.object({{"folder", fs::absolute(how.out).string()},
                  {"frames", report->frames},
                  {"bytes", report->bytes},
                  {"files", files}});
}

void add_export(OptionSet verb, Context& context) {
  const auto options = std::make_shared<ExportVerbOptions>();
  verb.value("RUN", options->run, "Run folder, its name below runs/, or 'latest'").required();
  verb.value("--to", options->to, "vtu, vti (both with a PVD for ParaView) or csv").required();
  verb.value("--out", options->out, "Folder to write (default: RUN/export-<format>)");
  verb.value("--frames", options->frames, "Numbers of frames, 0 first (default: all)").separated_by(',');
  verb.value("--every", options->every, "Each n-th frame only").within(1, 1 << 30);
  verb.value("--field", options->fields, "Fields to write (default: all)").repeated();
  verb.value("--part", options->parts, "Parts to write (default: all)").repeated();
  verb.flag("--json", context.json, "One JSON object on stdout and no other text; errors on stderr");
  verb.on_use([options, &context] { run_export(*options, context); });
}

}  // namespace

Verb export_verb() {
  return {"export", "Write a run's fields for ParaView or as tables",
          "  conoid export latest --to vti\n"
          "  conoid export runs/short --to csv --frames 0,10 --field pressure --out tables\n",
          add_export};
}

}  // namespace conoid::cli
