// SPDX-License-Identifier: BSD-3-Clause
// conoid-render: pictures of a run without a display. `conoid render` starts it, so that `conoid` itself loads no VTK.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "conoid/config.hpp"
#include "engine/cli/wrong_usage.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/json.hpp"
#include "render/capture/chart_picture.hpp"
#include "render/capture/film_writer.hpp"
#include "render/capture/frame_reel.hpp"
#include "render/capture/picture.hpp"
#include "render/capture/picture_speed.hpp"
#include "render/capture/png.hpp"
#include "render/capture/practice.hpp"
#include "render/capture/run_picture.hpp"
#include "render/chart/chart_export.hpp"
#include "render/chart/chart_rows.hpp"
#include "render/chart/chart_style.hpp"
#include "render/scene/annotation.hpp"
#include "render/scene/iso_levels.hpp"
#include "render/scene/saved_view.hpp"
#include "render/window/raster_viewport.hpp"

namespace conoid {

namespace {

struct Arguments {
  std::string run;
  std::string output;
  std::string field;
  std::string part;
  std::optional<long long> frame;
  std::string frames;
  std::vector<std::string> cut, planes, formulas, annotations;
  std::string within, balloon;
  bool map_reversed = false, map_log = false, map_symmetric = false;
  int map_steps = 0;
  std::string camera;
  double pictures_per_second = 15;
  std::optional<int> samples;
  std::string size = "1200x800";
  double scale = 1;
  std::string theme = "light";
  std::string background = "white";
  std::string view;
  std::string map;
  std::string range;
  std::string show;
  std::string component;
  std::optional<double> phase;
  std::optional<double> warp, opacity, volume;
  std::string arrows, streamlines, clip;
  int arrow_count = 0;
  std::string warp_field;
  std::string title;
  ChartWishes chart;
  std::vector<std::string> iso;
  std::string scene_file;
  std::string scene_name;
  std::optional<SavedView> scene;
  bool edges = false;
  bool facets = false;
  bool cuts = false;
  bool bare = false;
  bool thumbnail = false;
  bool list = false;
};

void add_chart_options(CLI::App& app, ChartWishes& chart) {
  const auto each = [](CLI::Option* option) { option->take_all()->allow_extra_args(false); };
  app.add_option(
      "--chart", chart.table,
      "A table of charts/, 'balance' or 'roofline', instead of a field; of a folder that `conoid sweep` made: "
      "'sweep'");
  app.add_option("--x", chart.x, "Of a sweep: the value along the axis (default: the first that was swept)");
  app.add_option("--y", chart.y, "Of a sweep: the result (default: the first)");
  app.add_option("--minus", chart.minus, "Another run: what this run's field or curves differ from its by");
  app.add_option("--unit", chart.unit, "Of a chart: another unit in which the run publishes it");
  app.add_option("--look", chart.look, "Of a chart: lines, polar, spectrum, spectrogram, picture or wiggles")
      ->check(CLI::IsMember({"lines", "polar", "spectrum", "spectrogram", "picture", "wiggles"}));
  app.add_flag_callback(
      "--spectrogram", [&chart] { chart.look = "spectrogram"; },
      "Of a chart over time: levels over time and frequency by the short-time Fourier transform, --floor dB below the "
      "peak; also --look spectrogram");
  app.add_option("--spectrogram-curve", chart.spectrogram_curve,
                 "LABEL of the curve it is made of (default: the first)");
  app.add_option("--window", chart.window,
                 "Length of its windows (Hann), for example 20ms (default: a twelfth of the curve)");
  app.add_option("--overlap", chart.overlap,
                 "What of a window the next one has as well: 0.75 or 75% (default: for 500 windows)");
  app.add_option("--x-range", chart.x_range,
                 "LOW:HIGH of a chart's axis, with units or in those of the table; \":10\"");
  app.add_option("--y-range", chart.y_range, "The same of its upright axis (radius of a polar chart)");
  app.add_flag("--x-log", chart.log_x, "Logarithmic axis");
  app.add_flag("--y-log", chart.log_y, "Logarithmic upright axis");
  app.add_flag("--y-linear", chart.linear_y, "Linear upright axis");
  app.add_option("--floor", chart.floor, "Charts in decibels are seen down to so many below their peak")
      ->capture_default_str();
  app.add_option("--x-label", chart.x_label, "Name of a chart's axis");
  app.add_option("--y-label", chart.y_label, "Name of its upright axis");
  each(app.add_option("--curve", chart.curves,
                      "LABEL=NAME,#COLOUR of a curve, either may be left out; LABEL=none leaves the curve out"));
  each(app.add_option("--over", chart.over, "A CSV file whose curves are laid over the chart, dashed"));
  app.add_option("--over-columns", chart.over_columns,
                 "Its columns by name or number, the abscissa first, units in brackets where the file names none: "
                 "\"t,3 [mPa]\" (default: all)");
  app.add_option("--fit", chart.fit,
                 "Of a chart over time: decay (rate, reverberation times, Q; all curves) or delay (of the second curve "
                 "after the first); printed, and drawn dashed. Needs no -o")
      ->check(CLI::IsMember({"decay", "delay"}));
  each(app.add_option("--fit-curve", chart.fit_curves, "LABEL of a curve to fit; may be repeated"));
  app.add_option("--fit-window", chart.fit_window,
                 "LOW:HIGH of the times that are fitted (default: --x-range; a decay begins at the peak)");
}

std::unique_ptr<CLI::App> command_line(Arguments& a) {
  auto app = std::make_unique<CLI::App>("Pictures of a run's fields and charts, without a display.", "conoid-render");
  app->set_version_flag("--version", "conoid-render " CONOID_VERSION);
  app->add_option("RUN", a.run, "Run folder, results file, run name below runs/, or 'latest'")->required();
  app->add_option("-o,--out,--output", a.output,
                  "The picture: .png; charts also .svg and .pdf, and .csv for their numbers; with --frames numbered "
                  "pictures (.png), .gif, or by ffmpeg "
                  ".mp4, .webm, .mkv, .mov");
  app->add_flag("--list", a.list, "Print the frames, parts, fields and charts of the run");
  app->add_option("--field", a.field, "Field to colour (default: the solver's main one, the first that --list shows)");
  app->add_option("--frame", a.frame, "Frame number; -1 is the last (default)");
  app->add_option(
      "--frames", a.frames,
      "A film of all frames, of numbers (0,5,-1) or of ranges (10:20, 0.1s:0.3s); one range of colours and one "
      "camera for all");
  app->add_option("--fps", a.pictures_per_second, "Pictures a second of a film")->capture_default_str();
  app->add_option("--part", a.part, "Part of the frame (default: every part that has the field)");
  app->add_option("--component", a.component, "x, y, z or magnitude of a vector field");
  app->add_option("--show", a.show, "Of a complex field: instant (default), magnitude or phase");
  app->add_option("--phase", a.phase, "Phase of a complex field in degrees");
  add_chart_options(*app, a.chart);
  app->add_option("--size", a.size, "Logical size, WIDTHxHEIGHT")->capture_default_str();
  app->add_option("--scale", a.scale, "Device pixels for one logical pixel")->capture_default_str();
  app->add_option("--theme", a.theme, "light or dark")->capture_default_str();
  app->add_option("--background", a.background, "white, theme or transparent (dark pictures: theme)")
      ->capture_default_str()
      ->check(CLI::IsMember({"white", "theme", "transparent"}));
  app->add_option("--view", a.view, "iso (default), +x, -x, +y, -y, +z or -z");
  app->add_option("--camera", a.camera,
                  "front, back, left, right, top, bottom, iso, or a place, the point looked at and, where wanted, up: "
                  "\"10,-20,5;0,0,0;0,0,1\", lengths with units or in metres");
  app->add_option(
      "--scene", a.scene_file,
      "File of views that the window saved: camera, planes, colours; what is given beside it replaces its own");
  app->add_option("--scene-view", a.scene_name, "Name of the view in that file (default: the first)");
  app->add_option("--cut", a.cut,
                  "A plane through grids and volume meshes: z=-300m; may be repeated, instead of the middle ones")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--plane", a.planes,
                  "A plane by normal and point, \"1,1,0;0,0,-300m\"; may be repeated, instead of the middle ones")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--formula", a.formulas,
                  "A field of others, \"intensity[W/m^2] = pressure^2/(2*1.2*343)\": names of fields (v_x, p_re, ...), "
                  "x, y, z, t; it is shown unless --field says otherwise")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--annotate", a.annotations,
                  "A text at a place, \"0.5,0,-30cm=the door\"; may be repeated; beside those of --scene")
      ->take_all()
      ->allow_extra_args(false);
  app->add_option("--within", a.within,
                  "LOW:HIGH: only cells all of whose values lie within, with units or in SI units");
  app->add_option("--balloon", a.balloon,
                  "TABLE or TABLE:COLUMN of charts/ with a far field over both angles: drawn around the body");
  app->add_option("--color-map", a.map, "Name of a colour map");
  app->add_flag("--map-reversed", a.map_reversed, "The colour map the other way round");
  app->add_flag("--map-log", a.map_log, "Colours by the logarithm of the value");
  app->add_flag("--map-symmetric", a.map_symmetric, "The range reaches as far below zero as above");
  app->add_option("--map-steps", a.map_steps, "So many bands of one colour instead of a smooth map")
      ->check(CLI::Range(2, 256));
  app->add_option(
      "--range", a.range,
      "LOW:HIGH or LOW,HIGH of the colours, with units or in SI units; of a film also \"each\": of each frame "
      "alone, or \"full\": up to the loudest (default: all values; of waves what three quarters of the frames stay "
      "within, a fourth of the loudest at least)");
  app->add_option("--samples", a.samples,
                  "1 or 2 samples along each side of a pixel: 1 draws faster, with rougher edges (default: 2; 1 of "
                  "films that are drawn "
                  "without a graphics card)")
      ->check(CLI::Range(1, 2));
  app->add_option("--iso", a.iso,
                  "Iso-surfaces at values with units (2kPa), or at shares of the range's larger end (0.5, 50%), "
                  "instead of cuts through a "
                  "grid or the surface of a volume mesh; =2 is a value in SI units");
  app->add_option("--volume", a.volume,
                  "Volume rendering of a grid, 0.01 to 1: the opacity of values at the end of the range through a "
                  "fortieth of its "
                  "longest side; less in between, nothing at zero; instead of cuts through it unless --cut says where")
      ->check(CLI::Range(0.01, 1.0));
  app->add_flag("--edges", a.edges, "Draw the sides of mesh cells");
  app->add_flag("--facets", a.facets, "Colour each cell of a surface by its own value instead of means at its nodes");
  app->add_flag("--cuts", a.cuts, "Cut through volume meshes instead of showing their surface");
  app->add_option("--warp", a.warp_field, "Move mesh points by this field");
  app->add_option("--warp-scale", a.warp, "Metres a unit of that field (default: 5 % of the size)");
  app->add_option("--arrows", a.arrows, "Draw this vector field as arrows");
  app->add_option("--streamlines", a.streamlines, "Draw lines along this vector field");
  app->add_option("--arrow-count", a.arrow_count, "About how many arrows, or lines")->check(CLI::Range(1, 100000));
  app->add_option("--clip", a.clip,
                  "Take away what of mesh surfaces lies beyond a place: \"+x=0.2m\" all above, \"-x=0.2m\" all below");
  app->add_option("--opacity", a.opacity, "Of mesh surfaces and iso-surfaces, above 0 to 1")
      ->check(CLI::Range(0.01, 1.0));
  app->add_option("--title", a.title, "Title (default: the title of the case)");
  app->add_flag("--bare", a.bare, "Nothing but the field: no colour bar, text, axes or outline");
  app->add_flag("--thumbnail", a.thumbnail, "480x300, bare, of a frame that shows something");
  return app;
}

