// SPDX-License-Identifier: BSD-3-Clause
// The solver's face to the session: marching in bundles, tables, frames, checkpoints.
#include "engine/solvers/acoustic_fd/acoustic_fd.hpp"

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/io/segy.hpp"
#include "engine/solvers/acoustic_fd/discretization/cut_walls.hpp"
#include "engine/solvers/acoustic_fd/discretization/initial_field.hpp"
#include "engine/solvers/acoustic_fd/discretization/resample.hpp"
#include "engine/solvers/acoustic_fd/discretization/walls.hpp"
#include "engine/solvers/acoustic_fd/plan.hpp"
#include "engine/solvers/acoustic_fd/stepping/streamed_march.hpp"
#include "engine/solvers/acoustic_fd/verify/verify.hpp"
#include "engine/team/team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include <fmt/core.h>

namespace conoid::acoustic_fd {

extern const std::string_view parameters_schema;

namespace {

using Clock = std::chrono::steady_clock;
constexpr double bundle_seconds = 0.05;
constexpr double longest_bundle_seconds = 4;
constexpr std::size_t most_exact = 16;        // receivers that get an exact curve beside theirs
constexpr std::size_t most_drawn = 16;        // columns that a chart can carry
constexpr std::size_t most_intensities = 60;  // numbers of a run
constexpr std::size_t most_gathered = 48;     // traces that a gather draws

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const FieldInfo pressure_field{"pressure", "Pa", FieldKind::signed_value, Association::point, 1, false, "Pressure"};
const FieldInfo speed_field{"speed", "m/s", FieldKind::magnitude, Association::point, 1, false, "Speed of sound"};
const FieldInfo obstacle_field{"obstacle", "1", FieldKind::magnitude, Association::point, 1, false, "Obstacle"};
const std::array<FieldInfo, 2> map_fields{
    FieldInfo{"peak_pressure", "Pa", FieldKind::magnitude, Association::point, 1, false, "Peak pressure"},
    FieldInfo{"rms_pressure", "Pa", FieldKind::magnitude, Association::point, 1, false, "RMS pressure"}};
constexpr std::array<const char*, 3> plane_names{"plane yz", "plane xz", "plane xy"};  // by normal

/// Of a component of the velocity, "R1_vx": "R1_energy_x" and "R1_intensity_x".
std::string renamed(std::string_view velocity, std::string_view as) {
  return fmt::format("{}{}_{}", velocity.substr(0, velocity.size() - 2), as, velocity.back());
}
std::string flow_name(std::string_view velocity) {
  return renamed(velocity, "energy");
}
std::string intensity_name(std::string_view velocity) {
  return renamed(velocity, "intensity");
}

TableInfo table_info(std::string id, std::string title) {
  TableInfo info;
  info.id = std::move(id);
  info.title = std::move(title);
  info.columns.push_back({"t", "s", "time"});
  return info;
}

/// Why a run whose time step passed the check may grow nevertheless, and what ends it.
std::string divergence_advice(const Setup& setup) {
  const Problem& p = setup.problem;
  std::string advice;
  // Weights of alternating signs: at orders 8 to 12 the operator of the density has growing modes from contrasts of about ten between
  // single nodes on (medium.hpp).
  if (p.order >= 8 && setup.density.highest > 10 * setup.density.lowest)
    advice += "The density jumps more than tenfold, which orders above 6 do not bear from node to node: use order 6. ";
  const auto any = [&](auto&& is) { return std::any_of(p.faces.begin(), p.faces.end(), is); };
  if (any([](const Face& f) { return f.kind == FaceKind::matched; }) && any([](const Face& f) { return !f.absorbs(); }))
    advice +=
        "Waves that reflecting faces keep beside a matched layer may grow in it: let more faces absorb, widen the "
        "layer, or "
        "make it a sponge. ";
  if (!p.double_precision)
    advice += "Single precision ends at 3e38 Pa: lower the amplitudes of the sources, or use double precision. ";
  return advice + "A smaller time step helps in none of these: this one is stable.";
}

}  // namespace

Status AcousticFd::prepare(RunContext& context) {
  context.progress.begin("prepare", 0, "");
  Reading<Setup>& reading = read(context.input);
  for (const auto& d : reading.said)
    if (d.severity == Severity::error) return d;
  given_setup_ = std::move(reading.problem);
  reading_.forget();
  std::vector<Diagnostic> diagnostics;
  try {
    make_nodes(*given_setup_, context.input, diagnostics);
  } catch (const Failure& failure) {
    return failure.error();
  }
  for (const auto& d : diagnostics) {
    if (d.severity == Severity::error) return d;
    if (context.cluster.leads()) log::warning("acoustic-fd: {} {}", d.text, d.hint);
  }
  given_.emplace(context);
  int devices = 0;
  Bytes memory = 0;  // of the smallest
  for (const WorkerSpec& worker : context.team.workers())
    if (!worker.device.empty()) {
      memory = devices == 0 ? worker.device_memory : std::min(memory, worker.device_memory);
      ++devices;
    }
  const int parts = share_shots(*given_setup_, context.offer, devices, memory).parts;
  // Ranks may have been offered unlike amounts of memory.
  const Status s = begin_all(context, static_cast<int>(context.cluster.minimum(static_cast<double>(parts))));
  context.progress.end();
  return s;
}

Status AcousticFd::begin_all(RunContext& context, int parts) {
  batch_.reset();
  march_.reset();  // begun anew for another number of parts
  lines_.clear();
  const bool several = given_setup_->shots.size() > 1;
  if (parts == 1 && !several) return begin(context, std::move(*given_setup_), false, true);
  if (parts == 1) return begin(context, *given_setup_, true, true);
  try {
    batch_ = std::make_unique<ShotBatch>(context, *given_setup_, parts);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

Status AcousticFd::begin(RunContext& context, Setup setup, bool several, bool speaks) {
  setup_ = std::move(setup);
  several_ = several;
  speaks_ = speaks;
  if (setup_.problem.memory == 0) setup_.problem.memory = field_budget(context.offer);
  // Whether planes are streamed, and how many steps at a time, is the same on all ranks.
  setup_.problem.memory = static_cast<Bytes>(context.cluster.minimum(static_cast<double>(setup_.problem.memory)));
  if (!context.results.folder().empty()) setup_.problem.scratch = context.results.folder().string();
  cluster_ = &context.cluster;
  team_ = &context.team;
  const Problem& p = setup_.problem;

  std::size_t first = setup_.single_receivers;
  for (const Setup::ReceiverLine& read : setup_.receiver_lines) {
    Line line;
    line.name = read.name;
    line.first = first;
    line.count = read.count;
    lines_.push_back(std::move(line));
    first += read.count;
  }
  closed_ = std::all_of(p.faces.begin(), p.faces.end(), [](const Face& f) { return !f.absorbs(); });
  for (const Source& s : p.sources) sources_end_ = std::max(sources_end_, s.signal->end());
  if (setup_.image.any())
    if (const Status s = prepare_image(context); !s) return s;
  if (const Status s = begin_shot(0, first_pass()); !s) return s;
  if (!speaks_ || !context.cluster.leads()) return {};
  log::info("acoustic-fd: {} nodes, order {}, {} kernel, {}, dt {}, {} steps", grid_text(p.grid), p.order,
            march_->kernel(), march_->tiling(), format_quantity(p.dt, "s"), p.steps);
  if (filter_ && p.time_correction) log::info("acoustic-fd: {}", time_error_text(setup_));
  if (const CutWalls* const cuts = p.obstacles ? p.obstacles->cuts() : nullptr) {
    // A cell of mass that is added moves the wall by a node where it is.
    const double moved = cuts->added() / std::max<double>(1, static_cast<double>(cuts->nodes().size()));
    log::info("acoustic-fd: smooth walls cut {} cells", cuts->nodes().size());
    if (moved > 0.01)
      log::warning(
          "acoustic-fd: the time step is so near its limit that it moves smooth walls outwards by {:.2g} nodes on "
          "an average; a smaller \"courant\" leaves them where they are",
          moved);
  }
  return {};
}

Status AcousticFd::begin_shot(std::size_t number, Pass pass) {
  shot_ = number;
  pass_ = pass;
  if (setup_.image.any() && pass != Pass::backward)
    if (const Status s = read_observed_of_shot(); !s) return s;
  set_problem();
  set_filter();
  if (recording()) head_tables();
  return start_march();
}

void AcousticFd::set_problem() {
  problem_ = pass_ == Pass::observe || !setup_.image.any() ? setup_.problem : imaged_;
  if (pass_ == Pass::backward) {
    set_sources_of_receivers();
    return;
  }
  std::erase_if(problem_.sources, [&](const Source& s) { return s.shot != setup_.shots[shot_]; });
  const Problem& p = problem_;
  exact_.clear();
  if (p.exact && setup_.single_receivers > 0 && setup_.single_receivers <= most_exact) {
    for (std::size_t n = 0; n < setup_.single_receivers; ++n)
      exact_.emplace_back(p, p.receivers[n].position, static_cast<double>(p.steps) * p.dt);
    if (!std::all_of(exact_.begin(), exact_.end(), [](const ExactTrace& e) { return e.usable(); })) exact_.clear();
  }
  trace_sums_.assign(2 * exact_.size(), 0.0);
  sums_ = {};
  gather_.clear();
  integrals_.clear();
  flows_.assign(p.receivers.size() - setup_.pressure_receivers, 0.0);
  flows_from_ = 0;
  image_rows_.clear();
}

void AcousticFd::set_filter() {
  const Problem& p = problem_;
  filter_.reset();
  if (!p.receivers.empty()) {
    const double interval = static_cast<double>(p.trace_every) * p.dt;
    std::vector<double> intervals;
    if (recording()) intervals.push_back(interval);
    if (recording() && setup_.segy != "none") intervals.push_back(setup_.segy_interval);
    image_table_ = intervals.size();
    if (setup_.image.any())
      intervals.push_back(setup_.image.observed == ImageSettings::Observed::computed ? interval : observed_.interval);
    TimeScheme scheme = setup_.time_scheme();  // of this shot alone, so that others do not change its traces
    if (p.initial.kind == Initial::Kind::none) scheme.highest = 0;
    if (p.initial.kind == Initial::Kind::none)
      for (const Source& s : p.sources) scheme.highest = std::max(scheme.highest, s.signal->highest_frequency());
    // Velocities are odd then, as what is reflected in its end is where it begins at zero.
    filter_ = std::make_unique<TraceFilter>(scheme, p.receivers.size(), intervals, p.steps,
                                            p.initial.starts_at_rest() ? setup_.pressure_receivers : 0);
  }
}

Status AcousticFd::start_march() {
  const Problem& p = problem_;
  march_.reset();  // its memory is needed again
  try {
    marched_ = problem_;
    const bool filtered = p.time_correction && pass_ != Pass::backward;  // what is sent back is known at the steps
    if (filtered) step_together();
    if (filtered)
      for (Source& source : marched_.sources) source.signal = stepped(source.signal);
    march_ = make_march(marched_, this_machine(), *cluster_);
    march_->start(*team_, *cluster_);
    const Index band = march_->band();
    bundle_ = std::max(bundle_, band);
    // Planes that are streamed come and go once a band, however few steps it has, and a row of energy ends one.
    if (march_->streams() && !p.energy_asked) problem_.energy_every = (p.energy_every + band - 1) / band * band;
    if (setup_.image.any() && pass_ == Pass::forward) {
      if (!imaging_) imaging_ = std::make_unique<Imaging>(imaged_, setup_.image, image_plan_, *march_);
      imaging_->begin_shot();
    }
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

/// Signals of one band, as those of traces, are filtered together: what weights them is the same.
void AcousticFd::step_together() {
  std::map<double, std::vector<const Signal*>> bands;
  for (const Source& source : marched_.sources) {
    const Signal* signal = source.signal.get();
    while (const auto* scaled = dynamic_cast<const Scaled*>(signal)) signal = scaled->of().get();
    std::vector<const Signal*>& band = bands[signal->highest_frequency()];
    if (!stepped_.contains(signal) && std::find(band.begin(), band.end(), signal) == band.end()) band.push_back(signal);
  }
  for (const auto& [highest, signals] : bands) {
    if (signals.empty()) continue;
    const auto made = stepped_signals(signals, {setup_.problem.dt, true, highest}, setup_.problem.steps);
    for (std::size_t i = 0; i < signals.size(); ++i) stepped_[signals[i]] = made[i];
  }
}

/// Sources that share a signal share its filtered one; so do those that differ by a factor.
std::shared_ptr<const Signal> AcousticFd::stepped(const std::shared_ptr<const Signal>& signal) {
  if (const auto* scaled = dynamic_cast<const Scaled*>(signal.get()))
    return std::make_shared<Scaled>(stepped(scaled->of()), scaled->factor());
  auto& kept = stepped_[signal.get()];
  if (!kept)
    kept = stepped_signal(*signal, {setup_.problem.dt, true, signal->highest_frequency()}, setup_.problem.steps);
  return kept;
}

Index AcousticFd::steps_of_run() const {
  const Index pass = static_cast<Index>(pass_) - static_cast<Index>(first_pass());
  return (static_cast<Index>(shot_) * setup_.image.passes() + pass) * setup_.problem.steps + march_->steps_done();
}

Index AcousticFd::steps_of_case() const {
  const Index others = (setup_.first_shot + static_cast<Index>(shot_) * setup_.shot_stride) - static_cast<Index>(shot_);
  return steps_of_run() + others * setup_.image.passes() * setup_.problem.steps;
}

std::string AcousticFd::of_shot(std::string_view id) const {
  return !several_ ? std::string(id) : fmt::format("{}_shot{}", id, setup_.shots[shot_]);
}

Status AcousticFd::write_segy_file(RunContext& context) const {
  const Problem& p = problem_;
  if (setup_.segy == "none" || p.receivers.empty() || !context.cluster.leads() || context.results.folder().empty())
    return {};
  const std::size_t all = p.receivers.size(), receivers = setup_.pressure_receivers, samples = gather_.size() / all;
  if (samples == 0 || receivers == 0) return {};
  SegyLayout layout;
  layout.format = setup_.segy == "ibm" ? SegyFormat::ibm_float : SegyFormat::ieee_float;
  layout.interval = setup_.segy_interval;
  layout.samples = static_cast<Index>(samples);
  layout.text = {"PRESSURE IN PA", fmt::format("SHOT {}", setup_.shots[shot_]), "POSITIONS IN METRES, Z UPWARDS",
                 fmt::format("SAMPLE INTERVAL {:.9g} S", layout.interval)};
  std::vector<SegyTrace> headers(receivers);
  std::vector<float> values(samples * receivers);
  for (std::size_t n = 0; n < receivers; ++n) {
    SegyTrace& h = headers[n];
    h.number = static_cast<std::int32_t>(n + 1);
    h.channel = h.number;
    h.shot = static_cast<std::int32_t>(setup_.shots[shot_]);
    h.receiver = p.receivers[n].position;
    if (!p.sources.empty()) h.source = p.sources.front().centre;
    h.offset = std::hypot(h.receiver[0] - h.source[0], h.receiver[1] - h.source[1]);
    h.cdp_x = 0.5 * (h.receiver[0] + h.source[0]);
    h.cdp_y = 0.5 * (h.receiver[1] + h.source[1]);
    for (std::size_t k = 0; k < samples; ++k) values[n * samples + k] = gather_[k * all + n];
  }
  const auto folder = context.results.folder() / "traces";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return system_error("create", folder.string(), error.value());
  return write_segy(folder / fmt::format("shot-{}.sgy", setup_.shots[shot_]), layout, headers, values);
}

void AcousticFd::record(std::vector<std::vector<double>>& batch) const {
  batch.emplace_back(march_->parts());
  march_->sample(batch.back());
}

/// The tables' headers and the factors of the gathers, once a run.
void AcousticFd::head_tables() {
  const Problem& p = problem_;
  const std::string shot = !several_ ? "" : fmt::format(", shot {}", setup_.shots[shot_]);
  receivers_table_ = table_info(of_shot("receivers"), "Pressure at the receivers" + shot);
  receivers_table_.definition = "Pressure at the receivers. ";
  std::string filtered;
  if (p.time_correction) filtered = "The time step's error is filtered out (frames keep it). ";
  if (filter_ && p.trace_every > 1)
    filtered += fmt::format("Low pass: as it is up to {}, nothing from {} on. ",
                            format_quantity(filter_->band(0).pass / (2 * std::numbers::pi), "Hz"),
                            format_quantity(filter_->band(0).stop / (2 * std::numbers::pi), "Hz"));
  receivers_table_.definition += filtered;
  for (std::size_t n = 0; n < setup_.single_receivers; ++n) {
    receivers_table_.columns.push_back({p.receivers[n].name, "Pa", ""});
    const Vec3& x = p.receivers[n].position;
    if (n < 100)
      receivers_table_.definition += fmt::format("{} at ({:g}, {:g}, {:g}) m. ", p.receivers[n].name, x[0], x[1], x[2]);
  }
  for (std::size_t n = 0; n < exact_.size(); ++n) {
    receivers_table_.columns.push_back({p.receivers[n].name + "_exact", "Pa", p.receivers[n].name + " exact"});
    receivers_table_.exact.push_back(p.receivers[n].name + "_exact");
  }
  if (!exact_.empty())
    receivers_table_.definition +=
        p.grid.flat()
            ? "Exact: sum of 1/(2 pi) int s(t - r/c cosh u) du over line sources and their images behind "
              "free and rigid faces."
            : "Exact: sum of s(t - r/c) / (4 pi r) over sources and their images behind free and rigid faces.";
  if (setup_.single_receivers > most_drawn) receivers_table_.form = ChartForm::none;

  velocity_table_ = table_info(of_shot("velocity"), "Particle velocity at the receivers" + shot);
  velocity_table_.definition = "Particle velocity at the receivers, from rho v_t = -grad p. " + filtered;
  for (std::size_t n = setup_.pressure_receivers; n < p.receivers.size(); ++n)
    velocity_table_.columns.push_back({p.receivers[n].name, "m/s", ""});
  if (p.receivers.size() - setup_.pressure_receivers > most_drawn) velocity_table_.form = ChartForm::none;

  flow_table_ = table_info(of_shot("energy_flow"), "Sound energy that has passed the receivers" + shot);
  flow_table_.definition =
      "Integral of p v over time, by components: divided by the duration it is the active intensity. " + filtered;
  for (std::size_t n = setup_.pressure_receivers; n < p.receivers.size(); ++n)
    flow_table_.columns.push_back({flow_name(p.receivers[n].name), "J/m^2", ""});
  flow_table_.form = velocity_table_.form;

  double most = 0;  // of the first source's signature
  if (!p.sources.empty())
    for (int i = 0; i <= 1000; ++i)
      most = std::max(most, std::abs(p.sources.front().signal->at(p.sources.front().signal->end() * i / 1000.0)));
  for (std::size_t l = 0; l < lines_.size(); ++l) {
    Line& line = lines_[l];
    line.plain =
        table_info(of_shot(fmt::format("line_{}", l + 1)), fmt::format("Pressure along {}{}", line.name, shot));
    line.scale.clear();
    line.plain.form = ChartForm::none;
    line.plain.definition = "Pressure at the receivers of the line, first to last. " + filtered;
    for (std::size_t n = 0; n < line.count; ++n)
      line.plain.columns.push_back({p.receivers[line.first + n].name, "Pa", ""});
    if (!(most > 0)) continue;
    line.gather = table_info(of_shot(fmt::format("gather_{}", l + 1)), fmt::format("Gather of {}{}", line.name, shot));
    line.gather.definition =
        "Traces side by side: number of the receiver + 8 pi r p / max|s|, r the distance from the first "
        "source (spherical "
        "spreading taken out).";
    line.every = (line.count + most_gathered - 1) / most_gathered;
    for (std::size_t n = 0; n < line.count; n += line.every) {
      const Vec3& x = p.receivers[line.first + n].position;
      const Vec3& y = p.sources.front().position;
      const double r = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
      line.gather.columns.push_back({p.receivers[line.first + n].name, "1", fmt::format("{:g} m", r)});
      line.scale.push_back(static_cast<double>(line.every) * 8 * std::numbers::pi * r / most);
    }
  }
}

void AcousticFd::append_traces(RunContext& context, std::vector<std::vector<double>>& batch, bool ends) {
  if (!filter_) return;
  const std::size_t parts = march_->parts(), receivers = setup_.problem.receivers.size();
  std::vector<double> all;
  all.reserve(parts * batch.size());
  for (const auto& one : batch) all.insert(all.end(), one.begin(), one.end());
  // One rank holds each entry and the others add zero, so that the bits do not depend on the number of ranks.
  context.cluster.sum(std::span(all));
  std::vector<double> traces(receivers);
  for (std::size_t b = 0; b < batch.size(); ++b) {
    march_->join_traces(std::span(all).subspan(b * parts, parts), traces);
    integrate_slopes(traces);
    filter_->take(traces);
  }
  batch.clear();
  if (setup_.image.any()) {
    const std::vector<double> rows = filter_->rows(image_table_, ends);
    image_rows_.insert(image_rows_.end(), rows.begin(), rows.end());
    if (!recording()) return;
  }
  // Tables are there from the first step on, rows come later.
  if (setup_.single_receivers > 0) static_cast<void>(context.results.table(receivers_table_));
  if (receivers > setup_.pressure_receivers) {
    static_cast<void>(context.results.table(velocity_table_));
    static_cast<void>(context.results.table(flow_table_));
  }
  for (const Line& line : lines_) {
    static_cast<void>(context.results.table(line.plain));
    if (!line.scale.empty()) static_cast<void>(context.results.table(line.gather));
  }
  const double interval = static_cast<double>(setup_.problem.trace_every) * setup_.problem.dt;
  Index row = filter_->next_row(0);
  const std::vector<double> rows = filter_->rows(0, ends);
  for (std::size_t at = 0; at < rows.size(); at += receivers, ++row)
    append_row(context, static_cast<double>(row) * interval, std::span(rows).subspan(at, receivers));
  if (setup_.segy == "none") return;
  for (const double v : filter_->rows(1, ends)) gather_.push_back(static_cast<float>(v));
}

void AcousticFd::integrate_slopes(std::span<double> traces) {
  const Problem& p = problem_;
  const std::size_t first = setup_.pressure_receivers, count = traces.size() - first;
  if (count == 0) return;
  const bool begins = integrals_.empty();
  if (begins) integrals_.assign(4 * count, 0.0);
  // ρ v_t = −∇p. A wave that goes through the scheme as one of ω has (2/dt) sin(ω dt/2) for its frequency (trace_filter.hpp), so its integral is a
  // sum of slopes half-way between levels, which a cubic through four levels gives; without the correction Adams and Moulton's rule.
  const std::array<double, 4> rule = p.time_correction ? std::array{5.0 / 16, 15.0 / 16, -5.0 / 16, 1.0 / 16}
                                                       : std::array{9.0 / 24, 19.0 / 24, -5.0 / 24, 1.0 / 24};
  for (std::size_t n = 0; n < count; ++n) {
    double* const own = integrals_.data() + 4 * n;
    const double slope = traces[first + n];
    if (begins) {  // in a plane wave that moves there is a velocity from the beginning
      const Receiver& receiver = p.receivers[first + n];
      double speed = 0;
      p.velocity->row(receiver.position[0], receiver.position[1], receiver.position[2], 0, {&speed, 1});
      own[0] = initial_velocity(p, receiver.position, receiver.slope, speed, receiver.density);
      std::fill_n(own + 1, 3, slope);
    } else {
      own[0] -= p.dt / p.receivers[first + n].density *
                (rule[0] * slope + rule[1] * own[1] + rule[2] * own[2] + rule[3] * own[3]);
    }
    own[3] = own[2];
    own[2] = own[1];
    own[1] = slope;
    traces[first + n] = own[0];
  }
}

void AcousticFd::append_row(RunContext& context, double t, std::span<const double> traces) {
  std::vector<double> row;
  const auto begin = traces.begin();
  if (traces.size() > setup_.pressure_receivers) {
    row.assign(1, t);
    row.insert(row.end(), begin + static_cast<std::ptrdiff_t>(setup_.pressure_receivers), traces.end());
    context.results.table(velocity_table_).append(row);
    // Rows carry less than half of what they could, so that a sum is the integral of the product; a wave may have begun before the first.
    const double interval = (t == 0 ? 0.5 : 1) * static_cast<double>(setup_.problem.trace_every) * setup_.problem.dt;
    row.assign(1, t);
    for (std::size_t n = 0; n < flows_.size(); ++n) {
      flows_[n] += interval * traces[setup_.heard_with[n]] * traces[setup_.pressure_receivers + n];
      row.push_back(flows_[n]);
    }
    context.results.table(flow_table_).append(row);
  }
  if (setup_.single_receivers > 0) {
    row.assign(1, t);
    row.insert(row.end(), begin, begin + static_cast<std::ptrdiff_t>(setup_.single_receivers));
    for (std::size_t n = 0; n < exact_.size(); ++n) {
      const double e = exact_[n].at(t);
      row.push_back(e);
      trace_sums_[2 * n] += (traces[n] - e) * (traces[n] - e);
      trace_sums_[2 * n + 1] += e * e;
    }
    context.results.table(receivers_table_).append(row);
  }
  for (const Line& line : lines_) {
    row.assign(1, t);
    row.insert(row.end(), begin + static_cast<std::ptrdiff_t>(line.first),
               begin + static_cast<std::ptrdiff_t>(line.first + line.count));
    context.results.table(line.plain).append(row);
    if (line.scale.empty()) continue;
    row.resize(1);
    for (std::size_t i = 0; i < line.scale.size(); ++i)
      row.push_back(static_cast<double>(i * line.every + 1) + line.scale[i] * traces[line.first + i * line.every]);
    context.results.table(line.gather).append(row);
  }
}

Status AcousticFd::append_energy(RunContext& context) {
  const Problem& p = setup_.problem;
  const Energy e = march_->energy(context.team, context.cluster);
  const double t = (static_cast<double>(march_->steps_done()) - 0.5) * p.dt;
  if (!std::isfinite(e.total()))
    return make_error(
        ErrorCode::not_converged,
        fmt::format("the field is no longer finite at step {} (t = {})", march_->steps_done(), format_quantity(t, "s")),
        divergence_advice(setup_) + " The results up to here are kept.");
  TableInfo info = table_info(of_shot("energy"),
                              "Energy of the field" + (several_ ? fmt::format(", shot {}", setup_.shots[shot_]) : ""));
  for (const char* name : {"kinetic", "potential", "total"}) info.columns.push_back({name, "Pa^2 m", name});
  info.definition =
      "Conserved energy of the leapfrog scheme half-way between two steps: kinetic 1/2 sum ((p1 - p0) / (c "
      "dt))^2 dV, "
      "potential -1/2 sum p1 Laplace(p0) dV; constant without absorbing faces once the sources are silent.";
  context.results.table(info).append({t, e.kinetic, e.potential, e.total()});
  if (sums_.energy_first == 0) sums_.energy_first = e.total();
  sums_.energy_last = e.total();
  sums_.peak = std::max(sums_.peak, e.total());
  if (closed_ && t > sources_end_) {
    if (sums_.closed_first == 0) sums_.closed_first = e.total();
    sums_.closed_worst = std::max(sums_.closed_worst, std::abs(e.total() - sums_.closed_first));
  }
  return {};
}

bool AcousticFd::is_over() const {
  std::size_t shot = 0;
  Pass pass = pass_;
  return march_->steps_done() >= setup_.problem.steps && !after_this(shot, pass);
}

Status AcousticFd::begin_due_march() {
  std::size_t shot = 0;
  Pass pass = pass_;
  if (march_->steps_done() < setup_.problem.steps || !after_this(shot, pass)) return {};
  return begin_shot(shot, pass);
}

Advanced AcousticFd::standing(Index done, Index all) const {
  return {done >= all, done, all, static_cast<double>(done) * setup_.problem.dt};
}

Index AcousticFd::next_stop(const FrameMarks& marks, Index all) const {
  const Index k = march_->steps_done(), before = steps_of_case() - k, last = std::min(problem_.steps, k + bundle_);
  return marks.first_due(before + k, before + last, [&](Index done) { return standing(done, all); }) - before;
}

Result<Advanced> AcousticFd::advance(RunContext& context) {
  if (batch_) return batch_->advance(context);
  if (const Status s = begin_due_march(); !s) return s.error();
  const Index all = static_cast<Index>(setup_.shots.size()) * setup_.image.passes() * setup_.problem.steps;
  if (const Status s = advance_to(context, next_stop(context.marks, all)); !s) return s.error();
  if (has_ended(Pass::forward)) add_misfit(take_misfit());
  if (has_ended(Pass::backward)) imaging_->end_shot(team_->threads());
  return standing(steps_of_run(), all);
}

Status AcousticFd::advance_to(RunContext& context, Index end) {
  const Problem& p = problem_;
  const Index start = march_->steps_done();
  const auto clock = Clock::now();
  std::vector<std::vector<double>> batch;
  if (start == 0 && filter_) record(batch);
  March::Recorder recorder{1, std::move(batch)};  // the filter wants every level
  for (Index k = start; k < end;) {
    Index next = std::min(end, image_stop(k));
    if (recording()) next = std::min(next, (k / p.energy_every + 1) * p.energy_every);
    march_->advance(context.team, context.cluster, next - k, filter_ ? &recorder : nullptr);
    k = next;
    take_image();
    if (recording() && k % p.energy_every == 0)
      if (const Status s = append_energy(context); !s) {
        append_traces(context, recorder.samples, true);
        return s;
      }
  }
  append_traces(context, recorder.samples, false);
  // The last shot's end is made by finish(): a checkpoint of the last step is before it, so that a longer run has the rows of one
  // that was never cut.
  if (end >= p.steps && setup_.image.any()) {
    if (const Status s = end_pass(context); !s) return s;
  } else if (end >= p.steps && shot_ + 1 < setup_.shots.size()) {
    if (const Status s = end_shot(context); !s) return s;
  }

  // Only the length of the bundles depends on the clock, never a result; all ranks follow the first.
  const double seconds = seconds_since(clock);
  if (end > start && seconds > 0) {
    const double rate = static_cast<double>(end - start) / seconds;
    context.progress.computed(static_cast<double>(p.grid.cells() * (end - start)), "cells");
    // Tiles need several steps at once: whole bands, as long as one answers a stop in good time.
    const double wanted = std::clamp(bundle_seconds * rate, 1.0, 1e6);
    const auto band = static_cast<double>(march_->band());
    // All planes come and go once a band that is streamed, however few steps it has.
    const double least = march_->streams() ? band : std::min(band, longest_bundle_seconds * rate);
    const double bands = std::clamp(std::floor(wanted / band) * band, least, 1e6);
    bundle_ = context.cluster.from_root(std::max<Index>(1, static_cast<Index>(bands)));
  }
  return {};
}

std::vector<CatalogEntry> AcousticFd::catalog() const {
  if (batch_) return batch_->shown().catalog();
  std::vector<CatalogEntry> out;
  const auto add = [&](const char* part) {
    out.push_back({part, pressure_field});
    if (setup_.several_speeds) out.push_back({part, speed_field});
    if (setup_.problem.obstacles) out.push_back({part, obstacle_field});
    if (setup_.problem.peak_map) out.push_back({part, map_fields[0]});
    if (setup_.problem.rms_map) out.push_back({part, map_fields[1]});
    if (setup_.image.any()) {
      out.push_back({part, image_field()});
      out.push_back({part, illumination_field()});
    }
  };
  if (setup_.problem.grid.flat()) {
    add(plane_names[1]);
    return out;
  }
  add("volume");
  for (const char* name : plane_names) add(name);
  return out;
}

March::Cut AcousticFd::volume_cut(Index limit) const {
  const auto& n = setup_.problem.grid.points;
  March::Cut cut;
  for (Index stride = 1;; ++stride) {
    for (std::size_t a = 0; a < 3; ++a) {
      cut.step[a] = stride;
      cut.count[a] = (n[a] - 1) / stride + 1;
    }
    if (limit <= 0 || cut.count[0] * cut.count[1] * cut.count[2] <= limit ||
        stride >= *std::max_element(n.begin(), n.end()))
      return cut;
  }
}

March::Cut AcousticFd::plane_cut(std::size_t normal, Index limit) const {
  const Grid& g = setup_.problem.grid;
  March::Cut cut;
  for (Index stride = 1;; ++stride) {
    Index points = 1;
    for (std::size_t a = 0; a < 3; ++a) {
      if (a == normal) continue;
      cut.step[a] = stride;
      cut.count[a] = (g.points[a] - 1) / stride + 1;
      points *= cut.count[a];
    }
    if (limit <= 0 || points <= limit || stride >= *std::max_element(g.points.begin(), g.points.end())) break;
  }
  cut.count[normal] = 1;
  const double place = std::round((setup_.plane_at[normal] - g.origin[normal]) / g.spacing[normal]);
  cut.first[normal] = static_cast<Index>(std::clamp(place, 0.0, static_cast<double>(g.points[normal] - 1)));
  return cut;
}

Field AcousticFd::lasting(const FieldInfo& info, std::string_view name, const March::Cut& cut, const Join& join,
                          const std::function<void(Index, Index, std::vector<float>&)>& append_row) const {
  auto& kept = lasting_fields_[fmt::format("{} {} {} {}", info.name, name, cut.step[0], cut.step[1])];
  if (!kept) {
    std::vector<float> mine;
    for (Index i = 0; i < cut.count[0]; ++i) {
      const Index x = cut.first[0] + i * cut.step[0];
      if (x < march_->planes().begin || x >= march_->planes().end) continue;
      for (Index j = 0; j < cut.count[1]; ++j) append_row(x, cut.first[1] + j * cut.step[1], mine);
    }
    auto joined = join(std::move(mine));
    kept = joined ? joined : std::make_shared<const std::vector<float>>();
  }
  return {info, kept};
}

void AcousticFd::add_part(FrameBuilder& builder, std::string_view name, const March::Cut& cut) const {
  const Grid& g = setup_.problem.grid;
  const auto total = static_cast<std::size_t>(cut.count[0] * cut.count[1] * cut.count[2]);
  // Ranks hold x slowest; a picture wants x fastest.
  const auto turn = [&](const std::vector<float>& from) {
    auto to = std::make_shared<std::vector<float>>(total);
    const Index nx = cut.count[0], ny = cut.count[1], nz = cut.count[2];
    constexpr Index tile = 32;
    for (Index y = 0; y < ny; ++y)
      for (Index x0 = 0; x0 < nx; x0 += tile)
        for (Index z0 = 0; z0 < nz; z0 += tile)
          for (Index z = z0; z < std::min(nz, z0 + tile); ++z)
            for (Index x = x0; x < std::min(nx, x0 + tile); ++x)
              (*to)[static_cast<std::size_t>((z * ny + y) * nx + x)] =
                  from[static_cast<std::size_t>((x * ny + y) * nz + z)];
    return to;
  };
  const auto join = [&](std::vector<float>&& mine) -> std::shared_ptr<const std::vector<float>> {
    if (cluster_->size() > 1) {
      const std::vector<float> all = cluster_->gather_values<float>(mine);
      return cluster_->leads() ? turn(all) : nullptr;
    }
    return turn(mine);
  };
  std::vector<Field> fields;
  if (builder.wants(pressure_field.name)) {
    std::vector<float> mine;
    mine.reserve(total);
    march_->read(cut, mine);
    fields.push_back({pressure_field, join(std::move(mine))});
  }
  for (int which = 0; which < 2; ++which) {
    if (!(which == 0 ? setup_.problem.peak_map : setup_.problem.rms_map)) continue;
    const FieldInfo& info = map_fields[static_cast<std::size_t>(which)];
    if (!builder.wants(info.name)) continue;
    std::vector<float> mine;
    mine.reserve(total);
    march_->read_map(which, cut, mine);
    const auto steps = static_cast<float>(std::max<Index>(1, march_->steps_done()));
    if (which == 1)
      for (float& v : mine) v = std::sqrt(v / steps);
    fields.push_back({info, join(std::move(mine))});
  }
  if (setup_.image.any()) add_image_fields(builder, cut, join, fields);
  if (builder.wants(speed_field.name) && setup_.several_speeds)
    fields.push_back(lasting(speed_field, name, cut, join, [&](Index x, Index y, std::vector<float>& out) {
      std::vector<double> row(static_cast<std::size_t>(cut.count[2]));
      setup_.problem.velocity->row(g.at(0, x), g.at(1, y), g.at(2, cut.first[2]),
                                   static_cast<double>(cut.step[2]) * g.spacing[2], row);
      for (const double c : row) out.push_back(static_cast<float>(c / setup_.problem.stiffening));
    }));
  if (builder.wants(obstacle_field.name) && setup_.problem.obstacles)
    fields.push_back(lasting(obstacle_field, name, cut, join, [&](Index x, Index y, std::vector<float>& out) {
      for (Index l = 0; l < cut.count[2]; ++l)  // 0: fluid, 1: rigid, 2: soft
        out.push_back(static_cast<float>(setup_.problem.obstacles->at(x, y, cut.first[2] + l * cut.step[2])));
    }));
  if (!cluster_->leads() || fields.empty()) return;
  ImageGeometry image;
  image.points = cut.count;
  for (std::size_t a = 0; a < 3; ++a) {
    image.origin[a] = g.at(a, cut.first[a]);
    image.spacing[a] = static_cast<double>(cut.step[a]) * g.spacing[a];
  }
  builder.part(std::string(name), image).fields = std::move(fields);
}

void AcousticFd::fill(FrameBuilder& builder) const {
  if (batch_) {
    batch_->fill(builder);
    return;
  }
  const Index k = steps_of_case();
  builder.at(k, static_cast<double>(k) * setup_.problem.dt, FrameAxis::time);
  const Index asked = builder.request().points_limit;
  const bool flat = setup_.problem.grid.flat();
  if (!flat && builder.wants_part("volume"))
    add_part(builder, "volume", volume_cut(asked > 0 ? std::min(asked, setup_.volume_points) : setup_.volume_points));
  for (std::size_t a = 0; a < 3; ++a)
    if ((!flat || a == 1) && builder.wants_part(plane_names[a])) add_part(builder, plane_names[a], plane_cut(a, asked));
}

void AcousticFd::save(CheckpointWriter& writer) const {
  if (batch_) {
    batch_->save(writer);
    return;
  }
  writer.value("shot", static_cast<Index>(shot_));
  if (setup_.image.any()) save_image(writer);
  march_->save(writer);
  if (filter_) filter_->save(writer);
  writer.shared<float>("gather", gather_);
  if (setup_.pressure_receivers < setup_.problem.receivers.size()) {
    writer.shared<double>("velocities", integrals_);
    writer.shared<double>("energy_flows", flows_);
    writer.value("energy_flows_from", flows_from_);
  }
  writer.shared<double>("trace_sums", trace_sums_);
  writer.value("sums", sums_);
  writer.value("steps_of_shot", setup_.problem.steps);
  writer.value("trace_every", setup_.problem.trace_every);
}

/// What a longer duration may not change: shots that are over, and how dense traces are.
void AcousticFd::expect_same_rows(const CheckpointReader& reader) const {
  if (reader.length("trace_every") < 0) return;  // of an earlier version, which could not be prolonged
  const Problem& p = setup_.problem;
  if (setup_.image.any() && reader.value<Index>("steps_of_shot") != p.steps)
    throw Failure(make_error(ErrorCode::invalid_input, "the run of an image cannot be prolonged",
                             "What was compared and sent back was of the shorter march; start a new run."));
  if (several_ && reader.value<Index>("steps_of_shot") != p.steps)
    throw Failure(make_error(ErrorCode::invalid_input, "a survey of several shots cannot be prolonged",
                             "The shots that are over would stay short; start a new run."));
  if (const auto every = reader.value<Index>("trace_every"); every != p.trace_every)
    throw Failure(make_error(
        ErrorCode::invalid_input,
        fmt::format("traces were recorded every {} steps, and would be every {} from here on", every, p.trace_every),
        fmt::format("Keep their density: --set output.trace_every={}", every)));
}

/// Checkpoints of versions that had velocities and no flows yet: what passed before them is not known, and is told to be missing.
void AcousticFd::load_flows(const CheckpointReader& reader) {
  if (reader.length("energy_flows") >= 0) {
    flows_ = reader.all<double>("energy_flows");
    if (reader.length("energy_flows_from") >= 0) flows_from_ = reader.value<double>("energy_flows_from");
  } else {
    flows_from_ = static_cast<double>(filter_->next_row(0) * setup_.problem.trace_every) * setup_.problem.dt;
    if (flows_from_ > 0 && cluster_->leads()) log::warning("acoustic-fd: {}", missing_flow_text());
  }
  if (flows_from_ > 0) flow_table_.definition += missing_flow_text();
}

std::string AcousticFd::missing_flow_text() const {
  return fmt::format(
      "The sound energy that passes receivers is counted from t = {} on: the checkpoint from which this run was "
      "resumed is of an earlier version, which did not keep it. Active intensities, means over the whole run, are "
      "left out; start the run anew to have them.",
      format_quantity(flows_from_, "s"));
}

void AcousticFd::load(CheckpointReader& reader) {
  // Shots that were under way together go on together.
  if (const int parts =
          reader.length("shots_at_once") == 1 ? static_cast<int>(reader.value<Index>("shots_at_once")) : 1;
      given_ && parts != (batch_ ? batch_->parts() : 1))
    if (const Status s = begin_all(*given_, parts); !s) throw Failure(s.error());
  if (batch_) {
    batch_->load(reader);
    return;
  }
  if (!setup_.image.any() && filter_ && reader.length("trace_counts") < 0)
    throw Failure(make_error(ErrorCode::file, "the checkpoint was written by an earlier version of this solver",
                             "It holds no traces before they are filtered: start the run anew from its case."));
  expect_same_rows(reader);
  const auto shot = static_cast<std::size_t>(reader.value<Index>("shot"));
  if (shot >= setup_.shots.size())
    throw Failure(make_error(ErrorCode::file,
                             fmt::format("the checkpoint is of shot {} of {}", shot + 1, setup_.shots.size()),
                             "It belongs to another case; start the run anew."));
  if (setup_.image.any())
    load_image(reader, shot, static_cast<Pass>(reader.value<Index>("pass")));
  else if (shot != shot_)
    if (const Status s = begin_shot(shot, Pass::forward); !s) throw Failure(s.error());
  march_->load(reader, *cluster_);
  if (filter_) filter_->load(reader);
  gather_ = reader.all<float>("gather");
  if (setup_.pressure_receivers < setup_.problem.receivers.size()) {
    integrals_ = reader.all<double>("velocities");
    load_flows(reader);
  }
  reader.range<double>("trace_sums", 0, trace_sums_);
  sums_ = reader.value<Sums>("sums");
}

Status AcousticFd::end_shot(RunContext& context) {
  // A run that was stopped also gives its last rows; resumed from a checkpoint it makes them anew.
  std::vector<std::vector<double>> none;
  append_traces(context, none, true);
  if (flows_from_ > 0) context.results.text(of_shot("energy_flow_note"), missing_flow_text());
  if (march_->steps_done() < problem_.steps) return {};
  if (problem_.steps % problem_.energy_every != 0)
    if (const Status s = append_energy(context); !s) return s;
  return write_segy_file(context);
}

Status AcousticFd::finish(RunContext& context) {
  if (batch_) return batch_->finish(context);
  const Problem& p = setup_.problem;
  // The march of an image has ended its shot when it came to its end.
  if (!setup_.image.any() || (recording() && march_->steps_done() < p.steps))
    if (const Status s = end_shot(context); !s) return s;
  const auto number = [&](std::string_view name, double value, std::string_view unit) {
    context.results.number(name, value, unit);
  };
  number("nodes", static_cast<double>(p.grid.cells()), "1");
  number("time_steps", static_cast<double>(steps_of_run()), "1");
  if (several_) number("shots", static_cast<double>(setup_.shots.size()), "1");
  number("time_step", p.dt, "s");
  number("courant_number", p.speed.highest * p.dt / p.grid.finest(), "1");
  number("cell_updates", static_cast<double>(p.grid.cells()) * static_cast<double>(steps_of_run()), "1");
  number("field_memory", static_cast<double>(context.cluster.sum(static_cast<double>(march_->bytes()))), "B");
  const March::Streamed streamed = march_->streamed();
  for (const auto& [name, bytes] :
       {std::pair{"streamed_read", streamed.read}, std::pair{"streamed_written", streamed.written},
        std::pair{"streamed_to_devices", streamed.to_device}, std::pair{"streamed_from_devices", streamed.from_device}})
    if (bytes > 0) number(name, static_cast<double>(bytes), "B");
  if (setup_.image.any()) {
    number("misfit", misfit_.misfit, "Pa^2 s");
    if (misfit_.observed > 0) number("misfit_relative", misfit_.misfit / misfit_.observed, "1");
    number("snapshots", static_cast<double>(image_plan_.snapshots), "1");
    number("snapshot_every", static_cast<double>(setup_.image.every), "1");
  }
  number("energy_last", sums_.energy_last, "Pa^2 m");
  number("energy_largest", sums_.peak, "Pa^2 m");
  if (sums_.closed_first > 0) number("energy_drift", sums_.closed_worst / sums_.closed_first, "1");
  for (std::size_t n = 0; n < exact_.size(); ++n)
    if (trace_sums_[2 * n + 1] > 0)
      number(p.receivers[n].name + "_error", std::sqrt(trace_sums_[2 * n] / trace_sums_[2 * n + 1]), "1");
  if (!several_ && flows_.size() <= most_intensities && flows_from_ == 0)
    for (std::size_t n = 0; n < flows_.size(); ++n)
      number(intensity_name(p.receivers[setup_.pressure_receivers + n].name),
             flows_[n] / (static_cast<double>(p.steps) * p.dt), "W/m^2");
  const double peak = context.cluster.maximum(march_->peak(context.team));
  number("pressure_largest", peak, "Pa");
  if (!std::isfinite(peak))
    return make_error(ErrorCode::not_converged, "the field is not finite at the end of the run",
                      divergence_advice(setup_) + " The results are kept.");
  return {};
}

namespace {
/// Every phase that the team tells of.
constexpr Capability phases[] = {
    {"touch", false, false, true, ""},     {"march", true, true, true, "disk and device"},
    {"energy", false, false, true, ""},    {"peak", false, false, true, ""},
    {"image", false, false, true, "disk"},
};
}  // namespace

const SolverInfo& solver_info() {
  static const SolverInfo info{
      "acoustic-fd",
      "Acoustic waves, finite differences",
      "Pressure waves in fluids with varying speed of sound, by explicit stencils of order 2 to 12.",
      parameters_schema,
      [] { return std::unique_ptr<Solver>(std::make_unique<AcousticFd>()); },
      verify_table,
      bench_table,
      resample_file,
      phases,
      paper_table};
  return info;
}

}  // namespace conoid::acoustic_fd
