// SPDX-License-Identifier: BSD-3-Clause
// Filters, files, and the report on waves.
#include "engine/solvers/acoustic_fd/discretization/resample.hpp"

#include "engine/core/atomic_file.hpp"
#include "engine/core/file_ending.hpp"
#include "engine/core/json.hpp"
#include "engine/core/units.hpp"
#include "engine/io/csv.hpp"
#include "engine/io/export.hpp"
#include "engine/io/segy.hpp"
#include "engine/models/model.hpp"
#include "engine/numerics/windowed_sinc.hpp"
#include "engine/solvers/acoustic_fd/stepping/march.hpp"
#include "engine/team/parallel_for.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {
namespace {

constexpr double sinc_radius = 32, stop_band = 120;  // samples, dB

/// Weights of every new sample on a run of old ones.
struct Weights {
  std::vector<Index> first;     ///< [j]
  std::vector<std::size_t> at;  ///< [j … j+1]: where its weights lie
  std::vector<double> weight;
};

Weights weights_of(const SampleLine& from, const SampleLine& to, ResampleFilter filter) {
  const double shrink = std::min(1.0, from.spacing / to.spacing);
  // Coarser: the stop band begins at the new Nyquist frequency, half a transition above the cut.
  const double transition = (stop_band - 8) / (2.285 * 2 * sinc_radius) / std::numbers::pi;
  const double cut = shrink < 1 ? shrink * (1 - 0.5 * transition) : 1;
  const double reach = filter == ResampleFilter::linear ? 1 / shrink : sinc_radius / shrink;
  const double b = 0.1102 * (stop_band - 8.7);
  Weights out;
  out.at.push_back(0);
  for (Index j = 0; j < to.count; ++j) {
    double p = (to.origin - from.origin + static_cast<double>(j) * to.spacing) / from.spacing;
    if (std::abs(p - std::round(p)) < 1e-9 * std::max(1.0, std::abs(p))) p = std::round(p);
    p = std::clamp(p, 0.0, static_cast<double>(from.count - 1));
    const auto begin = static_cast<Index>(std::ceil(p - reach)), end = static_cast<Index>(std::floor(p + reach));
    const Index low = std::clamp<Index>(begin, 0, from.count - 1), high = std::clamp<Index>(end, 0, from.count - 1);
    std::vector<double> w(static_cast<std::size_t>(high - low + 1), 0.0);
    double sum = 0;
    for (Index i = begin; i <= end; ++i) {
      const double d = static_cast<double>(i) - p;
      const double value = filter == ResampleFilter::linear ? std::max(0.0, 1 - std::abs(d) * shrink)
                                                            : windowed_sinc(d * cut, reach * cut, b);
      w[static_cast<std::size_t>(std::clamp(i, low, high) - low)] += value;
      sum += value;
    }
    for (double& value : w) value /= sum;
    out.first.push_back(low);
    out.weight.insert(out.weight.end(), w.begin(), w.end());
    out.at.push_back(out.weight.size());
  }
  return out;
}

bool same(const SampleLine& a, const SampleLine& b) {
  return a.count == b.count && std::abs(a.spacing - b.spacing) <= 1e-9 * a.spacing &&
         std::abs(a.origin - b.origin) <= 1e-9 * a.spacing;
}

Error wrong(const std::filesystem::path& file, std::string text, std::string hint) {
  return make_error(ErrorCode::invalid_input, std::move(text), std::move(hint), {file.string(), 0, ""});
}

bool is_segy(const std::filesystem::path& file) {
  const std::string ending = lower_case_ending(file);
  return ending == ".sgy" || ending == ".segy";
}

/// Refuses what does not fit in memory before any of it is taken: `samples` are floats that lie there at a time.
Status fits(const std::filesystem::path& file, double samples, const std::string& shape, Bytes have) {
  if (samples * sizeof(float) <= static_cast<double>(have)) return {};
  return make_error(ErrorCode::resources,
                    fmt::format("{} needs about {:.3g} GB while it is made; {} may be used", shape,
                                samples * sizeof(float) / 1e9, format_bytes(have)),
                    "Use a coarser spacing, or cut the model.", {file.string(), 0, ""});
}

// ---- models ----------------------------------------------------------------------------------------------------------------

/// Samples with x fastest, as images of VTK have them.
struct Box {
  ModelBox box;
  std::vector<float> values;
};

SampleLine line_of(const ModelBox& box, std::size_t axis) {
  return {box.shape[axis], box.origin[axis], box.spacing[axis]};
}
double samples_of(const ModelBox& box) {
  return static_cast<double>(box.shape[0]) * static_cast<double>(box.shape[1]) * static_cast<double>(box.shape[2]);
}
std::string shape_text(const ModelBox& box) {
  return fmt::format("{} × {} × {}", box.shape[0], box.shape[1], box.shape[2]);
}
std::string spacing_text(const ModelBox& box) {
  const auto text = [&](std::size_t a) { return format_quantity(box.spacing[a], "m"); };
  return box.spacing[0] == box.spacing[1] && box.spacing[0] == box.spacing[2]
             ? text(0)
             : fmt::format("{} × {} × {}", text(0), text(1), text(2));
}

/// Axis by axis, those that shrink first.
Box resampled(Box from, const ModelBox& to, ResampleFilter filter) {
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) {
    return static_cast<double>(to.shape[a]) * static_cast<double>(from.box.shape[b]) <
           static_cast<double>(to.shape[b]) * static_cast<double>(from.box.shape[a]);
  });
  for (const std::size_t a : axes) {
    const SampleLine old = line_of(from.box, a), line = line_of(to, a);
    if (same(old, line)) continue;
    Index inner = 1, outer = 1;
    for (std::size_t b = 0; b < 3; ++b) (b < a ? inner : outer) *= b == a ? 1 : from.box.shape[b];
    from.values = resample_axis(from.values, outer, inner, old, line, filter);
    from.box.shape[a] = line.count;
  }
  from.box = to;
  return from;
}