Status read_scene(Arguments& a) {
  if (a.scene_file.empty()) {
    if (a.scene_name.empty()) return {};
    return make_error(ErrorCode::command_line, "--scene-view names a view of a file",
                      "Give the file too: --scene FILE");
  }
  auto views = read_saved_views(a.scene_file);
  if (!views) return views.error();
  std::string names;
  for (SavedView& view : *views) {
    if (a.scene_name.empty() || view.name == a.scene_name) {
      a.scene = std::move(view);
      return {};
    }
    names += (names.empty() ? "\"" : ", \"") + view.name + "\"";
  }
  if (names.empty()) return make_error(ErrorCode::file, a.scene_file + " holds no view");
  return make_error(ErrorCode::command_line,
                    fmt::format("--scene-view: {} has no view \"{}\"", a.scene_file, a.scene_name), "It has " + names);
}

Result<FieldView> field_view(const Arguments& a) {
  FieldView view = a.scene ? a.scene->view : FieldView{};
  const auto take = [](std::string& to, const std::string& given) {
    if (!given.empty()) to = given;
  };
  if (!a.field.empty() && a.field != view.field) {
    // Its range and its component are those of another field.
    view.fixed_range = false;
    view.value = {};
    view.iso_values.clear();
  }
  take(view.field, a.field);
  take(view.part, a.part);
  take(view.color_map, a.map);
  take(view.warp_field, a.warp_field);
  view.map_reversed = view.map_reversed || a.map_reversed;
  view.map_log = view.map_log || a.map_log;
  view.map_symmetric = view.map_symmetric || a.map_symmetric;
  if (a.map_steps > 0) view.map_steps = a.map_steps;
  for (const std::string& text : a.formulas) {
    const auto formula = parse_formula(text);
    if (!formula) return formula.error();
    view.recipe.formulas.push_back(*formula);
    if (a.field.empty()) view.field = formula->name;
  }
  if (!a.planes.empty()) {
    view.recipe.planes.clear();
    view.mesh_cuts = true;
    for (CutPlane& cut : view.cuts) cut.visible = false;
  }
  for (const std::string& text : a.planes) {
    const auto plane = parse_plane(text);
    if (!plane) return plane.error();
    view.recipe.planes.push_back(*plane);
  }
  for (const std::string& text : a.annotations) {
    auto annotation = parse_annotation(text);
    if (!annotation)
      return make_error(ErrorCode::command_line, "--annotate: " + annotation.error().text, annotation.error().hint);
    view.annotations.push_back(std::move(annotation).value());
  }
  if (a.bare || a.thumbnail) view.annotations.clear();
  view.edges = view.edges || a.edges;
  view.smooth = view.smooth && !a.facets;
  view.mesh_cuts = view.mesh_cuts || a.cuts;
  if (a.warp) view.warp_scale = *a.warp;
  if (a.volume) view.volume = *a.volume;
  if (a.opacity) view.opacity = *a.opacity;
  if (!a.arrows.empty() && !a.streamlines.empty())
    return make_error(ErrorCode::command_line, "--arrows and --streamlines were both given", "Leave one of them out.");
  if (!a.arrows.empty() || !a.streamlines.empty()) {
    view.streamlines = a.arrows.empty();
    view.arrow_field = view.streamlines ? a.streamlines : a.arrows;
  }
  if (a.arrow_count > 0) view.arrows = a.arrow_count;
  view.value.angle = a.phase.value_or(0) * 3.14159265358979323846 / 180;
  if (!a.iso.empty() || a.volume)
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
  ChartWishes wishes = a.chart;
  wishes.title = a.title;
  auto spec = wished_chart(run, wishes);
  if (!spec) return spec.error();
  for (const std::string& note : spec->notes) fmt::print("{}\n", note);
  if (a.output.empty()) return {};
  const std::string ending = lower_case_ending(a.output);
  if (ending == ".csv") {
    if (spec->kind == ChartKind::balance)
      return make_error(ErrorCode::command_line, "the balance of workers is a table of the run already",
                        "Take telemetry.csv of its folder.");
    const ChartLimits& ends = spec->limits;
    const auto within = std::pair{ends.x_low.value_or(-INFINITY), ends.x_high.value_or(INFINITY)};
    if (auto status = write_file_atomically(a.output, text_of(rows_of_chart(*spec, {}, within), ',')); !status)
      return status;
    fmt::print("{}\n", a.output);
    return {};
  }
  auto scene = std::make_shared<ChartScene>();
  scene->set_theme(theme);
  scene->set_chart(std::move(spec).value());
  if (ending == ".svg" || ending == ".pdf") {
    if (auto status = export_chart(scene, a.output, options.width, options.height); !status) return status;
    fmt::print("{}\n", a.output);
    return {};
  }
  auto image = take_picture(scene, options);
  if (!image) return image.error();
  return save(a, *image, {{"Run", run_id(run)}, {"Chart", a.chart.table}});
}

