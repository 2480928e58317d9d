// SPDX-License-Identifier: BSD-3-Clause
// Preparation, marching, checkpoints and the estimate.
#include "engine/solvers/acoustic_bem/acoustic_bem.hpp"
#include "engine/solvers/acoustic_bem/cuda/device_tiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "engine/core/log.hpp"
#include "engine/core/units.hpp"
#include "engine/core/vec3.hpp"
#include "engine/solvers/acoustic_bem/discretization/places.hpp"
#include "engine/solvers/acoustic_bem/plan_team.hpp"
#include "engine/solvers/acoustic_bem/stepping/ranges.hpp"
#include "engine/solvers/acoustic_bem/verify/bench.hpp"
#include "engine/solvers/acoustic_bem/verify/verify.hpp"
#include "engine/solvers/mesh_frame.hpp"
#include "engine/team/team.hpp"

namespace conoid::acoustic_bem {

extern const std::string_view parameters_schema;

Reading<Problem>& AcousticBem::read(const Case& input, const Mesh& mesh, const Offer& offer) const {
  Reading<Problem>& out = reading_.of(
      input, &mesh, [&mesh](const Case& c, const Mesh*, Problem* before) { return read_problem(c, mesh, before); });
  if (out.problem) out.problem->settings.ranks = std::max(offer.place.ranks, 1);
  return out;
}

std::vector<Diagnostic> AcousticBem::check(const Case& input, const Mesh* mesh, const Offer& offer) const {
  if (mesh == nullptr)
    return {make_error(ErrorCode::invalid_input, "the case has no mesh", "Give \"mesh\": {\"file\": …}.",
                       {"", 0, "/mesh"})};
  const Reading<Problem>& reading = read(input, *mesh, offer);
  std::vector<Diagnostic> out = reading.said;
  if (reading.problem)
    for (Diagnostic& d : check_problem(input, *reading.problem, offer)) out.push_back(std::move(d));
  return out;
}

namespace {

std::vector<std::pair<std::string, std::string>> details_of(const Settings& s, const Surface& surface) {
  const double courant = s.shortest_delta() / surface.mean_edge, length = expected_length(s, courant),
               n = static_cast<double>(surface.unknowns);
  return {
      {"unknowns", fmt::format("{}", surface.unknowns)},
      {"triangles", fmt::format("{}", surface.faces())},
      {"form", surface.filled() ? "two fluids" : std::string(name_of(s.form.name))},
      {"mean edge", format_quantity(surface.mean_edge, "m")},
      {"extent of the body", format_quantity(surface.diameter, "m")},
      {"time step", fmt::format("{}, cΔt = {:.3g} h", format_quantity(s.form.dt, "s"), courant)},
      {"time steps", fmt::format("{}", s.steps)},
      {"K_max", fmt::format("{}", static_cast<Index>(surface.diameter / s.shortest_delta()) + 2)},
      {"values in the matrices",
       fmt::format("about {:.3g}", length * (s.compressed() ? s.counted.near_pairs + s.counted.far_pairs : n * n))}};
}

/// What clusters and skeletons make of the matrices.
std::pair<std::string, std::string> compressed_detail(const Settings& s, const Surface& surface) {
  const auto n = static_cast<double>(surface.unknowns);
  const double length = expected_length(s, s.shortest_delta() / surface.mean_edge),
               whole = n * n * (length * (s.single_precision ? 4 : 8) + 3.6);
  return {
      "compressed matrices",
      fmt::format("{} clusters, skeletons of {:.0f} points; near {:.1f} %, far {:.1f} % of the row-vectors; whole {}",
                  s.counted.clusters, s.counted.of_leaf, 100 * s.counted.near_pairs / (n * n),
                  100 * s.counted.far_pairs / (n * n), format_bytes(static_cast<Bytes>(whole)))};
}

std::pair<std::string, std::string> edges_in_a_wave(const Settings& s, const Surface& surface) {
  const double highest = highest_frequency(s);
  return {"edges in the shortest wave",
          fmt::format("{:.1f} at {}", s.slowest() / highest / surface.mean_edge, format_quantity(highest, "Hz"))};
}

/// What processors compute is slower by `of_two`. With devices the sum is what is planned.
void add_phases(Estimate& e, const PhasePrices& prices, double of_two, const std::string& by) {
  const auto add = [&](const char* name, const PhasePrices::Price& price, std::vector<std::string> told) {
    const double seconds = (price.seconds - price.on_devices) / of_two + price.on_devices;
    e.phases.push_back({name, seconds, price.on_devices, price.on_devices > 0 ? by : std::string(), std::move(told)});
    if (by.empty()) return;
    e.planned_seconds += seconds;
    e.device_seconds += price.on_devices;
  };
  add("assembly", prices.assembly, {"prepare", "row extents", "assembly", "skeletons", "far clusters"});
  add("march", prices.march, {});
  add("receivers, planes and far field", prices.beside, {"frequencies", "finish"});
}

}  // namespace

Result<Estimate> AcousticBem::estimate(const Case& input, const Mesh* mesh, const Offer& offer) const {
  if (mesh == nullptr) return make_error(ErrorCode::invalid_input, "the case has no mesh");
  const Reading<Problem>& reading = read(input, *mesh, offer);
  for (const Diagnostic& d : reading.said)
    if (d.severity == Severity::error) return d;
  const Settings& s = reading.problem->settings;
  const Surface* const surface = &reading.problem->surface;
  const double courant = s.shortest_delta() / surface->mean_edge, length = expected_length(s, courant);
  const auto n = static_cast<double>(surface->unknowns);
  Estimate e;
  const int threads = offer.team_threads();
  const MemoryPlan plan = plan_for(s, *surface, offer);
  e.host_memory = plan.streams() ? plan.budget : plan.in_memory;
  e.steps = (s.steps + s.grouped - 1) / s.grouped * s.grouped + (s.surface_spectra.empty() ? 0 : 1);
  const ExpectedTime time = expected_time(s, *surface, threads);
  const double assembly = expected_time(s, *surface, std::min(threads, plan.threads)).assembly, march = time.march,
               beside = time.points + time.finish;
  const double streaming = streaming_seconds(s, plan);
  // The laws were fitted to a machine whose threads slow each other down; seconds here are compared with one of which all are as
  // fast as two of them. Measured: 16 threads copy (16/2)^0.86 times as fast as two and multiply (16/2)^0.72 times.
  const double of_two = std::pow(std::max(1.0, threads / 2.0), 0.21);
  e.seconds = (assembly + beside + std::max(march, streaming)) / of_two;  // reading goes beside computing
  e.basis = "from the rates of a server's core, for the cores here";
  const auto passes = static_cast<Bytes>(e.steps / s.grouped);
  if (plan.streams()) {
    e.streams = "values of the matrices, between disk and memory";
    e.streamed = plan.values + passes * plan.read_each_time();
    e.slower = e.seconds * of_two / (assembly + beside + march);
  }
  // Beside the slices of its share a device keeps past values in a ring and partial sums (device_summation.cpp).
  const Bytes real = s.single_precision ? 4 : 8, unknowns = static_cast<Bytes>(surface->unknowns),
              ring = std::bit_ceil(static_cast<Bytes>(surface->diameter / s.shortest_delta() + length) +
                                   2 * static_cast<Bytes>(s.grouped) + 18),
              kept = unknowns * (ring * real + static_cast<Bytes>(s.grouped) * (8 + 64 * real));
  // Teams are priced where nothing passes between memories.
  std::vector<DevicePace> paces;
  for (const DeviceInfo& device : offer.devices)
    if (device.backend == "cuda") paces.push_back(pace_of(device));
  TeamPrice price;
  if (const Bytes count = paces.size(); count > 0 && count == offer.devices.size() && !plan.streams() &&
                                        kept + plan.summed_there / count <= choose_team(offer, {}, 0).device_memory()) {
    // Of "auto" as many devices as are the fastest, none fewer than have room for the slices; what is named is taken.
    Bytes least = 1;
    while (least < count && kept + plan.summed_there / least > choose_team(offer, {}, 0).device_memory()) ++least;
    price = price_teams(s, *surface, threads, paces, offer.automatic ? least : count);
    e.use = price.use;
  }
  if (const ChosenTeam team = choose_team(offer, e.use, e.seconds); !team.devices().empty()) {
    const Bytes count = team.devices().size(), memory = team.device_memory(), needed = kept + plan.summed_there / count;
    if (price.alone > 0) {
      const bool alone = team.devices().size() == team.workers.size();
      const std::string by = fmt::format("{}{}", fmt::join(team.devices(), ", "), alone ? "" : " and processors");
      const PhasePrices& prices = alone ? price.of_alone : price.of_both;
      add_phases(e, prices, of_two, by);
    }
    Bytes assembled = 0;
    if (DeviceTiles::takes(*surface)) {
      const Bytes tiles = tile_memory(surface->unknowns), one = std::min(plan.tiles, tiles);
      int feeding = 1;
      for (const WorkerSpec& w : team.workers)
        if (!w.device.empty()) feeding = std::max(feeding, w.threads);
      assembled = DeviceTiles::expected(*surface, s.form, one) *
                  static_cast<Bytes>(DeviceTiles::feeders(*surface, s.form, tiles, memory, feeding));
    }
    e.device_memory = std::min(std::max(needed, assembled), memory);
    if (needed > memory && e.streams.empty()) {
      e.streams = "values of the matrices, between memory and device";
      e.streamed = passes * count * (needed - memory);
    }
  }
  e.disk = (plan.streams() ? plan.values : 0) +
           static_cast<Bytes>(n * 4 * 40 + static_cast<double>(s.steps) * 20 * static_cast<double>(s.receivers.size()));
  e.details = details_of(s, *surface);
  if (e.planned_seconds <= 0 && choose_team(offer, e.use, e.seconds).devices().empty())
    add_phases(e, {{assembly, 0}, {std::max(march, streaming), 0}, {beside, 0}}, of_two, {});
  else
    for (const auto& [name, seconds] :
         {std::pair{"assembly", assembly}, {"march", march}, {"receivers, planes and far field", beside}})
      e.details.emplace_back(fmt::format("{} by processors", name), fmt::format("about {}", format_duration(seconds)));
  if (surface->moved > 0)
    e.details.emplace_back("corners moved for curved faces",
                           fmt::format("{} at most", format_quantity(surface->moved, "m")));
  if (s.compressed()) e.details.push_back(compressed_detail(s, *surface));
  if (s.ranks > 1) e.details.emplace_back("matrices of a rank", fmt::format("about {}", format_bytes(plan.values)));
  if (plan.threads < threads)
    e.details.emplace_back("threads that assemble", fmt::format("{} of {}", plan.threads, threads));
  if (plan.streams()) {
    e.details.emplace_back("values on the disk", format_bytes(plan.values));
    e.details.emplace_back("memory for windows", format_bytes(plan.windows));
    e.details.emplace_back("read from the disk", fmt::format("{} every {} steps, about {} in all at {:.0f} GB/s",
                                                             format_bytes(plan.read_each_time()), s.grouped,
                                                             format_duration(streaming), 1e-9 * disk_rate));
  }
  e.details.push_back(edges_in_a_wave(s, *surface));
  return e;
}

namespace {

/// The largest value of a pulse.
double largest_of(const Pulse& pulse) {
  double largest = std::abs(pulse.amplitude);
  if (pulse.kind == PulseKind::sampled) {
    double most = 0;
    for (const double v : pulse.samples) most = std::max(most, std::abs(v));
    largest *= most;
  }
  return largest;
}

/// The largest pressure of the waves at the surface, each by itself, Pa.
double loudest_of(const Excitation& run, const Surface& surface) {
  double out = 0;
  for (const Wave& w : run.waves) {
    const double largest = largest_of(w.pulse);
    double nearest = HUGE_VAL;
    for (const Vec3& x : surface.vertices) nearest = std::min(nearest, vec::distance(x, w.position));
    out = std::max(out, w.kind == WaveKind::plane ? largest : largest / (4 * std::numbers::pi * nearest));
  }
  return out;
}

}  // namespace

Status AcousticBem::prepare(RunContext& context) {
  if (!context.mesh) return make_error(ErrorCode::invalid_input, "the case has no mesh");
  cluster_ = &context.cluster;
  mesh_ = context.mesh;
  Reading<Problem>& reading = read(context.input, *mesh_, context.offer);
  for (const Diagnostic& d : reading.said)
    if (d.severity == Severity::error) return d;
  settings_ = std::move(reading.problem->settings);
  surface_ = std::move(reading.problem->surface);
  reading_.forget();
  add_image_waves(settings_);
  settings_.ranks = context.cluster.size();
  settings_.scratch = context.results.folder();
  for (const PlaneSetting& p : settings_.planes) {
    const auto points = p.positions();
    planes_.push_back({p, plane_points_.size(), points.size()});
    plane_points_.insert(plane_points_.end(), points.begin(), points.end());
  }
  place_points(context);
  if (surface_.turned > 0 && context.cluster.leads())
    log::info("acoustic-bem: {} faces turned round, so that normals agree and point out", surface_.turned);
  auto engine = make_engine(settings_, surface_, plane_points_, context.offer.host.value, context.team, context.cluster,
                            context.progress, context.stop);
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  lit_.resize(settings_.runs.size());
  for (const Excitation& run : settings_.runs) {
    rhs_.emplace_back(surface_, settings_.form, run);
    rhs_.back().reserve(settings_.grouped);
  }

  start_spectra();
  for (const Excitation& run : settings_.runs) loudest_ = std::max(loudest_, loudest_of(run, surface_));
  for (const Motion& m : settings_.motions)
    loudest_ = std::max(loudest_, settings_.density * settings_.form.c * largest_of(m.pulse));
  if (Status s = make_drive(context); !s) return s;
  geometry_ = mesh_geometry(*mesh_, 2);
  head_tables();

  choose_bundle();
  tell_matrices(context);
  keep_device_pace(context);
  return {};
}

void AcousticBem::start_spectra() {
  std::vector<double> frequencies = settings_.frequencies;
  frequencies.insert(frequencies.end(), settings_.maps.begin(), settings_.maps.end());
  for (std::size_t r = 0; r < settings_.runs.size(); ++r) {
    surface_spectra_.emplace_back(frequencies, surface_.unknowns);
    const auto points = static_cast<Index>(settings_.receivers.size());
    receiver_scattered_.emplace_back(settings_.maps, points);
    receiver_incident_.emplace_back(settings_.maps, points);
  }
  group_.resize(frequencies.empty() ? 0 : settings_.runs.size());
  plane_now_.assign(plane_points_.size(), 0);
}

void AcousticBem::choose_bundle() {
  const EngineFacts& f = engine_->facts();
  // Groups of about 50 ms at 1e9 values a second, at most 8.
  const double group = static_cast<double>(f.nonzeros) * settings_.grouped * static_cast<double>(settings_.runs.size());
  bundle_ = std::clamp<Index>(static_cast<Index>(1e8 / std::max(group, 1.0)), 1, 8);
}

void AcousticBem::keep_device_pace(const RunContext& context) const {
  const EngineFacts& f = engine_->facts();
  if (const auto devices = context.team.devices(); devices.size() == 1 && context.team.workers().size() == 1 &&
                                                   context.cluster.size() == 1 && !surface_.has_walls()) {
    const DeviceInfo& info = devices.front()->device().info();
    if (info.backend == "cuda") {
      const double evaluations = static_cast<double>(f.evaluations);
      log::info("acoustic-bem: {} found {:.3g} shell moments a second; planned with {:.3g}",
                context.team.workers().front().name, evaluations / f.assembly_wall, pace_of(info).evaluations);
      keep_pace(info, evaluations, f.assembly_wall);
    }
  }
}

void AcousticBem::tell_matrices(RunContext& context) const {
  const EngineFacts& f = engine_->facts();
  if (context.cluster.leads())
    log::info(
        "acoustic-bem: form {}, {} unknowns, cΔt = {:.3g} h, K_max {}, {:.4g} values, row-vectors {:.2f} on average, "
        "{} "
        "at "
        "most, {}; M_0 skew part {:.1e}, {} steps",
        surface_.filled() ? "of two fluids" : name_of(settings_.form.name), f.unknowns,
        settings_.shortest_delta() / surface_.mean_edge, f.columns, static_cast<double>(f.nonzeros), f.average(),
        f.longest, format_bytes(f.bytes), f.skew, settings_.steps);
  if (context.cluster.leads()) {
    context.results.number("unknowns", static_cast<double>(f.unknowns), "1");
    context.results.number("matrix_values", static_cast<double>(f.nonzeros), "1");
    context.results.number("matrix_memory", static_cast<double>(f.bytes), "B");
    if (context.cluster.size() > 1)
      log::info("acoustic-bem: of {} ranks each holds a share of the matrices, {} at most", context.cluster.size(),
                format_bytes(f.largest_rank_bytes));
    context.results.number("row_vector_average", f.average(), "1");
    context.results.number("row_vector_longest", static_cast<double>(f.longest), "1");
    context.results.number("k_max", static_cast<double>(f.columns), "1");
    if (f.clusters > 0) {
      context.results.number("clusters", static_cast<double>(f.clusters), "1");
      context.results.number("skeleton_points", static_cast<double>(f.skeleton), "1");
      context.results.number("compression_error", f.far_error, "1");
    }
    if (f.assembly_threads < context.team.threads())
      context.results.number("assembly_threads", static_cast<double>(f.assembly_threads), "1");
    context.results.number("m0_skew_part", f.skew, "1");
    context.results.number("shell_evaluations", static_cast<double>(f.evaluations), "1");
  }
}

Status AcousticBem::make_drive(RunContext& context) {
  if (settings_.motions.empty()) return {};
  try {
    drive_ = Drive(surface_, settings_.form, settings_.assembly, settings_.motions, settings_.screen, settings_.density,
                   context.team, context.cluster.size() > 1 ? &context.cluster : nullptr, context.stop);
    driven_receivers_ = drive_.points(surface_, settings_.receivers, context.team);
    driven_planes_ = drive_.points(surface_, plane_points_, context.team);
  } catch (const Failure& failure) {
    return failure.error();
  }
  return {};
}

void AcousticBem::place_points(RunContext& context) {
  // On a face the double layer gives the mean of both sides: points there move outwards by 1e-5 of a triangle, over which the
  // pressure does not change.
  constexpr double off = 1e-5;
  const PlaceFinder places(surface_, context.input["boundaries"]["surface"].text() != "screen");
  for (Vec3& x : settings_.receivers)
    if (const Place p = places.of(x); p.side == Side::on_body) x = p.beside(off);
  plane_inside_.assign(plane_points_.size(), 0);
  const auto count = static_cast<Index>(plane_points_.size());
  const double cost = 5e-9 * static_cast<double>(plane_points_.size()) * static_cast<double>(surface_.triangles.size());
  for_range(context.team, "points of the planes", count, 16, cost, [&](Interval range) {
    for (Index k = range.begin; k < range.end; ++k) {
      Vec3& x = plane_points_[static_cast<std::size_t>(k)];
      const Place p = places.of(x);
      if (p.side == Side::on_body) x = p.beside(off);
      const bool behind =  // the ground
          settings_.conditions.ground && settings_.conditions.ground->above(x) < -1e-6 * surface_.diameter;
      plane_inside_[static_cast<std::size_t>(k)] =
          p.side == Side::inside || behind || lies_in_source(settings_, surface_, x);
    }
  });
}

void AcousticBem::illuminate(Team& team, Index n, Index run, std::span<double> l) {
  RightHandSide& r = rhs_[static_cast<std::size_t>(run)];
  std::vector<double>& lit = lit_[static_cast<std::size_t>(run)];
  const Index step = (n - 1) % settings_.grouped;
  if (step == 0) {  // a whole group at once: one phase of the team instead of n_g
    const double cost = 3e-7 * static_cast<double>(r.triangle_count() * settings_.grouped);
    for_range(team, "illumination", r.triangle_count(), 256, cost,
              [&](Interval range) { r.triangles(n, range, settings_.grouped); });
    lit.resize(static_cast<std::size_t>(surface_.unknowns * settings_.grouped));
    for_range(team, "illumination", surface_.unknowns, 256, 0.5 * cost, [&](Interval range) {
      for (Index g = 0; g < settings_.grouped; ++g) r.gather(range, lit.data() + g * surface_.unknowns, g);
    });
  }
  std::copy_n(lit.begin() + step * surface_.unknowns, surface_.unknowns, l.begin());
  if (run + 1 == static_cast<Index>(settings_.runs.size())) drive_.add_to(n, l);
}

Index AcousticBem::marched_steps() const {
  return (settings_.steps + settings_.grouped - 1) / settings_.grouped * settings_.grouped;
}

Index AcousticBem::steps_done() const {
  return engine_->step() + (!settings_.surface_spectra.empty() && surface_is_solved() ? 1 : 0);
}

Result<Advanced> AcousticBem::advance(RunContext& context) {
  const Index steps = marched_steps();
  Team& team = context.team;
  for (Index b = 0; b < bundle_ && engine_->step() < steps && (b == 0 || !context.marks.due(standing())); ++b) {
    last_ = ringing_ = 0;
    const double first = settings_.form.time_of(engine_->step() + 1);
    for (std::vector<double>& values : group_) values.clear();
    engine_->advance(
        team, [&](Index n, Index run, std::span<double> l) { illuminate(team, n, run, l); },
        [&](Index n) {
          for (std::size_t r = 0; r < settings_.runs.size(); ++r) {
            const auto a = engine_->current(static_cast<Index>(r));
            if (!group_.empty()) group_[r].insert(group_[r].end(), a.begin(), a.end());
            if (!drive_.empty() && r + 1 == settings_.runs.size()) append_power(context, n, a);
            // The mean pressure of a room grows as long as a source has left it more: it is no sign of a march that does.
            const double mean = settings_.conditions.inside
                                    ? std::accumulate(a.begin(), a.end(), 0.0) / static_cast<double>(a.size())
                                    : 0;
            for (double v : a) {
              last_ = std::isfinite(v) ? std::max(last_, std::abs(v)) : HUGE_VAL;
              ringing_ = std::isfinite(v) ? std::max(ringing_, std::abs(v - mean)) : HUGE_VAL;
            }
          }
        });
    for (std::size_t r = 0; r < group_.size(); ++r) surface_spectra_[r].add(team, group_[r], first, settings_.form.dt);
    if (Status s = look_at_growth(); !s) return s.error();
    append_receivers(context);
    // Frames show the last step.
    if (b + 1 == bundle_ || engine_->step() >= steps || context.marks.due(standing())) look_at_planes(team);
  }
  if (engine_->step() >= steps) {
    find_plane_losses(context);
    if (Status s = solve_surface_spectra(context); !s) return s.error();
  }
  return standing();
}

/// What grows at once, and what goes on growing when nothing is sent any more: `peak_` alone would rise with it.
Status AcousticBem::look_at_growth() {
  constexpr double at_once = 1e6, left_alone = 100;  // what is sent may meet again, of itself, at a few places
  const double time = settings_.form.time_of(engine_->step()), before = peak_;
  // The first of a pulse are values of round-off, which the rest of it may exceed by any factor.
  const bool leaps = !(last_ < at_once * std::max(peak_, 1e-3 * loudest_)) && peak_ > 0;
  peak_ = std::max(peak_, last_);
  if (time <= settings_.lit + 2 * surface_.diameter / settings_.slowest()) driven_ = std::max(driven_, ringing_);
  const bool creeps = driven_ > 0 && !(ringing_ < left_alone * driven_);
  if (!leaps && !creeps) return {};
  return make_error(
      ErrorCode::not_converged,
      fmt::format("the surface values grow without bound: {:.3g} after a peak of {:.3g} (step {})",
                  leaps ? last_ : ringing_, leaps ? before : driven_, engine_->step()),
      settings_.compressed()
          ? "Set parameters.matrices to \"whole\", or parameters.compression to a third."
          : "Check that the normals point outwards; use the combined form and cΔt between 0.3 h and 0.6 h.");
}

Advanced AcousticBem::standing() const {
  // Spectra of the surface are a step more: a run that is stopped within them goes on with those that are left.
  const Index more = settings_.surface_spectra.empty() ? 0 : 1;
  Advanced out;
  out.step = steps_done();
  out.steps = marched_steps() + more;
  out.value = static_cast<double>(engine_->step()) * settings_.form.dt;
  out.finished = out.step >= out.steps;
  return out;
}

void AcousticBem::save(CheckpointWriter& writer) const {
  engine_->save(writer);
  writer.value("peak", peak_);
  writer.value("last", last_);
  writer.value("driven", driven_);
  writer.value("ringing", ringing_);
  writer.value("energy", energy_);
  const auto keep = [&](const char* name, const std::vector<RunningSpectrum>& spectra) {
    for (std::size_t r = 0; r < spectra.size(); ++r)
      writer.shared<std::complex<double>>(fmt::format("{} {}", name, r), spectra[r].raw());
  };
  keep("surface spectrum", surface_spectra_);
  keep("receiver scattered", receiver_scattered_);
  keep("receiver incident", receiver_incident_);
  writer.shared<double>("planes", plane_now_);
  writer.shared<double>("error sums", error_sums_);
  if (solved_surface_.empty()) return;
  writer.shared<double>("solved frequencies", settings_.surface_spectra);
  for (std::size_t k = 0; k < solved_surface_.size(); ++k)
    if (!solved_surface_[k].empty())
      writer.shared<std::complex<double>>(fmt::format("solved surface {}", k), solved_surface_[k]);
}

void AcousticBem::load(CheckpointReader& reader) {
  engine_->load(reader);
  peak_ = reader.value<double>("peak");
  if (reader.length("last") == 1) last_ = reader.value<double>("last");  // an older checkpoint has none
  ringing_ = reader.length("ringing") == 1 ? reader.value<double>("ringing") : last_;
  driven_ = reader.length("driven") == 1 ? reader.value<double>("driven") : peak_;
  if (reader.length("energy") == 1) energy_ = reader.value<double>("energy");
  const auto restore = [&](const char* name, std::vector<RunningSpectrum>& spectra) {
    for (std::size_t r = 0; r < spectra.size(); ++r)
      reader.range<std::complex<double>>(fmt::format("{} {}", name, r), 0, spectra[r].raw());
  };
  restore("surface spectrum", surface_spectra_);
  restore("receiver scattered", receiver_scattered_);
  restore("receiver incident", receiver_incident_);
  reader.range<double>("planes", 0, plane_now_);
  reader.range<double>("error sums", 0, error_sums_);
  if (const std::vector<double>& wanted = settings_.surface_spectra; reader.length("solved frequencies") > 0) {
    std::vector<double> had(wanted.size());
    if (reader.length("solved frequencies") == static_cast<Index>(wanted.size()))
      reader.range<double>("solved frequencies", 0, had);
    solved_surface_.resize(wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k)
      if (const std::string name = fmt::format("solved surface {}", k); had == wanted && reader.length(name) > 0) {
        solved_surface_[k].resize(static_cast<std::size_t>(surface_.unknowns));
        reader.range<std::complex<double>>(name, 0, solved_surface_[k]);
      }
  }
  // The right-hand side keeps the pulse at the step before.
  for (RightHandSide& r : rhs_) r.triangles(engine_->step(), {0, r.triangle_count()});
}

namespace {
/// Every phase that the team tells of.
constexpr Capability phases[] = {
    {"row extents", false, false, true},
    {"assembly", true, true, true, "disk"},
    {"summation", true, true, true, "disk and device"},
    {"near matrices", false, false, true},
    {"skeletons", false, false, false},  // each rank finds all of them
    {"far clusters", false, false, true},
    {"steps", true, false, true},
    {"receivers", true, true, true},
    {"frequencies", false, false, true},
    {"wall memory", false, false, true},
    {"illumination", false, false, true},
};
}  // namespace

const SolverInfo& solver_info() {
  static const SolverInfo info{"acoustic-bem",
                               "Acoustic waves, time-domain boundary elements",
                               "Scattering of sound pulses by rigid and soft bodies and screens in an unbounded fluid; "
                               "only the surface is meshed.",
                               parameters_schema,
                               [] { return std::unique_ptr<Solver>(std::make_unique<AcousticBem>()); },
                               verify_table,
                               bench_table,
                               nullptr,
                               phases,
                               paper_table};
  return info;
}

}  // namespace conoid::acoustic_bem