/// Cells out of the range become its ends; how many they were and how far out the farthest was.
std::pair<Index, double> cut_to(std::vector<float>& values, const SpeedRange& range) {
  const auto low = static_cast<float>(range.lowest), high = static_cast<float>(range.highest);
  std::pair<Index, double> out{0, 0};
  for (float& v : values) {
    const float to = std::clamp(v, low, high);
    // A rounding beyond the range is none.
    if (std::abs(v - to) > 1e-5F * high) ++out.first;
    out.second = std::max(out.second, static_cast<double>(std::abs(v - to)));
    v = to;
  }
  return out;
}

Status write_raw(const std::filesystem::path& path, const Box& model, const char* unit) {
  std::filesystem::path data = path;
  data.replace_extension(".f32");
  std::error_code ignored;
  if (std::filesystem::exists(data, ignored))
    return make_error(ErrorCode::file, "the file of the samples exists; nothing is written over", "Give another name.",
                      {data.string(), 0, ""});
  static_assert(std::endian::native == std::endian::little, "samples are written as they lie in memory");
  const std::string_view bytes(reinterpret_cast<const char*>(model.values.data()), model.values.size() * sizeof(float));
  if (Status s = write_file_atomically(data, bytes); !s) return s;
  const ModelBox& b = model.box;
  Json header;
  header["file"] = data.filename().string();
  header["type"] = "float32";
  header["endian"] = "little";
  header["unit"] = unit;
  header["axes"] = "zyx";
  header["shape"] = {b.shape[2], b.shape[1], b.shape[0]};
  header["spacing"] = {b.spacing[2], b.spacing[1], b.spacing[0]};
  header["origin"] = {b.origin[2], b.origin[1], b.origin[0]};
  return write_file_atomically(path, indented_json(header) + "\n");
}

Status write_vti(const std::filesystem::path& path, Box model, ModelQuantity quantity, const char* unit) {
  FramePart part{"model", ImageGeometry{model.box.shape, model.box.origin, model.box.spacing}, {}};
  FieldInfo info;
  info.name = quantity == ModelQuantity::speed ? "speed" : "density";
  info.unit = unit;
  info.kind = FieldKind::magnitude;
  info.association = Association::point;
  part.fields.push_back(make_field(info, std::move(model.values)));
  return write_file_atomically(path, vtk_xml(part, 0));
}