/// The field that is drawn, of the first part that carries it.
const Field* drawn_field(const Frame& frame, const FieldView& view, const FramePart** of = nullptr) {
  for (const FramePart& part : frame.parts)
    for (const Field& field : part.fields)
      if ((view.part.empty() || part.name == view.part) && (view.field.empty() || field.info.name == view.field)) {
        if (of != nullptr) *of = &part;
        return &field;
      }
  return nullptr;
}

Status apply_range(const Arguments& a, const Frame& frame, FieldView& view) {
  if (a.range.empty()) return {};
  if (!a.frames.empty() && (a.range == "each" || a.range == "full")) {
    view.keep_range = a.range != "each";
    return {};
  }
  const Field* field = drawn_field(frame, view);
  const std::string unit = field == nullptr ? "1" : unit_of(field->info, view.value);
  const auto number = [&](std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) return true;
    const auto read = known_unit(unit) ? parse_quantity(text, unit) : Result<Quantity>(Error{});
    if (read) value = read->value;
    return read.ok();
  };
  const std::size_t between = a.range.find_first_of(":,");
  const std::string_view text = a.range;
  if (between == std::string::npos || !number(text.substr(0, between), view.low) ||
      !number(text.substr(between + 1), view.high))
    return make_error(ErrorCode::command_line, "--range must be LOW:HIGH, found \"" + a.range + "\"",
                      fmt::format("For example --range -0.02:0.02{}", a.frames.empty() ? "" : ", or --range each"));
  view.fixed_range = true;
  return {};
}

