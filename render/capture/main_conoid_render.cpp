// SPDX-License-Identifier: BSD-3-Clause
// conoid-render: pictures of a run without a display. `conoid render` starts it, so that `conoid` itself loads no VTK.
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "conoid/config.hpp"
#include "engine/core/file_ending.hpp"
#include "render/capture/picture.hpp"
#include "render/capture/png.hpp"
#include "render/capture/run_picture.hpp"
#include "render/chart/chart_export.hpp"

namespace conoid {

namespace {

struct Arguments {
  std::string run;
  std::string output;
  std::string field;
  std::string part;
  std::optional<long long> frame;
  std::string size = "1200x800";
  double scale = 1;
  std::string theme = "light";
  std::string background = "white";
  std::string view = "iso";
  std::string map;
  std::string range;
  std::string show;
  std::string component;
  std::optional<double> phase;
  std::optional<double> warp;
  std::string warp_field;
  std::string title;
  std::string chart;
  std::vector<double> iso;
  bool edges = false;
  bool cuts = false;
  bool bare = false;
  bool thumbnail = false;
  bool list = false;
};

std::unique_ptr<CLI::App> command_line(Arguments& a) {
  auto app = std::make_unique<CLI::App>("Pictures of a run's fields and charts, without a display.", "conoid-render");
  app->set_version_flag("--version", "conoid-render " CONOID_VERSION);
  app->add_option("RUN", a.run, "Run folder, results file, run name below runs/, or 'latest'")->required();
  app->add_option("-o,--out,--output", a.output, "The picture: .png; charts also .svg and .pdf");
  app->add_flag("--list", a.list, "Print the frames, parts, fields and charts of the run");
  app->add_option("--field", a.field, "Field to colour (default: the first)");
  app->add_option("--frame", a.frame, "Frame number; -1 is the last (default)");
  app->add_option("--part", a.part, "Part of the frame (default: every part that has the field)");
  app->add_option("--component", a.component, "x, y, z or magnitude of a vector field");
  app->add_option("--show", a.show, "Of a complex field: instant (default), magnitude or phase");
  app->add_option("--phase", a.phase, "Phase of a complex field in degrees");
  app->add_option("--chart", a.chart, "A table of charts/, 'balance' or 'roofline', instead of a field");
  app->add_option("--size", a.size, "Logical size, WIDTHxHEIGHT")->capture_default_str();
  app->add_option("--scale", a.scale, "Device pixels for one logical pixel")->capture_default_str();
  app->add_option("--theme", a.theme, "light or dark")->capture_default_str();
  app->add_option("--background", a.background, "white, theme or transparent (dark pictures: theme)")
      ->capture_default_str()
      ->check(CLI::IsMember({"white", "theme", "transparent"}));
  app->add_option("--view", a.view, "iso, +x, -x, +y, -y, +z or -z")->capture_default_str();
  app->add_option("--color-map", a.map, "Name of a colour map");
  app->add_option("--range", a.range, "LOW:HIGH of the colours, in SI units");
  app->add_option("--iso", a.iso, "Iso-surfaces at these fractions of the range, instead of cuts through a grid");
  app->add_flag("--edges", a.edges, "Draw the sides of mesh cells");
  app->add_flag("--cuts", a.cuts, "Cut through volume meshes instead of showing their surface");
  app->add_option("--warp", a.warp_field, "Move mesh points by this field");
  app->add_option("--warp-scale", a.warp, "Metres a unit of that field (default: 5 % of the size)");
  app->add_option("--title", a.title, "Title (default: the title of the case)");
  app->add_flag("--bare", a.bare, "Nothing but the field: no colour bar, text, axes or outline");
  app->add_flag("--thumbnail", a.thumbnail, "480x300, bare, of a frame that shows something");
  return app;
}

Result<FieldView> field_view(const Arguments& a) {
  FieldView view;
  view.field = a.field;
  view.part = a.part;
  view.color_map = a.map;
  view.edges = a.edges;
  view.mesh_cuts = a.cuts;
  view.iso = a.iso;
  view.warp_field = a.warp_field;
  view.warp_scale = a.warp.value_or(0);
  view.value.angle = a.phase.value_or(0) * 3.14159265358979323846 / 180;
  if (!a.iso.empty())
    for (CutPlane& cut : view.cuts) cut.visible = false;
  if (a.component == "x" || a.component == "y" || a.component == "z")
    view.value.component = a.component.front() - 'x';
  else if (!a.component.empty() && a.component != "magnitude")
    return make_error(ErrorCode::command_line,
                      "--component must be x, y, z or magnitude, found \"" + a.component + "\"");
  if (a.show == "magnitude")
    view.value.part = ComplexPart::magnitude;
  else if (a.show == "phase")
    view.value.part = ComplexPart::phase;
  else if (!a.show.empty() && a.show != "instant")
    return make_error(ErrorCode::command_line, "--show must be instant, magnitude or phase, found \"" + a.show + "\"");
  if (!a.range.empty()) {
    const auto colon = a.range.find(':');
    const auto number = [](std::string_view text, double& value) {
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      return error == std::errc() && end == text.data() + text.size();
    };
    const std::string_view text = a.range;
    if (colon == std::string::npos || !number(text.substr(0, colon), view.low) ||
        !number(text.substr(colon + 1), view.high))
      return make_error(ErrorCode::command_line, "--range must be LOW:HIGH, found \"" + a.range + "\"",
                        "For example --range -0.02:0.02");
    view.fixed_range = true;
  }
  if (a.bare || a.thumbnail) view.color_bar = view.caption = view.triad = view.extents = view.outline = false;
  return view;
}

Result<Theme> picture_theme(const Arguments& a) {
  auto theme = find_theme(a.theme);
  if (!theme) return theme.error();
  // Exports are white unless asked; light text on white paper would not be asked for by anyone.
  if (a.background != "theme" && !theme->dark) return paper(std::move(theme).value());
  return theme;
}

Status save(const Arguments& a, const Image& image, PngText text) {
  text.emplace_back("Software", "Conoid " CONOID_VERSION);
  if (auto status = write_png(a.output, image, text); !status) return status;
  fmt::print("{}: {} x {} pixels\n", a.output, image.width, image.height);
  return {};
}

Status draw_chart(const Arguments& a, const std::filesystem::path& run, const PictureOptions& options,
                  const Theme& theme) {
  auto spec = read_chart(run, a.chart);
  if (!spec) return spec.error();
  if (!a.title.empty()) spec->title = a.title;
  auto scene = std::make_shared<ChartScene>();
  scene->set_theme(theme);
  scene->set_chart(std::move(spec).value());
  const std::string ending = lower_case_ending(a.output);
  if (ending == ".svg" || ending == ".pdf") {
    if (auto status = export_chart(scene, a.output, options.width, options.height); !status) return status;
    fmt::print("{}\n", a.output);
    return {};
  }
  auto image = take_picture(scene, options);
  if (!image) return image.error();
  return save(a, *image, {{"Run", run_id(run)}, {"Chart", a.chart}});
}

Status draw_field(const Arguments& a, const std::filesystem::path& run, const PictureOptions& options,
                  const Theme& theme) {
  auto view = field_view(a);
  if (!view) return view.error();
  const auto standard = parse_view(a.view);
  if (!standard) return standard.error();
  // A warp needs its field as well, so everything is read then.
  FieldRequest request{run, a.field, a.part, a.frame, a.thumbnail};
  if (!a.warp_field.empty()) request.field.clear();
  auto frame = read_frame(request);
  if (!frame) return frame.error();
  view->title = a.title.empty() ? run_title(run) : a.title;
  auto scene = std::make_shared<FieldScene>();
  scene->set_theme(theme);
  if (auto status = scene->set_frame(*frame); !status) return status;
  if (auto status = scene->set_view(*view); !status) return status;
  scene->look(*standard);
  auto image = take_picture(scene, options);
  if (!image) return image.error();
  return save(a, *image,
              {{"Run", run_id(run)},
               {"Field", a.field.empty() ? "first" : a.field},
               {"Frame", std::to_string((*frame)->number)}});
}

Status run_command(const Arguments& a) {
  auto run = find_run(a.run);
  if (!run) return run.error();
  if (a.list) {
    auto text = describe_run(*run);
    if (!text) return text.error();
    fmt::print("{}", *text);
    return {};
  }
  if (a.output.empty())
    return make_error(ErrorCode::command_line, "where should the picture go?", "Add -o picture.png, or --list.");
  const std::string ending = lower_case_ending(a.output);
  if (ending != ".png" && (a.chart.empty() || (ending != ".svg" && ending != ".pdf")))
    return make_error(ErrorCode::command_line, "a picture cannot be written as \"" + ending + "\"",
                      a.chart.empty() ? "Fields are written as .png." : "Charts are written as .png, .svg or .pdf.");
  if (!(a.scale >= 0.25 && a.scale <= 8))
    return make_error(ErrorCode::command_line, fmt::format("--scale must be 0.25 to 8, found {}", a.scale));
  const auto size = parse_size(a.thumbnail ? "480x300" : a.size);
  if (!size) return size.error();
  auto theme = picture_theme(a);
  if (!theme) return theme.error();
  PictureOptions options{size->first, size->second, a.scale, a.background == "transparent"};
  return a.chart.empty() ? draw_field(a, *run, options, *theme) : draw_chart(a, *run, options, *theme);
}

int failed(const Error& error) {
  fmt::print(stderr, "conoid-render: {}\n", error.render());
  return static_cast<int>(error.code);
}

}  // namespace

}  // namespace conoid

int main(int argc, char** argv) {
  conoid::Arguments arguments;
  const auto app = conoid::command_line(arguments);
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app->exit(error);
    return conoid::failed(conoid::make_error(conoid::ErrorCode::command_line, error.what(),
                                             "`conoid-render --help` shows what it takes."));
  }
  try {
    const auto status = conoid::run_command(arguments);
    return status ? 0 : conoid::failed(status.error());
  } catch (...) {
    return conoid::failed(conoid::current_exception_as_error());
  }
}