Status write_model_segy(const std::filesystem::path& path, const Box& model) {
  const ModelBox& b = model.box;
  const auto [nx, ny, nz] = b.shape;
  SegyLayout layout;
  layout.interval = b.spacing[2] * 1e-3;  // thousandths of a metre where time has millionths of a second
  layout.samples = nz;
  layout.text = {"MODEL, ONE TRACE A COLUMN, DOWNWARDS FROM Z = 0", "INTERVAL IN MILLIMETRES"};
  std::vector<SegyTrace> traces;
  std::vector<float> values;
  values.reserve(model.values.size());
  for (Index x = 0; x < nx; ++x)
    for (Index y = 0; y < ny; ++y) {
      SegyTrace t;
      t.number = static_cast<std::int32_t>(traces.size() + 1);
      t.inline_number = static_cast<std::int32_t>(x + 1);
      t.crossline = static_cast<std::int32_t>(y + 1);
      t.cdp_x = b.origin[0] + static_cast<double>(x) * b.spacing[0];
      t.cdp_y = b.origin[1] + static_cast<double>(y) * b.spacing[1];
      traces.push_back(t);
      for (Index z = nz - 1; z >= 0; --z)
        values.push_back(model.values[static_cast<std::size_t>((z * ny + y) * nx + x)]);
    }
  return write_segy(path, layout, traces, values);
}

/// What a grid of these samples does to waves up to the task's frequency.
void report_waves(const ResampleTask& task, const ModelBox& box, const SpeedRange& speed, const ReportSink& sink) {
  const double widest = *std::max_element(box.spacing.begin(), box.spacing.end());
  double path = task.path;
  if (path <= 0) {
    for (std::size_t a = 0; a < 3; ++a) path += std::pow(line_of(box, a).last() - box.origin[a], 2);
    path = std::sqrt(path);
  }
  const double wave = speed.lowest / task.frequency, points = wave / widest;
  sink({"shortest wave",
        fmt::format("{} at {} and {:.5g} m/s", format_quantity(wave, "m"), format_quantity(task.frequency, "Hz"),
                    speed.lowest),
        wave, "m"});
  sink({"nodes in it", fmt::format("{:.2f}{}", points, points > 2 ? "" : ": more than 2 are needed to carry it at all"),
        points, ""});
  sink({"path", fmt::format("{}, {:.1f} of these waves", format_quantity(path, "m"), path / wave), path, "m"});
  for (int order = 2; order <= 2 * max_radius; order += 2) {
    if (task.order != 0 && order != task.order) continue;
    const Stencil stencil = stencil_of_order(order);
    const double dt = safe_step * largest_time_step(stencil, box.spacing, speed.highest);
    Problem grid;
    grid.grid = {box.shape, box.origin, box.spacing};
    grid.order = order;
    const Bytes memory = march_bytes(grid, 1);
    const std::string name = fmt::format("order {}", order);
    const std::string rest = fmt::format("largest stable time step {}, memory {}", format_quantity(dt / safe_step, "s"),
                                         format_bytes(memory));
    if (points > 2) {
      const double error = worst_phase_speed_error(stencil, points, speed.lowest * dt / widest);
      sink({name + ", error of speed",
            fmt::format("{:+.3g} %, after the path {:.2g} periods {}; {}", 100 * error, std::abs(error) * path / wave,
                        error < 0 ? "late" : "early", rest),
            error, ""});
      sink({name + ", periods late", "", -error * path / wave, ""});
    } else {
      sink({name, rest, std::numeric_limits<double>::quiet_NaN(), ""});
    }
    sink({name + ", largest stable time step", "", dt / safe_step, "s"});
    sink({name + ", memory", "", static_cast<double>(memory), "B"});
  }
}