/// Iso-surfaces, whose values may have units. One that lies nowhere in the frame is told: the picture would be empty without a word.
Status apply_iso(const Arguments& a, const Frame& frame, FieldView& view) {
  if (a.iso.empty()) return {};
  const Field* field = drawn_field(frame, view);
  const std::string unit = field == nullptr ? "1" : unit_of(field->info, view.value);
  view.iso.clear();
  view.iso_values.clear();
  for (const std::string& text : a.iso)
    if (auto status = add_iso(view, text, unit); !status) return status;
  if (field == nullptr || !a.frames.empty()) return {};
  const auto span = range_in_frame(frame, view.part, field->info.name, view.value, 100);
  for (const double value : view.iso_values)
    if (!span || value < span->first || value > span->second)
      fmt::print(
          stderr, "conoid-render: warning: --iso {}: {} lies nowhere in this frame{}\n", format_quantity(value, unit),
          field->info.name,
          span ? fmt::format(" ({} to {})", format_quantity(span->first, unit), format_quantity(span->second, unit))
               : std::string());
  return {};
}

/// What of the run's frames is read: all fields where others are made of them.
FieldRequest request_of(const Arguments& a, const std::filesystem::path& run, const FieldView& view) {
  FieldRequest request{run, view.field, view.part, a.frame, a.thumbnail};
  const bool made = std::any_of(view.recipe.formulas.begin(), view.recipe.formulas.end(),
                                [&](const FormulaField& f) { return f.name == view.field; });
  if (!view.warp_field.empty() || !view.arrow_field.empty() || !view.recipe.formulas.empty() || made ||
      view.field == balloon_field)
    request.field.clear();
  return request;
}

/// This frame less the other run's at the nearest moment; says so where that is another one.
Result<std::shared_ptr<const Frame>> less_the_other(const Arguments& a, const std::shared_ptr<const Frame>& frame,
                                                    const std::string& field) {
  if (a.chart.minus.empty()) return frame;
  const auto other = find_run(a.chart.minus);
  if (!other) return other.error();
  const auto opened = VtkhdfReader::open(*other);
  if (!opened) return opened.error();
  const auto& frames = (*opened)->frames();
  if (frames.empty()) return make_error(ErrorCode::file, "--minus: that run has no frame");
  std::size_t nearest = 0;
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (std::abs(frames[i].value - frame->value) < std::abs(frames[nearest].value - frame->value)) nearest = i;
  FrameRequest what;
  if (!field.empty()) what.fields = {field};
  const auto there = (*opened)->read(nearest, what);
  if (!there) return there.error();
  if (const double apart = std::abs((*there)->value - frame->value);
      apart > 1e-6 * std::max(std::abs((*there)->value), std::abs(frame->value)))
    fmt::print(stderr, "conoid-render: warning: frames of unlike moments: {} less {}\n",
               moment_of(frame->axis, frame->value), moment_of((*there)->axis, (*there)->value));
  return difference_of(*frame, **there);
}