Status resample_model(const ResampleTask& task, ResampleFilter filter, const ReportSink& sink) {
  const ModelQuantity quantity = task.quantity == "density" ? ModelQuantity::density : ModelQuantity::speed;
  const char* unit = quantity == ModelQuantity::speed ? "m/s" : "kg/m^3";
  const auto model = open_model(task.file, quantity);
  if (!model) return model.error();
  for (const std::string& note : (*model)->notes()) sink({"note", note, std::numeric_limits<double>::quiet_NaN(), ""});
  const ModelBox old = (*model)->box();
  ModelBox box = old;
  for (std::size_t a = 0; a < 3; ++a) {
    if (!(task.spacing[a] > 0) || old.shape[a] == 1) continue;
    if ((line_of(old, a).last() - old.origin[a]) / task.spacing[a] > 1e6)
      return wrong(task.file,
                   fmt::format("a spacing of {} gives more than a million samples along {}, where the model is {} long",
                               format_quantity(task.spacing[a], "m"), "xyz"[a],
                               format_quantity(line_of(old, a).last() - old.origin[a], "m")),
                   "Check the unit of --spacing.");
    // Models hang from their upper end.
    const SampleLine line = covering_line(line_of(old, a), task.spacing[a], a == 2);
    box.shape[a] = line.count;
    box.origin[a] = line.origin;
    box.spacing[a] = line.spacing;
  }
  if (is_segy(task.out)) {
    if (std::abs(line_of(box, 2).last()) > 1e-6 * box.spacing[2])
      return wrong(task.out,
                   fmt::format("SEG-Y models hang from z = 0; the top of this one lies at z = {}",
                               format_quantity(line_of(box, 2).last(), "m")),
                   "Write a .vti or a raw model with a JSON header.");
    if (samples_of(box) / static_cast<double>(box.shape[2]) > 1e8)
      return wrong(task.out, fmt::format("{} columns; at most 10^8 make a SEG-Y model", box.shape[0] * box.shape[1]),
                   "Write a .vti.");
  }
  if (Status s = fits(task.file, 2 * samples_of(old) + 3 * std::max(samples_of(old), samples_of(box)), shape_text(box),
                      task.memory);
      !s)
    return s;
  auto field = (*model)->load();
  if (!field) return field.error();
  SpeedRange range = (*field)->range({}, {});
  const auto describe = [&](const std::string& prefix, const ModelBox& b, const SpeedRange& r) {
    sink({prefix + "samples", fmt::format("{}, {} apart", shape_text(b), spacing_text(b)), samples_of(b), ""});
    sink({prefix + task.quantity, fmt::format("{:.5g} to {:.5g} {}", r.lowest, r.highest, unit), r.lowest, unit});
  };
  describe("", old, range);
  const bool changed = !same(line_of(old, 0), line_of(box, 0)) || !same(line_of(old, 1), line_of(box, 1)) ||
                       !same(line_of(old, 2), line_of(box, 2));
  Box all{old, {}};
  all.values.resize(static_cast<std::size_t>(samples_of(old)));
  std::vector<double> row(static_cast<std::size_t>(old.shape[2]));
  for (Index y = 0; y < old.shape[1]; ++y)
    for (Index x = 0; x < old.shape[0]; ++x) {
      (*field)->row(old.origin[0] + static_cast<double>(x) * old.spacing[0],
                    old.origin[1] + static_cast<double>(y) * old.spacing[1], old.origin[2], old.spacing[2], row);
      for (Index z = 0; z < old.shape[2]; ++z)
        all.values[static_cast<std::size_t>((z * old.shape[1] + y) * old.shape[0] + x)] =
            static_cast<float>(row[static_cast<std::size_t>(z)]);
    }
  field->reset();
  if (changed) {
    all = resampled(std::move(all), box, filter);
    const auto [cells, farthest] = cut_to(all.values, range);
    const auto [low, high] = std::minmax_element(all.values.begin(), all.values.end());
    range = {static_cast<double>(*low), static_cast<double>(*high)};
    describe("new ", box, range);
    if (cells > 0)
      sink({"cut to the old range",
            fmt::format("{} samples, by at most {:.3g} {}: the filter rings beside jumps; --filter linear does not",
                        cells, farthest, unit),
            static_cast<double>(cells), ""});
  }
  if (task.frequency > 0 && quantity == ModelQuantity::speed) report_waves(task, box, range, sink);
  if (task.out.empty()) return {};
  if (is_segy(task.out)) return write_model_segy(task.out, all);
  if (lower_case_ending(task.out) == ".vti") return write_vti(task.out, std::move(all), quantity, unit);
  return write_raw(task.out, all, unit);
}

// ---- traces ----------------------------------------------------------------------------------------------------------------

/// Says what becomes of the interval; the line that the new samples lie on.
Result<SampleLine> new_times(const ResampleTask& task, const SampleLine& old, Index traces, const ReportSink& sink) {
  if ((old.last() - old.origin) / task.interval > 1e8)
    return wrong(task.file,
                 fmt::format("an interval of {} gives more than 10^8 samples a trace; a trace lasts {}",
                             format_quantity(task.interval, "s"), format_quantity(old.last() - old.origin, "s")),
                 "Check the unit of --interval.");
  const SampleLine line = covering_line(old, task.interval, false);
  const double most = static_cast<double>(traces) * static_cast<double>(std::max(old.count, line.count));
  if (Status s = fits(task.file, 6 * most, fmt::format("{} traces of {} samples", traces, line.count), task.memory); !s)
    return s.error();
  const auto say = [&](const std::string& name, const SampleLine& l) {
    sink({name,
          fmt::format("{} traces of {}, {} apart, up to {}", traces, l.count, format_quantity(l.spacing, "s"),
                      format_quantity(0.5 / l.spacing, "Hz")),
          l.spacing, "s"});
  };
  say("samples", old);
  say("new samples", line);
  if (task.frequency > 0) {
    const double points = 1 / (task.frequency * line.spacing);
    // What is above is filtered off when the samples become fewer.
    sink({"samples a period",
          fmt::format("{:.2f} at {}{}", points, format_quantity(task.frequency, "Hz"),
                      points > 2.7                 ? ""
                      : line.spacing > old.spacing ? ": the filter takes it away"
                                                   : ": more than 2 are needed"),
          points, ""});
  }
  return line;
}

/// Share of the mean square of all values that is gone.
void report_loss(std::span<const float> before, std::span<const float> after, const ReportSink& sink) {
  const auto mean = [](std::span<const float> v) {
    double sum = 0;
    for (const float x : v) sum += static_cast<double>(x) * static_cast<double>(x);
    return v.empty() ? 0 : sum / static_cast<double>(v.size());
  };
  const double was = mean(before), lost = was > 0 ? 1 - mean(after) / was : 0;
  sink({"taken away", fmt::format("{:.3g} % of the mean square", 100 * lost), lost, ""});
}

Status resample_segy_traces(const ResampleTask& task, ResampleFilter filter, const ReportSink& sink) {
  const auto reader = SegyReader::open(task.file);
  if (!reader) return reader.error();
  const Index traces = reader->traces(), n = reader->samples();
  if (!(reader->interval_microseconds() > 0))
    return wrong(task.file, "the sample interval is 0", "Write the interval in microseconds to bytes 3217-3218.");
  const SampleLine old{n, 0, reader->interval_microseconds() * 1e-6};
  const auto line = new_times(task, old, traces, sink);
  if (!line) return line.error();
  std::vector<SegyTrace> headers(static_cast<std::size_t>(traces));
  std::vector<float> values(static_cast<std::size_t>(traces * n));
  for (Index t = 0; t < traces; ++t) {
    const std::span<float> to(values.data() + t * n, static_cast<std::size_t>(n));
    if (Status s = reader->read(t, headers[static_cast<std::size_t>(t)], to); !s) return s;
    for (std::size_t i = 0; i < to.size(); ++i)
      if (!std::isfinite(to[i]))
        return wrong(task.file,
                     fmt::format("trace {} has {} at sample {}; a finite number was expected", t + 1, to[i], i + 1),
                     "Repair the file; format 1 means IBM floats, 5 IEEE floats.");
  }
  const std::vector<float> out = resample_axis(values, traces, 1, old, *line, filter);
  report_loss(values, out, sink);
  if (task.out.empty()) return {};
  SegyLayout layout;
  layout.format = reader->format() == SegyFormat::ibm_float ? SegyFormat::ibm_float : SegyFormat::ieee_float;
  layout.interval = line->spacing;
  layout.samples = line->count;
  layout.text = {"TRACES ON ANOTHER INTERVAL", fmt::format("FROM {} S TO {} S", old.spacing, line->spacing)};
  return write_segy(task.out, layout, headers, out);
}