/// Limits and the far field of the command line, into the view's recipe.
Status complete_recipe(const Arguments& a, const std::filesystem::path& run, FieldView& view, const FieldInfo* shown) {
  if (!a.within.empty()) {
    const std::string unit = shown == nullptr ? "1" : shown->unit;
    const auto ends = parse_limits(a.within, known_unit(unit) ? unit : "1", "--within");
    if (!ends) return ends.error();
    view.recipe.within = std::pair{ends->first.value_or(-std::numeric_limits<double>::infinity()),
                                   ends->second.value_or(std::numeric_limits<double>::infinity())};
  }
  if (a.balloon.empty()) return {};
  const std::size_t colon = a.balloon.find(':');
  const std::string name = a.balloon.substr(0, colon);
  const auto table = read_run_table(run, name);
  if (!table) return table.error();
  auto sphere = sphere_of(table->info.columns, table->rows);
  if (!sphere) return sphere.error();
  label_columns(*sphere, table->info.title);
  view.recipe.sphere = std::make_shared<const SphereTable>(std::move(sphere).value());
  view.recipe.sphere_column = colon == std::string::npos ? std::string() : a.balloon.substr(colon + 1);
  return {};
}

const FieldInfo* info_in(const Frame& frame, const FieldView& view) {
  for (const FramePart& part : frame.parts)
    for (const Field& field : part.fields)
      if (view.field.empty() || field.info.name == view.field) return &field.info;
  return nullptr;
}

using Box = std::array<double, 6>;

void widen(Box& box, const FramePart& part) {
  const auto take = [&](std::size_t k, double x) {
    box[2 * k] = std::min(box[2 * k], x);
    box[2 * k + 1] = std::max(box[2 * k + 1], x);
  };
  if (const auto* grid = std::get_if<ImageGeometry>(&part.geometry)) {
    for (std::size_t k = 0; k < 3; ++k) {
      take(k, grid->origin[k]);
      take(k, grid->origin[k] + static_cast<double>(grid->points[k] - 1) * grid->spacing[k]);
    }
  } else if (const auto& mesh = std::get<MeshGeometry>(part.geometry); mesh.points) {
    for (std::size_t i = 0; i + 2 < mesh.points->size(); i += 3)
      for (std::size_t k = 0; k < 3; ++k) take(k, (*mesh.points)[i + k]);
  }
}

constexpr Box no_box{1e300, -1e300, 1e300, -1e300, 1e300, -1e300};

/// A place along an axis, "z=-300m", and where in a part's box that is.
struct PlaceInBox {
  std::size_t axis = 0;
  double fraction = 0.5;  ///< from the lower end
};
Result<PlaceInBox> place_in_box(const char* flag, const std::string& text, const FramePart& part) {
  const std::size_t axis = text.empty() ? 3 : static_cast<std::size_t>(text[0] - 'x');
  const auto at =
      axis < 3 && text.size() > 2 && text[1] == '=' ? parse_quantity(text.substr(2), "m") : Result<Quantity>(Error{});
  if (!at)
    return make_error(ErrorCode::command_line,
                      fmt::format("{} must be x=, y= or z= and a length, found \"{}\"", flag, text),
                      fmt::format("For example {} z=-300m", flag));
  Box box = no_box;
  widen(box, part);
  const double low = box[2 * axis], high = box[2 * axis + 1];
  const double slack = 1e-9 * (std::abs(low) + std::abs(high));
  if (!(at->value >= low - slack && at->value <= high + slack))
    return make_error(ErrorCode::command_line,
                      fmt::format("{} {}: the part {} reaches from {} to {} there", flag, text, part.name,
                                  format_quantity(low, "m"), format_quantity(high, "m")),
                      "Give a place in between.");
  return PlaceInBox{axis, high > low ? (at->value - low) / (high - low) : 0.5};
}

/// Planes at places instead of fractions. Of each axis one; the others are not drawn.
Status apply_cuts(const Arguments& a, const Frame& frame, FieldView& view) {
  const FramePart* part = nullptr;
  if (drawn_field(frame, view, &part) == nullptr) return {};
  if (!a.cut.empty())
    for (CutPlane& cut : view.cuts) cut.visible = false;
  for (const std::string& text : a.cut) {
    const auto place = place_in_box("--cut", text, *part);
    if (!place) return place.error();
    view.cuts[place->axis] = {true, place->fraction};
    view.mesh_cuts = true;
  }
  if (a.clip.empty()) return {};
  const bool above = a.clip.front() != '-', sign = a.clip.front() == '-' || a.clip.front() == '+';
  const auto place = place_in_box("--clip", a.clip.substr(sign ? 1 : 0), *part);
  if (!place) return place.error();
  ClipPlane clip{{0, 0, 0}, above ? place->fraction : 1 - place->fraction};
  clip.normal[place->axis] = above ? 1 : -1;
  view.clip = clip;
  return {};
}

/// Arrows and lines along a field need a vector field that is there.
Status check_arrows(const Frame& frame, const FieldView& view) {
  if (view.arrow_field.empty()) return {};
  std::string names;
  for (const FramePart& part : frame.parts)
    for (const Field& field : part.fields) {
      if (field.info.components != 3) continue;
      if (field.info.name == view.arrow_field) return {};
      if (names.find(field.info.name) == std::string::npos) names += (names.empty() ? "" : ", ") + field.info.name;
    }
  return make_error(ErrorCode::command_line,
                    fmt::format("no vector field \"{}\" to draw as arrows or lines", view.arrow_field),
                    names.empty() ? "The run has no vector fields." : "Vector fields: " + names + ".");
}

/// Volume rendering needs a grid that is not flat.
Status check_volume(const Arguments& a, const Frame& frame, const FieldView& view) {
  if (!a.volume) return {};
  const FramePart* part = nullptr;
  const bool there = drawn_field(frame, view, &part) != nullptr;
  const auto* grid = there ? std::get_if<ImageGeometry>(&part->geometry) : nullptr;
  if (grid != nullptr && std::all_of(grid->points.begin(), grid->points.end(), [](Index n) { return n > 1; }))
    return {};
  return make_error(ErrorCode::command_line,
                    fmt::format("--volume is of grids with three extents; {}",
                                there ? "\"" + part->name + "\" is none" : std::string("no part carries the field")),
                    "Surfaces are drawn as they are, volume meshes with --cut; `--list` shows the parts.");
}

struct Camera {
  StandardView standard = StandardView::iso;
  std::optional<std::array<double, 11>> place;
};

Result<Camera> camera_of(const Arguments& a) {
  Camera out;
  if (!a.view.empty() && !a.camera.empty())
    return make_error(ErrorCode::command_line, "--view and --camera were both given", "Leave one of them out.");
  if (a.scene && a.view.empty() && a.camera.empty()) {
    out.place = a.scene->camera;
    return out;
  }
  if (a.camera.empty()) {
    const auto standard = parse_view(a.view.empty() ? "iso" : a.view);
    if (!standard) return standard.error();
    out.standard = *standard;
    return out;
  }
  static const std::pair<std::string_view, StandardView> names[] = {
      {"front", StandardView::minus_y}, {"back", StandardView::plus_y}, {"left", StandardView::minus_x},
      {"right", StandardView::plus_x},  {"top", StandardView::plus_z},  {"bottom", StandardView::minus_z}};
  for (const auto& [name, view] : names)
    if (a.camera == name) {
      out.standard = view;
      return out;
    }
  if (const auto standard = parse_view(a.camera)) {
    out.standard = *standard;
    return out;
  }
  std::vector<double> numbers;
  std::string why;
  for (std::size_t begin = 0; begin <= a.camera.size();) {
    const std::size_t end = std::min(a.camera.find_first_of(",;", begin), a.camera.size());
    const auto read = parse_quantity(a.camera.substr(begin, end - begin), "m");
    if (!read) {
      why = read.error().text + ". ";
      break;
    }
    numbers.push_back(read->value);
    begin = end + 1;
  }
  std::array<double, 11> place{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0};
  const auto wrong = [&](const std::string& what) {
    return make_error(ErrorCode::command_line, "--camera: " + what + ", found \"" + a.camera + "\"",
                      why + "For example --camera front or --camera \"10,-20,5;0,0,0\" (place; point looked at; up).");
  };
  if (!why.empty() || (numbers.size() != 6 && numbers.size() != 9))
    return wrong("expected front, back, left, right, top, bottom, iso or two or three places");
  std::copy(numbers.begin(), numbers.end(), place.begin());
  const Vec3 along{place[3] - place[0], place[4] - place[1], place[5] - place[2]};
  const double distance = std::hypot(along[0], along[1], along[2]);
  if (!(distance > 0)) return wrong("the camera stands at the point it looks at");
  if (numbers.size() == 6 && std::hypot(along[0], along[1]) < 1e-6 * distance)
    place[7] = 1, place[8] = 0;  // from above
  const Vec3 up{place[6], place[7], place[8]};
  const Vec3 across{along[1] * up[2] - along[2] * up[1], along[2] * up[0] - along[0] * up[2],
                    along[0] * up[1] - along[1] * up[0]};
  if (!(std::hypot(across[0], across[1], across[2]) > 1e-9 * distance * std::hypot(up[0], up[1], up[2])))
    return wrong("up points along the line of sight");
  place[9] = distance;
  out.place = place;
  return out;
}

Status draw_field(const Arguments& a, const std::filesystem::path& run, const PictureOptions& options,
                  const Theme& theme) {
  auto view = field_view(a);
  if (!view) return view.error();
  const auto camera = camera_of(a);
  if (!camera) return camera.error();
  if (!a.balloon.empty() && a.field.empty()) view->field = balloon_field;
  // A warp and arrows need their fields as well, so everything is read then.
  const FieldRequest request = request_of(a, run, *view);
  auto frame = read_frame(request);
  if (!frame) return frame.error();
  frame = less_the_other(a, *frame, request.field);
  if (!frame) return frame.error();
  const auto looked = with_formulas(*frame, view->recipe.formulas);
  if (!looked) return looked.error();
  if (auto status = complete_recipe(a, run, *view, info_in(**looked, *view)); !status) return status;
  view->title = a.title.empty() ? run_title(run) : a.title;
  if (auto status = apply_range(a, **looked, *view); !status) return status;
  if (auto status = apply_iso(a, **looked, *view); !status) return status;
  if (auto status = apply_cuts(a, **looked, *view); !status) return status;
  if (auto status = check_arrows(**looked, *view); !status) return status;
  if (auto status = check_volume(a, **looked, *view); !status) return status;
  auto scene = std::make_shared<FieldScene>();
  scene->set_theme(theme);
  if (auto status = scene->set_frame(*frame); !status) return status;
  if (auto status = scene->set_view(*view); !status) return status;
  scene->look(camera->standard);
  if (camera->place) scene->camera().place(*camera->place);
  auto image = take_picture(scene, options);
  if (!image) return image.error();
  return save(a, *image,
              {{"Run", run_id(run)},
               {"Field", view->field.empty() ? "first" : view->field},
               {"Frame", std::to_string((*frame)->number)}});
}