Status resample_csv_traces(const ResampleTask& task, ResampleFilter filter, const ReportSink& sink) {
  auto table = read_csv(task.file);
  if (!table) return table.error();
  const std::size_t columns = table->columns.size();
  const auto rows = static_cast<Index>(table->rows());
  if (columns < 2 || rows < 2)
    return wrong(task.file,
                 fmt::format("{} columns and {} rows; times and at least one trace with two samples were expected",
                             columns, rows),
                 "Give a table whose first column is the time in s.");
  const auto times = table->column(0);
  if (const std::string& unit = table->columns[0].unit; !unit.empty() && unit != "s")
    return wrong(task.file, fmt::format("the first column is in {}; the time in s was expected", unit),
                 "Convert it to seconds.");
  const SampleLine old{rows, times[0], (times.back() - times[0]) / static_cast<double>(rows - 1)};
  for (Index i = 0; i < rows; ++i)
    if (!(old.spacing > 0) || !(std::abs(times[static_cast<std::size_t>(i)] - old.origin -
                                         static_cast<double>(i) * old.spacing) < 1e-3 * old.spacing))
      return wrong(task.file,
                   fmt::format("row {} lies at {} s; rows {} apart would have it at {} s", i + 1,
                               times[static_cast<std::size_t>(i)], format_quantity(old.spacing, "s"),
                               old.origin + static_cast<double>(i) * old.spacing),
                   "Only samples at equal distances can be resampled.");
  const auto line = new_times(task, old, static_cast<Index>(columns) - 1, sink);
  if (!line) return line.error();
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(rows) * (columns - 1));
  for (std::size_t r = 0; r < table->rows(); ++r)
    for (std::size_t c = 1; c < columns; ++c) {
      const auto value = static_cast<float>(table->row(r)[c]);
      if (!std::isfinite(value))
        return wrong(
            task.file,
            fmt::format("row {} has {} in column {}; a finite number was expected", r + 1, table->row(r)[c], c + 1),
            "Repair the table.");
      values.push_back(value);
    }
  const std::vector<float> out = resample_axis(values, 1, static_cast<Index>(columns) - 1, old, *line, filter);
  report_loss(values, out, sink);
  if (task.out.empty()) return {};
  std::string text;
  for (const std::string& l : table->preamble) text += "# " + l + "\r\n";
  for (std::size_t c = 0; c < columns; ++c) text += (c > 0 ? "," : "") + csv_field(csv_heading(table->columns[c]));
  text += "\r\n";
  std::vector<double> row(columns);
  for (Index r = 0; r < line->count; ++r) {
    row[0] = line->origin + static_cast<double>(r) * line->spacing;
    for (std::size_t c = 1; c < columns; ++c)
      row[c] = static_cast<double>(out[static_cast<std::size_t>(r) * (columns - 1) + c - 1]);
    append_csv_row(text, row);
  }
  return write_file_atomically(task.out, text);
}

}  // namespace

SampleLine covering_line(const SampleLine& from, double to, bool from_end) {
  SampleLine out{1, from.origin, to};
  out.count = static_cast<Index>(std::ceil((from.last() - from.origin) / to - 1e-6)) + 1;
  if (from_end) out.origin = from.last() - static_cast<double>(out.count - 1) * to;
  return out;
}

std::vector<float> resample_axis(std::span<const float> values, Index outer, Index inner, const SampleLine& from,
                                 const SampleLine& to, ResampleFilter filter) {
  verify(static_cast<Index>(values.size()) == outer * from.count * inner && to.count > 0, "every line has its samples");
  const Weights w = weights_of(from, to, filter);
  std::vector<float> out(static_cast<std::size_t>(outer * to.count * inner));
  constexpr Index piece = 4096;  // sums that stay in the first cache
  const Index pieces = (inner + piece - 1) / piece;
  in_chunks(0, {0, outer * to.count * pieces}, 16, [&](Interval units, int) {
    std::array<double, piece> sum{};
    for (Index unit = units.begin; unit < units.end; ++unit) {
      const Index line = unit / pieces, begin = unit % pieces * piece;
      const auto count = static_cast<std::size_t>(std::min(piece, inner - begin)),
                 j = static_cast<std::size_t>(line % to.count);
      const float* in = values.data() + (line / to.count * from.count + w.first[j]) * inner + begin;
      std::fill_n(sum.begin(), count, 0.0);
      for (std::size_t t = w.at[j]; t < w.at[j + 1]; ++t, in += inner)
        for (std::size_t i = 0; i < count; ++i) sum[i] += w.weight[t] * static_cast<double>(in[i]);
      std::transform(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(count), out.begin() + line * inner + begin,
                     [](double v) { return static_cast<float>(v); });
    }
  });
  return out;
}

Status resample_file(const ResampleTask& task, const ReportSink& sink) {
  const ResampleFilter filter = task.filter == "linear" ? ResampleFilter::linear : ResampleFilter::sinc;
  std::error_code ignored;
  if (!task.out.empty() && std::filesystem::exists(task.out, ignored))
    return make_error(ErrorCode::file, "the file exists; nothing is written over", "Give another name.",
                      {task.out.string(), 0, ""});
  if (!(task.interval > 0) && lower_case_ending(task.file) == ".csv")
    return wrong(task.file, "a table holds traces, and these are put on another interval",
                 "Give it, for example --interval 4ms.");
  if (!(task.interval > 0)) return resample_model(task, filter, sink);
  if (is_segy(task.file) != is_segy(task.out) && !task.out.empty())
    return wrong(task.out, "traces keep their format, SEG-Y or CSV", "Give the new file the ending of the old one.");
  return is_segy(task.file) ? resample_segy_traces(task, filter, sink) : resample_csv_traces(task, filter, sink);
}

}  // namespace conoid::acoustic_fd