/// What all frames of a film have together.
struct FilmSurvey {
  Box box = no_box;  ///< of the parts that are drawn
  std::string told;  ///< of the range of colours; empty where each frame has its own
};

/// One range of colours, one box for the camera: all frames are looked at before any is drawn. Sets the range of `view`.
Result<FilmSurvey> survey_film(const Arguments& a, FrameReel& reel, const Frame& first, FieldView& view) {
  FilmSurvey out;
  std::vector<std::pair<double, double>> ranges;
  for (std::size_t k = 0; k < reel.size(); ++k) {
    const auto frame = reel.at(k);
    if (!frame) return frame.error();
    for (const FramePart& part : (*frame)->parts) {
      const bool carries = (view.part.empty() || part.name == view.part) &&
                           std::any_of(part.fields.begin(), part.fields.end(),
                                       [&](const Field& f) { return f.info.name == view.field; });
      if (carries || (view.context && std::holds_alternative<MeshGeometry>(part.geometry))) widen(out.box, part);
    }
    if (view.fixed_range || !view.keep_range) continue;
    if (const auto own = range_in_frame(**frame, view.part, view.field, view.value, view.percent))
      ranges.push_back(*own);
  }
  if (auto all = range_over_frames(ranges)) {
    if (a.range == "full")
      for (const auto& [low, high] : ranges) all = {std::min(all->first, low), std::max(all->second, high)};
    view.fixed_range = true;
    std::tie(view.low, view.high) = *all;
    const auto louder = std::count_if(ranges.begin(), ranges.end(),
                                      [&](const auto& r) { return r.first < view.low || r.second > view.high; });
    const Field* field = drawn_field(first, view);
    out.told = fmt::format("colours {:.4g} to {:.4g} {}", view.low, view.high,
                           field == nullptr ? "" : unit_of(field->info, view.value));
    if (louder > 0) out.told += fmt::format("; {} frames go beyond (--range full takes them in)", louder);
  }
  return out;
}

/// The camera of a film, once a trial knows how much room the legend takes: a mesh that moves stays in the picture.
void frame_film(FieldScene& scene, const Box& box, const Camera& wished) {
  const Bounds& seen = scene.camera().bounds();
  bool moves = false;
  for (std::size_t i = 0; i < 6; ++i)
    moves = moves || std::abs(box[i] - seen[i]) >
                         1e-6 * (std::abs(box[1] - box[0]) + std::abs(box[3] - box[2]) + std::abs(box[5] - box[4]));
  if (moves) {
    scene.camera().set_extremes({});
    scene.camera().set_bounds(box);
    scene.camera().fit();
  }
  scene.camera().place(wished.place.value_or(scene.camera().placement()));
}

Status draw_film(const Arguments& a, const std::filesystem::path& run, const PictureOptions& options,
                 const Theme& theme) {
  auto view = field_view(a);
  if (!view) return view.error();
  const auto camera = camera_of(a);
  if (!camera) return camera.error();
  // Names are looked at by the reading of one frame: its errors list what there is.
  FieldRequest request = request_of(a, run, *view);
  request.frame.reset();
  if (!a.chart.minus.empty() || !a.balloon.empty())
    return make_error(ErrorCode::command_line, "films are of one run's fields; --minus or --balloon was given, too",
                      "Leave it out, or draw single pictures with --frame.");
  if (auto one = read_frame(request); !one) return one.error();
  const auto opened = VtkhdfReader::open(run);
  if (!opened) return opened.error();
  VtkhdfReader& reader = **opened;
  const auto chosen = choose_frames(reader.frames(), a.frames, "--frames");
  if (!chosen) return chosen.error();
  FrameRequest what;
  if (!request.field.empty()) what.fields = {request.field};
  FrameReel reel(reader, what, view->recipe.formulas, *chosen);

  const auto first = reel.at(0);
  if (!first) return first.error();
  if (auto status = complete_recipe(a, run, *view, info_in(**first, *view)); !status) return status;
  if (const Field* field = drawn_field(**first, *view); field != nullptr && view->field.empty())
    view->field = field->info.name;
  if (auto status = apply_range(a, **first, *view); !status) return status;
  if (auto status = apply_iso(a, **first, *view); !status) return status;
  const auto survey = survey_film(a, reel, **first, *view);
  if (!survey) return survey.error();

  auto made = RasterViewport::make(options.width, options.height, options.scale);
  if (!made) return made.error();
  RasterViewport& viewport = **made;
  viewport.set_supersampling(a.samples.value_or(1));
  auto scene = std::make_shared<FieldScene>();
  scene->set_theme(theme);
  scene->set_transparent(options.transparent);
  view->title = a.title.empty() ? run_title(run) : a.title;
  if (auto status = apply_cuts(a, **first, *view); !status) return status;
  if (auto status = check_arrows(**first, *view); !status) return status;
  if (auto status = check_volume(a, **first, *view); !status) return status;
  if (auto status = scene->set_frame(*first); !status) return status;
  if (auto status = scene->set_view(*view); !status) return status;
  scene->look(camera->standard);
  viewport.set_scene(scene);
  const Image trial = viewport.grab();
  if (trial.empty())
    return make_error(ErrorCode::resources, "no picture could be drawn: " + viewport.problem(),
                      "Try a smaller --size or --scale.");
  if (!a.samples) refine_where_a_card_draws(viewport);
  frame_film(*scene, survey->box, *camera);
  auto film = FilmWriter::open(a.output, {trial.width,
                                          trial.height,
                                          a.pictures_per_second,
                                          {{"Run", run_id(run)}, {"Software", "Conoid " CONOID_VERSION}}});
  if (!film) return film.error();
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t k = 0; k < reel.size(); ++k) {
    const auto frame = reel.at(k);
    if (!frame) return frame.error();
    if (!a.cut.empty() || !a.clip.empty()) {
      if (auto status = apply_cuts(a, **frame, *view); !status) return status;
      if (auto status = scene->set_view(*view); !status) return status;
    }
    if (auto status = scene->set_frame(*frame); !status) return status;
    viewport.request_render();
    Image image = viewport.grab();
    if (image.empty()) return make_error(ErrorCode::resources, "no picture could be drawn: " + viewport.problem());
    if (auto status = (*film)->add(std::move(image)); !status) return status;
  }
  if (auto status = (*film)->finish(); !status) return status;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const bool numbered = lower_case_ending(a.output) == ".png";
  fmt::print("{}: {} pictures of {} x {} pixels, {:.1f} a second\n",
             numbered ? fmt::format("{} to {}", numbered_picture(a.output, 1).string(),
                                    numbered_picture(a.output, static_cast<int>(chosen->size())).string())
                      : a.output,
             chosen->size(), trial.width, trial.height, static_cast<double>(chosen->size()) / std::max(seconds, 1e-9));
  if (!survey->told.empty()) fmt::print("{}\n", survey->told);
  return {};
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
  const bool told_only = a.output.empty() && !a.chart.table.empty() && !a.chart.fit.empty();
  if (a.output.empty() && !told_only)
    return make_error(ErrorCode::command_line, "where should the picture go?", "Add -o picture.png, or --list.");
  const std::string ending = lower_case_ending(a.output);
  const bool film = !a.frames.empty();
  if (film && (a.frame || a.thumbnail || !a.chart.table.empty()))
    return make_error(ErrorCode::command_line,
                      "--frames makes a film of a field; --frame, --thumbnail or --chart was given, too",
                      "Leave one of them out.");
  if (!film && (ending == ".gif" || ending == ".mp4" || ending == ".webm" || ending == ".mkv" || ending == ".mov"))
    return make_error(ErrorCode::command_line, "a single picture cannot be written as \"" + ending + "\"",
                      "For a film say which frames: --frames all.");
  if (!film && !told_only && ending != ".png" &&
      (a.chart.table.empty() || (ending != ".svg" && ending != ".pdf" && ending != ".csv")))
    return make_error(
        ErrorCode::command_line, "a picture cannot be written as \"" + ending + "\"",
        a.chart.table.empty() ? "Fields are written as .png." : "Charts are written as .png, .svg, .pdf or .csv.");
  if (!(a.scale >= 0.25 && a.scale <= 8))
    return make_error(ErrorCode::command_line, fmt::format("--scale must be 0.25 to 8, found {}", a.scale));
  const auto size = parse_size(a.thumbnail ? "480x300" : a.size);
  if (!size) return size.error();
  auto theme = picture_theme(a);
  if (!theme) return theme.error();
  PictureOptions options{size->first, size->second, a.scale, a.background == "transparent", a.samples.value_or(2)};
  if (film) return draw_film(a, *run, options, *theme);
  return a.chart.table.empty() ? draw_field(a, *run, options, *theme) : draw_chart(a, *run, options, *theme);
}

int failed(const Error& error) {
  fmt::print(stderr, "conoid-render: {}\n", error.render());
  return static_cast<int>(error.code);
}

/// For `conoid bench pictures`: a line of JSON each row.
int tell_speed(const char* seconds) {
  PictureSpeedOptions options;
  options.seconds = std::clamp(std::strtod(seconds, nullptr), 0.1, 60.0);
  const Status measured = measure_pictures(options, [](const PictureSpeed& row) {
    fmt::print("{}\n", compact_json(Json({{"name", row.name},
                                          {"per_second", row.per_second},
                                          {"slowest", row.slowest},
                                          {"processor", row.processor},
                                          {"renderer", row.renderer}})));
    std::fflush(stdout);
  });
  return measured ? 0 : failed(measured.error());
}

}  // namespace

}  // namespace conoid

int main(int argc, char** argv) {
  // For the window, which finds what the driver compiles here: not for people.
  if (argc == 2 && std::string_view(argv[1]) == "--practise") {
    for (conoid::Practice practice(conoid::light_theme(), conoid::light_theme()); practice.step();) {
    }
    return 0;
  }
  if (argc == 3 && std::string_view(argv[1]) == "--speed") return conoid::tell_speed(argv[2]);
  conoid::Arguments arguments;
  const auto app = conoid::command_line(arguments);
  try {
    app->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app->exit(error);
    return conoid::failed(conoid::cli::wrong_usage(error, *app, "conoid-render", {argv + 1, argv + argc}));
  }
  try {
    auto status = conoid::read_scene(arguments);
    if (status) status = conoid::run_command(arguments);
    return status ? 0 : conoid::failed(status.error());
  } catch (...) {
    return conoid::failed(conoid::current_exception_as_error());
  }
}
